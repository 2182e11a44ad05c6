# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""World files: what is read, and what every kind of mistake says (file, key path, message, value)."""
import math
from pathlib import Path

import pytest

from hakoniwa_rigid.scene import CollisionScene, Kind, WorldFileError
from hakoniwa_rigid.scene.world_files import world_file, world_writer
from hakoniwa_rigid.scene.world_files.world_types import PAIR_KINDS, SceneParams

WORLDS = Path(__file__).resolve().parents[4] / 'config' / 'worlds'
DRONES = WORLDS.parent / 'drones'

GOOD = """
name: room
gravity: [0, 0, -9.81]
dt: 1e-3
restitution_threshold: 0.02
materials:
  default: {restitution: 0.2, friction: 0.4}
  rubber: {restitution: 0.9, friction: 0.8}
models:
  tiny: {mass: 0.05, inertia: [1e-5, 1e-5, 2e-5], shape: {type: box, size: [0.1, 0.1, 0.03]}, com: [0, 0, 0.01],
         drag: 0.1, rotors: [{position: [0.05, 0, 0], thrust_coefficient: 1e-6, spin: cw}]}
walls:
  - {name: floor, type: plane, normal: [0, 0, 2], offset: 0.5}
  - {name: desk, type: box, size: [1, 2, 0.1], position: [1, 0, 0.7], rpy: [0, 0, 1.5707963267948966], material: rubber}
objects:
  - {name: ball, shape: {type: sphere, radius: 0.1}, mass: 0.3, position: [0, 0, 1], linear_velocity: [1, 0, 0]}
drones:
  - {name: d0, model: tiny, position: [0, 0, 2], authority: observe}
  - {name: d1, model: unity, origin: {position: [5, 0, 0]}}
hands:
  - {name: right, radius_scale: 1.2}
filters: {drone_drone: false, pairs: [[ball, desk]]}
scene: {stale_timeout: 0.3, max_steps: 40}
"""


@pytest.fixture
def load(tmp_path):
    """Loads a world from text; the file is called room.yaml."""
    def read(text):
        path = tmp_path / 'room.yaml'
        path.write_text(text)
        return world_file.load(path)
    return read


def test_every_section_is_read(load):
    w = load(GOOD)
    assert (w.name, w.gravity, w.dt, w.restitution_threshold) == ('room', (0.0, 0.0, -9.81), 1e-3, 0.02)
    floor, desk = w.walls
    assert (floor.shape.normal, floor.shape.offset, floor.material.restitution) == ((0.0, 0.0, 1.0), 0.5, 0.2)
    half = math.sqrt(0.5)
    assert desk.pose.quat == pytest.approx((half, 0.0, 0.0, half), abs=1e-15)
    assert (desk.shape.size, desk.material.friction) == ((1.0, 2.0, 0.1), 0.8)
    ball = w.objects[0]
    assert (ball.shape.radius, ball.mass, ball.inertia, ball.linear_velocity) == (0.1, 0.3, None, (1.0, 0.0, 0.0))
    d0, d1 = w.drones
    assert (d0.model.name, d0.model.com, d0.authority) == ('tiny', (0.0, 0.0, 0.01), 'observe')
    assert (d0.model.rotors[0].spin, d0.model.drag) == ('cw', 0.1)
    assert (d1.model.mass, d1.model.inertia, d1.authority) == (0.71, (0.0061, 0.00653, 0.0116), 'correct')
    assert d1.origin.position == (5.0, 0.0, 0.0)
    assert w.hands[0].radius_scale == 1.2
    assert w.filters.off == ('drone_drone',) and w.filters.pairs == (('ball', 'desk'),)
    assert (w.scene.stale_timeout, w.scene.max_steps, w.scene.persist_period) == (0.3, 40, 0.1)


# (what to replace in GOOD, by what, the message after "room.yaml: ")
MISTAKES = {
    'negative mass': ('mass: 0.3', 'mass: -1.0', 'objects[0].mass: must be > 0, got -1.0'),
    'text for a number': ('mass: 0.3', 'mass: heavy', "objects[0].mass: must be a number, got 'heavy'"),
    'true for a number': ('mass: 0.3', 'mass: true', 'objects[0].mass: must be a number, got True'),
    'not finite': ('mass: 0.3', 'mass: .nan', 'objects[0].mass: must be finite, got nan'),
    'missing key': ('mass: 0.3, ', '', 'objects[0].mass: is missing'),
    'slip in a key': ('mass: 0.3, ', 'mas: 0.3, ', "objects[0].mass: is missing; there is 'mas'"),
    'unknown key, near': ('mass: 0.3', 'mass: 0.3, lineer_velocity: [1, 0, 0]',
                          "objects[0].lineer_velocity: unknown key; did you mean 'linear_velocity'?"),
    'unknown section': ('name: room', 'zzz: 1', 'zzz: unknown key; known keys: combine, constraints, contact, drones, '
                        'dt, filters, gravity, hands, integrator, materials, models, name, objects, pair_materials, '
                        'penalty_stiffness, restitution_threshold, scene, solver, spare, walls'),
    'key twice': ('dt: 1e-3', 'dt: 1e-3\ndt: 2e-3', "line 5: key 'dt' is given twice"),
    'short vector': ('gravity: [0, 0, -9.81]', 'gravity: [0, 0]', 'gravity: must be a list of 3 numbers, got [0, 0]'),
    'bad element': ('gravity: [0, 0, -9.81]', 'gravity: [0, x, 0]', "gravity[1]: must be a number, got 'x'"),
    'zero size': ('size: [1, 2, 0.1]', 'size: [1, 0, 0.1]', 'walls[1].size[1]: must be > 0, got 0'),
    'zero normal': ('normal: [0, 0, 2]', 'normal: [0, 0, 0]', 'walls[0].normal: must not be zero, got [0.0, 0.0, 0.0]'),
    'restitution above 1': ('restitution: 0.9', 'restitution: 1.9',
                            'materials.rubber.restitution: must be <= 1, got 1.9'),
    'unknown material': ('material: rubber', 'material: rubbr',
                         "walls[1].material: unknown material; known: default, rubber, got 'rubbr'"),
    'unknown wall': ('type: plane', 'type: planet', "walls[0].type: must be one of plane, mesh, height_field, "
                     "sphere, box, capsule, cylinder, cone, frustum, ellipsoid, convex_hull, compound, got 'planet'"),
    'authority': ('authority: observe', 'authority: watch',
                  "drones[0].authority: must be one of observe, correct, simulate, got 'watch'"),
    'spin': ('spin: cw', 'spin: left', "models.tiny.rotors[0].spin: must be one of ccw, cw, got 'left'"),
    'same name': ('name: d1', 'name: desk', "drones[1].name: is already used by walls[1], got 'desk'"),
    'pair of unknown bodies': ('[[ball, desk]]', '[[ball, door]]',
                       "filters.pairs[0]: no such wall, object, drone or hand, got 'door'"),
    'pair of three': ('[[ball, desk]]', '[[ball, desk, d0]]',
                      "filters.pairs[0]: must be a list of two names, got ['ball', 'desk', 'd0']"),
    'filter word': ('drone_drone: false', 'drone_drone: 0', 'filters.drone_drone: must be true or false, got 0'),
    'two orientations': ('rpy: [0', 'orientation_xyzw: [0, 0, 0, 1], rpy: [0',
                         'walls[1].rpy: give either rpy or orientation_xyzw, not both'),
    'quaternion': ('rpy: [0, 0, 1.5707963267948966]', 'orientation_xyzw: [0, 0, 0, 2]',
                   'walls[1].orientation_xyzw: must have length 1, has 2, got [0.0, 0.0, 0.0, 2.0]'),
    'step': ('dt: 1e-3', 'dt: 1.23456789e-3',
             'dt: must be a whole number of nanoseconds, so that stamps stay exact, got 0.00123456789'),
    'inertia of no body': ('inertia: [1e-5, 1e-5, 2e-5]', 'inertia: [1e-5, 1e-5, 3e-5]', 'models.tiny.inertia: '
                          'the largest moment must not exceed the sum of the others, got [1e-05, 1e-05, 3e-05]'),
    'timeouts': ('stale_timeout: 0.3', 'stale_timeout: 3.0',
                 'scene.remove_timeout: must be >= stale_timeout (3), got 1.0'),
    'whole number': ('max_steps: 40', 'max_steps: 4.5', 'scene.max_steps: must be a whole number, got 4.5'),
    'list expected': ('hands:\n  - {name: right, radius_scale: 1.2}', 'hands: 3', 'hands: must be a list, got 3'),
    'mapping expected': ('{stale_timeout: 0.3, max_steps: 40}', '[1]', 'scene: must be a mapping of keys, got [1]'),
}


@pytest.mark.parametrize('mistake', MISTAKES)
def test_mistakes_name_file_key_and_value(load, tmp_path, mistake):
    old, new, message = MISTAKES[mistake]
    assert GOOD.count(old) == 1
    with pytest.raises(WorldFileError) as error:
        load(GOOD.replace(old, new))
    assert str(error.value) == f'{tmp_path / "room.yaml"}: {message}'


def test_unknown_model_says_where_it_looked(load, tmp_path):
    with pytest.raises(WorldFileError) as error:
        load('drones: [{name: d0, model: ufo}]')
    text = str(error.value)
    said = 'drones[0].model: unknown drone model; not in models: and no file ufo.yaml'
    assert text.startswith(f'{tmp_path / "room.yaml"}: {said}')
    assert str(tmp_path) in text and text.endswith("got 'ufo'")


def test_unknown_model_says_which_comes_nearest(load):
    with pytest.raises(WorldFileError, match=r"; did you mean unity\?, got 'uniti'"):
        load('drones: [{name: d0, model: uniti}]')


@pytest.mark.parametrize(('text', 'message'), [
    ('walls: [', 'line 1: is no YAML'), ('- 1', 'must be a mapping of keys, got list'),
    ('', 'must be a mapping of keys, got NoneType'),
    ('walls: !!python/object/apply:os.system [ls]', 'line 1: is no YAML')])
def test_files_that_are_no_worlds(load, tmp_path, text, message):
    with pytest.raises(WorldFileError) as error:
        load(text)
    assert str(error.value).startswith(f'{tmp_path / "room.yaml"}: {message}')


def test_missing_file(tmp_path):
    with pytest.raises(WorldFileError, match=r'nowhere\.yaml: cannot be read: No such file or directory'):
        world_file.load(tmp_path / 'nowhere.yaml')


def test_overrides_replace_scene_parameters_and_are_checked():
    path = WORLDS / 'demo_room.yaml'
    assert CollisionScene.from_yaml(path, stale_timeout=0.25).params.stale_timeout == 0.25
    with pytest.raises(WorldFileError, match=r'overrides\.stale_time: unknown key; did you mean .stale_timeout.'):
        CollisionScene.from_yaml(path, stale_time=0.25)
    with pytest.raises(WorldFileError, match=r'overrides\.hand_max_speed: must be > 0, got -5'):
        CollisionScene.from_yaml(path, hand_max_speed=-5)


@pytest.mark.parametrize('path', sorted(WORLDS.glob('*.yaml')), ids=lambda p: p.stem)
def test_shipped_worlds_build(path):
    scene = CollisionScene.from_yaml(path)
    config = scene.config
    assert scene.drone_names == tuple(d.name for d in config.drones)
    summary = config.summary().splitlines()
    assert summary[0].startswith(f'{path}: world {path.stem!r}: gravity (0, 0, -9.80665) m/s^2, step 1 ms')
    assert f'  drones: {len(config.drones)}' in config.summary()


def test_demo_room_is_the_room_of_the_demo():
    w = world_file.load(WORLDS / 'demo_room.yaml')
    assert [d.name for d in w.drones] == ['d0', 'd1', 'd2', 'd3', 'd4', 'd5']
    assert {(d.model.name, d.model.mass) for d in w.drones} == {('unity', 0.71)}
    sides = {tuple(int(x) for x in wall.shape.normal): -wall.shape.offset for wall in w.walls if wall.kind == 'plane'}
    assert sides == {(0, 0, 1): 0.0, (0, 0, -1): 4.0, (1, 0, 0): 5.0, (-1, 0, 0): 5.0, (0, 1, 0): 4.0, (0, -1, 0): 4.0}
    assert [(h.name, h.grasp_assistance) for h in w.hands] == [('left', True), ('right', True), ('mouse', True)]


@pytest.mark.parametrize(('name', 'mass', 'hover'), [
    ('api-1', 0.68240503, 122.2), ('crazyflie', 0.03, None), ('hummingbird', 0.5, None)])
def test_rotor_tables_hover(name, mass, hover):
    """Four equal rotors at sqrt(m g / 4 Ct) lift the drone, balanced in torque; api-1's speed is Hakoniwa's own
    figure."""
    model = world_file.load_drone_model(DRONES / f'{name}.yaml')
    assert model.mass == mass
    ct = {r.thrust_coefficient for r in model.rotors}
    speed = math.sqrt(mass * 9.80665 / (4 * ct.pop()))
    assert not ct and (hover is None or speed == pytest.approx(hover, abs=0.05))
    assert [sum(r.position[k] for r in model.rotors) for k in range(3)] == pytest.approx([0.0] * 3, abs=1e-15)
    assert sorted(r.spin for r in model.rotors) == ['ccw', 'ccw', 'cw', 'cw']


def test_saved_world_is_read_back(load):
    scene = CollisionScene.from_config(load(GOOD))
    scene.advance(0)
    scene.feed_drone('d0', 0, (1.0, 2.0, 3.0), (0.0, 0.0, 0.6, 0.8))
    scene.advance(100_000_000)
    again = load(scene.save_world())
    first = scene.config
    assert again.drones[0].pose.position == (1.0, 2.0, 3.0)
    assert again.drones[0].pose.quat == pytest.approx((0.8, 0.0, 0.0, 0.6), abs=1e-15)
    assert [d.model.inertia for d in again.drones] == [d.model.inertia for d in first.drones]
    assert [d.model.rotors for d in again.drones] == [d.model.rotors for d in first.drones]
    assert again.objects[0].pose.position == tuple(scene.world.pos[scene.world.index('ball')].tolist())
    assert again.walls == first.walls
    for field in ('filters', 'scene', 'gravity', 'dt', 'integrator', 'restitution_threshold'):
        assert getattr(again, field) == getattr(first, field)


def test_filter_kinds_are_the_documented_ones():
    assert set(PAIR_KINDS) == {kind.name.lower() for kind in Kind}


def test_the_offsets_time_constant_may_have_its_old_name(tmp_path):
    path = tmp_path / 'old.yaml'
    path.write_text('scene: {deflection_time_constant: 0.7}')
    world = world_file.load(path)
    assert world.scene.offset_time_constant == 0.7
    assert world_file.with_overrides(world, deflection_time_constant=0.2).scene.offset_time_constant == 0.2
    assert SceneParams(deflection_time_constant=0.7) == SceneParams(offset_time_constant=0.7) == world.scene
    assert 'offset_time_constant: 0.7' in world_writer.write(world)
    path.write_text('scene: {deflection_time_constant: -1.0}')
    with pytest.raises(WorldFileError, match=r'scene.deflection_time_constant: must be > 0, got -1.0'):
        world_file.load(path)
    path.write_text('scene: {deflection_time_constant: 0.7, offset_time_constant: 0.7}')
    with pytest.raises(WorldFileError, match='scene.deflection_time_constant: is now offset_time_constant'):
        world_file.load(path)
