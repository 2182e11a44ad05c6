# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The kinetic energy that a contact point takes from its bodies."""

from ..maths.jit import kernel
from ..maths.vec3 import add, dot
from ..model import layout as L
from .frame import has_moments, relative_rate, relative_velocity


@kernel
def energy_lost(ra, rb, r, rate_before):
    """Kinetic energy (J) lost by the impulse and the moment of row r, from its velocity and rate before (m/s, rad/s,
    contact frame) to those of the bodies now: -J.(u + u')/2 - M.(w + w')/2.

    Exact where all that acts meanwhile acts evenly; seen from a body that nothing stops, so that its push counts as no
    loss.  The sum over all rows of an island is what its bodies lose.
    """
    j, u = r.impulse, add(r.velocity_before, relative_velocity(ra, rb, r, L.W_V, L.W_W))
    if has_moments(r):
        m, w = r.moment, add(rate_before, relative_rate(ra, rb, r, L.W_W))
        return 0.5 * (0.0 - dot(j, u) - dot(m, w))
    return 0.5 * (0.0 - dot(j, u))
