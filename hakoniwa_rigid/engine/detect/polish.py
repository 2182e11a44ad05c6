# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""From a good normal to an exact one: Newton's iteration on the features that meet.

The signed distance of two convex cores is the maximum over unit normals n (a -> b) of s(n) = -(h_a(n) + h_b(-n)), h
the support functions: apart and overlapping alike.  Near its maximum each core is one of its features, which is an
ellipsoid (possibly flat, or a point) under 0, 1 or 2 conditions on its outward normal m:

corner: a point; edge: a point and edge . m = 0; rim: a flat ellipsoid; side of a cylinder: a rim and axis . m = 0;
side of a cone: its apex and axis . m = sin of its half angle; face: m known; ellipsoid: itself.

Every candidate is judged by its true s(n).  That is a lower bound of the answer, so the larger is the better one, and a
wrong guess of features can do no harm.
"""
import math

from ..maths import elementary
from ..maths.jit import kernel
from ..maths.vec3 import add, cross, dot, load3, norm, scale, store3, sub, tangents
from ..model.convex import F_A, F_C, F_E, F_TIES, F_VALUE, FEATURES, ZERO, faces_around, is_polytope, put
from ..shapes.kinds import BOX, HULL, TRIANGLE
from .curved import COS_NEAR, curved_features
from .support import at3, separation, to_b, triangle_normal, turned, vertex_of

# Newton's iteration: it needs 3 to 5; longest step, rad; the step after one this short is at rounding
ITERATIONS, LONGEST, SHORT = 16, 0.5, 3e-9
# relative to the size of the pair: differences of s below this are rounding
ROUNDING = 1e-15
# sin^2 of the angle below which two conditions count as one; sine of that below which a direction is the axis of a
# circle
PARALLEL, ON_AXIS = 1e-18, 1e-9
# relative to its size: curvature of a maximum is no less than the first, else it becomes the second
LEAST_CURVATURE, CURVATURE = 1e-12, 1e-3


@kernel
def _put_face(rows, k, normal):
    """A face among the first k features, unless it is there.  Writes: rows."""
    for i in range(k):
        if dot(load3(rows[i], F_E), normal) > 1.0 - ROUNDING:
            return k
    if k < FEATURES - 6:
        put(rows[k], 2, ZERO, ZERO, ZERO, ZERO, normal, 0.0)
        k += 1
    return k


@kernel
def _faces(g, core, rows, n, vertex, k):
    """Faces around a vertex that look along n.  Writes: rows."""
    kind, _, first, _ = core
    if kind == BOX:
        for i in range(3):
            if abs(n[i]) > COS_NEAR:
                s = 1.0 if n[i] > 0.0 else -1.0
                k = _put_face(rows, k, (s if i == 0 else 0.0, s if i == 1 else 0.0, s if i == 2 else 0.0))
    elif kind == TRIANGLE:
        normal = triangle_normal(g, first)
        if abs(dot(normal, n)) > COS_NEAR:
            k = _put_face(rows, k, normal if dot(normal, n) > 0.0 else scale(normal, -1.0))
    elif kind == HULL:
        begin, end = faces_around(g, first + vertex)
        for c in range(begin, end):
            normal = at3(g.face_normal, g.topology[c])
            if dot(normal, n) > COS_NEAR:
                k = _put_face(rows, k, normal)
    return k


@kernel
def _polytope_features(g, core, rows, n, ids):
    """Faces, edges and corners made of up to three vertices; equal ids count once.  Writes: rows."""
    k = 0
    for i in range(3):
        if ids[i] >= 0:
            k = _faces(g, core, rows, n, ids[i], k)
    for i in range(3):
        j = (i + 1) % 3
        if ids[i] >= 0 and ids[j] >= 0 and ids[i] != ids[j]:
            p = vertex_of(g, core, ids[i])
            d = sub(vertex_of(g, core, ids[j]), p)
            length = norm(d)
            if length > 0.0:
                put(rows[k], 1, p, ZERO, ZERO, ZERO, scale(d, 1.0 / length), 0.0)
                k += 1
    for i in range(3):
        if ids[i] >= 0 and (i == 0 or ids[i] != ids[0]) and (i < 2 or ids[2] != ids[1]):
            put(rows[k], 0, vertex_of(g, core, ids[i]), ZERO, ZERO, ZERO, ZERO, 0.0)
            k += 1
    return k


@kernel
def _features(g, core, rows, n, ids):
    """Features in the core's frame, faces first, corners last; n: outward.  Writes: rows."""
    if is_polytope(core):
        return _polytope_features(g, core, rows, n, ids)
    return curved_features(core, rows, n)


@kernel
def _to_frame(rows, count, pose):
    """From b's frame to a's.  Writes: rows."""
    for k in range(count):
        row = rows[k]
        store3(row, F_C, add(turned(pose, load3(row, F_C)), pose[0]))
        for f in range(4):
            store3(row, F_A + 3 * f, turned(pose, load3(row, F_A + 3 * f)))


@kernel
def _surface(row, m):
    """Support point of a feature's ellipsoid along m, and what its curvature needs: (half axes . m) and their norm."""
    a1, a2, a3 = load3(row, F_A), load3(row, F_A + 3), load3(row, F_A + 6)
    q = (dot(a1, m), dot(a2, m), dot(a3, m))
    length = norm(q)
    p = load3(row, F_C)
    if length > 0.0:
        p = add(p, scale(a1, q[0] / length))
        p = add(p, scale(a2, q[1] / length))
        p = add(p, scale(a3, q[2] / length))
    return p, q, length


@kernel
def _bend(row, q, length, s, t):
    """Second derivative of the support function along s and t."""
    if not length > 0.0:
        return 0.0
    a1, a2, a3 = load3(row, F_A), load3(row, F_A + 3), load3(row, F_A + 6)
    u, v = (dot(a1, s), dot(a2, s), dot(a3, s)), (dot(a1, t), dot(a2, t), dot(a3, t))
    return (dot(u, v) - dot(q, u) / length * (dot(q, v) / length)) / length


@kernel
def _two_conditions(e, c, f, d, near):
    """Unit n with e . n = c, f . n = d, the one of two on the side of `near`; near itself if there is none."""
    x = cross(e, f)
    xx = dot(x, x)
    if xx < PARALLEL:
        return near
    g = dot(e, f)
    al, be = (c - g * d) / xx, (d - g * c) / xx
    rest = 1.0 - (al * al + be * be + 2.0 * al * be * g)
    if rest < 0.0:
        return near
    ga = math.copysign(math.sqrt(rest / xx), dot(x, near))
    return (al * e[0] + be * f[0] + ga * x[0], al * e[1] + be * f[1] + ga * x[1], al * e[2] + be * f[2] + ga * x[2])


@kernel
def _on_circle(fa, fb, e, c, n):
    """Maximum of s on the circle e . n = c of the sphere, from near n."""
    r = math.sqrt(max(1.0 - c * c, 0.0))
    u = sub(n, scale(e, dot(n, e)))
    length = norm(u)
    if not length > ON_AXIS:
        return n
    u = scale(u, 1.0 / length)
    v = cross(e, u)
    angle, value, trial, step = 0.0, -math.inf, 0.0, 0.0
    for _ in range(2 * ITERATIONS):
        out = add(scale(u, elementary.cos(trial)), scale(v, elementary.sin(trial)))
        n = add(scale(e, c), scale(out, r))
        t = scale(cross(e, out), r)
        pa, qa, la = _surface(fa, n)
        pb, qb, lb = _surface(fb, (-n[0], -n[1], -n[2]))
        w = sub(pb, pa)
        s = dot(w, n)
        if s < value - ROUNDING * norm(w) and abs(step) > SHORT:
            step *= 0.25
            trial = angle + step
            continue
        angle, value = trial, s
        slope, curve = dot(w, t), _bend(fa, qa, la, t, t) + _bend(fb, qb, lb, t, t) + r * dot(w, out)
        step = slope / curve if curve > 0.0 else math.copysign(LONGEST, slope)
        step = min(max(step, -LONGEST), LONGEST)
        trial = angle + step
        if not abs(step) > SHORT:
            break
    out = add(scale(u, elementary.cos(trial)), scale(v, elementary.sin(trial)))
    return add(scale(e, c), scale(out, r))


@kernel
def _uphill(h11, h12, h22, g1, g2):
    """Newton's step of a maximum, minus the Hessian (h11, h12, h22) being made positive where it is not."""
    half, diff = 0.5 * (h11 + h22), 0.5 * (h11 - h22)
    spread = math.sqrt(diff * diff + h12 * h12)
    low = half - spread
    if not low > LEAST_CURVATURE * (abs(half) + spread):
        shift = CURVATURE * (abs(half) + spread) - low
        h11, h22 = h11 + shift, h22 + shift
    det = h11 * h22 - h12 * h12
    if not det > 0.0:
        return g1, g2
    return (h22 * g1 - h12 * g2) / det, (h11 * g2 - h12 * g1) / det


@kernel
def _on_sphere(fa, fb, n):
    """Maximum of s over all unit n, from near n."""
    at, value, trial, x, y = n, -math.inf, n, 0.0, 0.0
    t1, t2 = tangents(n)
    for _ in range(2 * ITERATIONS):
        m = (-trial[0], -trial[1], -trial[2])
        pa, qa, la = _surface(fa, trial)
        pb, qb, lb = _surface(fb, m)
        w = sub(pb, pa)
        s = dot(w, trial)
        if s < value - ROUNDING * norm(w) and x * x + y * y > SHORT * SHORT:
            x, y = 0.25 * x, 0.25 * y
        else:
            at, value = trial, s
            t1, t2 = tangents(at)
            h11 = _bend(fa, qa, la, t1, t1) + _bend(fb, qb, lb, t1, t1) + s
            h12 = _bend(fa, qa, la, t1, t2) + _bend(fb, qb, lb, t1, t2)
            h22 = _bend(fa, qa, la, t2, t2) + _bend(fb, qb, lb, t2, t2) + s
            x, y = _uphill(h11, h12, h22, dot(w, t1), dot(w, t2))
            length = math.sqrt(x * x + y * y)
            if length > LONGEST:
                x, y = x * (LONGEST / length), y * (LONGEST / length)
        trial = add(at, add(scale(t1, x), scale(t2, y)))
        trial = scale(trial, 1.0 / norm(trial))
        if not x * x + y * y > SHORT * SHORT:
            break
    return trial


@kernel
def normal_between(fa, fb, n):
    """Best normal of two features with at most two conditions in all, from near n."""
    ties_a, ties_b = fa[F_TIES], fb[F_TIES]
    if ties_a + ties_b > 1.0:
        n = _two_conditions(load3(fa, F_E), fa[F_VALUE], load3(fb, F_E), -fb[F_VALUE], n)
    elif ties_a > 0.0:
        n = _on_circle(fa, fb, load3(fa, F_E), fa[F_VALUE], n)
    elif ties_b > 0.0:
        n = _on_circle(fa, fb, load3(fb, F_E), -fb[F_VALUE], n)
    else:
        n = _on_sphere(fa, fb, n)
    length = norm(n)
    return scale(n, 1.0 / length) if length > 0.0 else n


@kernel
def _ids(g, rows, column):
    """Vertex ids in up to three rows of g.work, -1 for none."""
    i = int(g.work[rows[0], column]) if rows[0] >= 0 else -1
    j = int(g.work[rows[1], column]) if rows[1] >= 0 else -1
    k = int(g.work[rows[2], column]) if rows[2] >= 0 else -1
    return i, j, k


@kernel
def prefer_face(g, a, b, pose, n, s, rows, slack):
    """The normal of a face near n, if its separation is less than s by no more than `slack` (m); returns (n, s).
    Writes: g.feature."""
    m, normal, best = to_b(pose, n), n, -math.inf
    fa, fb = g.feature[0], g.feature[1]
    na = _features(g, a, fa, n, _ids(g, rows, 3))
    nb = _features(g, b, fb, (-m[0], -m[1], -m[2]), _ids(g, rows, 4))
    _to_frame(fb, nb, pose)
    for side in range(2):
        rows_of = fa if side == 0 else fb
        for i in range(na if side == 0 else nb):
            if rows_of[i, F_TIES] == 2.0:
                trial = scale(load3(rows_of[i], F_E), 1.0 if side == 0 else -1.0)
                found = separation(g, a, b, pose, trial)
                if found > best:
                    normal, best = trial, found
    return (normal, best) if best > s - slack else (n, s)


@kernel
def polish(g, a, b, pose, guess, n, s, rows, ceiling, size):
    """Improve the normal n with separation s by features near the normal `guess`; returns (n, s).

    rows: up to three rows of g.work (or -1), the vertices that were found to matter; ceiling: an upper bound of the
    signed distance at which to stop; size (m) of the pair, for rounding.  Writes: g.feature."""
    m = to_b(pose, guess)
    fa, fb, tiny = g.feature[0], g.feature[1], ROUNDING * size
    na = _features(g, a, fa, guess, _ids(g, rows, 3))
    nb = _features(g, b, fb, (-m[0], -m[1], -m[2]), _ids(g, rows, 4))
    _to_frame(fb, nb, pose)
    # at rounding a face's normal is better than any other: it is known, not found
    for side in range(2):
        rows_of = fa if side == 0 else fb
        for i in range(na if side == 0 else nb):
            if rows_of[i, F_TIES] == 2.0:
                trial = scale(load3(rows_of[i], F_E), 1.0 if side == 0 else -1.0)
                found = separation(g, a, b, pose, trial)
                if found > s - tiny:
                    n, s = trial, found
    for conditions in range(2, -1, -1):
        if conditions < 2 and s >= ceiling - tiny:
            break
        for i in range(na):
            for j in range(nb):
                ta, tb = fa[i, F_TIES], fb[j, F_TIES]
                if ta + tb == conditions and ta < 2.0 and tb < 2.0:
                    trial = normal_between(fa[i], fb[j], guess)
                    found = separation(g, a, b, pose, trial)
                    if found > s + tiny:
                        n, s = trial, found
    return n, s
