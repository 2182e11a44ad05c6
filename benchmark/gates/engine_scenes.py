# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Scenes of the engine alone: every shape, solver, integrator and law of friction, impacts in an instant and over time.

Each makes a World and, for some, what is done to it before a step.
"""
from functools import partial

import numpy as np

from benchmark import scenes as rooms
from benchmark.engines.hakoniwa import world as world_of
from benchmark.gates.moments import Moment, Scene, packed
from hakoniwa_rigid.engine import (
    Box,
    BoxShell,
    Capsule,
    Compound,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    HeightField,
    HollowSphere,
    Part,
    Sphere,
    Superquadric,
    Tetrahedron,
    TriangleMesh,
    WorldBuilder,
)

LOGGED = ('body_a', 'body_b', 'part_a', 'part_b', 'step', 'impact', 'time', 'depth', 'restitution', 'friction',
          'peak_force', 'duration', 'position', 'normal', 'impulse', 'velocity_before', 'velocity_after', 'moment')
CORNERS = 0.1 * np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)] + [(0, 0, 1.8), (1.6, 0, 0)])
SHAPES = (Sphere(0.12), HollowSphere(0.1, 0.01), Box((0.25, 0.2, 0.15)), BoxShell((0.2, 0.2, 0.3), 0.01),
          Capsule(0.07, 0.16), Cylinder(0.1, 0.15), Cone(0.12, 0.25), Ellipsoid((0.15, 0.1, 0.08)), ConvexHull(CORNERS),
          Tetrahedron((0, 0, 0.15), (0.15, 0, -0.1), (-0.1, 0.12, -0.1), (-0.1, -0.12, -0.1)),
          Compound([Part(Box((0.3, 0.06, 0.06))), Part(Sphere(0.07), (0.15, 0, 0)),
                    Part(Capsule(0.04, 0.1), (-0.15, 0, 0))]))
NAMES = tuple(type(shape).__name__ for shape in SHAPES)
STEPS = 400
INTEGRATORS = ('exact', 'rk4', 'implicit_midpoint', 'semi_implicit_euler')
PROFILES = ('rectangle', 'half_sine', 'hertz')


def run(make, steps, before, _bags):
    """The moments of an engine world."""
    w = make()
    for k in range(steps):
        if before is not None:
            before(w, k)
        w.step()
        yield Moment(np.concatenate([w.pos, w.quat, w.linvel, w.angvel], axis=1), packed(w.contact_log(), LOGGED))


def throw(b, rng, shapes, *, spacing=0.5, height=0.4, speed=1.0, **surface):
    """Bodies of these shapes in layers of nine, attitudes and velocities by chance."""
    for k, shape in enumerate(shapes):
        place = spacing * np.array([k % 3 - 1, k // 3 % 3 - 1, k // 9]) + (0, 0, height)
        b.add_body(shape, density=300.0, pos=place, quat=rooms.quaternions(rng, 1)[0],
                   linvel=rng.normal(scale=speed, size=3), angvel=rng.normal(scale=3.0, size=3), **surface)


def landing(ground=None, shapes=SHAPES, seed=1, surface=(), **settings):
    """Bodies fall onto the ground."""
    b, surface = WorldBuilder(**settings), dict(restitution=0.3, friction=0.5) | dict(surface)
    b.add_body(HalfSpace() if ground is None else ground, kind='static', **surface)
    throw(b, np.random.default_rng(seed), shapes, **surface)
    return b.build()


def frustums():
    """Upright, upside down and flat ones land."""
    from hakoniwa_rigid.engine import Frustum  # a parent may not have it
    return landing(shapes=3 * (Frustum(0.12, 0.06, 0.2), Frustum(0.06, 0.12, 0.2), Frustum(0.15, 0.1, 0.05)))


def closed_room():
    """Three of each shape in a room too small for them to miss each other."""
    b, wall = WorldBuilder(gravity=(0, 0, 0)), dict(kind='static', restitution=0.8, friction=0.2)
    for e in np.eye(3):
        for s in (1.0, -1.0):
            b.add_body(HalfSpace(s * e, -1.3 + s * 0.5 * e[2]), **wall)
    throw(b, np.random.default_rng(2), 3 * SHAPES, spacing=0.45, height=-0.2, speed=3.0, restitution=0.7, friction=0.3)
    return b.build()


def hills():
    """A terrain of 3 m by 3 m."""
    x = np.linspace(-1.5, 1.5, 13)
    return HeightField(0.15 * np.sin(3.0 * x)[:, None] * np.cos(2.0 * x)[None], (0.25, 0.25))


def trough():
    """A floor and four walls of boxes, one mesh."""
    return TriangleMesh(*rooms.mesh_of([((3, 3, 0.2), (0, 0, -0.1)),
                                        *(((0.2, 3, 1), (s * 1.1, 0, 0.5)) for s in (-1, 1)),
                                        *(((2, 0.2, 1), (0, s * 1.1, 0.5)) for s in (-1, 1))]))


def cradle():
    """Newton's cradle without strings: five touching balls, one comes."""
    b = WorldBuilder(gravity=(0, 0, 0), solver='impulse')
    for k in range(5):
        b.add_body(Sphere(0.1), mass=0.5, pos=(0.2 * k, 0, 0), restitution=1.0, friction=0.0)
    b.add_body(Sphere(0.1), mass=0.5, pos=(-0.35, 0.004, 0), linvel=(2.0, 0, 0), restitution=1.0, friction=0.0)
    return b.build()


def billiards():
    """A break: fifteen balls touch, one comes; speed-dependent restitution, rolling and torsional friction."""
    b = WorldBuilder(combine_restitution='average', combine_friction='min')
    b.add_body(HalfSpace(), kind='static', restitution=0.5, friction=0.3)
    ball = dict(restitution=[(0.0, 0.95), (3.0, 0.8)], friction=0.1, rolling_friction=1e-3, torsional_friction=5e-4)
    for row in range(5):
        for k in range(row + 1):
            b.add_body(Sphere(0.03), mass=0.17, pos=(0.052 * row, 0.06 * (k - 0.5 * row), 0.03), **ball)
    b.add_body(Sphere(0.03), mass=0.17, pos=(-0.3, 0.002, 0.03), linvel=(4.0, 0, 0), angvel=(0, 0, 60.0), **ball)
    return b.build()


def slopes():
    """Boxes and balls on a slope, by pairs of materials: some slide, some roll, some stay."""
    angle = 0.4
    b = WorldBuilder(gravity=(9.8 * np.sin(angle), 0, -9.8 * np.cos(angle)), combine_friction='multiply')
    ground = b.add_body(HalfSpace(), kind='static', friction=0.6, restitution=0.1)
    for k in range(4):
        box = b.add_body(Box((0.2, 0.2, 0.1)), mass=1.0, pos=(0, k, 0.05), friction=0.2 + 0.3 * k)
        ball = b.add_body(Sphere(0.1), mass=1.0, pos=(0, k + 0.5, 0.1), friction=0.8, rolling_friction=0.03 * k)
        if k % 2:
            b.set_pair_material(ground, [box, ball], friction=0.35, torsional_friction=0.01, restitution=0.4)
    return b.build()


def turntable():
    """A kinematic disc that turns under boxes, and a paddle that comes."""
    b = WorldBuilder()
    b.add_body(Cylinder(1.0, 0.1), kind='kinematic', pos=(0, 0, -0.05), angvel=(0, 0, 2.0), friction=0.6)
    b.add_body(Box((0.1, 1.0, 0.4)), kind='kinematic', pos=(-1.6, 0, 0.3), linvel=(1.2, 0, 0), friction=0.3)
    for k in range(6):
        b.add_body(Box((0.15, 0.15, 0.15)), mass=0.4, pos=(0.14 * (k + 1) - 0.5, 0.1 * k - 0.2, 0.08), friction=0.5)
    return b.build()


def bullets():
    """Small fast bodies against thin walls: their impacts are found inside the step."""
    b, rng = WorldBuilder(gravity=(0, 0, 0), combine_restitution='geometric_mean'), np.random.default_rng(4)
    for s in (-1, 1):
        b.add_body(Box((0.01, 2, 2)), kind='static', pos=(s, 0, 0), restitution=0.9, friction=0.1)
        b.add_body(Box((2, 0.01, 2)), kind='static', pos=(0, s, 0), restitution=0.9, friction=0.1)
    for k in range(12):
        shape = (Sphere(0.01), Box((0.3, 0.02, 0.01)), Capsule(0.01, 0.1))[k % 3]
        b.add_body(shape, mass=0.05, pos=rng.uniform(-0.6, 0.6, 3) * (1, 1, 0.4), quat=rooms.quaternions(rng, 1)[0],
                   linvel=rng.normal(scale=60.0, size=3) * (1, 1, 0), angvel=rng.normal(scale=100.0, size=3),
                   restitution=0.8, friction=0.2)
    return b.build()


def tumbling(integrator, storage):
    """Rackets that tumble freely and meet a floor late."""
    b = WorldBuilder(integrator=integrator, inertia_storage=storage)
    b.add_body(HalfSpace(), kind='static', restitution=0.6)
    for k in range(3):
        b.add_body(Box((0.3, 0.15, 0.05)), mass=0.3, pos=(k, 0, 0.6), angvel=(0.05, 9.0, 0.1 * k), restitution=0.6,
                   inertia=[[0.002, 2e-4, 0], [2e-4, 0.003, 1e-4], [0, 1e-4, 0.0045]])
    return b.build()


def push(w, k):
    """Loads of every kind on the first bodies that move."""
    w.force[1] = (0.5 * np.sin(0.02 * k), 0.2, 0.0)
    w.torque[2] = (0.0, 0.0, 0.01 * np.cos(0.05 * k))
    if k % 50 == 10:
        w.apply_impulse_at(3, (0.05, 0.0, 0.3), w.pos[3] + (0.02, 0.01, 0.0))


def surface(mode, _bags):
    """An ellipsoid and a superquadric held on a smooth floor by multipliers."""
    from hakoniwa_rigid.smooth_motion import PlaneFloor, SurfaceMotion  # a parent may have them elsewhere
    bodies = [SurfaceMotion.resting(PlaneFloor(), shape, mass=1.0, mode=mode, at=(0, 0, 0.2), dt=1e-3,
                                    gravity=(0, 0, -9.81), linvel=(0.2, 0.1, 0.0), angvel=(1.0, 2.0, 2.0),
                                    quat=(np.cos(0.3), np.sin(0.3), 0, 0))
              for shape in (Ellipsoid((0.3, 0.2, 0.15)), Superquadric((0.3, 0.25, 0.2), (0.8, 0.9)))]
    for _ in range(STEPS // 2):
        for body in bodies:
            body.step()
        state = [np.concatenate([s.pos, s.quat, s.linvel, s.angvel, s.contact_force]) for s in bodies]
        yield Moment(np.array(state), b'')


def engine(name, make, *covers, steps=STEPS, before=None):
    """A scene of an engine world."""
    return Scene(name, covers, partial(run, make, steps, before))


SOFT = (('restitution', 0.2),)
SCENES = (
    engine('every shape lands', landing, 'sequential', 'exact', 'principal', 'HalfSpace', *NAMES, steps=600),
    engine('frustums land', frustums, 'Frustum', steps=600),
    engine('every shape in a closed room', closed_room, 'crowd', *NAMES),
    engine('every shape on hills', partial(landing, hills()), 'HeightField', *NAMES),
    engine('every shape in a trough', partial(landing, trough()), 'TriangleMesh', *NAMES),
    engine('springs', partial(landing, solver='penalty', surface=SOFT), 'penalty', *NAMES),
    engine('frictionless pairs', partial(landing, solver='impulse'), 'impulse', *NAMES),
    engine('cradle', cradle, 'impulse', 'Sphere', 'simultaneous'),
    engine('billiards', billiards, 'Sphere', 'simultaneous', 'rolling_friction', 'torsional_friction',
           'restitution by speed', 'average', 'min'),
    engine('slopes', slopes, 'rolling_friction', 'torsional_friction', 'pair material', 'multiply', 'friction'),
    engine('turntable', turntable, 'kinematic', 'friction'),
    engine('bullets', bullets, 'impacts inside the step', 'geometric_mean'),
    engine('pile of 30 boxes', lambda: world_of(rooms.pile(30)), 'pile', 'Box', 'max', steps=700),
    engine('stack of 6 boxes', lambda: world_of(rooms.stack(6)), 'stack', 'Box'),
    engine('100 spheres in a room', lambda: world_of(rooms.room(100, volume=rooms.DENSE)), 'crowd', 'Sphere'),
    engine('20 compounds in a room', lambda: world_of(rooms.room(20, 'compounds', rooms.DENSE)), 'crowd', 'Compound'),
    engine('loads', partial(landing, shapes=SHAPES[2:7], seed=5), 'force', 'torque', 'impulse at a point', before=push),
    *(engine(f'impacts over time, {profile}', partial(landing, seed=6, contact_profile=profile, **how), profile,
             'contact over time', *NAMES)
      for profile, how in zip(PROFILES, ({'contact_time': 0.01}, {'contact_time': 0.02}, {'contact_stiffness': 2e5}),
                              strict=True)),
    *(engine(f'tumbling, {scheme}, {storage}', partial(tumbling, scheme, storage), scheme, storage, 'free flight')
      for scheme in INTEGRATORS for storage in ('principal', 'tensor')),
    *(Scene(f'on a smooth floor, {mode}', ('SurfaceMotion', mode, 'Ellipsoid', 'Superquadric'), partial(surface, mode))
      for mode in ('slide', 'roll')),
)
