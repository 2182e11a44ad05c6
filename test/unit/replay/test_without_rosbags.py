# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Where ROS comes from packages, rosbags and trimesh may be missing: all else works, and one sentence names them."""
import subprocess
import sys

import pytest
from bags import flight, written_by_rosbags

HIDE = "import sys\nfor name in ('rosbags', 'trimesh', 'lz4', 'backports.zstd'):\n    sys.modules[name] = None\n"
COMMAND = HIDE + 'from hakoniwa_rigid import cli\nsys.exit(cli.main(sys.argv[1:]))'
NO_ROSBAGS = "rosbags is missing, which knows the types of messages: pip install 'rosbags>=0.11,<0.12'"
NO_TRIMESH = "reading mesh files needs trimesh: pip install 'trimesh>=4.5,<6'"
TABLE = 't,x,y,z,qx,qy,qz,qw\n0,0,0,1,0,0,0,1\n0.1,0,0,1,0,0,0,1\n'


def run(folder, program, *args):
    """Exit code and words of a process that finds neither."""
    done = subprocess.run([sys.executable, '-c', program, *args], cwd=folder, capture_output=True, text=True,
                          timeout=900)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    """With a bag, a table and a mesh."""
    made = tmp_path_factory.mktemp('without')
    written_by_rosbags(made / 'bag', flight(20))
    (made / 'table.csv').write_text(TABLE)
    (made / 'block.stl').write_bytes(bytes(80) + bytes(4))
    return made


@pytest.mark.parametrize(('args', 'code', 'sentence'), [
    (('import', 'table.csv', '-o', 'made'), 1, NO_ROSBAGS),
    (('replay', 'bag', '-o', 'replayed'), 2, NO_ROSBAGS),
    (('mass', 'block.stl'), 1, NO_TRIMESH)])
def test_one_sentence(folder, args, code, sentence):
    found, words = run(folder, COMMAND, *args)
    assert (found, words.count(sentence), 'Traceback' in words) == (code, 1, False), words


def test_a_look_into_a_bag_needs_neither(folder):
    code, words = run(folder, COMMAND, 'inspect', 'bag')
    assert code in (0, 1) and '0 contacts' in words and 'Traceback' not in words, words


def test_worlds_need_neither(folder):
    code, words = run(folder, COMMAND, 'check-world', 'demo_room')
    assert code == 0, words


def test_nodes_need_neither(folder):
    pytest.importorskip('rclpy')
    code, words = run(folder, HIDE + 'from hakoniwa_rigid.ros.collision import collision_node\n'
                      'from hakoniwa_rigid.ros.hands import hand_bridge\n'
                      'from hakoniwa_rigid.ros.simulators import correction_adapter, drone_sim, hover')
    assert code == 0, words


def test_the_viewer_says_what_it_needs(folder):
    pytest.importorskip('rclpy')
    code, words = run(folder, HIDE + 'from hakoniwa_rigid.ros.errors import StartError\n'
                      'from hakoniwa_rigid.ros.viewer.viewer_topics import channels, relayed\n'
                      'try:\n    channels(relayed({}))\nexcept StartError as error:\n    print(error)')
    assert code == 0 and f'the viewer: {NO_ROSBAGS}' in words, words
