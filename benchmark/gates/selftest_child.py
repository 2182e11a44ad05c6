# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The parts of `hakoniwa-rigid selftest` in a process that `selftest_matrix` starts: hashes as lines of JSON.

    python benchmark/gates/selftest_child.py BEGINNING [--brief]

First comes a line of what the process runs on, then one of each part: its name, the hash of the first BEGINNING arrays
and events that it gives, and that of all; with --brief it stops after the beginning.  The last part has no hash of all:
tables that become a bag, and the messages that a replay of it gives.  Needs nothing but the package in PYTHONPATH, and
compiles only what the parts call.
"""
import hashlib
import json
import os
import platform
import sys
import tempfile
from itertools import islice
from pathlib import Path

import numba
import numpy as np
import scipy
from numba import config
from numba.core.registry import cpu_target

from hakoniwa_rigid import selftest
from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.csv_import import csv_import
from hakoniwa_rigid.replay.rerun.outcome import Options
from hakoniwa_rigid.replay.rerun.run import replay

# parts that need no minutes as plain Python
BRIEF = ('shapes land', 'a closed room', 'tumbling', 'a smooth floor', 'drones that are corrected')
BAG = 'a replay'
ROWS, RATE = 60, 100
WORLD = """
name: lane
gravity: [0, 0, 0]
materials: {hard: {restitution: 0.5, friction: 0.2}}
models:
  cube:
    mass: 0.5
    inertia: [0.002, 0.002, 0.002]
    shape: {type: box, size: [0.2, 0.2, 0.2]}
    material: hard
walls: [{name: end, type: plane, normal: [-1, 0, 0], offset: -1.0, material: hard}]
drones: [{name: d0, model: cube, position: [0.2, 0, 1]}, {name: d1, model: cube, position: [0.6, 0.05, 1]}]
"""


def facts():
    """What bits could depend on."""
    triple, processor, features = cpu_target.target_context.codegen().magic_tuple()
    on = [word for word in ('avx', 'avx2', 'fma', 'avx512f', 'neon', 'sve') if f'+{word}' in features.split(',')]
    return {'python': platform.python_version(), 'numba': numba.__version__, 'numpy': np.__version__,
            'scipy': scipy.__version__, 'C library': os.confstr('CS_GNU_LIBC_VERSION'), 'machine': platform.machine(),
            'processor': 'not compiled' if config.DISABLE_JIT else ' '.join([processor, *on]), 'triple': triple}


def hashes(part, beginning, brief):
    """(hash of the first items, hash of all or None)."""
    items, sha = part(), hashlib.sha256()
    for data in islice(items, beginning):
        sha.update(data)
    first = sha.hexdigest()[:32]
    if brief:
        return first, None
    for data in items:
        sha.update(data)
    return first, sha.hexdigest()[:32]


def replayed():
    """Messages of a bag and of what its replay gives: a drone flies into another, and on into a wall."""
    with tempfile.TemporaryDirectory() as folder:
        bag, out, world = Path(folder, 'bag'), Path(folder, 'out'), Path(folder, 'lane.yaml')
        world.write_text(WORLD)
        tables = [Path(folder, f'd{k}.csv') for k in range(2)]
        for k, table in enumerate(tables):
            rows = ['t,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz']
            for i in range(ROWS):
                x, speed = ((0.2 + 0.014 * i, 1.4), (0.6 + 0.004 * i, 0.4))[k]
                rows.append(f'{i / RATE},{x:.6f},{0.05 * k},1,0,0,0,1,{speed},0,0,0,0,0')
            table.write_text('\n'.join(rows) + '\n')
        csv_import.run(tables, bag, csv_import.Options())
        replay(Options(bag, out, str(world), inputs=True))
        with Bag(out) as result:
            for message in result.messages():
                yield f'{message.stamp_ns} {message.topic} {message.type}'.encode()
                yield bytes(message.data)


if __name__ == '__main__':
    print(json.dumps(facts()), flush=True)
    brief = '--brief' in sys.argv
    for name in BRIEF if brief else selftest.PARTS:
        print(json.dumps([name, *hashes(selftest.PARTS[name], int(sys.argv[1]), brief)]), flush=True)
    print(json.dumps([BAG, *hashes(replayed, ROWS * RATE, brief=True)]), flush=True)
