# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""One mcap file: its channels and where its blocks of messages lie, from the summary at its end or by a scan."""
from __future__ import annotations

from pathlib import Path

from hakoniwa_rigid.replay.bag.mcap import records as records
from hakoniwa_rigid.replay.bag.mcap.blocks import Block, Contents, chunk_data, lateness, messages, rank_table
from hakoniwa_rigid.replay.bag.mcap.scan import scan
from hakoniwa_rigid.replay.bag.mcap.summary import read_summary
from hakoniwa_rigid.replay.bag.storage import MAX_BLOCK, NEVER, STAMP, Channel, Messages, Wanted
from hakoniwa_rigid.replay.errors import BagError

HEAD_BYTES = 64    # holds the head of any chunk: its numbers and the name of its compression


class McapFile:
    """See storage.StorageFile."""

    def __init__(self, path: Path, name: Path | None = None) -> None:
        """``name``: what messages call it, where it was unpacked from another file."""
        self.path, self.name = path, name or path
        self.file = path.open('rb')
        try:
            found = self._contents()
            self.channels = channels_of(found)
        except BagError as error:
            self.close()
            raise BagError(f'{self.name}: {error}') from error
        except BaseException:
            self.close()
            raise
        self.counts, self.blocks, self.metadata = found.counts, found.blocks, found.metadata
        self.weight = found.weight
        self.start_ns, self.end_ns = found.start_ns, found.end_ns
        self.warnings = [f'{self.name}: {text}' for text in found.warnings]

    def _contents(self) -> Contents:
        self.size = self.path.stat().st_size
        magic = self.file.read(len(records.MAGIC))
        if not magic:
            raise BagError('the file is empty (0 bytes); was the recording cut off before it began?')
        if magic != records.MAGIC:
            raise BagError(f'is no mcap file: it begins with {magic!r}')
        damage = ''
        try:
            found = read_summary(self._read, self.size)
        except BagError as error:
            found, damage = None, f'the summary at the end is damaged ({error}); read from the beginning instead'
        if found is None:
            found = scan(self.file, self.size)
        found.warnings += [damage] if damage else []
        return found

    def _read(self, offset: int, length: int) -> bytes:
        if offset + length > self.size:
            raise BagError(f'ends at byte {self.size}; {length} bytes at byte {offset} were announced')
        self.file.seek(offset)
        return self.file.read(length)

    def block_data(self, block: Block) -> bytes:
        """The records of a block, decompressed and checked."""
        if not block.is_chunk:
            return self._read(block.offset, block.length)
        # head and data apart: the data are not copied once more
        body = block.offset + records.PREFIX.size
        head = records.chunk_head(self._read(body, min(block.length - records.PREFIX.size, HEAD_BYTES)))
        if head.length > MAX_BLOCK:
            raise BagError(f'a chunk of {head.length} stored bytes; more than {MAX_BLOCK} is taken for damage')
        if records.PREFIX.size + head.offset + head.length != block.length:
            raise BagError(f'a chunk of {head.length} stored bytes in a record of {block.length}')
        return chunk_data(head, self._read(body + head.offset, head.length))

    def stream(self, wanted: Wanted, file_number: int) -> McapStream:
        """See storage.StorageFile."""
        return McapStream(self, wanted, file_number)

    def close(self) -> None:
        """Close the file."""
        self.file.close()


def channels_of(found: Contents) -> dict[int, Channel]:
    """Channels with the definitions of their types; BagError for messages that are not CDR."""
    channels = {}
    for key, channel in found.channels.items():
        if channel.encoding != 'cdr':
            raise BagError(f'topic {channel.topic} is encoded as {channel.encoding!r}; bags of ROS 2 hold cdr')
        schema = found.schemas.get(channel.schema, records.Schema(0, '', '', ''))
        channels[key] = Channel(key, channel.topic, schema.name, schema.text,
                                channel.metadata.get('offered_qos_profiles', ''))
    return channels


class McapStream:
    """See storage.Stream."""

    def __init__(self, file: McapFile, wanted: Wanted, file_number: int) -> None:
        self.file, self.wanted = file, wanted
        self.base = file_number << 56
        self.ranks = rank_table(wanted.ranks)
        self.skipped: dict[int, int] = {}
        blocks = [(n, block) for n, block in enumerate(file.blocks) if self._wants(block)]
        self.blocks = sorted(blocks, key=lambda item: (item[1].start_ns, item[0]), reverse=True)
        self.late_ns = lateness(file.blocks)
        self.next_ns = self.blocks[-1][1].start_ns if self.blocks else NEVER

    def _wants(self, block: Block) -> bool:
        """Whether the block has to be read; what is known to lie before the wanted stamps is counted."""
        if block.start_ns > self.wanted.high:
            return False
        if block.counts is None:
            return True
        mine = {key: n for key, n in block.counts.items() if key in self.wanted.ranks}
        if block.end_ns < self.wanted.low:
            for key, number in mine.items():
                self.skipped[key] = self.skipped.get(key, 0) + number
            return False
        return bool(mine)

    def take(self) -> Messages:
        """See storage.Stream."""
        number, block = self.blocks.pop()
        self.next_ns = self.blocks[-1][1].start_ns if self.blocks else NEVER
        try:
            data = self.file.block_data(block)
            table, late = messages(data, self.wanted, self.ranks, self.skipped, self.base + (number << 28))
        except BagError as error:
            raise BagError(f'{self.file.name}: block at byte {block.offset}: {error}') from error
        self.late_ns = max(self.late_ns, late)
        first = int(table[:, STAMP].min(initial=NEVER - 1))
        if first < block.start_ns:
            raise BagError(f'{self.file.name}: block at byte {block.offset}: a stamp of {first} ns lies before '
                           f'its index says it begins ({block.start_ns} ns)')
        return Messages(table, data)
