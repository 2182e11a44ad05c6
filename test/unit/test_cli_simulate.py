# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""hakoniwa-rigid simulate: what it computes, what it prints and writes, and what it says when something is wrong."""
import builtins
import csv
import re
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

from hakoniwa_rigid import cli
from hakoniwa_rigid.engine import EngineError
from hakoniwa_rigid.scene.offline import simulation, simulation_picture, simulation_report
from hakoniwa_rigid.scene.world_files import world_file

G = 9.80665
PNG = b'\x89PNG\r\n\x1a\n'
NUMBER = r'[-+]?\d+\.?\d*(?:e[-+]?\d+)?'
ROOM = """
materials: {default: {restitution: 0.5, friction: 0.5}}
walls:
  - {name: floor, type: plane}
objects:
  - {name: ball, shape: {type: sphere, radius: 0.1}, mass: 0.5, position: [0, 0, 1.1], linear_velocity: [0.25, 0, 0]}
  - {name: crate, shape: {type: box, size: [0.4, 0.4, 0.2]}, mass: 3.0, position: [2, 0, 0.1]}
"""
DRONE = """
drones: [{name: d0, model: unity, position: [-2, 0, 5]}]
hands: [{name: right}]
"""


@pytest.fixture
def room(tmp_path, monkeypatch):
    """A file with a ball in the air and a crate on the floor, in an empty current folder."""
    file = tmp_path / 'files' / 'room.yaml'
    file.parent.mkdir()
    file.write_text(ROOM)
    monkeypatch.chdir(tmp_path)
    return file


def run(capsys, *arguments):
    """(exit code, stdout, stderr)."""
    code = cli.main(['simulate', *map(str, arguments)])
    return code, *capsys.readouterr()


def value(text, pattern):
    (found,) = re.findall(pattern.replace('{}', f'({NUMBER})'), text)
    return float(found)


def test_the_states_are_those_of_free_fall_and_rest(room, capsys, tmp_path):
    table = tmp_path / 'states.csv'
    code, out, err = run(capsys, room, '--duration', '0.4', '--csv', table)
    assert (code, err) == (0, '')
    with table.open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:5] == ['time', 'body', 'x', 'y', 'z'] and len(rows) == 2 * 41
    ball = np.array([[float(r[k]) for k in ('time', 'x', 'z', 'vx', 'vz')] for r in rows if r['body'] == 'ball'])
    t = np.arange(41) * 0.01
    assert_allclose(ball, np.column_stack([t, 0.25 * t, 1.1 - 0.5 * G * t**2, 0 * t + 0.25, -G * t]), atol=1e-12)
    crate = [[float(x) for x in list(r.values())[2:]] for r in rows if r['body'] == 'crate']
    assert_allclose(crate[-1], [2, 0, 0.1, 1, 0, 0, 0, *[0] * 6], atol=1e-9)
    assert f'states: {table}\n' in out


def test_the_summary_says_what_happened(room, capsys, tmp_path):
    code, out, _ = run(capsys, room, '--duration', '0.6')
    assert code == 0 and (tmp_path / 'room.png').read_bytes().startswith(PNG)
    assert out.startswith(f"{room}: world 'room': 0.6 s in steps of 1 ms, sequential\n")
    assert out.endswith('picture: room.png\n')
    assert re.search(r'^ball .* moves$', out, re.MULTILINE) and re.search(r'^crate .* at rest$', out, re.MULTILINE)
    assert '1 of 2 at rest' in out
    # one impact at sqrt(2 g h), e = 0.5: (1 + e) m v upwards, and what rubs: 1/3.5 of the slip stops it
    ((impacts, impulse, depth),) = re.findall(rf'^floor - ball +\d+ +(\d+) +({NUMBER}) +({NUMBER})$', out, re.MULTILINE)
    v = np.sqrt(2 * G)
    assert int(impacts) == 1 and float(depth) <= 1e-6
    assert float(impulse) == pytest.approx(0.5 * np.hypot(1.5 * v, 0.25 / 3.5), rel=1e-5)
    before = 0.5 * G * 1.1 + 0.25 * 0.25**2 + 3.0 * G * 0.1
    lost = 0.25 * 0.75 * v**2 + 0.25 * 0.25**2 * 2 / 7
    assert value(out, r'{} J before') == pytest.approx(before, rel=1e-5)
    assert value(out, r'{} J lost') == pytest.approx(lost, rel=1e-5)
    for word in ('sweeps', 'unsolved 0', 'residual 0 m/s'):
        assert word in out


def test_drones_fall_and_hands_are_away(room, capsys):
    room.write_text(ROOM + DRONE)
    code, out, _ = run(capsys, room, '--duration', '0.3', '--out', 'x.png')
    assert code == 0
    assert 'drones (1): free bodies here, motors off, no drag\n' in out and 'hands (1): take no part' in out
    ((z, speed),) = re.findall(rf'^d0 +{NUMBER} +{NUMBER} +({NUMBER}) +({NUMBER}) ', out, re.MULTILINE)
    assert float(z) == pytest.approx(5 - 0.5 * G * 0.09, abs=1e-6)
    assert float(speed) == pytest.approx(0.3 * G, rel=1e-2)


def test_at_rest_is_what_did_not_move(room):
    """By the way it made, over half a second: neither a ball at the top of its flight nor one that creeps."""
    slow = ROOM.replace('[0, 0, 1.1], linear_velocity: [0.25', '[0, 0, 0.1], linear_velocity: [0.001')
    top = '{name: top, shape: {type: sphere, radius: 0.1}, mass: 1, position: [5, 0, 1], linear_velocity: [0, 0, %g]}'
    room.write_text(slow.replace('friction: 0.5', 'friction: 0.0') + f'  - {top % (0.6 * G)}\n')
    done = simulation.run(world_file.load(room), 0.6)
    assert np.linalg.norm(done.linvel[-1, done.names.index('top')]) < 1e-5
    assert dict(zip(done.names, done.at_rest, strict=True)) == {'ball': False, 'crate': True, 'top': False}


def test_progress_is_reported_in_seconds(room):
    reported = []
    done = simulation.run(world_file.load(room), 0.055, progress=reported.append)
    assert_allclose(reported, 0.01) and sum(reported) == pytest.approx(done.times[-1])
    assert done.times[-1] in (pytest.approx(0.05), pytest.approx(0.06))


def test_impulses_of_pairs_account_for_all_momentum(room):
    done = simulation.run(world_file.load(room), 0.6)
    given = done.pairs['floor', 'ball'].given
    assert_allclose(given, 0.5 * (done.linvel[-1, 0] - (0.25, 0, 0) + np.array([0, 0, G]) * 0.6), atol=1e-12)


@pytest.mark.parametrize('arguments', [[], ['a.yaml', '--duration', '0'], ['a.yaml', '--duration', 'nan'],
                                       ['a.yaml', '--duration', 'long']])
def test_wrong_usage_exits_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main(['simulate', *arguments])
    assert caught.value.code == 2
    assert 'usage' in capsys.readouterr().err


@pytest.mark.parametrize(('text', 'words'), [
    ('wals: []', "unknown key; did you mean 'walls'?"), ('name: empty', 'build: the world has no bodies')])
def test_worlds_that_do_not_run(room, capsys, tmp_path, text, words):
    room.write_text(text)
    code, out, err = run(capsys, room)
    assert (code, out) == (1, '')
    assert err.startswith(f'error: {room}: ') and words in err
    assert list(tmp_path.glob('*.png')) == []


def test_an_engine_that_refuses_is_named_with_its_file(room, capsys, monkeypatch):
    def refuse(*_, **__):
        raise EngineError('dt: 0.001 above the stable limit')

    monkeypatch.setattr(simulation, 'run', refuse)
    assert run(capsys, room) == (1, '', f'error: {room}: dt: 0.001 above the stable limit\n')


def test_no_such_world(capsys):
    code, out, err = run(capsys, 'nowhere/room.yaml')
    assert (code, out) == (1, '') and err.startswith('error: nowhere/room.yaml: cannot be read')


def test_without_matplotlib_the_summary_is_good(room, capsys, monkeypatch):
    load = builtins.__import__

    def absent(name, *rest):
        if name.startswith('matplotlib'):
            raise ModuleNotFoundError(name)
        return load(name, *rest)

    monkeypatch.setattr(builtins, '__import__', absent)
    code, out, err = run(capsys, room, '--duration', '0.02')
    assert code == 0
    assert 'at rest' in out and 'picture' not in out and 'pip install' in err


@pytest.mark.parametrize('name', ['nowhere/x.png', 'x.xyz'])
def test_picture_that_cannot_be_written(room, capsys, name):
    code, out, err = run(capsys, room, '--duration', '0.02', '--out', name)
    assert code == 1 and 'at rest' in out and 'picture:' not in out
    assert err.startswith(f'error: {name}: picture not written: ')


def test_table_that_cannot_be_written(room, capsys):
    code, out, err = run(capsys, room, '--duration', '0.02', '--csv', 'nowhere/x.csv')
    assert code == 1 and 'picture: room.png' in out
    assert err.startswith('error: nowhere/x.csv: states not written: ')


def test_long_lists_are_cut(room):
    balls = ''.join(f'  - {{name: b{k}, shape: {{type: sphere, radius: 0.1}}, mass: 1, position: [{k}, 3, 0.1]}}\n'
                    for k in range(30))
    room.write_text(ROOM + balls)
    text = simulation_report.as_text(simulation.run(world_file.load(room), 0.02))
    assert text.count('... 12 more') == 1 and text.count('... 11 more') == 1


def test_every_shape_is_drawn(tmp_path):
    """hall.yaml has them all, moving and as walls."""
    done = simulation.run(world_file.load('hall'), 0.02)
    simulation_picture.draw(done, tmp_path / 'hall.png')
    simulation_picture.draw([done, done], tmp_path / 'two.png', 'twice')
    assert all((tmp_path / name).read_bytes().startswith(PNG) for name in ('hall.png', 'two.png'))


def test_it_runs_as_a_command_without_ros(room):
    code = ('import sys; from hakoniwa_rigid import cli; code = cli.main(sys.argv[1:]); '
            'sys.exit(code or "rclpy" in sys.modules)')
    done = subprocess.run([sys.executable, '-c', code, 'simulate', str(room), '--duration', '0.02'],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == '' and 'crate' in done.stdout
