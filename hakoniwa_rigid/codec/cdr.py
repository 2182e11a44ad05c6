# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Messages as the bytes that travel (CDR), read and written without building a ROS message.

A ROS Odometry as a Python message costs some 100 us to receive: two covariances of 36 numbers that no input uses. Its
bytes cost 2. Layouts are fixed but for the lengths of the strings, and those hardly ever change: a reader remembers the
bytes of the strings of its last message and compares.

Both byte orders are read, and both alignments of doubles: 8 bytes (XCDR1, what ROS 2 sends) and 4 (XCDR2). Offsets
count from behind the four bytes of the encapsulation. What cannot be read raises CdrError, which says why.
"""

from __future__ import annotations

import struct
import sys
from typing import NamedTuple

import numpy as np

__all__ = [
    'ENCAPSULATION',
    'LETTERS',
    'MOST_LISTS',
    'ODOMETRY',
    'POSE',
    'STAMP_END',
    'TWIST',
    'WRENCH',
    'CdrError',
    'Fleet',
    'FleetReader',
    'Header',
    'Sample',
    'SampleReader',
    'TooLargeError',
]

ENCAPSULATION = 4
# bytes of a frame_id: longer ones are refused
LETTERS = 256
STAMP_END = 12  # the byte behind the stamp
# lists of names that a reader of fleets remembers, as far as their bytes allow
MOST_LISTS = 64
# the two bytes that name the representation: byte order and alignment of doubles
REPRESENTATIONS = {b'\0\0': ('>', 8), b'\0\1': ('<', 8), b'\0\6': ('>', 4), b'\0\7': ('<', 4)}
# how many strings follow the stamp (frame_id first), and the doubles behind them; 288x: a covariance, not of interest
ODOMETRY = (2, '7d288x6d288x')
POSE = (1, '7d')
TWIST = WRENCH = (1, '6d')


class CdrError(ValueError):
    """Bytes that are no such message; the text says what is wrong with them."""


class TooLargeError(CdrError):
    """More than is taken of any source (scene/inputs/limits.py)."""


# no limit: of what this package wrote itself
UNLIMITED = sys.maxsize


class Stamp(NamedTuple):
    """builtin_interfaces/Time."""

    sec: int
    nanosec: int


class Header(NamedTuple):
    """std_msgs/Header."""

    stamp: Stamp
    frame_id: str


class Sample(NamedTuple):
    """A stamped message of doubles: `values` in the order of the message, child_frame_id empty where it has none."""

    header: Header
    child_frame_id: str
    values: tuple[float, ...]


# what the constructors of named tuples do, at a third of their cost: this runs for every message of every drone
new = tuple.__new__


class Fleet(NamedTuple):
    """A FleetState or FleetWrench: one flat float64 array (views of the bytes) per field, which begins at a byte of
    `data`. Equal `key`s of a reader mean equal names."""

    header: Header
    names: tuple[str, ...]
    key: int
    arrays: tuple[np.ndarray, ...]
    begins: tuple[int, ...] = ()
    data: bytes = b''


class _Cursor:
    """A place in the bytes of a message, moved by what is read."""

    def __init__(self, data: bytes, offset: int, order: str, alignment: int) -> None:
        self.data, self.offset, self.order, self.alignment = data, offset, order, alignment

    def count(self, width: int, what: str) -> int:
        """The length of a sequence of items of at least `width` bytes each, which must fit into what is left."""
        self.offset += -(self.offset - ENCAPSULATION) % 4
        if self.offset + 4 > len(self.data):
            raise CdrError(f'{what}: cut off at byte {len(self.data)}')
        (number,) = struct.unpack_from(self.order + 'I', self.data, self.offset)
        self.offset += 4
        if number * width > len(self.data) - self.offset:
            raise CdrError(f'{what}: {number} items announced, {len(self.data) - self.offset} bytes left')
        return number

    def text(self, what: str, most: int = LETTERS) -> str:
        """A string of at most so many bytes."""
        size = self.count(1, what)
        if size > most + 1:
            raise TooLargeError(f'{what}: {size - 1} bytes, at most {most} are taken')
        raw = self.data[self.offset : self.offset + size]
        self.offset += size
        # an empty string has a length of 1, the zero at its end; some writers send 0
        if size and raw[-1]:
            raise CdrError(f'{what}: no zero at its end')
        try:
            return raw[:-1].decode()
        except UnicodeDecodeError as error:
            raise CdrError(f'{what}: {error}') from error

    def doubles(self, what: str) -> np.ndarray:
        """A float64[] as an array over the bytes."""
        number = self.count(8, what)
        if not number:
            return np.zeros(0)
        self.align()
        if self.offset + 8 * number > len(self.data):
            raise CdrError(f'{what}: cut off at byte {len(self.data)}')
        values = np.frombuffer(self.data, self.order + 'f8', number, self.offset)
        self.offset += 8 * number
        return values

    def align(self) -> None:
        """To where a double may begin."""
        self.offset += -(self.offset - ENCAPSULATION) % self.alignment


def _representation(data: bytes) -> tuple[str, int]:
    """Byte order and alignment of a message with a whole stamp."""
    if len(data) < ENCAPSULATION + 8:
        raise CdrError(f'{len(data)} bytes, too short for a header')
    known = REPRESENTATIONS.get(bytes(data[:2]))
    if known is None:
        raise CdrError(f'representation 0x{data[:2].hex()} is not plain CDR')
    return known


class SampleReader:
    """Reads one of the layouts above; use one reader per source, it remembers the strings of its last message."""

    def __init__(self, layout: tuple[int, str]) -> None:
        self._strings, self._block = layout
        self._head = self._texts = None  # the representation and the strings' bytes; None: no message yet
        self._end = 0
        self._all = struct.Struct('')  # from the stamp to the last double
        self.first_double = 0  # the byte where it begins
        self._frame_id = self._child = ''

    @property
    def end_of_texts(self) -> int:
        """The byte behind the strings of the last message."""
        return self._end

    @property
    def size(self) -> int:
        """Bytes that a message with the strings of the last one has, at least."""
        return ENCAPSULATION + self._all.size

    def read(self, data: bytes) -> Sample:
        """The message of these bytes. Raises CdrError."""
        if data[:2] != self._head or data[12 : self._end] != self._texts:
            self._learn(data)
        try:
            numbers = self._all.unpack_from(data, ENCAPSULATION)
        except struct.error:
            raise CdrError(f'{len(data)} bytes, {self.size} expected') from None
        header = new(Header, (new(Stamp, numbers[:2]), self._frame_id))
        return new(Sample, (header, self._child, numbers[2:]))

    def _learn(self, data: bytes) -> None:
        self._head = None  # what is wrong in the middle must not be half remembered
        order, alignment = _representation(data)
        cursor = _Cursor(data, ENCAPSULATION + 8, order, alignment)
        texts = [cursor.text(what) for what in ('frame_id', 'child_frame_id')[: self._strings]]
        self._end, self._texts = cursor.offset, data[12 : cursor.offset]
        cursor.align()
        self.first_double = cursor.offset
        skipped = cursor.offset - ENCAPSULATION - 8
        self._all = struct.Struct(f'{order}iI{skipped}x{self._block}')
        self._frame_id, self._child = (*texts, '')[:2]
        self._head = data[:2]


class FleetReader:
    """Reads FleetState (4 arrays, flags behind them ignored) or FleetWrench (2); one reader per topic.

    Names are decoded when they are new. Those of the last MOST_LISTS different lists are known by their bytes: a large
    fleet may come in parts, and over several publishers. most_names, most_letters: of a list, and bytes of a name;
    most_kept: bytes of lists that are remembered, the newest always is.
    """

    def __init__(self, fields: tuple[str, ...], most_names: int = UNLIMITED, most_letters: int = UNLIMITED,
                 most_kept: int = UNLIMITED) -> None:
        self._fields = fields
        self._most_names, self._most_letters, self._most_kept = most_names, most_letters, most_kept
        self._kept = 0  # bytes
        self._lists: dict[tuple[str, bytes], tuple[tuple[str, ...], int]] = {}  # byte order, bytes: names, key
        self._keys = 0

    def read(self, data: bytes) -> Fleet:
        """The message of these bytes. Raises CdrError."""
        order, alignment = _representation(data)
        stamp = Stamp(*struct.unpack_from(order + 'iI', data, ENCAPSULATION))
        cursor = _Cursor(data, ENCAPSULATION + 8, order, alignment)
        header = Header(stamp, cursor.text('frame_id'))
        names, key = self._names(cursor)
        arrays, begins = [], []
        for field in self._fields:
            arrays.append(cursor.doubles(field))
            begins.append(cursor.offset - arrays[-1].nbytes)
        return Fleet(header, names, key, tuple(arrays), tuple(begins), data)

    def _names(self, cursor: _Cursor) -> tuple[tuple[str, ...], int]:
        cursor.offset += -(cursor.offset - ENCAPSULATION) % 4
        for (order, known), found in self._lists.items():
            if order == cursor.order and cursor.data.startswith(known, cursor.offset):
                cursor.offset += len(known)
                return found
        begin = cursor.offset
        count = cursor.count(4, 'names')
        if count > self._most_names:
            raise TooLargeError(f'{count} names, at most {self._most_names} are taken')
        names = tuple(cursor.text(f'names[{k}]', self._most_letters) for k in range(count))
        if len(self._lists) == MOST_LISTS or self._kept + cursor.offset - begin > self._most_kept:
            self._lists.clear()
            self._kept = 0
        self._keys += 1
        self._kept += cursor.offset - begin
        found = self._lists[cursor.order, bytes(cursor.data[begin : cursor.offset])] = names, self._keys
        return found
