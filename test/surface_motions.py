# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Surface motions for the tests: the engine's floor and body for those of the oracles, and starts that touch."""

import numpy as np
from oracles import floors, smooth_bodies

from hakoniwa_rigid.engine import Ellipsoid, Sphere, Superquadric
from hakoniwa_rigid.smooth_motion import (
    CylinderFloor,
    MovingFloor,
    ParaboloidFloor,
    PlaneFloor,
    SineFloor,
    SphereFloor,
    SurfaceMotion,
)

G = 9.81
UPRIGHT = (1.0, 0.0, 0.0, 0.0)


def engine_floor(floor):
    """The engine's floor for one of the oracles'."""
    match floor:
        case floors.Plane():
            return PlaneFloor(normal=tuple(floor.n), offset=floor.offset)
        case floors.Round(axis=None):
            return SphereFloor(floor.radius, centre=tuple(floor.centre), inside=floor.sign < 0)
        case floors.Round():
            return CylinderFloor(floor.radius, axis=tuple(floor.axis), point=tuple(floor.centre), inside=floor.sign < 0)
        case floors.Paraboloid():
            return ParaboloidFloor(*map(float, floor.k))
        case floors.Sine():
            return SineFloor(floor.amplitude, tuple(floor.k[:2]), phase=floor.phase, rate=floor.rate)
        case floors.Moved():
            return MovingFloor(engine_floor(floor.floor), **floor.options)
    raise TypeError(floor)


def engine_body(body):
    """The engine's shape for one of the oracles'."""
    if isinstance(body, smooth_bodies.Superquadric):
        return Superquadric(tuple(body.axes), exponents=tuple(body.e))
    return Sphere(body.axes[0]) if len(set(body.axes)) == 1 else Ellipsoid(body.axes)


def motion(floor, body, near, *, mode='roll', quat=UPRIGHT, angvel=(0, 0, 0), slip=(0, 0, 0), com=(0, 0, 0), mass=1.0,
           time=0.0, **options):
    """A body of the oracles that touches their floor nearest to `near`, and moves with it but for the slip."""
    state = smooth_bodies.start(floor, body, near, quat, mode=mode, angvel=angvel, slip=slip, com=com, t=time)
    return SurfaceMotion(engine_floor(floor), engine_body(body), mass=mass, com=com, mode=mode, time=time, **state,
                         **options)


def down(a):
    """Normal and downhill direction (towards +x) of a slope of `a` rad."""
    return np.array([np.sin(a), 0, np.cos(a)]), np.array([np.cos(a), 0, -np.sin(a)])


def events(m, kind):
    """Times of all events of a kind."""
    return [time for time, what, _ in m.events if what == kind]


def step_until(m, state, limit):
    """Step by step until the motion is in `state`; at most `limit` steps."""
    for _ in range(limit):
        if m.state == state:
            return
        m.step()
    raise AssertionError(f'still {m.state} after {limit} steps')
