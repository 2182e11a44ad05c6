# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What the user may do to impacts that are still being delivered (see solve.profiles)."""
import numpy as np

from . import layout as L


def drop_pending(s, bodies):
    """What running profiles would still give to these bodies (K,) is not given; the other sides get theirs."""
    profile = s.profile[:s.count[L.N_PROFILES]]
    for side, first in ((L.Y_A, L.Y_JA), (L.Y_B, L.Y_JB)):
        profile[np.isin(profile[:, side], bodies), first:first + 6] = 0.0
    s.pending[bodies] = 0.0


def drop_profiles(s, i):
    """Body i takes the rest of its profiles along: nothing more of them reaches any body."""
    n = s.count[L.N_PROFILES]
    kept = s.profile[:n][(s.profile[:n, L.Y_A] != i) & (s.profile[:n, L.Y_B] != i)]
    s.profile[:len(kept)] = kept
    s.count[L.N_PROFILES] = len(kept)
    s.pending[:] = 0.0
