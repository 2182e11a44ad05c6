# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The compiled pipeline as it is called from Python, on one thread or on several.

What threads share are the two passes in which bodies do not know of each other: the motion bounds that open a step, and
free flight.  A body is treated alike whichever thread has it, so the bits do not depend on how many there are."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ...progress import shown
from ..maths import rounding
from ..maths.checked import CHECKED
from ..maths.direct import Direct
from ..maths.unit import link
from ..model import layout as L
from ..model.handle import table_of
from ..step import bound_some, fly_some, load_step, run_compiled


class Runner:
    """`run_compiled` for the arrays of one world, with all that it calls compiled or loaded."""

    def __init__(self, threads):
        with shown():       # the first time on a machine this compiles
            link()
            load_step()
        self._threads, self._pool = threads, None
        self._arrays, self._table, self._direct = None, None, Direct(run_compiled)

    def __call__(self, s, n, fresh):
        """Up to n steps: steps done, status of the last."""
        rounding.keep()
        if s is not self._arrays:   # arrays that have grown, or were restored, lie elsewhere
            self._arrays, self._table = s, table_of(s)
        if CHECKED and not np.array_equal(self._table, table_of(s)):
            raise IndexError('the table of addresses is not that of the arrays')
        if self._threads == 1:
            return self._direct.call(self._table, n, fresh, L.WHOLE)
        for k in range(n):
            status = self._share_step(s, fresh if k == 0 else 0)
            if status != L.OK:
                return k, status
        return n, L.OK

    def _share_step(self, s, fresh):
        """One step; its status."""
        if s.count[L.N_PROFILES] > 0:      # they come before the motion bounds, and are few
            return self._direct.call(self._table, 1, fresh, L.WHOLE)[1]
        found = np.empty((self._threads, 3))
        self._share(s, bound_some, found)
        s.par[L.F_OVERLOADED], s.par[L.F_STRAYED], s.par[L.F_FAR] = found.max(axis=0)
        _, status = self._direct.call(self._table, 1, fresh, L.BEFORE_FLIGHT)
        if status == L.OK:
            self._share(s, fly_some)
            _, status = self._direct.call(self._table, 1, 0, L.AFTER_FLIGHT)
        return status

    def _share(self, s, entry, out=None):
        """Run an entry on all blocks, a part of them on each thread; row k of `out` is for the results of part k."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads - 1, 'hakoniwa_rigid', rounding.keep)
        ends = [len(s.block) * k // self._threads for k in range(self._threads + 1)]
        parts = [(self._table, ends[k], ends[k + 1], *(() if out is None else (out[k],)))
                 for k in range(self._threads)]
        others = [self._pool.submit(entry, *part) for part in parts[1:]]
        entry(*parts[0])
        for other in others:
            other.result()
