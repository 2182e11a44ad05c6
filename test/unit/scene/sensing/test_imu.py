# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""IMUs of drones against closed forms: impacts at and off the centre of mass, rest, free fall, spin, references that
accelerate; and nothing of the scene changes by looking."""
import math

import numpy as np
import pytest
from scene_worlds import MODEL, MS, TICK, UPRIGHT, ZERO, events_of, floor, make_scene, wall_x

from hakoniwa_rigid import rotations as rot
from hakoniwa_rigid.engine import Box, Sphere
from hakoniwa_rigid.scene import Phase
from hakoniwa_rigid.scene.world_files.world_types import (
    ContactTimeConfig,
    DroneModel,
    MaterialConfig,
    Pose,
    WallConfig,
)

G = 9.80665
GRAVITY = (0.0, 0.0, -G)
# physics.md 3: m 0.71, this inertia, +3 m/s, e 0.5, the point at (0.2, 0.1, 0)
PLATE = DroneModel('plate', 0.71, (0.0061, 0.00653, 0.0116), Box((0.4, 0.4, 0.1)),
                   material=MaterialConfig('p', 0.5, 0.0))
AFTER, RATE = 0.2085561498, 17.0855615


def measured(ticks, name='d'):
    """Sums of R a T (3,), of all and of the part of contacts, over ticks."""
    total, contact = np.zeros(3), np.zeros(3)
    for tick in ticks:
        for imu in tick.imus:
            if imu.drone == name:
                q = rot.wxyz(np.array(imu.orientation_xyzw))
                total += rot.rotate(q, np.array(imu.linear_acceleration)) * imu.seconds
                contact += rot.rotate(q, np.array(imu.contact)) * imu.seconds
    return total, contact


def simulated(place=ZERO, velocity=ZERO, omega=ZERO, position=(0.0, 0.0, 1.0), thrust=ZERO, count=40, **fields):
    """Ticks of one simulated drone that starts with a motion."""
    scene = make_scene('d', authority='simulate', **fields)
    scene.watch_imus({'d': place})
    scene.feed_drone('d', 0, position, UPRIGHT, velocity, omega)
    ticks = []
    for k in range(count):
        scene.feed_wrench('d', k * TICK, thrust, ZERO)
        ticks.append(scene.advance((k + 1) * TICK))
    return ticks


def point_velocity(tick, place, row=0):
    s = tick.states
    q = rot.wxyz(s.orientations_xyzw[row])
    return s.linear_velocities[row] + rot.rotate(q, np.cross(s.angular_velocities[row], place))


@pytest.mark.parametrize('place', [ZERO, (0.1, 0.0, 0.0), (-0.03, 0.12, 0.05)])
def test_an_impact_off_the_middle_is_the_change_of_velocity_of_the_imus_place(place):
    ball = WallConfig('ball', Sphere(0.05), Pose((0.45, 0.1, 1.0)), MaterialConfig('b', 0.5, 0.0))
    ticks = simulated(place, (3.0, 0.0, 0.0), gravity=ZERO, model=PLATE, walls=[ball])
    ticks = ticks[:1 + next(k for k, tick in enumerate(ticks) if tick.events)]    # it turns on, and hits once more
    begin = ticks[-1].events[0]
    change, turn = begin.delta_v_b, begin.delta_omega_b
    np.testing.assert_allclose(change, (AFTER - 3.0, 0.0, 0.0), atol=1e-8)
    np.testing.assert_allclose(turn, (0.0, 0.0, RATE), atol=1e-6)
    # the drone is level when it hits
    np.testing.assert_allclose(measured(ticks)[1], np.add(change, np.cross(turn, place)), atol=1e-9)


@pytest.mark.parametrize('profile', ['rectangle', 'half_sine', 'hertz'])
def test_a_contact_over_time_is_spread_over_its_ticks(profile):
    ticks = simulated(velocity=(3.0, 0.0, 0.0), gravity=ZERO, walls=[wall_x(0.3)],
                      contact=ContactTimeConfig(profile, time=0.02))
    end = next(e for e in events_of(ticks) if e.phase is Phase.END)
    felt = [imu.contact[0] for tick in ticks for imu in tick.imus if any(imu.contact)]
    assert len(felt) >= 4
    np.testing.assert_allclose(measured(ticks)[1], end.delta_v_a, atol=1e-9)
    np.testing.assert_allclose(measured(ticks)[1], (-4.5, 0.0, 0.0), atol=1e-9)
    # peak force / mass is above the mean of any tick
    assert end.peak_force / MODEL.mass >= max(-x for x in felt) * (1.0 - 1e-9)


@pytest.mark.parametrize('place', [ZERO, (0.08, 0.0, 0.0)])
def test_at_rest_it_reads_gravity_upwards_asleep_too(place):
    ticks = simulated(place, position=(0.0, 0.0, 0.025), gravity=GRAVITY, walls=[floor()], count=200)
    for tick in ticks[10:]:
        np.testing.assert_allclose(tick.imus[0].linear_acceleration, (0.0, 0.0, G), atol=1e-6)
        np.testing.assert_allclose(tick.imus[0].contact, (0.0, 0.0, G), atol=1e-6)


def test_free_fall_reads_nothing_and_hover_reads_gravity():
    fall = simulated(gravity=GRAVITY, place=(0.1, 0.0, 0.0))
    hover = simulated(gravity=GRAVITY, thrust=(0.0, 0.0, MODEL.mass * G))
    for free, held in zip(fall, hover, strict=True):
        np.testing.assert_allclose(free.imus[0].linear_acceleration, ZERO, atol=1e-12)
        np.testing.assert_allclose(held.imus[0].linear_acceleration, (0.0, 0.0, G), atol=1e-12)
        assert held.imus[0].contact == ZERO


def test_spin_reads_the_centripetal_acceleration():
    rate, arm = 7.0, 0.1
    for tick in simulated((arm, 0.0, 0.02), omega=(0.0, 0.0, rate), gravity=GRAVITY):
        imu = tick.imus[0]
        np.testing.assert_allclose(imu.linear_acceleration, (-rate * rate * arm, 0.0, 0.0), atol=1e-9)
        np.testing.assert_allclose(imu.angular_velocity, (0.0, 0.0, rate), atol=1e-12)


def test_a_torque_turns_the_place_of_the_imu_and_the_centre_of_mass_is_no_place():
    """f = F/m + alpha x r, alpha = I^-1 tau at the start, r from the centre of mass."""
    com = (0.01, 0.0, 0.0)
    model = DroneModel('m', 0.5, (0.004, 0.005, 0.006), Box((0.2, 0.2, 0.05)), com=com)
    scene = make_scene('d', model=model, authority='simulate', gravity=ZERO)
    scene.watch_imus({'d': (0.06, 0.0, 0.0)})
    scene.feed_drone('d', 0, ZERO, UPRIGHT, ZERO, ZERO)
    scene.feed_wrench('d', 0, (0.0, 1.0, 0.0), (0.0, 0.0, 0.012))
    imu = scene.advance(MS).imus[0]
    spin = 2.0 * MS * 1e-9
    np.testing.assert_allclose(imu.linear_acceleration, (-spin * spin * 0.05, 2.0 + 2.0 * 0.05, 0.0), atol=2e-3)
    np.testing.assert_allclose(imu.angular_velocity, (0.0, 0.0, spin), rtol=1e-9)


@pytest.mark.parametrize('authority', ['correct', 'observe'])
@pytest.mark.parametrize('every', [1, 4])
def test_a_reference_that_accelerates_is_felt_as_the_simulator_flies_it(authority, every):
    """x = a t^2 / 2: f = a - g in the body, once two samples are known."""
    scene = make_scene('d', authority=authority, gravity=GRAVITY)
    scene.watch_imus({'d': ZERO})
    accel, tilt = np.array([1.5, 0.0, 0.5]), rot.from_vector(np.array([0.0, 0.2, 0.0]))
    for k in range(40):
        t = k * TICK * 1e-9
        if k % every == 0:
            scene.feed_drone('d', k * TICK, 0.5 * accel * t * t + (0.0, 0.0, 1.0), rot.xyzw(tilt), accel * t, ZERO)
        tick = scene.advance((k + 1) * TICK)
        if k > 2 * every:
            expected = rot.rotate_inverse(tilt, accel - GRAVITY)
            np.testing.assert_allclose(tick.imus[0].linear_acceleration, expected, atol=1e-9)
            assert not tick.imus[0].beside and tick.imus[0].led


def test_what_is_published_of_a_corrected_drone_is_what_its_imu_adds_up_to():
    """Through an impact and the way back to the reference: sum R a T + g t = change of velocity of the published
    state.  The reference stands still at a wall's other side."""
    scene = make_scene('d', gravity=GRAVITY, walls=[wall_x(0.3, 0.5)])
    scene.watch_imus({'d': ZERO})
    ticks = []
    for k in range(120):
        t = min(k * TICK * 1e-9, 0.15)
        velocity = (2.0, 0.0, 0.0) if t < 0.15 else ZERO
        scene.feed_drone('d', k * TICK, (2.0 * t, 0.0, 1.0), UPRIGHT, velocity, ZERO)
        ticks.append(scene.advance((k + 1) * TICK))
    first, last = ticks[2], ticks[-1]
    total, contact = measured(ticks[3:])
    change = last.states.linear_velocities[0] - first.states.linear_velocities[0]
    seconds = (last.stamp_ns - first.stamp_ns) * 1e-9
    np.testing.assert_allclose(total + np.multiply(GRAVITY, seconds), change, atol=2e-3)
    assert contact[0] < -1.0


def test_a_corrected_drone_that_is_held_by_a_floor_reads_gravity():
    scene = make_scene('d', gravity=GRAVITY, walls=[floor()])
    scene.watch_imus({'d': ZERO})
    for k in range(200):
        scene.feed_drone('d', k * TICK, (0.0, 0.0, max(0.05 - 1e-3 * k, -0.05)), UPRIGHT, ZERO, ZERO)
        tick = scene.advance((k + 1) * TICK)
    imu = tick.imus[0]
    assert imu.contact[2] > 0.5 and imu.beside
    np.testing.assert_allclose(imu.linear_acceleration, (0.0, 0.0, G), atol=1e-6)


def test_an_observed_drone_feels_an_impulse_once():
    scene = make_scene('d', authority='observe', gravity=GRAVITY, walls=[wall_x(0.3, 0.5)])
    scene.watch_imus({'d': ZERO})
    ticks = []
    for k in range(40):
        t = k * TICK * 1e-9
        scene.feed_drone('d', k * TICK, (2.0 * t, 0.0, 1.0), UPRIGHT, (2.0, 0.0, 0.0), ZERO)
        ticks.append(scene.advance((k + 1) * TICK))
    told = sum(np.array(e.delta_v_a) for e in events_of(ticks) if e.phase is not Phase.END)
    np.testing.assert_allclose(measured(ticks)[1], told, atol=1e-9)
    assert told[0] < -2.0


def test_a_drone_that_hangs_feels_its_rod():
    beam = WallConfig('beam', Box((0.1, 0.1, 0.1)), Pose((0.0, 0.0, 2.0)))
    scene = make_scene('d', authority='simulate', gravity=GRAVITY, walls=[beam])
    scene.watch_imus({'d': ZERO})
    scene.feed_drone('d', 0, (0.0, 0.0, 1.0), UPRIGHT, ZERO, ZERO)
    scene.feed_wrench('d', 0, ZERO, ZERO)
    scene.advance(TICK)
    scene.attach('distance', 'beam', 'd')
    for k in range(1, 60):
        scene.feed_wrench('d', k * TICK, ZERO, ZERO)
        tick = scene.advance((k + 1) * TICK)
    np.testing.assert_allclose(tick.imus[0].linear_acceleration, (0.0, 0.0, G), atol=1e-3)


def run(watched):
    scene = make_scene('d', 'e', gravity=GRAVITY, walls=[wall_x(0.3), floor()])
    if watched:
        scene.watch_imus({'e': (0.02, 0.0, 0.0), 'd': ZERO})
    hashes = []
    for k in range(60):
        for name, y in (('d', 0.0), ('e', 0.15)):
            scene.feed_drone(name, k * TICK, (k * 0.01, y, 0.05), UPRIGHT, (2.0, 0.0, 0.0), ZERO)
        scene.advance((k + 1) * TICK)
        hashes.append(scene.state_hash())
    return hashes


def test_looking_changes_no_bit():
    assert run(True) == run(False)


def test_bad_places_are_told():
    scene = make_scene('d')
    for places, what in (({'x': ZERO}, "'x': must be a drone (d)"), ({'d': (0.0, 1.0)}, 'd: must be 3 numbers'),
                         ({'d': (0.0, math.nan, 0.0)}, 'd: must be 3 numbers'),
                         ({'d': (0.0, 200.0, 0.0)}, 'at most 100 m')):
        with pytest.raises(ValueError, match='watch_imus') as error:
            scene.watch_imus(places)
        assert what in str(error.value)


def test_reset_authority_and_absence():
    scene = make_scene('d', gravity=GRAVITY, walls=[floor()])
    scene.watch_imus({'d': ZERO})
    assert scene.advance(TICK).imus == ()      # nothing is known of it
    for k in range(1, 20):
        if k == 10:
            scene.reset()
        scene.feed_drone('d', k * TICK, (0.0, 0.0, 1.0), UPRIGHT, (1.0 if k < 10 else 0.0, 0.0, 0.0), ZERO)
        if k == 15:
            scene.set_authority('d', 'observe')
        tick = scene.advance((k + 1) * TICK)
        # what was before a reset is no acceleration
        np.testing.assert_allclose(tick.imus[0].linear_acceleration, (0.0, 0.0, G), atol=1e-9)
    scene.watch_imus({})
    assert scene.advance(21 * TICK).imus == ()

