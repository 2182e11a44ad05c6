# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Contacts that turn while they slip, stick or slide apart, to second order in the step."""
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from hakoniwa_rigid.engine import Box, HalfSpace, Sphere, WorldBuilder
from hakoniwa_rigid.smooth_motion import PlaneFloor, SurfaceMotion

G = 9.80665
UP = np.array((0.0, 0.0, 1.0))

# a tippe top's shape: a ball whose centre of mass is low
RADIUS, MASS, LOW, MU = 0.02, 0.02, 0.004, 0.3
MOMENTS = 0.4 * MASS * RADIUS**2 * np.array((0.95, 0.95, 1.0))


def tippe(start):
    """State of the ball, tilted by 0.1 rad, with 200 rad/s about its axis: it rolls, or its centre is at rest."""
    axis = np.array((np.sin(0.1), 0.0, np.cos(0.1)))
    w, pos = 200.0 * axis, RADIUS * UP - LOW * axis
    still = np.zeros(3) if start == 'rolls' else RADIUS * UP     # the point that is at rest
    return dict(pos=pos, quat=(np.cos(0.05), 0.0, np.sin(0.05), 0.0), linvel=-np.cross(w, still - pos), angvel=w,
                mass=MASS, inertia=tuple(MOMENTS), com=(0.0, 0.0, -LOW), friction=MU)


def tilt(quat):
    """Degrees between the axis and the vertical."""
    return np.degrees(np.arccos(np.clip(1 - 2 * (quat[1]**2 + quat[2]**2), -1, 1)))


def reference(start, seconds):
    """Tilt (degrees) of SurfaceMotion with Coulomb friction, every 10 ms."""
    m = SurfaceMotion(PlaneFloor(), Sphere(RADIUS), mode='coulomb', gravity=(0, 0, -G), dt=2e-4, project=True,
                      **tippe(start))
    tilts = []
    for _ in range(round(100 * seconds)):
        m.step(50)
        tilts.append(tilt(m.quat))
    return np.array(tilts)


def by_world(start, seconds, dt):
    b = WorldBuilder(gravity=(0, 0, -G), dt=dt)
    b.add_body(HalfSpace(), kind='static', friction=MU)
    i = b.add_body(Sphere(RADIUS), **tippe(start))
    w, tilts = b.build(), []
    for _ in range(round(100 * seconds)):
        w.step(round(0.01 / dt))
        tilts.append(tilt(w.quat[i]))
    assert w.stats().unsolved == 0
    return np.array(tilts)


@pytest.mark.parametrize('start', ['rolls', 'slips'])
def test_a_ball_with_its_centre_low(start):
    """Two seconds at 1 ms, which is a fifth of a radian a step."""
    assert np.abs(by_world(start, 2.0, 1e-3) - reference(start, 2.0)).max() < 0.5   # degrees; the bar is 2


@pytest.mark.parametrize('start', ['rolls', 'slips'])
def test_a_ball_with_its_centre_low_to_second_order(start):
    exact = reference(start, 1.0)
    errors = [np.abs(by_world(start, 1.0, dt) - exact).max() for dt in (2e-3, 1e-3, 5e-4)]
    assert errors[1] < 0.3 * errors[0] and errors[2] < 0.3 * errors[1]


# half length and half thickness (m) of a plate of an A-frame, half its width, and its angle to the vertical
HALF, THIN, WIDE, LEAN = 0.5, 0.01, 0.2, np.radians(25.0)


def frame_falls(mu, times):
    """Angle (rad) of the plates to the vertical: one degree of freedom.

    The inner edges of a plate touch the middle plane and the floor, whose friction mu N is opposed to the slip.  With
    the centre of mass at (-(a s + b c), a c + b s), T = M(q) q'^2 / 2 and the lower edge at -2 a s:
    M q'' + M' q'^2 / 2 + V' = -2 a c mu N, N = m (g + z''), m = 1.
    """
    a, b = HALF, THIN
    inertia = (a * a + b * b) / 3

    def slope(_, y):
        q, rate = y
        s, c = np.sin(q), np.cos(q)
        mass, mass_slope = a * a + b * b - 2 * a * b * np.sin(2 * q) + inertia, -4 * a * b * np.cos(2 * q)
        z1, z2 = b * c - a * s, -a * c - b * s
        push = -G * z1 - 0.5 * mass_slope * rate**2 - 2 * a * mu * c * (G + z2 * rate**2)
        return rate, push / (mass + 2 * a * mu * c * z1)

    return solve_ivp(slope, (0.0, times[-1]), (LEAN, 0.0), t_eval=times, rtol=1e-10, atol=1e-12).y[0]


def frame(mu, dt, top=None):
    """Two plates that lean on each other; top: friction between them, mu where it is None."""
    b = WorldBuilder(gravity=(0, 0, -G), dt=dt)
    b.add_body(HalfSpace(), kind='static', friction=mu)
    s, c = np.sin(LEAN), np.cos(LEAN)
    plates = [b.add_body(Box((2 * THIN, 2 * WIDE, 2 * HALF)), mass=1.0, friction=mu,
                         pos=(side * (HALF * s + THIN * c), 0.0, HALF * c + THIN * s),
                         quat=(np.cos(LEAN / 2), 0.0, -side * np.sin(LEAN / 2), 0.0)) for side in (-1, 1)]
    b.set_pair_material(*plates, friction=mu if top is None else top)
    return b.build(), plates


CRITICAL = 0.5 * (np.tan(LEAN) - THIN / HALF)


@pytest.mark.parametrize('dt', [1e-3, 5e-4])
@pytest.mark.parametrize('top', [0.0, None, 1.0])
def test_plates_that_lean_on_each_other_slide_apart(dt, top):
    """Friction 1 % below what holds them: a hundredth of it moves them.  Between them there is none to need."""
    w, plates = frame(0.99 * CRITICAL, dt, top)
    times = np.arange(1, 11) * 0.05
    angles = frame_falls(0.99 * CRITICAL, times)
    apart = [HALF * np.sin(q) + THIN * np.cos(q) for q in (LEAN, *angles)]
    for k in range(10):
        w.step(round(0.05 / dt))
        for plate, side in zip(plates, (-1, 1), strict=True):
            assert side * w.pos[plate, 0] - apart[0] == pytest.approx(apart[k + 1] - apart[0], rel=0.03)
            assert abs(w.pos[plate, 1]) < 1e-4
    assert w.stats().unsolved == 0


def test_plates_that_lean_on_each_other_stand():
    """Friction 1 % above what holds them."""
    w, plates = frame(1.01 * CRITICAL, 1e-3)
    before = w.pos.copy()
    w.step(1000)
    np.testing.assert_allclose(w.pos, before, rtol=0, atol=1e-7)
