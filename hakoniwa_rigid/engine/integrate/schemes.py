"""The seed's integrator, selectable beside the default: semi-implicit Euler with the angular momentum carried over."""
from ..maths import quat
from ..maths.jit import kernel
from ..maths.vec3 import madd


@kernel
def euler_turn(q, w, j, h):
    """Attitude and world rate after h seconds (seed 001 section 4).

    q += h/2 (0, w) q, then w from the angular momentum with the new attitude.
    j: inverse principal moments, zeros for a body that turns at a given rate.
    """
    spin = quat.mul((0.0, w[0], w[1], w[2]), q)
    s = 0.5 * h
    q1 = quat.normalised((q[0] + s * spin[0], q[1] + s * spin[1], q[2] + s * spin[2], q[3] + s * spin[3]))
    if j[0] == 0.0:
        return q1, w
    b = quat.rotate_back(q, w)
    momentum = quat.rotate(q, (b[0] / j[0], b[1] / j[1], b[2] / j[2]))
    c = quat.rotate_back(q1, momentum)
    return q1, quat.rotate(q1, (c[0] * j[0], c[1] * j[1], c[2] * j[2]))


@kernel
def euler_move(x, v, a, h):
    """Position and velocity after h seconds: x advances with the new velocity."""
    v1 = madd(v, a, h)
    return madd(x, v1, h), v1
