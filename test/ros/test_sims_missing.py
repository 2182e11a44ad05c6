# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a preset needs and does not find, and presets that do not exist: the node ends with a sentence that says so."""

from __future__ import annotations

import subprocess
import sys

import foreign_packages
import harness
import pytest
from flock import NODE
from rig import WORLD

from hakoniwa_rigid import scene
from hakoniwa_rigid.paths import share_dir

pytestmark = pytest.mark.ros
PRESETS = {'hakoniwa', 'px4', 'gazebo', 'ardupilot', 'crazyswarm2', 'airsim', 'pegasus', 'aerostack2'}
GZ, SET = 'ros_gz_interfaces', 'simulation_interfaces'
# arguments -> what the sentence has to name, and the package without which it is said
ASKED = {
    'a preset': (('sim:=px4',), ('px4_msgs', 'parameter', 'px4'), 'px4_msgs'),
    'an impulse': (('drones.b.impulse:=true',), ('hako_msgs', 'drones.b.impulse'), 'hako_msgs'),
    'a wrench': (('drones.a.topic_entity_wrench:=/w',), (GZ, 'drones.a.topic_entity_wrench'), GZ),
    'a state': (('drones.a.topic_set_state:=/s',), (SET, 'drones.a.topic_set_state'), SET),
    'contacts': (('publish_contacts:=true',), (GZ, 'publish_contacts'), GZ),
    'no such preset': (('sim:=morse',), ('morse', 'parameter sim', *sorted(PRESETS)), None),
    # it goes on with poses, if they come; that there is no /tf it has to say
    'half a preset': (('sim:=crazyswarm2',), ('tf2_msgs',), 'tf2_msgs'),
}


def decided(process: harness.Process) -> bool:
    """It has ended, or has not and goes on."""
    return not process.alive or 'ready:' in process.output


@pytest.fixture(scope='module')
def said(tmp_path_factory):
    """The nodes' exit codes and outputs, asked all at once, without the foreign packages."""
    path = tmp_path_factory.mktemp('world') / 'world.yaml'
    path.write_text(WORLD)
    scene.warmup()
    with pytest.MonkeyPatch.context() as patch:
        hidden = str(foreign_packages.KEPT)
        patch.setenv('PYTHONPATH', ':'.join(p for p in sys.path if p and not p.startswith(hidden)))
        with harness.bench() as bench:
            running = {
                what: bench.start(NODE, f'world:={path}', *arguments) for what, (arguments, _, _) in ASKED.items()
            }
            bench.until(lambda: all(map(decided, running.values())), 'every node to end or to be ready', harness.START)
            yield {what: (None if p.alive else p.wait(), p.output) for what, p in running.items()}


def installed(package: str) -> bool:
    """In a process of its own: this one may have the generated packages."""
    code = f'import importlib.util, sys; sys.exit(importlib.util.find_spec({package!r}) is None)'
    return subprocess.run([sys.executable, '-c', code], check=False).returncode == 0


@pytest.mark.parametrize('what', ASKED)
def test_the_node_ends_and_names_package_and_parameter(said, what):
    _, words, package = ASKED[what]
    if package and installed(package):
        pytest.skip(f'{package} is installed here')
    code, output = said[what]
    if what != 'half a preset':
        assert code not in (None, 0, -9, -11), output
    for word in words:
        assert word in output, output
    assert 'Traceback' not in output


def test_every_preset_is_a_file_that_a_user_may_copy():
    folder = share_dir() / 'config' / 'sims'
    assert {path.stem for path in folder.glob('*.yaml')} >= PRESETS


def test_nothing_foreign_is_imported_by_itself():
    """A node that is asked for nothing of it does not import one of them, though they are there."""
    code = 'import sys; import hakoniwa_rigid.ros.collision.collision_node; print(*sys.modules)'
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert not {name.split('.')[0] for name in done.stdout.split()} & set(foreign_packages.packages()) - {'tf2_msgs'}
