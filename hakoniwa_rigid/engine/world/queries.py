# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a user may ask of a World at rest: distances, rays, overlaps, the nearest body.  Checks, then one kernel."""
from typing import NamedTuple

import numpy as np

from ..checks import array, bits, number
from ..constants import MAX_COORDINATE
from ..errors import EngineError
from ..maths.matrices import length
from ..model import layout as L
from ..model.handle import table_of
from ..shapes.kinds import HALFSPACE, MESH


class Distance(NamedTuple):
    """Signed distance (m, negative: depth of overlap), nearest points (3,) m on a and on b, unit normal a -> b; world.

    Of bodies that overlap the points are those that the shortest way out of each other brings together.
    """

    distance: float
    point_a: np.ndarray
    point_b: np.ndarray
    normal: np.ndarray


class Hit(NamedTuple):
    """What a ray enters: body index, part index, distance (m), point (3,) m and outward unit normal (3,), world."""

    body: int
    part: int
    distance: float
    point: np.ndarray
    normal: np.ndarray


def _entries():
    """The compiled entries, imported late: importing the world compiles nothing."""
    from ..maths.unit import link
    from . import query_kernels
    link()
    return query_kernels


def _endless(world, i):
    s = world._s
    return s.geom_i[s.body[i, L.B_GEOM]:s.body[i, L.B_GEOMS], L.GI_TYPE]


def distance(world, a, b, limit=np.inf):
    """Distance of bodies a and b; see World.distance."""
    limit = np.inf if limit == np.inf else number('distance: limit', limit, 0.0)
    if a == b:
        raise EngineError(f'distance: must be of two bodies, got {world.names[a]} twice')
    if all(np.isin(_endless(world, i), (HALFSPACE, MESH)).any() for i in (a, b)):
        raise EngineError(f'distance: {world.names[a]} and {world.names[b]} are both half-spaces or meshes; '
                          'one may be')
    kernels, out = _entries(), np.empty(10)
    kernels.clearance(table_of(world._s), min(a, b), max(a, b), float(limit), out)
    first, second, normal = out[1:4].copy(), out[4:7].copy(), out[7:].copy()
    return Distance(float(out[0]), *((first, second, normal) if a < b else (second, first, -normal)))


def ray_cast(world, origin, direction, longest, mask):
    """First body that a ray enters, or None; see World.ray_cast."""
    origin = array('ray_cast: origin', origin, (3,), limit=MAX_COORDINATE)
    direction = array('ray_cast: direction', direction, (3,))
    largest = np.abs(direction).max()
    if not largest > 0.0:
        raise EngineError(f'ray_cast: direction: must not be zero, got {direction.tolist()}')
    direction = direction / largest     # squares of very small or large components are no numbers
    longest = np.inf if longest == np.inf else number('ray_cast: longest', longest, 0.0)
    mask = bits('ray_cast: mask', mask)
    unit, out = direction / length(direction), np.empty(10)
    table, o, d = table_of(world._s), tuple(origin.tolist()), tuple(unit.tolist())
    g = _entries().first_hit(table, o, d, float(longest), mask, out)
    if g < 0:
        return None
    body, part = world._s.geom_i[g, L.GI_BODY], world._s.geom_i[g, L.GI_PART]
    return Hit(int(body), int(part), float(out[0]), origin + out[0] * unit, out[7:].copy())


def nearest(world, indices, limit):
    """(distance (K,), other (K,)); see World.nearest."""
    limit = number('nearest: limit', limit, 0.0, MAX_COORDINATE, positive=True)
    s, room = world._s, 64 + 8 * world.n
    wanted, gap, other = np.zeros(world.n, np.int64), np.empty(world.n), np.empty(world.n, np.int64)
    wanted[indices] = 1
    kernels = _entries()
    while True:
        own = s._replace(anchor=s.anchor.copy(), ball=s.ball.copy(), cell=s.cell.copy(), bucket=s.bucket.copy(),
                         pairs=np.empty((2, room, 2), np.int64))
        room = kernels.nearest(table_of(own), limit, wanted, gap, other)
        if room <= own.pairs.shape[1]:
            return gap[indices], other[indices]
