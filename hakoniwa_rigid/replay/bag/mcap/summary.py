# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The summary at the end of an mcap file: what is in it, and where, without reading the rest."""
from __future__ import annotations

import struct
from binascii import crc32
from collections.abc import Callable

from hakoniwa_rigid.replay.bag.mcap import records as records
from hakoniwa_rigid.replay.bag.mcap.blocks import PACKAGE, Block, Contents, split
from hakoniwa_rigid.replay.bag.storage import MAX_SUMMARY, MAX_TEXT
from hakoniwa_rigid.replay.errors import BagError

INDEX_RECORD = 15             # bytes of a message index beside its entries
INDEX_ENTRY = 16
INDEX_HEAD = struct.Struct('<QQQQ')    # first and last stamp, offset and length of a chunk
OFFSET_LENGTH = struct.Struct('<QQ')


def read_summary(read: Callable[[int, int], bytes], size: int) -> Contents | None:
    """Channels, counts and blocks from the end of a file of ``size`` bytes; None where no summary tells all of it.

    ``read(offset, length)`` gives its bytes.  BagError where the summary is damaged.
    """
    if size < len(records.MAGIC) + records.TAIL:
        return None
    tail = read(size - records.TAIL, records.TAIL)
    if tail[-len(records.MAGIC):] != records.MAGIC or tail[0] != records.FOOTER:
        return None
    start, _, crc = records.FOOTER_BODY.unpack_from(tail, records.PREFIX.size)
    if not len(records.MAGIC) <= start < size - records.TAIL:
        return None
    if size - records.TAIL - start > MAX_SUMMARY:
        raise BagError(f'it has {size - records.TAIL - start} bytes, at most {MAX_SUMMARY} are taken')
    data = read(start, size - records.TAIL - start)
    if crc and crc32(tail[:-len(records.MAGIC) - 4], crc32(data)) != crc:
        raise BagError('its checksum is wrong')
    found = _contents(read, data)
    if found is not None:
        _check_apart(found.blocks, start)
    return found


def _check_apart(blocks: list[Block], end: int) -> None:
    """Chunks lie behind each other and before the summary; one that is named often would be unpacked as often."""
    last = len(records.MAGIC)
    for block in blocks:
        if block.offset < last:
            raise BagError(f'it names a chunk at byte {block.offset}, where something else lies')
        last = block.offset + block.length
    if last > end:
        raise BagError(f'it names a chunk that ends at byte {last}, behind the data')


def _contents(read: Callable[[int, int], bytes], data: bytes) -> Contents | None:
    found, statistics = Contents(), None
    for opcode, body in split(data):
        found.define(opcode, body)
        if opcode == records.CHUNK_INDEX:
            found.add(_indexed_block(body))
        elif opcode == records.STATISTICS:
            fields = records.Body(body, 'statistics')
            statistics = (*fields.unpack(records.STATISTICS_HEAD), fields.pairs(records.U16, records.U64))
        elif opcode == records.METADATA_INDEX:
            fields = records.Body(body, 'metadata index')
            offset, length, name = *fields.unpack(OFFSET_LENGTH), fields.text()
            if name == PACKAGE and length <= MAX_TEXT:
                found.metadata.update(records.metadata(read(offset, length)[records.PREFIX.size:])[1])
    if statistics is None:
        return None
    messages, _, _, _, _, chunks, start_ns, end_ns, found.counts = statistics
    if chunks != len(found.blocks) or (messages and not chunks) or not set(found.counts) <= set(found.channels):
        return None
    found.blocks = sorted((block for block in found.blocks if block.counts != {}), key=lambda block: block.offset)
    if messages:
        found.start_ns, found.end_ns = start_ns, end_ns
    return found


def _indexed_block(body: bytes) -> Block:
    """Of a chunk index record; the lengths of the message indexes tell how many messages there are."""
    fields = records.Body(body, 'chunk index')
    start_ns, end_ns, offset, length = fields.unpack(INDEX_HEAD)
    places = fields.pairs(records.U16, records.U64)
    (index_length,) = fields.unpack(records.U64)
    counts = None
    if places:
        inner = sorted((place, key) for key, place in places.items())
        ends = [place for place, _ in inner[1:]] + [offset + length + index_length]
        sizes = {key: end - place - INDEX_RECORD for (place, key), end in zip(inner, ends, strict=True)}
        counts = {key: size // INDEX_ENTRY for key, size in sizes.items() if size >= INDEX_ENTRY}
    return Block(start_ns, end_ns, offset, length, True, counts)
