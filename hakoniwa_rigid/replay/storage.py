"""What the files of a bag have in common, whatever their format: channels, and streams of messages.

A stream hands out blocks of messages and promises that nothing older than ``next_ns`` is still to come; putting streams
into one order is the business of ``merge``.
"""
from __future__ import annotations

from typing import NamedTuple, Protocol

NEVER = 1 << 64           # ns; later than any stamp
MAX_BLOCK = 256 << 20     # bytes of one block, uncompressed: more is taken for a corrupt length
# a message as it travels from the file to the merge: (stamp_ns, rank of the topic, place in the bag, channel, data);
# the place is unique, so comparing two of them never comes to the data
Entry = tuple[int, int, int, int, bytes]


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

    def take(self) -> list[Entry]:
        """The next block, in order of stored place; moves ``next_ns``."""


class StorageFile(Protocol):
    """One file of a bag, open."""

    channels: dict[int, Channel]
    counts: dict[int, int]          # messages by channel id
    start_ns: int                   # NEVER in a file without messages
    end_ns: int                     # -1 there
    warnings: list[str]
    metadata: dict[str, str]        # as the writer of this package stores it

    def stream(self, wanted: Wanted, file_number: int) -> Stream:
        """A stream of its own; places of file n come behind those of file n-1."""

    def close(self) -> None:
        """Close the file."""
