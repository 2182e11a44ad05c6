# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Messages without strings: PX4's VehicleOdometry and Hakoniwa's Twists, against rotation matrices."""
from __future__ import annotations

import math
import struct
from types import SimpleNamespace

import numpy as np
import pytest
from adapters import make_adapter, make_settings
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scene_worlds import MODEL
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.scene.errors import SettingsError
from hakoniwa_rigid.scene.frames import geodesy
from hakoniwa_rigid.scene.inputs.fixed_layouts import VEHICLE
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig, Pose

NS, MS = 1_000_000_000, 1_000_000
# columns are the simulator's axes: north-east-down in east-north-up; forward-right-down in forward-left-up
NED, FRD = np.array([(0, 1, 0), (1, 0, 0), (0, 0, -1.0)]), np.diag((1, -1, -1.0))
NAN = (math.nan,) * 3
FORMS = {'<': b'\0\1\0\0', '>': b'\0\0\0\0', 'XCDR2': b'\0\7\0\0'}
NUMBERS = st.lists(st.floats(-50, 50, width=32), min_size=16, max_size=16)


def odometry(p=(0, 0, 0), q=(1, 0, 0, 0), v=(0, 0, 0), w=(0, 0, 0), at=NS, frame=1, velocity_frame=1, form='<',
             sample=True):
    """A VehicleOdometry sampled `at` ns; its own time is 7 us later. q: w, x, y, z."""
    us = at // 1000
    order = form if form in '<>' else '<'
    body = struct.pack(f'{order}QQB3x7fB3x6f9fBb', us + 7, us if sample else 0, frame, *p, *q, velocity_frame, *v, *w,
                       *[0.1] * 9, 0, 0)
    return FORMS[form] + body


def twist(linear, angular, form='<'):
    return FORMS[form] + struct.pack(f'{form}6d', *linear, *angular)


class Rig:
    """An adapter of the drones d and e, and what it took; drone, origin: of d."""

    def __init__(self, source, node=None, drone=None, reader=None, origin=None):
        values = {'d': {'source': source, **(drone or {})}, 'e': {'source': source}}
        made = make_settings(DroneConfig('d', MODEL, origin=origin or Pose()), 'e', drone=values, node=node)
        px4 = {VEHICLE: object(), 'px4_msgs/msg/VehicleLocalPosition': reader}
        self.adapter = make_adapter(made, readers=px4)
        self.topics = {t.name: t.number for t in self.adapter.topics}

    def give(self, *messages):
        """(topic, bytes, reception ns), as one piece, then a flush."""
        ends = np.cumsum([0, *(len(data) for _, data, _ in messages)])
        data = np.frombuffer(b''.join(data for _, data, _ in messages), np.uint8)
        self.adapter.take(data, ends[:-1], np.diff(ends), np.array([self.topics[t] for t, *_ in messages]),
                         np.array([r for *_, r in messages]))
        self.adapter.flush()

    def sample(self, drone='d'):
        return self.adapter.scene._fleet.s.sample[self.adapter.scene.drone_names.index(drone)]

    def stamp(self, drone='d'):
        return int(self.adapter.scene.sample_stamps()[self.adapter.scene.drone_names.index(drone)])

    @property
    def counted(self):
        return {**self.adapter.ledger.counters, **self.adapter.scene.counters}


def matrix(row):
    return Rotation.from_quat((*row[4:7], row[3])).as_matrix()


@settings(max_examples=60, deadline=None)
@given(NUMBERS, st.sampled_from([(1, 1), (1, 3), (2, 2), (2, 3)]), st.sampled_from(list(FORMS)))
def test_vehicle_odometry_in_all_its_frames(numbers, frames, form):
    """World and body axes are turned by matrices here; numbers are single precision on the way."""
    frame, velocity_frame = frames
    turn = Rotation.from_rotvec(0.05 * np.array(numbers[:3])).as_matrix()  # body FRD to NED or FRD
    x, y, z, w = Rotation.from_matrix(turn).as_quat()
    p, v, omega = np.array(numbers[3:6]), np.array(numbers[6:9]), np.array(numbers[9:12])
    rig = Rig('px4')
    rig.give(('d/fmu/out/vehicle_odometry', odometry(p, (w, x, y, z), v, omega, NS, frame, velocity_frame, form), NS))
    world = NED if frame == 1 else FRD
    row = rig.sample()
    assert_allclose(row[:3], world @ p, atol=1e-12)
    assert_allclose(matrix(row), world @ turn @ FRD, atol=1e-6)
    assert_allclose(row[7:10], world @ (turn @ v if velocity_frame == 3 else v), atol=1e-4)
    assert_allclose(row[10:], world @ turn @ omega, atol=1e-4)
    assert rig.stamp() == NS
    assert not rig.counted


def test_a_level_drone_that_looks_north_and_climbs():
    rig = Rig('px4')
    rig.give(('d/fmu/out/vehicle_odometry', odometry((10, 20, -30), v=(1, 2, -3), w=(0.1, 0.2, 0.3)), NS))
    half = math.sqrt(0.5)
    assert_allclose(rig.sample(), [20, 10, 30, half, 0, 0, half, 2, 1, 3, 0.2, 0.1, -0.3], atol=1e-7)


@pytest.mark.parametrize('change', [{'v': NAN}, {'w': NAN}, {'velocity_frame': 0}, {'velocity_frame': 2},
                                    {'frame': 2, 'velocity_frame': 1}])
def test_velocities_that_are_none_are_found_from_the_poses(change):
    """1 m north in 0.1 s; a local frame's heading is not known, so a velocity in the other frame says nothing."""
    rig, topic = Rig('px4'), 'd/fmu/out/vehicle_odometry'
    for k in range(3):
        rig.give((topic, odometry((k, 0, 0), **{'v': (50, 50, 50), **change}, at=NS + 100 * k * MS), NS))
    expected = (10, 0, 0) if change.get('frame') == 2 else (0, 10, 0)
    assert_allclose(rig.sample()[7:], [*expected, 0, 0, 0], atol=1e-6)
    assert not rig.counted


def test_what_is_no_pose_is_refused_and_counted():
    rig, topic = Rig('px4'), 'd/fmu/out/vehicle_odometry'
    rig.give((topic, odometry((1, 2, 3)), NS))
    before = rig.sample().copy()
    for k, change in enumerate([{'p': (1, math.nan, 3)}, {'q': (math.nan, 0, 0, 0)}, {'frame': 0}, {'frame': 3}]):
        rig.give((topic, odometry(**change, at=NS + (k + 1) * MS), NS))
    good = odometry()
    rig.give(*((topic, data, NS) for data in (b'', good[:3], good[:117], good + bytes(9), b'\0\3\0\0' + good[4:])))
    assert rig.counted == {('not_finite', 'd'): 2, ('wrong_frame', 'd'): 2, ('malformed', 'd'): 5}
    assert rig.sample().tolist() == before.tolist()
    assert rig.adapter.received == rig.adapter.drones['d'].received == 10
    rig.give((topic, good + bytes(2), NS))  # padded at its end
    assert rig.adapter.received == 11
    assert 'pose_frame' in rig.adapter.ledger.last['wrong_frame', 'd']
    assert '117 bytes' not in rig.adapter.ledger.last['malformed', 'd']


def test_the_time_is_that_of_the_sample_and_a_clock_that_is_not_ours_is_learnt():
    rig, topic = Rig('px4'), 'd/fmu/out/vehicle_odometry'
    rig.give((topic, odometry(at=2 * NS), 2 * NS))
    assert rig.stamp() == 2 * NS
    rig.give((topic, odometry(at=3 * NS, sample=False), 3 * NS))
    assert rig.stamp() == 3 * NS + 7000
    rig = Rig('px4', node={'stamp': 'synced'})
    for k, delay in enumerate((3, 1, 5)):  # ms; the clock began 100 s before ours
        rig.give((topic, odometry(at=100 * NS + 10 * k * MS), NS + (10 * k + delay) * MS))
    assert rig.stamp() == NS + 21 * MS + (10 * MS) // 2000 + (4 * MS) // 2000


def test_many_messages_of_many_drones_keep_their_order():
    """More than there is room for at first; with and without velocities in turn."""
    rig, messages = Rig('px4'), []
    for k in range(40):
        for d in 'de':
            v = (1, 0, 0) if k % 3 else NAN
            messages.append((f'{d}/fmu/out/vehicle_odometry', odometry((0.01 * k, 0, 0), v=v, at=NS + 10 * k * MS), NS))
    rig.give(*messages)
    assert not rig.counted
    assert rig.stamp('d') == rig.stamp('e') == NS + 390 * MS
    assert_allclose(rig.sample('e')[:3], (0, 0.39, 0), atol=1e-6)


def test_origins_place_vehicles_and_a_yaw_turns_what_they_say():
    """The same position of two vehicles that started 5 m apart, the second one turned by 90 degrees."""
    half = math.sqrt(0.5)
    rig = Rig('px4', origin=Pose((5, 0, 0), (half, 0, 0, half)))
    message = odometry((1, 2, -3), v=(1, 0, 0))
    rig.give(('d/fmu/out/vehicle_odometry', message, NS), ('e/fmu/out/vehicle_odometry', message, NS))
    assert_allclose(rig.sample('e')[:3], (2, 1, 3), atol=1e-6)
    assert_allclose(rig.sample('d')[:3], (5 - 1, 2, 3), atol=1e-6)
    assert_allclose(rig.sample('d')[7:10], (-1, 0, 0), atol=1e-6)
    rig = Rig('px4', node={'frame_yaw': 0.5 * math.pi})
    rig.give(('d/fmu/out/vehicle_odometry', message, NS))
    assert_allclose(rig.sample('d')[[0, 1, 2, 7, 8, 9]], (-1, 2, 3, -1, 0, 0), atol=1e-6)
    assert_allclose(matrix(rig.sample('d')), np.diag((-1, -1, 1)), atol=1e-6)


class Reference:
    """Reads a VehicleLocalPosition of the test: latitude, longitude, altitude and what is valid."""

    def read(self, data):
        lat, lon, alt, xy, z = struct.unpack('<3d2?', data)
        return SimpleNamespace(ref_lat=lat, ref_lon=lon, ref_alt=alt, xy_global=xy, z_global=z)


def test_a_global_reference_places_vehicles():
    """1e-5 degrees are 1.11 m north; until the reference is known nothing is."""
    here = (47.397971, 8.546164, 488.0)
    drone = {'topic_px4_reference': 'ref,ref_v1'}
    rig, topic = Rig('px4', {'reference': here}, drone, Reference()), 'd/fmu/out/vehicle_odometry'
    rig.give((topic, odometry((1, 2, 3)), NS))
    rig.give(('ref_v1', struct.pack('<3d2?', 1.0, 2.0, 3.0, True, False), NS))
    rig.give((topic, odometry((1, 2, 3), at=2 * NS), NS))
    assert rig.counted == {('no_reference', 'd'): 2}
    assert rig.stamp() < 0
    rig.give(('ref', struct.pack('<3d2?', here[0] + 1e-5, here[1], 490.0, True, True), NS))
    rig.give((topic, odometry((1, 2, 3), at=3 * NS), NS))
    assert_allclose(rig.sample()[:3], (2, 1 + 1.1118, -3 + 2), atol=1e-3)


@pytest.mark.parametrize(('north', 'east'), [(0, 0), (300, 0), (0, -400), (2000, 1000)])
@pytest.mark.parametrize('latitude', [0.0, 47.4, -80.0])
def test_offsets_on_the_ellipsoid(latitude, north, east):
    """By its radii of curvature, good to the square of distance over radius."""
    a, f = 6378137.0, 1 / 298.257223563
    square, sine = f * (2 - f), math.sin(math.radians(latitude))
    across = a / math.sqrt(1 - square * sine**2)
    along = across * (1 - square) / (1 - square * sine**2)
    lat = latitude + math.degrees(north / along)
    lon = 8.5 + math.degrees(east / (across * math.cos(math.radians(latitude))))
    found = geodesy.offset((latitude, 8.5, 100.0), (lat, lon, 130.0))
    # meridians converge by the tangent of the latitude
    bend = (north**2 + east**2) / a * max(1.0, abs(math.tan(math.radians(latitude))))
    assert_allclose(found[:2], (east, north), atol=1e-6 + 0.02 * bool(bend) + bend)
    assert_allclose(found[2], 30 - (north**2 + east**2) / (2 * a), atol=0.02)
    # and back
    there = geodesy.offset((lat, lon, 130.0), (latitude, 8.5, 100.0))
    assert_allclose(np.linalg.norm(there), np.linalg.norm(found), rtol=1e-12)


# Twists


@settings(max_examples=40, deadline=None)
@given(NUMBERS, st.sampled_from(['', 'world']), st.sampled_from('<>'))
def test_twists_are_a_pose_and_a_velocity(numbers, linear_velocity, form):
    rig = Rig('twist_pose', drone={'linear_velocity': linear_velocity})
    p, angles, v, w = (np.array(numbers[k:k + 3]) for k in (0, 3, 6, 9))
    angles *= 0.03
    rig.give(('d/velocity', twist(v, w, form), NS), ('d/pos', twist(p, angles, form), NS + MS))
    turn, row = Rotation.from_euler('ZYX', angles[::-1]).as_matrix(), rig.sample()
    assert_allclose(row[:3], p, atol=1e-12)
    assert_allclose(matrix(row), turn, atol=1e-12)
    assert_allclose(row[7:10], v if linear_velocity else turn @ v, atol=1e-12)
    assert_allclose(row[10:], turn @ w, atol=1e-12)
    assert rig.stamp() == NS + MS


def test_a_velocity_counts_for_poses_near_it_only():
    rig = Rig('twist_pose')
    rig.give(('d/velocity', twist((5, 0, 0), (0, 0, 0)), NS), ('e/pos', twist((0, 0, 0), (0, 0, 0)), NS))
    for k in range(3):
        rig.give(('d/pos', twist((0, 0, 0), (0, 0, 0)), NS + 60 * k * MS))
        assert rig.sample()[7] == (5 if k < 2 else 0)
    assert rig.sample('e')[7] == 0
    rig.give(('d/velocity', twist((5, math.nan, 0), (0, 0, 0)), NS + 130 * MS),
             ('d/pos', twist((0, 0, 0), (0, 0, 0)), NS + 130 * MS))
    assert rig.sample()[7] == 0
    assert rig.counted == {('not_finite', 'd'): 1}
    rig.give(('d/velocity', twist((5, 0, 0), (0, 0, 0)), NS + 140 * MS))
    rig.adapter.forget()
    rig.give(('d/pos', twist((0, 0, 0), (0, 0, 0)), NS + 150 * MS))
    assert rig.sample()[7] == 0
    assert rig.adapter.drones['d'].received == 8


def test_px4_needs_its_package():
    made = make_settings('d', drone={'d': {'source': 'px4'}})
    with pytest.raises(SettingsError, match='drones.d.source: px4: needs the package px4_msgs, which is not installed'):
        make_adapter(made)


def test_one_message_by_itself():
    rig = Rig('px4')
    rig.adapter.deliver(rig.adapter.topics[rig.topics['d/fmu/out/vehicle_odometry']], odometry((1, 2, 3)), NS)
    rig.adapter.flush()
    assert_allclose(rig.sample()[:3], (2, 1, -3), atol=1e-6)
