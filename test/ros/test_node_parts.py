# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The node's parts without a node: tick grid, statistics, parameter tables, watches, markers, throttle."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest
import yaml
from adapters import make_adapter, make_settings
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation
from visualization_msgs.msg import Marker

from hakoniwa_rigid.engine import Box, Capsule, Compound, ConvexHull, Cylinder, Frustum, HalfSpace, Part, Sphere
from hakoniwa_rigid.paths import config_file
from hakoniwa_rigid.ros import priority
from hakoniwa_rigid.ros.collision.diagnostics import QUIET, Throttle, summed
from hakoniwa_rigid.ros.collision.drone_reports import DroneReports
from hakoniwa_rigid.ros.collision.markers import box_lines, drone_lines, object_marker, wall_marker
from hakoniwa_rigid.ros.collision.watch import LOOKS, Watch
from hakoniwa_rigid.ros.params import descriptor
from hakoniwa_rigid.ros.timing import TickGrid, TickStats, period_ns
from hakoniwa_rigid.scene.parameters.params import DRONE, HAND, NODE
from hakoniwa_rigid.scene.records import HandBox
from hakoniwa_rigid.scene.world_files.world_types import ObjectConfig, Pose, WallConfig

MS = 1_000_000


def grid() -> TickGrid:
    return TickGrid(5 * MS, 500 * MS)


def test_a_jittering_timer_gives_an_even_grid():
    rng = np.random.default_rng(1)
    tested = grid()
    times = [1000 * MS + k * 5 * MS + int(rng.uniform(-0.4, 3) * MS) * (k > 0) for k in range(500)]
    assert [tested.stamp(t) for t in times] == [1000 * MS + k * 5 * MS for k in range(500)]


def test_a_skipped_timer_skips_whole_periods_and_an_early_one_waits():
    tested = grid()
    assert tested.stamp(7 * MS) == 7 * MS
    assert tested.stamp(24 * MS) == 22 * MS
    assert tested.missed == 2
    assert tested.stamp(26 * MS) is None
    assert tested.stamp(27 * MS - MS // 2) == 27 * MS
    assert tested.missed == 2


def test_no_time_gives_no_stamp():
    tested = grid()
    assert tested.rest(0) is None
    assert not tested.due(0)
    assert tested.stamp(0) is None
    assert tested.stamp(3 * MS) == 3 * MS


def test_a_clock_set_back_starts_a_new_grid_a_nudged_one_waits():
    tested = grid()
    tested.stamp(10_000 * MS)
    assert tested.stamp(9_900 * MS) is None
    assert tested.jumps == 0
    assert tested.stamp(10_005 * MS) == 10_005 * MS
    assert tested.stamp(2_001 * MS) == 2_001 * MS
    assert tested.jumps == 1
    assert tested.stamp(2_006 * MS) == 2_006 * MS


def test_a_stamp_is_due_exactly_when_there_is_one():
    rng = np.random.default_rng(2)
    tested, now, stamps = grid(), 1000 * MS, 0
    for step in rng.uniform(-1, 3, 2000):
        now += int(step * MS)
        rest, due, stamp = tested.rest(now), tested.due(now), tested.stamp(now)
        assert due == (stamp is not None)
        stamps += due
        if stamp is None:
            # a tick that is set to rest so long comes at the next grid point
            assert tested.rest(now + rest) == 0
            assert tested.due(now + rest)
            assert (now + rest - tested.origin) % (5 * MS) == 0
    assert stamps > 300


def test_periods_are_whole_engine_steps():
    assert period_ns(200.0, 1e-3) == 5 * MS
    assert period_ns(62.5, 1e-3) == 16 * MS
    assert period_ns(1000.0, 1e-3) == MS
    with pytest.raises(ValueError, match=r'got 60 Hz; try 58.8235 or 62.5'):
        period_ns(60.0, 1e-3)
    with pytest.raises(ValueError, match=r'got 400 Hz; try 333.333 or 500'):
        period_ns(400.0, 1e-3)


def test_statistics_leave_pauses_out():
    stats = TickStats(0.005)
    assert np.isnan(stats.summary()['step_time_p50'])
    for _ in range(3):
        stats.begin()
        stats.end()
    stats.pause()
    stats.begin()
    stats.end()
    summary = stats.summary()
    assert summary['ticks'] == 4
    assert 0.0 <= summary['step_time_p50'] <= summary['step_time_p99']
    assert stats._gaps == 2  # three ticks in a row, then one by itself


@pytest.mark.parametrize('param', [*NODE, *DRONE, *HAND], ids=lambda p: p.name)
def test_every_parameter_is_described_and_its_default_allowed(param):
    assert param.description.endswith('.')
    assert not param.choices or param.default in param.choices
    assert (param.low is None) == (param.high is None)
    if isinstance(param.default, float):
        assert param.low <= param.default <= param.high
    described = descriptor(param)
    assert described.type
    assert described.description
    assert bool(described.floating_point_range) == isinstance(param.default, float)
    assert bool(described.integer_range) == (type(param.default) is int)


def test_the_shipped_file_lists_every_parameter_with_its_default():
    listed = yaml.safe_load(config_file('collision_node.yaml').read_text())['/**']['ros__parameters']
    expected = {p.name: list(p.default) if isinstance(p.default, tuple) else p.default for p in NODE}
    for prefix, name, table in (('drones', 'd0', DRONE), ('hands', 'right', HAND)):
        for p in table:
            value = p.default.format(name=name, topic=name) if isinstance(p.default, str) else p.default
            expected[f'{prefix}.{name}.{p.name}'] = list(value) if isinstance(value, tuple) else value
    assert listed == expected


@pytest.mark.parametrize('number', [0, 1, 2, LOOKS - 1, LOOKS, LOOKS + 1, 5 * LOOKS - 3, 1000])
def test_other_ends_of_topics_are_asked_about_in_turn(number):
    asked = []
    ends = np.random.default_rng(number).integers(0, 3, number)
    watch = Watch([lambda k=k: asked.append(k) or ends[k] for k in range(number)])
    share = -(-number // LOOKS)
    assert watch.on.tolist() == [False] * number
    for look in range(LOOKS):
        before = len(asked)
        watch.look()
        assert len(asked) - before <= share  # no look pays for all
        known = min((look + 1) * share, number)
        assert watch.on[:known].tolist() == (ends[:known] > 0).tolist()
        assert not watch.on[known:].any()
    assert set(asked) == set(range(number))
    # they come and go, and every one is noticed within a round
    on, ends = watch.on, (ends + 1) % 3
    asked.clear()
    for _ in range(LOOKS + 1):
        watch.look()
    assert set(asked) == set(range(number))
    assert watch.on is on  # takers and publishers hold it
    assert on.tolist() == (ends > 0).tolist()


def test_drone_lines_are_the_waist_of_its_box():
    turn = Rotation.from_euler('z', 90, degrees=True)
    lines = drone_lines(np.array([[1.0, 2.0, 3.0]]), turn.as_quat()[None], np.array([[0.3, 0.2, 0.1]]))
    assert lines.shape == (6, 3)
    assert_allclose(lines[0], (1 - 0.2, 2 + 0.3, 3), atol=1e-15)
    assert_allclose(lines[1], (1 + 0.2, 2 - 0.3, 3), atol=1e-15)
    assert_allclose(lines[5], (1, 2, 3.2), atol=1e-15)


def test_the_lines_of_a_palm_are_its_edges():
    turn, centre = Rotation.from_rotvec((0.3, 0.2, -1.0)), np.array((1.0, 2.0, 3.0))
    lines = box_lines(HandBox('palm', centre, turn.as_quat(), np.array((0.4, 0.2, 0.1)))).reshape(12, 2, 3)
    assert sorted(np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1).round(12)) == [0.1] * 4 + [0.2] * 4 + [0.4] * 4
    assert_allclose(np.abs(turn.inv().apply(lines.reshape(-1, 3) - centre)), [(0.2, 0.1, 0.05)] * 24, atol=1e-12)


@pytest.mark.parametrize('normal', [(0, 0, 1), (0, 0, -1), (1, 0, 0), (0, -1, 0), (0.6, 0, 0.8)])
def test_planes_show_their_surface(normal):
    marker = wall_marker(WallConfig('w', HalfSpace(normal, 2.0)), 3)
    q, p = marker.pose.orientation, marker.pose.position
    up = Rotation.from_quat((q.x, q.y, q.z, q.w)).apply((0, 0, 1))
    assert_allclose(up, normal, atol=1e-12)
    # the upper face of the thin cube is the surface normal . x = offset
    assert_allclose(np.dot((p.x, p.y, p.z), normal) + 0.5 * marker.scale.z, 2.0, atol=1e-12)
    assert (marker.ns, marker.id) == ('walls', 3)


def test_boxes_and_objects_have_their_size_and_pose():
    pose = Pose((1, 2, 3), (0.5, 0.5, 0.5, 0.5))
    marker = wall_marker(WallConfig('w', Box((1, 2, 3)), pose), 0)
    assert (marker.scale.x, marker.scale.y, marker.scale.z) == (1, 2, 3)
    assert (marker.pose.position.x, marker.pose.orientation.w) == (1, 0.5)
    capsule = object_marker(ObjectConfig('o', Capsule(0.1, 0.5), 1.0), 0)
    assert capsule.type == Marker.CYLINDER
    assert_allclose((capsule.scale.x, capsule.scale.z), (0.2, 0.7))


def test_a_cause_is_logged_once_in_a_while():
    throttle = Throttle()
    assert throttle.passes('nan', 0)
    assert not throttle.passes('nan', QUIET - 1)
    assert throttle.passes('frame', 1)
    assert throttle.passes('nan', QUIET)
    assert throttle.passes('nan', 5)  # the clock was set back
    assert summed({('nan', 'a'): 2, ('nan', 'b'): 3, ('frame', 'a'): 4}, 'nan') == 5


def test_hulls_are_drawn_by_their_faces_and_compounds_by_the_box_around_their_origin():
    hull = ConvexHull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    marker = wall_marker(WallConfig('w', hull, Pose((1, 2, 3))), 0)
    assert marker.type == Marker.TRIANGLE_LIST and len(marker.points) == 12
    assert (marker.pose.position.x, marker.scale.x) == (1, 1)
    compound = Compound((Part(Sphere(0.5), (1.0, 0.0, 0.0)),))
    marker = object_marker(ObjectConfig('o', compound, 1.0), 0)
    assert (marker.type, marker.scale.x, marker.scale.z) == (Marker.CUBE, 3.0, 1.0)
    marker = object_marker(ObjectConfig('o', Cylinder(0.5, 2.0), 1.0), 0)
    assert (marker.type, marker.scale.x, marker.scale.z) == (Marker.CYLINDER, 1.0, 2.0)
    marker = object_marker(ObjectConfig('o', Frustum(0.5, 0.2, 2.0), 1.0), 0)
    assert marker.type == Marker.TRIANGLE_LIST and {abs(p.z) for p in marker.points} == {1.0}


def test_the_real_time_class_is_taken_and_given_back(monkeypatch):
    calls, warnings, done = {}, [], threading.Event()
    monkeypatch.setattr(priority.os, 'sched_setscheduler',
                        lambda thread, kind, value: calls.update({thread: (kind, value.sched_priority)}))
    other = threading.Thread(target=done.wait)      # as one of DDS
    other.start()
    try:
        assert priority.real_time(20, warnings.append)
        # what is started later, child processes too, is not to inherit it
        kind = os.SCHED_FIFO | os.SCHED_RESET_ON_FORK
        assert calls[threading.get_native_id()] == (kind, 20)
        assert calls[other.native_id] == (kind, 19)
        priority.ordinary()
        assert calls[threading.get_native_id()] == calls[other.native_id] == (os.SCHED_OTHER, 0)
    finally:
        done.set()
        other.join()
    assert not warnings


def test_whether_the_real_time_class_is_allowed_is_tried_and_leaves_nothing_behind():
    assert priority.allowed(20) in (0, 20)
    assert priority.os.sched_getscheduler(0) == priority.os.SCHED_OTHER


def test_where_the_real_time_class_is_not_allowed_the_node_says_what_it_needs(monkeypatch):
    def refuse(*_):
        raise PermissionError(1, 'Operation not permitted')

    warnings = []
    monkeypatch.setattr(priority.os, 'sched_setscheduler', refuse)
    assert not priority.real_time(20, warnings.append)
    (text,) = warnings
    assert 'realtime_priority: 20' in text
    assert 'CAP_SYS_NICE' in text
    assert priority.allowed(20) == 0


def test_reports_remember_no_more_names_than_are_counted():
    """Of drones that come and leave without topics of their own, too."""
    settings = make_settings('d')
    adapter = make_adapter(settings)
    reports = DroneReports('node', adapter.scene, settings, adapter)
    for k in range(1000):
        adapter.ledger.note('teleport', f'x{k}')
        reports._new_causes(adapter.ledger.counters, adapter.ledger.last)
        adapter.ledger.forget(f'x{k}')
    assert adapter.ledger.counters == {('teleport', '<left>'): 1000}
    assert len(reports._counted) <= 3
