# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""hakoniwa-rigid mass: the numbers, the JSON, the picture, and what it says when something is wrong."""
import builtins
import json
import subprocess
import sys

import numpy as np
import pytest
import trimesh
from numpy.testing import assert_allclose
from oracles import meshes

from hakoniwa_rigid import cli
from hakoniwa_rigid.engine import Box, MassProperties, TriangleMesh, mass_properties
from hakoniwa_rigid.scene.offline import mass_picture, mass_report

BRICK = meshes.moved(meshes.box((3.0, 1.0, 2.0)), (1.0, 2.0, 3.0), (1.0, 0.0, 0.0, 0.0))
PNG = b'\x89PNG\r\n\x1a\n'


@pytest.fixture
def brick(tmp_path, monkeypatch):
    """A file of a brick, in an empty current folder."""
    file = tmp_path / 'files' / 'brick.stl'
    file.parent.mkdir()
    trimesh.Trimesh(*BRICK, process=False).export(file)
    monkeypatch.chdir(tmp_path)
    return file


def run(capsys, *arguments):
    """(exit code, stdout, stderr)."""
    code = cli.main(['mass', *map(str, arguments)])
    return code, *capsys.readouterr()


def numbers(line):
    return [float(word) for word in line.split() if word.replace('.', '').replace('-', '').replace('e', '').isdigit()]


def test_numbers_in_aligned_lines(brick, capsys):
    code, out, err = run(capsys, brick)
    assert (code, err) == (0, '')
    lines = {line[:16].rstrip(): line for line in out.splitlines()}
    assert numbers(lines['volume']) == [6.0]
    assert numbers(lines['density']) == [1000.0] and 'assumed: give --density or --mass' in lines['density']
    assert numbers(lines['mass']) == [6000.0]
    assert numbers(lines['centre of mass']) == [1.0, 2.0, 3.0]
    rows = [numbers(lines[f'  {axis}']) for axis in 'xyz']
    assert rows == [[2500.0, 0.0, 0.0], [0.0, 6500.0, 0.0], [0.0, 0.0, 5000.0]]
    principal = [numbers(line)[1:] for line in out.splitlines() if line[:3] in ('  1', '  2', '  3')]
    assert principal == [[2500, 1, 0, 0], [5000, 0, 0, 1], [6500, 0, -1, 0]]
    # the columns stand below each other
    assert len({len(lines[f'  {axis}']) for axis in 'xyz'}) == 1
    for unit in ('m^3', 'kg/m^3', 'kg', 'm', 'kg m^2'):
        assert unit in out


def test_picture_beside_the_numbers(brick, capsys, tmp_path):
    _, out, _ = run(capsys, brick)
    assert out.endswith('picture: brick_mass.png\n')
    assert (tmp_path / 'brick_mass.png').read_bytes().startswith(PNG)
    other = tmp_path / 'other.png'
    _, out, _ = run(capsys, brick, '--out', other)
    assert out.endswith(f'picture: {other}\n')
    assert other.read_bytes().startswith(PNG)


@pytest.mark.parametrize(('options', 'mass', 'density'), [
    ((), 6000.0, 1000.0), (('--density', '2700'), 16200.0, 2700.0), (('--mass', '12'), 12.0, 2.0),
    (('--mass', '12', '--scale', '0.001'), 12.0, 2e9)])
def test_json_and_nothing_else(brick, capsys, options, mass, density):
    code, out, err = run(capsys, brick, '--json', *options)
    assert (code, err) == (0, '')
    got = json.loads(out)
    assert got['mass'] == pytest.approx(mass, rel=1e-14)
    assert got['density'] == pytest.approx(density, rel=1e-6)
    assert got['density_assumed'] is (options == ())
    size = 1e-3 if '--scale' in options else 1.0
    expected = mass_properties(Box((3.0 * size, size, 2.0 * size)), mass=mass)
    assert got['volume'] == pytest.approx(6.0 * size**3, rel=1e-6)
    assert_allclose(got['com'], np.array([1.0, 2.0, 3.0]) * size, rtol=1e-6)
    assert_allclose(got['inertia'], expected.inertia, atol=1e-6 * expected.inertia.max())
    assert_allclose(got['principal_moments'], expected.principal_moments, rtol=1e-6)
    assert np.linalg.det(got['principal_axes']) == pytest.approx(1.0, rel=1e-12)
    assert (got['file'], got['vertices'], got['faces'], got['picture']) == (str(brick), 8, 12, 'brick_mass.png')


def broken(tmp_path, faces):
    file = tmp_path / 'broken.ply'
    trimesh.Trimesh(BRICK[0], faces, process=False).export(file)
    return file


@pytest.mark.parametrize(('faces', 'words'), [
    (BRICK[1][1:], ('edge (', 'faces[', 'close the hole')),
    (BRICK[1][:, ::-1], ('reverse each face',)),
    (np.vstack([BRICK[1][:1, ::-1], BRICK[1][1:]]), ('edge (', 'the same way')),
])
def test_a_mesh_that_is_no_body(tmp_path, monkeypatch, capsys, faces, words):
    monkeypatch.chdir(tmp_path)
    file = broken(tmp_path, faces)
    for options in ((), ('--json',)):
        code, out, err = run(capsys, file, *options)
        assert (code, out) == (1, '')
        assert err.startswith(f'error: {file}: TriangleMesh: ')
        for word in words:
            assert word in err
    assert list(tmp_path.glob('*.png')) == []


@pytest.mark.parametrize(('options', 'words'), [
    (('--density', '0'), 'density: must be > 0'), (('--density', 'nan'), 'density: must be finite'),
    (('--mass', '-1'), 'mass: must be > 0'), (('--scale', '0'), 'scale: must be > 0')])
def test_amounts_that_make_no_body(brick, capsys, options, words):
    code, out, err = run(capsys, brick, *options)
    assert (code, out) == (1, '')
    assert err.startswith(f'error: {brick}: ') and words in err


def test_no_such_file_is_named_once(brick, capsys):
    for name in ('nowhere.stl', './nowhere.stl'):
        code, out, err = run(capsys, name)
        assert (code, out, err) == (1, '', 'error: nowhere.stl: no such file\n')


@pytest.mark.parametrize('arguments', [[], ['a.stl', '--density', '1', '--mass', '1'], ['a.stl', '--density', 'heavy']])
def test_wrong_usage_exits_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main(['mass', *arguments])
    assert caught.value.code == 2
    assert 'usage' in capsys.readouterr().err


@pytest.mark.parametrize('options', [(), ('--json',), ('--out', 'x.png')])
def test_without_matplotlib_the_numbers_are_good(brick, capsys, monkeypatch, options):
    load = builtins.__import__

    def absent(name, *rest):
        if name.startswith('matplotlib'):
            raise ModuleNotFoundError(name)
        return load(name, *rest)

    monkeypatch.setattr(builtins, '__import__', absent)
    code, out, err = run(capsys, brick, *options)
    assert code == 0
    assert 'no picture' in err and 'pip install' in err
    if '--json' in options:
        assert json.loads(out)['picture'] is None
    else:
        assert '6000' in out and 'picture' not in out


@pytest.mark.parametrize('name', ['nowhere/x.png', 'x.xyz'])
def test_picture_that_cannot_be_written(brick, capsys, name):
    code, out, err = run(capsys, brick, '--out', name)
    assert code == 1
    assert '6000' in out and 'picture:' not in out
    assert err.startswith(f'error: {name}: picture not written: ')


def test_fine_meshes_are_drawn_coarser_and_weighed_whole(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    ring = meshes.torus(n=200, m=100)
    trimesh.Trimesh(*ring, process=False).export('ring.ply')
    code, out, _ = run(capsys, 'ring.ply', '--mass', '1')
    assert code == 0
    drawn = int(out.split('ring_mass.png (')[1].split(' triangles drawn; the numbers are of all of them')[0])
    assert 2000 < drawn <= mass_picture.MOST_TRIANGLES < 40000
    assert '40000 triangles' in out


@pytest.mark.parametrize('most', [12, 100, 3000])
def test_coarsened_keeps_the_figure(most):
    vertices, faces = meshes.torus(n=100, m=50)
    few, corners = mass_picture.coarsened(vertices, faces, most)
    assert 0 < len(corners) <= most
    assert (few.min(axis=0) >= vertices.min(axis=0)).all() and (few.max(axis=0) <= vertices.max(axis=0)).all()
    same, as_they_were = mass_picture.coarsened(vertices, faces, len(faces))
    assert same is vertices and as_they_were is faces


def test_box_of_the_same_inertia():
    """Of a box it is the box itself; of flat and pointlike bodies it is flat."""
    p = mass_properties(TriangleMesh(*BRICK), density=2.0)
    corners = mass_picture.box_corners(p)
    assert_allclose(sorted(map(tuple, np.round(corners, 12))), sorted(map(tuple, BRICK[0])), atol=1e-11)
    point = MassProperties(1.0, np.ones(3), np.zeros((3, 3)), np.zeros(3), np.eye(3))
    assert_allclose(mass_picture.box_corners(point), np.ones((8, 3)))


def test_rounding_is_not_shown(tmp_path):
    mesh = TriangleMesh(*meshes.moved(meshes.icosphere(2), (5.0, 0.0, 0.0), (0.3, 0.4, 0.5, 0.7)))
    text = mass_report.as_text(mass_report.weigh('ball.stl', mesh, mass=1.0))
    assert 'e-1' not in text
    assert json.loads(mass_report.as_json(mass_report.weigh('ball.stl', mesh, mass=1.0)))['mass'] == 1.0


def test_it_runs_as_a_command_without_ros(brick):
    code = ('import sys; from hakoniwa_rigid import cli; code = cli.main(sys.argv[1:]); '
            'sys.exit(code or "rclpy" in sys.modules)')
    done = subprocess.run([sys.executable, '-c', code, 'mass', str(brick), '--json'], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)['mass'] == pytest.approx(6000.0)
