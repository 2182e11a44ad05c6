# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The longest stable step of the spring-damper contacts of a world (model `penalty`)."""
import math

import numpy as np

from ..constants import LANES, PENALTY_POINTS, PENALTY_RATE
from ..maths.matrices import principal, product
from ..maths.quat import rotate_rows
from . import layout as L


def stable_step(s, stiffness):
    """Seconds: the step above which symplectic Euler is not stable for PENALTY_POINTS contact points on one body.

    stiffness N/m of a contact point; None: every point has the rate PENALTY_RATE with its own effective mass.  N points
    swing at most at sqrt(N) times the rate of one, and the dampers leave room for h^2 N w^2 <= 2.
    """
    rate = PENALTY_RATE
    if stiffness is not None:
        rate = math.sqrt(stiffness * sum(sorted(compliances(s))[-2:]))
    return math.sqrt(2.0 / PENALTY_POINTS) / rate if rate > 0.0 else math.inf


def compliances(s):
    """1/kg, of each dynamic body: largest velocity that a unit impulse anywhere on its bounding box causes there."""
    lanes = s.block.reshape(-1, L.BLOCK, LANES)
    corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, -1).T
    out = []
    for i in np.flatnonzero(s.body[:, L.B_KIND] == L.DYNAMIC):
        own = lanes[i // LANES, :, i % LANES]
        worst = 0.0
        for g in s.geom[s.body[i, L.B_GEOM]:s.body[i, L.B_GEOMS]]:
            x = g[L.G_X:L.G_X + 3] + rotate_rows(np.tile(g[L.G_Q:L.G_Q + 4], (8, 1)),
                                                  corners * g[L.G_HALF:L.G_HALF + 3])
            worst = max(worst, max(_largest(p, own[L.H_J:L.H_J + 3]) for p in x))
        out.append(own[L.H_IM] + worst)
    return out


def _largest(x, inverse):
    """Largest eigenvalue of -[x]x I^-1 [x]x, with the inverse principal moments (3,)."""
    cross = np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])
    return float(principal(product(cross.T, inverse[:, None] * cross))[0][-1])
