# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Manifolds of crowds, kept from step to step as long as two shapes have hardly moved against each other.

Of a heap at rest the narrow phase finds the same points again and again, at half of what a step costs, and where faces
or rims all but lie on each other, others of them in turns: forces are then forgotten, and sweeps begin anew.  A kept
point moves with both bodies, as in the persistent manifolds of Bullet; its gap follows their motion along the normal.

Two halves: what the step before has kept, in the order of contact pairs, and what this one keeps.
"""
import math

from ..maths import quat
from ..maths.jit import kernel
from ..maths.vec3 import add, dot, load3, scale, store3, sub
from ..model import layout as L
from ..shapes.kinds import BOX, HALFSPACE, MESH

# m: way of a point of one shape against the other up to which a manifold is kept.  Larger: edges that come in late are
# found in each other.
KEPT_WAY = 1e-4


@kernel
def begin_cache(s):
    """Contact pairs are about to be found, from the first on.  Writes: s.count."""
    s.count.next_cached = s.count.caching = 0


@kernel
def end_cache(s):
    """What this step has kept is what the next one finds.  Writes: s.count."""
    s.count.cached = s.count.caching


@kernel
def _is_kept(s, m):
    """True for contact pairs whose manifolds are worth it: dear ones, of bodies whose shapes do not change."""
    p = s.pair_i[m]
    ta, tb = s.geom_i[p.shape_a].kind, s.geom_i[p.shape_b].kind
    dear = ta > HALFSPACE or tb > HALFSPACE or ta == tb == BOX
    mesh = ta == MESH or tb == MESH
    driven = s.body[p.body_a].kind == L.KINEMATIC or s.body[p.body_b].kind == L.KINEMATIC
    return dear and not mesh and not driven


@kernel
def _order(c, p):
    """-1, 0, 1: kept manifold c belongs before contact pair p, to it, or after it."""
    for i in range(4):
        key = float(p[L.P_A if i == 0 else L.P_B if i == 1 else L.P_GA if i == 2 else L.P_GB])
        if c[L.X_KEY + i] != key:
            return -1 if c[L.X_KEY + i] < key else 1
    return 0


@kernel
def _turned(qa, qb, c):
    """Angle (rad) by which two bodies have turned against each other since manifold c was found; small ones only."""
    d = quat.mul(quat.conj(c.attitude), quat.mul(quat.conj(qa), qb))
    return 2.0 * math.sqrt(d[1] * d[1] + d[2] * d[2] + d[3] * d[3])


@kernel
def recall(s, m):
    """The manifold of contact pair m that the step before has kept, into the scratch and for the next step, as its
    bodies are now.  Returns the number of its rows, 0 if there is none, or if they have moved by too much.

    Pairs must be asked for in the order of contact pairs.  Writes: s.cache, s.count, s.manifold."""
    p, half, k = s.pair_i[m], s.cache[s.count.steps & 1], s.count.next_cached
    while k < s.count.cached and _order(half[k], p) < 0:
        k += 1
    s.count.next_cached = k
    if k >= s.count.cached or _order(half[k], p) != 0:
        return 0
    c, ra, rb = half[k], s.work[p.body_a], s.work[p.body_b]
    qa, qb, n = ra.attitude, rb.attitude, int(c.point_count)
    extent = min(s.geom[p.shape_a].extent, s.geom[p.shape_b].extent)
    if not _turned(qa, qb, c) * 2.0 * extent <= KEPT_WAY:
        return 0
    for i in range(n):
        x = L.X_POINT + L.X_POINTS * i
        a = add(ra.position, quat.rotate(qa, load3(c, x)))
        b = add(rb.position, quat.rotate(qb, load3(c, x + 3)))
        normal, way, row = quat.rotate(qa, load3(c, x + 6)), sub(b, a), s.manifold[i]
        if not dot(way, way) <= KEPT_WAY * KEPT_WAY:
            return 0
        store3(row, L.M_X, scale(add(a, b), 0.5))
        store3(row, L.M_N, normal)
        row[L.M_GAP], row[L.M_FEATURE] = c[x + 9] + dot(normal, way), c[x + 10]
    if s.count.caching < s.cache.shape[1]:
        s.cache[1 - (s.count.steps & 1), s.count.caching] = c
        s.count.caching += 1
    return n


@kernel
def old_normal(s, m):
    """Normal (world, unit) of the manifold of contact pair m that the step before has kept, turned with its first body;
    zeros if there is none.  To be asked for after `recall`."""
    half, k = s.cache[s.count.steps & 1], s.count.next_cached
    if k >= s.count.cached or _order(half[k], s.pair_i[m]) != 0:
        return 0.0, 0.0, 0.0
    return quat.rotate(s.work[s.pair_i[m].body_a].attitude, load3(half[k], L.X_POINT + 6))


@kernel
def keep(s, m, n):
    """Keep the n rows of the scratch, just found, as the manifold of contact pair m.  Writes: s.cache, s.count."""
    if n > L.POINTS or not _is_kept(s, m) or s.count.caching >= s.cache.shape[1]:
        return      # with pairs that turn out too far apart there may be more than contact pairs
    p, c = s.pair_i[m], s.cache[1 - (s.count.steps & 1), s.count.caching]
    ra, rb = s.work[p.body_a], s.work[p.body_b]
    qa, qb = ra.attitude, rb.attitude
    c[L.X_KEY], c[L.X_KEY + 1], c[L.X_KEY + 2], c[L.X_KEY + 3] = p.body_a, p.body_b, p.shape_a, p.shape_b
    c.point_count = n
    c.attitude = quat.mul(quat.conj(qa), qb)
    for i in range(n):
        x, row = L.X_POINT + L.X_POINTS * i, s.manifold[i]
        store3(c, x, quat.rotate_back(qa, sub(load3(row, L.M_X), ra.position)))
        store3(c, x + 3, quat.rotate_back(qb, sub(load3(row, L.M_X), rb.position)))
        store3(c, x + 6, quat.rotate_back(qa, load3(row, L.M_N)))
        c[x + 9], c[x + 10] = row[L.M_GAP], row[L.M_FEATURE]
    s.count.caching += 1
