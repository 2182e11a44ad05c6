# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The main job over DDS: states in, contact events and corrected states out, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from geometry_msgs.msg import Pose, PoseStamped, TwistStamped
from hakoniwa_rigid.msg import ContactEvent, FleetState, FleetWrench, HandJoints
from harness import NS, odometry, stamp_of, stamped
from nav_msgs.msg import Odometry
from numpy.testing import assert_allclose
from rig import Rig

pytestmark = pytest.mark.ros

DEFLECTED = FleetState.DEFLECTED
# z by 90 deg: body x is world y
YAW = (0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5))


def vector(v) -> np.ndarray:
    return np.array((v.x, v.y, v.z))


def fly(rig: Rig, seconds: float, plans: dict) -> float:
    """Feed Odometry at 100 Hz along straight plans name -> (position at the start, velocity), in step with the node.

    Returns the time (s) of the start: a node whose first tick was lost begins one later.
    """
    start = rig.time.now
    for k in range(round(seconds * 200)):
        if k % 2 == 0:
            t = (rig.time.now - start) / NS
            for name, (position, velocity) in plans.items():
                at = np.add(position, np.multiply(velocity, t))
                rig.bench.send(f'{name}/odom', odometry(rig.time.now, at, linear=velocity))
        rig.time.tick()
    return start / NS


def begins(rig: Rig) -> list[ContactEvent]:
    return [e for e in rig.events if e.phase == ContactEvent.BEGIN]


def test_head_on_drones_rebound_with_equal_and_opposite_impulses(rig: Rig):
    corrected = rig.bench.inbox(Odometry, 'a/odom_corrected')
    c_corrected = rig.bench.inbox(Odometry, 'c/odom_corrected')
    plans = {'a': ((-1, 0, 1), (1, 0, 0)), 'b': ((1, 0, 1), (-1, 0, 0)), 'c': ((0, 5, 1), (0, 0.5, 0))}
    start = fly(rig, 1.2, plans)

    # the plans go on through each other, so the pull brings the two together again: later, weaker contacts of the pair
    assert {(e.body_a, e.body_b, e.kind) for e in rig.events} == {('a', 'b', ContactEvent.DRONE_DRONE)}
    event = begins(rig)[0]
    assert all(e.impulse.x < event.impulse.x for e in begins(rig)[1:])
    assert (event.body_a, event.body_b, event.kind) == ('a', 'b', ContactEvent.DRONE_DRONE)
    assert event.header.frame_id == 'world'
    # J = (1 + e) v_rel / (1/m + 1/m) along the normal from a to b
    assert_allclose(vector(event.normal), (1, 0, 0), atol=1e-9)
    assert_allclose(vector(event.impulse), (1.5 * 2.0 * 0.5, 0, 0), atol=1e-9)
    assert_allclose(vector(event.delta_v_a), -vector(event.impulse), atol=1e-12)
    assert_allclose(vector(event.delta_v_b), vector(event.impulse), atol=1e-12)
    assert_allclose(vector(event.relative_velocity_before), (-2, 0, 0), atol=1e-9)
    assert_allclose(vector(event.relative_velocity_after), (1, 0, 0), atol=1e-9)
    assert_allclose(vector(event.position), (0, 0, 1), atol=1e-6)
    # 0.4 m between the centres are left after 0.8 s of flight at 1 m/s each
    assert_allclose(stamp_of(event) / NS - start, 0.8, atol=2e-3)

    # the plan flies a through b, to x = 0.2; the corrected one was thrown back
    last = rig.newest(corrected)
    assert last.pose.pose.position.x < -0.1
    assert (last.header.frame_id, last.child_frame_id) == ('world', 'a/base_link')
    assert rig.state('a')['flags'] & DEFLECTED
    assert_allclose(rig.state('a')['p'][0], -rig.state('b')['p'][0], atol=1e-6)
    # c touched nothing: its corrected odometry is its plan
    last = rig.newest(c_corrected)
    assert_allclose(vector(last.pose.pose.position), (0, 5 + 0.5 * (rig.time.now / NS - start), 1), atol=1e-9)
    assert not rig.state('c')['flags'] & DEFLECTED


def test_a_drone_flying_into_a_wall_stays_in_front_of_it(rig: Rig):
    fly(rig, 1.2, {'a': ((2, 0, 1), (1, 0, 0)), 'c': ((0, 5, 1), (0, 0, 0))})
    event = begins(rig)[0]
    assert (event.body_a, event.body_b, event.kind) == ('a', 'wall', ContactEvent.DRONE_WALL)
    assert_allclose(vector(event.impulse), (1.5, 0, 0), atol=1e-9)  # on the wall; m (1 + e) v
    assert_allclose(vector(event.delta_v_b), 0, atol=0)
    # the plan ends at x = 3.2, inside the wall
    assert max(m.positions[0] for m in rig.ticks) <= 2.8 + 1e-3


def test_a_hand_strikes_a_drone(rig: Rig):
    start = rig.time.now
    joints = np.zeros((25, 3))
    joints[:, 2] = 1.0
    joints[:, 1] = np.linspace(-0.08, 0.08, 25)
    for k in range(160):
        t = k * 0.005
        if k % 2 == 0:
            rig.bench.send('a/odom', odometry(rig.time.now, (0, 0, 1)))
        if k % 4 == 0:
            msg = stamped(HandJoints(hand='right', radii=[0.01] * 25), start + round(t * NS))
            for row in joints + (-0.8 + 2.0 * t, 0, 0):
                pose = Pose()
                pose.position.x, pose.position.y, pose.position.z = map(float, row)
                msg.poses.append(pose)
            rig.bench.send('hands/right', msg)
        rig.time.tick()
    hits = [e for e in begins(rig) if e.kind == ContactEvent.DRONE_HAND]
    assert hits
    assert (hits[0].body_a, hits[0].body_b) == ('a', 'right')
    assert hits[0].part_b
    # the hand is heavy, e = max(0.5, 0): the drone leaves at up to 1.5 times the hand's 2 m/s, in the hand's direction
    assert 0.5 < hits[0].delta_v_a.x < 3.2
    assert rig.state('a')['p'][0] > 0.05


def test_pose_and_twist_in_world_and_body_frame(bench, world):
    rig = Rig(bench, world, 'drones.a.source:=pose', 'drones.b.source:=pose', 'drones.b.topic_pose:=other/pose')
    for _ in range(10):
        for name, frame, twist in (('a', 'world', (0.3, 0.0, 0.0)), ('b', 'b/base_link', (0.3, 0.0, 0.0))):
            t = stamped(TwistStamped(), rig.time.now, frame)
            t.twist.linear.x, t.twist.linear.y, t.twist.linear.z = twist
            t.twist.angular.y = 0.2
            bench.send(f'{name}/twist', t)
            p = odometry(rig.time.now, (-1 if name == 'a' else 1, 0, 1), YAW).pose.pose
            bench.send('other/pose' if name == 'b' else 'a/pose', stamped(PoseStamped(pose=p), rig.time.now))
        rig.time.tick()
    assert_allclose(rig.state('a')['v'], (0.3, 0, 0), atol=1e-12)
    assert_allclose(rig.state('b')['v'], (0, 0.3, 0), atol=1e-12)
    # in: a about world y, which is body x here; b about body y
    assert_allclose(rig.state('a')['w'], (0.2, 0, 0), atol=1e-12)
    assert_allclose(rig.state('b')['w'], (0, 0.2, 0), atol=1e-12)
    assert rig.counters() == {}


def test_odometry_twist_is_in_the_child_frame_both_ways(rig: Rig):
    corrected = rig.bench.inbox(Odometry, 'c/odom_corrected')
    msg = odometry(rig.time.now + 5_000_000, (0, 5, 1), YAW, linear=(1, 2, 3), angular=(0.1, 0.2, 0.3))
    rig.bench.send('c/odom', msg)
    rig.bench.until(lambda: rig.time.tick() and rig.state('c')['v'] != [0, 0, 0], 'the sample')
    assert_allclose(rig.state('c')['v'], (-2, 1, 3), atol=1e-9)
    assert_allclose(rig.state('c')['w'], (0.1, 0.2, 0.3), atol=1e-9)
    # in turns, not once: c's odometry only comes while there is a subscriber, and a subscription takes a moment to be
    # known
    def told() -> bool:
        rig.bench.send('c/odom', odometry(rig.time.now, (0, 5, 1), YAW, linear=(1, 2, 3), angular=(0.1, 0.2, 0.3)))
        rig.time.tick()
        rig.bench.serve()
        return bool(corrected) and stamp_of(corrected[-1]) == rig.time.now
    rig.bench.until(told, 'the odometry of the newest tick')
    twist = corrected[-1].twist.twist
    # the extrapolation by one tick turns the body by 5 ms times 0.4 rad/s
    assert_allclose(vector(twist.linear), (1, 2, 3), atol=0.01)
    assert_allclose(vector(twist.angular), (0.1, 0.2, 0.3), atol=1e-9)


def fleet(ns: int, names: list[str], positions, linear, angular, quaternion=YAW) -> FleetState:
    msg = stamped(FleetState(names=names), ns)
    msg.positions = np.array(positions, dtype=float).ravel().tolist()
    msg.orientations = [float(x) for x in quaternion] * len(names)
    msg.linear_velocities = np.array(linear, dtype=float).ravel().tolist()
    msg.angular_velocities = np.array(angular, dtype=float).ravel().tolist()
    return msg


def test_fleet_arrays_in_any_order_and_with_strangers(bench, world):
    rig = Rig(bench, world, 'per_drone_topics:=false')
    topics = [name for name, _ in bench.node.get_topic_names_and_types()]
    assert '/a/odom' not in topics
    assert '/a/odom_corrected' not in topics
    names = ['c', 'ghost', 'a', 'b']
    linear = [(0, 0.1, 0), (9, 9, 9), (0.2, 0, 0), (0.3, 0, 0)]
    angular = [(0.1, 0, 0), (9, 9, 9), (0.2, 0, 0), (0, 0, 0.3)]
    for _ in range(3):
        msg = fleet(rig.time.now, names, [(0, 5, 1), (0, 0, 0), (-1, 0, 1), (1, 0, 1)], linear, angular)
        bench.send('fleet/states', msg)
        rig.time.tick()
    for i, name in enumerate(names):
        if name != 'ghost':
            assert_allclose(rig.state(name)['v'], linear[i], atol=1e-12)
            assert_allclose(rig.state(name)['w'], angular[i], atol=1e-12)
    assert rig.ticks[-1].header.frame_id == 'world'
    assert rig.counters() == {'unknown_name/ghost': 3}


def test_a_fleet_array_of_a_wrong_size_is_refused_whole(bench, world):
    rig = Rig(bench, world)
    bench.send('fleet/states', fleet(rig.time.now, ['a', 'b'], [(0, 0, 1)], [(0, 0, 0)] * 2, [(0, 0, 0)] * 2))
    assert rig.counters() == {'wrong_size/fleet/states': 1}
    assert rig.process.alive


def test_fleet_wrenches_drive_simulated_drones(bench, world):
    rig = Rig(bench, world, 'default_authority:=simulate')
    weight = 9.80665
    for _ in range(60):
        msg = stamped(FleetWrench(names=['c', 'a']), rig.time.now, '')
        msg.forces = [0.0, 0.0, weight, 0.0, 0.0, weight + 1.0]
        msg.torques = [0.0] * 6
        bench.send('fleet/wrenches', msg)
        rig.time.tick()
    # c hovers, a climbs at 1 m/s^2
    assert_allclose(rig.state('c')['v'], (0, 0, 0), atol=1e-9)
    # 60 ticks of 5 ms, the first of which had no wrench yet
    assert_allclose(rig.state('a')['v'][2], 1.0 * 0.3, atol=0.011)
    assert rig.state('a')['p'][2] > 1.03
