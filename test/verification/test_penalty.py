# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""solver='penalty', the spring and damper of Yoshimoto 2017: f_n = max(0, k depth - c u_n) at every contact point, a
tangential spring of 2/7 k bounded by mu f_n. Depth at rest, restitution, momenta, slopes, and what it must refuse.
"""

import re

import numpy as np
import pytest
from contact_scenes import head_on
from numpy.testing import assert_allclose, assert_array_equal
from oracles.rotations import random_quat
from scenes import G, crowd, momenta, room

from hakoniwa_rigid.engine import Box, EngineError, HalfSpace, Sphere, WorldBuilder

DEFAULT = 200.0  # rad/s: k = DEFAULT² times the reduced mass where no stiffness is given
SOFTEST = np.exp(-2.0)  # restitution of critical damping that never pulls; smaller e act as this


def builder(*, dt=1e-4, gravity=G, stiffness=None, solver='penalty', **options):
    return WorldBuilder(gravity=(0, 0, -gravity), dt=dt, solver=solver, penalty_stiffness=stiffness, **options)


def standing(shape, height, *, mass=0.7, e=0.0, mu=0.5, **options):
    """One body on a plane, not yet sunk in. Returns world, index."""
    b = builder(**options)
    b.add_body(HalfSpace(), kind='static', friction=mu, restitution=0.0)
    i = b.add_body(shape, mass=mass, pos=(0, 0, height), friction=mu, restitution=e)
    return b.build(), i


def slope(degrees, mu, *, e=0.0, **options):
    """A box on a slope. Returns world, index, downhill unit vector."""
    a = np.radians(degrees)
    n, downhill = np.array([np.sin(a), 0, np.cos(a)]), np.array([np.cos(a), 0, -np.sin(a)])
    b = builder(**options)
    b.add_body(HalfSpace(tuple(n)), kind='static', friction=mu)
    i = b.add_body(Box((0.5, 0.5, 0.15)), mass=0.7, pos=0.075 * n, quat=(np.cos(a / 2), 0, np.sin(a / 2), 0),
                   friction=mu, restitution=e)  # fmt: skip
    return b.build(), i, downhill


def tower(masses, **options):
    """Boxes of 0.3 x 0.3 x 0.2 m on each other. Returns world."""
    b = builder(**options)
    b.add_body(HalfSpace(), kind='static')
    for k, mass in enumerate(masses):
        b.add_body(Box((0.3, 0.3, 0.2)), mass=mass, pos=(0, 0, 0.1 + 0.2 * k))
    return b.build()


# --- at rest


@pytest.mark.parametrize(('shape', 'height', 'points'), [(Sphere(0.1), 0.1, 1), (Box((0.5, 0.4, 0.15)), 0.075, 4)])
@pytest.mark.parametrize('stiffness', [2e4, 1e5])
def test_depth_at_rest(shape, height, points, stiffness):
    """m g / (k points), to 1e-6 of it, in the position, in the rows, and as force m g."""
    w, i = standing(shape, height, stiffness=stiffness)
    w.step(20_000)
    depth = 0.7 * G / (stiffness * points)
    assert_allclose(height - w.pos[i, 2], depth, rtol=1e-6)
    rows = w.contacts()
    assert len(rows) == points
    assert_allclose(rows['depth'], depth, rtol=1e-4)
    assert_allclose(rows['impulse'].sum(axis=0), [0, 0, 0.7 * G * w.dt], atol=1e-9)
    assert_allclose(w.linvel[i], 0.0, atol=1e-9)


@pytest.mark.parametrize('mass', [0.01, 0.7, 500.0])
def test_depth_of_the_default_stiffness(mass):
    """k = (200 rad/s)² m on the ground: g / (200 rad/s)², whatever the mass, at 1 ms."""
    w, i = standing(Sphere(0.1), 0.1, mass=mass, dt=1e-3)
    w.step(3000)
    assert_allclose(0.1 - w.pos[i, 2], G / DEFAULT**2, rtol=1e-6)


def test_stiffness_between_two_that_move():
    """The reduced mass of the pair counts: the upper ball's weight over (200 rad/s)² m1 m2 / (m1 + m2)."""
    b = builder(dt=1e-3)
    b.add_body(HalfSpace(), kind='static')
    low = b.add_body(Box((0.4, 0.4, 0.2)), mass=3.0, pos=(0, 0, 0.1))
    top = b.add_body(Sphere(0.1), mass=1.0, pos=(0, 0, 0.3))
    w = b.build()
    w.step(5000)
    assert_allclose(0.2 - (w.pos[top, 2] - w.pos[low, 2]), 1.0 * G / (DEFAULT**2 * 0.75), rtol=1e-5)


def test_five_boxes_stand():
    """20 s: once settled the tower does not move by a micrometre, and every interface carries what is above it."""
    w = tower([1.0] * 5, dt=1e-3)
    w.step(15_000)
    settled = w.pos.copy()
    w.step(5000)
    assert_allclose(w.pos, settled, atol=1e-6)
    rows = w.contacts()
    for k in range(5):
        load = rows['impulse'][(rows['body_a'] == k) & (rows['body_b'] == k + 1)].sum(axis=0)
        assert_allclose(load, [0, 0, (5 - k) * G * w.dt], atol=1e-6)


# --- hits


@pytest.mark.parametrize('e', [0.2, 0.4, 0.6, 0.8, 1.0])
def test_restitution_of_a_single_hit(e):
    """Head on, omega dt = 0.014: the balls part at e times the speed they met with, to 2 %."""
    w = head_on(e=e, speed=4.0, dt=1e-5, solver='penalty', penalty_stiffness=1e6)
    w.step(1500)
    assert_allclose(w.linvel[1, 0] - w.linvel[0, 0], 4.0 * e, rtol=0.02)
    assert len(w.contacts()) == 0


@pytest.mark.parametrize('e', [0.0, 0.1])
def test_damping_is_at_most_critical(e):
    w = head_on(e=e, speed=4.0, dt=1e-5, solver='penalty', penalty_stiffness=1e6)
    w.step(3000)
    assert_allclose(w.linvel[1, 0] - w.linvel[0, 0], 4.0 * SOFTEST, rtol=0.05)


@pytest.mark.parametrize('mu', [0.0, 0.5])
@pytest.mark.parametrize('e', [0.0, 0.6, 1.0])
def test_momenta_of_a_free_pair(e, mu):
    """Spinning balls that hit off the line of their centres: linear and angular momentum to 1e-12 at every step."""
    w = head_on(e=e, friction=mu, spin=20.0, drift=1.0, dt=1e-4, solver='penalty', penalty_stiffness=1e5)
    p0, l0, p_size, l_size = momenta(w)
    for _ in range(40):
        w.step(5)
        p, ell, _, _ = momenta(w)
        assert_allclose(p, p0, rtol=0, atol=1e-12 * p_size)
        assert_allclose(ell, l0, rtol=0, atol=1e-12 * l_size)
    assert w.linvel[1, 0] > 0.5  # they did meet


def test_momenta_of_boxes():
    """Tumbling boxes, spheres and capsules thrown together: both momenta to 1e-12 of their sizes."""
    b = builder(gravity=0.0, dt=2e-4)
    crowd(b, np.random.default_rng(4), 8, spacing=0.45, speed=0.5, inward=3.0)
    w = b.build()
    p0, l0, p_size, l_size = momenta(w)
    met = 0
    for _ in range(20):
        w.step(50)
        met += len(w.contact_log())
    p, ell, _, _ = momenta(w)
    assert met > 10
    assert_allclose(p, p0, rtol=0, atol=1e-12 * p_size)
    assert_allclose(ell, l0, rtol=0, atol=1e-11 * l_size)


def test_energy_error_shrinks_with_the_step():
    """e = 1: what a hit gains or loses, worst of five phases of the step, is of first order in dt at least."""
    worst = []
    for dt in (1e-3, 1e-4):
        errors = []
        for phase in range(5):
            w = head_on(e=1.0, toi=(2.0 + phase / 5) * dt, dt=dt, solver='penalty', penalty_stiffness=1e4)
            before = w.kinetic_energy()
            w.step(round(0.05 / dt))
            assert len(w.contacts()) == 0
            errors.append(abs(w.kinetic_energy() / before - 1))
        worst.append(max(errors))
    assert worst[0] < 0.05
    assert worst[1] < 0.2 * worst[0]


def test_kinematic_mover_pushes_a_ball():
    """A wall at 0.5 m/s takes a ball along: never slower in the end, at most as far in as the first hit pressed it."""
    b = builder(dt=1e-4, gravity=0.0, stiffness=1e4)
    wall = b.add_body(Box((0.1, 1, 1)), kind='kinematic', pos=(-0.05, 0, 0), linvel=(0.5, 0, 0))
    i = b.add_body(Sphere(0.1), mass=1.0, pos=(0.15, 0, 0), restitution=0.0)
    w = b.build()
    w.force[i] = (-5.0, 0, 0)
    w.step(30_000)
    assert_allclose(w.linvel[i], [0.5, 0, 0], atol=1e-6)
    assert_allclose(w.pos[i, 0] - w.pos[wall, 0], 0.15 - 5.0 / 1e4, atol=1e-8)
    assert_allclose(w.linvel[wall], [0.5, 0, 0], atol=0)


# --- friction


@pytest.mark.parametrize('e', [0.0, 0.3])
@pytest.mark.parametrize(('degrees', 'mu'), [(16.0, 0.3), (30.0, 0.6)])
def test_no_creep_below_the_friction_angle(degrees, mu, e):
    """Once settled: less than 1e-6 m in 10 s."""
    w, i, _ = slope(degrees, mu, e=e, dt=1e-3)
    w.step(2000)
    settled = w.pos[i].copy()
    w.step(10_000)
    assert np.linalg.norm(w.pos[i] - settled) < 1e-6


@pytest.mark.parametrize(('degrees', 'mu'), [(20.0, 0.3), (30.0, 0.3)])
def test_slides_above_the_friction_angle(degrees, mu):
    """a = g (sin θ - mu cos θ) to 1 %."""
    w, i, downhill = slope(degrees, mu, dt=1e-3)
    w.step(1000)
    v = w.linvel[i] @ downhill
    w.step(500)
    a = np.radians(degrees)
    assert_allclose((w.linvel[i] @ downhill - v) / 0.5, G * (np.sin(a) - mu * np.cos(a)), rtol=0.01)


def walled(dt=5e-4, count=8):
    """A random crowd that falls in a closed room."""
    b = builder(dt=dt)
    room(b, 0.8, restitution=0.3, friction=0.4)
    made = crowd(b, np.random.default_rng(5), count, spacing=0.5, speed=1.5)
    return b.build(), made


def test_friction_stays_in_the_cone():
    """|f_t| <= mu f_n and f_n >= 0, every row of every step."""
    w, _ = walled()
    seen = 0
    for _ in range(20):
        w.step(50)
        rows = w.contact_log()
        f_n = np.einsum('mi,mi->m', rows['impulse'], rows['normal'])
        f_t = np.linalg.norm(rows['impulse'] - f_n[:, None] * rows['normal'], axis=1)
        assert np.all(f_n >= -1e-15)
        assert np.all(f_t <= rows['friction'] * f_n * (1 + 1e-9) + 1e-15)
        seen += len(rows)
    assert seen > 200


# --- the stable step


STABLE = {
    'sphere': lambda **o: standing(Sphere(0.1), 0.1, **o)[0],
    'box': lambda **o: standing(Box((0.5, 0.4, 0.15)), 0.075, **o)[0],
    'flat box': lambda **o: standing(Box((0.5, 0.5, 0.02)), 0.01, **o)[0],
    'stack': lambda **o: tower([1.0, 1.0, 1.0], **o),
    'light on heavy': lambda **o: tower([100.0, 1.0], **o),
    'heavy on light': lambda **o: tower([1.0, 100.0], **o),
}


# by default springs are made for what is light, and a hundred times its weight squashes them
@pytest.mark.parametrize(('name', 'stiffness'), [(name, k) for name in STABLE for k in (None, 1e5)
                                                 if (name, k) != ('heavy on light', None)])
def test_stable_just_below_the_limit(name, stiffness):
    """5 s at 0.99 of stable_dt: motion dies down, energy never above the start's."""
    limit = STABLE[name](stiffness=stiffness, dt=1e-6).stable_dt
    w = STABLE[name](stiffness=stiffness, dt=0.99 * limit)
    assert_allclose(w.stable_dt, limit, rtol=1e-12)
    start, height = w.energy(), w.pos.copy()
    steps = round(0.5 / w.dt)
    for _ in range(10):
        w.step(steps)
        assert w.energy() <= start + 1e-9 * abs(start)
    assert w.kinetic_energy() < 1e-4 * abs(start)
    assert_allclose(w.pos, height, atol=0.02)


@pytest.mark.parametrize('name', ['sphere', 'stack'])
def test_larger_steps_are_refused(name):
    """The error names dt, the limit and the solver."""
    limit = STABLE[name](stiffness=1e5, dt=1e-6).stable_dt
    with pytest.raises(EngineError, match='(?s)(?=.*dt)(?=.*penalty)') as error:
        STABLE[name](stiffness=1e5, dt=1.01 * limit)
    numbers = [float(x) for x in re.findall(r'\d+(?:\.\d+)?(?:e[-+]?\d+)?', str(error.value))]
    assert any(abs(x - limit) < 0.01 * limit for x in numbers)
    assert any(abs(x - 1.01 * limit) < 0.005 * limit for x in numbers)


def test_stable_step_scales_with_the_stiffness():
    """1/√k: four times as stiff, half the step; by default the mass plays no part."""
    limits = [STABLE['box'](stiffness=k, dt=1e-6).stable_dt for k in (1e4, 4e4)]
    assert_allclose(limits[0] / limits[1], 2.0, rtol=1e-9)
    limits = [standing(Box((0.5, 0.4, 0.15)), 0.075, mass=m, dt=1e-6)[0].stable_dt for m in (0.01, 1.0, 1e3)]
    assert_allclose(limits, limits[0], rtol=1e-9)


@pytest.mark.parametrize('solver', ['sequential', 'impulse'])
def test_other_solvers_have_no_limit(solver):
    assert standing(Sphere(0.1), 0.1, solver=solver)[0].stable_dt == np.inf


# --- towards the rigid limit


def apex(solver, stiffness=None, dt=1e-3):
    """Height of the first bounce of a ball dropped by 0.2 m, e = 0.8."""
    w, i = standing(Sphere(0.1), 0.3, mass=1.3, e=0.8, mu=0.0, solver=solver, stiffness=stiffness, dt=dt)
    highest, chunk = 0.0, 2e-3
    w.step(round(0.25 / dt))
    for _ in range(125):
        w.step(max(1, round(chunk / dt)))
        highest = max(highest, w.pos[i, 2] - 0.1)
    return highest


def test_bounce_tends_to_the_rigid_one():
    """e² of the height, nearer the stiffer: 1 % at k = 1e6 N/m."""
    rigid = apex('sequential')
    assert_allclose(rigid, 0.64 * 0.2, rtol=1e-3)
    errors = [abs(apex('penalty', k, dt) / rigid - 1) for k, dt in ((1e3, 1e-4), (1e6, 1e-5))]
    assert errors[1] < 0.01
    assert errors[1] < 0.5 * errors[0]


def test_sliding_distance_tends_to_the_rigid_one():
    """v²/(2 mu g) to 0.2 %; pressed in before it starts, as the springs carry it at rest."""
    w, i = standing(Box((0.5, 0.5, 0.15)), 0.075, mu=0.3, stiffness=1e5)
    w.step(10_000)
    start = w.pos[i].copy()
    w.set_state(i, linvel=(1.0, 0, 0))
    w.step(6000)
    assert_allclose(w.pos[i, 0] - start[0], 1.0 / (2 * 0.3 * G), rtol=2e-3)
    assert_allclose(w.linvel[i], 0.0, atol=1e-4)


def tipped(solver, **options):
    """Turn about y (rad) of a slim box after 0.35 s of a side force of 0.65 of its weight, which tips it."""
    w, i = standing(Box((0.2, 0.2, 0.4)), 0.2, mass=1.0, mu=1.0, solver=solver, **options)
    w.step(round(0.5 / w.dt))
    w.force[i] = (0.65 * G, 0, 0)
    w.step(round(0.35 / w.dt))
    return 2 * np.arctan2(w.quat[i, 2], w.quat[i, 0])


def test_tipping_tends_to_the_rigid_one():
    """Nearer the stiffer; 3 % at k = 1e6 N/m."""
    rigid = tipped('sequential', dt=1e-3)
    assert rigid > 0.1
    errors = [abs(tipped('penalty', stiffness=k, dt=dt) / rigid - 1) for k, dt in ((1e4, 2e-4), (1e6, 4e-5))]
    assert errors[1] < 0.03
    assert errors[1] < errors[0]


# --- input


@pytest.mark.parametrize('value', [0.0, -1.0, float('nan'), float('inf'), 'stiff'])
def test_bad_stiffness(value):
    with pytest.raises(EngineError, match=f'(?s)(?=.*penalty_stiffness)(?=.*{re.escape(str(value))})'):
        builder(stiffness=value)


@pytest.mark.parametrize('solver', ['sequential', 'impulse'])
def test_stiffness_needs_the_penalty_solver(solver):
    with pytest.raises(EngineError, match='(?s)(?=.*penalty_stiffness)(?=.*penalty)'):
        builder(solver=solver, stiffness=1e4)


def test_profiles_do_not_go_with_penalty():
    with pytest.raises(EngineError, match='(?s)(?=.*contact_profile)(?=.*penalty)'):
        builder(contact_profile='half_sine', contact_time=1e-3)


# --- bits


def test_two_runs_are_equal():
    hashes = []
    for cut in (1, 30):
        w, _ = walled()
        for _ in range(cut):
            w.step(600 // cut)
        hashes.append(w.state_hash())
    assert hashes[0] == hashes[1]


@pytest.mark.parametrize('at', [0, 1, 333, 900])
def test_restore_is_exact(at):
    """The friction springs travel with save()."""
    w, made = walled()
    w.step(at)
    saved, here = w.save(), w.state_hash()
    w.step(200)
    there, rows = w.state_hash(), w.contacts()
    w.force[made[0]] = 5.0
    w.set_state(made[1], quat=random_quat(np.random.default_rng(0)))
    w.step(20)
    w.restore(saved)
    assert w.state_hash() == here
    w.step(200)
    assert w.state_hash() == there
    assert_array_equal(w.contacts(), rows)
