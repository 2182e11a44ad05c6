# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The records of an mcap file as far as bags need them (https://mcap.dev/spec): little endian, opcode, length, body."""
from __future__ import annotations

import struct
from typing import NamedTuple

from hakoniwa_rigid.replay.errors import BagError

MAGIC = b'\x89MCAP0\r\n'
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX, CHUNK_INDEX = range(1, 9)
STATISTICS, METADATA, METADATA_INDEX, SUMMARY_OFFSET, DATA_END = 0x0B, 0x0C, 0x0D, 0x0E, 0x0F

PREFIX = struct.Struct('<BQ')             # opcode, length of the body
MESSAGE_HEAD = struct.Struct('<BQHIQQ')   # the prefix of a message, channel, sequence, log time, publish time
MESSAGE_FIELDS = MESSAGE_HEAD.size - PREFIX.size
CHUNK_HEAD = struct.Struct('<QQQI')       # first and last log time, uncompressed size, checksum
FOOTER_BODY = struct.Struct('<QQI')       # start of the summary, of its offsets, checksum
STATISTICS_HEAD = struct.Struct('<QHIIIIQQ')
U16, U32, U64 = struct.Struct('<H'), struct.Struct('<I'), struct.Struct('<Q')
MOST_ENTRIES = 4096    # of a map of texts
TAIL = PREFIX.size + FOOTER_BODY.size + len(MAGIC)    # bytes of the footer and the magic behind it


class Schema(NamedTuple):
    """A message type."""

    id: int
    name: str
    encoding: str     # 'ros2msg', 'ros2idl'
    text: str


class ChannelRecord(NamedTuple):
    """A topic."""

    id: int
    schema: int
    topic: str
    encoding: str     # 'cdr'
    metadata: dict[str, str]


class ChunkHead(NamedTuple):
    """A chunk record but for its data."""

    start_ns: int
    end_ns: int
    size: int         # uncompressed
    crc: int          # of the uncompressed data; 0: none
    compression: str
    offset: int           # where the data begin, from the beginning of the body
    length: int       # of the data as stored


class Body:
    """Reads the fields of a record's body in turn; BagError where they do not fit into it."""

    def __init__(self, data: bytes, what: str) -> None:
        self.data, self.offset, self.what = data, 0, what

    def unpack(self, layout: struct.Struct) -> tuple:
        """The fields of a layout."""
        self._needs(layout.size)
        self.offset += layout.size
        return layout.unpack_from(self.data, self.offset - layout.size)

    def raw(self, size: int) -> bytes:
        """``size`` bytes."""
        self._needs(size)
        self.offset += size
        return self.data[self.offset - size:self.offset]

    def text(self) -> str:
        """A string."""
        raw = self.raw(*self.unpack(U32))
        try:
            return raw.decode()
        except UnicodeDecodeError as error:
            raise BagError(f'{self.what}: a text that is not UTF-8: {raw[:40]!r}') from error

    def map(self) -> dict[str, str]:
        """A map of strings."""
        (size,) = self.unpack(U32)
        end = self.offset + size
        self._needs(size)
        found = {}
        while self.offset < end:
            if len(found) >= MOST_ENTRIES:
                raise BagError(f'{self.what}: a map of more than {MOST_ENTRIES} texts')
            key = self.text()
            found[key] = self.text()
        return found

    def pairs(self, key: struct.Struct, value: struct.Struct) -> dict[int, int]:
        """A map of numbers."""
        (size,) = self.unpack(U32)
        self._needs(size)
        return {self.unpack(key)[0]: self.unpack(value)[0] for _ in range(size // (key.size + value.size))}

    def _needs(self, size: int) -> None:
        if size > len(self.data) - self.offset:
            raise BagError(f'{self.what}: {size} bytes announced, {len(self.data) - self.offset} left')


def schema(data: bytes) -> Schema:
    """Of the body of a schema record."""
    body = Body(data, 'schema')
    return Schema(*body.unpack(U16), body.text(), body.text(), body.text())


def channel(data: bytes) -> ChannelRecord:
    """Of the body of a channel record."""
    body = Body(data, 'channel')
    return ChannelRecord(*body.unpack(U16), *body.unpack(U16), body.text(), body.text(), body.map())


def chunk_head(data: bytes) -> ChunkHead:
    """Of the beginning of the body of a chunk record."""
    body = Body(data, 'chunk')
    fields = (*body.unpack(CHUNK_HEAD), body.text())
    (length,) = body.unpack(U64)
    return ChunkHead(*fields, body.offset, length)


def metadata(data: bytes) -> tuple[str, dict[str, str]]:
    """Name and map of the body of a metadata record."""
    body = Body(data, 'metadata')
    return body.text(), body.map()
