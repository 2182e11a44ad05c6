# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""How long a new process takes to the end of the first step, with kernels from the cache.

`python -m benchmark.cold_start`.  Ten boxes in a room; the least wall time of several processes: what a user waits for
on a machine that does nothing else.
"""
import json
import os
import subprocess
import sys
import time
from pathlib import Path

PROCESSES = 9
ROOT = Path(__file__).resolve().parents[1]
# in order; what Python itself takes to start is put before them
PARTS = ('import numpy', 'import numba', 'import the engine', 'build the world', 'first step')
CHILD = """
import time
marks = [time.perf_counter()]
import numpy as np
marks.append(time.perf_counter())
import numba
marks.append(time.perf_counter())
from hakoniwa_rigid.engine import Box, HalfSpace, WorldBuilder
marks.append(time.perf_counter())
b = WorldBuilder()
for k in range(3):
    for s in (1.0, -1.0):
        b.add_body(HalfSpace(s * np.eye(3)[k], -5.0), kind='static')
for k in range(10):
    b.add_body(Box((0.5, 0.5, 0.15)), mass=0.71, pos=(0.8 * (k - 4.5), 0.0, 0.0))
w = b.build()
marks.append(time.perf_counter())
w.step()
w.pos, w.quat
marks.append(time.perf_counter())
print([*marks, time.process_time()])
"""


def start():
    """{'': s of the whole process, 'processor': s that it kept a core busy, 'start Python': s, and PARTS: s}."""
    env = dict(os.environ, PYTHONPATH=os.pathsep.join([str(ROOT), os.environ.get('PYTHONPATH', '')]))
    begun = time.perf_counter()
    done = subprocess.run([sys.executable, '-c', CHILD], capture_output=True, text=True, env=env, check=True)
    *marks, busy = json.loads(done.stdout)
    parts = dict(zip(PARTS, (b - a for a, b in zip(marks[:-1], marks[1:], strict=True)), strict=True))
    return {'': marks[-1] - begun, 'processor': busy, 'start Python': marks[0] - begun, **parts}


def cold_start():
    """Of the process that was the fastest until its first step, as `start`; what it is to compile is there already."""
    start()
    return min((start() for _ in range(PROCESSES)), key=lambda found: found[''])


def sentence(found):
    """Two sentences for the page."""
    parts = ', '.join(f'{name} {1e3 * t:.0f}' for name, t in found.items() if name not in ('', 'processor'))
    return (f'From the start of Python to the end of the first step of ten boxes it takes {1e3 * found[""]:.0f} ms '
            f'and {1e3 * found["processor"]:.0f} ms of processor time. The parts in ms: {parts}.')


if __name__ == '__main__':
    print(sentence(cold_start()))
