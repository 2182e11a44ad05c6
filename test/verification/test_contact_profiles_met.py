# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Profiles that something happens to: walls, a third body, removal, save and restore, several at once."""

import numpy as np
import pytest
from contact_scenes import PROFILES, ball_on_plane, builder, head_on, momentum, walk
from numpy.testing import assert_allclose, assert_array_equal
from scenes import G, crowd, impacts

from hakoniwa_rigid.engine import Box, EngineError, HalfSpace, Sphere, WorldBuilder


def spread(profile='half_sine', duration=20.3e-3):
    return dict(contact_profile=profile, contact_time=duration)


# --- walls


@pytest.mark.parametrize('friction', [0.0, 0.15, 3.0])
@pytest.mark.parametrize('profile', PROFILES)
def test_static_wall(profile, friction):
    """A spinning ball that meets a plane in the middle of a step: afterwards as by the instant, 1e-10."""
    case = dict(gravity=0.0, linvel=(2, -1, -4), angvel=(20, 5, -9), gap=4 * 2.37e-3, friction=friction,
                restitution=0.7)  # fmt: skip
    (w, i), (sudden, _) = ball_on_plane(options=spread(profile, 6.4e-3), **case), ball_on_plane(**case)
    w.step(12)
    sudden.step(12)
    assert_allclose(w.linvel[i], sudden.linvel[i], rtol=0, atol=1e-10)
    assert_allclose(w.angvel[i], sudden.angvel[i], rtol=0, atol=1e-9)


@pytest.mark.parametrize('profile', PROFILES)
def test_moving_wall(profile):
    """A kinematic plate comes up at 1.5 m/s: v' = V + e (V - v), its own motion untouched."""
    b = builder(**spread(profile, 6.4e-3))
    plate = b.add_body(Box((3, 3, 0.2)), kind='kinematic', pos=(0, 0, -0.1), linvel=(0.3, 0, 1.5), friction=0.0)
    i = b.add_body(Sphere(0.1), mass=0.7, pos=(0, 0, 0.1 + 5.5 * 1.4e-3), linvel=(0, 1, -4), restitution=0.6,
                   friction=0.0)  # fmt: skip
    w = b.build()
    _, rows = walk(w, 15)
    assert len(rows) == 1
    assert_allclose(w.linvel[i], [0, 1, 1.5 + 0.6 * 5.5], rtol=0, atol=1e-10)
    assert_array_equal(w.linvel[plate], [0.3, 0, 1.5])


@pytest.mark.parametrize('profile', PROFILES)
def test_bounce_under_gravity(profile):
    """Dropped 0.2 m, e = 0.8, T = 5 ms: gravity goes on meanwhile, v = e v_0 - g (t - t_0) at every step after T."""
    w, i = ball_on_plane(gravity=G, gap=0.2, restitution=0.8, options=spread(profile, 5e-3))
    toi = np.sqrt(2 * 0.2 / G)
    velocities, rows = walk(w, 400)
    t = np.arange(401) * 1e-3
    late = t > toi + 5e-3
    assert_allclose(velocities[late, i, 2], 0.8 * G * toi - G * (t[late] - toi), rtol=0, atol=1e-9)
    assert_allclose(velocities[t < toi, i, 2], -G * t[t < toi], rtol=0, atol=1e-12)
    assert len(rows) == 1


def test_the_next_meeting_fires_again():
    """Between two walls, e = 1: one impact a passage, the speed kept to 1e-12 after each."""
    b = builder(**spread('half_sine', 3e-3))
    for side in (-1, 1):
        b.add_body(HalfSpace((side, 0, 0), -0.5), kind='static')
    i = b.add_body(Sphere(0.1), mass=0.3, linvel=(10, 0, 0), restitution=1.0, friction=0.0)
    w = b.build()
    velocities, rows = walk(w, 400)
    sides = [int(np.sign(row['position'][0])) for _, row in rows]
    assert len(rows) >= 4 and sides == [(-1) ** k for k in range(len(rows))]
    assert_allclose(np.abs(velocities[-1, i]), [10, 0, 0], rtol=1e-12, atol=1e-12)


def test_box_landing_flat_does_not_spin():
    """Four corners at once, e = 0.5: after T it leaves at e v and has not turned."""
    b = builder(**spread('half_sine', 4e-3))
    b.add_body(HalfSpace(), kind='static', restitution=0.5, friction=0.4)
    i = b.add_body(Box((0.4, 0.3, 0.1)), mass=0.7, pos=(0, 0, 0.05 + 2.37e-3 * 2), linvel=(0, 0, -2), restitution=0.5,
                   friction=0.4)  # fmt: skip
    w = b.build()
    w.step(12)
    assert_allclose(w.linvel[i], [0, 0, 1.0], rtol=0, atol=1e-9)
    assert_allclose(w.angvel[i], 0.0, atol=1e-9)


@pytest.mark.parametrize('profile', PROFILES)
def test_rolling_and_torsional_friction_come_along(profile):
    """Their angular impulses too are given over T: afterwards the spin is that of the instant."""
    case = dict(gravity=0.0, linvel=(1, 0, -4), angvel=(200, 50, -90), gap=4 * 2.37e-3, friction=0.1, restitution=0.7,
                rolling_friction=0.002, torsional_friction=0.003)  # fmt: skip
    (w, i), (sudden, _) = ball_on_plane(options=spread(profile, 6.4e-3), **case), ball_on_plane(**case)
    w.step(6)
    halfway = w.angvel[i, 2]
    w.step(6)
    sudden.step(12)
    assert -90 < halfway < sudden.angvel[i, 2]
    assert sudden.angvel[i, 2] > -89
    assert_allclose(w.linvel[i], sudden.linvel[i], rtol=0, atol=1e-10)
    assert_allclose(w.angvel[i], sudden.angvel[i], rtol=0, atol=1e-8)


# --- a third body


def three(speed, *, when=8.5e-3, slant=0.0, friction=0.0, **options):
    """a meets b at 2.37 ms along x, c meets b at about `when` s, coming down at `slant` rad. Returns the world."""
    b = builder(**options)
    down = np.array([np.sin(slant), -np.cos(slant), 0])
    for name, radius, mass, pos, v in (
        ('a', 0.1, 0.7, (-0.1 - 4 * 2.37e-3, 0, 0), (4, 0, 0)),
        ('b', 0.2, 1.9, (0.2, 0, 0), (0, 0, 0)),
        ('c', 0.1, 0.9, np.array([0.2, 0, 0]) - down * (0.3 + speed * when), speed * down),
    ):
        b.add_body(Sphere(radius), mass=mass, pos=pos, linvel=v, angvel=(0, 0, 6), restitution=0.6, friction=friction,
                   name=name)  # fmt: skip
    return b.build()


def sums(world, rows):
    """Jumps of velocity and spin of each body that all impact rows together stand for."""
    dv, dw = np.zeros((world.n, 3)), np.zeros((world.n, 3))
    for _, row in rows:
        dv[row['body_a']] -= row['impulse']
        dv[row['body_b']] += row['impulse']
        dw[row['body_a']] += row['delta_omega_a']
        dw[row['body_b']] += row['delta_omega_b']
    return dv / world.mass[:, None], dw


@pytest.mark.parametrize('friction', [0.0, 0.5])
@pytest.mark.parametrize('speed', [2.0, 40.0])
@pytest.mark.parametrize('profile', PROFILES)
def test_second_hit_while_a_profile_runs(profile, speed, friction):
    """Momentum at every step to 1e-12; in the end each body has had the whole of its rows, and no energy was made."""
    w = three(speed, friction=friction, **spread(profile))
    start, spin, energy, scale = w.linvel.copy(), w.angvel.copy(), w.kinetic_energy(), 0.7 * 4 + 0.9 * speed
    velocities, rows = walk(w, 60)
    total = np.einsum('kij,i->kj', velocities, w.mass)
    assert_allclose(total, np.tile(total[0], (61, 1)), rtol=0, atol=1e-12 * scale)
    assert [(row['body_a'], row['body_b']) for _, row in rows] == [(0, 1), (1, 2)]
    dv, dw = sums(w, rows)
    assert_allclose(w.linvel - start, dv, rtol=0, atol=1e-12 * max(4, speed))
    assert_allclose(w.angvel - spin, dw, rtol=0, atol=1e-11 * max(4, speed) / 0.1)
    assert w.kinetic_energy() <= energy * (1 + 1e-12)


def test_second_hit_reckons_with_the_whole_first_one():
    """velocity_before of the second row: c against b as if all of the first impulse had arrived."""
    w = three(2.0, **spread())
    _, ((_, first), (_, second)) = walk(w, 60)
    b_whole = first['impulse'] / 1.9
    n = second['normal']
    assert_allclose(second['velocity_before'] @ n, (np.array([0, -2.0, 0]) - b_whole) @ n, rtol=0, atol=1e-10)
    assert_allclose(second['velocity_after'] @ n, -0.6 * second['velocity_before'] @ n, rtol=1e-10)


@pytest.mark.parametrize('profile', PROFILES)
def test_knocked_apart_early(profile):
    """c strikes b off while a's profile runs and they no longer touch: the rest of it still comes, on both."""
    w = three(60.0, when=4e-3, slant=np.pi / 6, **spread(profile, 10.3e-3))
    before, gaps = momentum(w), []
    for _ in range(40):
        w.step(1)
        gaps.append(np.linalg.norm(w.pos[1] - w.pos[0]) - 0.3)
        assert_allclose(momentum(w), before, rtol=0, atol=1e-12 * 60)
    assert gaps[3] < 0 < gaps[9]  # at 4 ms they overlap, at 10 ms they do not, and the profile runs to 12.67 ms
    assert_allclose(w.linvel[0], [4 - 1.9 / 2.6 * 1.6 * 4, 0, 0], rtol=0, atol=1e-10)


@pytest.mark.parametrize('profile', PROFILES)
def test_squeezed_between_two(profile):
    """a and c meet b from both sides in line; they push on again and part: momentum, energy and order are kept."""
    b = builder(**spread(profile, 5e-3))
    for x, r, m, v in ((-0.11, 0.1, 0.7, 4), (0.2, 0.2, 1.9, 0), (0.515, 0.1, 2.5, -3)):
        b.add_body(Sphere(r), mass=m, pos=(x, 0, 0), linvel=(v, 0, 0), restitution=0.6, friction=0.0)
    w = b.build()
    energy = w.kinetic_energy()
    velocities, rows = walk(w, 300)
    assert len(rows) >= 2
    assert_allclose(velocities[:, :, 0] @ w.mass, 0.7 * 4 - 2.5 * 3, rtol=1e-12)
    assert np.all(np.diff(w.pos[:, 0]) > 0.3 - 1e-6)
    assert np.all(np.diff(w.linvel[:, 0]) >= 0)
    assert w.kinetic_energy() <= energy


def test_brawl_keeps_momentum_at_every_step():
    """A dozen boxes, balls and capsules fall into each other, T = 4 ms: many profiles at once, 1e-12 throughout."""
    b = builder(**spread('hertz', 4e-3))
    crowd(b, np.random.default_rng(5), 12, spacing=0.45, speed=0.5, inward=4.0)
    w = b.build()
    before, most = momentum(w), 0
    scale = w.mass @ np.linalg.norm(w.linvel, axis=1)
    for _ in range(150):
        w.step(1)
        most = max(most, w.stats().profiles)
        assert_allclose(momentum(w), before, rtol=0, atol=1e-12 * scale)
    assert most > 1


# --- removal, save and restore


@pytest.mark.parametrize('gone', [0, 1])
@pytest.mark.parametrize('profile', PROFILES)
def test_removed_body_takes_the_rest_of_its_impulse_along(profile, gone):
    """From then on nothing more reaches the partner: its velocity stays as it is, to the bit."""
    w = head_on(**spread(profile))
    w.step(9)
    left = w.linvel[1 - gone].copy()
    assert 0 < w.linvel[1, 0] < 1.7
    w.set_enabled(gone, False)
    for _ in range(30):
        w.step(1)
        assert_array_equal(w.linvel[1 - gone], left)
    assert w.stats().profiles == 0


def test_removed_wall_stops_pushing():
    w, i = ball_on_plane(gravity=0.0, linvel=(0, 0, -3), restitution=0.5, options=spread())
    w.step(9)
    left = w.linvel[i].copy()
    w.set_enabled(w.index('ground'), False)
    w.step(30)
    assert_array_equal(w.linvel[i], left)


def test_removal_leaves_other_profiles_alone():
    """Two pairs far apart, one body of the first taken out: the second pair ends as if nothing had been."""
    b = builder(**spread())
    for y in (0.0, 5.0):
        b.add_body(Sphere(0.1), mass=0.7, pos=(-0.1, y, 0), linvel=(4, 0, 0), restitution=0.6, friction=0.0)
        b.add_body(Sphere(0.2), mass=1.9, pos=(0.2, y, 0), restitution=0.6, friction=0.0)
    w = b.build()
    w.step(5)
    assert w.stats().profiles == 2
    w.set_enabled(1, False)
    for _ in range(30):
        w.step(1)
        assert_allclose(w.mass[2:] @ w.linvel[2:], [0.7 * 4, 0, 0], rtol=0, atol=1e-12 * 2.8)
    assert_allclose(w.linvel[3, 0], 0.7 / 2.6 * 1.6 * 4, rtol=1e-12)


@pytest.mark.parametrize('profile', PROFILES)
def test_save_and_restore_in_the_middle(profile):
    """The same bits after the second run, and after a restore in a world that has gone on to the end."""
    w = three(2.0, friction=0.5, **spread(profile))
    w.step(7)
    early, early_hash = w.save(), w.state_hash()
    w.step(5)
    middle = w.save()
    w.step(40)
    there = w.state_hash()
    w.restore(middle)
    w.step(40)
    assert w.state_hash() == there
    w.restore(early)
    assert w.state_hash() == early_hash
    w.step(45)
    assert w.state_hash() == there


# --- options


@pytest.mark.parametrize(('options', 'words'), [
    (dict(contact_profile='sine', contact_time=1e-3), ('contact_profile', 'sine')),
    (dict(contact_profile=3, contact_time=1e-3), ('contact_profile', '3')),
    (dict(contact_profile='hertz'), ('contact_time', 'contact_stiffness')),
    (dict(contact_profile='hertz', contact_time=1e-3, contact_stiffness=1e5), ('contact_time', 'contact_stiffness')),
    (dict(contact_profile='hertz', contact_time=0.0), ('contact_time', '0')),
    (dict(contact_profile='hertz', contact_time=-1e-3), ('contact_time', '-0.001')),
    (dict(contact_profile='hertz', contact_time=np.nan), ('contact_time', 'nan')),
    (dict(contact_profile='half_sine', contact_stiffness=np.inf), ('contact_stiffness', 'inf')),
    (dict(contact_profile='half_sine', contact_stiffness='stiff'), ('contact_stiffness', 'stiff')),
    (dict(contact_time=1e-3), ('contact_time', 'contact_profile')),
    (dict(contact_stiffness=1e5), ('contact_stiffness', 'contact_profile'))])  # fmt: skip
def test_bad_options_are_named(options, words):
    with pytest.raises(EngineError, match=''.join(f'(?=(?s:.*){word})' for word in words)):
        b = builder(**options)
        b.add_body(Sphere(0.1), mass=1.0)
        b.build()


def test_log_of_a_long_call_holds_the_impact_once():
    """The log of one long call holds the impact once, however many steps its profile runs."""
    w = head_on(**spread())
    w.step(50)
    assert len(impacts(w)) == 1


@pytest.mark.parametrize('profile', PROFILES)
@pytest.mark.parametrize(('speed', 'duration', 'e'), [(30.0, 0.01, 0.0), (3.0, 0.05, 0.0), (30.0, 0.01, 0.5)])
def test_soft_contacts_do_not_pass_thin_walls(profile, speed, duration, e):
    """5 cm ball, 2 cm wall: one impact, shortened, then the law's velocity on the side that it came from."""
    b = builder(**spread(profile, duration))
    b.add_body(Box((0.02, 2, 2)), kind='static')
    i = b.add_body(Sphere(0.05), mass=1.0, pos=(-0.1, 0, 0), linvel=(speed, 0, 0), restitution=e)
    w = b.build()
    _, rows = walk(w, 100)
    assert len(rows) == 1
    assert rows[0][1]['duration'] == pytest.approx(1.6 * 0.06 / speed, rel=1e-9)
    assert_allclose(w.linvel[i], [-e * speed, 0, 0], rtol=0, atol=1e-9)
    assert w.pos[i, 0] < -0.055


def test_a_tumbling_box_settles():
    """Under gravity, T = 10 ms, e = 0.5: half a second after the last impact it lies still."""
    b = WorldBuilder(**spread('half_sine', 0.01))
    b.add_body(HalfSpace(), kind='static')
    i = b.add_body(Box((0.2, 0.2, 0.1)), mass=1.0, pos=(0, 0, 0.3), angvel=(1, 2, 0), restitution=0.5)
    w = b.build()
    w.step(2000)
    assert not w.contact_log()['impact'][-100:].any()
    assert_allclose(w.linvel[i], 0.0, atol=1e-9)
    assert w.stats().profiles == 0


def test_a_body_that_is_set_is_owed_nothing():
    """set_state in the middle: it goes on as it was set, the partner gets its whole impulse all the same."""
    w = head_on(**spread())
    whole = head_on()
    whole.step(60)
    walk(w, 12)
    assert w.stats().profiles == 1
    w.set_state(0, pos=(-5, 3, 0), linvel=(0, 0, 0))
    w.step(60)
    assert_array_equal(w.linvel[0], 0.0)
    assert_allclose(w.linvel[1], whole.linvel[1], rtol=0, atol=1e-10)


def test_an_impulse_of_the_user_comes_on_top():
    w, other = head_on(**spread()), head_on(**spread())
    for world in (w, other):
        world.step(12)
    w.apply_impulse(0, (0.0, 0.3, 0.0))
    for world in (w, other):
        world.step(60)
    assert_allclose(w.linvel[0] - other.linvel[0], np.array([0.0, 0.3, 0.0]) / w.mass[0], rtol=0, atol=1e-12)
