# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The contacts of a flight: one row each, from BEGIN to END, and what became of constraints."""
from __future__ import annotations

from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from hakoniwa_rigid.codec.contact_event import Phase
from hakoniwa_rigid.replay.published import Event

# contacts that are kept: of more, those of the largest impulses
MOST_CONTACTS = 5000
# contacts that are open at a time: beyond, the oldest counts as ended
MOST_OPEN = 20_000
MOST_CHANGES = 5000


class Change(NamedTuple):
    """What a constraint event is read for; names and units of ConstraintEventRecord."""

    stamp_ns: int
    phase: int
    name: str
    body_a: str
    body_b: str


class Touches:
    """Fed event by event; ``rows`` and ``changes`` are what is kept of them."""

    def __init__(self) -> None:
        self.count = 0                      # of all contacts, also of those that are not kept
        self._open: dict[tuple, dict[str, Any]] = {}
        self._kept: list[dict[str, Any]] = []
        self._changes: list[Change] = []
        self.lost_changes = 0

    def add(self, event: Event) -> None:
        """One event; impulses of a contact add up until its END, which has their sum."""
        key = event.id, event.body_a, event.body_b, event.part_a, event.part_b
        row = self._open.get(key)
        if row is None or event.phase == Phase.BEGIN:
            row = self._begin(key, event)
        elif event.phase == Phase.PERSIST:
            row['total'] = [a + b for a, b in zip(row['total'], event.impulse, strict=True)]
        if event.phase == Phase.END:
            row['end'], row['total'] = event.stamp_ns, list(event.impulse)
            self._keep(self._open.pop(key))

    def change(self, change: Change) -> None:
        """What happened to a constraint."""
        if len(self._changes) < MOST_CHANGES:
            self._changes.append(change)
        else:
            self.lost_changes += 1

    def _begin(self, key: tuple, event: Event) -> dict[str, Any]:
        if before := self._open.pop(key, None):     # a run that began anew counts its ids anew
            self._keep(before)
        elif len(self._open) >= MOST_OPEN:
            self._keep(self._open.pop(next(iter(self._open))))
        self.count += 1
        self._open[key] = row = {
            'begin': event.stamp_ns, 'end': None, 'kind': event.kind, 'a': event.body_a, 'b': event.body_b,
            'partA': event.part_a, 'partB': event.part_b, 'position': list(event.position),
            'normal': list(event.normal), 'impulse': list(event.impulse), 'total': list(event.impulse)}
        return row

    def _keep(self, row: dict[str, Any]) -> None:
        self._kept.append(row)
        if len(self._kept) >= 2 * MOST_CONTACTS:
            self._kept = strongest(self._kept)

    def rows(self, start_ns: int, end_ns: int) -> list[dict[str, Any]]:
        """Contacts that begin from start_ns to end_ns, in order of time; begin and end in s since start_ns."""
        inside = [row for row in [*self._kept, *self._open.values()] if start_ns <= row['begin'] <= end_ns]
        found = sorted(strongest(inside), key=itemgetter('begin', 'a', 'b', 'partA', 'partB'))
        return [{**row, 'begin': _since(row['begin'], start_ns),
                 'end': None if row['end'] is None else _since(row['end'], start_ns),
                 **{key: _numbers(row[key]) for key in ('position', 'normal', 'impulse', 'total')}} for row in found]

    def changes(self, start_ns: int, end_ns: int) -> list[dict[str, Any]]:
        """What happened to constraints in the same stretch."""
        return [{'at': _since(c.stamp_ns, start_ns), 'phase': c.phase, 'name': c.name, 'a': c.body_a, 'b': c.body_b}
                for c in self._changes if start_ns <= c.stamp_ns <= end_ns]


def strongest(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """At most MOST_CONTACTS of them, those of the largest first impulses."""
    if len(rows) <= MOST_CONTACTS:
        return rows
    strength = np.linalg.norm([row['impulse'] for row in rows], axis=1)
    order = np.argsort(-np.nan_to_num(strength), kind='stable')[:MOST_CONTACTS]
    return [rows[k] for k in sorted(order.tolist())]


def _since(stamp_ns: int, start_ns: int) -> float:
    return round((stamp_ns - start_ns) / 1e9, 6)


def _numbers(values: list[float]) -> list[float]:
    """Six digits, finite: JSON has no other numbers."""
    return [float(f'{x:.6g}') for x in np.nan_to_num(np.asarray(values, dtype=float), posinf=0.0, neginf=0.0).tolist()]
