# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bodies that touch by one figure and weigh as another: `weigh`, full inertia tensors, and what is saved of them."""
import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles import meshes

from hakoniwa_rigid.engine import Box, TriangleMesh, mass_properties
from hakoniwa_rigid.scene import WorldFileError, bodies
from hakoniwa_rigid.scene.world_files import world_file, world_writer

# an L of 3 x 2 x 1 m without symmetry between its arms, away from the origin
OUTLINE = [(0, 0), (3, 0), (3, 0.5), (0.8, 0.5), (0.8, 2), (0, 2)]
BRACKET = TriangleMesh(*meshes.prism(OUTLINE, [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)], 1.0))
HULL = '{type: convex_hull, file: bracket.obj, scale: 0.1}'
WEIGHED = f'{{name: o, shape: {HULL}, weigh: {{file: bracket.obj, scale: 0.1}}, mass: 2.0, position: [1, 2, 3], ' \
          'rpy: [0.1, 0.2, 0.3]}'


@pytest.fixture
def load(tmp_path):
    """Loads a world from text beside the bracket (bracket.obj) and the bracket without its last face (open.obj)."""
    for name, faces in (('bracket', BRACKET.faces), ('open', BRACKET.faces[:-1])):
        lines = [*(f'v {x!r} {y!r} {z!r}' for x, y, z in BRACKET.vertices.tolist()),
                 *(f'f {a} {b} {c}' for a, b, c in faces + 1)]
        (tmp_path / f'{name}.obj').write_text('\n'.join(lines))

    def read(text):
        path = tmp_path / 'room.yaml'
        path.write_text(text)
        return world_file.load(path)
    return read


def truth(**amount):
    """Of the bracket at a tenth of its size, as two boxes (parallel axes by hand)."""
    parts = [(Box((0.3, 0.05, 0.1)), (0.15, 0.025, 0.05)), (Box((0.08, 0.15, 0.1)), (0.04, 0.125, 0.05))]
    volumes = np.array([np.prod(b.size) for b, _ in parts])
    mass = amount.get('mass', volumes.sum() * amount.get('density', 1.0))
    masses, places = mass * volumes / volumes.sum(), np.array([p for _, p in parts])
    com = masses @ places / mass
    inertia = np.zeros((3, 3))
    for m, (b, p) in zip(masses, parts, strict=True):
        d = np.array(p) - com
        sides = np.array(b.size)**2
        inertia += m * (np.diag(sides.sum() - sides) / 12 + (d @ d) * np.eye(3) - np.outer(d, d))
    return mass, com, inertia


@pytest.mark.parametrize(('key', 'value'), [('mass', 2.0), ('density', 700.0)])
def test_the_mesh_is_weighed_and_not_the_hull(load, key, value):
    o = load(f'objects: [{WEIGHED.replace("mass: 2.0", f"{key}: {value}")}]').objects[0]
    mass, com, inertia = truth(**{key: value})
    assert o.mass == pytest.approx(mass, rel=1e-12)
    assert_allclose(o.com, com, rtol=1e-12)
    assert_allclose(o.inertia, inertia, atol=1e-12 * inertia.max())
    assert abs(inertia[0, 1]) > 0.1 * inertia[0, 0]     # a tensor with products
    hull = mass_properties(o.shape, mass=mass)
    assert np.abs(hull.com - com).max() > 0.005


def test_the_engine_turns_about_the_centre_of_mass_of_the_mesh(load):
    config = load(f'objects: [{WEIGHED}]')
    world, table = bodies.build(config)
    body, (_, com, inertia) = table.objects['o'], truth(mass=2.0)
    assert_allclose(world.com[body], com, rtol=1e-12)
    assert_allclose(world.inertia[body], inertia, atol=1e-12 * inertia.max())
    from scipy.spatial.transform import Rotation
    turned = Rotation.from_euler('ZYX', (0.3, 0.2, 0.1)).apply(com)
    assert_allclose(world.pos[body], np.array([1, 2, 3]) + turned, atol=1e-12)


def test_a_compound_may_weigh_as_one_mesh(load):
    """Hulls that overlap touch as they are; without weigh the overlap counts twice."""
    compound = ('{type: compound, parts: [{type: box, size: [0.3, 0.05, 0.1], position: [0.15, 0.025, 0.05]}, '
                '{type: box, size: [0.08, 0.2, 0.1], position: [0.04, 0.1, 0.05]}]}')
    o = load(f'objects: [{WEIGHED.replace(HULL, compound)}]').objects[0]
    assert_allclose(o.com, truth(mass=2.0)[1], rtol=1e-12)
    assert np.abs(mass_properties(o.shape, mass=2.0).com - o.com).max() > 1e-3


def test_drones_weigh_as_meshes(load):
    model = f'{{shape: {HULL}, weigh: {{file: bracket.obj, scale: 0.1}}, mass: 2.0}}'
    config = load(f'models: {{m: {model}}}\ndrones: [{{name: d, model: m}}]')
    _, com, inertia = truth(mass=2.0)
    assert_allclose(config.drones[0].model.com, com, rtol=1e-12)
    world, table = bodies.build(config)
    assert_allclose(world.inertia[table.drones[0]], inertia, atol=1e-12 * inertia.max())
    assert load(world_writer.write(config)).drones[0].model.inertia == config.drones[0].model.inertia


def test_what_is_saved_is_read_back_number_for_number(load):
    config = load(f'objects: [{WEIGHED}]')
    again = load(world_writer.write(config))
    a, b = config.objects[0], again.objects[0]
    assert (a.mass, a.com, a.inertia, a.pose) == (b.mass, b.com, b.inertia, b.pose)
    assert np.array_equal(a.shape.vertices, b.shape.vertices)
    first, second = (bodies.build(c)[0] for c in (config, again))
    assert first.state_hash() == second.state_hash()
    assert np.array_equal(first.inertia, second.inertia)


@pytest.mark.parametrize(('old', 'new', 'message'), [
    ('mass: 2.0', 'mass: 2.0, com: [0, 0, 0]',
     'objects[0].com: comes from the mesh that weigh names; give one of them, got [0, 0, 0]'),
    ('mass: 2.0', 'mass: 2.0, inertia: [1, 1, 1]', 'objects[0].inertia: comes from the mesh that weigh names'),
    ('mass: 2.0, ', '', 'objects[0].mass: is missing'),
    ('mass: 2.0', 'mass: 2.0, density: 3.0', 'objects[0].density: give mass or density, not both, got 3.0'),
    ('weigh: {file: bracket.obj', 'weigh: {file: open.obj', 'objects[0].weigh.file: TriangleMesh: '),
    ('weigh: {file: bracket.obj', 'weigh: {file: gone.obj', 'objects[0].weigh.file: '),
    ('obj, scale: 0.1}, mass', 'obj, scale: 100}, mass', 'objects[0].weigh.file: the centre of mass ['),
    ('obj, scale: 0.1}, mass', 'obj, scal: 0.1}, mass', "objects[0].weigh.scal: unknown key; did you mean 'scale'?"),
])
def test_mistakes(load, tmp_path, old, new, message):
    assert WEIGHED.count(old) == 1
    with pytest.raises(WorldFileError) as error:
        load(f'objects: [{WEIGHED.replace(old, new)}]')
    assert str(error.value).startswith(f'{tmp_path / "room.yaml"}: {message}')


ROWS = '[[3, 0.5, 0], [0.5, 4, 0.25], [0, 0.25, 5]]'
BALL = 'objects: [{name: o, shape: {type: sphere, radius: 1}, mass: 1, inertia: %s}]'


def test_a_full_tensor_is_read_and_written(load):
    config = load(BALL % ROWS)
    assert config.objects[0].inertia == ((3.0, 0.5, 0.0), (0.5, 4.0, 0.25), (0.0, 0.25, 5.0))
    assert load(world_writer.write(config)).objects[0].inertia == config.objects[0].inertia
    world, table = bodies.build(config)
    assert_allclose(world.inertia[table.objects['o']], config.objects[0].inertia, atol=1e-14)


@pytest.mark.parametrize(('rows', 'message'), [
    (ROWS.replace('[0.5, 4', '[0.6, 4'), 'objects[0].inertia: must be symmetric'),
    (ROWS.replace('3, 0.5', '3, 5').replace('[0.5, 4', '[5, 4'), 'objects[0].inertia: principal moments must be > 0'),
    (ROWS.replace('5]]', '50]]'), 'objects[0].inertia: breaks the triangle inequality'),
    (ROWS.replace('[3, 0.5, 0]', '[3, 0.5]'), 'objects[0].inertia[0]: must be a list of 3 numbers'),
    (ROWS.replace('5]]', 'x]]'), "objects[0].inertia[2][2]: must be a number, got 'x'"),
    ('[1, 1, 3]', 'objects[0].inertia: the largest moment must not exceed the sum of the others'),
])
def test_tensors_of_no_body(load, rows, message):
    with pytest.raises(WorldFileError) as error:
        load(BALL % rows)
    assert message in str(error.value)
