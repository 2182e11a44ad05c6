# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Hands that come and leave while a scene runs."""
import json
import math

import numpy as np
import pytest
import yaml
from hand_acts import PALM, UPRIGHT, G, about, constant, follow, gripped, hover, make_world, perform, plate
from hypothesis import given, settings
from hypothesis import strategies as st
from scene_worlds import TICK, ZERO

from hakoniwa_rigid.scene import CollisionScene, Phase, SpawnError
from hakoniwa_rigid.scene.saved_states import state_file
from hakoniwa_rigid.scene.world_files import world_file, world_writer

WORLD = """
name: parlour
gravity: [0, 0, 0]
materials:
  default: {restitution: 0.5, friction: 0.0}
  rubber: {restitution: 0.0, friction: 1.0}
pair_materials: [{between: [default, rubber], friction: 0.0}]
models:
  ball: {mass: 0.5, inertia: [0.008, 0.008, 0.008], shape: {type: sphere, radius: 0.2}}
spare: {hands: 2}
filters: {pairs: [[right, d1]]}
drones:
  - {name: d0, model: ball, authority: simulate}
  - {name: d1, model: ball, position: [4, 0, 0], authority: simulate}
hands: [{name: right}, {name: wall_of_iron, effective_mass: .inf}]
"""
SPHERE = {'shape': {'type': 'sphere', 'radius': 0.1}}


def made(text=WORLD, **changes):
    config = world_file.parse(world_file.Node({**yaml.safe_load(text), **changes}, '<t>', ''))
    scene = CollisionScene.from_config(config)
    scene.advance(0)
    for k in range(2):
        scene.feed_drone(f'd{k}', 0, (4.0 * k, 0, 0), UPRIGHT, ZERO, ZERO)
    return scene


def push(scene, first, last, at=(-0.4, 0, 0), speed=1.0, **hands):
    """Ticks in which hands, one sphere each (place at `first`), go along x; all events and the last tick."""
    events = []
    for k in range(first, last):
        for d in scene.drone_index:
            scene.feed_wrench(d, k * TICK, ZERO, ZERO)
        for name, place in hands.items():
            x = np.add(place, ((k - first) * TICK * 1e-9 * speed, 0, 0))
            scene.feed_hand(name, k * TICK, [x])
        tick = scene.advance(k * TICK)
        events += tick.events
    return events, tick


def rows(tick, count=2):
    return [getattr(tick.states, field)[:count].tobytes() for field in tick.states._fields[1:]]


def test_a_hand_that_comes_strikes_like_one_that_was_there_from_the_start():
    entry = {'name': 'late', 'material': 'rubber', 'effective_mass': 0.3, **SPHERE}
    there = made(hands=[*yaml.safe_load(WORLD)['hands'], entry])
    comes = made()
    for scene in (there, comes):
        push(scene, 1, 5)
    comes.add_hand('late', material={'restitution': 0.0, 'friction': 1.0}, effective_mass=0.3, **SPHERE)
    assert comes.hand_names == ('right', 'wall_of_iron', 'late')
    (ours, a), (theirs, b) = (push(scene, 5, 120, late=(-0.5, 0.05, 0)) for scene in (there, comes))
    assert ours and ours == theirs
    assert rows(a) == rows(b)
    assert a.states.linear_velocities[0, 0] > 0.05


def test_its_contacts_end_when_it_leaves_and_its_place_is_free():
    scene = made()
    scene.add_hand('one', **SPHERE)
    scene.add_hand('two')
    with pytest.raises(SpawnError, match='all 4 places for hands are taken'):
        scene.add_hand('three')
    events, tick = push(scene, 1, 60, one=(-0.4, 0, 0))
    assert {h.name for h in tick.hands} == {'right', 'wall_of_iron', 'one', 'two'}
    began = [(e.body_a, e.body_b) for e in events if e.phase is Phase.BEGIN]
    assert began[0] == ('d0', 'one')
    scene.remove('one')
    events, tick = push(scene, 60, 62)
    ended = [(e.body_a, e.body_b) for e in events if e.phase is Phase.END]
    assert len(ended) <= len(began) and all(pair == ('d0', 'one') for pair in ended)
    assert {h.name for h in tick.hands} == {'right', 'wall_of_iron', 'two'}
    assert scene.feed_hand('one', 62 * TICK, [(0, 0, 0)]).name == 'UNKNOWN_NAME'
    scene.add_hand('three')
    assert scene.hand_names == ('right', 'wall_of_iron', 'three', 'two')     # in the order of their places
    assert scene.spawned('hand') == {'three': 2, 'two': 3} and scene.free_places('hand') == 0


def test_the_last_hand_leaves_and_nothing_of_it_moves():
    scene = made(hands=[], filters={})
    scene.add_hand('only', **SPHERE)
    push(scene, 1, 10, only=(0, 5, 0), speed=2.0)
    body = int(scene._table.hands['only'][0])
    before = scene.world.pos[body].copy()
    assert before[1] == pytest.approx(5.0)
    scene.remove('only')
    push(scene, 10, 20)
    assert np.array_equal(scene.world.pos[body], before)


def test_a_contact_that_runs_ends_with_its_hand():
    """The drone is between the hand and a wall."""
    scene = made(walls=[{'name': 'wall', 'type': 'plane', 'normal': [-1, 0, 0], 'offset': -0.2}])
    scene.add_hand('one', **SPHERE)
    events, _ = push(scene, 1, 100, speed=0.5, one=(-0.4, 0, 0))
    state = {(e.body_a, e.body_b): e.phase for e in events}
    assert state['d0', 'one'] in (Phase.BEGIN, Phase.PERSIST)
    scene.remove('one')
    events, _ = push(scene, 100, 102)
    assert [(e.body_a, e.body_b) for e in events if e.phase is Phase.END and 'one' in (e.body_a, e.body_b)]


def test_a_hand_of_the_world_file_leaves_and_comes_back_to_its_place():
    scene = made()
    scene.remove('right')
    assert scene.roster_changes() == ([], ['right'])
    scene.add_hand('left')
    scene.add_hand('head')
    with pytest.raises(SpawnError, match='places for hands are taken, or kept'):
        scene.add_hand('third')
    scene.add_hand('right', radius_scale=1.0)
    assert scene.hand_names == ('right', 'wall_of_iron', 'left', 'head')
    # it never meets d1, as the world file's filters say
    events, _ = push(scene, 1, 100, right=(3.6, 0, 0))
    assert not events
    events, _ = push(scene, 100, 200, left=(3.5, 0, 0))
    assert events


def test_what_cannot_be_says_so_and_changes_nothing():
    scene = made()
    before, hashed = scene.hand_names, scene.state_hash()
    for call, words in (
            (lambda: scene.add_hand('d0'), 'add: name: is in use by another body'),
            (lambda: scene.add_hand('right'), 'is in use'),
            (lambda: scene.add_hand('a/b'), 'must be a text without /'),
            (lambda: scene.add_hand('x', effective_mass=math.inf), 'effective_mass: must be finite, got inf'),
            (lambda: scene.add_hand('x', effective_mass=-1), 'effective_mass: must be'),
            (lambda: scene.add_hand('x', position=[0, 0, 0]), 'position: unknown key'),
            (lambda: scene.change('wall_of_iron', effective_mass=1.0), 'must be infinite, as in the world file, got 1'),
            (lambda: scene.change('right', grasp_assistance=True), 'from the start or never'),
            (lambda: scene.add_object('right', mass=1.0, shape=SPHERE['shape']), 'is in use'),
            (lambda: scene.remove('none'), 'no such drone, wall, object or hand')):
        with pytest.raises(SpawnError, match=words):
            call()
        assert scene.hand_names == before and scene.state_hash() == hashed
    with pytest.raises(SpawnError, match='this world has no constraints'):
        made(solver='penalty').add_hand('x', grasp_assistance=True)
    with pytest.raises(ValueError, match='hands: must be <= 64'):
        made(spare={'hands': 65})


def test_entries_are_plain_and_come_back_equal():
    scene = made()
    scene.add_hand('head', effective_mass=4.4, handedness='', material={'friction': 0.3}, radius_scale=1.5,
                   shape={'type': 'box', 'size': [0.2, 0.2, 0.3]}, grasp_assistance=True)
    for name in scene.hand_names:
        entry = json.loads(json.dumps(scene.added_entry(name), allow_nan=False))
        config = next(h for h in scene.config.hands if h.name == name)
        assert scene.entry_config('hand', entry) == config
    again = world_file.parse(world_file.Node(yaml.safe_load(scene.save_world()), '<again>', ''))
    assert again.hands == scene.config.hands and again.spare == scene.config.spare
    assert world_writer.write(again) == scene.save_world().replace('<t>', '<again>')


def test_a_hand_changes_and_waits_for_its_next_sample():
    scene = made()
    scene.add_hand('one', **SPHERE)
    push(scene, 1, 10, one=(-1, 0, 0))
    scene.change('one', effective_mass=2.0, material='rubber')
    _, tick = push(scene, 10, 12)
    assert not next(h for h in tick.hands if h.name == 'one').present
    scene.change('right', effective_mass=1.0)
    there, left = scene.roster_changes()
    assert {body.name for _, body in there} == {'one', 'right'} and not left
    events, _ = push(scene, 12, 120, one=(-0.5, 0, 0))
    (begin, *_) = events
    # a central impact: (1 + e) m_h / (m_h + m_d) of its speed, and e is the larger of 0 and 0.5
    assert begin.delta_v_a[0] == pytest.approx(1.5 * 2.0 / 2.5, rel=0.02)


@settings(max_examples=8, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(['add', 'heavy', 'remove', 'change', 'reset']), st.integers(0, 4)),
                min_size=4, max_size=12))
def test_the_others_do_not_change_a_bit(calls):
    """Whatever hands come, move and leave elsewhere; a state in the middle goes on alike in another scene."""
    alone, scene = made(), made()
    for k, (what, n) in enumerate(calls):
        came = list(scene.spawned('hand'))
        if what in ('add', 'heavy') and f'h{n}' not in came and scene.free_places('hand'):
            scene.add_hand(f'h{n}', **({} if what == 'add' else {'effective_mass': 3.0, 'material': 'rubber'}))
        elif what == 'remove' and came:
            scene.remove(came[n % len(came)])
        elif what == 'change' and came:
            scene.change(came[n % len(came)], effective_mass=0.5 + n)
        elif what == 'reset':
            for one in (alone, scene):
                one.reset()
                for d in range(2):
                    one.feed_drone(f'd{d}', one.now_ns, (4.0 * d, 0, 0), UPRIGHT, (0.1, 0, 0), ZERO)
        saved = scene.saved()
        more = {name: (0, 10 + j, 0) for j, name in enumerate(scene.spawned('hand'))}
        (ours, a), (theirs, b) = (push(alone, 1 + 5 * k, 6 + 5 * k, right=(-0.4, 0, 0)),
                                  push(scene, 1 + 5 * k, 6 + 5 * k, right=(-0.4, 0, 0), **more))
        assert rows(a) == rows(b) and ours == theirs
        if k == len(calls) // 2:
            twin = made()
            twin.restore(saved)
            assert twin.hand_names == scene.hand_names
            scene.restore(saved)
            results = [push(one, 1 + 5 * k, 6 + 5 * k, right=(-0.4, 0, 0), **more) for one in (scene, twin)]
            assert rows(results[0][1]) == rows(results[1][1]) and scene.state_hash() == twin.state_hash()
            return


def test_a_saved_state_goes_on_in_a_new_process():
    scene = made()
    scene.add_hand('late', effective_mass=2.0, **SPHERE)
    scene.remove('right')
    push(scene, 1, 20, late=(-0.4, 0, 0))
    identity = state_file.Identity(scene.config, {}).header()
    state, _ = state_file.unpack(state_file.pack(identity, scene.saved()), identity)
    other = made()
    other.restore(state)
    assert other.hand_names == ('wall_of_iron', 'late') and other.added_entry('late') == scene.added_entry('late')
    scene.restore(scene.saved())
    a, b = (push(one, 20, 80, late=(-0.3, 0, 0)) for one in (scene, other))
    assert a[0] == b[0] != [] and rows(a[1]) == rows(b[1]) and scene.state_hash() == other.state_hash()


@pytest.mark.parametrize('end', ['remove', 'change'])
def test_what_a_hand_that_came_holds_is_free_when_it_leaves(end):
    model = plate()
    scene = make_world({'d0': (model, 'simulate')}, {}, gravity=G, spare={'hands': 1})
    scene.feed_drone('d0', 0, (0, 0, 1.0), UPRIGHT, (0, 0, 0), (0, 0, 0))
    scene.add_hand('right', grasp_assistance=True)
    way = about(constant((0.0, 0.0, 1.0 + 0.0145 + 0.03)), PALM, constant(np.eye(3)))
    samples = follow(way, gripped([0.4, 0.65], [0.0, 1.0]), 1.0)
    seen = perform(scene, {'right': samples}, 1.0, wrenches={'d0': hover(model, 9.0)})
    assert [e.phase.name for e in seen.joined] == ['GRASPED'] and scene.constraint_names == ('grasp_right',)
    if end == 'change':
        with pytest.raises(SpawnError, match='is held by a constraint'):
            scene.change('right', effective_mass=1.0)
    scene.remove('right')
    tick = scene.advance(scene.now_ns + TICK)
    assert [e.phase.name for e in tick.constraint_events] == ['DETACHED'] and not scene.constraint_names
    scene.add_hand('left', grasp_assistance=True)
    scene.advance(scene.now_ns + TICK)
    assert scene.hand_names == ('left',) and not scene.constraint_names


def test_hundreds_come_and_leave_and_nothing_stays():
    scene = made()
    kept = len(scene.counters)
    for k in range(300):
        scene.add_hand(f'h{k}', effective_mass=0.6 + (k % 3))
        scene.feed_hand(f'h{k}', 0, [(float('nan'), 0, 0)])
        scene.remove(f'h{k}')
    assert scene.hand_names == ('right', 'wall_of_iron') and scene.roster == 600
    assert len(scene.counters) <= kept + 3
    assert scene.config.hands == made().config.hands
