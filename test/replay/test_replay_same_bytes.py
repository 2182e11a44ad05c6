# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The same flight, stored in other ways, gives the same bytes: storage, compression, splits, order of equal stamps."""
from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys

import numpy as np
import pytest
import yaml
from foreign_bags import NS, odom, pose, said, transforms, write

from hakoniwa_rigid.replay.rerun.outcome import Options
from hakoniwa_rigid.replay.rerun.run import replay

START = 50 * NS
WORLD = """
gravity: [0, 0, 0]
models: {cube: {mass: 0.5, inertia: [0.002, 0.002, 0.002], shape: {type: box, size: [0.2, 0.2, 0.2]}}}
walls: [{name: end, type: plane, normal: [-1, 0, 0], offset: -2.0}]
drones:
  - {name: d0, model: cube}
  - {name: d1, model: cube}
  - {name: d2, model: cube}
hands: [{name: right}]
"""
PARAMS = {'drones.d1.source': 'tf', 'drones.d2.source': 'fleet', 'hands.right.type': 'pose_array'}
FLEET = 'hakoniwa_rigid/msg/FleetState'


@pytest.fixture(scope='module')
def world(tmp_path_factory):
    path = tmp_path_factory.mktemp('world') / 'lane.yaml'
    path.write_text(WORLD)
    return path


def instant(k):
    """All that is said at one stamp: d0 runs into d1, which is on /tf, d2 into the wall; a hand strikes d0, stops."""
    t, s = START + k * NS // 50, k / 50
    level = (0, 0, 0, 1)
    return [
        transforms('/tf', t, ('world', 'cart', (0.9, 0, 0.5), level),
                   ('cart', 'd1/base_link', (-0.3 * s, 0, 0.5), level)),
        odom('/d0/odom', t, (0.5 * s, 0, 1), (0.5, 0, 0)),
        said('/fleet/states', t, FLEET, names=['d2'], positions=np.array([1 + 1.4 * s, 4, 1]),
             orientations=np.array([0, 0, 0, 1.0]), linear_velocities=np.array([1.4, 0, 0]),
             angular_velocities=np.zeros(3), flags=np.zeros(0, np.uint8)),
        said('/hands/right', t, 'geometry_msgs/msg/PoseArray', poses=[pose((-1.0 + 2.2 * min(s, 0.52), 0, 1))]),
    ]


def recorded(number=45, chance=None):
    """The messages; equal stamps in the order of a shuffle, where a chance is given."""
    found = []
    for k in range(number):
        said_now = instant(k)
        if chance:
            chance.shuffle(said_now)
        found += said_now
    return found


def run(bag, out, world):
    """The files of OUT, and the result."""
    shutil.rmtree(out, ignore_errors=True)
    result = replay(Options(bag, out, str(world), states='both', values=PARAMS))
    return {p.name: p.read_bytes() for p in out.iterdir()}, result


@pytest.fixture(scope='module')
def truth(world, tmp_path_factory):
    folder = tmp_path_factory.mktemp('truth')
    files, result = run(write(folder / 'flight', recorded()), folder / 'out', world)
    pairs = {(e.body_a, e.body_b) for e in result.events}
    assert pairs >= {('d0', 'd1'), ('d2', 'end'), ('d0', 'right')}    # else there would be little to compare
    assert result.refused == {}
    return files


@pytest.mark.parametrize(('storage', 'version', 'compression'), [
    ('mcap', 8, None), ('sqlite3', 8, None), ('sqlite3', 9, None), ('mcap', 9, 'storage'), ('mcap', 9, 'file'),
    ('sqlite3', 9, 'message'), ('sqlite3', 9, 'file')])
def test_how_it_is_stored(world, truth, tmp_path, storage, version, compression):
    bag = write(tmp_path / 'flight', recorded(), storage, version, compression)
    assert run(bag, tmp_path / 'out', world)[0] == truth


@pytest.mark.parametrize('seed', range(4))
def test_in_which_order_equal_stamps_are_stored(world, truth, tmp_path, seed):
    bag = write(tmp_path / 'flight', recorded(chance=random.Random(seed)), 'sqlite3' if seed % 2 else 'mcap')
    assert run(bag, tmp_path / 'out', world)[0] == truth


@pytest.mark.parametrize('storage', ['mcap', 'sqlite3'])
def test_in_how_many_files(world, truth, tmp_path, storage):
    """Three parts, with a cut between equal stamps, in one folder; metadata.yaml of the first names them all."""
    messages, whole = recorded(), tmp_path / 'flight'
    parts = [messages[:70], messages[70:110], messages[110:]]
    for k, part in enumerate(parts):
        write(tmp_path / f'flight_{k}', part, storage)
    suffix = {'mcap': 'mcap', 'sqlite3': 'db3'}[storage]
    whole.mkdir()
    names = [f'flight_{k}.{suffix}' for k in range(3)]
    for k, name in enumerate(names):
        (tmp_path / f'flight_{k}' / name).rename(whole / name)
    content = yaml.safe_load((tmp_path / 'flight_0' / 'metadata.yaml').read_text())
    info = content['rosbag2_bagfile_information']
    info.update(relative_file_paths=names, message_count=len(messages))
    (whole / 'metadata.yaml').write_text(yaml.safe_dump(content))
    assert run(whole, tmp_path / 'out', world)[0] == truth


def test_with_how_many_threads_and_in_which_process(world, truth, tmp_path):
    write(tmp_path / 'flight', recorded(chance=random.Random(9)))
    (tmp_path / 'p.yaml').write_text(yaml.safe_dump({'/**': {'ros__parameters': PARAMS}}))
    words = ['replay', str(tmp_path / 'flight'), '-o', str(tmp_path / 'out'), '--world', str(world), '--states', 'both',
             '--params', str(tmp_path / 'p.yaml')]
    done = subprocess.run([sys.executable, '-m', 'hakoniwa_rigid.cli', *words], capture_output=True, text=True,
                          env={**os.environ, 'NUMBA_NUM_THREADS': '2', 'PYTHONHASHSEED': '3'}, check=False)
    assert done.returncode == 0, done.stderr
    assert {p.name: p.read_bytes() for p in (tmp_path / 'out').iterdir()} == truth


def test_a_replay_of_the_output_is_the_output(world, truth, tmp_path):
    """OUT holds the inputs as they were; what was made of them is not taken."""
    run(write(tmp_path / 'flight', recorded()), tmp_path / 'once', world)
    assert run(tmp_path / 'once', tmp_path / 'twice', world)[0] == truth
