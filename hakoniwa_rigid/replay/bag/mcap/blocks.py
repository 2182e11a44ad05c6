# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Blocks of messages in an mcap file: a chunk, or a megabyte of messages in a file without chunks."""
from __future__ import annotations

from binascii import crc32
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from hakoniwa_rigid.replay.bag.compression import decompressed
from hakoniwa_rigid.replay.bag.mcap import records as records
from hakoniwa_rigid.replay.bag.mcap.kernel import find_messages
from hakoniwa_rigid.replay.bag.storage import (
    COLUMNS,
    LENGTH,
    MAX_BLOCK,
    MAX_BLOCKS,
    MAX_CHANNELS,
    MAX_COUNTS,
    MAX_MESSAGES,
    MAX_TEXT,
    NEVER,
    OFFSET,
    PLACE,
    RANK,
    STAMP,
    Wanted,
)
from hakoniwa_rigid.replay.errors import BagError

# records.MESSAGE_HEAD
HEAD = np.dtype([('opcode', 'u1'), ('size', '<u8'), ('channel', '<u2'), ('sequence', '<u4'), ('stamp', '<u8'),
                 ('published', '<u8')])
PACKAGE = 'hakoniwa_rigid'    # name of the metadata record of this package's writer
BLOCK_COST, COUNT_COST = 300, 100    # bytes of memory
MAX_RECORDS = MAX_BLOCKS + 4 * MAX_CHANNELS    # in a chunk or a summary
AT_ONCE = 1 << 14             # messages whose heads are read at once: 250 bytes each


class Block(NamedTuple):
    """Messages that lie together."""

    start_ns: int
    end_ns: int
    offset: int                 # of a chunk record, or of the first message
    length: int                 # bytes of the record, or of the messages
    is_chunk: bool
    counts: dict[int, int] | None    # messages by channel; None where the file does not say


@dataclass
class Contents:
    """What a summary or a scan has found."""

    schemas: dict[int, records.Schema] = field(default_factory=dict)
    channels: dict[int, records.ChannelRecord] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)
    start_ns: int = NEVER
    end_ns: int = -1
    metadata: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    text: int = 0         # bytes of schemas and channels
    kept_counts: int = 0

    def add(self, block: Block) -> None:
        """One more block; its counts are left out where too many are kept already.  BagError: too many blocks."""
        if len(self.blocks) >= MAX_BLOCKS:
            raise BagError(f'more than {MAX_BLOCKS} chunks')
        self.kept_counts += len(block.counts or ())
        self.blocks.append(block if self.kept_counts <= MAX_COUNTS else block._replace(counts=None))

    @property
    def weight(self) -> int:
        """Bytes that are remembered, about."""
        return self.text + BLOCK_COST * len(self.blocks) + COUNT_COST * min(self.kept_counts, MAX_COUNTS)

    def define(self, opcode: int, body: bytes) -> None:
        """Takes a schema or channel record; others are of no interest."""
        if opcode in (records.SCHEMA, records.CHANNEL):
            self.text += len(body)
            if self.text > MAX_TEXT:
                raise BagError(f'more than {MAX_TEXT} bytes of definitions and channels')
        if opcode == records.SCHEMA:
            schema = records.schema(body)
            self.schemas[schema.id] = schema
        elif opcode == records.CHANNEL:
            channel = records.channel(body)
            self.channels[channel.id] = channel


def lateness(blocks: list[Block]) -> int:
    """ns by which a block begins before the end of those stored before it, at most."""
    late, youngest = 0, -1
    for block in blocks:
        late = max(late, youngest - block.start_ns)
        youngest = max(youngest, block.end_ns)
    return late


def chunk_data(head: records.ChunkHead, stored: bytes) -> bytes:
    """The records in a chunk; BagError where size or checksum are wrong."""
    if head.size > MAX_BLOCK:
        raise BagError(f'a chunk of {head.size} bytes; more than {MAX_BLOCK} is taken for damage')
    data = decompressed(stored, head.compression, head.size)
    if len(data) != head.size:
        raise BagError(f'a chunk has {len(data)} bytes where {head.size} were announced')
    if head.crc and crc32(data) != head.crc:
        raise BagError('the checksum of a chunk is wrong: the file is damaged here')
    return data


def rank_table(ranks: dict[int, int]) -> np.ndarray:
    """Rank of every channel number there may be, -1 for those that are not wanted."""
    table = np.full(1 << 16, -1, dtype=np.int64)
    for channel, rank in ranks.items():
        table[channel] = rank
    return table


def messages(data: bytes, wanted: Wanted, ranks: np.ndarray, skipped: dict[int, int],
             base: int) -> tuple[np.ndarray, int]:
    """The wanted messages among records as a table (storage.Messages), in the order in which they are stored, and by
    how many ns one is stored late; counts older ones into ``skipped``.  ``ranks``: rank_table."""
    starts = message_starts(data)
    fields = _heads(data, starts)
    rank = ranks[fields['channel']]
    mine = rank >= 0
    if not mine.all():
        starts, fields, rank = starts[mine], fields[mine], rank[mine]
    stamps = fields['stamp']
    late = int((np.maximum.accumulate(stamps) - stamps).max(initial=0))
    table = np.empty((len(starts), COLUMNS), dtype=np.uint64)
    table[:, STAMP], table[:, RANK], table[:, PLACE] = stamps, rank, starts + base
    table[:, OFFSET], table[:, LENGTH] = starts + records.MESSAGE_HEAD.size, fields['size'] - records.MESSAGE_FIELDS
    if len(stamps) and not (wanted.low <= int(stamps.min()) and int(stamps.max()) <= wanted.high):
        # as numbers of Python, which know no overflow
        for channel, stamp in zip(fields['channel'].tolist(), stamps.tolist(), strict=True):
            if stamp < wanted.low:
                skipped[channel] = skipped.get(channel, 0) + 1
        table = table[[wanted.low <= stamp <= wanted.high for stamp in stamps.tolist()]]
    return table, late


def _heads(data: bytes, starts: np.ndarray) -> np.ndarray:
    """The heads (K,) of messages that begin there, of type HEAD."""
    found, raw = np.empty(len(starts), HEAD), np.frombuffer(data, np.uint8)
    for at in range(0, len(starts), AT_ONCE):
        some = starts[at:at + AT_ONCE]
        found[at:at + AT_ONCE] = raw[some[:, None] + np.arange(records.MESSAGE_HEAD.size)].view(HEAD)[:, 0]
    return found


def message_starts(data: bytes) -> np.ndarray:
    """Where messages begin (K,); BagError where records do not fit."""
    starts = np.empty(min(len(data) // records.MESSAGE_HEAD.size, MAX_MESSAGES + 1), dtype=np.int64)
    count, offset = find_messages(np.frombuffer(data, np.uint8), starts)
    if count > MAX_MESSAGES:
        raise BagError(f'more than {MAX_MESSAGES} messages in one chunk')
    if offset != len(data):
        raise BagError(f'records do not fit: one ends at byte {offset} of {len(data)}')
    return starts[:count]


def split(data: bytes):
    """(opcode, body) of records that lie behind each other; BagError where they do not fit."""
    offset = count = 0
    while offset < len(data):
        count += 1
        if count > MAX_RECORDS:
            raise BagError(f'more than {MAX_RECORDS} records in one chunk')
        if offset + records.PREFIX.size > len(data):
            raise BagError(f'a record is cut off at byte {offset} of {len(data)}')
        opcode, size = records.PREFIX.unpack_from(data, offset)
        offset += records.PREFIX.size
        if size > len(data) - offset:
            raise BagError(f'a record of {size} bytes at byte {offset} of {len(data)}')
        yield opcode, data[offset:offset + size]
        offset += size
