# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Drones, walls and objects that come and leave while a scene runs."""
import json

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from scene_worlds import TICK, UPRIGHT, ZERO

from hakoniwa_rigid.scene import CollisionScene, Phase, SpawnError
from hakoniwa_rigid.scene.errors import StateError
from hakoniwa_rigid.scene.saved_states import state_file
from hakoniwa_rigid.scene.world_files import world_file, world_writer

WORLD = """
name: hangar
materials:
  default: {restitution: 0.2, friction: 0.4}
  ice: {restitution: 0.0, friction: 0.0}
  rubber: {restitution: 0.0, friction: 1.0}
pair_materials: [{between: [ice, rubber], friction: 0.9, restitution: 0.8}]
walls: [{name: floor, type: plane, normal: [0, 0, 1], offset: 0, material: ice}]
spare: {drones: 3, objects: 3, walls: 2}
drones:
  - {name: d0, model: crazyflie}
  - {name: d1, model: hummingbird, position: [2, 0, 1]}
  - {name: d2, model: hummingbird, position: [-2, 0, 1], authority: simulate}
objects:
  - {name: ball, shape: {type: sphere, radius: 0.1}, mass: 0.2, position: [5, 0, 1]}
  - {name: crate, shape: {type: box, size: [0.4, 0.4, 0.4]}, mass: 2.0, position: [7, 0, 0.2]}
hands: [{name: right}]
"""
BOX = {'shape': {'type': 'box', 'size': [0.2, 0.2, 0.2]}, 'mass': 0.3}
BALL = {'shape': {'type': 'sphere', 'radius': 0.1}, 'mass': 0.3}


def made(text=WORLD, **changes):
    config = world_file.parse(world_file.Node({**yaml.safe_load(text), **changes}, '<test>', ''))
    scene = CollisionScene.from_config(config)
    scene.advance(0)
    return scene


def fly(scene, first, last, **drones):
    """Ticks first to last, (position, velocity) of d0, d1 and others held; all events, last states."""
    events = []
    for k in range(first, last):
        for name, (x, v) in {'d0': ((0, 0, 1), ZERO), 'd1': ((2, 0, 1), ZERO), **drones}.items():
            t = (k - first) * TICK * 1e-9
            scene.feed_drone(name, k * TICK, np.add(x, np.multiply(v, t)), UPRIGHT, v, ZERO)
        scene.feed_wrench('d2', k * TICK, (0, 0, 0.5 * 9.80665), (0, 0, 0.001))
        tick = scene.advance(k * TICK)
        events += tick.events
    return events, tick


def said(events):
    return [(e.phase.name, e.body_a, e.body_b) for e in events if e.phase is not Phase.PERSIST]


def rows(tick, names):
    k = [tick.states.names.index(name) for name in names]
    return [getattr(tick.states, field)[k].tobytes() for field in tick.states._fields[1:]]


def test_a_drone_that_comes_collides_and_leaves():
    """Its contacts end when it leaves, with the tick that follows; its row is free for another one."""
    scene = made()
    fly(scene, 1, 20)
    assert scene.drone_names == ('d0', 'd1', 'd2', '', '', '')
    scene.add_drone('late', 'crazyflie', position=[0, 0, 3])
    assert scene.drone_names[3] == 'late'
    events, tick = fly(scene, 20, 60, late=((0, 0, 1.15), (0, 0, -1.0)))
    assert said(events)[0] == ('BEGIN', 'd0', 'late')
    assert tick.states.names[3] == 'late'
    running = {(e.body_a, e.body_b) for e in events if e.phase is Phase.BEGIN}
    running -= {(e.body_a, e.body_b) for e in events if e.phase is Phase.END}
    scene.remove('late')
    events, tick = fly(scene, 60, 62)
    assert {(e.body_a, e.body_b) for e in events if e.phase is Phase.END} == running
    assert tick.states.names[3] == ''
    assert scene.feed_drone('late', 62 * TICK, (0, 0, 1), UPRIGHT).name == 'UNKNOWN_NAME'
    scene.add_drone('other', 'hummingbird')
    assert scene.drone_names[3] == 'other'


def test_it_collides_as_one_that_was_there_from_the_start():
    """Impulse and change of velocity, of a model and material of its own."""
    text = yaml.safe_load(WORLD)
    late = {'name': 'late', 'model': 'hummingbird', 'position': [0, 0, 3], 'material': {'restitution': 0.9}}
    there = made(drones=[*text['drones'], late])
    comes = made()
    fly(comes, 1, 10)
    fly(there, 1, 10)
    comes.add('drone', late)
    results = [fly(scene, 10, 80, late=((0.01, 0, 1.4), (0, 0, -1.0))) for scene in (there, comes)]
    assert [e for e in results[0][0] if e.body_b == 'late'] == [e for e in results[1][0] if e.body_b == 'late'] != []
    assert rows(results[0][1], ['d0', 'd1', 'd2', 'late']) == rows(results[1][1], ['d0', 'd1', 'd2', 'late'])


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(['drone', 'object', 'wall', 'remove', 'change']), st.integers(0, 9)),
                min_size=5, max_size=30))
def test_the_others_do_not_change_a_bit(calls):
    """Whatever comes and leaves elsewhere; a state in the middle goes on alike in another scene."""
    alone, scene = made(), made()
    came, saved = [], None
    for k, (what, n) in enumerate(calls):
        x = [20.0 + 3 * n, 10.0, 0.5]
        if what == 'remove' and came:
            scene.remove(came.pop(n % len(came)))
        elif what == 'change' and came:
            scene.change(came[n % len(came)], material={'friction': n / 10})
        elif what in ('drone', 'object', 'wall') and f'{what}{n}' not in came:
            values = {'drone': {'model': ('crazyflie', 'hummingbird')[n % 2]}, 'object': (BOX, BALL)[n % 2],
                      'wall': {'type': 'box', 'size': [1, 1, 0.2]}}[what]
            try:
                scene.add(what, {'name': f'{what}{n}', 'position': x, **values})
                came.append(f'{what}{n}')
            except SpawnError as error:
                assert 'places' in str(error) or 'inside' in str(error)
        if k == len(calls) // 2:
            saved, followed = scene.saved(), []
        more = {name: ((20.0 + 3 * int(name[-1]), 10, 0.5), ZERO) for name in came if name.startswith('drone')}
        (ours, a), (theirs, b) = fly(alone, 1 + 3 * k, 4 + 3 * k), fly(scene, 1 + 3 * k, 4 + 3 * k, **more)
        assert rows(a, ['d0', 'd1', 'd2']) == rows(b, ['d0', 'd1', 'd2'])
        for name in ('ball', 'crate'):
            for one, other in zip(alone.object_pose(name), scene.object_pose(name), strict=True):
                assert np.array_equal(one, other)
        assert ours == [e for e in theirs if {e.body_a, e.body_b} <= {'d0', 'd1', 'd2', 'ball', 'crate', 'floor'}
                        ] or len(theirs) > len(ours)
        if saved is not None and k == len(calls) // 2:
            twin = made()
            twin.restore(saved)
            followed = fly(twin, 1 + 3 * k, 4 + 3 * k, **more)
            assert twin.state_hash() == scene.state_hash()
            assert rows(followed[1], ['d0', 'd1', 'd2']) == rows(b, ['d0', 'd1', 'd2'])
    assert scene.roster >= len(came)


def test_an_object_falls_and_a_wall_is_met():
    scene = made()
    scene.add_wall('table', type='box', size=[1, 1, 0.1], position=[5, 0, 0.5])
    scene.add_object('box', **BOX, position=[10, 0, 0.5])
    assert {w.name for w in scene.walls} == {'floor', 'table'}
    events, _ = fly(scene, 1, 200)
    assert ('BEGIN', 'ball', 'table') in said(events)
    assert scene.object_pose('ball')[0][2] == pytest.approx(0.65, abs=2e-3)
    assert scene.object_pose('box')[0][2] == pytest.approx(0.1, abs=2e-3)
    scene.remove('table')
    fly(scene, 200, 400)
    assert scene.object_pose('ball')[0][2] == pytest.approx(0.1, abs=2e-3)
    assert [w.name for w in scene.walls] == ['floor']


def test_materials_of_pairs_hold_for_what_comes():
    """Rubber on ice bounces with 0.8, the default does not."""
    scene = made()
    scene.add_object('hops', **BALL, position=[20, 0, 1.1], material='rubber')
    scene.add_object('lies', **BALL, position=[22, 0, 1.1])
    best = {'hops': 0.0, 'lies': 0.0}
    for k in range(1, 300):
        fly(scene, k, k + 1)
        if k * 0.005 > 0.6:
            best = {name: max(z, scene.object_pose(name)[0][2]) for name, z in best.items()}
    assert best['hops'] == pytest.approx(0.1 + 0.64, abs=0.02)
    assert best['lies'] < 0.2
    scene.reset()
    assert scene.object_pose('hops')[0][2] == 1.1
    fly(scene, 300, 420)
    assert max(scene.world.linvel[scene._table.objects['hops']][2], 0.0) > 1.0


def test_what_comes_may_be_of_any_material_of_the_file():
    """Also of one that no body of the file has, nor a pair; a saved world has its values."""
    scene = made(materials={'default': {'friction': 0.25}, 'felt': {'restitution': 0.05, 'friction': 0.9}},
                 walls=[{'name': 'floor', 'type': 'plane', 'normal': [0, 0, 1], 'offset': 0}], pair_materials=[])
    scene.add_object('soft', **BALL, position=[20.0, 0.0, 1.0], material='felt')
    scene.add_object('plain', **BALL, position=[24.0, 0.0, 1.0])
    with pytest.raises(SpawnError, match='known: default, felt'):
        scene.add_object('other', **BALL, material='velvet')
    saved = world_file.parse(world_file.Node(yaml.safe_load(scene.save_world()), '<saved>', ''))
    soft, plain = (o.material for o in saved.objects if o.name in ('soft', 'plain'))
    assert (soft.restitution, soft.friction, plain.friction) == (0.05, 0.9, 0.25)


def test_a_reset_knows_all_that_came_and_left_since_the_last():
    """Bodies that came, left and came again elsewhere, in one place or several: the start has the last."""
    scene = made()
    for k in range(3):
        scene.add_object('first', **BALL, position=[20 + k, 0, 1.1])
        scene.add_object('second', **BALL, position=[24, k, 1.1])
        fly(scene, 10 * k + 1, 10 * k + 10)
        scene.remove('first')
        if k < 2:
            scene.remove('second')
    scene.reset()
    assert scene.object_pose('second')[0] == pytest.approx([24, 2, 1.1], abs=0)
    assert not scene.is_free_name('second') and scene.is_free_name('first')
    fly(scene, 40, 300)
    assert scene.object_pose('second')[0] == pytest.approx([24, 2, 0.1], abs=2e-3)
    scene.remove('second')
    scene.reset()
    scene.add_object('third', **BALL, position=[24, 2, 0.11])   # nothing is in its way
    fly(scene, 300, 301)
    assert 'second' not in scene.spawned_names


def test_models_change_in_flight():
    """Mass and shape are others, the drone stays where it is, and what it meets feels the new mass."""
    scene = made()
    fly(scene, 1, 20)
    before = fly(scene, 20, 21)[1]
    scene.change('d2', model='crazyflie')
    scene.change('d0', authority='observe')
    body = scene._table.index['d2']
    assert scene.world.mass[body] == scene.config.drones[2].model.mass
    after = fly(scene, 21, 22)[1]
    assert after.states.positions[2] == pytest.approx(before.states.positions[2], abs=0.02)
    gained = (0.5 * 9.80665 / 0.03 - 9.80665) * 0.005
    assert after.states.linear_velocities[2] == pytest.approx([0, 0, gained], abs=1e-3)
    assert rows(before, ['d1']) == rows(after, ['d1'])
    assert scene.authorities()[0] == 0
    with pytest.raises(SpawnError, match='d0: name: stays as it is'):
        scene.change('d0', name='d9')
    with pytest.raises(SpawnError, match='unknown drone model'):
        scene.change('d0', model='nope')
    assert rows(fly(scene, 22, 23)[1], ['d1']) == rows(after, ['d1'])


def test_constraints_end_with_their_body():
    scene = made()
    scene.add_object('load', **BALL, position=[10, 0, 3.0])
    scene.add_wall('hook', type='box', size=[0.2, 0.2, 0.2], position=[10, 0, 4])
    scene.attach('distance', 'load', 'hook', name='line')
    tick = fly(scene, 1, 50)[1]
    with pytest.raises(SpawnError, match='is held by a constraint'):
        scene.change('load', mass=2.0)
    scene.remove('hook')
    assert scene.constraint_names == ()
    tick = fly(scene, 50, 51)[1]
    assert [(e.phase.name, e.name) for e in tick.constraint_events] == [('DETACHED', 'line')]
    fly(scene, 51, 300)
    assert scene.object_pose('load')[0][2] == pytest.approx(0.1, abs=2e-3)


def test_a_constraint_of_the_world_file_leaves_with_its_body():
    """It is not there after a reset either."""
    data = yaml.safe_load(WORLD)
    data['constraints'] = [{'name': 'rod', 'kind': 'distance', 'body_a': 'ball', 'body_b': 'crate'}]
    scene = made(**data)
    fly(scene, 1, 10)
    scene.remove('crate')
    fly(scene, 10, 20)
    scene.reset()
    assert scene.constraint_names == () and scene.config.constraints == ()
    fly(scene, 20, 200)
    assert scene.object_pose('ball')[0] == pytest.approx([5, 0, 0.1], abs=2e-3)


def test_a_saved_state_goes_on_in_a_new_process(tmp_path):
    """Through a file: what came is there, what left is not, and the bits are the same."""
    scene = made()
    scene.add_drone('late', 'crazyflie', position=[0, 0, 3])
    scene.add_object('box', **BOX, position=[0, 0.05, 2.0])
    scene.remove('ball')
    fly(scene, 1, 60, late=((0, 0, 1.1), (0, 0, -0.2)))
    identity = state_file.Identity(made().config, {})
    data = state_file.pack(identity.header(), scene.saved())
    twin = made()
    twin.restore(state_file.unpack(data, identity.header())[0])
    assert twin.drone_names == scene.drone_names and twin.state_hash() == scene.state_hash()
    ours, theirs = (fly(s, 60, 120, late=((0, 0, 1.0), ZERO)) for s in (scene, twin))
    assert ours[0] == theirs[0]
    assert twin.state_hash() == scene.state_hash()
    with pytest.raises(StateError):
        made(spare={'drones': 1}).restore(scene.saved())


def test_a_state_from_before_takes_back_what_came():
    scene = made()
    fly(scene, 1, 30)
    before = scene.saved()
    scene.add_drone('late', 'crazyflie')
    scene.remove('d1')
    fly(scene, 30, 40, late=((5, 5, 1), ZERO))
    scene.restore(before)
    assert scene.drone_names == ('d0', 'd1', 'd2', '', '', '')
    twin = made()
    fly(twin, 1, 30)
    assert rows(fly(scene, 30, 40)[1], ['d0', 'd1', 'd2']) == rows(fly(twin, 30, 40)[1], ['d0', 'd1', 'd2'])


def test_a_state_that_does_not_fit_changes_nothing():
    scene = made()
    scene.add_drone('late', 'crazyflie')
    fly(scene, 1, 10)
    forged = scene.saved()
    forged.values['places'] = [['drone', 3, {'name': 'late', 'model': 'nope'}]]
    names, digest = scene.drone_names, scene.state_hash()
    for places in (forged.values['places'], [['drone', 99, None]], [['tree', 0, None]], [[1]], 7):
        forged.values['places'] = places
        with pytest.raises(StateError):
            scene.restore(forged)
        assert (scene.drone_names, scene.state_hash()) == (names, digest)


def test_entries_are_plain_and_come_back_equal():
    """What a recording would hold: JSON, number for number."""
    scene = made()
    scene.add_drone('late', 'hummingbird', position=np.array([0, 0, 1 / 3]), material='rubber')
    scene.add_object('box', **BOX, position=[20, 0, 0.3], linear_velocity=(0, 0, 1 / 3))
    scene.add_wall('w', type='cylinder', radius=0.3, height=1.0, position=[9, 9, 0.5])
    for kind, name in (('drone', 'late'), ('object', 'box'), ('wall', 'w')):
        entry = json.loads(json.dumps(scene.added_entry(name)))
        assert scene.entry_config(kind, entry) == scene._places[kind][scene._place_of(name).number]


def test_the_world_that_is_saved_has_what_came():
    scene = made()
    scene.add_drone('late', 'crazyflie', position=[0, 3, 1])
    scene.remove('d0')
    scene.add_object('box', **BOX, position=[20, 0, 0.3])
    fly(scene, 1, 3, late=((0, 3, 1), ZERO))
    text = scene.save_world()
    again = world_file.parse(world_file.Node(yaml.safe_load(text), '<saved>', ''))
    assert [d.name for d in again.drones] == ['d1', 'd2', 'late']
    assert again.drones[2].pose.position == pytest.approx((0, 3, 1), abs=1e-9)
    assert {o.name for o in again.objects} == {'ball', 'crate', 'box'}
    assert again.spare == scene.config.spare
    assert world_writer.write(again) == text


@pytest.mark.parametrize(('call', 'words'), [
    (lambda s: s.add_drone('d0', 'crazyflie'), "name: is in use by another body, got 'd0'"),
    (lambda s: s.add_drone('floor', 'crazyflie'), 'is in use'),
    (lambda s: s.add_drone('right', 'crazyflie'), 'is in use'),
    (lambda s: s.add_drone('', 'crazyflie'), 'name: must'),
    (lambda s: s.add_drone('a/b', 'crazyflie'), 'name: must be a text without /'),
    (lambda s: s.add_drone('\0free drone 3', 'crazyflie'), 'name: must be a text'),
    (lambda s: s.add_drone('x' * 200, 'crazyflie'), 'of 1 to 128 letters'),
    (lambda s: s.add_drone('x', 'crazyfly'), 'did you mean crazyflie'),
    (lambda s: s.add_drone('x', '../../etc/passwd'), 'name of a model, not a path'),
    (lambda s: s.add_drone('x', 'crazyflie', pose=[0]), 'unknown key'),
    (lambda s: s.add_drone('x', 'crazyflie', position=[0, 0, float('nan')]), 'position'),
    (lambda s: s.add_drone('x', {'mass': -1}), 'model'),
    (lambda s: s.add_object('x', **BOX, position=[5, 0, 1.0]), 'm inside ball'),
    (lambda s: s.add_object('x', **{**BOX, 'mass': 0}), 'mass'),
    (lambda s: s.add_object('x', shape={'type': 'tree'}, mass=1.0), 'shape.type'),
    (lambda s: s.add_wall('x', type='box', size=[1, 1, -1]), 'size'),
    (lambda s: s.add('tree', {'name': 'x'}), 'kind: must be one of drone, wall, object'),
    (lambda s: s.remove('ghost'), "no such drone, wall, object or hand, got 'ghost'"),
    (lambda s: s.add_hand('x'), 'all 1 places for hands are taken, or kept for hands that left; spare: hands:'),
    (lambda s: s.change('ghost', mass=1.0), 'no such'),
    (lambda s: s.change('ball', mass=-1.0), 'mass'),
])
def test_what_cannot_be_says_so_and_changes_nothing(call, words):
    scene, twin = made(), made()
    fly(scene, 1, 10)
    fly(twin, 1, 10)
    with pytest.raises(SpawnError, match=words):
        call(scene)
    assert scene.state_hash() == twin.state_hash() and scene.drone_names == twin.drone_names
    assert rows(fly(scene, 10, 20)[1], ['d0', 'd1', 'd2']) == rows(fly(twin, 10, 20)[1], ['d0', 'd1', 'd2'])


def test_places_are_bounded():
    scene = made()
    for k in range(3):
        scene.add_drone(f'x{k}', 'crazyflie')
    with pytest.raises(SpawnError, match='all 6 places for drones are taken, or kept .* spare: drones:'):
        scene.add_drone('x3', 'crazyflie')
    scene.remove('d1')
    with pytest.raises(SpawnError, match='or kept for drones that left'):
        scene.add_drone('x3', 'crazyflie')
    scene.remove('x1')
    scene.add_drone('x3', 'crazyflie')
    scene.add_drone('d1', 'crazyflie')
    assert scene.drone_names == ('d0', 'd1', 'd2', 'x0', 'x3', 'x2')
    plain = made(spare={})
    with pytest.raises(SpawnError, match='all 3 places for drones'):
        plain.add_drone('x', 'crazyflie')


def test_spare_places_change_nothing():
    """The bits of a world are those without them."""
    with_places, without = made(), made(spare={})
    a, b = fly(with_places, 1, 100), fly(without, 1, 100)
    assert a[0] == b[0]
    assert rows(a[1], ['d0', 'd1', 'd2']) == rows(b[1], ['d0', 'd1', 'd2'])
    assert with_places.clearances(2.5).others[:3] == without.clearances(2.5).others


def test_what_comes_for_a_drone_that_left_is_counted_and_changes_nothing():
    """By rows, as topics of its own give it."""
    scene, twin = made(), made()
    for s in (scene, twin):
        s.remove('d1')
        fly(s, 1, 5)
    motions = np.zeros((2, 13))
    motions[:, :3], motions[:, 3] = (0.05, 0.0, 1.0), 1.0
    scene.feed_motions(np.array([1, 4]), np.full(2, 5 * TICK), motions, True)
    scene.feed_drones(np.array([1]), 5 * TICK, motions[:1, :3], np.array([UPRIGHT]))
    scene.feed_wrenches(np.array([1, -1]), 5 * TICK, np.zeros((2, 3)), np.zeros((2, 3)))
    assert scene.counters['unknown_name', 'of a drone that has left'] == 2
    assert rows(fly(scene, 5, 20)[1], ['d0', 'd2']) == rows(fly(twin, 5, 20)[1], ['d0', 'd2'])
    assert not scene.present()[[1, 4]].any()


def test_rotors_have_room():
    octo = {'mass': 1.0, 'inertia': [0.01, 0.01, 0.01], 'shape': {'type': 'box', 'size': [0.2, 0.2, 0.1]},
            'rotors': [{'position': [0.1, 0, 0], 'thrust_coefficient': 1e-6}] * 8}
    scene = made()
    with pytest.raises(SpawnError, match='may have 7 rotors in this world, got 8'):
        scene.add_drone('x', octo)
    scene.add_drone('hexa', {**octo, 'rotors': octo['rotors'][:6]}, authority='simulate')
    assert scene.feed_motor_speeds('hexa', TICK, np.full(6, 500.0)).taken


def test_a_thousand_come_and_leave_and_memory_stays():
    scene = made()
    sizes = []
    for k in range(1000):
        scene.add_drone(f'x{k}', ('crazyflie', 'hummingbird')[k % 2], position=[0, 0, 5])
        scene.add_object(f'o{k}', **(BOX, BALL)[k % 2], position=[20, 0, 5])
        if k % 50 == 0:
            fly(scene, 1 + k, 2 + k, **{f'x{k}': ((9, 9, 1), ZERO)})
        scene.remove(f'x{k}')
        scene.remove(f'o{k}')
        if k % 250 == 249:
            sizes.append([a.nbytes for a in scene.world._s if isinstance(a, np.ndarray)])
    assert sizes[0] == sizes[1] == sizes[2] == sizes[3]
    assert scene.roster == 4000
    assert len(scene._table.index) == 6


def test_ten_thousand_names_leave_nothing_behind():
    """In time that does not grow: no table is larger after the last than after the first hundred."""
    scene, sizes = made(), []
    for k in range(10_000):
        scene.add_drone(f'x{k}', 'crazyflie')
        scene.feed_drone(f'x{k}', -1, (0, 0, 1), (0, 0, 0, 2))     # refused, and counted by its name
        scene.remove(f'x{k}')
        if k % 5000 == 100:
            sizes.append((sum(a.nbytes for a in scene.world._s if isinstance(a, np.ndarray)), len(scene.counters),
                          len(scene._table.index), len(scene._fleet.index)))
    assert sizes[0] == sizes[1]
    assert scene.roster == 20_000 and sum(scene.counters.values()) == 10_000
