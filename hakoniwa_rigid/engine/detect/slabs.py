"""Two shapes parted by a slab: the cheapest proof that they do not touch, and most pairs need no other.

The direction is the normal of the least gap when the pair was last looked at closely; of a half-space its own.  A shape
reaches along it no farther than the box around it and no farther than its ball.
"""
from ..maths import quat
from ..maths.jit import kernel
from ..maths.vec3 import add, dot, load3, scale, sub
from ..model import layout as at
from .broadphase import attitude, position


@kernel
def _reach_along(s, g, n):
    """Centre of shape g (m, world), and how far (m) it reaches from there along the unit vector n, at most."""
    b, f = s.geom_i[g, at.GI_BODY], s.geom[g]
    q = attitude(s, b)
    c = add(position(s, b), quat.rotate(q, load3(f, at.G_X)))
    d, half = quat.rotate_back(quat.mul(q, quat.load4(f, at.G_Q)), n), load3(f, at.G_HALF)
    box = abs(d[0]) * half[0] + abs(d[1]) * half[1] + abs(d[2]) * half[2]
    return c, min(box, f[at.G_EXTENT])


@kernel
def _over(s, plane, g):
    """m between half-space `plane` and shape g, at least."""
    b, f = s.geom_i[plane, at.GI_BODY], s.geom[plane]
    q = attitude(s, b)
    n = quat.rotate(quat.mul(q, quat.load4(f, at.G_Q)), load3(f, at.G_SIZE))
    origin = add(position(s, b), quat.rotate(q, load3(f, at.G_X)))
    c, high = _reach_along(s, g, n)
    return dot(n, sub(c, origin)) - high


@kernel
def parted(s, ga, gb, n, travel):
    """True if shapes ga and gb are apart by more than `travel` m along n (unit, a -> b; 0: no direction is known)."""
    ta, tb = s.geom_i[ga, at.GI_TYPE], s.geom_i[gb, at.GI_TYPE]
    if tb == at.HALFSPACE:
        return _over(s, gb, ga) > travel
    if ta == at.HALFSPACE:
        return _over(s, ga, gb) > travel
    if n[0] == n[1] == n[2] == 0.0 or ta == at.MESH or tb == at.MESH:
        return False
    ca, high = _reach_along(s, ga, n)
    cb, low = _reach_along(s, gb, scale(n, -1.0))
    return dot(n, sub(cb, ca)) - high - low > travel
