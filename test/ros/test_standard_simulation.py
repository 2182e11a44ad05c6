# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The services of simulation_interfaces about the simulation over DDS: resets, states, steps and features, every result
code of every one of them; and the parameter that opens them."""

from __future__ import annotations

from pathlib import Path

import harness
import pytest
from lifecycle_msgs.msg import Transition
from numpy.testing import assert_allclose
from rig import NODE, Rig
from standard_calls import ME, assert_code, assert_state, call, change, go, set_state, vector
from std_srvs.srv import SetBool, Trigger

pytestmark = pytest.mark.ros
G = 9.80665


@pytest.fixture
def rig(bench, standard_world: Path) -> Rig:
    return Rig(bench, standard_world)


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
    for wanted in (scope.SCOPE_TIME, scope.SCOPE_STATE | scope.SCOPE_TIME, 64):
        answer = call(rig.bench, 'ResetSimulation', scope=wanted)
        assert_code(answer, 'RESULT_FEATURE_UNSUPPORTED', 'is not supported, nothing was reset; supported are 2, 4')
    assert call(rig.bench, 'GetEntityState', entity='load').state.pose.position.z < 9


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


def test_the_lifecycle_is_a_state_and_quitting_ends_the_process(bench, standard_world: Path):
    """INCORRECT_STATE of all services without a world; SetSimulationState: RESULT_OK for PLAYING and QUITTING."""
    node = bench.start(NODE, f'world:={standard_world}', 'autostart:=false')
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
    assert 'Traceback' not in node.output and 'FATAL' not in node.output, node.output


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
    # without a world it can be told to end, too
    assert_state(bench, 'NO_WORLD')
    set_state(bench, 'QUITTING', 'RESULT_OK')
    assert rig.process.wait() == 0, rig.process.output


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
        F.SPAWNING, F.DELETING, F.SPAWNING_RESOURCE_STRING, F.SIMULATION_RESET_SPAWNED,
        F.ENTITY_TAGS, F.ENTITY_BOUNDS, F.ENTITY_BOUNDS_BOX, F.ENTITY_CATEGORIES, F.ENTITY_STATE_GETTING,
        F.ENTITY_STATE_SETTING, F.ENTITY_INFO_GETTING, F.SIMULATION_RESET, F.SIMULATION_RESET_STATE,
        F.SIMULATION_STATE_GETTING, F.SIMULATION_STATE_SETTING, F.SIMULATION_STATE_PAUSE, F.STEP_SIMULATION_SINGLE,
        F.STEP_SIMULATION_MULTIPLE, F.STEP_SIMULATION_ACTION})
    assert list(got.spawn_formats) == ['hakoniwa_rigid'] and 'standard_services.md' in got.custom_info
    served = {kinds[0].rpartition('/')[2]
              for name, kinds in rig.bench.node.get_service_names_and_types_by_node('collision_node', '/')
              if kinds[0].startswith('simulation_interfaces/') and '_action' not in name}
    assert served == {'GetSimulatorFeatures', 'GetEntities', 'GetEntitiesStates', 'GetEntityState', 'SetEntityState',
                      'GetEntityInfo', 'GetEntityBounds', 'ResetSimulation', 'GetSimulationState',
                      'SetSimulationState', 'StepSimulation', 'SpawnEntity', 'DeleteEntity'}


def test_never_means_never(bench, standard_world: Path):
    rig = Rig(bench, standard_world, 'simulation_interfaces:=never')
    names = [name for name, _ in rig.bench.node.get_service_names_and_types_by_node('collision_node', '/')]
    assert f'{ME}/reset' in names and f'{ME}/get_entities' not in names


def test_always_needs_the_package(bench, world: Path):
    """Where the package is missing, `auto` serves nothing and `always` is an error."""
    node = bench.start(NODE, f'world:={world}', 'simulation_interfaces:=always')
    assert node.wait(harness.START) == 1
    assert 'error: parameter simulation_interfaces: needs the package simulation_interfaces' in node.output
    assert 'Traceback' not in node.output
