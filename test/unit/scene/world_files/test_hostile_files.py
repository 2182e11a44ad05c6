# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""World and mesh files of the careless and the unkind: an error that names the file, soon, and nothing else."""
import json
import os
import struct
import subprocess
import sys

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from hakoniwa_rigid.engine import EngineError
from hakoniwa_rigid.scene import CollisionScene, WorldFileError
from hakoniwa_rigid.scene.world_files.mesh_file import MOST_BYTES, MeshFileError, load_mesh
from hakoniwa_rigid.scene.world_files.world_file import AT_LEAST, AT_MOST, load
from hakoniwa_rigid.scene.world_files.world_types import SceneParams

LETTERS = 700


@pytest.mark.parametrize(('text', 'words'), [
    ('name: 2024-13-45', None),
    ('name: !!timestamp foo', "line 1: .*'timestamp'"),
    ('dt: !!bool foo', "line 1: 'foo' is no bool"),
    ('walls: ' + '[' * 400 + ']' * 400, 'line 1: must not be nested more than 40 deep'),
    ('gravity: [0, 0, ' + '9' * 400 + ']', r'gravity\[2\]: must be finite, got a whole number of 1329 bits'),
    ('gravity: [0, 0, ' + '9' * 4400 + ']', 'a number must have at most 1000 letters, got 4400'),
    ('walls: [{name: a, type: convex_hull, points: [[0, 0, ' + '9' * 400 + ']]}]', 'walls'),
    ('gravity: [0, 0, ' + '9' * 60 + ']', None),
    ('name: ' + 'x' * 5000, "name: must have at most 4096 letters, got 'xxx.*\\.\\.\\."),
    ('dt: ' + str(list(range(1000))), r'dt: must be a number, got \[0, 1, 2, .*19, \.\.\.\]'),
    ('walls: [{name: a, type: half_space}, {name: ' + 'b' * 3000 + ', type: pyramid}]', 'one of'),
    ('drones: [{name: d, model: ' + 'm' * 3000 + '}]', 'unknown drone model'),
    ('drones: [{name: d, model: "a\\0b"}]', 'unknown drone model'),
    ('drones: [{name: d, model: ' + 'm' * 300 + '/b}]', 'unknown drone model'),
    ('drones: [{name: d, model: x500}]\nscene: {max_steps: 10001}', 'scene.max_steps: must be <= 10000, got 10001'),
    ('scene: {max_steps: ' + '9' * 50 + '}', 'scene.max_steps: must be <= 10000'),
    ('scene: {stale_timeout: 1.1e6, remove_timeout: 2e6}', 'must be <= 1e[+]06, got 1100000.0'),
    ('scene: {linear_velocity_limit: 0.5}', 'linear_velocity_limit: must be >= 1, got 0.5'),
    ('scene: {angular_velocity_limit: 2e5}', 'angular_velocity_limit: must be <= 100000, got 200000.0'),
    ('filters: {groups: [' + ', '.join(f'g{k}' for k in range(900)) + ']}', 'groups: must be a list of at most'),
])
def test_world_files(tmp_path, text, words):
    path = tmp_path / 'world.yaml'
    path.write_text(text)
    if words is None:
        load(path)
        return
    with pytest.raises(WorldFileError, match=words) as caught:
        load(path)
    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value)) < LETTERS


def test_a_bomb_of_aliases(tmp_path):
    """12 s, and a message of 5 million letters."""
    lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
    lines += [f'a{k}: &a{k} [{", ".join([f"*a{k - 1}"] * 9)}]' for k in range(1, 7)]
    (tmp_path / 'world.yaml').write_text('\n'.join(lines) + '\nwalls: *a6\n')
    with pytest.raises(WorldFileError, match='holds too much') as caught:
        load(tmp_path / 'world.yaml')
    assert len(str(caught.value)) < LETTERS


def test_names_that_no_file_can_have(tmp_path):
    for name in ('w' * 5000, str(tmp_path / ('w' * 300)), 'a\0b', str(tmp_path), '/dev/zero'):
        with pytest.raises(WorldFileError) as caught:
            load(name)
        assert len(str(caught.value)) < LETTERS
        with pytest.raises(MeshFileError) as caught:
            load_mesh(name + '.stl')
        assert len(str(caught.value)) < LETTERS


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / 'w.yaml')
    os.mkfifo(tmp_path / 'm.stl')
    program = ('import sys; from hakoniwa_rigid.scene.world_files.mesh_file import load_mesh; '
               'from hakoniwa_rigid.scene.world_files.world_file import load\n'
               'for call, path in ((load, sys.argv[1]), (load_mesh, sys.argv[2])):\n'
               '    try: call(path)\n'
               '    except ValueError as error: print(error)')
    done = subprocess.run([sys.executable, '-c', program, tmp_path / 'w.yaml', tmp_path / 'm.stl'],
                          capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.count('a pipe or a device') == 2


NUMBERS = st.one_of(st.sampled_from([0, 1, -1, 1e-300, 1e6, 1e5, 1e300, 10_000, 10_001, 2**63, 10**40, 0.5]),
                    st.floats(allow_nan=True), st.integers())


@settings(max_examples=300)
@given(st.dictionaries(st.sampled_from(list(SceneParams.__dataclass_fields__)), NUMBERS, min_size=1, max_size=4))
def test_what_the_file_takes_the_scene_takes(values):
    try:
        scene = CollisionScene.from_yaml('demo_room', **values)
    except WorldFileError as error:
        assert len(str(error)) < LETTERS
        return
    for k in range(3):
        scene.feed_drone('d0', 5_000_000 * k, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
        scene.advance(5_000_000 * k)


def test_the_bounds_are_of_parameters_there_are():
    assert {*AT_LEAST, *AT_MOST} <= {*SceneParams.__dataclass_fields__}


# meshes

def box(path, **options):
    trimesh.creation.box((1.0, 2.0, 3.0)).export(path, **options)
    return path


def expect_mesh(path, words, capfd=None):
    with pytest.raises(MeshFileError, match=words) as caught:
        load_mesh(path)
    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value)) < LETTERS
    if capfd is not None:
        assert capfd.readouterr().err == ''


@pytest.mark.parametrize('index', [8, 4_000_000_000, -1, -9])
def test_a_face_of_a_ply_that_names_no_vertex(tmp_path, index):
    path = box(tmp_path / 'box.ply', encoding='ascii')
    head, end, body = path.read_text().partition('end_header\n')
    lines = body.splitlines()
    lines[-1] = f'3 0 1 {index}'
    path.write_text(head + end + '\n'.join(lines) + '\n')
    expect_mesh(path, 'names vertex|cannot be read')


@pytest.mark.parametrize('face', ['1 2 9', '1 2 -9', '0 1 2', '1 2 999999999999'])
def test_a_face_of_an_obj_that_names_no_vertex(tmp_path, face):
    (tmp_path / 'a.obj').write_text(f'v 0 0 0\nv 1 0 0\nv 0 1 0\nf {face}\n')
    try:
        mesh = load_mesh(tmp_path / 'a.obj')
    except MeshFileError as error:
        assert str(error).startswith(str(tmp_path / 'a.obj'))
    else:
        # a negative index counts from the end
        assert len(mesh.faces) == 1
        assert mesh.faces.max() < len(mesh.vertices)


def test_an_obj_without_vertices(tmp_path):
    (tmp_path / 'a.obj').write_text('f 1 2 3\nf 2 3 4\n')
    expect_mesh(tmp_path / 'a.obj', 'cannot be read|names vertex|holds no triangles')


def test_a_damaged_text_stl_is_quiet(tmp_path, capfd):
    path = box(tmp_path / 'a.stl', file_type='stl_ascii')
    path.write_text(path.read_text().replace('vertex', 'vortex', 5).replace('facet normal', 'facet', 3))
    expect_mesh(path, 'cannot be read|holds no triangles', capfd)


@pytest.mark.parametrize('words', [b'element vertex 4000000000', b'element face 4000000000',
                                   b'element vertex ' + b'9' * 50])
def test_a_ply_that_promises_too_much(tmp_path, words):
    path = box(tmp_path / 'a.ply')
    data = path.read_bytes()
    kind = words.rpartition(b' ')[0]
    start = data.index(kind)
    path.write_bytes(data[:start] + words + data[data.index(b'\n', start):])
    expect_mesh(path, 'its header promises')


def test_an_stl_that_promises_too_much(tmp_path):
    path = box(tmp_path / 'a.stl')
    data = bytearray(path.read_bytes())
    struct.pack_into('<I', data, 80, 4_000_000_000)
    path.write_bytes(data)
    expect_mesh(path, 'promises 4000000000 triangles')


def glb(path, change):
    """A box with another head."""
    data = box(path).read_bytes()
    size, = struct.unpack_from('<I', data, 12)
    head = json.loads(data[20:20 + size])
    change(head)
    text = json.dumps(head).encode()
    text += b' ' * (-len(text) % 4)
    rest = struct.pack('<II', len(text), 0x4E4F534A) + text + data[20 + size:]
    path.write_bytes(struct.pack('<4sII', b'glTF', 2, 12 + len(rest)) + rest)
    return path


def test_a_glb_that_promises_too_much_or_names_other_files(tmp_path):
    os.mkfifo(tmp_path / 'pipe')
    expect_mesh(glb(tmp_path / 'a.glb', lambda head: head['accessors'][0].update(count=4_000_000_000)), 'promises 4')
    expect_mesh(glb(tmp_path / 'b.glb', lambda head: head['buffers'][0].update(uri='pipe')), 'lies in another file')
    expect_mesh(glb(tmp_path / 'c.glb', lambda head: head.update(accessors=[{}])), 'cannot be read as GLB')
    expect_mesh(glb(tmp_path / 'd.glb', lambda head: head.update(accessors=3)), 'cannot be read as GLB')


def test_an_obj_opens_no_other_files(tmp_path):
    """Its material may be a pipe."""
    os.mkfifo(tmp_path / 'pipe.mtl')
    (tmp_path / 'a.obj').write_text('mtllib pipe.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n')
    assert len(load_mesh(tmp_path / 'a.obj').faces) == 1


def test_too_large_a_mesh(tmp_path):
    with open(tmp_path / 'a.stl', 'wb') as file:
        file.truncate(MOST_BYTES + 1)
    expect_mesh(tmp_path / 'a.stl', 'is too large')


def test_mesh_files_in_worlds(tmp_path):
    (tmp_path / 'a.obj').write_text('f 1 2 3\n')
    np.save(tmp_path / 'wide.npy', np.zeros((3, 3)))
    data = bytearray((tmp_path / 'wide.npy').read_bytes())
    (tmp_path / 'wide.npy').write_bytes(data.replace(b'(3, 3)', b'(3000000, 3000000)', 1))
    (tmp_path / 'cut.npy').write_bytes(data[:20])
    for shape in ('{type: mesh, file: a.obj}', '{type: height_field, file: wide.npy, spacing: 1.0}',
                  '{type: height_field, file: cut.npy, spacing: 1.0}', '{type: height_field, file: ., spacing: 1.0}'):
        (tmp_path / 'w.yaml').write_text(f'walls: [{{name: a, {shape[1:-1]}}}]')
        with pytest.raises((WorldFileError, EngineError), match='walls') as caught:
            load(tmp_path / 'w.yaml')
        assert len(str(caught.value)) < LETTERS
