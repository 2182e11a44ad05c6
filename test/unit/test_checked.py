# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The debug build (`make test-bounds`) catches what it is for: every kind of fault, made on purpose."""
import json
import os
import subprocess
import sys

import pytest
from numba import config

PROGRAM = """
import json
import numpy as np
from numba import njit
from hakoniwa_rigid.engine import Box, WorldBuilder
from hakoniwa_rigid.engine.constants import LANES
from hakoniwa_rigid.engine.model.handle import arrays_at, table_of
from hakoniwa_rigid.engine.maths import lanes, unit
import hakoniwa_rigid.array_table as addresses

builder = WorldBuilder()
builder.add_body(Box((1, 1, 1)), mass=1.0)
world = builder.build()
table, parts = table_of(world._s), addresses.address_table([np.zeros((2, 3)), np.zeros(4, np.uint8)])
width = world._s.par.shape[0]


@njit
def of_array(a, k):
    return a[k]

@njit
def of_world(table, k):
    return arrays_at(table).par[k]

@njit
def of_block(table, i, j):
    return arrays_at(table).block[i, j]

@njit
def floats(t, k, n):
    return addresses.float_array(t, k, (n, 3))[0, 0]

@njit
def raw(t, k, n):
    return addresses.byte_array(t, k, (n,))[0]

@njit
def copied(t, n):
    addresses.copy_bytes(t, t, 1, n)

@njit
def column(a, start, first):
    lanes.copy_column(a, start, a, first)

@njit
def columns(a, start, b):
    lanes.columns_of_3(a, start, b, 0)

@njit
def rows(a, b, first):
    lanes.rows_of_7(a, 0, b, first)

@njit
def looked(a, start):
    return lanes.any_of_3(a, start), lanes.largest(a, 0)

@njit
def met(a, first):
    return lanes.any_ball_overlaps(a, first, 1, 0.0, 0.0, 0.0, 1.0)

L, H = LANES, lanes.HALF
cases = {     # right, wrong: the first place beyond
    'array': (of_array, (np.zeros(3), 2), (np.zeros(3), 3)),
    'array, below': (of_array, (np.zeros(3), -3), (np.zeros(3), -4)),
    'world': (of_world, (table, width - 1), (table, width)),
    'second axis': (of_block, (table, 0, world._s.block.shape[1] - 1), (table, 0, world._s.block.shape[1])),
    'table, shape': (floats, (parts.addresses, 0, 2), (parts.addresses, 0, 3)),
    'table, too small': (floats, (parts.addresses, 0, 2), (parts.addresses, 0, 1)),
    'table, kind': (raw, (parts.addresses, 1, 4), (parts.addresses, 0, 48)),
    'table, number': (raw, (parts.addresses, 1, 4), (parts.addresses, 2, 4)),
    'bytes': (copied, (parts.addresses, 4), (parts.addresses, 5)),
    'column read': (column, (np.zeros(3 * L), 2 * L, 0), (np.zeros(3 * L), 2 * L + 1, 0)),
    'column written': (column, (np.zeros(3 * L), 0, 2 * L), (np.zeros(3 * L), 0, 2 * L + 1)),
    'rows read': (columns, (np.zeros(3 * L + 1), 1, np.zeros(3 * L)), (np.zeros(3 * L), 1, np.zeros(3 * L))),
    'rows written': (rows, (np.zeros(7 * L), np.zeros(7 * L), 0), (np.zeros(7 * L), np.zeros(7 * L), 1)),
    'looks': (looked, (np.zeros(3 * L), 0), (np.zeros(3 * L), 1)),
    'balls': (met, (np.zeros((4, H)), 0), (np.zeros((4, H)), 1)),
}
found = {}
for name, (function, right, wrong) in cases.items():
    function(*right)
    try:
        function(*wrong)
    except IndexError:
        found[name] = True
    else:
        found[name] = False
print(json.dumps([found, len(unit._waiting)]))
"""


@pytest.mark.skipif(config.DISABLE_JIT, reason='plain Python looks at indices itself')
def test_faults_are_caught():
    env = dict(os.environ, NUMBA_BOUNDSCHECK='1')
    done = subprocess.run([sys.executable, '-c', PROGRAM], env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    found, units = json.loads(done.stdout)
    assert len(found) == 15 and all(found.values()), found
    assert units == 0       # an error could not leave them


STALE = """
import numpy as np
from hakoniwa_rigid.engine.world.runner import Runner
runner = object.__new__(Runner)
from hakoniwa_rigid.engine import Box, WorldBuilder
builder = WorldBuilder()
builder.add_body(Box((1, 1, 1)), mass=1.0)
s = builder.build()._s
from hakoniwa_rigid.engine.model.handle import table_of
runner._arrays, runner._table, runner._threads = s, table_of(s), 1
runner._table[0] += 8
try:
    runner(s, 1, 1)
except IndexError as error:
    print(error)
"""


@pytest.mark.skipif(config.DISABLE_JIT, reason='no tables there')
def test_a_table_of_other_arrays_is_caught():
    env = dict(os.environ, NUMBA_BOUNDSCHECK='1')
    done = subprocess.run([sys.executable, '-c', STALE], env=env, capture_output=True, text=True, timeout=300)
    assert done.stdout == 'the table of addresses is not that of the arrays\n', done.stderr[-2000:]
