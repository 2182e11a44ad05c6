# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""examples/ci: its script judges recorded flights by their golden files, and the workflow files run that script."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import bags
import pytest
import yaml
from tested import PACKAGES

CI = Path(__file__).resolve().parents[3] / 'examples' / 'ci'
SCRIPT = CI / 'replay_tests.sh'
MS = 1_000_000
ROOM = """
gravity: [0, 0, 0]
materials: {hard: {restitution: RESTITUTION, friction: 0.0}}
models:
  cube: {mass: 0.5, inertia: [0.002, 0.002, 0.002], shape: {type: box, size: [0.2, 0.2, 0.2]}, material: hard}
walls: [{name: end, type: plane, normal: [-1, 0, 0], offset: -1.0, material: hard}]
drones: [{name: d0, model: cube}]
"""


@pytest.fixture
def project(tmp_path):
    """A user's repository with one flight into a wall, and the command on its PATH."""
    folder, tools = tmp_path / 'replay_tests', tmp_path / 'bin'
    tools.mkdir()
    command = tools / 'hakoniwa-rigid'
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m hakoniwa_rigid.cli "$@"\n')
    command.chmod(0o755)
    written = bags.written_by_rosbags(tmp_path / 'flight', [
        ('/d0/odom', (1000 + 10 * k) * MS, bags.odometry((1000 + 10 * k) * MS, (0.015 * k, 0, 1), velocity=(1.5, 0, 0)))
        for k in range(90)])
    folder.mkdir()
    shutil.copy(next(written.glob('*.mcap')), folder / 'into the wall.mcap')
    (folder / 'room.yaml').write_text(ROOM.replace('RESTITUTION', '0.5'))
    return tmp_path


def judged(project, *words):
    """Exit code and output of the script in a repository."""
    env = {**os.environ, 'PATH': f'{project / "bin"}:{os.environ["PATH"]}',
           'PYTHONPATH': os.pathsep.join([PACKAGES, os.environ.get('PYTHONPATH', '')])}
    run = subprocess.run(['sh', str(SCRIPT), *words], cwd=project, env=env, capture_output=True, text=True, check=False)
    return run.returncode, run.stdout + run.stderr


def test_a_flight_has_to_be_looked_at_once_and_then_stays_as_it_is(project):
    folder, out = project / 'replay_tests', project / 'out'
    code, said = judged(project)
    assert code == 1
    assert 'into the wall.golden.yaml is missing' in said
    shutil.rmtree(out / 'into the wall')
    shutil.copy(out / 'into the wall.golden.yaml', folder)
    code, said = judged(project)
    assert code == 0, said
    assert 'failures="0"' in (out / 'into the wall.xml').read_text()
    shutil.rmtree(out)
    (folder / 'room.yaml').write_text(ROOM.replace('RESTITUTION', '0.2'))
    code, said = judged(project, 'replay_tests', 'out')
    assert code == 1
    assert 'DIFFERENT' in said
    assert 'failures="0"' not in (out / 'into the wall.xml').read_text()
    first = (out / 'into the wall.html').read_text().partition('<h1>')[2].partition('</h1>')[0]
    assert first.startswith('materials.hard.restitution differs (expected 0.5, actual 0.2); first divergence: ')


def test_a_folder_without_flights_is_a_mistake(project):
    (project / 'empty').mkdir()
    code, said = judged(project, 'empty')
    assert code == 2
    assert 'no recorded flights' in said


@pytest.mark.parametrize(('name', 'steps'), [
    ('github.yml', lambda file: [step['run'] for step in file['jobs']['replay']['steps'] if 'run' in step]),
    ('gitlab.yml', lambda file: file['replay']['script'])])
def test_the_workflows_install_and_run_the_script(name, steps):
    install, run = steps(yaml.safe_load((CI / name).read_text()))
    assert install.startswith('python -m pip install $HAKONIWA_RIGID')
    assert run == f'sh replay_tests/{SCRIPT.name}'
