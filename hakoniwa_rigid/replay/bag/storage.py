# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What the files of a bag have in common, whatever their format: channels, and streams of messages.

A stream hands out blocks of messages and promises that nothing older than ``next_ns`` is still to come; putting streams
into one order is the business of ``merge``.
"""
from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

NEVER = 1 << 64           # ns; later than any stamp
MAX_BLOCK = 256 << 20     # bytes of one block, uncompressed: more is taken for a corrupt length
MAX_MESSAGES = 1 << 20    # of one block: each costs some 300 bytes beside its data while a block is sorted in
MAX_BLOCKS = 1 << 20      # of one file: each costs 300 bytes while the file is open
MAX_COUNTS = 1 << 21      # numbers of messages by block and channel that are kept: 100 bytes each
MAX_CHANNELS = 1 << 16    # of one file
MAX_TEXT = 16 << 20       # bytes of the names, definitions and profiles of one file
MAX_SUMMARY = 64 << 20    # bytes of the summary of an mcap file
MAX_WEIGHT = 1 << 30      # bytes of what is remembered of all files of a bag
# columns of messages as they travel from the file to the merge: ns, rank of the topic, place in the bag (unique), where
# the data begin in the buffer, and their bytes
STAMP, RANK, PLACE, OFFSET, LENGTH, COLUMNS = range(6)


class Messages(NamedTuple):
    """K messages: table (K, COLUMNS) uint64, and the buffer that holds their data."""

    table: np.ndarray
    data: bytes


class Channel(NamedTuple):
    """A topic of one file."""

    id: int
    topic: str
    type: str          # 'nav_msgs/msg/Odometry'
    definition: str    # msg or IDL text with dependencies; '' where the file holds none
    qos: str           # YAML text of the offered profiles, as stored


class Wanted(NamedTuple):
    """What is asked of a file: rank of the topic by channel id, and stamps from ``low`` to ``high``, both included."""

    ranks: dict[int, int]
    low: int
    high: int


class Stream(Protocol):
    """The messages of one file."""

    next_ns: int                # nothing older is still to come; NEVER at the end
    skipped: dict[int, int]     # messages older than ``low``, by channel; complete when the first block is out
    late_ns: int                # the most by which a message is stored behind younger ones, as far as read

    def take(self) -> Messages:
        """The next block; moves ``next_ns``."""


class StorageFile(Protocol):
    """One file of a bag, open."""

    channels: dict[int, Channel]
    counts: dict[int, int]          # messages by channel id
    start_ns: int                   # NEVER in a file without messages
    end_ns: int                     # -1 there
    weight: int                     # bytes that are remembered of it, about
    warnings: list[str]
    metadata: dict[str, str]        # as the writer of this package stores it

    def stream(self, wanted: Wanted, file_number: int) -> Stream:
        """A stream of its own; places of file n come behind those of file n-1."""

    def close(self) -> None:
        """Close the file."""
