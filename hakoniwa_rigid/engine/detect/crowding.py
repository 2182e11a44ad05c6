"""Who is in a crowd (see solve/crowd)."""
from ..maths.jit import kernel
from ..model import layout as at


@kernel
def in_crowd(s, i):
    """1 where body i is solved with its crowd in this step."""
    return 1 if s.body[i, at.B_CROWD] > s.count[at.N_STEPS] else 0
