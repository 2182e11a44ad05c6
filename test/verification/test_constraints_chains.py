# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Chains, loops and loads: no drift, no growth of energy, bounded work; redundant constraints; sleep."""
import numpy as np
import pytest
from constraint_scenes import G, angular_momentum, chain, extension, linear_momentum, loop, widest
from numpy.testing import assert_allclose

from hakoniwa_rigid.engine import Box, HalfSpace, Sphere, WorldBuilder

# work units that a step of 20 links may cost, contacts included (docs/constraints.md)
BOUND = 2_000_000


def most_work(w, steps):
    """Largest work of a step."""
    most, before = 0, w.stats().work
    for _ in range(steps):
        w.step()
        most, before = max(most, w.stats().work - before), w.stats().work
    return most


def test_hanging_chain():
    """20 links that hang still stay: the joints carry what is below."""
    w = chain(20, start=(0, 0, -1.0))
    start = w.pos
    w.step(2000)
    assert np.abs(w.pos - start).max() < 1e-9
    for k in range(20):
        assert_allclose(w.constraint(k).force, (0, 0, 0.1 * G * (20 - k)), atol=1e-6)
    assert widest(w) < 1e-12


def test_swinging_chain():
    """20 links let go from the horizontal: no gap opens; energy within 1e-3 of what has fallen, and not above it."""
    w = chain(20)
    start = w.energy()
    fell = 2.0 * G * 1.0    # 2 kg by half their length
    for _ in range(30):
        w.step(50)
        assert abs(w.energy() - start) < 1e-3 * fell
        assert widest(w) < 1e-12
    assert w.stats().unsolved == 0


def test_chain_that_hits_a_wall():
    """It swings into a wall: no gap, energy never above that at the start, work inside the bound."""
    w = chain(20, wall=-0.3)
    start, most = w.energy(), 0
    touched = False
    for _ in range(60):
        most = max(most, most_work(w, 25))
        assert widest(w) < 1e-10
        assert w.energy() < start + 1e-3 * 2.0 * G
        touched = touched or len(w.contacts()) > 0
    assert touched
    assert (w.pos[1:21, 0] > -0.3).all()
    assert most < BOUND


def test_load_of_a_thousand_times_the_links():
    """10 kg under five links of 10 g: swings as a pendulum does, without a gap."""
    w = chain(5, mass=0.01, load=10.0)
    start = w.energy()
    for _ in range(60):
        w.step(50)
        assert widest(w) < 1e-12
        assert abs(w.energy() - start) < 1e-4 * 10.0 * G * 0.56
    assert w.stats().unsolved == 0


def test_loop():
    """A ring of ten: it spins and ripples, and keeps its momenta and energy."""
    w = loop()
    p, spin, energy = linear_momentum(w), angular_momentum(w), w.energy()
    size = abs(spin).max()
    for _ in range(20):
        w.step(50)
        assert widest(w) < 1e-12
        assert_allclose(w.energy(), energy, rtol=1e-4)
    assert_allclose(linear_momentum(w), p, atol=1e-12)
    assert_allclose(angular_momentum(w), spin, atol=1e-12 * max(size, 1.0))


def three_times_fixed(kind):
    b = WorldBuilder(gravity=(0, 0, -G) if kind == 'static' else (0, 0, 0))
    a = b.add_body(Box((0.2, 0.2, 0.2)), kind=kind, **({'mass': 3.0, 'angvel': (1, 2, 3)} if kind == 'dynamic' else {}))
    c = b.add_body(Box((0.2, 0.1, 0.3)), mass=1.0, pos=(0.5, 0, 0))
    for anchor in ((0, 0, 0), (0.1, 0.3, 0), (-0.2, 0, 0.4)):
        b.attach('fixed', a, c, anchor_a=anchor)
    return b.build(), a, c


def test_held_by_three_fixed_constraints():
    """They share the weight, none of them drifts."""
    w, _, c = three_times_fixed('static')
    w.step(2000)
    assert_allclose(w.pos[c], (0.5, 0, 0), atol=1e-14)
    assert_allclose(w.quat[c], (1, 0, 0, 0), atol=1e-14)
    assert_allclose(sum(w.constraint(k).force for k in range(3)), (0, 0, G), atol=1e-9)


def test_two_bodies_held_by_three_fixed_constraints_fly_as_one():
    w, a, c = three_times_fixed('dynamic')
    # the push that makes both one is at the first step; then nothing is lost
    w.step()
    p, spin, energy = linear_momentum(w), angular_momentum(w), w.energy()
    w.step(1000)
    assert_allclose(linear_momentum(w), p, atol=1e-12)
    assert_allclose(angular_momentum(w), spin, atol=1e-12)
    assert_allclose(w.energy(), energy, rtol=1e-6)
    assert np.linalg.norm(w.pos[a] - w.pos[c]) == pytest.approx(0.5, abs=1e-13)


def test_a_joined_pair_rests_sleeps_and_wakes():
    """Two boxes on the ground with a rod: they lie still, sleep as one island, and wake as one."""
    b = WorldBuilder()
    b.add_body(HalfSpace(), kind='static')
    one = b.add_body(Box((0.2, 0.2, 0.2)), mass=1.0, pos=(0, 0, 0.1))
    two = b.add_body(Box((0.2, 0.2, 0.2)), mass=2.0, pos=(1.0, 0, 0.1))
    b.attach('distance', one, two)
    w = b.build()
    start = w.pos
    w.step(600)
    assert np.abs(w.pos - start).max() < 1e-9
    assert w.asleep[[one, two]].all()
    w.apply_impulse(two, (1.0, 0, 0))
    w.step()
    assert not w.asleep[[one, two]].any()
    assert extension(w) == pytest.approx(1.0, abs=1e-12)


def test_joined_bodies_do_not_meet_unless_they_shall():
    """Boxes that overlap, on a hinge: no contact, but with collide=True."""
    for settings, meets in (({}, False), ({'collide': True}, True)):
        b = WorldBuilder(gravity=(0, 0, 0))
        one = b.add_body(Box((0.2, 0.2, 0.2)), mass=1.0)
        two = b.add_body(Box((0.2, 0.2, 0.2)), mass=1.0, pos=(0.2 - 1e-9, 0, 0))
        b.attach('hinge', one, two, anchor_a=(0.1, 0, 0.1), axis=(0, 1, 0), **settings)
        w = b.build()
        w.step()
        assert (len(w.contacts()) > 0) == meets
        w.detach(0)
        w.step()
        assert len(w.contacts()) > 0


def test_rod_that_drives_through_a_contact():
    """A rod between a kinematic crank and a box on the ground: the box slides under friction."""
    b = WorldBuilder()
    b.add_body(HalfSpace(), kind='static', friction=0.5)
    crank = b.add_body(Sphere(0.02), kind='kinematic', pos=(-1.0, 0, 0.1), linvel=(0.3, 0, 0))
    box = b.add_body(Box((0.2, 0.2, 0.2)), mass=2.0, pos=(0, 0, 0.1), friction=0.5)
    b.attach('distance', crank, box)
    w = b.build()
    w.step(300)
    assert extension(w) == pytest.approx(1.0, abs=1e-10)
    assert_allclose(w.linvel[box], (0.3, 0, 0), atol=1e-9)
    assert_allclose(w.constraint(0).force, (0.5 * 2.0 * G, 0, 0), rtol=1e-6, atol=1e-6)


def test_a_heap_that_falls_on_a_chain():
    """A crowd of balls meets three joined boxes on the ground: solved with them, within the bound."""
    b = WorldBuilder()
    b.add_body(HalfSpace(), kind='static', friction=0.5)
    last = None
    for k in range(3):
        i = b.add_body(Box((0.2, 0.1, 0.1)), mass=0.3, pos=(0.22 * (k - 1), 0, 0.05), friction=0.5)
        if last is not None:
            b.attach('ball', last, i, anchor_a=(0.11, 0, 0))
        last = i
    for k in range(36):
        b.add_body(Sphere(0.05), mass=0.1, friction=0.5,
                   pos=(0.11 * (k % 4 - 1.5), 0.11 * (k // 4 % 3 - 1), 0.2 + 0.11 * (k // 12)))
    w = b.build()
    start, most = w.energy(), 0
    for _ in range(15):
        most = max(most, most_work(w, 20))
        assert widest(w) < 1e-9
        assert np.isfinite(w.pos).all() and (w.pos[1:, 2] > 0.03).all()
    assert w.energy() < start
    assert most < BOUND
