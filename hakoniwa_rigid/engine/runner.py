"""The compiled pipeline as it is called from Python."""
from .direct import Direct
from .maths.unit import link
from .step import run_compiled


def runner():
    """A Direct of `run_compiled`, for the arrays of one world, with all that it calls compiled or loaded."""
    link()
    return Direct(run_compiled)
