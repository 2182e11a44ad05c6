"""Solve an island to convergence: rounds of Gauss-Seidel sweeps and a direct step on the rows they hold active."""
import math

from ..constants import SOLVE_ROUNDS, SOLVE_TOLERANCE, SWEEPS_PER_ROUND
from ..maths.jit import kernel
from ..model import layout as at
from .common import sweep
from .direct import solve_active


# m/s: changes above this are no matter of rounding
CLOSE = 1e-6


@kernel
def _response_scale(s, pairs):
    """Largest velocity (m/s) that one row's impulse causes: what its rounding is relative to."""
    size = 0.0
    for i in range(len(pairs)):
        for c in range(s.pair_i[pairs[i], at.P_N]):
            r = s.row[at.POINTS * pairs[i] + c]
            size = max(size, r[at.R_K] * r[at.R_J])
    return size


@kernel
def solve_island(s, pairs, v, w, tolerance):
    """Until a sweep changes no velocity by more than `tolerance` (m/s).  True if it converged; counts sweeps and failures."""
    single = len(pairs) == 1 and s.pair_i[pairs[0], at.P_N] == 1
    change = math.inf
    for _ in range(SOLVE_ROUNDS):
        for _ in range(SWEEPS_PER_ROUND):
            change = sweep(s, pairs, v, w)
            s.count[at.N_SWEEPS] += 1
            if single or change <= tolerance or (change <= CLOSE and change <= SOLVE_TOLERANCE * _response_scale(s, pairs)):
                return True
        solve_active(s, pairs, v, w)
    s.count[at.N_UNSOLVED] += 1
    s.par[at.F_RESIDUAL] = max(s.par[at.F_RESIDUAL], change)
    return False
