# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Handles: kernels see the very arrays of a world through one address, and a table refuses what they would misread."""
import numpy as np
import pytest
from numba import config, njit
from numpy.testing import assert_array_equal

from hakoniwa_rigid.engine import Box, HalfSpace, TriangleMesh, WorldBuilder
from hakoniwa_rigid.engine.model.handle import arrays_at, table_of

PLATE = TriangleMesh([(-1, -1, 0), (1, -1, 0), (0, 1, 0), (0, 0, -1)], [(0, 1, 2), (1, 0, 3), (2, 1, 3), (0, 2, 3)])


def arrays():
    """Of a world whose arrays differ in shape."""
    b = WorldBuilder()
    b.add_body(HalfSpace(), kind='static')
    b.add_body(PLATE, kind='static', pos=(0, 0, -5))
    for k in range(11):
        b.add_body(Box((1, 2, 3)), mass=1.0, pos=(k, 0, 5))
    return b.build()._s


@njit
def _shapes(table, out):
    s = arrays_at(table)
    out[0], out[1] = s.block.shape
    out[2], out[3], out[4] = s.load.shape
    out[5], out[6], out[7] = s.pairs.shape
    out[8], out[9], out[10] = len(s.par), len(s.convex.topology), len(s.convex.vertex)
    out[11] = s.convex.feature.shape[2]


@njit
def _write(table):
    s = arrays_at(table)
    s.load[1, 3, 2] = 7.0
    s.convex.vertex[2, 1] = 8.0
    s.count[4] = 9
    s.par[len(s.par) - 1] = s.geom[2, 0] + len(s.body)


def test_shapes_are_those_of_the_arrays():
    s, out = arrays(), np.zeros(12, np.int64)
    _shapes(table_of(s), out)
    assert_array_equal(out, [*s.block.shape, *s.load.shape, *s.pairs.shape, len(s.par), len(s.convex.topology),
                             len(s.convex.vertex), s.convex.feature.shape[2]])


def test_the_very_arrays_are_written():
    s, before = arrays(), arrays()
    _write(table_of(s))
    before.load[1, 3, 2], before.convex.vertex[2, 1], before.count[4] = 7.0, 8.0, 9
    before.par[-1] = before.geom[2, 0] + 13
    for name in s._fields:
        if name != 'convex':
            assert_array_equal(getattr(s, name), getattr(before, name), err_msg=name)
    assert_array_equal(s.convex.vertex, before.convex.vertex)


@pytest.mark.skipif(config.DISABLE_JIT, reason='no tables there')
@pytest.mark.parametrize('change', [
    lambda s: s._replace(block=np.asfortranarray(s.block)), lambda s: s._replace(load=s.load[:, ::2]),
    lambda s: s._replace(par=s.par.astype(np.float32)), lambda s: s._replace(count=s.count.astype(float)),
    lambda s: s._replace(row=s.row.ravel())])
def test_other_arrays_are_refused(change):
    with pytest.raises(TypeError, match='(block|load|par|count|row): must be a contiguous array of (float64|int64)'):
        table_of(change(arrays()))
