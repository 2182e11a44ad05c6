# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Limits of force, breaking, springs, reactions: within the step, and to 1e-9 where a number is stated."""
import numpy as np
import pytest
from constraint_scenes import G, angular_momentum, extension, linear_momentum
from numpy.testing import assert_allclose

from hakoniwa_rigid.engine import Box, HalfSpace, Sphere, WorldBuilder


def hung(kind='fixed', *, mass=2.0, pos=(0.5, 0, 0), gravity=G, solid=True, **settings):
    """A box held by a static hook at the origin.  Returns world, box."""
    b = WorldBuilder(gravity=(0, 0, -gravity))
    hook = b.add_body(Sphere(0.01), kind='static')
    i = b.add_body(Box((0.2, 0.2, 0.2)), mass=mass, pos=pos)
    if kind in ('fixed', 'ball', 'hinge'):
        settings.setdefault('anchor_a', (0, 0, 0))
    b.attach(kind, hook, i, **settings)
    return b.build(), i


def test_reaction_of_what_hangs():
    """A weight on an arm: m g at the anchor, and the moment of its arm."""
    w, _ = hung()
    w.step(50)
    c = w.constraint(0)
    assert_allclose(c.force, (0, 0, 2.0 * G), atol=1e-9)
    assert_allclose(c.torque, (0, -2.0 * G * 0.5, 0), atol=1e-9)
    assert not c.impulse.any() and not c.slips


@pytest.mark.parametrize('kind, pos, settings', [
    ('fixed', (0.5, 0, 0), {}), ('ball', (0, 0, -0.5), {}), ('distance', (0, 0, -0.5), {}),
    ('cable', (0, 0, -0.5), {}), ('spring', (0, 0, -0.5), {'stiffness': 1e6, 'length': 0.1})])
def test_max_force(kind, pos, settings):
    """12 N for 19.6: the box falls with g - 6 m/s², in the first step and as long as it slips; the reaction is 12 N."""
    w, i = hung(kind, pos=pos, max_force=12.0, **settings)
    for k in range(1, 40):
        w.step()
        assert_allclose(np.linalg.norm(w.constraint(0).force), 12.0, rtol=1e-9)
        assert_allclose(w.linvel[i], (0, 0, -(G - 6.0) * k * 1e-3), atol=1e-12)
        assert_allclose(w.pos[i] - pos, (0, 0, -0.5 * (G - 6.0) * (k * 1e-3)**2), atol=1e-12)
        assert w.constraint(0).slips


def test_max_torque():
    """2 N m for 9.8: it turns about its anchor with (m g l - M) / (I + m l²), in the first step."""
    w, i = hung(max_torque=2.0)
    about = w.inertia[i][1, 1] + 2.0 * 0.25
    w.step()
    assert_allclose(np.linalg.norm(w.constraint(0).torque), 2.0, rtol=1e-9)
    assert_allclose(w.angvel[i], (0, (2.0 * G * 0.5 - 2.0) / about * 1e-3, 0), rtol=1e-6)


def test_a_limit_that_is_not_reached_changes_nothing():
    """The same bits of motion to rounding, the same reactions."""
    states = []
    for limit in (None, 1e3):
        w, i = hung('hinge', axis=(0, 1, 0), max_force=limit, max_torque=limit)
        w.step(300)
        states.append((w.pos[i], w.linvel[i], w.constraint(0).force))
    for one, other in zip(*states, strict=True):
        assert_allclose(one, other, atol=1e-9)


def test_a_slip_stops_where_the_load_ends():
    """Pulled along by 3 N more than it holds, for a while: then it brakes with its limit, and holds where it is."""
    w, i = hung(gravity=0.0, max_force=10.0)
    w.force[i] = (13.0, 0, 0)
    w.step(100)
    v = w.linvel[i, 0]
    assert_allclose(v, 0.1 * 3.0 / 2.0, rtol=1e-9)
    w.force[i] = 0.0
    way = w.pos[i, 0] + v * v / (2.0 * 10.0 / 2.0)      # v² / 2a
    w.step(200)
    assert_allclose(w.pos[i], (way, 0, 0), atol=2e-4 * v)
    assert np.abs(w.linvel[i]).max() < 1e-12
    held = w.pos[i]
    w.step(200)
    assert_allclose(w.pos[i], held, atol=1e-12)


def test_in_an_impact_a_limit_gives_its_force_over_a_step():
    """A kick of 1 N s on what is held with 10 N: 0.01 N s of it are taken at once, and 0.01 over the step."""
    w, i = hung(gravity=0.0, max_force=10.0)
    w.apply_impulse(i, (1.0, 0, 0))
    w.step()
    assert_allclose(w.constraint(0).impulse, (-0.01, 0, 0), rtol=1e-9)
    assert_allclose(w.constraint(0).force, (-10.0, 0, 0), rtol=1e-9)
    assert_allclose(w.linvel[i], (0.49, 0, 0), rtol=1e-9)


def test_slip_between_free_bodies_keeps_momentum():
    """A limited `fixed` between two spinning bodies that are pulled apart: 1e-12, while it slips."""
    b = WorldBuilder(gravity=(0, 0, 0))
    one = b.add_body(Box((0.2, 0.3, 0.1)), mass=1.0, angvel=(1, 2, 3))
    two = b.add_body(Box((0.2, 0.1, 0.1)), mass=2.0, pos=(0.5, 0, 0), linvel=(1, 0, 0))
    b.attach('fixed', one, two, max_force=5.0, max_torque=0.5)
    w = b.build()
    p, spin = linear_momentum(w), angular_momentum(w)
    energy = w.energy()
    for _ in range(10):
        w.step(20)
        assert w.energy() < energy * (1 + 1e-7)     # what does not slip swings by that
        energy = w.energy()
    assert_allclose(linear_momentum(w), p, atol=1e-12)
    assert_allclose(angular_momentum(w), spin, atol=1e-12)


@pytest.mark.parametrize('limit, breaks', ((19.7, False), (19.5, True)))
def test_break_force(limit, breaks):
    """m g = 19.613 N: it breaks in the first step, or never; what it gave until then is its limit."""
    w, i = hung(break_force=limit)
    w.step()
    log = w.constraint_log()
    assert len(log) == breaks and len(w.constraints) == (not breaks)
    if breaks:
        assert log[0]['phase'] == 2
        assert_allclose(log[0]['amount'], (0, 0, limit), rtol=1e-9)
        assert_allclose(w.linvel[i, 2], (limit / 2.0 - G) * 1e-3, rtol=1e-9)
        w.step()
        assert_allclose(w.linvel[i, 2], (limit / 2.0 - 2.0 * G) * 1e-3, rtol=1e-9)


@pytest.mark.parametrize('limit, breaks', ((3.1, False), (2.9, True)))
def test_break_impulse_of_a_snap(limit, breaks):
    """1 kg at 3 m/s against the end of its cable: 3 N s stop it; less breaks, and slows it down by that much."""
    b = WorldBuilder(gravity=(0, 0, 0))
    b.add_body(Sphere(0.01), kind='static')
    i = b.add_body(Sphere(0.05), mass=1.0, pos=(0.5, 0, 0), linvel=(3.0, 0, 0))
    b.attach('cable', 0, i, length=0.50075, break_impulse=limit)
    w = b.build()
    w.step()
    log = w.constraint_log()
    assert log[0]['phase'] == (3 if breaks else 0)
    assert_allclose(log[0]['time'], 0.00025, rtol=1e-9)
    assert_allclose(log[0]['amount'], (-min(limit, 3.0), 0, 0), rtol=1e-9)
    assert_allclose(w.linvel[i, 0], 3.0 - min(limit, 3.0), atol=1e-9)


def test_bodies_meet_again_after_a_break():
    """A hinge keeps its bodies from colliding; when it breaks in a step, they are candidates in the next."""
    b = WorldBuilder(gravity=(0, 0, 0))
    one = b.add_body(Box((0.2, 0.2, 0.2)), mass=1.0)
    two = b.add_body(Box((0.2, 0.2, 0.2)), mass=1.0, pos=(0.2 - 1e-9, 0, 0))
    b.attach('hinge', one, two, anchor_a=(0.1, 0, 0.1), axis=(0, 1, 0), break_force=1.0)
    w = b.build()
    w.force[one], w.force[two] = (5.0, 0, 0), (-5.0, 0, 0)
    w.step()
    assert not len(w.contacts()) and w.constraint_log()[0]['phase'] == 2
    w.step()
    assert len(w.contacts()) > 0


def test_spring_swings_without_loss():
    """Period 2 pi sqrt(m / k) to (w h)² / 24, amplitude kept over a hundred periods; with a damper critical decay."""
    w, i = hung('spring', gravity=0.0, pos=(1.1, 0, 0), mass=2.0, stiffness=200.0, length=1.0)
    ends = []
    for _ in range(int(100 * 2 * np.pi / 10.0 / 1e-3)):
        w.step()
        ends.append(w.pos[i, 0] - 1.0)
    ends = np.array(ends)
    assert_allclose(ends[-700:].max(), 0.1, rtol=1e-5)
    t = np.arange(1, len(ends) + 1) * 1e-3
    rate = 2.0 / 1e-3 * np.arctan(0.5 * 10.0 * 1e-3)        # of the midpoint rule
    assert_allclose(ends, 0.1 * np.cos(rate * t), atol=1e-6)


def test_damped_spring():
    """x = 0.1 (1 + w t) exp(-w t) at critical damping."""
    w, i = hung('spring', gravity=0.0, pos=(1.1, 0, 0), mass=2.0, stiffness=200.0, length=1.0, damping=40.0)
    for k in range(1, 600):
        w.step()
        t = k * 1e-3
        assert_allclose(w.pos[i, 0] - 1.0, 0.1 * (1 + 10 * t) * np.exp(-10 * t), atol=1e-5)


def test_a_hard_spring_is_stable():
    """1e9 N/m on 2 kg, 22 rad a step: it stays where it is, no energy is won."""
    w, i = hung('spring', pos=(0, 0, -1.0), stiffness=1e9, damping=1e3)
    w.step(500)
    assert abs(extension(w) - 1.0) < 1e-6
    assert np.isfinite(w.pos).all() and np.abs(w.linvel[i]).max() < 1e-2


def test_kick_on_a_rod():
    """An impulse on one end of a dumbbell: the rod takes its part at once, as the closed form has it."""
    b = WorldBuilder(gravity=(0, 0, 0))
    one = b.add_body(Sphere(0.05), mass=1.0)
    two = b.add_body(Sphere(0.05), mass=3.0, pos=(0.5, 0, 0))
    b.attach('distance', one, two)
    w = b.build()
    w.apply_impulse(one, (2.0, 0.0, 0.0))
    w.step()
    assert_allclose(w.linvel[:, 0], (0.5, 0.5), rtol=1e-12)
    assert_allclose(w.constraint(0).impulse, (1.5, 0, 0), rtol=1e-12)


def test_impact_of_a_dumbbell():
    """A rigid dumbbell of `fixed` balls that falls flat on one of them with e = 1: as one body it would,
    j = (1 + e) v / (1/M + r²/I)."""
    b = WorldBuilder(gravity=(0, 0, 0), restitution_threshold=0.0)
    b.add_body(HalfSpace(), kind='static', friction=0.0)
    one = b.add_body(Sphere(0.1), mass=1.0, pos=(0, 0, 0.1005), linvel=(0, 0, -1.0), restitution=1.0, friction=0.0)
    two = b.add_body(Sphere(0.1), mass=1.0, pos=(0.5, 0, 0.1505), linvel=(0, 0, -1.0), friction=0.0)
    b.attach('fixed', one, two)
    w = b.build()
    energy, rod = w.energy(), w.pos[two] - w.pos[one]
    w.step()
    assert_allclose(w.energy(), energy, rtol=1e-6)
    inertia = 2 * 0.4 * 0.1**2 + 0.5 * (rod @ rod)
    j = 2.0 / (0.5 + (0.5 * rod[0])**2 / inertia)
    total = w.linvel[one] + w.linvel[two]
    assert_allclose(total[2], -2.0 + j, atol=1e-9)
    # half a step later it has turned by 0.2°
    assert_allclose(w.linvel[one, 2], 1.0, atol=2e-3)
