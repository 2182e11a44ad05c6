"""From a world's description to the engine's bodies, and back from body indices to names, kinds and parts."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..engine import Box, Capsule, HalfSpace, Sphere, WorldBuilder
from . import rotations as rot
from .hand_layouts import MOST_BONES, NOMINAL_LENGTH, NOMINAL_RADIUS
from .records import Kind
from .world_types import DroneConfig, FilterConfig, HandConfig, ObjectConfig, ShapeConfig, WallConfig, WorldConfig

# kinds of bodies and their collision groups
DRONE, WALL, OBJECT, HAND = range(4)
GROUP = (1, 2, 4, 8)
# what each kind meets: walls and hands do not meet each other or themselves
_MASKS = {DRONE: {DRONE, WALL, OBJECT, HAND}, WALL: {DRONE, OBJECT},
          OBJECT: {DRONE, WALL, OBJECT, HAND}, HAND: {DRONE, OBJECT}}
_KIND_WORDS = {'drone': DRONE, 'wall': WALL, 'object': OBJECT, 'hand': HAND}
KINDS = {frozenset((_KIND_WORDS[a], _KIND_WORDS[b])): kind
         for kind in Kind for a, b in [kind.name.lower().split('_')]}

DRONE_PART = 'body'


@dataclass(frozen=True)
class BodyTable:
    """What each engine body is: name (B), kind (B,), drone row or -1 (B,), 1/mass (B,).  Part names of hands are the
    hands' matter."""

    names: tuple[str, ...]
    kinds: np.ndarray
    drone_row: np.ndarray
    inverse_mass: np.ndarray
    drones: np.ndarray              # body of each drone (N,)
    objects: dict[str, int]         # body of each object
    hands: dict[str, np.ndarray]    # bodies of each hand's bones (MOST_BONES,)


def build(config: WorldConfig) -> tuple[object, BodyTable]:
    """The engine world of a description, and its table."""
    builder = WorldBuilder(gravity=config.gravity, dt=config.dt, integrator=config.integrator,
                           restitution_threshold=config.restitution_threshold)
    masks = _masks(config.filters)
    entries: list[tuple[str, int, int, float]] = []
    bodies: dict[str, list[int]] = {}

    def enter(name: str, kind: int, mass: float, index: int, row: int = -1) -> int:
        entries.append((name, kind, row, 1.0 / mass if mass else 0.0))
        bodies.setdefault(name, []).append(index)
        return index

    drones = [enter(d.name, DRONE, d.model.mass, _add_drone(builder, d, masks[DRONE]), row)
              for row, d in enumerate(config.drones)]
    for wall in config.walls:
        enter(wall.name, WALL, 0.0, _add_wall(builder, wall, masks[WALL]))
    objects = {o.name: enter(o.name, OBJECT, o.mass, _add_object(builder, o, masks[OBJECT])) for o in config.objects}
    hands = {h.name: np.array([enter(h.name, HAND, 0.0, _add_bone(builder, h, k, masks[HAND]))
                               for k in range(MOST_BONES)]) for h in config.hands}
    for a, b in config.filters.pairs:
        for i in bodies[a]:
            for j in bodies[b]:
                builder.exclude(i, j)
    names, kinds, rows, inverse = zip(*entries, strict=True) if entries else ((), (), (), ())
    table = BodyTable(names, np.array(kinds, dtype=np.int64), np.array(rows, dtype=np.int64),
                      np.array(inverse, dtype=float), np.array(drones, dtype=np.int64), objects, hands)
    return builder.build(), table


def _masks(filters: FilterConfig) -> list[int]:
    meets = {kind: set(others) for kind, others in _MASKS.items()}
    for pair in filters.off:
        a, b = (_KIND_WORDS[word] for word in pair.split('_'))
        meets[a].discard(b)
        meets[b].discard(a)
    return [sum(GROUP[other] for other in meets[kind]) for kind in range(4)]


def engine_shape(shape: ShapeConfig) -> object:
    """The engine's shape."""
    if shape.kind == 'sphere':
        return Sphere(shape.radius)
    return Box(shape.size) if shape.kind == 'box' else Capsule(shape.radius, shape.length)


def _surface(material) -> dict[str, float]:
    return {'restitution': material.restitution, 'friction': material.friction}


def _add_drone(builder, drone: DroneConfig, mask: int) -> int:
    model, pose = drone.model, drone.pose
    arm = rot.rotate(np.array(pose.quat), np.array(model.com))
    return builder.add_body(engine_shape(model.shape), mass=model.mass, inertia=model.inertia, com=model.com,
                            pos=tuple(np.add(pose.position, arm)), quat=pose.quat, kind='dynamic', name=drone.name,
                            group=GROUP[DRONE], mask=mask, enabled=False, **_surface(model.material))


def _add_wall(builder, wall: WallConfig, mask: int) -> int:
    shape = HalfSpace(wall.normal, wall.offset) if wall.kind == 'plane' else Box(wall.size)
    return builder.add_body(shape, pos=wall.pose.position, quat=wall.pose.quat, kind='static', name=wall.name,
                            group=GROUP[WALL], mask=mask, **_surface(wall.material))


def _add_object(builder, item: ObjectConfig, mask: int) -> int:
    return builder.add_body(engine_shape(item.shape), mass=item.mass, inertia=item.inertia, pos=item.pose.position,
                            quat=item.pose.quat, linvel=item.linear_velocity, angvel=item.angular_velocity,
                            kind='dynamic', name=item.name, group=GROUP[OBJECT], mask=mask, **_surface(item.material))


def _add_bone(builder, hand: HandConfig, k: int, mask: int) -> int:
    return builder.add_body(Capsule(NOMINAL_RADIUS * hand.radius_scale, NOMINAL_LENGTH), kind='kinematic',
                            name=f'{hand.name}/{k}', group=GROUP[HAND], mask=mask, enabled=False,
                            **_surface(hand.material))
