# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Parts of the standard services without a node: the pace and its bounds, requests of earlier releases, transitions
that fail, errors of ours."""

from __future__ import annotations

import math
import time
from collections import Counter
from types import SimpleNamespace

import foreign_packages
import numpy as np
import pytest
import rclpy
from rclpy.experimental import EventsExecutor
from rclpy.lifecycle import TransitionCallbackReturn
from standard_calls import WORLD as STANDARD

from hakoniwa_rigid.ros.collision.pace import MOST_REQUESTS, MOST_STEPS, Pace, StepsError, set_paused
from hakoniwa_rigid.ros.collision.recorder import Recorder
from hakoniwa_rigid.ros.collision.standard.opening import NoStandard, open_standard
from hakoniwa_rigid.ros.errors import StartError
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.entities.entities import Entities
from hakoniwa_rigid.scene.errors import PoseError, UnknownEntityError
from hakoniwa_rigid.scene.frames.frames import Frames

pytestmark = pytest.mark.ros


@pytest.fixture(autouse=True, scope='module')
def _packages():
    foreign_packages.provide()


def paused() -> Pace:
    pace = Pace()
    pace.paused = True
    return pace


def test_steps_are_told_one_by_one():
    pace, told = paused(), []
    assert not pace.wants and not pace.advances()
    steps = pace.ask(2, lambda s: told.append((s.completed, s.left, s.is_over)))
    pace.ask(1)
    for k in range(3):
        assert pace.wants and pace.advances()
        assert len(told) == min(k, 2)   # not before the tick is over
        pace.tell()
    assert told == [(1, 1, False), (2, 0, True)] and not pace.advances() and steps.fault == ''


def test_steps_of_one_kind_wait_together_and_are_bounded():
    pace = paused()
    for _ in range(MOST_STEPS):
        pace.ask(1)
    with pytest.raises(StepsError, match=f'{MOST_STEPS} steps wait already'):
        pace.ask(1)
    assert len(pace._waiting) == 1
    pace = paused()
    for _ in range(MOST_REQUESTS):
        pace.ask(1, lambda steps: None)
    with pytest.raises(StepsError, match=f'{MOST_REQUESTS} requests for steps wait already'):
        pace.ask(1, lambda steps: None)
    with pytest.raises(StepsError, match='steps: must be from 1 to 10000, got 0'):
        pace.ask(0)
    with pytest.raises(StepsError, match='not paused'):
        Pace().ask(1)


def test_what_waits_ends_with_a_reason():
    pace, told, calls = paused(), [], []
    steps = [pace.ask(5, told.append) for _ in range(2)]
    pace.drop(steps[1], 'enough')
    pace.drop(steps[1], 'twice')
    pace.advances()
    scene = SimpleNamespace(release_hands=lambda: calls.append('hands'))
    set_paused(pace, scene, Recorder(), True)
    assert calls == [] and pace.paused
    assert told == [steps[1], steps[0], steps[0]] and steps[1].fault == 'enough'
    assert steps[0].fault == 'the scene was paused anew' and steps[0].completed == 1
    set_paused(pace, scene, Recorder(), False)
    assert calls == ['hands'] and not pace.paused


def run_of(**parts):
    return SimpleNamespace(**{'pace': Pace(), 'recorder': Recorder(), **parts})


def answered(service, run, request, node=None):
    from simulation_interfaces import srv

    from hakoniwa_rigid.ros.collision.standard.serving import serve
    return serve(node, lambda: run, service)(request, getattr(srv, service.kind).Response())


def test_a_request_without_flags_sets_pose_and_twist():
    """Those of the releases before 2.1 have none."""
    from simulation_interfaces.msg import EntityState

    from hakoniwa_rigid.ros.collision.standard.entity_services import ENTITY_SERVICES
    service = next(s for s in ENTITY_SERVICES if s.kind == 'SetEntityState')
    asked = []
    scene = SimpleNamespace(set_state=lambda *a: asked.append(a), motion_of=lambda name: None, now_ns=7)
    run = run_of(scene=scene, entities=SimpleNamespace(forget=lambda: None))
    answer = answered(service, run, SimpleNamespace(entity='load', state=EntityState()))
    assert answer.result.result == answer.result.RESULT_OK
    assert asked == [('load', [0.0] * 3, [0.0, 0.0, 0.0, 1.0], [0.0] * 3, [0.0] * 3)]


def test_errors_become_codes_and_sentences():
    from simulation_interfaces.msg import Result

    from hakoniwa_rigid.ros.collision.standard.serving import Service
    noted = []
    node = SimpleNamespace(guard=SimpleNamespace(note=lambda part, error: noted.append((part, str(error)))))

    def failing(error):
        def method(run, request, response):
            raise error
        return Service('GetEntities', method)

    for error, code in ((UnknownEntityError('cat'), Result.RESULT_NOT_FOUND),
                        (PoseError('askew'), Result.RESULT_OPERATION_FAILED),
                        (ZeroDivisionError('ours'), Result.RESULT_OPERATION_FAILED),
                        (ValueError('x' * 9999), Result.RESULT_OPERATION_FAILED)):
        answer = answered(failing(error), run_of(), None, node)
        assert answer.result.result == code and str(error)[:100] in answer.result.error_message
        assert len(answer.result.error_message) <= 400
    assert [part for part, _ in noted] == ['simulation_interfaces'] * 2


NUMBERS = (0.0, -0.0, 1.0, -3.5, 1e-300, 1e308, -1e308, math.nan, math.inf, 5e5, 0.1)
TEXTS = ('', 'a', 'load', 'floor', 'right', 'world', 'x' * 70_000, 'é\n', '\0', '(' * 300, '^(a+)+$', '[[:alpha:]', '{',
         '(a{255}){255}')


def random_message(rng, kind: type):
    """A message whose fields are odd, at random."""
    made = kind()
    for name, word in kind.get_fields_and_field_types().items():
        value = getattr(made, name)
        if isinstance(value, bool):
            setattr(made, name, bool(rng.integers(2)))
        elif isinstance(value, int):
            setattr(made, name, int(rng.choice([0, 1, 2, 3, 4, 5, 77, 255])))
        elif isinstance(value, float):
            setattr(made, name, float(rng.choice(NUMBERS)))
        elif isinstance(value, str):
            setattr(made, name, str(rng.choice(TEXTS)))
        elif word.startswith('sequence<string'):
            setattr(made, name, [str(text) for text in rng.choice(TEXTS, rng.integers(4) * rng.integers(2) * 25)])
        elif word.startswith('sequence'):
            inner = TYPES[word.removeprefix('sequence<').removesuffix('>')]
            setattr(made, name, [random_message(rng, inner) for _ in range(rng.integers(5))])
        else:
            setattr(made, name, random_message(rng, type(value)))
    return made


TYPES: dict[str, type] = {}


def test_requests_at_random_are_never_an_error_of_ours(tmp_path):
    """Three thousand of them: each gets a code, and a sentence where it is not OK; states stay finite."""
    from geometry_msgs.msg import Vector3
    from simulation_interfaces import msg, srv

    from hakoniwa_rigid.ros.collision.standard.entity_services import ENTITY_SERVICES
    TYPES.update({'geometry_msgs/Vector3': Vector3, 'simulation_interfaces/EntityCategory': msg.EntityCategory})
    world = tmp_path / 'standard.yaml'
    world.write_text(STANDARD)
    scene = CollisionScene.from_yaml(world)
    scene.advance(0)
    settings = SimpleNamespace(node={'world_frame': 'world', 'accepted_frames': ['map'], 'frame_yaw': 0.0,
                                     'tf_timeout': 0.2}, fixed_frames={})
    faults, rng = [], np.random.default_rng(5)
    node = SimpleNamespace(guard=SimpleNamespace(note=lambda part, error: faults.append(error)))
    run = run_of(scene=scene, entities=Entities(scene), frames=Frames(settings, lambda: '/tf has not given it'),
                 values={'world_frame': 'world', 'entity_bounds': 'box'})
    codes = Counter()
    for k in range(3_000):
        service = ENTITY_SERVICES[k % len(ENTITY_SERVICES)]
        request = random_message(rng, getattr(srv, service.kind).Request)
        if k % 3 and hasattr(request, 'entity'):
            request.entity = 'load'
        answer = answered(service, run, request, node)
        codes[service.kind, answer.result.result] += 1
        assert answer.result.result == 1 or answer.result.error_message
        if k % 100 == 0:
            tick = scene.advance(scene.now_ns + 5_000_000)
            run.entities.look(tick)
            assert np.isfinite(np.concatenate(scene.motion_of('load'))).all()
    assert faults == []
    assert {code for _, code in codes} == {0, 1, 2, 4, 101}, codes


def test_a_transition_that_fails():
    """SetSimulationState: STATE_TRANSITION_ERROR."""
    from simulation_interfaces.msg import SimulationState
    from simulation_interfaces.srv import SetSimulationState

    from hakoniwa_rigid.ros.collision.standard.simulation_services import Simulation
    node = SimpleNamespace(ticking=False, fault='state_file: no such folder',
                           trigger_activate=lambda: TransitionCallbackReturn.FAILURE)
    service = next(s for s in Simulation(node).services if s.kind == 'SetSimulationState')
    playing = SetSimulationState.Request(state=SimulationState(state=SimulationState.STATE_PLAYING))
    answer = answered(service, run_of(), playing, node)
    assert answer.result.result == answer.STATE_TRANSITION_ERROR
    assert answer.result.error_message == 'the node could not be activated: state_file: no such folder'


def test_names_of_services():
    from hakoniwa_rigid.ros.collision.standard.serving import Service
    assert Service('GetEntitiesStates', None).name == 'get_entities_states'


@pytest.mark.parametrize('wanted', ['auto', 'always', 'never'])
def test_a_package_that_lacks_a_type(monkeypatch, wanted):
    """An older release, say: `auto` goes without, `always` is an error."""
    from simulation_interfaces import srv
    monkeypatch.delattr(srv, 'GetEntityBounds')
    made = []
    node = SimpleNamespace(standard=None, create_service=lambda *args: made.append(args))
    settings = SimpleNamespace(node={'simulation_interfaces': wanted})
    if wanted == 'always':
        with pytest.raises(StartError, match='parameter simulation_interfaces: needs the package .* too old: .*Bounds'):
            open_standard(node, None, settings, None)
    else:
        assert type(open_standard(node, None, settings, None)) is NoStandard
    assert made == [] and node.standard is None


def test_the_definitions_are_those_of_the_standard():
    """The numbers of result codes and states, as its files of 2.1.0 have them."""
    from simulation_interfaces import msg, srv
    result, state, scope = msg.Result, msg.SimulationState, srv.ResetSimulation.Request
    names = ('FEATURE_UNSUPPORTED', 'OK', 'NOT_FOUND', 'INCORRECT_STATE', 'OPERATION_FAILED')
    assert [getattr(result, f'RESULT_{name}') for name in names] == list(range(5))
    names = ('STOPPED', 'PLAYING', 'PAUSED', 'QUITTING', 'NO_WORLD', 'LOADING_WORLD')
    assert [getattr(state, f'STATE_{name}') for name in names] == list(range(6))
    assert (scope.SCOPE_TIME, scope.SCOPE_STATE, scope.SCOPE_SPAWNED, scope.SCOPE_ALL) == (1, 2, 4, 255)
    answers = srv.SetSimulationState.Response
    assert (answers.ALREADY_IN_TARGET_STATE, answers.STATE_TRANSITION_ERROR, answers.INCORRECT_TRANSITION) == (
        101, 102, 103)
    assert srv.SetEntityState.Response.INVALID_POSE == 101 and srv.StepSimulation.Request().steps == 1
    features = msg.SimulatorFeatures
    assert (features.SPAWNING, features.ENTITY_STATE_SETTING, features.STEP_SIMULATION_ACTION) == (0, 11, 33)


def test_steps_that_wait_cost_nothing(bench):
    """An executor calls a coroutine that waits as often as it can; nothing here is one."""
    from rclpy.action import ActionClient
    from simulation_interfaces.action import SimulateSteps
    from simulation_interfaces.srv import StepSimulation

    from hakoniwa_rigid.ros.collision.standard.steps import Stepping
    context = rclpy.Context()
    rclpy.init(args=['--ros-args', '--disable-rosout-logs'], context=context, domain_id=bench.domain)
    node, pace = rclpy.create_node('stepping', context=context), paused()
    executor = EventsExecutor(context=context)
    executor.add_node(node)
    stepping = Stepping(node, lambda: run_of(pace=pace))

    def until(fact) -> None:
        def served():
            executor.spin_once(timeout_sec=0.0)
            return fact()
        bench.until(served, 'an answer of the node beside')

    client = bench.node.create_client(StepSimulation, '/stepping/step_simulation')
    action = ActionClient(bench.node, SimulateSteps, '/stepping/simulate_steps')
    until(lambda: client.service_is_ready() and action.server_is_ready() and bench.knows('/stepping'))
    answer = client.call_async(StepSimulation.Request(steps=3))
    until(lambda: pace.steps == 3)
    goal = action.send_goal_async(SimulateSteps.Goal(steps=2))
    until(lambda: pace.steps == 5 and goal.done())
    result = goal.result().get_result_async()
    bench.serve()
    spins, end = 0, time.monotonic() + 1.0
    while time.monotonic() < end:
        executor.spin_once(timeout_sec=0.05)
        spins += 1
    assert spins < 60       # 20 without any message
    for _ in range(5):
        assert not (answer.done() and result.done())
        pace.advances()
        pace.tell()
    until(lambda: answer.done() and result.done())
    assert answer.result().result.result == result.result().result.result.result == 1
    action.destroy()
    executor.remove_node(node)
    executor.shutdown()
    stepping.close()
    node.destroy_node()
    rclpy.try_shutdown(context=context)
