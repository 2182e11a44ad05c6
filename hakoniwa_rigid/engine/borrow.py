"""All arrays of a world without reference counts, for the inside of one call from Python."""
from .detect.convex import Convex
from .maths.borrow import borrowed
from .maths.jit import kernel
from .model.arrays import Arrays


@kernel
def borrow(s):
    """The same arrays, uncounted."""
    c = s.convex
    tables = Convex(borrowed(c.vertex), borrowed(c.face_normal), borrowed(c.topology), borrowed(c.work),
                    borrowed(c.index), borrowed(c.feature))
    return Arrays(borrowed(s.block), borrowed(s.body), borrowed(s.load), borrowed(s.tensor), borrowed(s.geom),
                  borrowed(s.geom_i), borrowed(s.excluded), borrowed(s.anchor), borrowed(s.surface),
                  borrowed(s.curve), borrowed(s.special), borrowed(s.pending), borrowed(s.profile), tables,
                  borrowed(s.bucket), borrowed(s.pairs), borrowed(s.work), borrowed(s.pair_i), borrowed(s.pair_f),
                  borrowed(s.row), borrowed(s.adjacent), borrowed(s.island), borrowed(s.last), borrowed(s.manifold),
                  borrowed(s.clip), borrowed(s.out), borrowed(s.count), borrowed(s.par))
