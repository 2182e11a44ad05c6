# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The general narrow phase as the step calls it: a unit of machine code of its own (see maths.unit)."""
from numba import carray, float64, int64, types

from ..maths import quat
from ..maths.checked import BY_ADDRESS
from ..maths.handle import handle_reader
from ..maths.jit import kernel
from ..maths.unit import unit
from ..maths.vec3 import load3, store3
from ..model import layout as L
from ..model.convex import ARGUMENTS, CONVEX, TABLE, TABLE_ROWS
from .pairs_convex import collide_convex

_F, _I = types.CPointer(float64), types.CPointer(int64)
convex_at = handle_reader('convex', CONVEX)


@kernel
def _store(row, core, x, q):
    """A core with its pose, as numbers in a row.  Writes: row."""
    row[0], row[1], row[2] = core[0], core[2], core[3]
    store3(row, 3, core[1])
    store3(row, 6, x)
    row[9], row[10], row[11], row[12] = q[0], q[1], q[2], q[3]


@kernel
def _core(row):
    return int(row[0]), load3(row, 3), int(row[1]), int(row[2])


@unit(int64(_I, _F))
def _collide(table, manifold):
    g = convex_at(carray(table, (TABLE_ROWS, 3)))
    a, b = g.work[ARGUMENTS], g.work[ARGUMENTS + 1]
    return collide_convex(g, carray(manifold, (4, L.MANIFOLD)), _core(a), load3(a, 6), quat.load4(a, 9),
                          _core(b), load3(b, 6), quat.load4(b, 9))


@kernel
def _store_table(g):
    """Address and shape of every array of g, as its handle reads them, into g.index.  Writes: g.index."""
    t = g.index
    t[TABLE, 0], t[TABLE, 1], t[TABLE, 2] = g.vertex.ctypes.data, g.vertex.shape[0], g.vertex.shape[1]
    t[TABLE + 1, 0], t[TABLE + 1, 1] = g.face_normal.ctypes.data, g.face_normal.shape[0]
    t[TABLE + 1, 2], t[TABLE + 2, 0] = g.face_normal.shape[1], g.topology.ctypes.data
    t[TABLE + 2, 1], t[TABLE + 2, 2] = g.topology.shape[0], g.work.ctypes.data
    t[TABLE + 3, 0], t[TABLE + 3, 1], t[TABLE + 3, 2] = g.work.shape[0], g.work.shape[1], t.ctypes.data
    t[TABLE + 4, 0], t[TABLE + 4, 1], t[TABLE + 4, 2] = t.shape[0], t.shape[1], g.feature.ctypes.data
    t[TABLE + 5, 0], t[TABLE + 5, 1], t[TABLE + 5, 2] = g.feature.shape


@kernel
def _by_address(g, m, a, xa, qa, b, xb, qb):
    """As collide_convex.  Writes: g.index, g.work."""
    _store(g.work[ARGUMENTS], a, xa, qa)
    _store(g.work[ARGUMENTS + 1], b, xb, qb)
    _store_table(g)
    return _collide(g.index[TABLE:].ctypes, m.ctypes)


collide_general = _by_address if BY_ADDRESS else collide_convex
