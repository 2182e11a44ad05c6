# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Rolling is not integrable: a ball rolled round a closed path is back in its place, turned by a known angle."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles import floors
from oracles.rotations import angle_between, from_rotvec, multiply
from oracles.smooth_bodies import ball
from surface_motions import UPRIGHT, G, motion

SIDES = ((1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0))


def rolled(m, direction, length, radius, steps=500, mass=1.0):
    """Push a ball that rests along a straight line, and stop it: constant force half the way, then against it."""
    half = steps * 1e-3
    push = 1.4 * mass * length / half**2
    for sign in (1.0, -1.0):
        m.force[:] = sign * push * np.asarray(direction, dtype=float)
        m.step(steps)
    m.force[:] = 0.0


@pytest.mark.parametrize('turn', [np.pi / 2, 0.3, 1.0])
def test_round_a_square(turn):
    """Sides of `turn` times r: four quarter rolls about y, -x, -y, x do not cancel; sin(angle/4) = sin²(turn/2)."""
    r = 0.2
    m = motion(floors.Plane(), ball(r), (0, 0, 0))
    start, quat = m.pos, np.array(UPRIGHT)
    for side in SIDES:
        rolled(m, side, turn * r, r)
        quat = multiply(from_rotvec(turn * np.cross([0, 0, 1], side)), quat)
        assert_allclose(m.linvel, 0, atol=1e-11)
    assert_allclose(m.pos, start, atol=1e-11)
    assert angle_between(m.quat, quat) < 1e-10
    assert_allclose(angle_between(m.quat, UPRIGHT), 4 * np.arcsin(np.sin(turn / 2) ** 2), atol=1e-10)
    if turn == np.pi / 2:
        assert_allclose(angle_between(m.quat, UPRIGHT), 2 * np.pi / 3, atol=1e-10)  # a third of a turn


def test_small_loops_turn_by_their_area():
    """Area/r² about the upright, up to the third order of the loop: half the loop turns a quarter as much."""
    r, angles = 0.2, []
    for turn in (0.1, 0.05):
        m = motion(floors.Plane(), ball(r), (0, 0, 0))
        for side in SIDES:
            rolled(m, side, turn * r, r)
        angles.append(angle_between(m.quat, UPRIGHT) / turn**2)
    assert_allclose(angles, 1, atol=2e-3)
    assert_allclose((1 - angles[0]) / (1 - angles[1]), 4, rtol=0.05)


def test_circle_on_a_turntable():
    """Round the table's axis with Ω' = 2/7 of its rate, with r w × n = 5/7 of its speed against it: after one turn the
    ball is where it was, turned by |w - Ω'| T about w - Ω' z.
    """
    r, period, x = 0.2, 3.0, np.array([0.1, 0.05])
    table = 7 / 2 * 2 * np.pi / period
    w = np.append(5 / 7 * table * x / r, 1.5)
    m = motion(floors.Moved(floors.Plane(), rate=table), ball(r), (*x, 0), angvel=w)
    start = m.pos
    m.step(3000)
    assert_allclose(m.pos, start, atol=1e-9)
    assert_allclose(m.angvel, w, atol=1e-8)
    expected = from_rotvec((w - [0, 0, 2 * np.pi / period]) * period)
    assert angle_between(m.quat, expected) < 1e-8


@pytest.mark.parametrize('about', [2 * np.pi / 3, -2 * np.pi / 2])
def test_circle_in_a_paraboloid(about):
    """Steady circles at height: (m + I/r²) Ω² ρ cos = m g sin - (I/r) w_n Ω sin gives the spin; closed after 2π/Ω."""
    k, at, r = 0.8, 0.5, 0.1
    tan = k * at
    sin, cos = tan / np.sqrt(1 + tan**2), 1 / np.sqrt(1 + tan**2)
    rho = at - r * sin
    pivot = (G * sin - 1.4 * about**2 * rho * cos) / (0.4 * r * about * sin)
    n, along = np.array([-sin, 0, cos]), np.array([0, 1.0, 0])
    w = np.cross(n, about * rho * along) / r + pivot * n
    m = motion(floors.Paraboloid(k, k), ball(r), (at, 0, 0.5 * k * at**2), angvel=w)
    assert_allclose(m.linvel, about * rho * along, atol=1e-12)
    start, period = m.pos, 2 * np.pi / abs(about)
    m.step(round(period / 1e-3))
    assert_allclose(m.time, period, atol=1e-9)
    assert_allclose(m.pos, start, atol=1e-7)
    assert angle_between(m.quat, from_rotvec((w - [0, 0, about]) * period)) < 1e-6
    assert angle_between(m.quat, UPRIGHT) > 0.1
