# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""``hakoniwa-rigid selftest``: whether engine and scene give the bits here that they give elsewhere.

Parts run for some seconds of simulated time each; every state and contact of them goes into a hash.  The hashes that
are expected stand in `selftest_hashes`: a machine, a processor or a library that differs in one bit is named by the
first part that shows it.  Numbers here come from whole numbers by + - * / and sqrt alone, so the scenes themselves are
the same everywhere.
"""
from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator

import numpy as np

from .engine import (
    Box,
    BoxShell,
    Capsule,
    Compound,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    Frustum,
    HalfSpace,
    HeightField,
    Part,
    Sphere,
    Tetrahedron,
    TriangleMesh,
    World,
    WorldBuilder,
)
from .law import LAW_VERSION
from .paths import config_file
from .scene import CollisionScene, WorldConfig
from .scene.world_files.world_types import DroneConfig, DroneModel, HandConfig, MaterialConfig, Pose, WallConfig
from .selftest_hashes import EXPECTED, TOTALS
from .sims.hands.motion import read_motion
from .smooth_motion import PlaneFloor, SurfaceMotion

__all__ = ['EXPECTED', 'PARTS', 'digest', 'total']

STEPS = 800
TICKS, TICK_NS = 800, 5_000_000
LOGGED = ('body_a', 'body_b', 'step', 'time', 'position', 'normal', 'impulse', 'velocity_before', 'velocity_after')
CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)] + [(0, 0, 1.75), (1.5, 0, 0)]) / 8
SHAPES = (Sphere(0.125), Box((0.25, 0.1875, 0.125)), BoxShell((0.25, 0.25, 0.3125), 0.0078125), Capsule(0.0625, 0.1875),
          Cylinder(0.125, 0.15625), Cone(0.125, 0.25), Frustum(0.125, 0.0625, 0.1875),
          Ellipsoid((0.15625, 0.125, 0.09375)), ConvexHull(CORNERS),
          Tetrahedron((0, 0, 0.15625), (0.15625, 0, -0.125), (-0.125, 0.125, -0.125), (-0.125, -0.125, -0.125)),
          Compound([Part(Box((0.3125, 0.0625, 0.0625))), Part(Sphere(0.0625), (0.15625, 0, 0))]))


def digest(part: Callable[[], Iterator[bytes]]) -> str:
    """32 digits of SHA-256 of all that a part gives."""
    sha = hashlib.sha256()
    for data in part():
        sha.update(data)
    return sha.hexdigest()[:32]


def total(hashes: dict[str, str]) -> str:
    """One hash of all."""
    return hashlib.sha256(''.join(f'{name} {found}\n' for name, found in hashes.items()).encode()).hexdigest()[:32]


def as_tables(hashes: dict[str, str]) -> str:
    """The tables of `selftest_hashes` with these; with the next version of the law, which then has to be set in
    `hakoniwa_rigid.law`, where they are new."""
    totals = dict(TOTALS)
    if total(hashes) != totals.get(LAW_VERSION):
        totals[LAW_VERSION + 1] = total(hashes)
    return '\n'.join([*_table('TOTALS', totals), *_table('EXPECTED', hashes)])


def _table(name: str, entries: dict) -> list[str]:
    return [f'{name} = {{', *(f'    {key!r}: {value!r},' for key, value in entries.items()), '}']


# ---- the engine

def _steps(world: World, steps: int = STEPS) -> Iterator[bytes]:
    """States and contacts of every step."""
    for _ in range(steps):
        world.step()
        for values in (world.pos, world.quat, world.linvel, world.angvel):
            yield np.ascontiguousarray(values).tobytes()
        log = world.contact_log()
        for name in LOGGED:
            yield np.ascontiguousarray(log[name]).tobytes()


def _throw(b: WorldBuilder, shapes, seed: int, *, spacing=0.5, height=0.5, speed=1.0, **material) -> None:
    """Bodies of these shapes in layers of nine, attitudes and velocities by chance."""
    rng = np.random.default_rng(seed)
    for k, shape in enumerate(shapes):
        q, v, w = (2.0 * rng.random(n) - 1.0 for n in (4, 3, 3))
        size = float(np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]))
        place = (spacing * (k % 3 - 1), spacing * (k // 3 % 3 - 1), spacing * (k // 9) + height)
        b.add_body(shape, density=300.0, pos=place, quat=q / size, linvel=speed * v, angvel=3.0 * w, **material)


def _landing(ground=None, shapes=SHAPES, e=0.25, mu=0.5, **settings) -> Iterator[bytes]:
    b = WorldBuilder(**settings)
    b.add_body(HalfSpace() if ground is None else ground, kind='static', restitution=e, friction=mu)
    _throw(b, shapes, 1, restitution=e, friction=mu)
    return _steps(b.build())


def _closed_room() -> Iterator[bytes]:
    b, wall = WorldBuilder(gravity=(0, 0, 0)), dict(kind='static', restitution=0.75, friction=0.25)
    for axis in range(3):
        for sign in (1.0, -1.0):
            normal = tuple(sign * (k == axis) for k in range(3))
            b.add_body(HalfSpace(normal, -1.25), **wall)
    _throw(b, 2 * SHAPES, 2, spacing=0.5, height=-0.5, speed=3.0, restitution=0.75, friction=0.25)
    return _steps(b.build())


def _hills() -> HeightField:
    k = np.arange(13.0)
    return HeightField(((k[:, None] - 6) ** 2 + (k[None] % 3) ** 2) / 256, (0.25, 0.25))


def _trough() -> TriangleMesh:
    """A floor and two walls, wound outwards."""
    section = [(-1.5, -0.25), (1.5, -0.25), (1.5, 1.0), (1.0, 1.0), (1.0, 0.0), (-1.0, 0.0), (-1.0, 1.0), (-1.5, 1.0)]
    front, back = [(x, -1.5, z) for x, z in section], [(x, 1.5, z) for x, z in section]
    n, cap = len(section), [(0, 1, 4), (1, 2, 3), (1, 3, 4), (0, 4, 5), (0, 5, 7), (5, 6, 7)]
    faces = [*cap, *((a + n, c + n, b + n) for a, b, c in cap)]
    for k in range(n):
        j = (k + 1) % n
        faces += [(k, k + n, j), (j, k + n, j + n)]
    return TriangleMesh(np.array(front + back), np.array(faces))


def _heap() -> Iterator[bytes]:
    b = WorldBuilder()
    b.add_body(HalfSpace(), kind='static', friction=0.25)
    _throw(b, 36 * (Box((0.5, 0.5, 0.125)),), 3, spacing=0.625, friction=0.25)
    return _steps(b.build(), 2 * STEPS)


def _stack() -> Iterator[bytes]:
    b = WorldBuilder()
    b.add_body(HalfSpace(), kind='static', friction=0.5)
    for k in range(6):
        b.add_body(Box((0.25, 0.25, 0.25)), mass=1.0 + k, pos=(0.015625 * k, 0, 0.125 + 0.25 * k), friction=0.5)
    return _steps(b.build())


def _billiards() -> Iterator[bytes]:
    b = WorldBuilder(combine_restitution='average', combine_friction='min')
    b.add_body(HalfSpace(), kind='static', restitution=0.5, friction=0.25)
    ball = dict(mass=0.17, restitution=[(0.0, 0.95), (3.0, 0.8)], friction=0.1, rolling_friction=1e-3,
                torsional_friction=5e-4)
    for row in range(4):
        for k in range(row + 1):
            b.add_body(Sphere(0.03125), pos=(0.0546875 * row, 0.0625 * (k - 0.5 * row), 0.03125), **ball)
    b.add_body(Sphere(0.03125), pos=(-0.25, 0.002, 0.03125), linvel=(4.0, 0, 0), angvel=(0, 0, 60.0), **ball)
    return _steps(b.build())


def _turntable() -> Iterator[bytes]:
    b = WorldBuilder()
    b.add_body(Cylinder(1.0, 0.125), kind='kinematic', pos=(0, 0, -0.0625), angvel=(0, 0, 2.0), friction=0.5)
    b.add_body(Box((0.125, 1.0, 0.5)), kind='kinematic', pos=(-1.5, 0, 0.3125), linvel=(1.25, 0, 0), friction=0.25)
    for k in range(6):
        b.add_body(Box((0.125, 0.125, 0.125)), mass=0.5, pos=(0.140625 * k - 0.375, 0.125 * k - 0.25, 0.0625),
                   friction=0.5)
    return _steps(b.build())


def _tumbling() -> Iterator[bytes]:
    """Rackets by every integrator."""
    for integrator in ('exact', 'rk4', 'implicit_midpoint', 'semi_implicit_euler'):
        b = WorldBuilder(integrator=integrator)
        b.add_body(HalfSpace(), kind='static', restitution=0.5)
        b.add_body(Box((0.3125, 0.15625, 0.0625)), mass=0.3, pos=(0, 0, 0.5), angvel=(0.05, 9.0, 0.1), restitution=0.5)
        yield from _steps(b.build())


def _smooth_floor() -> Iterator[bytes]:
    """An ellipsoid held on a smooth floor by multipliers."""
    body = SurfaceMotion.resting(PlaneFloor(), Ellipsoid((0.3125, 0.1875, 0.15625)), mass=1.0, at=(0, 0, 0.25), dt=1e-3,
                                 gravity=(0, 0, -9.8125), linvel=(0.25, 0.125, 0.0), angvel=(1.0, 2.0, 2.0))
    for _ in range(STEPS):
        body.step()
        for values in (body.pos, body.quat, body.linvel, body.angvel, body.contact_force):
            yield np.ascontiguousarray(values).tobytes()


# ---- the scene

def _scene(authority: str) -> Iterator[bytes]:
    """The recorded stroke of a hand meets a drone of this authority that hovers over the floor; a second one falls on
    to it."""
    hull = DroneModel('quad', 0.75, (0.0061, 0.0065, 0.0116), Box((0.25, 0.25, 0.0625)),
                      material=MaterialConfig('hull', 0.5, 0.25))
    drones = tuple(DroneConfig(name, hull, Pose((3.0, -2.5, z)), authority=authority)
                   for name, z in (('d0', 1.25), ('d1', 2.0)))
    walls = WallConfig('floor'), WallConfig('wall', HalfSpace((0.0, -1.0, 0.0), 1.9375))
    scene = CollisionScene.from_config(WorldConfig(drones=drones, walls=walls, hands=(HandConfig('right'),)))
    motion = read_motion(config_file('hands', 'strike_right.npz'))
    for k in range(TICKS):
        stamp = k * TICK_NS
        if authority == 'simulate':
            scene.feed_wrench('d0', stamp, (0.0, 0.0, 9.75), (0.0, 0.0, 0.0))
        else:
            t = k / 200
            scene.feed_drone('d0', stamp, (3.0, -2.5, 1.25), (0, 0, 0, 1), (0, 0, 0), (0, 0, 0))
            scene.feed_drone('d1', stamp, (3.0, -2.5, 2.0 - t), (0, 0, 0, 1), (0, 0, -1.0), (0, 0, 0))
        i = motion.index_at(k / 200)
        scene.feed_hand('right', stamp, motion.positions[i], motion.orientations[i], motion.radii)
        tick = scene.advance(stamp)
        for values in tick.states[1:]:
            yield np.ascontiguousarray(values).tobytes()
        for event in tick.events:
            yield repr(event).encode()


PARTS: dict[str, Callable[[], Iterator[bytes]]] = {
    'shapes land': _landing,
    'a closed room': _closed_room,
    'hills': lambda: _landing(_hills()),
    'a trough of triangles': lambda: _landing(_trough()),
    'springs': lambda: _landing(solver='penalty'),
    'pair by pair': lambda: _landing(solver='impulse'),
    'impacts over time': lambda: _landing(contact_profile='hertz', contact_stiffness=2e5),
    'a heap': _heap,
    'a stack': _stack,
    'billiards': _billiards,
    'a turntable': _turntable,
    'tumbling': _tumbling,
    'a smooth floor': _smooth_floor,
    'drones that are observed': lambda: _scene('observe'),
    'drones that are corrected': lambda: _scene('correct'),
    'drones that are simulated': lambda: _scene('simulate'),
}
