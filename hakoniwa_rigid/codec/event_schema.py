# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The schema of an event: a record whose fields are stamp_ns, id, phase and kind, then texts, then numbers, each in the
order of the message of its name."""
from __future__ import annotations

import math
from dataclasses import fields
from enum import IntEnum
from operator import attrgetter
from typing import Any

__all__ = ['EventSchema', 'Vec']

Vec = tuple[float, float, float]
WIDTHS = {'float': 1, 'Vec': 3}


class EventSchema:
    """Of the dataclass `record`; names: its fields that are text; numbers: those that are float64, with how many each
    has; packed: the layout of all numbers, one behind the other."""

    def __init__(self, record: type, phase: type[IntEnum], kind: type[IntEnum]) -> None:
        self.record, self.phase, self.kind = record, phase, kind
        self.names = tuple(f.name for f in fields(record) if f.type == 'str')
        self.numbers = {f.name: WIDTHS[f.type] for f in fields(record) if f.type in WIDTHS}
        self.packed = f'{sum(self.numbers.values())}d'
        self._values, self._texts = attrgetter(*self.numbers), attrgetter(*self.names)

    def numbers_of(self, event) -> list[float]:
        """All numbers of an event, one behind the other."""
        flat: list[float] = []
        for value, width in zip(self._values(event), self.numbers.values(), strict=True):
            if width == 1:
                flat.append(value)
            else:
                flat.extend(value)
        # what is no number is written in one way: sign and payload are the processor's
        return [x if x == x else math.nan for x in flat]

    def from_numbers(self, head: tuple, names: list[str], flat: tuple[float, ...]) -> Any:
        """The event with these numbers; head: stamp, id, phase, kind as plain integers."""
        stamp, key, phase, kind = head
        values, place = [], 0
        for width in self.numbers.values():
            values.append(flat[place] if width == 1 else tuple(flat[place:place + width]))
            place += width
        return self.record(stamp, key, self.phase(phase), self.kind(kind), *names, *values)

    def plain(self, event) -> list:
        """As plain values for JSON: stamp, id, phase, kind, the names, then all numbers."""
        return [event.stamp_ns, event.id, int(event.phase), int(event.kind), *self._texts(event),
                *map(float, self.numbers_of(event))]

    def event_of(self, values: list) -> Any:
        """The event of such values.  ValueError where they are none."""
        count = len(self.names)
        head, names, numbers = values[:4], values[4:4 + count], values[4 + count:]
        kinds = ((head, int), (names, str), (numbers, float))
        if len(numbers) != sum(self.numbers.values()) or not all(isinstance(v, kind) for part, kind in kinds
                                                                 for v in part):
            raise ValueError(f'is no {self.record.__name__}: {len(values)} values')
        return self.from_numbers(tuple(head), names, tuple(numbers))
