# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The events of a replay, however many: packed, and in a temporary file where they are more than a few."""
from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from tempfile import SpooledTemporaryFile
from typing import Any

from hakoniwa_rigid.codec.contact_event import CONTACT_EVENT, Phase
from hakoniwa_rigid.codec.event_schema import EventSchema

MOST_BYTES = 16 << 20    # in memory; beyond, the file is on disk
AT_ONCE = 4096           # events read at once


class EventLog(Sequence):
    """A sequence of events that can be added to; equal to any sequence of equal events."""

    def __init__(self, schema: EventSchema = CONTACT_EVENT) -> None:
        self._schema = schema
        # stamp, id, phase, kind, the numbers of the names, the numbers
        self.row = struct.Struct(f'<qQBB{len(schema.names)}I{schema.packed}')
        self._file = SpooledTemporaryFile(max_size=MOST_BYTES)    # noqa: SIM115 - lives as long as the log
        self._count = 0
        self._names: dict[str, int] = {}

    def add(self, events: Iterable[Any]) -> None:
        """More of them.  OSError where the temporary folder is full."""
        packed = [self._pack(event) for event in events]
        if packed:
            self._file.seek(self._count * self.row.size)
            self._file.write(b''.join(packed))
            self._count += len(packed)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index):
        if isinstance(index, slice):
            return tuple(self[k] for k in range(*index.indices(self._count)))
        k = range(self._count)[index]
        return next(self._read(k, k + 1))

    def __iter__(self) -> Iterator[Any]:
        for first in range(0, self._count, AT_ONCE):
            yield from self._read(first, min(first + AT_ONCE, self._count))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None

    def begun(self) -> Iterator[Any]:
        """Those that begin a contact, of contact events."""
        return (event for event in self if event.phase == Phase.BEGIN)

    def _pack(self, e: Any) -> bytes:
        names = (self._names.setdefault(getattr(e, name), len(self._names)) for name in self._schema.names)
        return self.row.pack(e.stamp_ns, e.id, e.phase, e.kind, *names, *self._schema.numbers_of(e))

    def _read(self, first: int, last: int) -> Iterator[Any]:
        self._file.seek(first * self.row.size)
        data, names = self._file.read((last - first) * self.row.size), list(self._names)
        first = 4 + len(self._schema.names)     # of the numbers
        for row in self.row.iter_unpack(data):
            yield self._schema.from_numbers(row[:4], [names[k] for k in row[4:first]], row[first:])
