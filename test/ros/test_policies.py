# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""config/security/*.xml allow what the nodes of each launch line use, all of it and nothing else; the verb finds it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import policies
import pytest

from hakoniwa_rigid.ros.errors import StartError
from hakoniwa_rigid.ros.security.policy import Use, read, write

pytestmark = [pytest.mark.ros, pytest.mark.slow]
pytest.importorskip('aiohttp', reason="pip install 'hakoniwa_rigid[web]'")
SOURCE = str(Path(__file__).with_name('source.py'))


def differences(found: dict[str, Use], allowed: dict[str, Use]) -> list[str]:
    """What is used and not allowed, and the other way round."""
    said = []
    for node in sorted({*found, *allowed}):
        one, two = found.get(node, Use()), allowed.get(node, Use())
        for right in Use._fields:
            used, may = getattr(one, right), getattr(two, right)
            said += [f'{node} {right}s {name}, which is not allowed' for name in sorted(used - may)]
            said += [f'{node} may {right} {name}, which it does not' for name in sorted(may - used)]
    return said


@pytest.mark.parametrize('name', policies.LINES)
def test_a_policy_is_what_its_nodes_use(bench, foreign, name):
    if name == 'demo':
        pytest.importorskip('rotorpy', reason='RotorPy is not installed (extra demo)')
    allowed = read((policies.FOLDER / f'{name}.xml').read_text())
    line = policies.Line(bench, name)
    try:
        bench.until(lambda: line.uses() == allowed or line.dead(), 'the graph')
    except AssertionError:
        assert differences(line.uses(), allowed) == []
        raise
    finally:
        line.close()
    assert not line.dead()


def test_there_is_a_policy_for_every_launch_file():
    launched = {p.name.removesuffix('.launch.py') for p in (policies.FOLDER.parents[1] / 'launch').glob('*.launch.py')}
    assert launched == set(policies.LINES) == {p.stem for p in policies.FOLDER.glob('*.xml')}


def test_the_verb_writes_what_runs(bench, tmp_path):
    from nav_msgs.msg import Odometry
    bench.start(SOURCE, arguments=('d7', '0', '0', '1'))
    bench.inbox(Odometry, 'd7/odom')
    out = tmp_path / 'policy.xml'
    command = [sys.executable, '-m', 'hakoniwa_rigid.cli', 'policy', '/source_d7', '-o', str(out), '--seconds', '20']
    env = {**os.environ, 'ROS_DOMAIN_ID': str(bench.domain)}
    run = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    found = read(out.read_text())
    assert set(found) == {'/source_d7'}
    use = found['/source_d7']
    assert use.publish == {'/d7/odom', '/parameter_events', '/rosout'}
    assert use.subscribe == frozenset()
    assert '/source_d7/set_parameters' in use.reply
    none = subprocess.run([*command[:4], '/nobody', '--seconds', '0.5'], env=env, capture_output=True, text=True,
                          check=False)
    assert none.returncode == 1
    assert none.stderr == 'error: no such node here: /nobody\n'


def test_what_is_written_is_read():
    uses = {'/lab/a': Use(frozenset('xyz'), frozenset(), frozenset(['/a/<b>&']), frozenset(['/s'])), '/b': Use()}
    text = write(uses, 'who made it')
    assert read(text) == uses
    assert '<profile ns="/lab" node="a">' in text
    assert '<profile ns="/" node="b"' in text


@pytest.mark.parametrize(('text', 'said'), [
    ('', 'is no XML'), ('<policy/>', 'must be <policy version'), ('<a version="0.2.0"/>', 'must be <policy'),
    (write({'/a': Use(frozenset('x'))}).replace('ALLOW', 'DENY'), 'must allow'),
    (write({'/a': Use(frozenset('x'))}).replace('publish', 'shout'), 'must allow'),
    (write({'/a': Use(frozenset('x'))}).replace('node="a"', 'node="b"'), 'must be that of its node')])
def test_what_says_more_or_less_is_refused(text, said):
    with pytest.raises(StartError, match=said):
        read(text)
