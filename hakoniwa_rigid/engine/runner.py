"""The compiled pipeline as it is called from Python."""
from .direct import Direct
from .handle import table_of
from .maths.unit import link
from .step import run_compiled


class Runner:
    """`run_compiled` for the arrays of one world, with all that it calls compiled or loaded."""

    def __init__(self):
        link()
        self._arrays, self._table, self._direct = None, None, Direct(run_compiled)

    def __call__(self, s, n):
        """Up to n steps: steps done, status of the last."""
        if s is not self._arrays:   # arrays that have grown, or were restored, lie elsewhere
            self._arrays, self._table = s, table_of(s)
        return self._direct.call(self._table, n)
