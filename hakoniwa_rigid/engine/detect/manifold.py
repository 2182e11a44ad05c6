"""Rows of the manifold scratch, and the choice of at most four of them."""
from ..maths.jit import kernel
from ..maths.vec3 import cross, dot, load3, store3, sub
from ..model import layout as at


@kernel
def put(m, k, point, normal, gap, feature):
    store3(m[k], at.M_X, point)
    store3(m[k], at.M_N, normal)
    m[k, at.M_GAP] = gap
    m[k, at.M_FEATURE] = feature


@kernel
def flip(m, n):
    """Exchange the roles of a and b."""
    for k in range(n):
        for f in range(3):
            m[k, at.M_N + f] = -m[k, at.M_N + f]


@kernel
def least_gap(m, n):
    """Index of the row with the smallest gap; the first of equals."""
    best = 0
    for k in range(1, n):
        if m[k, at.M_GAP] < m[best, at.M_GAP]:
            best = k
    return best


@kernel
def _swap(m, i, j):
    if i != j:
        for f in range(at.MANIFOLD):
            m[i, f], m[j, f] = m[j, f], m[i, f]


@kernel
def reduce_to_four(m, n):
    """Keep the deepest row, the one farthest from it, and the two that span the largest area on either side.

    Rows must lie in one plane (a clipped face).  Returns the number of rows, at most 4.
    """
    if n <= 4:
        return n
    _swap(m, 0, least_gap(m, n))
    a = load3(m[0], at.M_X)
    far, best = 1, -1.0
    for k in range(1, n):
        d = sub(load3(m[k], at.M_X), a)
        if dot(d, d) > best:
            far, best = k, dot(d, d)
    _swap(m, 1, far)
    ab = sub(load3(m[1], at.M_X), a)
    normal = load3(m[0], at.M_N)
    low, high, least, most = 2, 2, 0.0, 0.0
    for k in range(2, n):
        area = dot(cross(ab, sub(load3(m[k], at.M_X), a)), normal)
        if area > most:
            high, most = k, area
        if area < least:
            low, least = k, area
    kept = 2
    if most > 0.0:
        _swap(m, kept, high)
        low = high if low == kept else low
        kept += 1
    if least < 0.0:
        _swap(m, kept, low)
        kept += 1
    return kept
