# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Waking the islands that sleep (solve/sleep puts them to sleep, docs/adr/0019-sleep.md)."""
from ..constants import LANES
from ..maths.jit import kernel
from ..model import layout as L
from .states import may_fly


@kernel
def wake(s, island, reason):
    """Wake the bodies of a sleeping island; their forces are those of the last step from now on.  Writes: s."""
    s.count[L.N_WOKEN + reason] += 1
    for i in range(len(s.body)):
        if s.body[i].sleeping_island == island:
            s.body[i].sleeping_island, s.body[i].still_since = 0, s.count.steps + 1
            s.block[i // LANES, L.H_FREE * LANES + i % LANES] = 1.0 if may_fly(s, i) else 0.0
            s.count.asleep -= 1
    kept = 0
    for k in range(s.count.rest_rows):
        if s.rest[k, L.Z_ISLAND] != island:
            for f in range(L.REST):
                s.rest[kept, f] = s.rest[k, f]
            kept += 1
        elif s.rest[k, L.Z_KIND] == L.Z_FORCE:
            _put_back(s, s.rest[k])
    s.count.rest_rows = kept


@kernel
def _is_before(a, b):
    """Whether row a of `last` comes before row b: by bodies, shapes, patch."""
    for f in range(5):
        if a[f] != b[f]:
            return a[f] < b[f]
    return False


@kernel
def _put_back(s, row):
    """A force of a sleeping island into `last`, at its place; where there is no room it is forgotten.
    Writes: s.count, s.last."""
    n = s.count.last_forces
    if n == len(s.last):
        return
    given = row[L.Z_ROW:L.Z_ROW + L.LAST]
    while n > 0 and _is_before(given, s.last[n - 1]):
        for f in range(L.LAST):
            s.last[n, f] = s.last[n - 1, f]
        n -= 1
    for f in range(L.LAST):
        s.last[n, f] = given[f]
    s.count.last_forces += 1


@kernel
def wake_all(s, reason):
    """Writes: s."""
    for i in range(len(s.body) if s.count.asleep > 0 else 0):
        if s.body[i].sleeping_island > 0:
            wake(s, s.body[i].sleeping_island, reason)
