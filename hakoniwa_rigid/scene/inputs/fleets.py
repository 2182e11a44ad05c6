# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""FleetState and FleetWrench: names to the scene's rows, worked out once for every list of names."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from ...codec.cdr import MOST_LISTS, Fleet
from ..records import MOST_UNKNOWN, OTHERS, Ledger

__all__ = ['STATE_FIELDS', 'WRENCH_FIELDS', 'NameMap', 'read_fleet']

# names of the flat arrays, and numbers per drone
STATE_FIELDS = {'positions': 3, 'orientations': 4, 'linear_velocities': 3, 'angular_velocities': 3}
WRENCH_FIELDS = {'forces': 3, 'torques': 3}


class Rows(NamedTuple):
    """Rows of a flat array that belong to drones, the drones' indices in the scene (K,), and (cause, name) of the
    others, of which `more` are not listed: a list that changes with every message costs no more than a few entries."""

    rows: np.ndarray | slice
    indices: np.ndarray
    refused: tuple[tuple[str, str], ...]
    more: int = 0


class NameMap:
    """Rows of a flat array to indices of the scene, worked out once for every list of names, and anew when drones have
    come or left: `roster()` is another number then."""

    def __init__(self, index: Mapping[str, int], roster: Callable[[], int] = int) -> None:
        self._index, self._count, self._roster = index, roster, roster()
        self._known: dict[int, Rows] = {}

    def read(self, names: tuple[str, ...], key: int) -> Rows:
        """The rows of `names`; equal keys mean equal names."""
        if self._roster != self._count():
            self._roster = self._count()
            self._known.clear()
        if key not in self._known:
            if len(self._known) == MOST_LISTS:
                self._known.clear()
            self._known[key] = self._work_out(names)
        return self._known[key]

    def _work_out(self, names: tuple[str, ...]) -> Rows:
        rows, seen, refused = [], set(), []
        for row, name in enumerate(names):
            if name not in self._index:
                refused.append(('unknown_name', name))
            elif name in seen:
                refused.append(('duplicate_name', name))
            else:
                rows.append(row)
                seen.add(name)
        indices = np.array([self._index[names[row]] for row in rows], dtype=np.int64)
        # a plain slice takes no copy
        listed = tuple(refused[:MOST_UNKNOWN])
        return Rows(slice(None) if not refused else np.array(rows, dtype=np.int64), indices, listed,
                    len(refused) - len(listed))


def read_fleet(names: NameMap, msg: Fleet, what: str, fields: dict[str, int],
               ledger: Ledger) -> tuple[np.ndarray, list[np.ndarray]] | None:
    """Indices of the known drones (K,) and the flat arrays as (K, width); None where an array has not its width per
    name or no drone is known.  Counts that, and names without a drone."""
    for array, (field, width) in zip(msg.arrays, fields.items(), strict=True):
        if len(array) != width * len(msg.names):
            ledger.note('wrong_size', what, f'{field}: {width} x {len(msg.names)} numbers expected, got {len(array)}')
            return None
    found = names.read(msg.names, msg.key)
    for cause, name in found.refused:
        ledger.note(cause, name, what)
    if found.more:
        ledger.note('unknown_name', OTHERS, what, found.more)
    if not len(found.indices):
        return None
    return found.indices, [a.reshape(-1, w)[found.rows] for a, w in zip(msg.arrays, fields.values(), strict=True)]
