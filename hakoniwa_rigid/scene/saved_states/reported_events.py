# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The events that were reported since a state was saved, in two small files beside it.

A state is as old as the interval at which it is saved; what was reported to subscribers meanwhile must not be reported
once more, or be left without an END.  So events are put down before they are reported, one call of the system a tick.
The files take turns: that of a state's own events is begun when it is taken, the one before it is needed until it is
written.

    generation of the state (uint64, little endian)
    for each tick with events: length and CRC-32 of a text of JSON (uint32 each), and the text

What a process has handed to the system outlives the process; a power cut may cost the last of it.
"""
from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterable
from pathlib import Path

from ...files import read_bytes
from ..records import EventRecord, event_of, plain_event

__all__ = ['ReportedEvents', 'files_of', 'read_reported']

GENERATION, PIECE = struct.Struct('<Q'), struct.Struct('<II')
# of one text, and of a file: what is longer is damaged
MOST_TEXT, MOST_BYTES = 1 << 24, 1 << 30


def files_of(path: Path) -> tuple[Path, Path]:
    """The two files of a state's."""
    return path.with_name(f'{path.name}.events0'), path.with_name(f'{path.name}.events1')


class ReportedEvents:
    """Writes them.  OSError where that fails."""

    def __init__(self, path: Path) -> None:
        """path: of the state."""
        self._files, self._file = files_of(path), -1

    def begin(self, generation: int) -> None:
        """A state was taken: what comes now was reported after it."""
        self.close()
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | getattr(os, 'O_NOFOLLOW', 0)
        self._file = os.open(self._files[generation % 2], flags, 0o600)
        os.write(self._file, GENERATION.pack(generation))

    def add(self, events: Iterable[EventRecord]) -> None:
        """These are going to be reported."""
        text = json.dumps([plain_event(event) for event in events], separators=(',', ':')).encode()
        data = PIECE.pack(len(text), zlib.crc32(text)) + text
        if os.write(self._file, data) != len(data):
            raise OSError(0, 'the disk is full')

    def close(self) -> None:
        """Nothing comes any more."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def read_reported(path: Path, generation: int) -> list[EventRecord]:
    """What was reported after a state of that generation was taken, in order; as far as it can be read."""
    found = []
    for file in files_of(path):
        try:
            data = read_bytes(file, MOST_BYTES)
        except OSError:
            continue
        if len(data) >= GENERATION.size and (number := GENERATION.unpack_from(data)[0]) >= generation:
            found.append((number, data))
    return [event for _, data in sorted(found) for event in _events(data)]


def _events(data: bytes) -> list[EventRecord]:
    """Those of a file up to where it is cut short or damaged."""
    events, place = [], GENERATION.size
    while place + PIECE.size <= len(data):
        size, check = PIECE.unpack_from(data, place)
        place += PIECE.size
        text = data[place:place + size]
        if size > MOST_TEXT or len(text) < size or zlib.crc32(text) != check:
            break
        try:
            events += [event_of(values) for values in json.loads(text)]
        except (ValueError, TypeError, KeyError, RecursionError):
            break
        place += size
    return events
