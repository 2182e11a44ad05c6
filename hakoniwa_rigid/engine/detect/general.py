"""The general narrow phase as the step calls it: a unit of machine code of its own (see maths.unit)."""
from numba import carray, config, float64, int64, types

from ..maths import quat
from ..maths.jit import kernel
from ..maths.unit import unit
from ..maths.vec3 import load3, store3
from ..model import layout as at
from .convex import ARGUMENTS, EPA_EDGES, EPA_FACETS, FEATURE, FEATURES, WORK, WORK_ROWS, Convex
from .pairs_convex import collide_convex

# more rows than any table has; the kernels go by counts of their own
MANY = 1 << 40
_F, _I = types.CPointer(float64), types.CPointer(int64)


@kernel
def _store(row, core, x, q):
    """A core with its pose, as numbers in a row."""
    row[0], row[1], row[2] = core[0], core[2], core[3]
    store3(row, 3, core[1])
    store3(row, 6, x)
    row[9], row[10], row[11], row[12] = q[0], q[1], q[2], q[3]


@kernel
def _core(row):
    return int(row[0]), load3(row, 3), int(row[1]), int(row[2])


@unit(int64(_F, _F, _I, _F, _I, _F, _F))
def _collide(vertex, face_normal, topology, work, index, feature, manifold):
    work = carray(work, (WORK_ROWS, WORK))
    g = Convex(carray(vertex, (MANY, 3)), carray(face_normal, (MANY, 3)), carray(topology, (MANY,)), work,
               carray(index, (EPA_FACETS + EPA_EDGES, 3)), carray(feature, (2, FEATURES, FEATURE)))
    a, b = work[ARGUMENTS], work[ARGUMENTS + 1]
    return collide_convex(g, carray(manifold, (4, at.MANIFOLD)), _core(a), load3(a, 6), quat.load4(a, 9),
                          _core(b), load3(b, 6), quat.load4(b, 9))


@kernel
def _by_address(g, m, a, xa, qa, b, xb, qb):
    """As collide_convex."""
    _store(g.work[ARGUMENTS], a, xa, qa)
    _store(g.work[ARGUMENTS + 1], b, xb, qb)
    return _collide(g.vertex.ctypes, g.face_normal.ctypes, g.topology.ctypes, g.work.ctypes, g.index.ctypes,
                    g.feature.ctypes, m.ctypes)


collide_general = collide_convex if config.DISABLE_JIT else _by_address
