# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The fixture hakoniwa_replay in the tests of a user, and that it costs those nothing who do not ask for it."""
import os
import subprocess
import sys
from xml.etree import ElementTree

import pytest
import sweeps
from tested import PACKAGES

from hakoniwa_rigid import cli

TESTS = """
def test_as_it_was(hakoniwa_replay):
    hakoniwa_replay('drop', 'drop.golden.yaml', 'drop.yaml').assert_contact('ball', 'floor')

def test_harder(hakoniwa_replay):
    hakoniwa_replay('drop', 'drop.golden.yaml', 'harder.yaml')
"""
QUIET = """
import os, sys, pytest
before, environment = set(sys.modules), dict(os.environ)
import hakoniwa_rigid.pytest_plugin
new = sorted(set(sys.modules) - before)
print([name for name in new if name.startswith('hakoniwa_rigid') or 'numba' in name or 'numpy' in name])
print(set(os.environ) - set(environment) <= {'NUMBA_DISABLE_INTEL_SVML'})
"""


def started(*words, cwd):
    """A Python process that finds the package and its plugin."""
    env = {**os.environ, 'PYTHONPATH': PACKAGES, 'PYTEST_ADDOPTS': ''}
    done = subprocess.run([sys.executable, *map(str, words)], cwd=cwd, env=env, capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stdout + done.stderr


def test_loading_the_plugin_imports_nothing_of_the_package(tmp_path):
    assert started('-c', QUIET, cwd=tmp_path) == (
        0, "['hakoniwa_rigid', 'hakoniwa_rigid.moved', 'hakoniwa_rigid.pytest_plugin']\nTrue\n")


@pytest.mark.slow
def test_a_user_replays_a_flight_against_its_golden_file(tmp_path):
    world = sweeps.world(tmp_path)
    bag = sweeps.drop(tmp_path)
    (tmp_path / 'harder.yaml').write_text(sweeps.WORLD.replace('restitution: 0.5', 'restitution: 0.8'))
    assert cli.main(['replay', bag, '--world', world, '-o', str(tmp_path / 'out')]) == 0
    assert cli.main(['diff', str(tmp_path / 'out'), '--write-golden', str(tmp_path / 'drop.golden.yaml')]) == 0
    (tmp_path / 'test_drop.py').write_text(TESTS)
    code, said = started('-m', 'pytest', '-p', 'hakoniwa_rigid.pytest_plugin', '-p', 'no:cacheprovider',
                         '--hakoniwa-reports', 'reports', '-q', cwd=tmp_path)
    assert code == 1 and '1 failed, 1 passed' in said, said
    assert 'AssertionError: materials.rubber.restitution differs (expected 0.5, actual 0.8); first divergence' in said
    reports = tmp_path / 'reports'
    assert sorted(p.name for p in reports.iterdir()) == ['test_harder.html', 'test_harder.xml']
    assert f'report: {reports / "test_harder.html"}' in said
    assert '<h1>materials.rubber.restitution differs' in (reports / 'test_harder.html').read_text()
    assert ElementTree.parse(reports / 'test_harder.xml').getroot()[0].get('failures') != '0'
