"""The compiled pipeline as it is called from Python."""
from .direct import Direct
from .maths.unit import link
from .step import run_compiled


class Runner:
    """`run_compiled` for the arrays of one world, with all that it calls compiled or loaded."""

    def __init__(self):
        link()
        self._arrays, self._direct = None, None

    def __call__(self, s, n):
        """Up to n steps: steps done, status of the last."""
        if s is not self._arrays:   # arrays that have grown, or were restored, may be of other types
            self._arrays, self._direct = s, Direct(run_compiled)
        return self._direct.call(s, n)
