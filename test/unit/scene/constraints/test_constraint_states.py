# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Scenes with constraints that are saved, restored, taken back and repeated: the same bits, and nothing told twice."""
import json

import numpy as np
import pytest
from scene_worlds import MODEL, TICK, UPRIGHT, ZERO, floor, make_config

from hakoniwa_rigid.engine import Sphere
from hakoniwa_rigid.engine.model import layout as L
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.errors import StateError
from hakoniwa_rigid.scene.records import event_of, plain_event
from hakoniwa_rigid.scene.saved_states import state_file
from hakoniwa_rigid.scene.saved_states.reported_events import ReportedEvents, read_reported
from hakoniwa_rigid.scene.saved_states.scene_state import SceneState
from hakoniwa_rigid.scene.saved_states.state_file import Identity
from hakoniwa_rigid.scene.world_files.world_types import ConstraintConfig, DroneConfig, ObjectConfig, Pose


def world():
    """A drone of each authority: one with a slung load, one on a line from the floor, two on a spring."""
    drones = (DroneConfig('free', MODEL, Pose((0.0, 0.0, 2.0)), 'simulate'),
              DroneConfig('led', MODEL, Pose((2.0, 0.0, 0.4)), 'correct'),
              DroneConfig('watched', MODEL, Pose((4.0, 0.0, 1.0)), 'observe'))
    balls = (ObjectConfig('load', Sphere(0.05), 0.2, pose=Pose((0.0, 0.0, 1.5))),
             ObjectConfig('payload', Sphere(0.05), 0.1, pose=Pose((4.0, 0.0, 0.6))))
    held = (ConstraintConfig('sling', 'cable', 'free', 'load', length=0.6, restitution=0.5),
            ConstraintConfig('tether', 'cable', 'floor', 'led', anchor_a=(2.0, 0.0, 0.0), length=1.0,
                             break_impulse=50.0),
            ConstraintConfig('latch', 'ball', 'watched', 'payload', anchor_a=(0.0, 0.0, -0.05)))
    return make_config(*drones, walls=[floor()], objects=balls, constraints=held)


def feed(scene, k):
    now, t = k * TICK, k * TICK * 1e-9
    scene.feed_wrench('free', now, (0.4 * np.sin(6.0 * t), 0.0, 8.9), ZERO)
    scene.feed_drone('led', now, (2.0 + 1.5 * np.sin(2.0 * t), 0.0, 0.4), UPRIGHT)
    scene.feed_drone('watched', now, (4.0, 0.3 * np.sin(4.0 * t), 1.0), UPRIGHT)


def run(scene, begin, end):
    """Ticks, with a constraint attached in the 60th and let go in the 120th."""
    ticks = []
    for k in range(begin, end):
        if k == 60:
            scene.attach('spring', 'load', 'led', name='band', stiffness=5.0, damping=0.1, max_force=3.0)
        if k == 120:
            scene.detach('band')
        feed(scene, k)
        ticks.append(scene.advance(k * TICK))
    return ticks


def bits(ticks):
    """All that is published of ticks."""
    loads = [[] if t.constraint_loads is None else [a.tobytes() for a in t.constraint_loads] for t in ticks]
    return [[a.tobytes() for a in t.states[1:]] for t in ticks], loads, [
        repr((t.events, t.constraint_events)) for t in ticks]


def test_equal_calls_give_equal_bits():
    one, two = (CollisionScene.from_config(world()) for _ in range(2))
    assert bits(run(one, 0, 200)) == bits(run(two, 0, 200)) and one.state_hash() == two.state_hash()


@pytest.mark.parametrize('at', [1, 59, 60, 61, 100, 121, 180])
def test_a_saved_scene_goes_on_with_the_same_bits(at):
    """Through the bytes of a file, into another object, which had its own constraints of the world file."""
    config = world()
    scene = CollisionScene.from_config(config)
    run(scene, 0, at)
    own = Identity(config, {}).header()
    state, _ = state_file.unpack(state_file.pack(own, scene.saved()), own)
    other = CollisionScene.from_config(config)
    other.restore(state)
    assert other.constraint_names == scene.constraint_names and other.state_hash() == scene.state_hash()
    assert bits(run(other, at, 240)) == bits(run(scene, at, 240))
    assert other.state_hash() == scene.state_hash()


def test_events_told_after_the_state_are_told_no_more(tmp_path):
    """What was attached since is let go, what was let go since holds again; no id comes twice."""
    scene = CollisionScene.from_config(world())
    first = run(scene, 0, 70)
    state, reported = scene.saved(), ReportedEvents(tmp_path / 'state')
    reported.begin(1)
    scene.attach('fixed', 'payload', 'watched', name='second')
    scene.detach('sling')
    for k in range(70, 75):
        feed(scene, k)
        reported.add((*(tick := scene.advance(k * TICK)).events, *tick.constraint_events))
    reported.close()
    told = read_reported(tmp_path / 'state', 1)
    other = CollisionScene.from_config(world())
    other.restore(state, told)
    feed(other, 75)
    tick = other.advance(75 * TICK)
    ids = {e.name: e.id for t in first for e in t.constraint_events}
    assert [(e.phase.name, e.name, e.id) for e in tick.constraint_events][:2] == [
        ('ATTACHED', 'sling', ids['sling']), ('DETACHED', 'second', 5)]
    assert other.constraint_names == ('sling', 'tether', 'latch', 'band')
    other.attach('fixed', 'payload', 'watched', name='second')
    feed(other, 76)
    assert other.advance(76 * TICK).constraint_events[0].id == 6


def test_a_state_of_other_constraints_is_refused():
    scene = CollisionScene.from_config(world())
    run(scene, 0, 70)
    state = scene.saved()
    held = state.values['constraints']
    for change in ({'constraints': []}, {'constraints': 3}, {'constraints': held * 2}, {'next_constraint': 'x'},
                   {'constraints': [{**held[0], 'bodies': [0, 0]}, *held[1:]]},
                   {'constraints': [{**held[0], 'taut_ns': 1 << 62}, *held[1:]]},
                   {'constraints': [{**held[0], 'config': {**held[0]['config'], 'kind': 'glue'}}, *held[1:]]},
                   {'late_constraints': [[1]]}):
        other = CollisionScene.from_config(world())
        before = other.state_hash()
        with pytest.raises(StateError):
            other.restore(SceneState(state.arrays, {**state.values, **change}))
        assert other.state_hash() == before


@pytest.mark.parametrize(('name', 'column', 'value'), [
    ('joint_i', L.JI_A, 99), ('joint_i', L.JI_B, -1), ('joint_i', L.JI_KIND, 6), ('joint_i', L.JI_STATE, 2),
    ('joint_i', L.JI_STATE, 0), ('joint', L.JT_LENGTH, float('nan')), ('count', L.N_JOINTS, 200), ('joint', 0, None)])
def test_numbers_of_constraints_that_are_none_are_refused(name, column, value):
    scene = CollisionScene.from_config(world())
    run(scene, 0, 70)
    state = scene.saved()
    array = state.arrays[f'world.{name}'].copy()
    if value is None:       # a row less than the other array has
        array = array[:-1]
    else:
        array[(0, column) if array.ndim == 2 else column] = value
    other = CollisionScene.from_config(world())
    before = other.state_hash()
    with pytest.raises(StateError):
        other.restore(SceneState({**state.arrays, f'world.{name}': array}, state.values))
    assert other.state_hash() == before


def test_an_engine_call_that_fails_is_taken_back(monkeypatch):
    """A step that raises once is repeated, with other inputs for one drone: nothing is told twice."""
    plain, failing = (CollisionScene.from_config(world()) for _ in range(2))
    run(plain, 0, 50), run(failing, 0, 50)
    post_step, calls = failing._stepper.post_step, []

    def fails_once(*arguments):
        calls.append(1)
        if len(calls) == 1:
            raise RuntimeError('once')
        post_step(*arguments)
    monkeypatch.setattr(failing._stepper, 'post_step', fails_once)
    one, two = run(plain, 50, 80), run(failing, 50, 80)
    told = [[(e.phase, e.name, e.id) for t in ticks for e in t.constraint_events] for ticks in (one, two)]
    assert told[0] == told[1] and len(told[0]) >= 2
    assert {cause for cause, _ in failing.counters} <= {'failed', 'dropped'}


def test_events_as_plain_values():
    scene = CollisionScene.from_config(world())
    events = [e for t in run(scene, 0, 130) for e in t.constraint_events]
    assert {e.phase.name for e in events} >= {'ATTACHED', 'DETACHED', 'TAUT', 'SLACK'}
    assert [event_of(json.loads(json.dumps(plain_event(e)))) for e in events] == events
    with pytest.raises(ValueError):
        event_of(['constraint', 1, 2])
