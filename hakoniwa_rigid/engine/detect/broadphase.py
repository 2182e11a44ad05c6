"""Candidate shape pairs: a list with a skin, rebuilt only when some body has used up its skin (Verlet's list).

Each shape is bounded by a sphere about its body's centre of mass, so rotation never invalidates the list.  Shapes of
static bodies are tested against the bounding sphere exactly (distance to the box or the plane).
"""
import math

import numpy as np

from ..constants import LANES, SKIN
from ..integrate.blocks import load_lane3, load_lane4
from ..integrate.bodies import force_on
from ..maths import quat
from ..maths.jit import kernel
from ..maths.search import contains, sort_with
from ..maths.vec3 import add, dot, load3, madd, norm, scale, sub
from ..model import layout as at
from .pairs_box import outward


@kernel
def position(s, i):
    return load_lane3(s.block[i // LANES], at.H_X, i % LANES)


@kernel
def attitude(s, i):
    return load_lane4(s.block[i // LANES], at.H_Q, i % LANES)


@kernel
def reach(s, i, h):
    """Bound (m) on the distance that the centre of body i travels in h seconds, whatever way impacts turn it."""
    k = i % LANES
    block = s.block[i // LANES]
    a = scale(force_on(s, i), block[at.H_IM * LANES + k])
    a = madd(a, load3(s.par, at.F_GX), block[at.H_G * LANES + k])
    return norm(load_lane3(block, at.H_V, k)) * h + 0.5 * norm(a) * h * h


@kernel
def list_is_stale(s, h):
    """True when a moving body may leave its skin within this step."""
    for i in range(len(s.body)):
        if s.body[i, at.B_KIND] == at.STATIC:
            continue
        x = position(s, i)
        d = math.sqrt((x[0] - s.anchor[i, 0]) ** 2 + (x[1] - s.anchor[i, 1]) ** 2 + (x[2] - s.anchor[i, 2]) ** 2)
        if not d + reach(s, i, h) <= s.anchor[i, at.A_SKIN]:
            return True
    return False


@kernel
def may_collide(s, ga, gb):
    """Kinds, groups, masks, exclusions.  Shapes of one body never meet."""
    a, b = s.geom_i[ga, at.GI_BODY], s.geom_i[gb, at.GI_BODY]
    if a == b or (s.body[a, at.B_KIND] != at.DYNAMIC and s.body[b, at.B_KIND] != at.DYNAMIC):
        return False
    if s.body[a, at.B_GROUP] & s.body[b, at.B_MASK] == 0 or s.body[b, at.B_GROUP] & s.body[a, at.B_MASK] == 0:
        return False
    if len(s.excluded) == 0:
        return True
    return not contains(s.excluded, min(a, b) * len(s.body) + max(a, b))


@kernel
def distance_to_static(s, g, x):
    """Lower bound (m) on the distance from a point outside to a static shape; not positive inside.

    Exact for half-spaces, boxes and spheres; of a capsule the bounding sphere counts.
    """
    b = s.geom_i[g, at.GI_BODY]
    f = s.geom[g]
    origin = add(position(s, b), quat.rotate(attitude(s, b), load3(f, at.G_X)))
    q = quat.mul(attitude(s, b), quat.load4(f, at.G_Q))
    kind = s.geom_i[g, at.GI_TYPE]
    if kind == at.HALFSPACE:
        return dot(quat.rotate(q, load3(f, at.G_SIZE)), sub(x, origin))
    if kind == at.BOX:
        return norm(outward(quat.rotate_back(q, sub(x, origin)), load3(f, at.G_SIZE)))
    return norm(sub(x, origin)) - f[at.G_EXTENT]


@kernel
def _add_pair(s, n, ga, gb):
    if n < len(s.pairs):
        s.pairs[n, 0], s.pairs[n, 1] = min(ga, gb), max(ga, gb)
    return n + 1


@kernel
def _set_anchors(s, h):
    for i in range(len(s.body)):
        x = position(s, i)
        for f in range(3):
            s.anchor[i, f] = x[f]
        s.anchor[i, at.A_SKIN] = 0.0 if s.body[i, at.B_KIND] == at.STATIC else max(SKIN, 4.0 * reach(s, i, h))


@kernel
def _sweep(s, movers, low):
    """Pairs of moving shapes by a sweep along x; `movers` are sorted by their lower bound `low`."""
    n = 0
    for i in range(len(movers)):
        ga = movers[i]
        a = s.geom_i[ga, at.GI_BODY]
        xa, ra = position(s, a), s.geom[ga, at.G_RADIUS] + s.anchor[a, at.A_SKIN]
        for j in range(i + 1, len(movers)):
            if low[j] > xa[0] + ra:
                break
            gb = movers[j]
            b = s.geom_i[gb, at.GI_BODY]
            d = sub(position(s, b), xa)
            r = ra + s.geom[gb, at.G_RADIUS] + s.anchor[b, at.A_SKIN]
            if dot(d, d) <= r * r and may_collide(s, ga, gb):
                n = _add_pair(s, n, ga, gb)
    return n


@kernel
def _against_static(s, n, movers, fixed):
    for ga in movers:
        a = s.geom_i[ga, at.GI_BODY]
        x, r = position(s, a), s.geom[ga, at.G_RADIUS] + s.anchor[a, at.A_SKIN]
        for gb in fixed:
            if may_collide(s, ga, gb) and distance_to_static(s, gb, x) <= r:
                n = _add_pair(s, n, ga, gb)
    return n


@kernel
def rebuild(s, h):
    """New candidate list, sorted by shape indices.

    Returns the number of pairs wanted; more than fit means: grow, call again.
    """
    _set_anchors(s, h)
    moving, still = 0, 0
    for g in range(len(s.geom_i)):
        if s.body[s.geom_i[g, at.GI_BODY], at.B_KIND] == at.STATIC:
            still += 1
        else:
            moving += 1
    movers, low, fixed = np.empty(moving, np.int64), np.empty(moving), np.empty(still, np.int64)
    moving, still = 0, 0
    for g in range(len(s.geom_i)):
        b = s.geom_i[g, at.GI_BODY]
        if s.body[b, at.B_KIND] == at.STATIC:
            fixed[still] = g
            still += 1
        elif s.body[b, at.B_ENABLED] == 1:
            movers[moving] = g
            low[moving] = position(s, b)[0] - s.geom[g, at.G_RADIUS] - s.anchor[b, at.A_SKIN]
            moving += 1
    movers, low = movers[:moving], low[:moving]
    sort_with(low, movers)
    n = _sweep(s, movers, low)
    n = _against_static(s, n, movers, fixed)
    if n <= len(s.pairs):
        _sort_pairs(s, n)
    s.count[at.N_PAIRS] = min(n, len(s.pairs))
    s.count[at.N_STALE_LIST] = 1 if n > len(s.pairs) else 0
    s.count[at.N_REBUILDS] += 1
    return n


@kernel
def _sort_pairs(s, n):
    g = len(s.geom_i)
    keys = np.empty(n, np.int64)
    for k in range(n):
        keys[k] = s.pairs[k, 0] * g + s.pairs[k, 1]
    sort_with(keys, keys.copy())
    for k in range(n):
        s.pairs[k, 0], s.pairs[k, 1] = keys[k] // g, keys[k] % g
