# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Writes the records of an mcap file: chunks of a megabyte, their indexes, the summary.  Equal calls give equal bytes.

Nothing is compressed and no version of a library is named: both would change bytes without a change of content.
"""
from __future__ import annotations

import struct
from array import array
from binascii import crc32
from typing import BinaryIO, NamedTuple

from hakoniwa_rigid.replay.bag.mcap import records as records
from hakoniwa_rigid.replay.bag.mcap.blocks import PACKAGE
from hakoniwa_rigid.replay.errors import BagError

CHUNK_BYTES = 1 << 20
LIBRARY = 'hakoniwa_rigid'
MAX_STAMP = (1 << 63) - 1    # ns; rosbag2 keeps stamps as signed 64 bit
INDEX = struct.Struct('<HI')


class _ChunkIndex(NamedTuple):
    """The body of a chunk index, and how far it has come."""

    body: bytes
    start_ns: int
    end_ns: int


class McapWriter:
    """An mcap file being written to ``file``."""

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.offset = file, 0
        self.schemas: list[bytes] = []      # records
        self.channels: list[bytes] = []
        self.schema_of: dict[tuple[str, str, str], int] = {}
        self.counts: list[int] = []         # messages by channel id - 1
        self.chunks: list[_ChunkIndex] = []
        self.parts: list[bytes] = []        # records of the chunk in the making, and their size
        self.size = 0
        self.index: dict[int, array] = {}   # stamp and offset of its messages in turn, by channel
        self.metadata: list[bytes] = []     # metadata index records
        self._put(records.MAGIC + record(records.HEADER, string('ros2') + string(LIBRARY)))

    def channel(self, topic: str, type_name: str, definition: str, encoding: str, metadata: dict[str, str]) -> int:
        """Id of a new channel of CDR messages."""
        key = (type_name, encoding, definition)
        if key not in self.schema_of:
            self.schema_of[key] = len(self.schemas) + 1
            body = records.U16.pack(len(self.schemas) + 1) + string(type_name) + string(encoding) + string(definition)
            self.schemas.append(record(records.SCHEMA, body))
            self._add(self.schemas[-1])
        number = len(self.channels) + 1
        body = records.U16.pack(number) + records.U16.pack(self.schema_of[key]) + string(topic) + string('cdr')
        self.channels.append(record(records.CHANNEL, body + string_map(metadata)))
        self._add(self.channels[-1])
        self.counts.append(0)
        return number

    def message(self, channel: int, stamp: int, data: bytes) -> None:
        """One message; its stamp is log time and publish time."""
        number = self.counts[channel - 1]
        try:
            head = records.MESSAGE_HEAD.pack(records.MESSAGE, records.MESSAGE_FIELDS + len(data), channel,
                                             number & 0xFFFFFFFF, stamp, stamp)
        except struct.error as error:
            raise BagError(f'stamp_ns: must be a whole number from 0 to {MAX_STAMP}, got {stamp!r}') from error
        index = self.index.get(channel)
        if index is None:
            index = self.index[channel] = array('Q')
        index.append(stamp)
        index.append(self.size)
        self.counts[channel - 1] = number + 1
        self.parts.append(head)
        self.parts.append(bytes(data))    # the caller may go on with its buffer
        self.size += len(head) + len(data)
        if self.size >= CHUNK_BYTES:
            self.end_chunk()

    def finish(self, metadata: dict[str, str]) -> tuple[int, int]:
        """Writes what is left and the summary; (first, last) stamp, ns, (0, 0) without messages."""
        self.end_chunk()
        if metadata:
            start = self.offset
            self._put(record(records.METADATA, string(PACKAGE) + string_map(metadata)))
            place = records.U64.pack(start) + records.U64.pack(self.offset - start)
            self.metadata.append(record(records.METADATA_INDEX, place + string(PACKAGE)))
        self._put(record(records.DATA_END, records.U32.pack(0)))
        written = [chunk for chunk in self.chunks if chunk.end_ns >= 0]
        first = min((chunk.start_ns for chunk in written), default=0)
        last = max((chunk.end_ns for chunk in written), default=0)
        self._summary(first, last)
        return first, last

    def _add(self, data: bytes) -> None:
        self.parts.append(data)
        self.size += len(data)

    def end_chunk(self) -> None:
        """Writes what is waiting to make a chunk."""
        if not self.parts:
            return
        data = b''.join(self.parts)
        stamps = [index[::2] for index in self.index.values()]
        start = min((min(found) for found in stamps), default=0)
        end = max((max(found) for found in stamps), default=0)
        if end > MAX_STAMP:
            raise BagError(f'stamp_ns: must be a whole number from 0 to {MAX_STAMP}, got {end}')
        offset = self.offset
        head = records.CHUNK_HEAD.pack(start, end, len(data), crc32(data)) + string('') + records.U64.pack(len(data))
        self._put(records.PREFIX.pack(records.CHUNK, len(head) + len(data)) + head)
        self._put(data)
        length = self.offset - offset
        places = b''
        for channel, index in sorted(self.index.items()):
            places += records.U16.pack(channel) + records.U64.pack(self.offset)
            pairs = little_endian(index)
            self._put(record(records.MESSAGE_INDEX, INDEX.pack(channel, len(pairs)) + pairs))
        body = struct.pack('<QQQQI', start, end, offset, length, len(places)) + places
        body += records.U64.pack(self.offset - offset - length) + string('') + struct.pack('<QQ', len(data), len(data))
        self.chunks.append(_ChunkIndex(record(records.CHUNK_INDEX, body), start, end if self.index else -1))
        self.parts, self.size, self.index = [], 0, {}

    def _summary(self, first: int, last: int) -> None:
        counts = {n + 1: count for n, count in enumerate(self.counts)}
        pairs = b''.join(records.U16.pack(key) + records.U64.pack(count) for key, count in counts.items())
        statistics = records.STATISTICS_HEAD.pack(sum(self.counts), len(self.schemas), len(self.channels), 0,
                                                  len(self.metadata), len(self.chunks), first, last)
        groups = [(records.SCHEMA, self.schemas), (records.CHANNEL, self.channels),
                  (records.CHUNK_INDEX, [chunk.body for chunk in self.chunks]), (records.METADATA_INDEX, self.metadata),
                  (records.STATISTICS, [record(records.STATISTICS, statistics + records.U32.pack(len(pairs)) + pairs)])]
        start, parts, offsets, offset = self.offset, [], [], self.offset
        for opcode, group in groups:
            data = b''.join(group)
            parts.append(data)
            if data:
                offsets.append(record(records.SUMMARY_OFFSET, struct.pack('<BQQ', opcode, offset, len(data))))
            offset += len(data)
        summary = b''.join(parts + offsets)
        footer = records.PREFIX.pack(records.FOOTER, records.FOOTER_BODY.size) + struct.pack('<QQ', start, offset)
        self._put(summary + footer + records.U32.pack(crc32(footer, crc32(summary))) + records.MAGIC)

    def _put(self, data: bytes) -> None:
        self.file.write(data)
        self.offset += len(data)


def record(opcode: int, body: bytes) -> bytes:
    """A record."""
    return records.PREFIX.pack(opcode, len(body)) + body


def string(text: str) -> bytes:
    """A text with its length."""
    raw = text.encode()
    return records.U32.pack(len(raw)) + raw


def string_map(items: dict[str, str]) -> bytes:
    """A map of texts, in the order of the keys."""
    raw = b''.join(string(key) + string(items[key]) for key in sorted(items))
    return records.U32.pack(len(raw)) + raw


def little_endian(numbers: array) -> bytes:
    """The bytes of 64-bit numbers."""
    if struct.pack('=H', 1) != struct.pack('<H', 1):
        numbers.byteswap()
    return numbers.tobytes()
