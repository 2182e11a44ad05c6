# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The command line: options, exit codes, and messages that help."""
import shlex
import subprocess
import sys

import pytest

from hakoniwa_rigid import cli


def test_help_names_every_command(capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main(['--help'])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    for word in ('demo', 'check-world', 'simulate', 'mass', 'hand', 'diff', 'bench', 'warmup'):
        assert word in text


@pytest.mark.parametrize('name', cli.EXAMPLES)
def test_the_help_of_every_command_ends_with_an_example_that_it_takes(name, capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main([*name.split(), '--help'])
    assert caught.value.code == 0
    example = ' '.join(capsys.readouterr().out.rpartition('Example: ')[2].split())
    command, *words = shlex.split(example)
    assert command == 'hakoniwa-rigid'
    assert ' '.join(words).startswith(name)
    assert cli.parser().parse_args(words).command == name.split()[0]


@pytest.mark.parametrize('arguments', [[], ['fly'], ['demo', '--duration', '-1'], ['demo', '--rate', 'nan'],
                                       ['demo', '--page-params', '/nowhere.yaml'],
                                       ['check-world']])
def test_wrong_usage_exits_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    assert 'usage' in capsys.readouterr().err


def test_check_world_describes_a_good_world(capsys):
    assert cli.main(['check-world', 'demo_room']) == 0
    text = capsys.readouterr().out
    for word in ('demo_room', 'table', 'd5', 'right'):
        assert word in text


def test_check_world_names_the_mistake(tmp_path, capsys):
    file = tmp_path / 'gym.yaml'
    file.write_text('gravity: [0, 0, -9.8]\nwals: []\n')
    assert cli.main(['check-world', str(file)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ''
    assert 'gym.yaml' in captured.err
    assert 'wals' in captured.err


def test_check_world_looks_here_first_and_says_what_it_took(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'gym.yaml').write_text('name: mine\n')
    assert cli.main(['check-world', 'gym']) == 0
    assert capsys.readouterr().out.startswith("gym.yaml: world 'mine'")


def test_check_world_says_where_it_looked_and_what_comes_nearest(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert cli.main(['check-world', 'gyn']) == 1
    said = capsys.readouterr().err
    for words in (f'gyn.yaml: no such file in {tmp_path}', 'worlds, which has ar_room.yaml', 'did you mean gym?'):
        assert words in said


def test_check_world_names_a_missing_file(capsys):
    assert cli.main(['check-world', 'nowhere/gym.yaml']) == 1
    assert 'gym.yaml' in capsys.readouterr().err


def test_demo_options_are_handed_on(monkeypatch):
    seen = []
    monkeypatch.setattr('hakoniwa_rigid.ros.demo.demo.run', lambda options: seen.append(options) or 0)
    assert cli.main(['demo', '--duration', '12', '--out', 'x', '--no-corrections']) == 0
    (options,) = seen
    assert (options.duration, str(options.out), options.no_corrections, options.rate) == (12.0, 'x', True, 200.0)


def test_demo_without_its_packages_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, 'rosbags.rosbag2', None)
    monkeypatch.delitem(sys.modules, 'hakoniwa_rigid.ros.demo.demo', raising=False)
    for name in ('demo_report', 'bag_recorder', 'demo_picture'):
        monkeypatch.delitem(sys.modules, f'hakoniwa_rigid.ros.demo.{name}', raising=False)
    assert cli.main(['demo']) == 1
    assert 'hakoniwa_rigid[demo]' in capsys.readouterr().err


def test_the_module_runs_as_a_command_without_ros():
    """check-world must not import ROS: it runs where there is none."""
    code = ('import sys; from hakoniwa_rigid import cli; code = cli.main(["check-world", "demo_room"]); '
            'sys.exit(code or ("rclpy" in sys.modules))')
    run = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_a_reader_that_has_seen_enough_ends_a_command_without_a_traceback():
    done = subprocess.run(f'{sys.executable} -u -m hakoniwa_rigid.cli check-world ar_room | head -c 1', shell=True,
                          executable='/bin/bash', text=True, capture_output=True, check=False)
    assert (len(done.stdout), done.stderr) == (1, '')
