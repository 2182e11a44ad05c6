# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A world run by itself: objects under gravity, no simulator, no ROS.  What happened is kept as plain arrays.

Drones are free bodies here, with their motors off and without drag; hands take no part.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ... import rotations
from ...engine import World
from ...engine.world.world import Stats
from .. import bodies
from ..world_files.world_types import WorldConfig

FRAME_TIME = 0.01       # s between recorded frames
# at rest: no point of the body was farther than this (m) from where it is now in the last REST_TIME (s); speeds do not
# tell, the contacts of a body at rest may rattle by g dt
REST_WAY, REST_TIME = 1e-4, 0.5


@dataclass
class PairContacts:
    """What two bodies had to do with each other: steps in contact, contact points that took an impact, largest depth
    (m), sum of the sizes of all impulses (N s), their sum (3,) N s on the second body, world."""

    steps: int = 0
    impacts: int = 0
    depth: float = 0.0
    impulse: float = 0.0
    given: np.ndarray = field(default_factory=lambda: np.zeros(3))


@dataclass
class Recording:
    """A run.  Frames k at times (F,) s; pose of the shape's frame and velocities of the centre of mass of the B moving
    bodies, world: pos (F,B,3) m, quat (F,B,4) wxyz, linvel (F,B,3) m/s, angvel (F,B,3) rad/s; energies (F,) J, the
    potential one zero at the world's origin."""

    config: WorldConfig
    names: tuple[str, ...]
    shapes: tuple
    times: np.ndarray
    pos: np.ndarray
    quat: np.ndarray
    com: np.ndarray             # (F,B,3) m, centres of mass
    linvel: np.ndarray
    angvel: np.ndarray
    kinetic: np.ndarray
    potential: np.ndarray
    at_rest: np.ndarray         # (B,) bool
    pairs: dict[tuple[str, str], PairContacts]
    stats: Stats

    @property
    def energy(self) -> np.ndarray:
        """(F,) J."""
        return self.kinetic + self.potential


def run(config: WorldConfig, duration: float, frame_time: float = FRAME_TIME,
        progress: Callable[[float], None] = lambda _seconds: None) -> Recording:
    """Run a world for `duration` (s, to the nearest whole number of frames); a frame is the nearest whole number of
    steps.  progress gets the seconds of every frame.  Errors: EngineError."""
    world, table = bodies.build(config)
    moving = np.array([*table.drones, *table.objects.values()], dtype=np.int64)
    for body in table.drones:
        world.set_enabled(int(body), True)
    steps = max(1, round(frame_time / config.dt))
    frames, pairs = [_frame(world, moving)], {}
    for _ in range(max(1, round(duration / (steps * config.dt)))):
        world.step(steps)
        frames.append(_frame(world, moving))
        _collect(pairs, world.contact_log(), table.names)
        progress(steps * config.dt)
    names, shapes = tuple(table.names[k] for k in moving), tuple(world.shapes[k] for k in moving)
    pos, quat, com, linvel, angvel, kinetic, potential = map(np.array, zip(*frames, strict=True))
    rest = _at_rest(com, quat, shapes, 1 + round(REST_TIME / (steps * config.dt)))
    return Recording(config, names, shapes, np.arange(len(frames)) * steps * config.dt, pos, quat, com, linvel, angvel,
                     kinetic, potential, rest, pairs, world.stats())


def _frame(world: World, moving: np.ndarray) -> tuple:
    quat, com = world.quat[moving], world.pos[moving]
    kinetic = world.kinetic_energy()
    return (com - rotations.rotate(quat, world.com[moving]), quat, com, world.linvel[moving], world.angvel[moving],
            kinetic, world.energy() - kinetic)


def _collect(pairs: dict, rows: np.ndarray, names: tuple[str, ...]) -> None:
    """Add the contact points of one frame."""
    for a, b in np.unique(np.stack([rows['body_a'], rows['body_b']], axis=1), axis=0):
        mine = rows[(rows['body_a'] == a) & (rows['body_b'] == b)]
        pair = pairs.setdefault((names[a], names[b]), PairContacts())
        pair.steps += len(np.unique(mine['step']))
        pair.impacts += int(mine['impact'].sum())
        pair.depth = max(pair.depth, float(mine['depth'].max()))
        pair.impulse += float(np.linalg.norm(mine['impulse'], axis=1).sum())
        pair.given = pair.given + mine['impulse'].sum(axis=0)


def _at_rest(com: np.ndarray, quat: np.ndarray, shapes: tuple, frames: int) -> np.ndarray:
    """(B,) whether no point of a body moved in the last frames, all of them in a shorter run."""
    reach = 2.0 * np.array([shape.bounding_radius() for shape in shapes])
    turned = rotations.norm(rotations.difference(quat[-frames:], quat[-1]))
    return (rotations.norm(com[-frames:] - com[-1]) + turned * reach <= REST_WAY).all(axis=0)
