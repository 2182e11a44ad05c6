# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""/scene: what a page draws is what collides."""
import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.engine import Box, Compound, Cylinder, Frustum, HalfSpace, Sphere
from hakoniwa_rigid.paths import config_file, world_file
from hakoniwa_rigid.scene.offline.outlines import triangles
from hakoniwa_rigid.scene.world_files import world_file as worlds
from hakoniwa_rigid.scene.world_files.shape_words import SOLIDS, STATIC
from hakoniwa_rigid.scene.world_files.world_types import (
    DroneConfig,
    DroneModel,
    MaterialConfig,
    ObjectConfig,
    Pose,
    RotorConfig,
    WallConfig,
    WorldConfig,
)
from hakoniwa_rigid.web.scene_view import hover_speeds, scene_message

SHIPPED = sorted(path.stem for path in config_file('worlds', 'gym.yaml').parent.glob('*.yaml'))
TURN = (0.5, 0.5, 0.5, 0.5)     # x to y to z to x
BUILD = {'box': lambda s: Box(s['size']), 'sphere': lambda s: Sphere(s['radius']),
         'cylinder': lambda s: Cylinder(s['radius'], s['height'])}


def view(**fields):
    return json.loads(scene_message(WorldConfig(**fields)))


def corners(parts):
    """Corners (n,3) of the parts as a page would place them, sorted."""
    found = []
    for part in parts:
        at = part['pose']
        local = triangles(BUILD[part['type']](part)).reshape(-1, 3)
        found.append(Rotation.from_quat(at['orientation_xyzw']).apply(local) + at['position'])
    return ordered(np.concatenate(found))


def ordered(points):
    rounded = np.round(points, 9) + 0.0
    return rounded[np.lexsort(rounded.T)]


@pytest.mark.parametrize('name', SHIPPED)
def test_every_shipped_world_is_json_with_finite_numbers(name):
    world = worlds.load(world_file(name))
    reported = json.loads(scene_message(world), parse_constant=lambda text: pytest.fail(text))
    assert [d['name'] for d in reported['drones']] == [d.name for d in world.drones]
    assert {w['name'].split('/')[0] for w in reported['walls']} == {w.name for w in world.walls}
    types = {part['type'] for body in reported['drones'] + reported['objects'] for part in body['parts']}
    assert types | {w['type'] for w in reported['walls']} <= {*SOLIDS, *STATIC, 'hull', 'heightfield'} - {'compound'}


def test_parts_of_parts_lie_where_they_collide():
    arm = Compound([(Box((0.4, 0.02, 0.02)), (0.2, 0, 0), (1, 0, 0, 0)), (Sphere(0.05), (0.4, 0, 0), (1, 0, 0, 0))])
    shape = Compound([(Cylinder(0.1, 0.3), (0, 0, 0.1), TURN), (arm, (0, 0.1, 0), TURN)])
    body, = view(objects=[ObjectConfig('o', shape, 1.0, pose=Pose((1, 2, 3), TURN))])['objects']
    assert_allclose(corners(body['parts']), ordered(triangles(shape).reshape(-1, 3)), atol=1e-9)
    assert (body['position'], body['orientation_xyzw']) == ([1, 2, 3], [0.5, 0.5, 0.5, 0.5])


def test_a_shape_that_pages_do_not_know_is_a_hull():
    """Of points on both rims of a frustum."""
    body, = view(objects=[ObjectConfig('o', Frustum(0.1, 0.2, 0.3), 1.0)])['objects']
    part, = body['parts']
    assert part['type'] == 'hull'
    x, y, z = np.array(part['vertices'])[np.array(part['faces'])].reshape(-1, 3).T
    assert_allclose(np.hypot(x, y), np.where(z > 0.0, 0.2, 0.1), atol=1e-5)
    assert_allclose(abs(z), 0.15, atol=1e-5)


def test_walls_are_in_the_world():
    gate = Compound([(Box((0.1, 0.2, 0.3)), (0, 0.5, 0), (1, 0, 0, 0)), (Box((0.1, 0.2, 0.3)), (0, -0.5, 0), TURN)])
    floor = WallConfig('floor', HalfSpace((0, 0, 2), 1))
    walls = view(walls=[WallConfig('gate', gate, Pose((1, 0, 0), TURN)), floor])['walls']
    assert [w['name'] for w in walls] == ['gate/0', 'gate/1', 'floor']
    placed = Rotation.from_quat(TURN).apply(triangles(gate).reshape(-1, 3)) + (1, 0, 0)
    assert_allclose(corners(walls[:2]), ordered(placed), atol=1e-9)
    assert (walls[2]['type'], walls[2]['normal'], walls[2]['offset']) == ('plane', [0, 0, 1], 0.5)


def test_rotors_lift_what_is_asked_for():
    """Sum of Ct w^2 = thrust, each at the same speed; the discs of neighbours do not touch."""
    rotors = tuple(RotorConfig((x, y, 0.0), ct, spin=spin) for x, y, ct, spin in (
        (0.2, 0.2, 1e-5, 'cw'), (-0.2, 0.2, 1e-5, 'ccw'), (-0.2, -0.2, 2e-5, 'cw'), (0.2, -0.2, 2e-5, 'ccw')))
    model = DroneModel('m', 1.0, (0.01, 0.01, 0.01), Box((0.5, 0.5, 0.1)), rotors=rotors)
    speeds = np.array(hover_speeds(model, 9.81))
    assert_allclose(np.dot([1e-5, 1e-5, 2e-5, 2e-5], speeds ** 2), 9.81, rtol=1e-12)
    assert (np.sign(speeds) == [-1, 1, -1, 1]).all()
    assert hover_speeds(model, -1.0) == [0.0] * 4
    reported = view(drones=[DroneConfig('d', model)])['drones'][0]['rotors']
    assert all(0.1 < rotor['radius'] < 0.2 for rotor in reported)


def test_materials_are_told_by_the_names_that_the_world_file_gave_them():
    steel = MaterialConfig('steel')
    told = view(walls=(WallConfig('gate', Box((1.0, 1.0, 1.0)), material=steel), WallConfig('floor')),
                objects=(ObjectConfig('ball', Sphere(0.1), 1.0, material=MaterialConfig('rubber')),))
    assert [wall.get('material') for wall in told['walls']] == ['steel', None]
    assert [body.get('material') for body in told['objects']] == ['rubber']


def test_a_material_without_a_name_tells_no_path(tmp_path):
    (tmp_path / 'world.yaml').write_text("""
walls:
  - {name: floor, type: plane, normal: [0, 0, 1], offset: 0.0, material: {restitution: 0.1, friction: 0.2}}
""")
    assert str(tmp_path) not in scene_message(worlds.load(tmp_path / 'world.yaml')).decode()
    assert 'material' not in json.loads(scene_message(worlds.load(tmp_path / 'world.yaml')))['walls'][0]
