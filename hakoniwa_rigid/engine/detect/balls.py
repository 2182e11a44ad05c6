# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Balls around shapes, and bounds on how far shapes may travel within a step: what sorts out most pairs of shapes."""
from ..maths import quat
from ..maths.jit import kernel
from ..maths.vec3 import add, dot, norm, sub
from ..model import layout as L
from ..motion.states import attitude, position, rate
from ..shapes.kinds import SPHERE, UNBOUNDED
from .broadphase import distance_to_static


@kernel
def centre(s, g):
    """Centre (m, world) of the ball around shape g."""
    b, x = s.geom_i[g].body, s.geom[g].position
    if x[0] == x[1] == x[2] == 0.0:
        return position(s, b)
    return add(position(s, b), quat.rotate(attitude(s, b), x))


@kernel
def swing(s, g, speed, h):
    """Bound (m) on the travel of the centre of shape g about its body's centre of mass within h seconds; speed (rad/s):
    of its body.

    An impact may turn the body faster than it turns now, by about the speed of the impact at the shape.
    """
    x, b = norm(s.geom[g].position), s.geom_i[g].body
    if x == 0.0 or s.body[b].kind == L.STATIC:
        return 0.0
    return min(speed * x * h + s.anchor[b].reach_when_hit, 2.0 * x)


@kernel
def turning(s, g, h):
    """Bound (m) on the travel of the surface of shape g about the shape's own centre within h seconds; as swing."""
    r, b = s.geom[g].extent, s.geom_i[g].body
    if s.geom_i[g].kind == SPHERE or s.body[b].kind == L.STATIC:
        return 0.0
    return min(norm(rate(s, b)) * r * h + s.anchor[b].reach_when_hit, 2.0 * r)


@kernel
def balls_apart(s, ga, xa, gb, a, b, far):
    """True when the balls around two shapes stay apart for a relative travel `far` (m).  NaN counts as apart.

    xa: centre of the first (m, world)."""
    if s.body[b].kind == L.STATIC:
        return not distance_to_static(s, gb, xa) <= s.geom[ga].extent + far
    if s.body[a].kind == L.STATIC:
        return not distance_to_static(s, ga, centre(s, gb)) <= s.geom[gb].extent + far
    d = sub(centre(s, gb), xa)
    r = s.geom[ga].extent + s.geom[gb].extent + far
    return not dot(d, d) <= r * r


@kernel
def beyond(s, x, r, b, far):
    """True if a ball about x with radius r (m) is clear of the ball around body b for a relative travel `far` (m)."""
    if s.anchor[b].radius >= UNBOUNDED or r >= UNBOUNDED:
        return False
    d, r = sub(x, position(s, b)), r + s.anchor[b].radius + far
    return dot(d, d) > r * r


@kernel
def spin(s, g, b, h):
    """As spin_reach, of shape g of a body b that need not have a work row."""
    r = s.geom[g].radius
    if r >= UNBOUNDED:
        return 0.0
    x = s.geom[g].position
    centred = x[0] == x[1] == x[2] == 0.0 and s.geom_i[g].kind == SPHERE
    return 0.0 if centred else min(norm(rate(s, b)) * r * h, 2.0 * r)


@kernel
def body_spin(s, b, h):
    """As spin, of all shapes of body b."""
    r, first = s.anchor[b].radius, s.body[b].first_shape
    if s.body[b].end_shape - first == 1 or r >= UNBOUNDED:
        return spin(s, first, b, h)
    return min(norm(rate(s, b)) * r * h, 2.0 * r)
