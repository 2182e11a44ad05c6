# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What contacts add to a simulator's IMU: nothing is lost at any two rates, nothing changes without a contact."""
import numpy as np
import pytest
from scene_worlds import MS, TICK, UPRIGHT, ZERO, events_of, floor, make_scene, wall_x

from hakoniwa_rigid import rotations as rot
from hakoniwa_rigid.scene import ImuRecord, Phase
from hakoniwa_rigid.scene.sensing.imu_sum import ImuSample, ImuSum

G = 9.80665
HOVER = (0.0, 0.0, G)


def record(added=ZERO, beside=True, turn=UPRIGHT, orientation=UPRIGHT, rate=ZERO, seconds=5e-3):
    return ImuRecord('d', seconds, orientation, ZERO, HOVER, ZERO, beside, True, turn, tuple(added), tuple(rate))


def sample(stamp_ns, force=HOVER, orientation=UPRIGHT, spin=ZERO):
    return ImuSample(stamp_ns, orientation, spin, force)


def test_without_a_contact_samples_are_what_they_were():
    tested = ImuSum()
    for k in range(5):
        tested.add(record(beside=False) if k else None)
        given = [sample(k * TICK + MS), sample(k * TICK + 2 * MS)]
        assert all(a is b for a, b in zip(tested.samples(given), given, strict=True))
    assert tested.samples([]) == []


@pytest.mark.parametrize('every_ns', [MS, 2 * MS + MS // 2, TICK, 20 * MS, 33 * MS])
def test_no_impulse_is_lost_at_any_rate(every_ns):
    """Sum of (f_out - f_in) dt over samples = what ticks added."""
    tested, rng, added, got = ImuSum(), np.random.default_rng(4), np.zeros(3), np.zeros(3)
    next_ns, before = every_ns, 0
    tested.samples([sample(0)])
    for k in range(1, 200):
        hit = rng.normal(size=3) if k % 9 == 0 and k < 180 else np.zeros(3)
        tested.add(record(hit, beside=bool(hit.any())))
        added += hit
        given = []
        while next_ns <= k * TICK:
            given.append(sample(next_ns))
            next_ns += every_ns
        for out in tested.samples(given):
            got += np.subtract(out.linear_acceleration, HOVER) * (out.stamp_ns - before) * 1e-9
            before = out.stamp_ns
    np.testing.assert_allclose(got, added, atol=1e-9)


def test_the_first_sample_and_a_clock_that_goes_back_take_the_time_of_the_ticks():
    tested = ImuSum()
    tested.add(record((0.5, 0.0, 0.0)))
    assert tested.samples([sample(700 * MS)])[0].linear_acceleration == (100.0, 0.0, G)
    tested.add(record((0.5, 0.0, 0.0)))
    assert tested.samples([sample(5 * MS)])[0].linear_acceleration == (100.0, 0.0, G)


def test_a_drone_that_is_turned_away_measures_in_its_own_axes():
    """Turned by 90 degrees about x against its simulator's: what was z there is y here."""
    turn = tuple(rot.xyzw(rot.from_vector(np.array([0.5 * np.pi, 0.0, 0.0]))).tolist())
    tested = ImuSum()
    tested.add(record((0.0, 0.05, 0.0), turn=turn, orientation=turn, rate=(0.0, 0.0, 1.0)))
    (out,) = tested.samples([sample(TICK, spin=(0.0, 0.0, 2.0))])
    np.testing.assert_allclose(out.linear_acceleration, (0.0, 10.0 + G, 0.0), atol=1e-12)
    np.testing.assert_allclose(out.angular_velocity, (0.0, 2.0, 1.0), atol=1e-12)
    np.testing.assert_allclose(out.orientation_xyzw, turn, atol=1e-12)


def test_a_simulated_drone_is_the_engines_whatever_its_simulator_says():
    tested = ImuSum()
    tested.add(record()._replace(led=False, contact=(2.0, 0.0, 0.0), linear_acceleration=(2.0, 0.0, 1.0),
                                 angular_velocity=(0.0, 0.3, 0.0)))
    (out,) = tested.samples([sample(TICK, (7.0, 7.0, 7.0))])
    np.testing.assert_allclose(out.linear_acceleration, (2.0, 0.0, 1.0), atol=1e-12)
    assert out.angular_velocity == (0.0, 0.3, 0.0)


@pytest.mark.parametrize('every', [1, 4])
def test_a_corrected_drone_on_a_floor_reads_gravity_with_its_simulators_imu(every):
    """Its simulator hovers 5 cm below the floor; the samples of its IMU, g upwards, come at every few ticks."""
    scene, tested = make_scene('d', gravity=(0.0, 0.0, -G), walls=[floor()]), ImuSum()
    scene.watch_imus({'d': (0.05, 0.0, 0.0)})
    for k in range(300):
        scene.feed_drone('d', k * TICK, (0.0, 0.0, max(0.06 - 1e-3 * k, -0.05)), UPRIGHT, ZERO, ZERO)
        tick = scene.advance((k + 1) * TICK)
        tested.add(tick.imus[0])
        if k % every == every - 1:
            (out,) = tested.samples([sample((k + 1) * TICK)])
    assert tick.imus[0].contact[2] > 0.5
    np.testing.assert_allclose(out.linear_acceleration, HOVER, atol=1e-6)


@pytest.mark.parametrize('place', [ZERO, (0.08, 0.02, 0.0)])
def test_both_ways_to_measure_agree_through_a_crash(place):
    """The IMU of its own, against the sum with a simulator's whose flight has closed forms: constant speed."""
    scene, tested = make_scene('d', gravity=(0.0, 0.0, -G), walls=[wall_x(0.3, 0.5)]), ImuSum()
    scene.watch_imus({'d': place})
    tested.samples([sample(0)])
    ticks = []
    for k in range(1, 60):
        scene.feed_drone('d', k * TICK, (0.01 * k, 0.0, 1.0), UPRIGHT, (2.0, 0.0, 0.0), ZERO)
        ticks.append(scene.advance((k + 1) * TICK))
        if not ticks[-1].imus:
            continue
        own = ticks[-1].imus[0]
        tested.add(own)
        (out,) = tested.samples([sample(k * TICK)])
        np.testing.assert_allclose(out.linear_acceleration, own.linear_acceleration, atol=1e-7)
        np.testing.assert_allclose(out.angular_velocity, own.angular_velocity, atol=1e-9)
    assert any(e.phase is Phase.BEGIN for e in events_of(ticks))
