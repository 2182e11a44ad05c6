# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bad, late, missing and odd inputs: the verdict, one count, the other drones untouched, and how the drone comes
back."""
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scene_worlds import MS, TICK, UPRIGHT, ZERO, events_of, fly, make_scene, wall_x

from hakoniwa_rigid.engine import Box
from hakoniwa_rigid.scene import CollisionScene, Verdict, WorldConfig
from hakoniwa_rigid.scene.records import REJECTED, STALE
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig, DroneModel, Pose

S = 1000 * MS
GRAVITY_FREE = {'gravity': (0.0, 0.0, 0.0)}


def hover(scene, name, position, start, end):
    return fly(scene, name, lambda t: (np.array(position, float), np.zeros(3)), start, end)


BAD = {
    'NaN position': (((np.nan, 0, 0), UPRIGHT, ZERO, ZERO), Verdict.NOT_FINITE),
    'infinite velocity': ((ZERO, UPRIGHT, (np.inf, 0, 0), ZERO), Verdict.NOT_FINITE),
    'NaN rate': ((ZERO, UPRIGHT, ZERO, (0, 0, np.nan)), Verdict.NOT_FINITE),
    'NaN attitude': ((ZERO, (0, 0, 0, np.nan), ZERO, ZERO), Verdict.NOT_FINITE),
    'zero quaternion': ((ZERO, (0, 0, 0, 0), ZERO, ZERO), Verdict.NON_UNIT_QUATERNION),
    'long quaternion': ((ZERO, (0, 0, 0, 1.1), ZERO, ZERO), Verdict.NON_UNIT_QUATERNION),
    'absurd position': (((1e9, 0, 0), UPRIGHT, ZERO, ZERO), Verdict.OUT_OF_RANGE),
    'huge quaternion': ((ZERO, (1e200, 0, 0, 1e200), ZERO, ZERO), Verdict.NON_UNIT_QUATERNION),
    'absurd velocity': ((ZERO, UPRIGHT, (1e7, 0, 0), ZERO), Verdict.OUT_OF_RANGE),
    'short position': (((0, 0), UPRIGHT, ZERO, ZERO), Verdict.WRONG_SIZE),
    'text': (('a', UPRIGHT, ZERO, ZERO), Verdict.WRONG_SIZE),
}


@pytest.mark.parametrize('case', BAD)
def test_bad_sample_is_refused_counted_and_harmless(case):
    sample, verdict = BAD[case]
    scene = make_scene('d0', 'd1')
    for now in range(TICK, 20 * TICK, TICK):
        for k, name in enumerate(('d0', 'd1')):
            assert scene.feed_drone(name, now, (k, 0, 1), UPRIGHT, ZERO, ZERO) is Verdict.ACCEPTED
        if now == 10 * TICK:
            assert scene.feed_drone('d0', now + 1, *sample) is verdict
        tick = scene.advance(now)
        assert_array_equal(tick.states.positions, [(0, 0, 1), (1, 0, 1)])
        assert tick.states.flags.tolist() == [REJECTED if now == 10 * TICK else 0, 0]
    assert scene.counters == {(str(verdict), 'd0'): 1}
    assert scene.last_rejected[(str(verdict), 'd0')]


def test_unknown_names_are_counted_each():
    scene = make_scene('d0')
    assert scene.feed_drone('ghost', 0, ZERO, UPRIGHT) is Verdict.UNKNOWN_NAME
    assert scene.feed_wrench('ghost', 0, ZERO, ZERO) is Verdict.UNKNOWN_NAME
    assert scene.feed_motor_speeds('ghost', 0, [1.0]) is Verdict.UNKNOWN_NAME
    assert scene.feed_hand('left', 0, np.zeros((1, 3))) is Verdict.UNKNOWN_NAME
    assert scene.counters == {('unknown_name', 'ghost'): 3, ('unknown_name', 'left'): 1}
    assert scene.last_rejected[('unknown_name', 'left')] == 'not one of '


def test_bad_forces():
    scene = make_scene('d0', authority='simulate')
    assert scene.feed_wrench('d0', 0, (np.nan, 0, 0), ZERO) is Verdict.NOT_FINITE
    assert scene.feed_wrench('d0', 0, (1e9, 0, 0), ZERO) is Verdict.OUT_OF_RANGE
    assert scene.feed_wrench('d0', 0, (1, 0), ZERO) is Verdict.WRONG_SIZE
    assert scene.feed_motor_speeds('d0', 0, [1.0]) is Verdict.NO_ROTORS
    assert scene.advance(TICK).states.flags[0] == STALE | REJECTED


@pytest.mark.parametrize('dt', [1e-3, 1e-2])
def test_wrench_of_one_drone_stops_no_other(dt):
    """A load that brings a drone beyond its limits of speed in one step is refused; one just below may be flown, though
    not faster than the limits."""
    model = DroneModel('light', 0.03, (1.6e-5, 1.6e-5, 2.9e-5), Box((0.1, 0.1, 0.03)))
    drones = tuple(DroneConfig(name, model, Pose((x, 0.0, 5.0)), 'simulate') for name, x in (('a', 0.0), ('b', 3.0)))
    scene = CollisionScene(WorldConfig(dt=dt, drones=drones))
    force, torque = scene.params.linear_velocity_limit / dt * 0.03, scene.params.angular_velocity_limit / dt * 1.6e-5
    for k in range(30):
        now = 10_000_000 * k
        assert scene.feed_wrench('a', now, ZERO, (0.0, 0.0, 1.01 * torque)) is Verdict.OUT_OF_RANGE
        assert scene.feed_wrench('a', now, (0.0, -1.01 * force, 0.0), ZERO) is Verdict.OUT_OF_RANGE
        sign = 0.99 * (-1) ** k
        assert scene.feed_wrench('a', now, (sign * force,) * 3, (sign * torque,) * 3) is Verdict.ACCEPTED
        scene.feed_wrench('b', now, (0.0, 0.0, 0.03 * 9.80665), ZERO)
        tick = scene.advance(now)
    assert_allclose(tick.states.positions[1], (3.0, 0.0, 5.0), atol=1e-9)


def test_stamp_going_back_is_refused_and_the_plan_goes_on():
    scene = make_scene('d0')
    hover(scene, 'd0', (0, 0, 1), 0, 100 * MS)
    assert scene.feed_drone('d0', 50 * MS, (9, 9, 9), UPRIGHT) is Verdict.STAMP_BACKWARDS
    assert scene.feed_drone('d0', 90 * MS, (9, 9, 9), UPRIGHT) is Verdict.STAMP_REPEATED
    assert_array_equal(scene.advance(105 * MS).states.positions[0], (0, 0, 1))
    assert scene.counters == {('stamp_backwards', 'd0'): 1, ('stamp_repeated', 'd0'): 1}


def test_late_packets_between_good_ones_never_restart_the_stream():
    scene = make_scene('d0')
    for k in range(20, 60):
        scene.feed_drone('d0', k * TICK, (0, 0, 1), UPRIGHT, ZERO, ZERO)
        assert scene.feed_drone('d0', (k - 15) * TICK, (0, 0, 5), UPRIGHT, ZERO, ZERO) is Verdict.STAMP_BACKWARDS
        assert_array_equal(scene.advance(k * TICK).states.positions[0], (0, 0, 1))


@pytest.mark.parametrize(('ahead', 'refused'), [(3600 * S, 2), (300 * MS, 9)])
def test_source_whose_clock_went_back_is_let_in_again(ahead, refused):
    """The source's clock runs ahead and is then set right: back by an hour, two refusals; back by 0.3 s, as late
    packets could be, nine; then a reset at its new place, no velocity."""
    scene = make_scene('d0', **GRAVITY_FREE)
    now = 0
    for _ in range(10):
        now += 10 * MS
        scene.feed_drone('d0', now + ahead, (0, 0, 1), UPRIGHT)
        scene.advance(now)
    verdicts = []
    for _ in range(refused + 2):
        now += 10 * MS
        verdicts.append(scene.feed_drone('d0', now, (7, 0, 1), UPRIGHT))
        s = scene.advance(now).states
    assert verdicts == [Verdict.STAMP_BACKWARDS] * refused + [Verdict.RESTARTED, Verdict.ACCEPTED]
    assert_array_equal(s.positions[0], (7, 0, 1))
    assert_array_equal(s.linear_velocities[0], ZERO)
    assert s.flags[0] == 0
    assert scene.counters == {('stamp_backwards', 'd0'): refused, ('restarted', 'd0'): 1}


def test_killed_and_restarted_source_with_the_same_clock_just_goes_on():
    scene = make_scene('d0', **GRAVITY_FREE)
    hover(scene, 'd0', (0, 0, 1), 0, 100 * MS)
    scene.advance(2 * S)
    assert scene.feed_drone('d0', 2 * S, (3, 0, 1), UPRIGHT) is Verdict.ACCEPTED
    s = scene.advance(2 * S + TICK).states
    assert_array_equal(s.positions[0], (3, 0, 1))
    assert_array_equal(s.linear_velocities[0], ZERO)
    assert s.flags[0] == 0 and scene.counters == {}


def test_clock_reset_starts_the_scene_anew():
    """Simulation time jumps back: the scene follows, and takes the first new samples."""
    scene = make_scene('d0', **GRAVITY_FREE)
    hover(scene, 'd0', (0, 0, 1), 0, 900 * MS)
    tick = scene.advance(10 * MS)
    assert (tick.stamp_ns, tick.steps, tick.overrun_steps) == (10 * MS, 0, 0)
    assert scene.feed_drone('d0', 12 * MS, (3, 0, 1), UPRIGHT) is Verdict.ACCEPTED
    s = scene.advance(20 * MS).states
    assert_array_equal(s.positions[0], (3, 0, 1))
    assert s.flags[0] == 0
    assert scene.counters == {('stamp_backwards', 'advance'): 1}


def test_stale_source_freezes_then_leaves_contact_and_returns():
    """Flying at 2 m/s, killed at 0.1 s: extrapolated 0.2 s, still from then on, STALE from 0.5 s, out of contact from
    1 s; then it comes back elsewhere without a kick."""
    scene = make_scene('d0', 'd1', **GRAVITY_FREE)
    plan = lambda t: (np.array([2.0 * t, 0, 1]), np.array([2.0, 0, 0]))  # noqa: E731
    fly(scene, 'd0', plan, 0, 105 * MS)
    seen = {}
    for now in range(110 * MS, 1400 * MS, TICK):
        seen[now] = scene.advance(now).states
    assert_allclose(seen[250 * MS].positions[0], (0.5, 0, 1), atol=1e-12)
    for now in (400 * MS, 600 * MS, 1395 * MS):
        assert_allclose(seen[now].positions[0], (0.6, 0, 1), atol=1e-12)
        assert_array_equal(seen[now].linear_velocities[0], ZERO)
    assert [int(seen[now].flags[0]) for now in (600 * MS, 605 * MS)] == [0, STALE]
    # another drone flies through where it stood
    through = lambda t: (np.array([0.6, 2.0 * (t - 1.7), 1]), np.array([0, 2.0, 0]))  # noqa: E731
    ticks = fly(scene, 'd1', through, 1400 * MS, 2000 * MS)
    assert events_of(ticks) == []
    assert scene.feed_drone('d0', 2000 * MS, (4, 4, 4), UPRIGHT) is Verdict.ACCEPTED
    s = scene.advance(2005 * MS).states
    assert_array_equal(s.positions[0], (4, 4, 4))
    assert_array_equal(s.linear_velocities[0], ZERO)
    assert s.flags[0] == 0


def test_sample_that_is_stale_on_arrival_is_refused():
    scene = make_scene('d0')
    scene.advance(2 * S)
    assert scene.feed_drone('d0', 1 * S, ZERO, UPRIGHT) is Verdict.STALE
    assert scene.counters == {('stale', 'd0'): 1}


def test_drone_without_data_is_not_there():
    scene = make_scene('d0', 'd1', **GRAVITY_FREE)
    plan = lambda t: (np.array([2.0 * (t - 0.2), 0, 0]), np.array([2.0, 0, 0]))  # noqa: E731
    ticks = fly(scene, 'd1', plan, 0, 400 * MS)
    assert events_of(ticks) == []
    assert ticks[-1].states.flags.tolist() == [STALE, 0]


def test_teleport_resets_and_never_becomes_a_velocity():
    """Pose-only source: 3 m in one sample is a reset with zero velocity; 0.02 m in 10 ms is 2 m/s."""
    scene = make_scene('d0', **GRAVITY_FREE)
    assert scene.feed_drone('d0', 0, (0, 0, 1), UPRIGHT) is Verdict.ACCEPTED
    scene.advance(TICK)
    assert scene.feed_drone('d0', 10 * MS, (0.02, 0, 1), UPRIGHT) is Verdict.ACCEPTED
    s = scene.advance(10 * MS).states
    assert_allclose(s.linear_velocities[0], (2.0, 0, 0), atol=1e-12)
    assert scene.feed_drone('d0', 20 * MS, (3.0, 0, 1), UPRIGHT) is Verdict.TELEPORT
    s = scene.advance(20 * MS).states
    assert_array_equal(s.positions[0], (3.0, 0, 1))
    assert_array_equal(s.linear_velocities[0], ZERO)
    assert scene.counters == {('teleport', 'd0'): 1}


def test_fast_flight_with_gaps_is_no_teleport():
    """20 m/s at 10 Hz moves 2 m per sample: expected motion, no reset."""
    scene = make_scene('d0', **GRAVITY_FREE)
    for k in range(20):
        assert scene.feed_drone('d0', k * 100 * MS, (2.0 * k, 0, 1), UPRIGHT, (20.0, 0, 0), ZERO) is Verdict.ACCEPTED
        scene.advance(k * 100 * MS)


def test_angular_velocity_from_poses():
    """Yawing at 2 rad/s, poses only, 100 Hz."""
    scene = make_scene('d0', **GRAVITY_FREE)
    for k in range(5):
        half = 0.5 * 2.0 * k * 0.01
        scene.feed_drone('d0', k * 10 * MS, ZERO, (0, 0, np.sin(half), np.cos(half)), ZERO)
        s = scene.advance(k * 10 * MS).states
    assert_allclose(s.angular_velocities[0], (0, 0, 2.0), atol=1e-12)


def test_velocity_from_poses_is_bounded():
    scene = make_scene('d0', scene={'max_speed': 5.0}, **GRAVITY_FREE)
    scene.feed_drone('d0', 0, ZERO, UPRIGHT)
    scene.feed_drone('d0', 10 * MS, (1.0, 0, 0), UPRIGHT)
    assert_allclose(scene.advance(10 * MS).states.linear_velocities[0], (5.0, 0, 0), atol=1e-12)


def test_fleet_call_equals_single_calls_to_the_bit():
    one, many = (make_scene('d0', 'd1', 'd2', walls=[wall_x(0.5)]) for _ in range(2))
    rng = np.random.default_rng(7)
    for k in range(40):
        now = k * TICK
        x, v, w = rng.normal(size=(3, 3)) * 0.1, rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
        q = rng.normal(size=(3, 4))
        q /= np.linalg.norm(q, axis=1)[:, None]
        for i, name in enumerate(('d0', 'd1', 'd2')):
            one.feed_drone(name, now, x[i], q[i], v[i], w[i])
        names = ('d0', 'd1', 'd2') if k % 2 else np.arange(3)
        assert many.feed_drones(names, now, x, q, v, w) == {Verdict.ACCEPTED: 3}
        one.advance(now)
        many.advance(now)
        assert one.state_hash() == many.state_hash()


def test_fleet_call_judges_every_row_by_itself():
    scene = make_scene('d0', 'd1')
    x, q = np.array([[0, 0, 1.0], [np.nan, 0, 0], [0, 0, 3]]), np.tile(UPRIGHT, (3, 1))
    assert scene.feed_drones(['d0', 'd1', 'ghost'], 0, x, q) == {
        Verdict.UNKNOWN_NAME: 1, Verdict.ACCEPTED: 1, Verdict.NOT_FINITE: 1}
    assert scene.feed_drones(['d0', 'd1'], 0, x, q) == {Verdict.WRONG_SIZE: 2}
    assert scene.feed_drones(np.array([0, 7]), 5, x[[0, 2]], q[:2]) == {Verdict.UNKNOWN_NAME: 1, Verdict.ACCEPTED: 1}


def test_late_advance_is_capped_and_the_overrun_counted():
    scene = make_scene('d0')
    tick = scene.advance(5 * S)
    assert (tick.steps, tick.overrun_steps, tick.stamp_ns) == (100, 4900, 5 * S)


def test_stamps_are_whole_steps():
    scene = make_scene('d0')
    tick = scene.advance(7 * MS + 654_321)
    assert (tick.steps, tick.stamp_ns) == (7, 7 * MS)
    assert scene.advance(8 * MS).stamp_ns == 8 * MS


def test_disabled_scene_passes_plans_through():
    scene = make_scene('d0', walls=[wall_x(0.5)], **GRAVITY_FREE)
    scene.set_enabled(False)
    plan = lambda t: (np.array([2.0 * t, 0, 0]), np.array([2.0, 0, 0]))  # noqa: E731
    ticks = fly(scene, 'd0', plan, 0, 400 * MS)
    assert events_of(ticks) == []
    assert_allclose(ticks[-1].states.positions[0], (0.8, 0, 0), atol=1e-12)
    scene.set_enabled(True)
    tick = fly(scene, 'd0', lambda t: (np.zeros(3), np.zeros(3)), 400 * MS, 410 * MS)[-1]
    assert_array_equal(tick.states.positions[0], ZERO)


def test_reset_begins_again():
    scene = make_scene('d0', walls=[wall_x(0.5)], **GRAVITY_FREE)
    plan = lambda t: (np.array([2.0 * (t % 0.5), 0, 0]), np.array([2.0, 0, 0]))  # noqa: E731
    first = events_of(fly(scene, 'd0', plan, 0, 250 * MS))
    scene.reset()
    assert scene.advance(500 * MS).states.flags[0] == STALE
    second = events_of(fly(scene, 'd0', plan, 500 * MS, 750 * MS))
    assert [e.phase for e in first] == [e.phase for e in second]
    assert_allclose(second[0].impulse, first[0].impulse, rtol=1e-9, atol=1e-9)
    assert second[0].id > first[0].id


def test_fleet_wrenches_equal_single_ones_and_are_judged_one_by_one():
    one, many = (make_scene('d0', 'd1', authority='simulate') for _ in range(2))
    force, torque = np.array([(0, 0, 8.0), (0.1, 0, 7.0)]), np.array([(0, 0, 0.01), (0.0, 0, 0)])
    for k in range(20):
        for i, name in enumerate(('d0', 'd1')):
            one.feed_wrench(name, k * TICK, force[i], torque[i])
        assert many.feed_wrenches(np.arange(2), k * TICK, force, torque) == {Verdict.ACCEPTED: 2}
        one.advance((k + 1) * TICK)
        many.advance((k + 1) * TICK)
        assert one.state_hash() == many.state_hash()
    late = np.array([20 * TICK, 0, 20 * TICK])
    force = np.array([(np.inf, 0, 0), (0, 0, 1.0), (0, 0, 1.0)])
    assert many.feed_wrenches(('d0', 'd1', 'ghost'), late, force, np.zeros((3, 3))) == {
        Verdict.NOT_FINITE: 1, Verdict.STAMP_BACKWARDS: 1, Verdict.UNKNOWN_NAME: 1}
    assert many.feed_wrenches(('d0',), 0, force, force) == {Verdict.WRONG_SIZE: 1}
