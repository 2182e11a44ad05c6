# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The services of simulation_interfaces about entities over DDS: every result code of every one of them, their answers
against closed forms, and a recording that is replayed to the byte."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import foreign_packages
import harness
import numpy as np
import pytest
from harness import NS
from numpy.testing import assert_allclose
from rig import Rig
from standard_calls import area, assert_code, call, filters, go, state, vector

from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.rerun.outcome import Options
from hakoniwa_rigid.replay.rerun.run import replay

pytestmark = pytest.mark.ros
G = 9.80665


@pytest.fixture
def rig(bench, standard_world: Path) -> Rig:
    return Rig(bench, standard_world)


@pytest.fixture
def recorded(bench, standard_world: Path, tmp_path: Path, monkeypatch) -> Rig:
    """It records; a recorder looks for the field definitions of all packages that it finds."""
    share = tmp_path / 'prefix' / 'share'
    marks = share / 'ament_index' / 'resource_index' / 'packages'
    marks.mkdir(parents=True)
    for package in foreign_packages.packages():
        (marks / package).touch()
        (share / package).symlink_to(foreign_packages.SOURCES / package)
    before = filter(None, os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep))
    monkeypatch.setenv('AMENT_PREFIX_PATH', os.pathsep.join([str(share.parent), *before, sys.prefix]))
    return Rig(bench, standard_world, f'record:={tmp_path / "flight"}')


def test_entities_are_found(rig: Rig):
    """GetEntities and GetEntitiesStates: OK, FEATURE_UNSUPPORTED, OPERATION_FAILED."""
    from simulation_interfaces.msg import Bounds, EntityCategory
    go(rig)

    def found(**wanted) -> list[str]:
        answers = [call(rig.bench, kind, filters=filters(**wanted)) for kind in ('GetEntities', 'GetEntitiesStates')]
        for answer in answers:
            assert_code(answer, 'RESULT_OK')
        assert answers[0].entities == answers[1].entities and len(answers[1].states) == len(answers[1].entities)
        return list(answers[0].entities)

    assert found() == ['a', 'b', 'load', 'floor', 'post']
    assert found(text='^[ab]$') == ['a', 'b'] and found(text='o') == ['load', 'floor', 'post']
    bodies = EntityCategory.CATEGORY_ROBOT, EntityCategory.CATEGORY_DYNAMIC_OBJECT
    assert found(categories=bodies) == ['a', 'b', 'load']
    assert found(categories=(EntityCategory.CATEGORY_HUMAN,)) == found(categories=(99,)) == []
    assert found(tags=('simulate', 'plane')) == ['b', 'floor']
    assert found(tags=('drone', 'simulate'), mode=1) == ['b'] and found(tags=('drone', 'plane'), mode=1) == []
    # 0.1 m of the ball, 0.5 m of the sphere, 0.5 m of the post
    assert found(bounds=area(Bounds.TYPE_SPHERE, (3.9, 0, 2), (0.5, 0, 0))) == []
    assert found(bounds=area(Bounds.TYPE_SPHERE, (3.9, 0, 1.9), (0.61, 0, 0))) == ['post']
    assert found(bounds=area(Bounds.TYPE_BOX, (4, 1, 1), (3, -1, -1))) == ['floor']
    assert found(bounds=area(Bounds.TYPE_BOX, (4, 1, 2), (3, -1, 1)), text='b') == ['b']
    for kind in ('GetEntities', 'GetEntitiesStates'):
        for wrong, code, says in (
                ({'bounds': area(Bounds.TYPE_CONVEX_HULL, *np.eye(3))}, 'RESULT_FEATURE_UNSUPPORTED', 'bounds.type'),
                ({'tags': ('x',), 'mode': 2}, 'RESULT_FEATURE_UNSUPPORTED', 'tags.filter_mode: must be 0 or 1, got 2'),
                ({'text': 'a('}, 'RESULT_OPERATION_FAILED', 'filter: a ( without its )'),
                ({'text': 'a' * 300}, 'RESULT_OPERATION_FAILED', 'filter: must have at most 256 letters, got 300'),
                ({'bounds': area(Bounds.TYPE_SPHERE)}, 'RESULT_OPERATION_FAILED', 'bounds: must have two points'),
                ({'bounds': area(Bounds.TYPE_SPHERE, (0, 0, 0), (np.nan, 0, 0))}, 'RESULT_OPERATION_FAILED', 'finite'),
                ({'bounds': area(Bounds.TYPE_BOX, (0, 0, 0), (0, 1, 1))}, 'RESULT_OPERATION_FAILED', 'a volume')):
            assert_code(call(rig.bench, kind, filters=filters(**wrong)), code, says)


def test_states_information_and_bounds(rig: Rig):
    """GetEntityState, GetEntityInfo, GetEntityBounds: OK, NOT_FOUND, OPERATION_FAILED."""
    from simulation_interfaces.msg import Bounds, EntityCategory
    go(rig, 20)
    got = call(rig.bench, 'GetEntityState', entity='load')
    assert_code(got, 'RESULT_OK')
    # in free fall since the first tick: v = -g t, z = 9 - g t^2 / 2
    t = harness.stamp_of(got.state) / NS - 10.0
    assert got.state.header.frame_id == 'world' and harness.stamp_of(got.state) == rig.time.now
    assert_allclose(vector(got.state.twist.linear), (0, 0, -G * t), atol=1e-9)
    assert_allclose(vector(got.state.pose.position), (0, 4, 9 - 0.5 * G * t * t), atol=1e-9)
    assert_allclose(vector(got.state.acceleration.linear), (0, 0, -G), rtol=1e-9, atol=1e-9)
    flown = call(rig.bench, 'GetEntityState', entity='a').state
    assert_allclose(vector(flown.twist.linear), (1, 0, 0), atol=1e-9)
    assert_allclose(vector(flown.pose.position), rig.state('a')['p'])
    assert vector(call(rig.bench, 'GetEntityState', entity='post').state.pose.position) == (5, 0, 1)
    assert_code(call(rig.bench, 'GetEntityState', entity='cat'), 'RESULT_NOT_FOUND', "got 'cat'")
    assert_code(call(rig.bench, 'GetEntityState', entity='right'), 'RESULT_OPERATION_FAILED', 'not in the scene')

    info = call(rig.bench, 'GetEntityInfo', entity='b')
    assert_code(info, 'RESULT_OK')
    assert info.info.category.category == EntityCategory.CATEGORY_ROBOT
    assert list(info.info.tags) == ['drone', 'ball', 'simulate'] and '1 kg' in info.info.description
    hand = call(rig.bench, 'GetEntityInfo', entity='right').info
    assert hand.category.category == EntityCategory.CATEGORY_HUMAN
    assert_code(call(rig.bench, 'GetEntityInfo', entity='cat'), 'RESULT_NOT_FOUND', "got 'cat'")

    box = call(rig.bench, 'GetEntityBounds', entity='load')
    assert_code(box, 'RESULT_OK')
    assert box.bounds.type == Bounds.TYPE_BOX
    assert [vector(p) for p in box.bounds.points] == [(0.1, 0.2, 0.3), (-0.1, -0.2, -0.3)]
    endless = call(rig.bench, 'GetEntityBounds', entity='floor')
    assert_code(endless, 'RESULT_OK')
    assert endless.bounds.type == Bounds.TYPE_EMPTY and not endless.bounds.points
    assert_code(call(rig.bench, 'GetEntityBounds', entity='cat'), 'RESULT_NOT_FOUND', "got 'cat'")
    assert_code(call(rig.bench, 'GetEntityBounds', entity='right'), 'RESULT_OPERATION_FAILED', 'not in the scene')


def test_an_object_is_put_elsewhere_and_a_replay_has_the_same_bytes(recorded: Rig, tmp_path: Path):
    """SetEntityState: OK, NOT_FOUND, OPERATION_FAILED, INVALID_POSE."""
    rig = recorded
    go(rig, 5)
    put = {'entity': 'load', 'set_pose': True, 'set_twist': True}
    turned = (0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5))
    assert_code(call(rig.bench, 'SetEntityState', state=state((1, 4, 6), turned, (0, 0, 2)), **put), 'RESULT_OK')
    got = call(rig.bench, 'GetEntityState', entity='load').state
    assert vector(got.pose.position) == (1, 4, 6) and vector(got.acceleration.linear) == (0, 0, 0)
    assert vector(got.twist.linear) == (0, 0, 2)
    before = rig.time.now
    go(rig, 10)
    t = (rig.time.now - before) / NS
    got = call(rig.bench, 'GetEntityState', entity='load').state
    assert_allclose(vector(got.pose.position), (1, 4, 6 + 2 * t - 0.5 * G * t * t), atol=1e-9)
    # the twist alone, and a drone that takes part
    only = {**put, 'set_pose': False}
    assert_code(call(rig.bench, 'SetEntityState', state=state((9, 9, 9), linear=(0, 1, 0)), **only), 'RESULT_OK')
    assert vector(call(rig.bench, 'GetEntityState', entity='load').state.twist.linear) == (0, 1, 0)
    from geometry_msgs.msg import WrenchStamped
    rig.bench.send('b/wrench', harness.stamped(WrenchStamped(), rig.time.now, 'b/base_link'))
    go(rig, 2)
    answer = call(rig.bench, 'SetEntityState', entity='b', state=state((3, 3, 3), frame='world'), set_pose=True,
                  set_acceleration=True)
    assert_code(answer, 'RESULT_OK', 'set_acceleration: left out')
    assert vector(call(rig.bench, 'GetEntityState', entity='b').state.pose.position) == (3, 3, 3)
    go(rig, 3)
    refused_states(rig, put)
    go(rig, 20)
    same_when_replayed(rig, tmp_path)


def refused_states(rig: Rig, put: dict) -> None:
    """All that SetEntityState refuses; nothing moves by it."""
    before = call(rig.bench, 'GetEntityState', entity='load').state
    for change, wrong, code, says in (
            ({'entity': 'cat'}, {}, 'RESULT_NOT_FOUND', "no such drone, object, wall or hand, got 'cat'"),
            ({}, {'frame': 'moon'}, 'RESULT_NOT_FOUND', 'state.header.frame_id: '),
            ({'entity': 'a'}, {}, 'RESULT_OPERATION_FAILED', "a: its motion is its simulator's"),
            ({'entity': 'floor'}, {'linear': (1, 0, 0)}, 'RESULT_OPERATION_FAILED', 'floor: a wall never moves'),
            ({'entity': 'right'}, {}, 'RESULT_OPERATION_FAILED', 'right: a hand is where its tracker has it'),
            ({'set_pose': False, 'set_twist': False}, {}, 'RESULT_OPERATION_FAILED', 'nothing to set: set_pose, '),
            ({}, {'linear': (1e9, 0, 0)}, 'RESULT_OPERATION_FAILED', 'linear velocity: must be finite and at most'),
            ({}, {'position': (np.nan, 0, 0)}, 'INVALID_POSE', 'position: must be finite'),
            ({}, {'position': (1e7, 0, 0)}, 'INVALID_POSE', 'at most 500000 m'),
            ({}, {'quaternion': (0, 0, 0, 0)}, 'INVALID_POSE', 'orientation: must be a quaternion')):
        answer = call(rig.bench, 'SetEntityState', **{**put, **change}, state=state(**{'position': (0, 4, 5), **wrong}))
        assert_code(answer, code, says)
    assert call(rig.bench, 'GetEntityState', entity='load').state == before


def same_when_replayed(rig: Rig, tmp_path: Path) -> None:
    """What was set is an input: the replay of the recording has the same states, to the byte."""
    last = call(rig.bench, 'GetEntityState', entity='b').state
    stamp = rig.time.now
    rig.process.signal(2)
    assert rig.process.wait() == 0, rig.process.output
    result = replay(Options(tmp_path / 'flight', tmp_path / 'again'))
    assert not [note for note in result.notes if 'state' in note]
    with Bag(tmp_path / 'again') as bag:
        states = {harness.stamp_of(s): s for s in map(bag.decode, bag.messages(['/fleet/states_corrected']))}
    for mine in rig.ticks:
        theirs = states[harness.stamp_of(mine)]
        assert np.array_equal(theirs.positions, mine.positions) and np.array_equal(theirs.linear_velocities,
                                                                                   mine.linear_velocities)
    assert_allclose(states[stamp].positions[3:6], vector(last.pose.position), rtol=0, atol=0)


@pytest.mark.parametrize('kind', ['sphere', 'convex_hull'])
def test_bounds_of_the_kind_that_is_asked_for(bench, standard_world: Path, kind):
    from simulation_interfaces.msg import Bounds
    Rig(bench, standard_world, f'entity_bounds:={kind}')
    ball, load = (call(bench, 'GetEntityBounds', entity=name).bounds for name in ('a', 'load'))
    assert {ball.type, load.type} == {Bounds.TYPE_SPHERE if kind == 'sphere' else Bounds.TYPE_CONVEX_HULL}
    if kind == 'sphere':
        assert [vector(p) for p in ball.points] == [(0, 0, 0), (0.1, 0, 0)]
        assert_allclose(load.points[1].x, np.sqrt(0.1 ** 2 + 0.2 ** 2 + 0.3 ** 2))
    else:
        assert {tuple(np.abs(vector(p))) for p in load.points} == {(0.1, 0.2, 0.3)} and len(load.points) == 8
