"""The impulses of a crowd make no kinetic energy: what Newton's e or a warm start would add is scaled away."""
from ..maths.jit import kernel
from ..maths.vec3 import dot, load3, scale, store3, sub
from ..model import layout as at
from .common import apply
from .frame import relative_rate, relative_velocity
from .moments import has_moments, twist


@kernel
def _energy(s, pairs):
    """Work of the impulses (J) if they are scaled by x: (a, b) of a x + b x^2; both in the frame of the movers."""
    a, b = 0.0, 0.0
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        ra, rb = s.work[p[at.P_A]], s.work[p[at.P_B]]
        for c in range(p[at.P_N]):
            r = s.row[at.POINTS * pairs[i] + c]
            j, u0 = load3(r, at.R_J), load3(r, at.R_FIRST)
            a += dot(j, u0)
            b += 0.5 * dot(j, sub(relative_velocity(ra, rb, r, at.W_V1, at.W_W1), u0))
            if has_moments(r):
                turn, w0 = load3(r, at.R_M), load3(r, at.R_SUM)
                a += dot(turn, w0)
                b += 0.5 * dot(turn, sub(relative_rate(ra, rb, r, at.W_W1), w0))
    return a, b


@kernel
def _scale(s, pairs, share):
    """All impulses to a share of what they are."""
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        ra, rb = s.work[p[at.P_A]], s.work[p[at.P_B]]
        for c in range(p[at.P_N]):
            r = s.row[at.POINTS * pairs[i] + c]
            j, turn = load3(r, at.R_J), load3(r, at.R_M)
            apply(ra, rb, r, scale(j, share - 1.0), at.W_V1, at.W_W1)
            store3(r, at.R_J, scale(j, share))
            if has_moments(r):
                twist(ra, rb, r, scale(turn, share - 1.0), at.W_W1)
                store3(r, at.R_M, scale(turn, share))


@kernel
def make_no_energy(s, pairs):
    """Scale the impulses down to the largest share that gives the bodies no kinetic energy.  True if it had to be."""
    a, b = _energy(s, pairs)
    if not a + b > 0.0:
        return False
    share = min(max(-a / b, 0.0), 1.0) if b > 0.0 else 0.0
    _scale(s, pairs, share)
    return True
