# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Contact points from nowhere: samples of the body's surface, and Newton's method from the nearest of them."""
import math

from ..engine.maths.jit import kernel
from ..engine.maths.quat import rotate
from ..engine.maths.vec3 import add, dot, load3, madd, norm, scale, sub
from . import layout as L
from .floor_kernels import floor_shape
from .touch import touch

# all in sizes of the body: samples nearer than this may be near another contact; contacts so far apart are two; so deep
# is overlap, not rounding
NEAR, APART, DEEP = 0.25, 1e-4, 1e-9


@kernel
def _sample(s, floor, t, x, q, i):
    """(point of the body, floor's unit normal there, its distance from the floor to first order)."""
    p = add(x, rotate(q, sub(load3(s.samples[i], 0), load3(s.par, L.P_COM))))
    g, gradient, _ = floor_shape(s.floor, floor, t, p)
    steep = norm(gradient)
    return p, scale(gradient, 1.0 / steep), g / steep


@kernel
def lowest(s, floor, t, x, q):
    """Index of the sample nearest to the floor; s.near has the distances of all.  Writes: s.near."""
    best = 0
    for i in range(len(s.samples)):
        _, _, s.near[i] = _sample(s, floor, t, x, q, i)
        if s.near[i] < s.near[best]:
            best = i
    return best


@kernel
def from_sample(s, floor, body, t, x, q, i):
    """As `touch`, from sample i.  Writes: s.matrix."""
    p, n, gap = _sample(s, floor, t, x, q, i)
    return touch(s, floor, body, t, x, q, madd(p, n, -gap), gap)


@kernel
def _is_lowest_here(s, i):
    least = math.inf
    for j in s.beside[i]:
        least = min(least, s.near[j])
    return least >= s.near[i]


@kernel
def _deepest_along(s, floor, t, x, q):
    """The sample farthest against the floor's normal at the body's centre of mass."""
    _, gradient, _ = floor_shape(s.floor, floor, t, x)
    best, least = 0, math.inf
    for i in range(len(s.samples)):
        height = dot(gradient, rotate(q, load3(s.samples[i], 0)))
        if height < least:
            best, least = i, height
    return best


@kernel
def nearest(s, floor, body, t, x, q, touching):
    """(status, point of the floor, gap m): the least gap, or where `touching` the one nearest to 0.
    Writes: s.matrix, s.near."""
    lowest(s, floor, t, x, q)
    along, level = _deepest_along(s, floor, t, x, q), 0
    for i in range(len(s.samples)):
        if abs(s.near[i]) < abs(s.near[level]):
            level = i
    found, point, gap = L.NO_CONTACT, x, math.inf
    for i in range(len(s.samples)):
        if i != along and not (touching and i == level) and not _is_lowest_here(s, i):
            continue
        status, p, d = from_sample(s, floor, body, t, x, q, i)
        if status == L.OK:
            if found != L.OK or (abs(d) < abs(gap) if touching else d < gap):
                found, point, gap = status, p, d
        elif status == L.TOO_FLAT and found == L.NO_CONTACT:
            found, point, gap = status, p, d
    return found, point, gap


@kernel
def touches_elsewhere(s, floor, body, t, x, q, contact):
    """(whether body and floor meet at another point too, that point, gap m there).  Writes: s.matrix, s.near."""
    size = s.par[L.P_SIZE]
    lowest(s, floor, t, x, q)
    for i in range(len(s.samples)):
        if s.near[i] < -DEEP * size:
            return True, _sample(s, floor, t, x, q, i)[0], s.near[i]
        if s.near[i] > NEAR * size or not _is_lowest_here(s, i):
            continue
        status, point, gap = from_sample(s, floor, body, t, x, q, i)
        if status == L.OK and gap < DEEP * size and norm(sub(point, contact)) > APART * size:
            return True, point, gap
    return False, contact, 0.0
