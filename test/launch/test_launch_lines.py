# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Every `ros2 launch` line of README and docs: the file is there, and what the line gives it, it declares."""

import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NO_LAUNCH = 'launch_ros is not on PyPI: this runs where ROS is sourced, or launch and launch_ros are on PYTHONPATH'
PRESETS = {'hakoniwa', 'px4', 'gazebo', 'ardupilot', 'crazyswarm2', 'airsim', 'pegasus', 'aerostack2'}
LINE = re.compile(r'ros2 launch hakoniwa_rigid ([^`\n]*)')


def lines() -> list[tuple[str, str]]:
    """Where each line stands, and what comes behind `ros2 launch hakoniwa_rigid`."""
    pages = [ROOT / 'README.md', *sorted((ROOT / 'docs').rglob('*.md'))]
    return [(page.relative_to(ROOT).as_posix(), found) for page in pages for found in LINE.findall(page.read_text())]


def test_every_preset_has_its_line():
    reported = ' '.join(text for page, text in lines() if page.startswith(('docs/sims', 'docs/simulators/')))
    files = {'px4': 'px4_gazebo.launch.py', 'hakoniwa': 'hakoniwa.launch.py', 'crazyswarm2': 'crazyswarm2.launch.py'}
    for preset in PRESETS:
        assert f'sim:={preset} ' in reported or files.get(preset, '?') in reported, preset


@pytest.mark.parametrize(('page', 'line'), lines())
def test_a_line_can_be_typed(page, line):
    pytest.importorskip('launch_ros', reason=NO_LAUNCH)
    from launch import LaunchContext
    from launch.launch_description_sources import PythonLaunchDescriptionSource

    def arguments(name: str) -> set[str]:
        description = PythonLaunchDescriptionSource(str(ROOT / 'launch' / name)).get_launch_description(LaunchContext())
        return {argument.name for argument in description.get_launch_arguments()}

    name, *given = shlex.split(line, comments=True)
    declared = arguments(name)
    if 'collision.launch.py' in (ROOT / 'launch' / name).read_text():
        # launch hands on what was given to the files that are included
        declared |= arguments('collision.launch.py')
    given = [argument.split(':=', 1)[0] for argument in given if ':=' in argument]
    assert set(given) <= declared, f'{page}: {name} has no {sorted(set(given) - declared)}'


@pytest.mark.parametrize('name', sorted(path.name for path in (ROOT / 'launch').glob('*.launch.py')))
def test_a_launch_file_loads_and_says_what_it_takes(name):
    pytest.importorskip('launch_ros', reason=NO_LAUNCH)
    from launch import LaunchContext
    from launch.launch_description_sources import PythonLaunchDescriptionSource

    description = PythonLaunchDescriptionSource(str(ROOT / 'launch' / name)).get_launch_description(LaunchContext())
    arguments = description.get_launch_arguments()
    assert all(argument.description and argument.default_value is not None for argument in arguments
               if argument.name not in ('bag', 'drones', 'source'))
