# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What is asked of package managers: package.xml, setup.py and what colcon's own test takes from both."""
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ElementTree.parse(ROOT / 'package.xml').getroot()
# what setup() is called with, one requirement a line
REQUIREMENTS = ("import sys; sys.path.insert(0, 'test/install'); import with_colcon\n"
                "print(*with_colcon.requirements(), sep='\\n')")


def requirements(distribution, **env):
    """Name and version of every requirement that names one exactly."""
    pytest.importorskip('setuptools')
    done = subprocess.run([sys.executable, '-c', REQUIREMENTS], cwd=ROOT, capture_output=True, text=True, check=False,
                          env={'HAKONIWA_RIGID_ROS': distribution, 'PATH': '', **env})
    assert done.returncode == 0, done.stderr
    lines = [line.split('==') for line in done.stdout.splitlines()]
    return {line[0]: line[1] for line in lines if len(line) == 2}


def test_no_key_of_rosdep_is_pip():
    """A package of a distribution cannot depend on what only pip has."""
    keys = [node.text for node in PACKAGE if node.tag.endswith('depend')]
    assert keys and [key for key in keys if key.endswith('-pip')] == []


def test_files_that_are_named_are_there():
    assert (ROOT / PACKAGE.findtext('export/rosdoc2')).is_file()
    assert (ROOT / PACKAGE.find('license').get('file')).is_file()


def test_both_distributions_have_the_same_packages():
    """Their client libraries are those of the distributions, and what the node imports is there in both."""
    kilted, jazzy = requirements('kilted'), requirements('jazzy')
    assert kilted['ros-rclpy'] == '9.1.*' and jazzy['ros-rclpy'] == '7.1.*'
    assert requirements('') == kilted
    imported = {f'ros-{key.text.replace("_", "-")}' for key in PACKAGE if key.tag == 'exec_depend'}
    for name in kilted.keys() & imported:
        assert name in jazzy and jazzy[name] != kilted[name]


def test_a_wheel_with_machine_code_pins_what_compiled_it():
    plain, shipped = requirements('kilted'), requirements('kilted', HAKONIWA_RIGID_KERNELS='x86-64-v3 x86-64-v4')
    assert {name: found for name, found in shipped.items() if name not in plain} == {
        name: version(name) for name in ('numba', 'llvmlite')}


def test_another_distribution_is_refused():
    done = subprocess.run([sys.executable, 'setup.py', '--version'], cwd=ROOT, capture_output=True, text=True,
                          check=False, env={'HAKONIWA_RIGID_ROS': 'foxy', 'PATH': ''})
    assert done.returncode == 1 and 'must be one of kilted, jazzy' in done.stderr
