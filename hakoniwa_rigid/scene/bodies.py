# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""From a world's description to the engine's bodies, and back from body indices to names, kinds and parts."""
from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from .. import rotations as rot
from ..engine import Box, Capsule, EngineError, Shape, Sphere, WorldBuilder, mass_properties
from .errors import WorldFileError
from .free_names import is_free
from .hands.hand_layouts import HAND_BODIES, MOST_BONES, NOMINAL_LENGTH, NOMINAL_PALM, NOMINAL_RADIUS
from .records import Kind
from .world_files.constraint_file import holds_constraints
from .world_files.shape_words import leaf_names
from .world_files.world_types import (
    GROUPS,
    CollisionBits,
    ContactTimeConfig,
    DroneConfig,
    FilterConfig,
    HandConfig,
    MaterialConfig,
    ObjectConfig,
    Pose,
    WallConfig,
    WorldConfig,
)

# kinds of bodies
DRONE, WALL, OBJECT, HAND = range(4)
# what each kind meets: walls and hands do not meet each other or themselves
_MASKS = {DRONE: {DRONE, WALL, OBJECT, HAND}, WALL: {DRONE, OBJECT},
          OBJECT: {DRONE, WALL, OBJECT, HAND}, HAND: {DRONE, OBJECT}}
_KIND_WORDS = {'drone': DRONE, 'wall': WALL, 'object': OBJECT, 'hand': HAND}
KINDS = {frozenset((_KIND_WORDS[a], _KIND_WORDS[b])): kind
         for kind in Kind for a, b in [kind.name.lower().split('_')]}

# m: radius of gyration of a hand of finite mass; so large that an impact a hand's width off its middle does not turn it
GYRATION = 100.0
PALM = Box(NOMINAL_PALM)
# part of a drone whose shape is in one piece
DRONE_PART = ('body',)


@dataclass(frozen=True)
class BodyTable:
    """What each engine body is: name (B), names of its parts (B) in the engine's order, kind (B,), drone row or -1
    (B,), 1/mass (B,).  Part names of hands are the hands' matter."""

    names: list[str]
    parts: list[tuple[str, ...]]
    kinds: np.ndarray
    drone_row: np.ndarray
    inverse_mass: np.ndarray
    drones: np.ndarray              # body of each drone (N,)
    objects: dict[str, int]         # body of each object
    hands: dict[str, np.ndarray]    # bodies of each hand: bones, then a box (HAND_BODIES,)
    grips: dict[str, int]           # body that goes along with the palm, of each hand that grasps
    index: dict[str, int]           # body of each drone, wall and object


def build(config: WorldConfig) -> tuple[object, BodyTable]:
    """The engine world of a description, and its table.  WorldFileError for a constraint that cannot be."""
    builder = WorldBuilder(gravity=config.gravity, dt=config.dt, integrator=config.integrator,
                           restitution_threshold=config.restitution_threshold, solver=config.solver,
                           combine_restitution=config.combine.restitution, combine_friction=config.combine.friction,
                           max_linear_velocity=config.scene.linear_velocity_limit,
                           max_angular_velocity=config.scene.angular_velocity_limit,
                           **_contact(config.contact), **_penalty(config.penalty_stiffness))
    made_of: dict[str, list[int]] = {}
    meets = kinds_met(config.filters)
    entries: list[tuple[str, tuple[str, ...], int, int, float]] = []
    bodies: dict[str, list[int]] = {}

    def enter(item, kind: int, add, parts=('',), mass: float = 0.0, row: int = -1) -> int:
        index = add(builder, item, engine_bits(kind, meets, item.collision))
        entries.append((item.name, parts, kind, row, 1.0 / mass if mass else 0.0))
        bodies.setdefault(item.name, []).append(index)
        made_of.setdefault(getattr(item, 'model', item).material.name, []).append(index)
        return index

    drones = [enter(d, DRONE, _add_drone, drone_parts(d), d.model.mass, row) for row, d in enumerate(config.drones)]
    for wall in config.walls:
        enter(wall, WALL, _add_wall, leaf_names(wall.shape))
    objects = {o.name: enter(o, OBJECT, _add_object, leaf_names(o.shape), o.mass) for o in config.objects}
    hands = {h.name: np.array([enter(h, HAND, partial(_add_hand, k=k), mass=h.effective_mass)
                               for k in range(HAND_BODIES)])
             for h in config.hands}
    grips = {h.name: enter(h, HAND, _add_grip) for h in config.hands
             if h.grasp_assistance or (is_free(h.name) and holds_constraints(config))}
    for a, b in config.filters.pairs:
        for i in bodies[a]:
            for j in bodies[b]:
                builder.exclude(i, j)
    for a, b, settings in pair_rules(config, made_of):
        builder.set_pair_material(a, b, **settings)
    names, parts, kinds, rows, inverse = zip(*entries, strict=True) if entries else ((),) * 5
    table = BodyTable(list(names), list(parts), np.array(kinds, dtype=np.int64), np.array(rows, dtype=np.int64),
                      np.array(inverse, dtype=float), np.array(drones, dtype=np.int64), objects, hands, grips,
                      {name: held[0] for name, held in bodies.items() if name not in hands})
    world = builder.build()
    _attach(world, config, bodies)
    return world, table


def pair_rules(config: WorldConfig, made_of: dict[str, list[int]]) -> list[tuple[list[int], list[int], dict]]:
    """What pairs of materials have of their own, for the engine.  made_of: bodies by the name of their material."""
    rules = []
    for p in config.pair_materials:
        a, b = (made_of.get(name, []) for name in p.between)
        if len(set(a) | set(b)) > 1:    # a material with itself, and one body of it: nothing to touch
            rules.append((a, b, {'restitution': p.restitution, 'friction': p.friction,
                                 'rolling_friction': p.rolling_friction, 'torsional_friction': p.torsional_friction}))
    return rules


def _attach(world, config: WorldConfig, bodies: dict[str, list[int]]) -> None:
    """The constraints of the world file, of bodies where they start."""
    for k, c in enumerate(config.constraints):
        try:
            world.attach(c.kind, bodies[c.body_a][0], bodies[c.body_b][0], **c.settings())
        except EngineError as error:
            raise WorldFileError(f'{config.source}: constraints[{k}]: {error}') from None


def _contact(contact: ContactTimeConfig | None) -> dict:
    if contact is None:
        return {}
    return {'contact_profile': contact.profile, 'contact_time': contact.time,
            'contact_stiffness': contact.stiffness}


def _penalty(stiffness: float | None) -> dict:
    return {} if stiffness is None else {'penalty_stiffness': stiffness}


def kinds_met(filters: FilterConfig) -> dict[int, set[int]]:
    """Which kinds each kind meets."""
    meets = {kind: set(others) for kind, others in _MASKS.items()}
    for pair in filters.off:
        a, b = (_KIND_WORDS[word] for word in pair.split('_'))
        meets[a].discard(b)
        meets[b].discard(a)
    return meets


def engine_bits(kind: int, meets: dict[int, set[int]], own: CollisionBits) -> dict[str, int]:
    """The engine's group and mask of a body: bit 16 k + g stands for 'of kind k and in the user's group g'.

    So one test of the engine, group_a & mask_b and group_b & mask_a, asks for both: that the kinds meet, and that
    the user's groups and masks do.
    """
    group = own.group << GROUPS * kind
    mask = sum(own.mask << GROUPS * other for other in meets[kind])
    return {'group': _signed(group), 'mask': _signed(mask)}


def _signed(bits: int) -> int:
    """64 bits as the engine's whole number with sign."""
    return bits - 2 ** 64 if bits >= 2 ** 63 else bits


def drone_parts(drone: DroneConfig) -> tuple[str, ...]:
    names = leaf_names(drone.model.shape)
    return DRONE_PART if names == ('',) else names


def _material_of(material: MaterialConfig) -> dict:
    return {'restitution': material.restitution, 'friction': material.friction,
            'rolling_friction': material.rolling_friction, 'torsional_friction': material.torsional_friction}


def _com(shape: Shape, mass: float, com: tuple | None) -> np.ndarray:
    """Centre of mass (3,) m in the shape's frame."""
    return np.array(com) if com is not None else mass_properties(shape, mass=mass).com


def _at_com(pose: Pose, com) -> dict[str, tuple]:
    """Where the engine's body is whose shape's frame is at a pose: the engine counts from the centre of mass."""
    return {'pos': tuple(np.add(pose.position, rot.rotate(np.array(pose.quat), np.asarray(com)))), 'quat': pose.quat}


def drone_body(drone: DroneConfig) -> tuple[Shape, dict]:
    """Shape and keywords of the engine's body of a drone."""
    model = drone.model
    return model.shape, {'mass': model.mass, 'inertia': model.inertia, 'com': model.com, 'name': drone.name,
                         **_at_com(drone.pose, model.com), **_material_of(model.material)}


def wall_body(wall: WallConfig) -> tuple[Shape, dict]:
    """Shape and keywords of the engine's body of a wall."""
    return wall.shape, {'pos': wall.pose.position, 'quat': wall.pose.quat, 'name': wall.name,
                        **_material_of(wall.material)}


def object_body(item: ObjectConfig) -> tuple[Shape, dict]:
    """Shape and keywords of the engine's body of an object."""
    com = _com(item.shape, item.mass, item.com)
    return item.shape, {'mass': item.mass, 'inertia': item.inertia, 'com': com, 'linvel': item.linear_velocity,
                        'angvel': item.angular_velocity, 'name': item.name, **_at_com(item.pose, com),
                        **_material_of(item.material)}


@lru_cache(maxsize=16)
def _bone(radius_scale: float) -> Capsule:
    """The same object for hands of one size: the engine knows its rows."""
    return Capsule(NOMINAL_RADIUS * radius_scale, NOMINAL_LENGTH)


def hand_body_name(hand: HandConfig, k: int) -> str:
    """Name of the engine's body k of a hand."""
    return f'{hand.name}/{k}'


def hand_body(hand: HandConfig, k: int) -> tuple[Shape, dict]:
    """Shape and keywords of the engine's body k of a hand: a bone, or its box."""
    mass, own = hand.effective_mass, {}
    if mass < math.inf:
        own = {'mass': mass, 'inertia': (mass * (GYRATION * GYRATION),) * 3, 'com': (0.0, 0.0, 0.0)}
    return (_bone(hand.radius_scale) if k < MOST_BONES else PALM), {'name': hand_body_name(hand, k), **own,
                                                             **_material_of(hand.material)}


def _add_drone(builder, drone: DroneConfig, bits: dict[str, int]) -> int:
    shape, own = drone_body(drone)
    return builder.add_body(shape, kind='dynamic', enabled=False, **own, **bits)


def _add_wall(builder, wall: WallConfig, bits: dict[str, int]) -> int:
    shape, own = wall_body(wall)
    return builder.add_body(shape, kind='static', **own, **bits)


def _add_object(builder, item: ObjectConfig, bits: dict[str, int]) -> int:
    shape, own = object_body(item)
    return builder.add_body(shape, kind='dynamic', **own, **bits)


def _add_hand(builder, hand: HandConfig, bits: dict[str, int], k: int) -> int:
    shape, own = hand_body(hand, k)
    kind = 'dynamic' if hand.effective_mass < math.inf else 'kinematic'
    return builder.add_body(shape, kind=kind, enabled=False, **own, **bits)


def _add_grip(builder, hand: HandConfig, _bits: dict[str, int]) -> int:
    """The body of no contact with which a hand holds things."""
    return builder.add_body(Sphere(NOMINAL_RADIUS), name=f'{hand.name}/grip', enabled=False, kind='kinematic', group=0,
                            mask=0)


def shape_frame(world, body: int) -> tuple[np.ndarray, np.ndarray]:
    """Position (3,) m and orientation (4,) wxyz in the world of the frame of a body's shape: the engine's position is
    the centre of mass."""
    quat = world.quat[body]
    return world.pos[body] - rot.rotate(quat, world.com[body]), quat
