# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The services of simulation_interfaces over DDS: every result code of every one of them, their answers against closed
forms, and a recording that is replayed to the byte."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import foreign_packages
import harness
import numpy as np
import pytest
from harness import NS, odometry
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from numpy.testing import assert_allclose
from rig import NODE, Rig
from std_srvs.srv import SetBool, Trigger

from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.rerun.outcome import Options
from hakoniwa_rigid.replay.rerun.run import replay

pytestmark = pytest.mark.ros
G = 9.80665
ME = '/collision_node'

# the load falls freely; a follows its simulator, b is simulated once it has a wrench
WORLD = """
name: standard
walls:
  - {name: floor, type: plane}
  - {name: post, type: box, size: [1, 1, 2], position: [5, 0, 1]}
models:
  ball: {mass: 1.0, inertia: [0.016, 0.016, 0.016], shape: {type: sphere, radius: 0.1}}
objects:
  - {name: load, shape: {type: box, size: [0.2, 0.4, 0.6]}, mass: 0.2, position: [0, 4, 9]}
drones:
  - {name: a, model: ball, position: [0, 0, 2]}
  - {name: b, model: ball, position: [3, 0, 2], authority: simulate}
hands: [{name: right}]
"""


@pytest.fixture
def place(tmp_path: Path, foreign) -> Path:
    path = tmp_path / 'standard.yaml'
    path.write_text(WORLD)
    return path


@pytest.fixture
def rig(bench, place: Path) -> Rig:
    return Rig(bench, place)


@pytest.fixture
def recorded(bench, place: Path, tmp_path: Path, monkeypatch) -> Rig:
    """It records; a recorder looks for the field definitions of all packages that it finds."""
    share = tmp_path / 'prefix' / 'share'
    marks = share / 'ament_index' / 'resource_index' / 'packages'
    marks.mkdir(parents=True)
    for package in foreign_packages.packages():
        (marks / package).touch()
        (share / package).symlink_to(foreign_packages.SOURCES / package)
    before = filter(None, os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep))
    monkeypatch.setenv('AMENT_PREFIX_PATH', os.pathsep.join([str(share.parent), *before, sys.prefix]))
    return Rig(bench, place, f'record:={tmp_path / "flight"}')


def go(rig: Rig, ticks: int = 1) -> None:
    """Ticks with a sample of a each, 1 m/s along x."""
    for _ in range(ticks):
        seconds = (rig.time.now - 10 * NS) / NS
        rig.bench.send('a/odom', odometry(rig.time.now, (seconds, 0, 2), linear=(1, 0, 0)))
        rig.time.tick()


def call(bench, kind: str, **fields):
    """The answer of a standard service, by the name of its type."""
    from simulation_interfaces import srv
    name = re.sub('(?<!^)([A-Z])', r'_\1', kind).lower()
    return bench.call(getattr(srv, kind), f'{ME}/{name}', getattr(srv, kind).Request(**fields))


def assert_code(answer, code: str, says: str = '') -> None:
    """code: a constant of Result, or of the response's type."""
    result = answer.result
    wanted = getattr(result, code, None)
    assert result.result == (getattr(answer, code) if wanted is None else wanted), answer
    assert says in result.error_message, answer
    assert result.error_message or code == 'RESULT_OK'


def vector(v) -> tuple[float, float, float]:
    return v.x, v.y, v.z


def state(position=(0.0, 0.0, 0.0), quaternion=(0.0, 0.0, 0.0, 1.0), linear=(0.0, 0.0, 0.0), frame=''):
    from simulation_interfaces.msg import EntityState
    made = EntityState()
    made.header.frame_id = frame
    for part, values in ((made.pose.position, position), (made.twist.linear, linear)):
        part.x, part.y, part.z = map(float, values)
    turn = made.pose.orientation
    turn.x, turn.y, turn.z, turn.w = map(float, quaternion)
    return made


def area(kind: int, *points):
    from geometry_msgs.msg import Vector3
    from simulation_interfaces.msg import Bounds
    return Bounds(type=kind, points=[Vector3(x=float(x), y=float(y), z=float(z)) for x, y, z in points])


def filters(text='', categories=(), tags=(), mode=0, bounds=None):
    from simulation_interfaces.msg import EntityCategory, EntityFilters, TagsFilter
    made = EntityFilters(filter=text, categories=[EntityCategory(category=c) for c in categories],
                         tags=TagsFilter(tags=list(tags), filter_mode=mode))
    if bounds is not None:
        made.bounds = bounds
    return made


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


def test_resets(rig: Rig):
    """ResetSimulation: OK, FEATURE_UNSUPPORTED."""
    from simulation_interfaces.srv import ResetSimulation
    scope = ResetSimulation.Request
    goes_on = 'time goes on'
    for wanted, says in ((scope.SCOPE_STATE, ''), (scope.SCOPE_DEFAULT, goes_on), (scope.SCOPE_ALL, goes_on)):
        go(rig, 10)
        assert call(rig.bench, 'GetEntityState', entity='load').state.pose.position.z < 9
        assert_code(call(rig.bench, 'ResetSimulation', scope=wanted), 'RESULT_OK', says)
        assert vector(call(rig.bench, 'GetEntityState', entity='load').state.pose.position) == (0, 4, 9)
    go(rig, 10)
    for wanted in (scope.SCOPE_TIME, scope.SCOPE_SPAWNED, scope.SCOPE_STATE | scope.SCOPE_TIME, 64):
        answer = call(rig.bench, 'ResetSimulation', scope=wanted)
        assert_code(answer, 'RESULT_FEATURE_UNSUPPORTED', 'is not supported, nothing was reset; supported are 2')
    assert call(rig.bench, 'GetEntityState', entity='load').state.pose.position.z < 9


def assert_state(bench, wanted: str) -> None:
    answer = call(bench, 'GetSimulationState')
    assert_code(answer, 'RESULT_OK')
    assert answer.state.state == getattr(answer.state, f'STATE_{wanted}')


def set_state(bench, wanted: str, code: str, says: str = '') -> None:
    from simulation_interfaces.msg import SimulationState
    number = getattr(SimulationState, f'STATE_{wanted}', 77)
    assert_code(call(bench, 'SetSimulationState', state=SimulationState(state=number)), code, says)


def test_states_of_the_simulation(rig: Rig):
    """SetSimulationState: OK, ALREADY_IN_TARGET_STATE, INCORRECT_TRANSITION; GetSimulationState: OK."""
    bench = rig.bench
    go(rig, 10)
    assert_state(bench, 'PLAYING')
    set_state(bench, 'PLAYING', 'ALREADY_IN_TARGET_STATE', 'it is PLAYING already')
    set_state(bench, 'PAUSED', 'RESULT_OK')
    assert_state(bench, 'PAUSED')
    before = call(bench, 'GetEntityState', entity='load').state
    go(rig, 5)
    assert call(bench, 'GetEntityState', entity='load').state.pose == before.pose
    set_state(bench, 'PLAYING', 'RESULT_OK')
    go(rig, 5)
    assert call(bench, 'GetEntityState', entity='load').state.pose.position.z < before.pose.position.z
    set_state(bench, 'STOPPED', 'RESULT_OK')
    assert_state(bench, 'STOPPED')
    go(rig, 5)
    assert vector(call(bench, 'GetEntityState', entity='load').state.pose.position) == (0, 4, 9)
    set_state(bench, 'STOPPED', 'ALREADY_IN_TARGET_STATE', 'it is STOPPED already')
    set_state(bench, 'PAUSED', 'INCORRECT_TRANSITION', 'has to be PLAYING before')
    assert_code(call(bench, 'StepSimulation', steps=1), 'RESULT_OPERATION_FAILED', 'is stopped')
    set_state(bench, 'NO_WORLD', 'INCORRECT_TRANSITION', 'from STOPPED no request leads to NO_WORLD')
    set_state(bench, 'LOADING_WORLD', 'INCORRECT_TRANSITION')
    set_state(bench, 'NONSENSE', 'INCORRECT_TRANSITION', 'state: must be from 0 to 5, got 77')
    set_state(bench, 'PLAYING', 'RESULT_OK')
    # what other services pause is paused
    assert bench.call(SetBool, f'{ME}/set_paused', SetBool.Request(data=True)).success
    assert_state(bench, 'PAUSED')


def change(bench, transition: int) -> bool:
    request = ChangeState.Request(transition=Transition(id=transition))
    return bench.call(ChangeState, f'{ME}/change_state', request).success


def test_the_lifecycle_is_a_state_and_quitting_ends_the_process(bench, place: Path):
    """INCORRECT_STATE of all services without a world; SetSimulationState: RESULT_OK for PLAYING and QUITTING."""
    node = bench.start(NODE, f'world:={place}', 'autostart:=false')
    assert change(bench, Transition.TRANSITION_CONFIGURE)
    assert_state(bench, 'STOPPED')
    assert_code(call(bench, 'GetEntities'), 'RESULT_OK')
    assert_code(call(bench, 'StepSimulation', steps=1), 'RESULT_OPERATION_FAILED', 'not paused')
    assert change(bench, Transition.TRANSITION_CLEANUP)
    assert_state(bench, 'NO_WORLD')
    for kind in ('GetEntities', 'GetEntitiesStates', 'GetEntityState', 'SetEntityState', 'GetEntityInfo',
                 'GetEntityBounds', 'ResetSimulation', 'StepSimulation'):
        assert_code(call(bench, kind), 'RESULT_INCORRECT_STATE', 'there is no world')
    set_state(bench, 'PLAYING', 'INCORRECT_TRANSITION', 'configure the node first')
    set_state(bench, 'NO_WORLD', 'ALREADY_IN_TARGET_STATE')
    assert change(bench, Transition.TRANSITION_CONFIGURE)
    set_state(bench, 'PLAYING', 'RESULT_OK')
    assert_state(bench, 'PLAYING')
    set_state(bench, 'QUITTING', 'RESULT_OK')
    assert node.wait() == 0, node.output
    assert 'Traceback' not in node.output, node.output


def test_steps_are_answered_when_they_are_done(rig: Rig):
    """StepSimulation: OK, OPERATION_FAILED."""
    from simulation_interfaces.srv import StepSimulation
    bench = rig.bench
    go(rig, 3)
    assert_code(call(bench, 'StepSimulation', steps=1), 'RESULT_OPERATION_FAILED', 'not paused')
    set_state(bench, 'PAUSED', 'RESULT_OK')
    for wrong in (0, 10_001, 2 ** 64 - 1):
        answer = call(bench, 'StepSimulation', steps=wrong)
        assert_code(answer, 'RESULT_OPERATION_FAILED', f'steps: must be from 1 to 10000, got {wrong}')
    before = call(bench, 'GetEntityState', entity='load').state
    client = bench.client(StepSimulation, f'{ME}/step_simulation')
    answer = client.call_async(StepSimulation.Request(steps=4))
    # it is there once another service behind it has answered
    assert_code(call(bench, 'GetEntities'), 'RESULT_OK')
    for _ in range(3):
        go(rig)
        assert not answer.done()
    go(rig)
    bench.until(answer.done, 'the answer to 4 steps')
    assert_code(answer.result(), 'RESULT_OK')
    go(rig, 5)
    after = call(bench, 'GetEntityState', entity='load').state
    # four ticks of 5 ms: v' = v - g h, z' = z + v h - g h^2 / 2
    h, v = 0.02, before.twist.linear.z
    assert_allclose(after.twist.linear.z, v - G * h, rtol=1e-12)
    assert_allclose(after.pose.position.z, before.pose.position.z + v * h - 0.5 * G * h * h, rtol=1e-12)
    answer = client.call_async(StepSimulation.Request(steps=100))
    assert_code(call(bench, 'GetEntities'), 'RESULT_OK')
    go(rig, 2)
    set_state(bench, 'PLAYING', 'RESULT_OK')
    bench.until(answer.done, 'the end of the steps')
    assert_code(answer.result(), 'RESULT_OPERATION_FAILED', '2 of 100 steps were run: the scene goes on')
    # a cleanup ends them, too, and nothing is lost
    set_state(bench, 'PAUSED', 'RESULT_OK')
    answer = client.call_async(StepSimulation.Request(steps=100))
    assert bench.call(Trigger, f'{ME}/step').success
    assert change(bench, Transition.TRANSITION_DEACTIVATE) and change(bench, Transition.TRANSITION_CLEANUP)
    bench.until(answer.done, 'the end of the steps')
    assert_code(answer.result(), 'RESULT_OPERATION_FAILED', '0 of 100 steps were run: the node was deactivated')
    assert rig.process.alive


def test_the_action_tells_every_step_and_can_be_canceled(rig: Rig):
    """SimulateSteps: OK, OPERATION_FAILED; succeeded, aborted, canceled."""
    from action_msgs.msg import GoalStatus
    from rclpy.action import ActionClient
    from simulation_interfaces.action import SimulateSteps
    bench, told = rig.bench, []
    client = ActionClient(bench.node, SimulateSteps, f'{ME}/simulate_steps')
    bench.until(client.server_is_ready, 'the action')
    bench.meet(ME)

    def begun(steps: int):
        goal = client.send_goal_async(SimulateSteps.Goal(steps=steps),
                                      feedback_callback=lambda msg: told.append(msg.feedback))
        bench.until(goal.done, 'the goal')
        assert goal.result().accepted
        return goal.result(), goal.result().get_result_async()

    def ended(result, status: str, code: str, says: str = '') -> None:
        bench.until(result.done, 'the result')
        assert result.result().status == getattr(GoalStatus, f'STATUS_{status}')
        assert_code(result.result().result, code, says)

    go(rig, 3)
    ended(begun(3)[1], 'ABORTED', 'RESULT_OPERATION_FAILED', 'not paused')
    set_state(bench, 'PAUSED', 'RESULT_OK')
    ended(begun(0)[1], 'ABORTED', 'RESULT_OPERATION_FAILED', 'steps: must be from 1 to 10000, got 0')
    before = call(bench, 'GetEntityState', entity='load').state.twist.linear.z
    _, result = begun(3)
    assert_code(call(bench, 'GetEntities'), 'RESULT_OK')
    go(rig, 3)
    ended(result, 'SUCCEEDED', 'RESULT_OK')
    assert_allclose(call(bench, 'GetEntityState', entity='load').state.twist.linear.z, before - G * 0.015, rtol=1e-12)
    bench.until(lambda: len(told) == 3, 'the feedback')
    assert [(f.completed_steps, f.remaining_steps) for f in told] == [(1, 2), (2, 1), (3, 0)]
    goal, result = begun(50)
    assert_code(call(bench, 'GetEntities'), 'RESULT_OK')
    go(rig, 2)
    bench.until(goal.cancel_goal_async().done, 'the cancel')
    ended(result, 'CANCELED', 'RESULT_OPERATION_FAILED', '2 of 50 steps were run: the goal was canceled')
    assert_state(bench, 'PAUSED')
    _, result = begun(50)
    assert_code(call(bench, 'GetEntities'), 'RESULT_OK')
    set_state(bench, 'PLAYING', 'RESULT_OK')
    ended(result, 'ABORTED', 'RESULT_OPERATION_FAILED', '0 of 50 steps were run: the scene goes on')
    client.destroy()


@pytest.mark.parametrize('by', ['signal', 'quitting'])
def test_a_node_that_ends_with_steps_in_hand_ends_well(rig: Rig, by):
    from rclpy.action import ActionClient
    from simulation_interfaces.action import SimulateSteps
    from simulation_interfaces.srv import StepSimulation
    bench = rig.bench
    set_state(bench, 'PAUSED', 'RESULT_OK')
    bench.client(StepSimulation, f'{ME}/step_simulation').call_async(StepSimulation.Request(steps=100))
    client = ActionClient(bench.node, SimulateSteps, f'{ME}/simulate_steps')
    bench.until(client.server_is_ready, 'the action')
    bench.meet(ME)
    goal = client.send_goal_async(SimulateSteps.Goal(steps=50))
    bench.until(goal.done, 'the goal')
    go(rig, 3)
    if by == 'signal':
        rig.process.signal(2)
    else:
        set_state(bench, 'QUITTING', 'RESULT_OK')
    assert rig.process.wait() == 0, rig.process.output
    assert 'Traceback' not in rig.process.output and 'never awaited' not in rig.process.output, rig.process.output
    client.destroy()


def test_what_is_listed_is_what_is_served(rig: Rig):
    """GetSimulatorFeatures: nothing is listed without its service, nothing served without its feature."""
    from simulation_interfaces.msg import SimulatorFeatures as F
    got = call(rig.bench, 'GetSimulatorFeatures').features
    assert list(got.features) == sorted({
        F.ENTITY_TAGS, F.ENTITY_BOUNDS, F.ENTITY_BOUNDS_BOX, F.ENTITY_CATEGORIES, F.ENTITY_STATE_GETTING,
        F.ENTITY_STATE_SETTING, F.ENTITY_INFO_GETTING, F.SIMULATION_RESET, F.SIMULATION_RESET_STATE,
        F.SIMULATION_STATE_GETTING, F.SIMULATION_STATE_SETTING, F.SIMULATION_STATE_PAUSE, F.STEP_SIMULATION_SINGLE,
        F.STEP_SIMULATION_MULTIPLE, F.STEP_SIMULATION_ACTION})
    assert not got.spawn_formats and 'standard_services.md' in got.custom_info
    served = {kinds[0].rpartition('/')[2]
              for name, kinds in rig.bench.node.get_service_names_and_types_by_node('collision_node', '/')
              if kinds[0].startswith('simulation_interfaces/') and '_action' not in name}
    assert served == {'GetSimulatorFeatures', 'GetEntities', 'GetEntitiesStates', 'GetEntityState', 'SetEntityState',
                      'GetEntityInfo', 'GetEntityBounds', 'ResetSimulation', 'GetSimulationState',
                      'SetSimulationState', 'StepSimulation'}


@pytest.mark.parametrize('kind', ['sphere', 'convex_hull'])
def test_bounds_of_the_kind_that_is_asked_for(bench, place: Path, kind):
    from simulation_interfaces.msg import Bounds
    Rig(bench, place, f'entity_bounds:={kind}')
    ball, load = (call(bench, 'GetEntityBounds', entity=name).bounds for name in ('a', 'load'))
    assert {ball.type, load.type} == {Bounds.TYPE_SPHERE if kind == 'sphere' else Bounds.TYPE_CONVEX_HULL}
    if kind == 'sphere':
        assert [vector(p) for p in ball.points] == [(0, 0, 0), (0.1, 0, 0)]
        assert_allclose(load.points[1].x, np.sqrt(0.1 ** 2 + 0.2 ** 2 + 0.3 ** 2))
    else:
        assert {tuple(np.abs(vector(p))) for p in load.points} == {(0.1, 0.2, 0.3)} and len(load.points) == 8


def test_never_means_never(bench, place: Path):
    rig = Rig(bench, place, 'simulation_interfaces:=never')
    names = [name for name, _ in rig.bench.node.get_service_names_and_types_by_node('collision_node', '/')]
    assert f'{ME}/reset' in names and f'{ME}/get_entities' not in names


def test_always_needs_the_package(bench, world: Path):
    """Where the package is missing, `auto` serves nothing and `always` is an error."""
    node = bench.start(NODE, f'world:={world}', 'simulation_interfaces:=always')
    assert node.wait(harness.START) == 1
    assert 'error: parameter simulation_interfaces: needs the package simulation_interfaces' in node.output
    assert 'Traceback' not in node.output
