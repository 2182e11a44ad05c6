# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Cables between free bodies against the closed form of an impact along a line, and what is conserved."""
import numpy as np
import pytest
from constraint_scenes import anchor_velocity, angular_momentum, cable_pair, extension, linear_momentum
from numpy.testing import assert_allclose
from oracles.rotations import matrix
from scipy.optimize import brentq

from hakoniwa_rigid.engine import Box, HalfSpace, Sphere, WorldBuilder

SEEDS = range(8)


def snapped(w, e):
    """(linvel, angvel) (2, 3) after the cable of `cable_pair` has snapped taut now: j = (1 + e) u / (n K n), u the
    speed at which its ends part, with the inertias about the centres of mass."""
    c = w.constraint(0)
    n = (c.anchor_b - c.anchor_a) / np.linalg.norm(c.anchor_b - c.anchor_a)
    u = n @ (anchor_velocity(w, 1, c.anchor_b) - anchor_velocity(w, 0, c.anchor_a))
    inverse, arms = [], []
    for i, anchor in ((0, c.anchor_a), (1, c.anchor_b)):
        r = matrix(w.quat[i])
        inverse.append(r @ np.linalg.inv(w.inertia[i]) @ r.T)
        arms.append(np.cross(anchor - w.pos[i], n))
    j = (1.0 + e) * u / sum(1.0 / w.mass[i] + arms[i] @ inverse[i] @ arms[i] for i in range(2))
    sign = (1.0, -1.0)
    return (np.array([w.linvel[i] + sign[i] * j / w.mass[i] * n for i in range(2)]),
            np.array([w.angvel[i] + sign[i] * j * inverse[i] @ arms[i] for i in range(2)]), j)


@pytest.mark.parametrize('e', (0.5, 1.0))
@pytest.mark.parametrize('seed', SEEDS)
def test_taut_and_parting(seed, e):
    """Velocities at once after the snap, 1e-12: the step after it is free flight."""
    w = cable_pair(seed, restitution=e, dt=1e-7)
    v, spin, j = snapped(w, e)
    w.step()
    scale = np.abs([v, spin]).max()
    assert_allclose(w.linvel, v, atol=1e-12 * scale)
    # it tumbles by spin² dt in the step
    assert_allclose(w.angvel, spin, atol=1e-12 * scale + 20 * 1e-7 * scale**2)
    assert_allclose(np.linalg.norm(w.constraint(0).impulse), j, rtol=1e-12)
    assert [str(p) for p in w.constraint_log()['phase']] == ['0', '1']


@pytest.mark.parametrize('e', (0.0, 0.5, 1.0))
@pytest.mark.parametrize('seed', SEEDS)
def test_momentum_and_energy(seed, e):
    """Linear and angular momentum 1e-12 through snaps and taut flight; energy: none is won, none is lost with e = 1."""
    w = cable_pair(seed, restitution=e, slack=0.05)
    p, spin, energy = linear_momentum(w), angular_momentum(w), w.energy()
    size = sum(w.mass[i] * np.linalg.norm(w.linvel[i]) for i in range(2))
    taut = 0
    for _ in range(300):
        w.step()
        taut += (w.constraint_log()['phase'] == 0).sum()
    assert taut > 0
    assert_allclose(linear_momentum(w), p, atol=1e-12 * size)
    assert_allclose(angular_momentum(w), spin, atol=1e-12 * size)
    assert w.energy() <= energy * (1 + 1e-6)
    if e == 1.0:
        assert_allclose(w.energy(), energy, rtol=1e-12)


@pytest.mark.parametrize('seed', SEEDS)
def test_flown_in_with_spin(seed):
    """Time of taut and velocities 1e-8, against a search on the same flight without the cable, in steps of its own."""
    w = cable_pair(seed, restitution=0.3, slack=0.05)
    free = cable_pair(seed, restitution=0.3, slack=0.05)
    free.detach(0)
    free.attach('cable', 0, 1, anchor_a=(0, 0, 0), anchor_b=(0, 0, 0), length=1e4)
    first = None
    while first is None:
        before = w.save()
        w.step()
        log = w.constraint_log()
        if len(log):
            first = (w.time_steps - 1) * w.dt + log[0]['time']
    length = w.constraint(0).length
    w.restore(before)
    start, local = w.time_steps * w.dt, w.motions([0, 1])
    anchors = w.constraint(0)
    body = [matrix(w.quat[i]).T @ (x - w.pos[i]) for i, x in ((0, anchors.anchor_a), (1, anchors.anchor_b))]

    def gap(h):
        """Of a world without the cable after one step of h seconds."""
        flight = cable_pair(seed, restitution=0.3, dt=h)
        flight.detach(0)
        flight.set_motions([0, 1], local)
        flight.step()
        ends = [flight.pos[i] + matrix(flight.quat[i]) @ body[i] for i in range(2)]
        return np.linalg.norm(ends[1] - ends[0]) - length
    exact = start + brentq(gap, 1e-7, 1e-3, xtol=1e-14)
    assert_allclose(first, exact, rtol=1e-8)


def test_a_snap_through_a_contact():
    """A block on the ground is hung from a falling one: one impact, the ground takes part.  The block stays down."""
    b = WorldBuilder(dt=1e-3)
    b.add_body(HalfSpace(), kind='static')
    low = b.add_body(Box((0.4, 0.4, 0.2)), mass=2.0, pos=(0, 0, 0.1))
    hook = b.add_body(Sphere(0.01), kind='static', pos=(0, 0, 3))
    side = b.add_body(Sphere(0.05), mass=1.0, pos=(1.0, 0, 0.1), linvel=(3.0, 0, 0))
    b.attach('cable', low, side, length=1.2)
    w = b.build()
    w.step(100)
    assert w.pos[low, 2] == pytest.approx(0.1, abs=1e-7)
    assert extension(w) <= 1.2 + 1e-9
    assert w.linvel[low, 0] > 0.0 and w.n == 4 and hook == 2


def test_goes_slack_over_the_top():
    """A bob on a cable that is too slow for the circle falls inwards, and snaps taut again below, once per fall."""
    b = WorldBuilder(dt=1e-3)
    b.add_body(Sphere(0.01), kind='static')
    bob = b.add_body(Sphere(0.02), mass=1.0, pos=(0, 0, -1), linvel=(6.0, 0, 0))    # it needs sqrt(5 g l) = 7
    b.attach('cable', 0, bob)
    w = b.build()
    phases = []
    for _ in range(1500):
        w.step()
        phases += w.constraint_log()['phase'].tolist()
        assert np.linalg.norm(w.pos[bob]) < 1.0 + 1e-9
    # tension ends where v² = g l cos: cos a = (v0² / (g l) - 2) / 3 above the horizontal
    assert phases[:3] == [0, 1, 0]


def test_slack_where_the_tension_ends():
    """The angle at which the cable slackens: sin a = (v0² / g l - 2) / 3 above the horizontal, to a step's way."""
    b = WorldBuilder(dt=1e-4)
    b.add_body(Sphere(0.01), kind='static')
    bob = b.add_body(Sphere(0.02), mass=1.0, pos=(0, 0, -1), linvel=(6.0, 0, 0))
    b.attach('cable', 0, bob)
    w = b.build()
    while w.constraint(0).is_taut or w.time_steps == 0:
        w.step()
    assert w.pos[bob, 2] == pytest.approx((36.0 / 9.80665 - 2.0) / 3.0, abs=1e-3)
