# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Islands that wake because a body was enabled or disabled; all others sleep on."""
import numpy as np

from ..constants import LANES
from . import layout as L

# m, beyond the balls around two bodies: what sleeps this near may touch
NEAR = 1e-2


def wake_beside(s, i):
    """Body i was enabled or disabled: the island that it sleeps in wakes with the next step; of a body that does not
    move, all islands that may touch it.  A body that comes in awake wakes what it touches by itself."""
    own, asleep = s.body[i], np.flatnonzero(s.body[:, L.B_SLEEP] > 0)
    if own[L.B_SLEEP] > 0:
        beside = asleep[s.body[asleep, L.B_SLEEP] == own[L.B_SLEEP]]
    elif own[L.B_KIND] != L.DYNAMIC and len(asleep):
        apart = np.sqrt(((_positions(s, asleep) - _positions(s, np.array([i]))) ** 2).sum(axis=1))
        beside = asleep[apart <= s.anchor[asleep, L.A_RADIUS] + s.anchor[i, L.A_RADIUS] + NEAR]
    else:
        return
    # as bodies that were set elsewhere
    s.still[beside, L.E_X] = _positions(s, beside)[:, 0] + 1.0


def _positions(s, bodies):
    """(K, 3) m, centres of mass."""
    return np.stack([s.block[bodies // LANES, f * LANES + bodies % LANES] for f in range(L.H_X, L.H_X + 3)], axis=1)
