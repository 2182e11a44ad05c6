# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Shapes of world files: what is read, what is written back, and what every kind of mistake says."""
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial import ConvexHull as Qhull
from scipy.spatial.transform import Rotation

from hakoniwa_rigid import engine
from hakoniwa_rigid.engine import (
    Box,
    Capsule,
    Compound,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    Frustum,
    HalfSpace,
    HeightField,
    Part,
    Sphere,
    TriangleMesh,
)
from hakoniwa_rigid.scene import CollisionScene, WorldFileError
from hakoniwa_rigid.scene.world_files import world_file, world_writer
from hakoniwa_rigid.scene.world_files.shape_words import box_around, leaf_names
from hakoniwa_rigid.scene.world_files.world_types import FileSource, Pose, WallConfig, WorldConfig

CUBE = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]]
FACES = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6],
         [1, 3, 5], [3, 7, 5]]
HAMMER = ('compound, parts: [{name: shaft, type: cylinder, radius: 0.02, height: 0.4}, '
          '{name: head, type: compound, position: [0, 0, 0.2], rpy: [0.3, 0.2, 0.1], parts: ['
          '{type: box, size: [0.1, 0.1, 0.1]}, {name: tip, type: sphere, radius: 0.05, position: [0.1, 0, 0]}]}]')
SOLIDS = {
    'sphere': ('sphere, radius: 0.1', Sphere(0.1)),
    'box': ('box, size: [0.1, 0.2, 0.3]', Box((0.1, 0.2, 0.3))),
    'capsule': ('capsule, radius: 0.1, length: 0.5', Capsule(0.1, 0.5)),
    'cylinder': ('cylinder, radius: 0.1, height: 0.5', Cylinder(0.1, 0.5)),
    'cone': ('cone, radius: 0.1, height: 0.5', Cone(0.1, 0.5)),
    'frustum': ('frustum, radius: 0.1, top_radius: 0.2, height: 0.5', Frustum(0.1, 0.2, 0.5)),
    'ellipsoid': ('ellipsoid, semi_axes: [0.1, 0.2, 0.3]', Ellipsoid((0.1, 0.2, 0.3))),
    'hull': (f'convex_hull, points: {CUBE}', ConvexHull(CUBE)),
    'hull of a file': ('convex_hull, file: cube.obj, scale: 0.5', ConvexHull(0.5 * np.array(CUBE))),
}
STATIC = {
    'plane': ('plane, normal: [0, 0.6, 0.8], offset: 0.1', HalfSpace((0.0, 0.6, 0.8), 0.1)),
    'mesh': (f'mesh, vertices: {CUBE}, faces: {FACES}', TriangleMesh(CUBE, FACES)),
    'mesh of a file': ('mesh, file: cube.obj, scale: 0.5', TriangleMesh(0.5 * np.array(CUBE), FACES)),
    'open mesh': (f'mesh, vertices: {CUBE}, faces: {FACES[:2]}, open: true', TriangleMesh(CUBE, FACES[:2])),
    'heights': ('height_field, heights: [[0, 0.1], [0.2, 0.3], [0, 0]], spacing: [1, 2]',
                HeightField([[0, 0.1], [0.2, 0.3], [0, 0]], (1.0, 2.0))),
    'heights of a file': ('height_field, file: hills.npy, spacing: 0.5', HeightField(np.eye(3), (0.5, 0.5))),
}
TURNED = 'position: [1, 2, 3], rpy: [0.1, 0.2, 0.3]'


@pytest.fixture
def load(tmp_path):
    """Loads a world from text beside a cube of 1 m (cube.obj), its lid left open (open.obj) and a .npy array."""
    def lines(faces):
        faces = [f'f {a + 1} {b + 1} {c + 1}' for a, b, c in faces]
        return '\n'.join([*(f'v {x} {y} {z}' for x, y, z in CUBE), *faces])

    (tmp_path / 'cube.obj').write_text(lines(FACES))
    (tmp_path / 'open.obj').write_text(lines(FACES[:-1]))
    np.save(tmp_path / 'hills.npy', np.eye(3))
    np.save(tmp_path / 'words.npy', np.array(['a']))

    def read(text):
        (tmp_path / 'room.yaml').write_text(text)
        return world_file.load(tmp_path / 'room.yaml')
    return read


def wall(text):
    return f'walls: [{{name: w, type: {text}}}]'


def thing(text, more='mass: 2.0'):
    return f'objects: [{{name: o, shape: {{type: {text}}}, {more}}}]'


def same(a, b):
    """A mesh of a file has the triangles of the file, in any order of its vertices."""
    if isinstance(a, TriangleMesh):
        return np.array_equal(a.vertices[a.faces], b.vertices[b.faces])
    return np.array_equal(a.vertices, b.vertices) if isinstance(a, ConvexHull) else a == b


@pytest.mark.parametrize('name', [*SOLIDS, *STATIC])
def test_shapes_of_walls(load, name):
    text, shape = {**SOLIDS, **STATIC}[name]
    made = load(wall(text if name == 'plane' else f'{text}, {TURNED}')).walls[0]
    assert type(made.shape) is type(shape) and same(made.shape, shape)
    assert made.pose.position == ((0.0, 0.0, 0.0) if name == 'plane' else (1.0, 2.0, 3.0))


@pytest.mark.parametrize('name', SOLIDS)
def test_shapes_of_objects_and_drones(load, name):
    text, shape = SOLIDS[name]
    w = load(thing(text) + f'\nmodels: {{m: {{mass: 1.0, inertia: [1, 1, 1], shape: {{type: {text}}}}}}}'
             '\ndrones: [{name: d, model: m}]')
    assert same(w.objects[0].shape, shape) and same(w.drones[0].model.shape, shape)


def test_compounds_keep_poses_and_names_of_their_parts(load):
    shape = load(thing(HAMMER)).objects[0].shape
    head = shape.parts[1]
    assert_allclose(Rotation.from_euler('ZYX', (0.1, 0.2, 0.3)).as_quat()[[3, 0, 1, 2]], head.quat, atol=1e-15)
    assert (head.pos, head.name, head.shape.parts[1].pos) == ((0.0, 0.0, 0.2), 'head', (0.1, 0.0, 0.0))
    assert leaf_names(shape) == ('shaft', 'head/part0', 'head/tip')
    assert leaf_names(Sphere(1.0)) == ('',)


def test_files_are_looked_for_beside_the_world_file(load, tmp_path):
    made = load(wall(STATIC['mesh of a file'][0])).walls[0]
    assert made.source == FileSource(str(tmp_path / 'cube.obj'), 0.5)


@pytest.mark.parametrize('name', [*SOLIDS, *STATIC, 'compound'])
def test_what_is_written_is_read_back_equal(load, tmp_path, name):
    text = HAMMER if name == 'compound' else {**SOLIDS, **STATIC}[name][0]
    yaml = f"""
filters: {{groups: [a, b], drone_hand: false, pairs: [[w, d]]}}
materials: {{rubber: {{restitution: 0.7, friction: 0.1}}}}
walls: [{{name: w, type: {text}{'' if name == 'plane' else ', ' + TURNED}, collision: {{group: [a, b], mask: -1}}}}]
drones: [{{name: d, model: mujoco, {TURNED}, material: rubber, origin: {{rpy: [1, 1, 1]}}, collision: {{mask: a}}}},
         {{name: e, model: mujoco, authority: observe}}]
hands: [{{name: h, collision: {{group: 0}}}}]
scene: {{proximity: 0.3}}
"""
    if name not in STATIC:
        yaml += thing(text, f'density: 700.0, {TURNED}, angular_velocity: [1, 2, 3], material: rubber')
    first = load(yaml)
    text = world_writer.write(first)
    again = load(text)
    assert again == first and world_writer.write(again) == text
    # a scene that has not moved yet saves the world that it was made of, to rounding where the CoM is off the origin
    scene = CollisionScene.from_config(first)
    saved = load(scene.save_world())
    for now, then in zip(saved.objects, first.objects, strict=True):
        assert_allclose(now.pose.position, then.pose.position, atol=1e-15)
        assert (now.shape, now.mass, now.angular_velocity) == (then.shape, then.mass, then.angular_velocity)


def test_planes_of_code_may_have_a_pose(load):
    """n . (R^T (x - p)) <= d is (R n) . x <= d + (R n) . p."""
    pose = Pose((1.0, 2.0, 3.0), (0.5, 0.5, 0.5, 0.5))
    config = WorldConfig(walls=(WallConfig('w', HalfSpace((0.0, 0.6, 0.8), 0.1), pose),))
    plane = load(world_writer.write(config)).walls[0].shape
    turned = Rotation.from_quat((0.5, 0.5, 0.5, 0.5)).apply((0.0, 0.6, 0.8))
    assert_allclose(plane.normal, turned, atol=1e-15)
    assert_allclose(plane.offset, 0.1 + turned @ pose.position, atol=1e-15)


def test_objects_stand_where_their_shape_does_and_turn_about_their_centre_of_mass(load):
    """A cone's centroid is a quarter of its height above the base: z = -h/4 of the shape's frame, here turned over."""
    scene = CollisionScene.from_config(load(
        'gravity: [0, 0, 0]\n' + thing('cone, radius: 0.2, height: 0.4', 'density: 500.0, position: [1, 2, 3], '
                                       'rpy: [3.141592653589793, 0, 0], angular_velocity: [0, 0, 1]')))
    body = scene.world.index('o')
    assert_allclose(scene.world.pos[body], (1.0, 2.0, 3.1), atol=1e-15)
    assert_allclose(scene.world.mass[body], 500.0 * np.pi * 0.2 ** 2 * 0.4 / 3.0, rtol=1e-14)
    assert_allclose(scene.object_pose('o')[0], (1.0, 2.0, 3.0), atol=1e-15)


def test_an_object_may_have_its_own_centre_of_mass(load):
    more = 'mass: 2.0, inertia: [1, 1, 1], com: [0, 0, 0.05], position: [1, 0, 0]'
    scene = CollisionScene.from_config(load(thing('sphere, radius: 0.1', more)))
    assert_allclose(scene.world.pos[0], (1.0, 0.0, 0.05), atol=1e-15)


# (the world, the message after "room.yaml: "; {dir} is the folder of the file)
MISTAKES = {
    'no such shape': (thing('pyramid'), 'objects[0].shape.type: must be one of sphere, box, capsule, cylinder, cone, '
                      "frustum, ellipsoid, convex_hull, compound, got 'pyramid'"),
    'mesh that moves': (thing('mesh, file: cube.obj'), 'objects[0].shape.type: a mesh cannot move, it can only be a '
                        "wall; use a convex_hull, or a compound of convex parts, got 'mesh'"),
    'missing length': (wall('cylinder, radius: 1'), 'walls[0].height: is missing'),
    'pointed frustum': (wall('frustum, radius: 1, top_radius: 0, height: 1'),
                        'walls[0].top_radius: must be > 0, got 0.0; that would be a Cone'),
    'zero radius': (wall('cone, radius: 0, height: 1'), 'walls[0].radius: must be > 0, got 0'),
    'absurd size': (wall('box, size: [1, 1e9, 1]'),
                    'walls[0].size[1]: must be in [1e-06, 100000], got 1000000000.0'),
    'absurd radius': (thing('sphere, radius: 1e-9'), 'objects[0].shape.radius: must be in [1e-06, 100000], got 1e-09'),
    'unknown key': (wall('box, size: [1, 1, 1], radius: 1'), 'walls[0].radius: unknown key; known keys: collision, '
                    'material, name, orientation_xyzw, position, rpy, size, type'),
    'unknown key of a part': (thing('compound, parts: [{type: sphere, radius: 1, sizes: 1}]'),
                              'objects[0].shape.parts[0].sizes: unknown key; known keys: name, orientation_xyzw, '
                              'position, radius, rpy, type'),
    'part of a mesh': (wall('compound, parts: [{type: mesh, file: cube.obj}]'), 'walls[0].parts[0].type: a mesh cannot '
                       "move, it can only be a wall; use a convex_hull, or a compound of convex parts, got 'mesh'"),
    'parts of one name': (thing('compound, parts: [{name: part1, type: sphere, radius: 1}, {type: sphere, radius: 1}]'),
                          "objects[0].shape.parts[1].name: is already used by parts[0], got 'part1'"),
    'no parts': (thing('compound, parts: []'), 'objects[0].shape.parts: must hold at least one part, got []'),
    'part too far': (thing('compound, parts: [{type: sphere, radius: 1, position: [1e9, 0, 0]}]'),
                     'objects[0].shape.parts[0]: Part.pos: must be within +-1e+06, got [1000000000.0, 0.0, 0.0]'),
    'flat hull': (thing('convex_hull, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]'),
                  'objects[0].shape.points: all 4 lie in a plane: the hull has no volume'),
    'words for points': (thing('convex_hull, points: [[a, b, c]]'),
                         'objects[0].shape.points: must be numbers of shape (n, 3)'),
    'ragged points': (thing('convex_hull, points: [[1, 2, 3], [1, 2]]'),
                      'objects[0].shape.points: must be a list of rows of equal length'),
    'points and file': (thing('convex_hull, points: [[1, 2, 3]], file: cube.obj'),
                        'objects[0].shape.points: give points, or the file of a mesh to take the hull of'),
    'no mesh': (wall('mesh'), 'walls[0].file: give a file, or vertices and faces'),
    'missing file': (wall('mesh, file: hall.stl'), "walls[0].file: {dir}/hall.stl: no such file, got 'hall.stl'"),
    'foreign file': (wall('mesh, file: hills.npy'), 'walls[0].file: {dir}/hills.npy: cannot read .npy; known are .stl, '
                     ".obj, .ply, .glb, got 'hills.npy'"),
    'open mesh': (wall('mesh, file: open.obj'), 'walls[0].file: TriangleMesh: edge (3, 5) belongs to only faces[10], '
                  'but on a closed surface every edge has exactly two faces (3 edges have not): close the hole, or '
                  'merge vertices that repeat a position; or say open: true, and the mesh is a surface that is met '
                  'from the front of its faces only'),
    'inside out': (wall(f'mesh, vertices: {CUBE}, faces: {[f[::-1] for f in FACES]}'),
                   'walls[0].faces: TriangleMesh: volume -1 m^3: its faces run clockwise as seen from outside; reverse '
                   'each face: faces[:, ::-1]; or say open: true, and the mesh is a surface that is met from the front '
                   'of its faces only'),
    'face of no vertex': (wall(f'mesh, vertices: {CUBE}, faces: [[0, 1, 8]]'),
                       'walls[0].faces[0]: must name vertices 0..7, got [0, 1, 8]'),
    'one row of heights': (wall('height_field, heights: [[1, 2]], spacing: 1'),
                           'walls[0].heights: must have shape (nx, ny), both 2 or more, got (1, 2)'),
    'no spacing': (wall('height_field, heights: [[1, 2], [1, 2]]'), 'walls[0].spacing: is missing'),
    'spacing of three': (wall('height_field, heights: [[1, 2], [1, 2]], spacing: [1, 2, 3]'),
                         'walls[0].spacing: must be a list of 2 numbers, got [1, 2, 3]'),
    'no heights': (wall('height_field, spacing: 1'),
                   'walls[0].heights: give heights, a list of rows along x, or the file of a .npy array'),
    'missing heights': (wall('height_field, file: x.npy, spacing: 1'), 'walls[0].file: {dir}/x.npy: cannot be read as '
                        "a .npy array: No such file or directory, got 'x.npy'"),
    'words for heights': (wall('height_field, file: words.npy, spacing: 1'),
                          "walls[0].file: {dir}/words.npy: must hold one array of real numbers, got 'words.npy'"),
    'mass and density': (thing('sphere, radius: 1', 'mass: 1, density: 1'),
                         'objects[0].density: give mass or density, not both, got 1'),
    'no mass': (thing('sphere, radius: 1', 'position: [0, 0, 0]'), 'objects[0].mass: is missing'),
    'com without inertia': (thing('sphere, radius: 1', 'mass: 1, com: [0, 0, 1]'),
                            'objects[0].com: needs the inertia about it, too, got [0.0, 0.0, 1.0]'),
}


@pytest.mark.parametrize('mistake', MISTAKES)
def test_mistakes_name_file_key_and_value(load, tmp_path, mistake):
    text, message = MISTAKES[mistake]
    with pytest.raises(WorldFileError) as error:
        load(text)
    assert str(error.value) == f'{tmp_path / "room.yaml"}: {message.replace("{dir}", str(tmp_path))}'


def corners(shape):
    """Points (n, 3) whose hull is the shape, dense where it is round."""
    a, b = np.meshgrid(np.linspace(0.0, 2.0 * np.pi, 721), np.linspace(-0.5 * np.pi, 0.5 * np.pi, 361))
    ball = np.stack([np.cos(a) * np.cos(b), np.sin(a) * np.cos(b), np.sin(b)], axis=-1).reshape(-1, 3)
    ring = ball[np.abs(ball[:, 2]) < 1e-12]
    if isinstance(shape, Compound):
        return np.concatenate([np.array(p.pos) + Rotation.from_quat(np.roll(p.quat, -1)).apply(corners(p.shape))
                               for p in shape.parts])
    if isinstance(shape, Box):
        return (np.array(CUBE) - 0.5) * shape.size
    if isinstance(shape, Cylinder):
        return np.concatenate([ring * shape.radius + (0.0, 0.0, s * 0.5 * shape.height) for s in (-1, 1)])
    if isinstance(shape, Cone):
        return np.concatenate([ring * shape.radius - (0.0, 0.0, 0.5 * shape.height), [(0.0, 0.0, 0.5 * shape.height)]])
    if isinstance(shape, Frustum):
        half = (0.0, 0.0, 0.5 * shape.height)
        return np.concatenate([ring * shape.radius - half, ring * shape.top_radius + half])
    if isinstance(shape, Capsule):
        return np.concatenate([ball * shape.radius + (0.0, 0.0, s * 0.5 * shape.length) for s in (-1, 1)])
    return ball * shape.radius if isinstance(shape, Sphere) else ball * shape.semi_axes


@pytest.mark.parametrize('shape', [shape for _, shape in SOLIDS.values() if not isinstance(shape, ConvexHull)],
                         ids=lambda s: type(s).__name__)
def test_box_around_a_turned_part_is_that_of_its_points(shape):
    """Half a degree of sampling shortens a round side of 0.3 m by less than 0.3 (1 - cos 0.25 deg) ~ 3e-6 m."""
    turned = Compound((Part(shape, (0.1, 0.2, 0.3), tuple(np.array((1.0, 2.0, 3.0, 4.0)) / np.sqrt(30.0))),))
    low, high = box_around(turned)
    points = corners(turned)
    assert_allclose(low, points.min(axis=0), atol=6e-6)
    assert_allclose(high, points.max(axis=0), atol=6e-6)


def test_box_around_hulls_and_half_spaces():
    hull = ConvexHull(CUBE)
    assert_allclose(box_around(hull), (np.zeros(3), np.ones(3)), atol=0)
    assert np.isinf(box_around(HalfSpace())).all() and Qhull(CUBE).volume == pytest.approx(1.0)


def test_every_word_is_an_engine_shape():
    from hakoniwa_rigid.scene.world_files.shape_words import SOLIDS as SOLID_WORDS
    from hakoniwa_rigid.scene.world_files.shape_words import STATIC as STATIC_WORDS
    from hakoniwa_rigid.scene.world_files.shape_words import word_of
    for word, made in {**SOLID_WORDS, **STATIC_WORDS}.items():
        assert getattr(engine, made.__name__) is made and made.__name__ != word
    assert word_of(engine.Tetrahedron(*np.vstack([np.zeros(3), np.eye(3)]))) == 'Tetrahedron'
    with pytest.raises(WorldFileError, match='a Tetrahedron cannot be written to a world file'):
        world_writer.write(WorldConfig(walls=(WallConfig('w', engine.Tetrahedron(*np.eye(4)[:, 1:])),)))
