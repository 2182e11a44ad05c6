# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a user of each authority mode sees.  Closed forms stand in the tests; e = 0.5 drone on e = 0 wall gives e =
0.5."""
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scene_worlds import (
    MODEL,
    MS,
    TICK,
    UPRIGHT,
    ZERO,
    events_of,
    floor,
    fly,
    make_scene,
    wall_x,
)

from hakoniwa_rigid.engine import Box
from hakoniwa_rigid.rotations import from_rpy
from hakoniwa_rigid.scene import Phase, Verdict
from hakoniwa_rigid.scene.drones.tick_kernels import pull
from hakoniwa_rigid.scene.records import DEFLECTED, IN_CONTACT, STALE
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig, DroneModel, Pose, RotorConfig

M, G = 0.71, 9.80665
TAU = 0.3
GRAVITY_FREE = {'gravity': (0.0, 0.0, 0.0)}


def straight(velocity, start=ZERO):
    """A plan at constant velocity."""
    v, x = np.array(velocity), np.array(start)
    return lambda t: (x + v * t, v)


def hover(*position):
    return lambda t: (np.array(position), np.zeros(3))


# -- correct

def test_correct_free_flight_is_the_plan_to_the_bit():
    scene = make_scene('d0')
    rng = np.random.default_rng(1)
    for k in range(1, 60):
        now = k * TICK
        q = rng.normal(size=4)
        q /= np.sqrt((q * q).sum())
        x, v, w = rng.normal(size=3) * 0.01, rng.normal(size=3), rng.normal(size=3)
        scene.feed_drone('d0', now, x, q, v, w)
        s = scene.advance(now).states
        assert_array_equal(s.positions[0], x)
        assert_array_equal(s.linear_velocities[0], v)
        assert_allclose(s.orientations_xyzw[0], q, rtol=0, atol=3e-16)
        assert s.flags[0] == 0


def test_correct_wall_hit_bounces_off_the_plan():
    """Plan at 2 m/s into a wall: v' = -e v at the impact, the event says so."""
    scene = make_scene('d0', walls=[wall_x(0.5)], **GRAVITY_FREE)
    ticks = fly(scene, 'd0', straight((2.0, 0, 0)), 0, 210 * MS)
    begin = events_of(ticks)[0]
    # the face, 0.1 m ahead, meets the wall at t = 0.2 s
    assert begin.phase is Phase.BEGIN and abs(begin.stamp_ns - 200 * MS) <= 1
    assert (begin.body_a, begin.body_b, begin.part_a, begin.part_b) == ('d0', 'wall', 'body', '')
    assert_allclose(begin.impulse, (1.5 * 2.0 * M, 0, 0), rtol=1e-9, atol=1e-9)
    assert_allclose(begin.delta_v_a, (-3.0, 0, 0), rtol=1e-9, atol=1e-9)
    assert begin.delta_v_b == ZERO and begin.delta_omega_b == ZERO
    assert_allclose(begin.relative_velocity_before, (-2.0, 0, 0), rtol=1e-9, atol=1e-9)
    assert_allclose(begin.relative_velocity_after, (1.0, 0, 0), rtol=1e-9, atol=1e-9)
    hit = next(t for t in ticks if t.states.flags[0] & IN_CONTACT)
    assert hit.states.flags[0] == IN_CONTACT | DEFLECTED
    assert_allclose(hit.states.linear_velocities[0], (-1.0, 0, 0), atol=1e-6)


def offset(scene, now_ns, dx, dv):
    """Give drone 0 an offset the way a contact does: in the engine, while marked as touching."""
    row = np.array([0])
    scene._fleet.offset.dx[row], scene._fleet.offset.dv[row] = dx, dv
    body = scene.world.index('d0')
    scene.world.set_state(body, pos=scene.world.pos[body] + dx, linvel=scene.world.linvel[body] + dv)


@pytest.mark.parametrize(('dx', 'dv'), [((0.05, 0, 0), (0, 0, 0)), ((0, 0.02, 0), (0.1, 0, -0.2)),
                                        ((0.03, 0, 0.01), (-0.3, 0, 0))])
def test_correct_offset_decays_critically_damped(dx, dv):
    """d(t) = (d0 + (v0 + d0/tau) t) exp(-t/tau) while the pull stays below g; to 1e-3 of the start (here 1e-4)."""
    scene = make_scene('d0')
    plan = straight((1.0, 0.5, 0.0))
    fly(scene, 'd0', plan, 0, 50 * MS)
    dx, dv = np.array(dx, float), np.array(dv, float)
    offset(scene, 50 * MS, dx, dv)
    scale = np.linalg.norm(dx) + TAU * np.linalg.norm(dv)
    for tick in fly(scene, 'd0', plan, 50 * MS, 1050 * MS):
        t = tick.stamp_ns * 1e-9 - 0.05
        want = (dx + (dv + dx / TAU) * t) * np.exp(-t / TAU)
        seen = tick.states.positions[0] - plan(tick.stamp_ns * 1e-9)[0]
        assert_allclose(seen, want, rtol=0, atol=1e-4 * scale)


def test_correct_returns_to_the_plan_to_the_bit():
    scene = make_scene('d0')
    fly(scene, 'd0', hover(0, 0, 1), 0, 50 * MS)
    offset(scene, 50 * MS, np.array([0.02, 0, 0]), np.zeros(3))
    last = fly(scene, 'd0', hover(0, 0, 1), 50 * MS, 4050 * MS)[-1]
    assert_array_equal(last.states.positions[0], (0, 0, 1))
    assert last.states.flags[0] == 0


def test_pull_is_bounded_by_gravity():
    """A drone thrown off its plan by 5 m/s is not pulled back harder than g."""
    scene = make_scene('d0')
    fly(scene, 'd0', hover(0, 0, 1), 0, 50 * MS)
    offset(scene, 50 * MS, np.zeros(3), np.array([5.0, 0, 0]))
    ticks = fly(scene, 'd0', hover(0, 0, 1), 50 * MS, 250 * MS)
    speeds = np.array([t.states.linear_velocities[0, 0] for t in ticks])
    assert_allclose(np.diff(speeds), -G * 0.005, rtol=1e-9)


def test_pull_brings_the_rate_to_the_closed_solution():
    d, rate, h = np.array([[0.1, -0.2, 0.3]]), np.array([[1.0, 0.5, -2.0]]), 0.005
    b = rate + d / TAU
    want = (rate - b * h / TAU) * np.exp(-h / TAU)
    assert_allclose(rate + h * pull(d, rate, TAU, h), want, rtol=1e-14)


def test_correct_drone_rests_calmly_on_a_floor_its_plan_sinks_through():
    """The plan lands 10 cm below the floor: the drone rests on it within 0.1 mm and 1 mm/s, in one contact, PERSIST
    every 0.1 s; the floor's force is the pull: d/tau^2 for d = 0.125 m, times exp(-h/tau), its mean over a tick of h =
    5 ms."""
    scene = make_scene('d0', walls=[floor()])
    z0, speed, target = 0.3, 0.4, -0.1

    def sink(t):
        z = max(z0 - speed * t, target)
        return np.array([0, 0, z]), np.array([0, 0, -speed if z > target else 0.0])
    fly(scene, 'd0', sink, 0, 3000 * MS)
    ticks = fly(scene, 'd0', sink, 3000 * MS, 5000 * MS)
    z = np.array([t.states.positions[0, 2] for t in ticks])
    v = np.array([t.states.linear_velocities[0] for t in ticks])
    assert np.abs(z - 0.025).max() < 1e-4
    assert np.abs(v).max() < 1e-3
    assert all(t.states.flags[0] == IN_CONTACT | DEFLECTED for t in ticks)
    events = events_of(ticks)
    assert {e.phase for e in events} == {Phase.PERSIST} and len({e.id for e in events}) == 1
    force = sum(e.impulse[2] for e in events) / (0.1 * len(events))
    assert -force == pytest.approx(M * 0.125 / TAU**2 * np.exp(-0.005 / TAU), rel=1e-4)
    assert len(events) == 20


def test_correct_plan_noise_in_contact_does_not_shake_the_drone():
    """1 mm of noise on a plan that presses on the floor leaves the drone still: its speed stays below noise/tau, 4
    mm/s."""
    scene = make_scene('d0', walls=[floor()])
    rng = np.random.default_rng(3)

    def plan(t):
        return np.array([0, 0, -0.05]) + 1e-3 * rng.normal(size=3), np.zeros(3)
    fly(scene, 'd0', hover(0, 0, 0.03), 0, 100 * MS)
    fly(scene, 'd0', plan, 100 * MS, 2000 * MS)
    ticks = fly(scene, 'd0', plan, 2000 * MS, 4000 * MS)
    assert np.abs([t.states.linear_velocities[0] for t in ticks]).max() < 4e-3
    assert len({e.id for e in events_of(ticks)}) == 1


def test_sim_that_applies_the_correction_is_not_corrected_twice():
    """After a wall hit the source takes our state as its own: the offset is handed over, the drone flies on at its
    new velocity and is not pulled back."""
    scene = make_scene('d0', walls=[wall_x(0.5)], **GRAVITY_FREE)
    ticks = fly(scene, 'd0', straight((2.0, 0, 0)), 0, 250 * MS)
    s = ticks[-1].states
    x1, v1, t1 = s.positions[0].copy(), s.linear_velocities[0].copy(), ticks[-1].stamp_ns * 1e-9
    assert v1[0] < -0.5
    ticks = fly(scene, 'd0', lambda t: (x1 + v1 * (t - t1), v1), 250 * MS, 1000 * MS)
    for tick in ticks:
        t = tick.stamp_ns * 1e-9
        assert_allclose(tick.states.positions[0], x1 + v1 * (t - t1), atol=1e-9)
    assert ticks[-1].states.flags[0] == 0


def test_sim_that_applies_only_the_velocity_keeps_the_position_offset():
    scene = make_scene('d0', walls=[wall_x(0.5)], **GRAVITY_FREE)
    ticks = fly(scene, 'd0', straight((2.0, 0, 0)), 0, 250 * MS)
    s, t1 = ticks[-1].states, 0.25
    x1, v1 = s.positions[0].copy(), s.linear_velocities[0].copy()
    offset = np.array([2.0 * t1, 0, 0]) - x1

    def plan(t):
        return x1 + offset + v1 * (t - t1), v1
    tick = fly(scene, 'd0', plan, 250 * MS, 255 * MS)[0]
    assert_allclose(tick.states.linear_velocities[0], v1, atol=0.05)
    assert_allclose(tick.states.positions[0], x1 + v1 * 0.005, atol=1e-3)
    ticks = fly(scene, 'd0', plan, 260 * MS, 3250 * MS)
    speeds = np.array([t.states.linear_velocities[0, 0] for t in ticks])
    assert speeds.max() < v1[0] + 1.01 * np.exp(-1) * offset[0] / TAU + 0.05
    assert_allclose(ticks[-1].states.positions[0], plan(3.25)[0], atol=1e-3)


def test_touch_changes_velocity_by_no_more_than_its_impulse():
    """A slow brush along a wall: the sum of |dv| over the ticks is the impulses' plus the pull's, never a fling."""
    scene = make_scene('d0', walls=[wall_x(0.5)], **GRAVITY_FREE)
    ticks = fly(scene, 'd0', straight((0.05, 0.5, 0), (0.395, 0, 0)), 0, 1000 * MS)
    v = np.array([t.states.linear_velocities[0] for t in ticks])
    assert np.abs(v[:, 0]).max() <= 0.05 + 1e-9
    assert_allclose(v[:, 1], 0.5, atol=1e-9)


# -- observe

def test_observe_publishes_the_sample_plus_one_impulse():
    """A sim that ignores us flies on through the wall: one counted impulse, then zeros, END when it is through."""
    scene = make_scene('d0', authority='observe', walls=[wall_x(0.5)], **GRAVITY_FREE)
    ticks = fly(scene, 'd0', straight((2.0, 0, 0)), 0, 600 * MS)
    events = events_of(ticks)
    begin = events[0]
    assert_allclose(begin.impulse, (1.5 * 2.0 * M, 0, 0), rtol=1e-9, atol=1e-9)
    later = [e for e in events if e.phase is Phase.PERSIST]
    assert len(later) >= 3 and all(e.impulse == ZERO and e.delta_v_a == ZERO and e.delta_omega_a == ZERO for e in later)
    for tick in ticks:
        t = tick.stamp_ns * 1e-9
        assert_allclose(tick.states.positions[0], (2.0 * t, 0, 0), atol=1e-12)
        hit = tick.events and tick.events[0].phase is Phase.BEGIN
        assert_allclose(tick.states.linear_velocities[0], (-1.0 if hit else 2.0, 0, 0), atol=1e-8)


def test_observe_gives_a_second_impulse_only_for_a_renewed_approach():
    """The sim stops in the wall for 0.2 s, then pushes on at 1 m/s: two impulses, (1+e) m v each with its own v."""
    scene = make_scene('d0', authority='observe', walls=[wall_x(0.5)], **GRAVITY_FREE)

    def plan(t):
        if t < 0.21:
            return np.array([2.0 * t, 0, 0]), np.array([2.0, 0, 0])
        if t < 0.4:
            return np.array([0.42, 0, 0]), np.zeros(3)
        return np.array([0.42 + (t - 0.4), 0, 0]), np.array([1.0, 0, 0])
    events = events_of(fly(scene, 'd0', plan, 0, 600 * MS))
    counted = [e for e in events if e.phase is not Phase.END and any(e.impulse)]
    assert [e.phase for e in counted] == [Phase.BEGIN, Phase.PERSIST]
    assert len({e.id for e in counted}) == 1
    assert_allclose([e.impulse[0] for e in counted], [1.5 * 2.0 * M, 1.5 * 1.0 * M], rtol=1e-6)


def test_observe_sim_that_obeys_ends_the_contact():
    scene = make_scene('d0', authority='observe', walls=[wall_x(0.5)], **GRAVITY_FREE)

    def plan(t):
        return (np.array([2.0 * t, 0, 0]), np.array([2.0, 0, 0])) if t <= 0.2 else \
            (np.array([0.4 - (t - 0.2), 0, 0]), np.array([-1.0, 0, 0]))
    events = events_of(fly(scene, 'd0', plan, 0, 400 * MS))
    assert [e.phase for e in events] == [Phase.BEGIN, Phase.END]
    assert events[0].id == events[1].id and events[1].impulse == events[0].impulse


# -- simulate

def test_simulate_falls_and_hovers():
    scene = make_scene('d0', authority='simulate')
    scene.feed_drone('d0', 0, (0, 0, 10), UPRIGHT, ZERO, ZERO)
    s = scene.advance(500 * MS - 400 * MS).states
    assert_allclose(s.positions[0], (0, 0, 10 - 0.5 * G * 0.1**2), atol=1e-9)
    v = s.linear_velocities[0, 2]
    for k in range(20, 40):
        scene.feed_wrench('d0', k * TICK, (0, 0, M * G), ZERO)
        s = scene.advance((k + 1) * TICK).states
    assert_allclose(s.linear_velocities[0], (0, 0, v), atol=1e-9)
    assert s.flags[0] == 0


def test_simulate_starts_at_its_start_pose_when_only_forces_come():
    model = DroneModel('t', M, MODEL.inertia, MODEL.shape)
    scene = make_scene(DroneConfig('d0', model, Pose((1, 2, 3)), 'simulate'))
    assert scene.advance(TICK).states.flags[0] == STALE
    scene.feed_wrench('d0', TICK, (0, 0, M * G), ZERO)
    s = scene.advance(2 * TICK).states
    assert_allclose(s.positions[0], (1, 2, 3), atol=1e-12)
    assert s.flags[0] == 0


def test_simulate_wrench_turns_with_the_body():
    """Pitched by 90 degrees, body +z is world +x: a = F/m along x."""
    model = DroneModel('t', M, MODEL.inertia, MODEL.shape)
    scene = make_scene(DroneConfig('d0', model, Pose(ZERO, from_rpy((0, np.pi / 2, 0))), 'simulate'), **GRAVITY_FREE)
    for k in range(20):
        scene.feed_wrench('d0', k * TICK, (0, 0, M), ZERO)
        s = scene.advance((k + 1) * TICK).states
    assert_allclose(s.linear_velocities[0], (0.1, 0, 0), atol=1e-12)
    assert_allclose(s.positions[0], (0.005, 0, 0), atol=1e-12)


def test_simulate_drag_reaches_the_closed_form():
    """v(t) = v0 exp(-c t/m), exact at the ticks; terminal fall m g / c."""
    model = DroneModel('t', M, MODEL.inertia, MODEL.shape, drag=0.5)
    scene = make_scene(DroneConfig('d0', model, Pose(), 'simulate'))
    scene.feed_drone('d0', 0, ZERO, UPRIGHT, (3.0, 0, 0), ZERO)
    for k in range(1, 101):
        s = scene.advance(k * TICK).states
    decay = np.exp(-0.5 / M * 0.5)
    assert_allclose(s.linear_velocities[0], (3.0 * decay, 0, -M * G / 0.5 * (1 - decay)), rtol=1e-9, atol=1e-12)


def test_simulate_motor_speeds_lift_yaw_and_roll():
    """T = Ct w^2 at +-l, reaction Cq w^2 against the spin: force, yaw and roll accelerations from the table by hand."""
    ct, cq, arm, w = 1e-5, 2e-7, 0.1, 400.0
    rotors = (RotorConfig((0, arm, 0), ct, cq, 'ccw'), RotorConfig((0, -arm, 0), ct, cq, 'cw'))
    inertia = (0.01, 0.02, 0.025)
    model = DroneModel('t', 1.0, inertia, Box((0.2, 0.2, 0.05)), rotors=rotors)
    scene = make_scene(DroneConfig('d0', model, Pose(), 'simulate'), **GRAVITY_FREE)
    scene.feed_motor_speeds('d0', 0, (w, 0.5 * w))
    s = scene.advance(MS).states
    lift = ct * w * w * np.array([1.0, 0.25])
    assert_allclose(s.linear_velocities[0, 2], lift.sum() * 1e-3, rtol=1e-6)
    roll, yaw = arm * (lift[0] - lift[1]), cq * w * w * (-1.0 + 0.25)
    want = (roll / inertia[0] * 1e-3, 0, yaw / inertia[2] * 1e-3)
    assert_allclose(s.angular_velocities[0], want, rtol=1e-5, atol=1e-7)


def test_simulate_poses_do_not_move_it_but_a_teleport_does():
    scene = make_scene('d0', authority='simulate', **GRAVITY_FREE)
    scene.feed_drone('d0', 0, (0, 0, 1), UPRIGHT, (1.0, 0, 0), ZERO)
    scene.advance(50 * MS)
    assert scene.feed_drone('d0', 50 * MS, (0, 0.5, 1), UPRIGHT, ZERO, ZERO) is Verdict.ACCEPTED
    assert_allclose(scene.advance(100 * MS).states.positions[0], (0.1, 0, 1), atol=1e-12)
    assert scene.feed_drone('d0', 100 * MS, (5, 0, 1), UPRIGHT, ZERO, ZERO) is Verdict.TELEPORT
    s = scene.advance(150 * MS).states
    assert_allclose(s.positions[0], (5, 0, 1), atol=1e-12)
    assert_allclose(s.linear_velocities[0], ZERO, atol=1e-12)


def test_simulate_bounces_on_the_floor():
    """Dropped from 0.5 m with e = 0.5: the impact at sqrt(2 h/g), up again at e sqrt(2 g h)."""
    scene = make_scene('d0', authority='simulate', walls=[floor(0.0, 0.0)])
    scene.feed_drone('d0', 0, (0, 0, 0.525), UPRIGHT, ZERO, ZERO)
    ticks = [scene.advance(k * TICK) for k in range(1, 80)]
    begin = events_of(ticks)[0]
    fall = np.sqrt(2 * 0.5 / G)
    assert begin.stamp_ns * 1e-9 == pytest.approx(fall, abs=1e-8)
    assert_allclose(begin.delta_v_a, (0, 0, 1.5 * G * fall), rtol=1e-8, atol=1e-8)


# -- switching

def test_switching_to_simulate_keeps_the_body_and_lets_it_fall():
    scene = make_scene('d0')
    ticks = fly(scene, 'd0', straight((1.0, 0, 0), (0, 0, 5)), 0, 100 * MS)
    scene.set_authority('d0', 'simulate')
    s = scene.advance(200 * MS).states
    assert_allclose(ticks[-1].states.positions[0], (0.1, 0, 5), atol=1e-12)
    assert_allclose(s.positions[0], (0.2, 0, 5 - 0.5 * G * 0.01), atol=1e-9)


def test_switching_back_to_correct_pulls_home_from_where_the_body_is():
    scene = make_scene('d0')
    fly(scene, 'd0', hover(0, 0, 5), 0, 100 * MS)
    scene.set_authority('d0', 'simulate')
    fly(scene, 'd0', hover(0, 0, 5), 100 * MS, 200 * MS)
    scene.set_authority('d0', 'correct')
    ticks = fly(scene, 'd0', hover(0, 0, 5), 200 * MS, 6000 * MS)
    first, last = ticks[0].states, ticks[-1].states
    assert first.flags[0] == DEFLECTED
    assert_allclose(first.positions[0, 2], 5 - 0.5 * G * 0.01, atol=0.01)
    assert_array_equal(last.positions[0], (0, 0, 5))


def test_set_authority_names_the_mistake():
    scene = make_scene('d0')
    with pytest.raises(ValueError, match=r"set_authority\('d0', 'fly'\).*one of observe, correct, simulate"):
        scene.set_authority('d0', 'fly')
    with pytest.raises(ValueError, match=r"set_authority\('x', 'observe'\).*a drone \(d0\)"):
        scene.set_authority('x', 'observe')


# -- frames

def test_centre_of_mass_off_base_link_goes_there_and_back():
    """A drone turning at 3 rad/s about its base_link, com 5 cm aside: published base_link is the plan, the body's
    speed is w x r."""
    model = DroneModel('t', M, MODEL.inertia, MODEL.shape, com=(0.05, 0.0, 0.0))
    scene = make_scene(DroneConfig('d0', model), **GRAVITY_FREE)
    scene.feed_drone('d0', 0, ZERO, UPRIGHT, ZERO, (0, 0, 3.0))
    s = scene.advance(TICK).states
    body = scene.world.index('d0')
    assert_array_equal(s.positions[0], ZERO)
    assert_allclose(scene.world.linvel[body], (0, 0.15, 0), atol=1e-12)
    assert_allclose(scene.world.pos[body], (0.05, 0, 0), atol=1e-3)
    half = 0.5 * 3.0 * 0.005
    assert_allclose(s.orientations_xyzw[0], (0, 0, np.sin(half), np.cos(half)), atol=1e-15)


def test_origin_places_a_drone_whose_poses_are_relative_to_its_start():
    """Origin at (5, 0, 0) turned left: the sim's x is the world's y."""
    yaw = from_rpy((0, 0, np.pi / 2))
    scene = make_scene(DroneConfig('d0', MODEL, Pose(), 'correct', Pose((5, 0, 0), yaw)), **GRAVITY_FREE)
    scene.feed_drone('d0', 0, (1, 0, 2), UPRIGHT, (3, 0, 0), (1, 0, 0))
    s = scene.advance(0).states
    scene.feed_drone('d0', TICK, (1, 0, 2), UPRIGHT, (3, 0, 0), (1, 0, 0))
    s = scene.advance(TICK).states
    assert_allclose(s.positions[0], (5, 1, 2), atol=1e-12)
    assert_allclose(s.linear_velocities[0], (0, 3, 0), atol=1e-12)
    assert_allclose(s.angular_velocities[0], (1, 0, 0), atol=1e-12)


def test_simulate_without_fresh_forces_falls_and_says_so():
    """The force source dies at 0.1 s: its last wrench holds for the stale timeout, 0.5 s, then the drone falls."""
    scene = make_scene('d0', authority='simulate')
    for k in range(21):
        scene.feed_wrench('d0', k * TICK, (0, 0, M * G), ZERO)
        scene.advance((k + 1) * TICK)
    seen = {now: scene.advance(now).states for now in range(110 * MS, 900 * MS, TICK)}
    assert_allclose(seen[600 * MS].linear_velocities[0], ZERO, atol=1e-9)
    assert seen[600 * MS].flags[0] == 0 and seen[800 * MS].flags[0] == STALE
    fall = seen[800 * MS].linear_velocities[0, 2] - seen[700 * MS].linear_velocities[0, 2]
    assert fall == pytest.approx(-G * 0.1, rel=1e-9)
