# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Mesh files of four kinds, whole and broken."""
import builtins
import struct

import numpy as np
import pytest
import trimesh
from numpy.testing import assert_allclose, assert_array_equal
from oracles import meshes

from hakoniwa_rigid.engine import EngineError, OpenMeshError, TriangleMesh, mass_properties
from hakoniwa_rigid.scene.world_files.mesh_file import SUFFIXES, MeshFileError, load_mesh

STAR = meshes.star()
CUBE = meshes.box()


def written(path, mesh=STAR, **options):
    trimesh.Trimesh(*mesh, process=False).export(path, **options)
    return path


def scene(path, *nodes):
    """nodes: (mesh, 4x4 transform)."""
    s = trimesh.Scene()
    for k, (mesh, pose) in enumerate(nodes):
        s.add_geometry(trimesh.Trimesh(*mesh, process=False), node_name=f'n{k}', geom_name=f'g{k}', transform=pose)
    s.export(path)
    return path


def shifted(*pos):
    pose = np.eye(4)
    pose[:3, 3] = pos
    return pose


def volume(mesh):
    return mass_properties(mesh, density=1.0).mass


@pytest.mark.parametrize('suffix', [*SUFFIXES, '.STL', '.OBJ', '.PLY', '.GLB'])
def test_every_kind_gives_the_same_body(tmp_path, suffix):
    file = tmp_path / f'star{suffix}'
    trimesh.Trimesh(*STAR, process=False).export(file, file_type=suffix[1:].lower())
    expected = mass_properties(TriangleMesh(*STAR), density=1.0)
    mesh = load_mesh(file)
    p = mass_properties(mesh, density=1.0)
    assert (len(mesh.vertices), len(mesh.faces)) == (len(STAR[0]), len(STAR[1]))
    # stl and glb hold 32-bit numbers
    assert p.mass == pytest.approx(expected.mass, rel=1e-6)
    assert_allclose(p.inertia, expected.inertia, atol=1e-6 * expected.inertia.max())


@pytest.mark.parametrize(('suffix', 'options'), [
    ('stl', {'file_type': 'stl_ascii'}), ('ply', {'encoding': 'ascii'}), ('ply', {'encoding': 'binary'})])
def test_text_and_binary(tmp_path, suffix, options):
    assert volume(load_mesh(written(tmp_path / f'a.{suffix}', **options))) == pytest.approx(
        volume(TriangleMesh(*STAR)), rel=1e-6)


def test_names_as_text_and_scale(tmp_path):
    file = str(written(tmp_path / 'cube.ply', CUBE))
    assert volume(load_mesh(file)) == pytest.approx(1.0, rel=1e-15)
    assert volume(load_mesh(file, scale=1e-3)) == pytest.approx(1e-9, rel=1e-14)
    for scale in (0.0, -1.0, float('nan'), 'mm'):
        with pytest.raises(EngineError, match='scale'):
            load_mesh(file, scale)


def test_vertices_keep_their_numbers_where_none_repeats(tmp_path):
    mesh = load_mesh(written(tmp_path / 'star.ply'))
    assert_allclose(mesh.vertices, STAR[0], rtol=1e-7, atol=1e-7)
    assert_array_equal(mesh.faces, STAR[1])


def test_repeated_vertices_become_the_first_of_them(tmp_path):
    text = ('v 0 0 0\nv 1 0 0\nv 0 1 0\nv -0 0 0\nv 0 0 1\nv 1 0 0\n'
            'f 1 3 2\nf 4 6 5\nf 1 5 3\nf 2 3 5\n')
    file = tmp_path / 'tetrahedron.obj'
    file.write_text(text)
    mesh = load_mesh(file)
    assert_array_equal(mesh.vertices, [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    assert_array_equal(mesh.faces, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])


def test_degenerate_faces_are_dropped(tmp_path):
    vertices = np.vstack([CUBE[0], CUBE[0][:1]])
    faces = np.vstack([CUBE[1], [(0, 8, 1), (2, 2, 3)]])
    mesh = load_mesh(written(tmp_path / 'cube.ply', (vertices, faces)))
    assert (len(mesh.vertices), len(mesh.faces)) == (8, 12)


def test_quads_are_cut(tmp_path):
    corners = [(x, y, z) for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
    sides = [(4, 3, 2, 1), (5, 6, 7, 8), (1, 2, 6, 5), (2, 3, 7, 6), (3, 4, 8, 7), (4, 1, 5, 8)]
    file = tmp_path / 'cube.obj'
    file.write_text(''.join(f'{kind} {" ".join(map(str, row))}\n' for kind, rows in (('v', corners), ('f', sides))
                            for row in rows))
    assert volume(load_mesh(file)) == pytest.approx(1.0, rel=1e-15)


def test_nodes_stand_where_their_transforms_say(tmp_path):
    turn = trimesh.transformations.rotation_matrix(0.7, (1, 2, 3), (0.5, 0, 0))
    file = scene(tmp_path / 's.glb', (STAR, shifted(10, 0, 0)), (CUBE, turn @ shifted(0, 5, 0)))
    mesh = load_mesh(file, scale=2.0)
    bodies = [TriangleMesh(STAR[0] + (10, 0, 0), STAR[1]),
              TriangleMesh((CUBE[0] + (0, 5, 0)) @ turn[:3, :3].T + turn[:3, 3], CUBE[1])]
    expected = [mass_properties(b, density=1.0) for b in bodies]
    p = mass_properties(mesh, density=1.0)
    assert p.mass == pytest.approx(8.0 * sum(e.mass for e in expected), rel=1e-6)
    assert_allclose(p.com, 2.0 * sum(e.mass * e.com for e in expected) / sum(e.mass for e in expected), rtol=1e-6)


def test_one_geometry_at_two_nodes_and_a_mirror(tmp_path):
    s = trimesh.Scene()
    body = trimesh.Trimesh(*STAR, process=False)
    s.add_geometry(body, geom_name='star', transform=shifted(-5, 0, 0))
    s.graph.update('other', geometry='star', matrix=shifted(5, 0, 0) @ np.diag([-2.0, 2.0, 2.0, 1.0]))
    s.export(tmp_path / 's.glb')
    assert volume(load_mesh(tmp_path / 's.glb')) == pytest.approx(9.0 * volume(TriangleMesh(*STAR)), rel=1e-6)


def test_bodies_that_touch_stay_apart(tmp_path):
    """Two cubes with an edge in common: merged they would not be closed."""
    file = scene(tmp_path / 's.glb', (CUBE, np.eye(4)), (CUBE, shifted(1, 1, 0)), (CUBE, shifted(0, 1, 0)))
    assert volume(load_mesh(file)) == pytest.approx(3.0, rel=1e-6)


def test_materials_of_one_body_are_sewn_together(tmp_path):
    halves = (CUBE[0], CUBE[1][:5]), (CUBE[0], CUBE[1][5:])
    file = scene(tmp_path / 's.glb', (halves[0], shifted(3, 0, 0)), (STAR, np.eye(4)), (halves[1], shifted(3, 0, 0)))
    assert volume(load_mesh(file)) == pytest.approx(1.0 + volume(TriangleMesh(*STAR)), rel=1e-6)


def test_a_hole_in_the_file_is_left_to_mass_properties(tmp_path):
    mesh = load_mesh(written(tmp_path / 'open.stl', (CUBE[0], CUBE[1][1:])))
    assert len(mesh.faces) == 11
    with pytest.raises(OpenMeshError):
        volume(mesh)


def expect(file, words):
    with pytest.raises(MeshFileError, match=words) as caught:
        load_mesh(file)
    assert str(caught.value).startswith(str(file))
    assert isinstance(caught.value, EngineError)


def test_no_such_file(tmp_path):
    expect(tmp_path / 'nowhere.stl', 'no such file')
    expect(tmp_path, 'no such file')


@pytest.mark.parametrize('name', ['body.step', 'body', 'body.stl.zip'])
def test_unknown_kind(tmp_path, name):
    (tmp_path / name).write_bytes(b'solid')
    expect(tmp_path / name, 'known are .stl, .obj, .ply, .glb')


@pytest.mark.parametrize('suffix', SUFFIXES)
@pytest.mark.parametrize('content', [b'', b'nonsense', b'\x00' * 100, b'nonsense\n' * 100])
def test_empty_and_nonsense(tmp_path, suffix, content):
    file = tmp_path / f'body{suffix}'
    file.write_bytes(content)
    expect(file, 'cannot be read|holds no triangles')


@pytest.mark.parametrize('kept', [0.02, 0.3, 0.6, 0.9, -3])
@pytest.mark.parametrize(('suffix', 'options'), [
    ('stl', {}), ('ply', {}), ('ply', {'encoding': 'ascii'}), ('glb', {})])
def test_cut_short(tmp_path, suffix, options, kept):
    file = written(tmp_path / f'body.{suffix}', **options)
    content = file.read_bytes()
    file.write_bytes(content[:kept if kept < 0 else int(kept * len(content))])
    expect(file, 'cannot be read|cut short|holds no triangles')


def test_text_stl_cut_short(tmp_path):
    """The end is missing, or the missing faces leave a hole."""
    file = written(tmp_path / 'body.stl', file_type='stl_ascii')
    file.write_text(file.read_text()[:5000])
    expect(file, 'holds no triangles|cannot be read')


def test_points_and_lines_are_no_body(tmp_path):
    for suffix in ('ply', 'glb'):
        trimesh.PointCloud(STAR[0]).export(tmp_path / f'cloud.{suffix}')
        expect(tmp_path / f'cloud.{suffix}', 'holds no triangles')
    for name, text in (('points.obj', 'v 0 0 0\nv 1 0 0\n'), ('line.obj', 'v 0 0 0\nv 1 0 0\nl 1 2\n')):
        (tmp_path / name).write_text(text)
        expect(tmp_path / name, 'holds no triangles')
    (tmp_path / 'flat.obj').write_text('v 0 0 0\nv 1 0 0\nv 0 0 0\nf 1 2 3\n')
    expect(tmp_path / 'flat.obj', 'holds no triangles')


def test_nan_is_found(tmp_path):
    file = tmp_path / 'nan.obj'
    file.write_text('v 0 0 0\nv 1 nan 0\nv 0 1 0\nf 1 2 3\n')
    expect(file, r'TriangleMesh.vertices\[1\]: must be finite')
    binary = written(tmp_path / 'nan.stl', CUBE)
    content = bytearray(binary.read_bytes())
    content[84 + 12:84 + 16] = struct.pack('<f', float('inf'))
    binary.write_bytes(content)
    expect(binary, 'must be finite')


def test_absurd_coordinates_are_refused(tmp_path):
    expect(written(tmp_path / 'far.ply', (1e8 * CUBE[0], CUBE[1])), 'must be within')


def test_without_trimesh(tmp_path, monkeypatch):
    file, load = written(tmp_path / 'body.stl'), builtins.__import__

    def absent(name, *rest):
        if name == 'trimesh':
            raise ImportError(name)
        return load(name, *rest)

    monkeypatch.setattr(builtins, '__import__', absent)
    expect(file, "pip install 'trimesh")
