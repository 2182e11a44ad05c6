# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Any two convex shapes, and a convex shape against a half-space: the door to the general narrow phase.

GJK finds the normal of cores that are apart, the expanding polytope that of overlapping ones; `polish` makes it exact;
`clipping` finds the contact points.  All in the frame of a, so that rounding does not grow with the distance from the
world's origin.
"""
import math

from ..maths import quat
from ..maths.jit import kernel
from ..maths.vec3 import add, dot, load3, norm, scale, store3, sub, tangents
from ..model import layout as L
from ..model.convex import CANDIDATE, CANDIDATES, FACET, HURRY, OLD_NORMAL, SIDE, is_polytope, radius_of
from ..shapes.kinds import HALFSPACE, TRIANGLE
from .clipping import L_HEIGHT, L_SIZE, L_SLOPE, PLANE, clip_features, facing_feature, own_points, place
from .epa import grow, start
from .gjk import CURVED, FLAT, ROUGH, gjk
from .manifold import flip, reduce_steadily, reduce_to_four
from .penetration_directions import penetration_directions
from .polish import polish, prefer_face
from .support import at3, pair_support, separation, support, to_b, turned
from .triangle import one_sided
from .witness_points import witness

# Relative width of the bracket on the depth of curved shapes at which it is first polished; and the width (m, and
# relative to the size) at which no other direction can be better by more than that.
FIRST_LOOK = 1e-3
DEPTH_SURE, DEPTH_SURE_RELATIVE = 2e-7, 1e-6
# the same of polytopes, relative to the size, and what rounding adds to that of curved shapes
FLAT_SURE, SURE_ROUNDING = 1e-14, 1e-10
# m: an overlap up to this is found by GJK from nearby, which is several times faster.  The true one is smaller by no
# more than this; rounds, and the gap (relative to the size) to which the cores are moved
# (m: no smaller than LEAST_SIZE)
SHALLOW, SHALLOW_ROUNDS, SHALLOW_GAP, LEAST_SIZE = 5e-8, 4, 1e-7, 1e-9
# relative to the size: an overlap that looks deeper than this at the first try is left to the expanding polytope
DEEP = 1e-3
# m, and relative to the size: contact points whose gap is this much below the least possible one are rounding
BELOW, EXACT_ERROR = 1e-7, 1e-12
# In a hurry, relative to the size: steps by which overlapping cores are moved apart, and how many; overlap beyond which
# the exact answer is sought after all; what a face's normal may be worse by and still be taken; error of the gap
HURRIED_GAP, HURRIED_ROUNDS, HURRIED_DEPTH, HURRIED_FACE, HURRIED_ERROR = 1e-3, 3, 0.02, 1e-4, 1e-3
NONE = (0.0, 0.0, 0.0)
IDENTITY = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@kernel
def _facet_rows(g, facet):
    return g.index[facet, 0], g.index[facet, 1], g.index[facet, 2]


@kernel
def _depth(g, a, b, pose, n, s, size, curved):
    """(n, s) of overlapping cores, s <= 0 up to rounding; the largest of all directions.
    Writes: g.feature, g.index, g.work."""
    rank, across = start(g, a, b, pose)
    if rank < 3:
        # no volume between them: they overlap by nothing, across their common plane
        other = scale(across, -1.0)
        sa, sb = separation(g, a, b, pose, across), separation(g, a, b, pose, other)
        return (across, sa) if sa >= sb else (other, sb)
    sure = min(DEPTH_SURE, DEPTH_SURE_RELATIVE * size) + SURE_ROUNDING * size if curved else FLAT_SURE * size
    first = FIRST_LOOK * size if curved else sure
    s, n, facet, floor, points, facets = grow(g, a, b, pose, 4, 4, size, (s, n), first)
    n, s = polish(g, a, b, pose, n, n, s, _facet_rows(g, facet), floor, size)
    if curved:
        s, n, facet, floor, points, facets = grow(g, a, b, pose, points, facets, size, (s, n), sure)
        thin = scale(at3(g.work, FACET + facet), -1.0)
        n, s = polish(g, a, b, pose, thin, n, s, _facet_rows(g, facet), floor, size)
        if floor - s > 2.0 * sure:
            n, s = penetration_directions(g, a, b, pose, n, s, size)
    return n, s


@kernel
def _simplex_rows(count):
    return 0, (1 if count > 1 else -1), (2 if count > 2 else -1)


@kernel
def _shallow(g, a, b, pose, n, s, curved):
    """(n, s) of cores that overlap by little: moved apart along the best normal known, until GJK finds a better one.
    Writes: g.feature, g.work."""
    for _ in range(SHALLOW_ROUNDS):
        apart = (add(pose[0], scale(n, -s)), pose[1], pose[2], pose[3])
        size = max(norm(apart[0]), LEAST_SIZE)
        apart = (add(apart[0], scale(n, SHALLOW_GAP * size)), pose[1], pose[2], pose[3])
        m, _, upper, count, size = gjk(g, a, b, apart, apart[0], CURVED if curved else FLAT)
        if not upper > 0.0:
            break
        found = separation(g, a, b, pose, m)
        if found < -DEEP * size:
            break
        if curved or found >= -SHALLOW:
            m, found = polish(g, a, b, pose, m, m, found, _simplex_rows(count), 0.0, size)
        better = found > s + SHALLOW
        if found > s:
            n, s = m, found
        if not better or s >= -SHALLOW:
            break
    return n, s


@kernel
def signed_distance(g, a, b, pose):
    """Normal a -> b and signed distance (m) of two cores; pose = (origin of b in a, axes of b in a).
    Writes: g.feature, g.index, g.work."""
    curved = not (is_polytope(a) and is_polytope(b))
    n, s, upper, count, size = gjk(g, a, b, pose, pose[0], CURVED if curved else FLAT)
    if upper > 0.0:
        # curved shapes may overlap by less than GJK's bracket
        n, s = polish(g, a, b, pose, n, n, s, _simplex_rows(count), upper, size)
    else:
        n, s = _shallow(g, a, b, pose, n, s, curved)
    if s < -SHALLOW:
        n, s = _depth(g, a, b, pose, n, s, size, curved)
    return n, s, size


@kernel
def _from_old_normal(g, a, b, pose, old):
    """As gjk, roughly: begun by the unit normal `old`, where there is one.  Cores that it finds to touch, or to overlap
    by little, are left to be moved apart along it.  Writes: g.work."""
    if old == NONE:
        return gjk(g, a, b, pose, pose[0], ROUGH)
    w, _, _ = pair_support(g, a, b, pose, old, 0, 0)
    s, size = dot(w, old), norm(w)
    if -HURRIED_DEPTH * size <= s <= HURRIED_GAP * size:
        return old, s, 0.0, 0, size
    return gjk(g, a, b, pose, old, ROUGH)


@kernel
def _in_a_hurry(g, a, b, pose, old):
    """As signed_distance, to 1e-4 of the size, but for deep overlaps: GJK of the cores where they are, and moved apart.

    old: unit normal (a -> b) near which the true one is looked for, or NONE.
    Faces that all but lie on each other have the normal of one of them.  Writes: g.feature, g.index, g.work."""
    n, s, upper, count, size = _from_old_normal(g, a, b, pose, old)
    for _ in range(HURRIED_ROUNDS if upper == 0.0 else 0):
        if s < -HURRIED_DEPTH * size:
            break
        apart = (add(pose[0], scale(n, HURRIED_GAP * size - s)), pose[1], pose[2], pose[3])
        m, _, upper, count, _ = gjk(g, a, b, apart, n, ROUGH)
        found = separation(g, a, b, pose, m)
        better = found > s + HURRIED_FACE * size
        if found > s:
            n, s = m, found
        if not better or upper == 0.0:
            break
    if s < -HURRIED_DEPTH * size:
        return signed_distance(g, a, b, pose)
    n, s = prefer_face(g, a, b, pose, n, s, _simplex_rows(count), HURRIED_FACE * size)
    return n, s, size


@kernel
def _supports(g, a, b, pose, frame):
    """The support points of both cores, each as (u, v, height) in the frame."""
    n = frame[0]
    m = to_b(pose, n)
    pa, _ = support(g, a, n, 0)
    pb, _ = support(g, b, (-m[0], -m[1], -m[2]), 0)
    pb = add(turned(pose, pb), pose[0])
    return (dot(frame[1], pa), dot(frame[2], pa), dot(n, pa)), (dot(frame[1], pb), dot(frame[2], pb), dot(n, pb))


@kernel
def _sift(g, found, gap, slack):
    """Drop candidates below the least possible gap; returns (how many are left, index of the least).
    Writes: g.work."""
    kept, least = 0, -1
    for k in range(found):
        if g.work[CANDIDATE + k, L.M_GAP] >= gap - slack:
            if kept != k:
                for f in range(L.MANIFOLD):
                    g.work[CANDIDATE + kept, f] = g.work[CANDIDATE + k, f]
            if least < 0 or g.work[CANDIDATE + kept, L.M_GAP] < g.work[CANDIDATE + least, L.M_GAP]:
                least = kept
            kept += 1
    return kept, least


@kernel
def _write(g, m, found, frame, x, axes):
    """Up to four candidates into the manifold, in world.  Writes: g.work, m."""
    for k in range(found):
        for f in range(3):
            g.work[CANDIDATE + k, L.M_N + f] = 1.0 if f == 2 else 0.0
    rows = g.work[CANDIDATE:CANDIDATE + CANDIDATES]
    found = reduce_steadily(rows, found) if g.index[HURRY, 0] == 1 else reduce_to_four(rows, found)
    for k in range(found):
        place(m, k, g.work[CANDIDATE + k], frame, x, axes, g.work[CANDIDATE + k, L.M_GAP])
    return found


@kernel
def _convex(g, m, a, xa, qa, b, xb, qb):
    """Two bounded shapes.  Writes: g.feature, g.index, g.work, m."""
    axes, bx = quat.axes(qa), quat.axes(qb)
    world = (xa, axes[0], axes[1], axes[2])
    pose = (to_b(world, sub(xb, xa)), to_b(world, bx[0]), to_b(world, bx[1]), to_b(world, bx[2]))
    hurry = g.index[HURRY, 0] == 1 and a[0] != TRIANGLE and b[0] != TRIANGLE
    old = to_b(world, load3(g.work[OLD_NORMAL], 0)) if hurry else NONE
    n, s, size = _in_a_hurry(g, a, b, pose, old) if hurry else signed_distance(g, a, b, pose)
    apart, before = s, n
    if a[0] == TRIANGLE or b[0] == TRIANGLE:
        n, s = one_sided(g, a, b, pose, n, s, radius_of(a) + radius_of(b))
        if s == math.inf:
            m[0, L.M_GAP] = apart - radius_of(a) - radius_of(b)
            store3(m[0], L.M_N, turned(world, before))
            return 0
    t1, t2 = tangents(n)
    frame, radii = (n, t1, t2), (radius_of(a), radius_of(b))
    back = to_b(pose, n)
    ka, ca = facing_feature(g, 0, a, n, IDENTITY, frame)
    kb, cb = facing_feature(g, 1, b, (-back[0], -back[1], -back[2]), pose, frame)
    gap, slack = s - radii[0] - radii[1], BELOW + (HURRIED_ERROR if hurry else EXACT_ERROR) * size
    found, least = _sift(g, clip_features(g, (ka, kb), (ca, cb), radii), gap, slack)
    if least < 0 or g.work[CANDIDATE + least, L.M_GAP] > gap + slack:
        pa, pb = _supports(g, a, b, pose, frame)
        found, least = witness(g, (ka, kb), radii, pa, pb, s), 0
    g.work[CANDIDATE + least, L.M_GAP] = gap
    return _write(g, m, found, frame, xa, axes)


@kernel
def _on_halfspace(g, m, a, xa, qa, b, xb, qb):
    """A bounded shape over a half-space: its feature that faces the plane.  Writes: g.work, m."""
    axes = quat.axes(qa)
    world = (xa, axes[0], axes[1], axes[2])
    up = to_b(world, quat.rotate(qb, b[1]))
    n = scale(up, -1.0)
    t1, t2 = tangents(n)
    frame = (n, t1, t2)
    ka, ca = facing_feature(g, 0, a, n, IDENTITY, frame)
    g.work[SIDE + 1, L_SLOPE], g.work[SIDE + 1, L_SLOPE + 1], g.work[SIDE + 1, L_SIZE] = 0.0, 0.0, 0.0
    g.work[SIDE + 1, L_HEIGHT] = dot(to_b(world, sub(xb, xa)), n)
    found = own_points(g, 0, 0, (ka, PLANE), (ca, 0), (radius_of(a), 0.0))
    least = 0
    for k in range(1, found):
        if g.work[CANDIDATE + k, L.M_GAP] < g.work[CANDIDATE + least, L.M_GAP]:
            least = k
    gap = g.work[SIDE + 1, L_HEIGHT] - dot(support(g, a, n, 0)[0], n) - radius_of(a)
    g.work[CANDIDATE + least, L.M_GAP] = gap
    return _write(g, m, found, frame, xa, axes)


@kernel
def _comes_first(a, b):
    """Which of two shapes is taken as the first, whatever order they come in: so that both ways give the same bits."""
    if a[0] != b[0]:
        return a[0] < b[0]
    return (a[1][0], a[1][1], a[1][2], a[2]) <= (b[1][0], b[1][1], b[1][2], b[2])


@kernel
def collide_convex(g, m, a, xa, qa, b, xb, qb):
    """Manifold of two shapes: rows into m (at least 4 x MANIFOLD), normals a -> b, all in world; returns their number.

    That is 1 to 4, or 0 where a neighbour of the triangle is nearer; row 0 has its distance and normal then.

    g: Convex.  a, b: cores (kind, size, first vertex, vertex count), of which at most one is a half-space; xa, qa, xb,
    qb: poses of the shapes' own frames.  The least gap is the signed distance of the shapes.
    Writes: g.feature, g.index, g.work, m."""
    if a[0] == HALFSPACE:
        n = _on_halfspace(g, m, b, xb, qb, a, xa, qa)
        flip(m, n)
        return n
    if b[0] == HALFSPACE:
        return _on_halfspace(g, m, a, xa, qa, b, xb, qb)
    if _comes_first(a, b):
        return _convex(g, m, a, xa, qa, b, xb, qb)
    for f in range(3):
        g.work[OLD_NORMAL, f] = -g.work[OLD_NORMAL, f]
    n = _convex(g, m, b, xb, qb, a, xa, qa)
    flip(m, max(n, 1))
    return n
