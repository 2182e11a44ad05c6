# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Direct step on the active set and island solve, on worlds whose answer is known."""
import numpy as np
import pytest

from hakoniwa_rigid.engine import Box, Capsule, HalfSpace, Sphere, WorldBuilder


def floor(**settings):
    b = WorldBuilder(**settings)
    b.add_body(HalfSpace(), kind='static', friction=0.6)
    return b


@pytest.mark.parametrize('count', [2, 5, 8])
def test_stack_carries_its_weight(count):
    """Every interface carries the weight above it, to rounding, after one step from rest."""
    b = floor()
    for k in range(count):
        b.add_body(Box((1.0, 0.8, 0.5)), mass=1.0 + k, pos=(0.0, 0.0, 0.25 + 0.5 * k), friction=0.6)
    w = b.build()
    w.step(1)
    rows = w.contacts()
    for k in range(1, count + 1):
        below = rows[rows['body_b'] == k] if k > 1 else rows[(rows['body_a'] == 0) & (rows['body_b'] == 1)]
        weight = w.mass[k:].sum() * 9.80665 * w.dt
        np.testing.assert_allclose(below['impulse'].sum(axis=0), [0.0, 0.0, weight], atol=1e-10 * weight)
    assert w.stats().unsolved == 0


@pytest.mark.parametrize('ratio', [1e2, 1e4])
def test_heavy_box_on_a_light_one(ratio):
    """Plain sweeps stall at such mass ratios; the direct step does not."""
    b = floor()
    b.add_body(Box((1.0, 1.0, 0.5)), mass=1.0, pos=(0.0, 0.0, 0.25))
    b.add_body(Box((1.0, 1.0, 0.5)), mass=ratio, pos=(0.0, 0.0, 0.75))
    w = b.build()
    w.step(200)
    assert w.stats().unsolved == 0
    np.testing.assert_allclose(w.pos[1:], [[0.0, 0.0, 0.25], [0.0, 0.0, 0.75]], atol=1e-9)


def test_squeezed_body_stays_finite_and_recovers():
    """A body between a wall and a pushing kinematic wall has no solution: nothing explodes, it is free afterwards."""
    b = floor(gravity=(0.0, 0.0, 0.0))
    i = b.add_body(Sphere(0.1), mass=1.0, pos=(0.0, 0.0, 0.1))
    k = b.add_body(Box((1.0, 1.0, 0.1)), kind='kinematic', pos=(0.0, 0.0, 0.25), linvel=(0.0, 0.0, -0.05))
    w = b.build()
    w.step(100)
    w.set_state(k, linvel=(0.0, 0.0, 0.5))
    w.step(400)
    assert np.isfinite(w.pos).all()
    assert np.abs(w.linvel[i]).max() < 0.2
    assert w.pos[i, 2] > 0.1 - 1e-6


def test_drone_in_a_closing_fist_gets_bounded_impulses():
    """Bones that close from both sides leave no solution: impulses stay of the order of m v, and a step stays cheap."""
    b = WorldBuilder(gravity=(0.0, 0.0, 0.0))
    i = b.add_body(Box((0.2, 0.2, 0.05)), mass=0.71, restitution=0.7, friction=0.5)
    for k in range(5):
        for side in (-1.0, 1.0):
            b.add_body(Capsule(0.01, 0.1), kind='kinematic', pos=(0.0, 0.04 * (k - 2), side * 0.04),
                       quat=(0.5 ** 0.5, 0.0, 0.5 ** 0.5, 0.0), linvel=(0.0, 0.0, -side * 1.0),
                       angvel=(0.3 * k, 0.0, 0.1))
    w = b.build()
    largest = 0.0
    for _ in range(40):
        w.step(1)
        rows = w.contacts()
        if len(rows):
            largest = max(largest, np.abs(rows['impulse']).max())
    assert 0.0 < largest < 20.0 * 0.71 * 3.0  # times the momentum, with velocities up to 3 m/s
    assert np.isfinite(w.pos).all() and np.abs(w.linvel[i]).max() < 10.0
    assert w.stats().sweeps < 40 * 2000
