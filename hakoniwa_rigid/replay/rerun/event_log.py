"""The contact events of a replay, however many: packed, and in a temporary file where they are more than a few."""
from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from tempfile import SpooledTemporaryFile

from hakoniwa_rigid.scene.records import ContactEventRecord, Kind, Phase

MOST_BYTES = 16 << 20    # in memory; beyond, the file is on disk
# stamp, id, phase, kind, the numbers of four names, 32 numbers
RECORD = struct.Struct('<qQBB4I32d')
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
        numbers = (self._names.setdefault(name, len(self._names)) for name in (e.body_a, e.body_b, e.part_a, e.part_b))
        return RECORD.pack(
            e.stamp_ns, e.id, e.phase, e.kind, *numbers, *e.position, *e.normal, e.depth, *e.impulse, e.peak_force,
            e.duration, *e.relative_velocity_before, *e.relative_velocity_after, e.restitution, e.friction,
            *e.delta_v_a, *e.delta_v_b, *e.delta_omega_a, *e.delta_omega_b)

    def _read(self, first: int, last: int) -> Iterator[ContactEventRecord]:
        self._file.seek(first * RECORD.size)
        data, names = self._file.read((last - first) * RECORD.size), list(self._names)
        for stamp, key, phase, kind, *rest in RECORD.iter_unpack(data):
            a, b, part_a, part_b, *n = rest
            yield ContactEventRecord(
                stamp, key, Phase(phase), Kind(kind), names[a], names[b], names[part_a], names[part_b], tuple(n[:3]),
                tuple(n[3:6]), n[6], tuple(n[7:10]), n[10], n[11], tuple(n[12:15]), tuple(n[15:18]), n[18], n[19],
                tuple(n[20:23]), tuple(n[23:26]), tuple(n[26:29]), tuple(n[29:32]))
