"""What the user may do to impacts that are still being delivered (see solve.profiles)."""
import numpy as np

from . import layout as at


def drop_owed(s, bodies):
    """What running profiles would still give to these bodies (K,) is not given; the other sides get theirs."""
    profile = s.profile[:s.count[at.N_PROFILES]]
    for side, first in ((at.Y_A, at.Y_JA), (at.Y_B, at.Y_JB)):
        profile[np.isin(profile[:, side], bodies), first:first + 6] = 0.0
    s.pending[bodies] = 0.0


def drop_profiles(s, i):
    """Body i takes the rest of its profiles along: nothing more of them reaches anybody."""
    n = s.count[at.N_PROFILES]
    kept = s.profile[:n][(s.profile[:n, at.Y_A] != i) & (s.profile[:n, at.Y_B] != i)]
    s.profile[:len(kept)] = kept
    s.count[at.N_PROFILES] = len(kept)
    s.pending[:] = 0.0
