"""The contact events of a replay, however many: packed, and in a temporary file where they are more than a few."""
from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from tempfile import SpooledTemporaryFile

from hakoniwa_rigid.codec.contact_event import NAMES, PACKED, ContactEventRecord, Phase, from_numbers, numbers_of

MOST_BYTES = 16 << 20    # in memory; beyond, the file is on disk
# stamp, id, phase, kind, the numbers of the names, the numbers
RECORD = struct.Struct(f'<qQBB{len(NAMES)}I{PACKED}')
FIRST = 4 + len(NAMES)   # of the numbers
AT_ONCE = 4096           # events read at once


class EventLog(Sequence):
    """A sequence of events that can be added to; equal to any sequence of equal events."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(max_size=MOST_BYTES)    # noqa: SIM115 - lives as long as the log
        self._count = 0
        self._names: dict[str, int] = {}

    def add(self, events: Iterable[ContactEventRecord]) -> None:
        """More of them.  OSError where the temporary folder is full."""
        packed = [self._pack(event) for event in events]
        if packed:
            self._file.seek(self._count * RECORD.size)
            self._file.write(b''.join(packed))
            self._count += len(packed)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index):
        if isinstance(index, slice):
            return tuple(self[k] for k in range(*index.indices(self._count)))
        k = range(self._count)[index]
        return next(self._read(k, k + 1))

    def __iter__(self) -> Iterator[ContactEventRecord]:
        for first in range(0, self._count, AT_ONCE):
            yield from self._read(first, min(first + AT_ONCE, self._count))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None

    def begun(self) -> Iterator[ContactEventRecord]:
        """Those that begin a contact."""
        return (event for event in self if event.phase == Phase.BEGIN)

    def _pack(self, e: ContactEventRecord) -> bytes:
        names = (self._names.setdefault(getattr(e, name), len(self._names)) for name in NAMES)
        return RECORD.pack(e.stamp_ns, e.id, e.phase, e.kind, *names, *numbers_of(e))

    def _read(self, first: int, last: int) -> Iterator[ContactEventRecord]:
        self._file.seek(first * RECORD.size)
        data, names = self._file.read((last - first) * RECORD.size), list(self._names)
        for row in RECORD.iter_unpack(data):
            yield from_numbers(row[:4], [names[k] for k in row[4:FIRST]], row[FIRST:])
