"""Blocks of messages in an mcap file: a chunk, or a megabyte of messages in a file without chunks."""
from __future__ import annotations

from binascii import crc32
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from hakoniwa_rigid.replay import mcap_records as records
from hakoniwa_rigid.replay.codecs import decompressed
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.replay.storage import MAX_BLOCK, NEVER, Entry, Wanted

PACKAGE = 'hakoniwa_rigid'    # name of the metadata record of this package's writer


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

    def define(self, opcode: int, body: bytes) -> None:
        """Takes a schema or channel record; others are of no interest."""
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
    data = decompressed(stored, head.compression)
    if len(data) != head.size:
        raise BagError(f'a chunk has {len(data)} bytes where {head.size} were announced')
    if head.crc and crc32(data) != head.crc:
        raise BagError('the checksum of a chunk is wrong: the file is damaged here')
    return data


def entries(data: bytes, wanted: Wanted, skipped: dict[int, int], base: int) -> tuple[list[Entry], int]:
    """The wanted messages among records, and by how many ns one is stored late; counts older ones into ``skipped``."""
    found = wanted_channels(data, wanted.ranks, base)
    stamps = [entry[0] for entry in found]
    late = 0
    if stamps != sorted(stamps):
        late = max(young - stamp for young, stamp in zip(accumulate(stamps, max), stamps, strict=True))
    if stamps and not (wanted.low <= min(stamps) and max(stamps) <= wanted.high):
        for stamp, _, _, channel, _ in found:
            if stamp < wanted.low:
                skipped[channel] = skipped.get(channel, 0) + 1
        found = [entry for entry in found if wanted.low <= entry[0] <= wanted.high]
    return found, late


def wanted_channels(data: bytes, ranks: dict[int, int], base: int) -> list[Entry]:
    """The messages of the channels in ``ranks``, as stored: every message of a bag comes through this loop."""
    unpack, head, fields = records.MESSAGE_HEAD.unpack_from, records.MESSAGE_HEAD.size, records.MESSAGE_FIELDS
    prefix, rank_of = records.PREFIX.size, ranks.get
    found = []
    add = found.append
    at, end = 0, len(data)
    while at + head <= end:
        opcode, size, channel, _, stamp, _ = unpack(data, at)
        start, at = at, at + prefix + size
        if opcode == records.MESSAGE:
            if size < fields or at > end:
                break
            rank = rank_of(channel)
            if rank is not None:
                add((stamp, rank, base + start, channel, data[start + head:at]))
    # what is left is too short for a message; it may be a record of another kind
    while at + prefix <= end:
        at += prefix + records.PREFIX.unpack_from(data, at)[1]
    if at != end:
        raise BagError(f'records do not fit: one ends at byte {at} of {end}')
    return found


def split(data: bytes):
    """(opcode, body) of records that lie behind each other; BagError where they do not fit."""
    at = 0
    while at < len(data):
        if at + records.PREFIX.size > len(data):
            raise BagError(f'a record is cut off at byte {at} of {len(data)}')
        opcode, size = records.PREFIX.unpack_from(data, at)
        at += records.PREFIX.size
        if size > len(data) - at:
            raise BagError(f'a record of {size} bytes at byte {at} of {len(data)}')
        yield opcode, data[at:at + size]
        at += size
