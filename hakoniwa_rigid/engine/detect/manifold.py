# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Rows of the manifold scratch, and the choice of at most four of them."""
import math

from ..maths.jit import kernel
from ..maths.vec3 import cross, dot, load3, madd, store3, sub
from ..model import layout as L

# corners of a manifold are as good where their distances squared or areas differ by less than this; m: depth by which a
# corner must exceed the one next to it to count for more than its place
AS_GOOD, DEEPER = 1.001, 1e-4


@kernel
def put(m, k, point, normal, gap, feature):
    """Writes: m."""
    store3(m[k], L.M_X, point)
    store3(m[k], L.M_N, normal)
    m[k, L.M_GAP] = gap
    m[k, L.M_FEATURE] = feature


@kernel
def flip(m, n):
    """Exchange the roles of a and b.  Writes: m."""
    for k in range(n):
        for f in range(3):
            m[k, L.M_N + f] = -m[k, L.M_N + f]


@kernel
def least_gap(m, n):
    """Index of the row with the smallest gap; the first of equals."""
    best = 0
    for k in range(1, n):
        if m[k, L.M_GAP] < m[best, L.M_GAP]:
            best = k
    return best


@kernel
def swap(m, i, j):
    """Rows i and j of a manifold, the one in the place of the other.  Writes: m."""
    if i != j:
        for f in range(L.MANIFOLD):
            m[i, f], m[j, f] = m[j, f], m[i, f]


@kernel
def reduce_to_four(m, n):
    """Keep the deepest row, the one farthest from it, and the two that span the largest area on either side.

    Rows must lie in one plane (a clipped face).  Returns the number of rows, at most 4.  Writes: m."""
    if n <= 4:
        return n
    swap(m, 0, least_gap(m, n))
    a = load3(m[0], L.M_X)
    far, best = 1, -1.0
    for k in range(1, n):
        d = sub(load3(m[k], L.M_X), a)
        if dot(d, d) > best:
            far, best = k, dot(d, d)
    swap(m, 1, far)
    ab = sub(load3(m[1], L.M_X), a)
    normal = load3(m[0], L.M_N)
    low, high, least, most = 2, 2, 0.0, 0.0
    for k in range(2, n):
        area = dot(cross(ab, sub(load3(m[k], L.M_X), a)), normal)
        if area > most:
            high, most = k, area
        if area < least:
            low, least = k, area
    kept = 2
    if most > 0.0:
        swap(m, kept, high)
        low = high if low == kept else low
        kept += 1
    if least < 0.0:
        swap(m, kept, low)
        kept += 1
    return kept


@kernel
def reduce_steadily(m, n):
    """As reduce_to_four, by places first: depths that come and go by rounding do not choose.

    The corner farthest from the middle and the one farthest from it, and one on either side; of corners that are as
    good the first.  Each that is left takes the place of the one next to it where it is deeper by more than DEEPER.
    Writes: m."""
    if n <= 4:
        return n
    swap(m, 0, _farthest(m, 0, n, _middle(m, n)))
    a = load3(m[0], L.M_X)
    swap(m, 1, _farthest(m, 1, n, a))
    ab, normal = sub(load3(m[1], L.M_X), a), load3(m[0], L.M_N)
    kept = 2
    for sign in (1.0, -1.0):
        best, most = -1, 0.0
        for k in range(kept, n):
            area = sign * dot(cross(ab, sub(load3(m[k], L.M_X), a)), normal)
            if area > AS_GOOD * most:
                best, most = k, area
        if best >= 0:
            swap(m, kept, best)
            kept += 1
    for k in range(kept, n):
        near = _nearest(m, kept, k)
        if m[k, L.M_GAP] < m[near, L.M_GAP] - DEEPER:
            swap(m, near, k)
    return kept


@kernel
def _nearest(m, n, k):
    """Index of the first n rows that is nearest to row k; the first of equals."""
    near, least = 0, math.inf
    for i in range(n):
        d = sub(load3(m[i], L.M_X), load3(m[k], L.M_X))
        if dot(d, d) < least:
            near, least = i, dot(d, d)
    return near


@kernel
def _middle(m, n):
    """Mean of the points of n rows."""
    x = (0.0, 0.0, 0.0)
    for k in range(n):
        x = madd(x, load3(m[k], L.M_X), 1.0 / n)
    return x


@kernel
def _farthest(m, first, n, x):
    """Index of the row from `first` on that is farthest from x; of rows as far the first."""
    far, best = first, 0.0
    for k in range(first, n):
        d = sub(load3(m[k], L.M_X), x)
        if dot(d, d) > AS_GOOD * best:
            far, best = k, dot(d, d)
    return far
