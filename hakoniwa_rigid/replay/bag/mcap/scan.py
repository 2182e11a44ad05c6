# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Reads an mcap file without summary from its beginning: a recording that was cut off, or a file without chunks."""
from __future__ import annotations

from collections import Counter
from typing import BinaryIO

from hakoniwa_rigid.replay.bag.mcap import records as records
from hakoniwa_rigid.replay.bag.mcap.blocks import PACKAGE, Block, Contents, chunk_data, split
from hakoniwa_rigid.replay.bag.storage import MAX_BLOCK, MAX_TEXT, NEVER
from hakoniwa_rigid.replay.errors import BagError

BLOCK = 1 << 20    # bytes of messages without chunk that make a block
READ = {records.SCHEMA, records.CHANNEL, records.MESSAGE, records.CHUNK, records.METADATA}


def scan(file: BinaryIO, size: int) -> Contents:
    """What is in a file of ``size`` bytes, up to where it can be read; a warning says where and why it ends early.

    BagError where there is nothing that can be read.
    """
    found = _Scan()
    trouble = _walk(file, size, found)
    found.end_loose()
    contents = found.contents
    if trouble:
        messages = sum(contents.counts.values())
        if not messages:
            raise BagError(f'{trouble}; there is no message before that')
        contents.warnings.append(f'{trouble}; read up to there: {messages} messages, '
                                 f'{(contents.end_ns - contents.start_ns) / 1e9:.3f} s')
    return contents


def _walk(file: BinaryIO, size: int, found: _Scan) -> str:
    """Every record up to the end of the data; what is wrong where it ends early, else ''."""
    offset = len(records.MAGIC)
    file.seek(offset)
    while offset < size:
        head = file.read(records.PREFIX.size)
        if len(head) < records.PREFIX.size:
            return f'cut off at byte {size} in the middle of a record'
        opcode, length = records.PREFIX.unpack(head)
        if opcode in (records.DATA_END, records.FOOTER):
            return ''
        if opcode == 0:
            return f'damaged at byte {offset}: no mcap record, {size - offset} bytes left out'
        if length > size - offset - len(head):
            return f'cut off at byte {size}: a record of {length} bytes begins at byte {offset}'
        try:
            found.record(opcode, _body(file, opcode, length), offset)
        except BagError as error:
            return f'damaged at byte {offset} ({error}), {size - offset} bytes left out'
        offset += len(head) + length
    return f'cut off at byte {size}: the end of the data is not marked'


def _body(file: BinaryIO, opcode: int, length: int) -> bytes:
    """The body of a record that is of interest; of others nothing."""
    if opcode not in READ:
        file.seek(length, 1)
        return b''
    if length > MAX_BLOCK:
        raise BagError(f'a record of {length} bytes; more than {MAX_BLOCK} is taken for damage')
    return file.read(length)


class _Scan:
    """What is found, and the messages outside chunks that still have to make a block."""

    def __init__(self) -> None:
        self.contents = Contents()
        self.loose: _Loose | None = None

    def record(self, opcode: int, body: bytes, offset: int) -> None:
        """One record of the file; ``at``: its offset."""
        length = records.PREFIX.size + len(body)
        if opcode == records.MESSAGE:
            self.loose = self.loose or _Loose(offset)
            if self.loose.add(*self._message(body), length):
                self.end_loose()
            return
        self.end_loose()
        if opcode == records.CHUNK:
            self._chunk(body, offset, length)
        elif opcode == records.METADATA:
            name, found = records.metadata(body)
            if name == PACKAGE and len(body) <= MAX_TEXT:
                self.contents.metadata.update(found)
        else:
            self.contents.define(opcode, body)

    def end_loose(self) -> None:
        """Messages without chunk up to here are a block."""
        if self.loose:
            self._add(self.loose.block())
        self.loose = None

    def _chunk(self, body: bytes, offset: int, length: int) -> None:
        counts: Counter[int] = Counter()
        start, end = NEVER, -1
        head = records.chunk_head(body)
        for opcode, inner in split(chunk_data(head, body[head.offset:head.offset + head.length])):
            if opcode == records.MESSAGE:
                key, stamp = self._message(inner)
                counts[key] += 1
                start, end = min(start, stamp), max(end, stamp)
            else:
                self.contents.define(opcode, inner)
        if counts:
            self._add(Block(start, end, offset, length, True, dict(counts)))

    def _message(self, body: bytes) -> tuple[int, int]:
        if len(body) < records.MESSAGE_FIELDS:
            raise BagError(f'a message of {len(body)} bytes, less than its fields need')
        key = records.U16.unpack_from(body)[0]
        if key not in self.contents.channels:
            raise BagError(f'a message of channel {key}, which the file does not name')
        return key, records.U64.unpack_from(body, 6)[0]

    def _add(self, block: Block) -> None:
        found = self.contents
        found.add(block)
        found.start_ns, found.end_ns = min(found.start_ns, block.start_ns), max(found.end_ns, block.end_ns)
        for key, number in block.counts.items():
            found.counts[key] = found.counts.get(key, 0) + number


class _Loose:
    """Messages outside chunks that lie behind each other."""

    def __init__(self, offset: int) -> None:
        self.offset, self.length = offset, 0
        self.counts: Counter[int] = Counter()
        self.start_ns, self.end_ns = NEVER, -1

    def add(self, key: int, stamp: int, length: int) -> bool:
        """True when it is large enough."""
        self.length += length
        self.counts[key] += 1
        self.start_ns, self.end_ns = min(self.start_ns, stamp), max(self.end_ns, stamp)
        return self.length >= BLOCK

    def block(self) -> Block:
        """All of it."""
        return Block(self.start_ns, self.end_ns, self.offset, self.length, False, dict(self.counts))
