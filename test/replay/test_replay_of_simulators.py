# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Plain bags of simulators, written by rosbags alone, replayed with their presets: contacts against closed forms."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from foreign_bags import NS, STORE, Said, T, transforms, twist, write
from numpy.testing import assert_allclose
from rosbags.typesys import get_types_from_msg

from hakoniwa_rigid.replay.bag.types import check_layout
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.testing import replay_bag

START, SPEED, MASS, E = 50 * NS, 1.5, 0.5, 0.5
# solid where y >= 2: north of PX4, and so that Hakoniwa's west is met
WORLD = """
gravity: [0, 0, 0]
materials: {hard: {restitution: 0.5, friction: 0.0}}
models: {ball: {mass: 0.5, inertia: [0.002, 0.002, 0.002], shape: {type: sphere, radius: 0.1}, material: hard}}
walls: [{name: end, type: plane, normal: [0, -1, 0], offset: -2.0, material: hard}]
drones: [{name: DRONE, model: ball}]
"""
VEHICLE = 'px4_msgs/msg/VehicleOdometry'
PX4 = (Path(__file__).parents[1] / 'foreign_msgs' / 'px4_msgs' / 'msg' / 'VehicleOdometry.msg').read_text()
STORE.register(get_types_from_msg(PX4, VEHICLE))


def replayed(tmp_path, drone, bag, **params):
    world = tmp_path / 'world.yaml'
    world.write_text(WORLD.replace('DRONE', drone))
    return replay_bag(write(tmp_path / 'bag', bag), world, params={'drones': [drone], **params})


def stamps(rate=50.0, seconds=1.3):
    return [START + round(k * NS / rate) for k in range(int(seconds * rate) + 1)]


def hits_the_wall(run, drone):
    """Where the ball's surface meets it, with the impulse of the closed form."""
    assert run.result.refused == {}
    hit = run.contacts_of(drone, 'end')[0]
    assert_allclose(hit.begin, (2.0 - 0.1) / SPEED, atol=2e-2)
    assert_allclose(hit.impulse, MASS * (1 + E) * SPEED, rtol=2e-3)


def vehicle(stamp, north, up):
    """PX4's clock began 40 s before the bag's."""
    three = np.full(3, 0.1, dtype=np.float32)
    us = (stamp - 40 * NS) // 1000
    return Said(stamp, '/px4_3/fmu/out/vehicle_odometry', VEHICLE, T[VEHICLE](
        timestamp=us, timestamp_sample=us, pose_frame=1, position=np.array((north, 0, -up), dtype=np.float32),
        q=np.array((1, 0, 0, 0), dtype=np.float32), velocity_frame=1,
        velocity=np.array((SPEED, 0, 0), dtype=np.float32), angular_velocity=np.zeros(3, dtype=np.float32),
        position_variance=three, orientation_variance=three, velocity_variance=three, reset_counter=0, quality=0))


def test_px4_flies_north(tmp_path):
    bag = [vehicle(t, SPEED * (t - START) / NS, 1.0) for t in stamps()]
    hits_the_wall(replayed(tmp_path, 'px4_3', bag, sim='px4'), 'px4_3')


def test_hakoniwa_flies_west_by_a_velocity_of_its_body(tmp_path):
    """It looks west, so that it flies forward; poses come at 20 Hz only, so the velocity counts."""
    bag = []
    for t in stamps(20.0):
        bag.append(Said(t - 1, '/pdu/Drone_1/velocity', 'geometry_msgs/msg/Twist', twist((SPEED, 0, 0))))
        place = twist((0, SPEED * (t - START) / NS, 1), (0, 0, 0.5 * np.pi))
        bag.append(Said(t, '/pdu/Drone_1/pos', 'geometry_msgs/msg/Twist', place))
    hits_the_wall(replayed(tmp_path, 'Drone-1', bag, sim='hakoniwa'), 'Drone-1')


def test_crazyswarm2_is_on_tf_alone(tmp_path):
    bag = [transforms('/tf', t, ('world', 'cf1', (0, SPEED * (t - START) / NS, 1), (0, 0, 0, 1))) for t in stamps()]
    hits_the_wall(replayed(tmp_path, 'cf1', bag, sim='crazyswarm2'), 'cf1')


def test_px4_of_another_layout_is_refused_and_a_longer_one_is_not():
    check_layout('bag: /x', VEHICLE, PX4, 'uint64 timestamp, uint64 timestamp_sample, uint8 pose_frame')
    check_layout('bag: /x', VEHICLE, PX4 + '\nuint8 new\n', 'uint64 timestamp')
    with pytest.raises(BagError, match="bag: /x: its px4_msgs/msg/VehicleOdometry has other fields .* 'frame' is exp"):
        check_layout('bag: /x', VEHICLE, PX4, 'uint64 timestamp, uint64 frame')
    with pytest.raises(BagError, match="'quality' is expected, 'nothing' found"):
        check_layout('bag: /x', VEHICLE, 'uint64 timestamp', 'uint64 timestamp, int8 quality')


def test_a_bag_of_another_simulator_says_what_it_lacks(tmp_path):
    tf = transforms('/tf', START, ('world', 'cf1', (0, 0, 1), (0, 0, 0, 1)))
    with pytest.raises(BagError, match=r'/px4_1/fmu/out/vehicle_odometry \(px4_msgs/msg/VehicleOdometry\)'):
        replayed(tmp_path, 'px4_1', [tf], sim='px4')
