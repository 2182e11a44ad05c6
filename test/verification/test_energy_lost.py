# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""energy_lost of contact_log(): the kinetic energy that contacts take, by closed forms and by what the bodies have."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from hakoniwa_rigid.engine import Box, Capsule, Cylinder, HalfSpace, Sphere, WorldBuilder

R, G = 0.1, 9.80665
# of a solid sphere: what a tangential impulse at its surface meets, by its mass
ACROSS = 1.0 + 5.0 / 2.0


def two_spheres(masses, velocities, e, mu, solver='sequential', **extra):
    """Spheres of radius R that meet along x after 0.05 ms; world, effective mass (kg)."""
    b = WorldBuilder(gravity=(0, 0, 0), solver=solver)
    for k, (mass, v) in enumerate(zip(masses, velocities, strict=True)):
        b.add_body(Sphere(R), mass=mass, pos=np.array((2 * R * k, 0, 0)) - 5e-5 * np.array(v), linvel=v, restitution=e,
                   friction=mu, **extra)
    return b.build(), 1.0 / (1.0 / masses[0] + 1.0 / masses[1])


def lost(world, steps):
    """energy_lost (J) of all contacts over some steps, and the kinetic energy that the bodies lose."""
    before, total = world.kinetic_energy(), 0.0
    for _ in range(steps):
        world.step()
        total += world.contact_log()['energy_lost'].sum()
    return total, before - world.kinetic_energy()


@pytest.mark.parametrize('solver', ['sequential', 'impulse'])
@pytest.mark.parametrize('e', [0.0, 0.3, 1.0])
def test_head_on(e, solver):
    """(1 - e^2) m_eff v^2 / 2, in the row of the impact."""
    w, mass = two_spheres((1.0, 3.0), ((2.0, 0, 0), (-1.0, 0, 0)), e, 0.0, solver)
    w.step(2)
    rows = w.contact_log()
    want = 0.5 * (1.0 - e * e) * mass * 9.0
    assert_allclose(rows['energy_lost'][rows['impact']], [want], rtol=1e-12, atol=1e-12)
    assert_allclose(rows['energy_lost'][~rows['impact']], 0.0, atol=1e-12)


@pytest.mark.parametrize('mu', [0.1, 2.0])
def test_oblique_with_friction(mu):
    """Solid spheres: the impulse across is mu (1 + e) m_eff v_n or what stops the slip, u / K with K = 7 / (2 m_eff);
    it takes j u - K j^2 / 2."""
    e, vn, u = 0.5, 2.0, 1.5
    w, mass = two_spheres((1.0, 2.0), ((vn, u, 0), (0, 0, 0)), e, mu)
    w.step()
    k = ACROSS / mass
    j = min(mu * (1.0 + e) * mass * vn, u / k)
    want = 0.5 * (1.0 - e * e) * mass * vn * vn + j * u - 0.5 * k * j * j
    assert_allclose(w.contact_log()['energy_lost'].sum(), want, rtol=1e-9)


def test_a_sphere_that_spins_in_place_is_braked_by_its_moment():
    """Torsional friction takes I w^2 / 2 of a sphere that is pressed to a wall by an impact along its axis of spin."""
    b = WorldBuilder(gravity=(0, 0, 0))
    b.add_body(HalfSpace(), kind='static', restitution=0.0, friction=0.0)
    b.add_body(Sphere(R), mass=1.0, pos=(0, 0, R + 1e-4), linvel=(0, 0, -1.0), angvel=(0, 0, 3.0), restitution=0.0,
               friction=0.0, torsional_friction=0.1)
    w = b.build()
    w.step(1)
    # the impulse is m v = 1 N s, the moment at most 0.1 N m s; I w = 0.012: it stops
    want = 0.5 * 1.0 + 0.5 * 0.4 * R * R * 9.0
    assert_allclose(w.angvel[1], 0.0, atol=1e-12)
    assert_allclose(w.contact_log()['energy_lost'].sum(), want, rtol=1e-9)


def test_what_only_hands_an_impact_on_takes_nothing():
    """Newton's cradle: every contact is elastic, though the ball in the middle is given energy and gives it on."""
    b = WorldBuilder(gravity=(0, 0, 0))
    for k in range(4):
        b.add_body(Sphere(R), mass=1.0, pos=(2 * R * k - (1e-4 if k == 0 else 0.0), 0, 0),
                   linvel=(2.0 if k == 0 else 0.0, 0, 0), restitution=1.0, friction=0.0)
    w = b.build()
    w.step(2)
    assert_allclose(w.linvel[:, 0], [0, 0, 0, 2.0], atol=1e-12)
    assert_allclose(w.contact_log()['energy_lost'], 0.0, atol=1e-12)


def test_a_wall_that_comes_is_no_gain():
    """Seen from the wall the ball loses (1 - e^2) m v^2 / 2, though the floor sees it gain."""
    b = WorldBuilder(gravity=(0, 0, 0))
    b.add_body(Box((0.2, 1, 1)), kind='kinematic', linvel=(2.0, 0, 0), restitution=0.5, friction=0.0)
    b.add_body(Sphere(R), mass=0.4, pos=(0.1 + R + 1e-4, 0, 0), linvel=(-1.0, 0, 0), restitution=0.5, friction=0.0)
    w = b.build()
    w.step()
    assert_allclose(w.contact_log()['energy_lost'].sum(), 0.5 * 0.75 * 0.4 * 9.0, rtol=1e-9)


def test_a_block_that_slides_to_rest():
    """All of its kinetic energy, none before or after."""
    b = WorldBuilder()
    b.add_body(HalfSpace(), kind='static')
    b.add_body(Box((0.2, 0.2, 0.1)), mass=2.0, pos=(0, 0, 0.05), linvel=(1.0, 0.3, 0), friction=0.5)
    w = b.build()
    found, want = lost(w, 300)
    assert_allclose([found, want], 0.5 * 2.0 * 1.09, rtol=1e-9)
    w.step(10)
    assert_allclose(w.contact_log()['energy_lost'], 0.0, atol=1e-12)


def test_springs_give_back_what_they_keep():
    """Solver penalty: a contact that is over has lost what its bodies have."""
    w, _ = two_spheres((1.0, 2.0), ((1.0, 0.4, 0), (0, 0, 0)), 0.5, 0.3, 'penalty')
    found, want = lost(w, 200)
    assert w.linvel[1, 0] > w.linvel[0, 0] and want > 0.1
    assert_allclose(found, want, rtol=1e-9)


unit = st.floats(-1.0, 1.0)
triples = st.tuples(unit, unit, unit)


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([Sphere(0.12), Box((0.2, 0.3, 0.1)), Capsule(0.06, 0.2), Cylinder(0.1, 0.2)]), triples, triples,
       triples, st.floats(0.1, 10.0), st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.sampled_from([0.0, 0.02]))
def test_two_bodies_alone_lose_what_their_contacts_take(shape, aim, spin, other, mass, e, mu, roll):
    """Whatever the impact is, several points at once, friction, rolling and torsion: to 1e-9 of what there was.  Bodies
    that lie on each other for the rest of the step have errors of integration, too, which no contact takes."""
    b = WorldBuilder(gravity=(0, 0, 0))
    more = dict(restitution=e, friction=mu, rolling_friction=roll, torsional_friction=0.5 * roll)
    b.add_body(shape, mass=1.0, angvel=5.0 * np.array(spin), **more)
    b.add_body(Sphere(0.1), mass=mass, pos=(0.5, 0.1 * aim[0], 0.1 * aim[1]), linvel=(-3.0, 0.5 * aim[2], 0),
               angvel=5.0 * np.array(other), **more)
    w = b.build()
    before, found = w.kinetic_energy(), 0.0
    for _ in range(150):
        found, want = lost(w, 1)
        if w.stats().impacts:
            break
    rows = w.contact_log()
    rests = (~rows['impact'] & (rows['impulse'] != 0.0).any(axis=1)).any()
    assert_allclose(found, want, rtol=0, atol=(1e-6 if rests else 1e-9) * before)
    assert found >= -1e-9 * before


def test_a_box_that_wobbles_on_a_ball_loses_what_the_log_says():
    """Its normal passes the diagonal between x and y, where the tangents are made from another axis: rates before and
    moments are along the same ones all the same.  What the log leaves out is of third order in the turn of a step."""
    size, mass = np.array((0.4, 0.3, 0.1)), 4.55
    b = WorldBuilder(gravity=(0, 0, -G), dt=5e-4)
    b.add_body(Sphere(0.3), kind='static', pos=(0, 0, -0.3), friction=0.0, rolling_friction=0.02)
    b.add_body(Box(tuple(size)), mass=mass, inertia=mass / 12 * ((size**2).sum() - size**2), pos=(0, 0, 0.05),
               angvel=(1.0, 0.5, 60.0), restitution=0.0, friction=0.0, rolling_friction=0.02)
    w, held = b.build(), 0
    for _ in range(40):
        before = w.kinetic_energy() + mass * G * w.pos[1, 2]
        w.step()
        rows = w.contact_log()
        if len(rows) and not rows['impact'].any():
            held += 1
            gone = before - w.kinetic_energy() - mass * G * w.pos[1, 2]
            assert_allclose(rows['energy_lost'].sum(), gone, rtol=1e-2, atol=1e-9)
    assert held > 20
