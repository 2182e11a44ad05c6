# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""One manifold for what lies on several shapes side by side: rows that a single floor would not have do not act.

A box on a floor of tiles has four points on each of them, at seams several in one place.  Of all rows of one shape
with static ones that share a plane and a surface the same few act that would if the floor were one shape.
"""
import numpy as np

from ..constants import TOUCH
from ..detect.manifold import AS_GOOD
from ..maths.jit import kernel
from ..maths.vec3 import cross, dot, madd, sub
from ..model import layout as L

# squared chord between normals that are one, and m: rows whose gaps or planes differ by more are left alone
SAME_NORMAL, SAME_PLANE = 1e-18, 2.0 * TOUCH
# planes of an island that are put together; the rows of further ones act each for itself
MOST_PLANES = 16


@kernel
def _static_side(s, m):
    """P_A or P_B: where contact pair m has the body that is static and beside others; -1 if nowhere."""
    p = s.pair_i[m]
    for side in range(2):
        body = s.body[p[L.P_A + side]]
        if body.kind == L.STATIC and s.geom_i[p[L.P_GA + side]].neighbour_count > 0:
            return side
    return -1


@kernel
def _same_surface(s, a, b):
    same = True
    for f in range(L.MATERIAL):
        same = same and s.material[a, f] == s.material[b, f]
    return same


@kernel
def _belongs(s, r, first):
    """True if row r lies in the plane of row `first`."""
    n, d = sub(r.normal, first.normal), sub(r.position, first.position)
    return (dot(n, n) <= SAME_NORMAL and abs(dot(d, first.normal)) <= SAME_PLANE
            and abs(r.gap - first.gap) <= SAME_PLANE and r.friction == first.friction)


@kernel
def _gather(s, pairs, i, done, out):
    """Rows of pairs[i:] that lie in one plane with its first row left, into out; returns their number.
    Writes: done, out."""
    p, side, found, lead = s.pair_i[pairs[i]], _static_side(s, pairs[i]), 0, -1
    for k in range(i, len(pairs)):
        q = s.pair_i[pairs[k]]
        if _static_side(s, pairs[k]) != side or q[L.P_GB - side] != p[L.P_GB - side]:
            continue
        if not _same_surface(s, q[L.P_A + side], p[L.P_A + side]):
            continue
        for c in range(q.point_count):
            row = L.POINTS * pairs[k] + c
            if done[L.POINTS * k + c] == 0 and (lead < 0 or _belongs(s, s.row[row], s.row[lead])):
                lead = row if lead < 0 else lead
                done[L.POINTS * k + c], out[found] = 1, row
                found += 1
    return found


@kernel
def _farthest(s, rows, x):
    """Number of the row that is farthest from x; of rows as far the first."""
    far, best = 0, 0.0
    for k in range(len(rows)):
        d = sub(s.row[rows[k]].position, x)
        if dot(d, d) > AS_GOOD * best:
            far, best = k, dot(d, d)
    return far


@kernel
def _leave_four(s, rows):
    """Of rows in one plane the one farthest from their middle, the one farthest from it, and one on either side.
    Writes: s.row."""
    middle = (0.0, 0.0, 0.0)
    for k in range(len(rows)):
        s.row[rows[k]].is_twin = 1.0
        middle = madd(middle, s.row[rows[k]].position, 1.0 / len(rows))
    first = rows[_farthest(s, rows, middle)]
    a, n = s.row[first].position, s.row[first].normal
    second = rows[_farthest(s, rows, a)]
    ab = sub(s.row[second].position, a)
    s.row[first].is_twin = s.row[second].is_twin = 0.0
    for sign in (1.0, -1.0):
        best, most = -1, SAME_PLANE * SAME_PLANE
        for k in range(len(rows)):
            area = sign * dot(cross(ab, sub(s.row[rows[k]].position, a)), n)
            if area > AS_GOOD * most:
                best, most = rows[k], area
        if best >= 0:
            s.row[best].is_twin = 0.0


@kernel
def leave_one_manifold(s, pairs):
    """Of the rows of an island's pairs with static shapes side by side no more act than would on one shape.
    Writes: s.row."""
    count = 0
    for i in range(len(pairs)):
        count += 1 if _static_side(s, pairs[i]) >= 0 else 0
    if count < 2:
        return
    done, out = np.zeros(L.POINTS * len(pairs), np.int64), np.empty(L.POINTS * len(pairs), np.int64)
    planes = 0
    for i in range(len(pairs)):
        if planes == MOST_PLANES:
            break
        left = 0
        for c in range(s.pair_i[pairs[i]].point_count):
            left += 1 - done[L.POINTS * i + c]
        if left > 0 and _static_side(s, pairs[i]) >= 0:
            planes += 1
            found = _gather(s, pairs, i, done, out)
            if found > L.POINTS:
                _leave_four(s, out[:found])
