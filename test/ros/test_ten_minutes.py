# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""docs/ten_minutes.md, followed by the letter: every file saved, every command run, what it shows compared as far as
it does not depend on the moment."""
from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tested import PACKAGES

from hakoniwa_rigid.ros.domain import free_domain

pytestmark = pytest.mark.ros
PAGE = Path(__file__).resolve().parents[2] / 'docs/ten_minutes.md'
BLOCKS = re.findall(r'^```(\w+)\n(.*?)^```', PAGE.read_text(encoding='utf8'), re.MULTILINE | re.DOTALL)


def blocks(language):
    return [text for kind, text in BLOCKS if kind == language]


@pytest.fixture
def shell(tmp_path):
    """Runs a block in the folder; its exit code, and what it says."""
    bin_folder = str(Path(sys.executable).parent)
    with free_domain(None) as domain:
        env = dict(os.environ, PATH=os.pathsep.join([bin_folder, os.environ['PATH']]), ROS_DOMAIN_ID=str(domain),
                   ROS_AUTOMATIC_DISCOVERY_RANGE='LOCALHOST', HOME=str(tmp_path),
                   PYTHONPATH=os.pathsep.join([PACKAGES, os.environ.get('PYTHONPATH', '')]))

        def run(script):
            done = subprocess.run(['bash', '-c', script], cwd=tmp_path, env=env, text=True, capture_output=True,
                                  timeout=120, check=False)
            return done.returncode, done.stdout + done.stderr
        yield run


def test_the_page_by_the_letter(shell, tmp_path):
    (room,), (fly, in_ci) = blocks('yaml'), blocks('python')
    _, check, record, replay, golden, changed = blocks('sh')
    checked, slip, recorded, replayed, equal, different, passed = blocks('text')
    (tmp_path / 'room.yaml').write_text(room)
    (tmp_path / 'fly.py').write_text(fly)

    assert shell(check) == (0, checked)
    (tmp_path / 'room.yaml').write_text(room.replace('height: 2.0', 'heigth: 2.0'))
    assert shell(check) == (1, slip)
    (tmp_path / 'room.yaml').write_text(room)
    code, said = shell(record)
    assert code == 0 and 'Traceback' not in said
    number = re.compile(r'\.\d+\.part')    # of the process
    assert all(number.sub('', line) in number.sub('', said) for line in recorded.splitlines())
    code, said = shell(replay)
    assert code == 0 and (tmp_path / 'flight.png').stat().st_size > 10_000
    # the same words, other numbers
    shown = [re.sub(r'[\d.]+', 'N', line).split() for line in said.splitlines()]
    assert all(re.sub(r'[\d.]+', 'N', line).split() in shown for line in replayed.splitlines())
    code, said = shell(golden)
    assert code == 0 and equal.split(':')[0] in said and '2 trajectories' in said
    (tmp_path / 'test_flight.py').write_text(in_ci)
    pytest_line = f'{sys.executable} -m pytest -q -p no:cacheprovider test_flight.py'
    code, said = shell(pytest_line)
    assert code == 0 and passed.split(' in ')[0] in said

    (tmp_path / 'room.yaml').write_text(room.replace('foam: {restitution: 0.6', 'foam: {restitution: 0.5'))
    code, said = shell(changed)
    assert code == 1 and different.split(';')[0] in said
    assert 'models.crazyflie.material.restitution' in (tmp_path / 'diff.html').read_text().split('</h1>')[0]
    code, said = shell(pytest_line)
    assert code == 1 and 'models.crazyflie.material.restitution differs' in said
