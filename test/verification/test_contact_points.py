# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What World reports about contacts: order, steps, counters, rows that persist while something rests."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scenes import DRONE_MASS, G, bouncing_ball, impacts, mixed_room, reference_wall, resting

from hakoniwa_rigid.engine import Box, HalfSpace, Sphere, WorldBuilder

FIELDS = {
    'body_a', 'body_b', 'part_a', 'part_b', 'feature', 'step', 'impact', 'time', 'position', 'normal', 'depth',
    'impulse', 'velocity_before', 'velocity_after', 'restitution', 'friction', 'delta_omega_a', 'delta_omega_b',
    'moment', 'peak_force', 'duration', 'crowd', 'residual', 'energy_lost',
}  # fmt: skip


def test_fields():
    w, _ = reference_wall(0.0)
    assert len(w.contacts()) == 0
    w.step(1)
    assert set(w.contacts().dtype.names) == FIELDS


def test_contacts_are_the_last_step_of_the_log():
    w, _ = mixed_room()
    w.step(1000)
    w.step(5)
    log = w.contact_log()
    last = log[log['step'] == 4]
    rows = w.contacts()
    assert len(rows) > 0
    for name in FIELDS - {'step'}:
        assert_array_equal(rows[name], last[name], err_msg=name)
    assert log['step'].min() >= 0 and log['step'].max() <= 4
    moment = log['step'] * w.dt + log['time']
    assert np.all(np.diff(moment) >= 0.0)


def test_log_is_cleared_by_the_next_call():
    w, i = reference_wall(0.0)
    w.step(1)
    assert len(impacts(w)) == 1
    w.step(1)
    assert len(impacts(w)) == 0


def test_resting_rows_keep_their_features():
    """A resting box: the same (body, part, feature) keys each step, none an impact, time = dt."""
    w, _ = resting(Box((0.5, 0.4, 0.15)), 0.075)
    w.step(500)
    keys = []
    for _ in range(50):
        w.step(1)
        rows = w.contacts()
        assert not rows['impact'].any()
        assert_allclose(rows['time'], w.dt)
        keys.append(
            sorted(zip(rows['body_a'].tolist(), rows['body_b'].tolist(), rows['feature'].tolist(), strict=True))
        )
    assert len(keys[0]) >= 3
    assert all(k == keys[0] for k in keys)


def test_delta_omega_is_the_change_of_spin():
    w, i = reference_wall(0.1)
    w.step(1)
    (row,) = impacts(w)
    assert_allclose(row['delta_omega_a'], w.angvel[i], atol=1e-9)
    assert_allclose(-row['impulse'] / DRONE_MASS, w.linvel[i] - [3, 0, 0], atol=1e-10)


def test_stats_count():
    w, _ = bouncing_ball(1.0, restitution=0.8)
    for field in ('contacts', 'impacts', 'sweeps', 'residual', 'impacts_capped'):
        assert hasattr(w.stats(), field), field
    w.step(1900)
    w.step(1)
    assert np.isfinite(w.stats().residual)
    assert w.stats().impacts_capped == 0


def test_zeno_bounces_end_at_rest():
    """e = 0.5 from 5 cm: infinitely many bounces in t = sqrt(2h/g) (1 + 2e/(1-e)) = 0.303 s, then it lies still."""
    w, i = bouncing_ball(0.05, restitution=0.5)
    w.step(round(np.sqrt(0.1 / G) * 3 / w.dt) + 100)
    assert_allclose(w.linvel[i], 0.0, atol=1e-9)
    assert_allclose(w.pos[i, 2], 0.1, atol=1e-6)


def platform(velocity, *, friction=0.4):
    b = WorldBuilder(gravity=(0, 0, -G), dt=1e-3)
    b.add_body(Box((20, 20, 0.2)), kind='kinematic', pos=(0, 0, -0.1), linvel=velocity, friction=friction)
    i = b.add_body(Box((0.5, 0.5, 0.05)), mass=0.7, pos=(0, 0, 0.025), friction=friction)
    return b.build(), i


def test_belt_takes_a_box_along():
    """On a belt at 0.5 m/s the box gains mu g t until it moves with the belt; slip distance v²/(2 mu g)."""
    w, i = platform((0.5, 0, 0))
    w.step(50)
    assert_allclose(w.linvel[i, 0], 0.4 * G * 0.05, rtol=1e-4)
    w.step(950)
    assert_allclose(w.linvel[i], [0.5, 0, 0], atol=1e-9)
    assert_allclose(w.pos[i, 0], 0.5 - 0.25 / (2 * 0.4 * G), rtol=1e-4)


@pytest.mark.parametrize('speed', [0.3, -0.3])
def test_lift_carries_a_box(speed):
    """Up: one inelastic impact, then it rides. Down: it falls after, lands, rides. No bouncing, no sinking."""
    w, i = platform((0, 0, speed))
    w.step(1000)
    assert_allclose(w.linvel[i], [0, 0, speed], atol=1e-8)
    assert_allclose(w.pos[i, 2] - w.pos[0, 2], 0.125, atol=2e-6)


def test_ball_rolls_down_a_slope():
    """Solid sphere, rolling: a = (5/7) g sin θ when tan θ <= 3.5 mu; v = w r."""
    theta = np.radians(20)
    n, downhill = np.array([np.sin(theta), 0, np.cos(theta)]), np.array([np.cos(theta), 0, -np.sin(theta)])
    b = WorldBuilder(gravity=(0, 0, -G), dt=1e-3)
    b.add_body(HalfSpace(tuple(n)), kind='static', friction=0.5)
    i = b.add_body(Sphere(0.1), mass=2.0, pos=0.1 * n, friction=0.5)
    w = b.build()
    w.step(1000)
    assert_allclose(w.linvel[i], 5 / 7 * G * np.sin(theta) * downhill, atol=1e-5)
    assert_allclose(w.angvel[i] * 0.1, np.cross(n, w.linvel[i]), atol=1e-6)
