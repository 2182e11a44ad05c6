# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The order of a bag: by stamp, topic name, and place in the bag, whatever order the files hold the messages in.

Streams hand out blocks that may overlap in time. A message is passed on when every block that could hold an earlier
one has been taken; what waits is kept, up to a bound.
"""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hakoniwa_rigid.replay.bag.storage import COLUMNS, LENGTH, NEVER, OFFSET, PLACE, RANK, STAMP, Messages, Stream
from hakoniwa_rigid.replay.errors import BagError

MAX_HELD = 256 << 20    # bytes of messages that wait for earlier ones
ENTRY_COST = 200        # bytes that a message takes beside its data
BUFFER = COLUMNS        # a column more: the number of the buffer
# pieces of one buffer are passed on as they are if they have this many messages on average; shorter ones are joined
LONG = 16


def in_order(streams: list[Stream], max_held: int = MAX_HELD) -> Iterator[Messages]:
    """The messages of all streams, piece by piece, in order.

    BagError where more than ``max_held`` bytes would have to wait: the bag is out of order by too much.
    """
    held = _Held()
    while True:
        stream = min(streams, key=lambda s: s.next_ns, default=None)
        if stream is None or stream.next_ns == NEVER:
            break
        held.add(stream.take())
        bound = min(s.next_ns for s in streams)
        yield from held.before(bound)
        held.check(bound, max_held)
    yield from held.before(NEVER)


class _Held:
    """Messages that wait: their table, with the numbers of their buffers, in order."""

    def __init__(self) -> None:
        self.table = np.empty((0, COLUMNS + 1), dtype=np.uint64)
        self.buffers: list[bytes] = []

    def add(self, block: Messages) -> None:
        """More of them."""
        if not len(block.table):
            return
        number = np.full((len(block.table), 1), len(self.buffers), dtype=np.uint64)
        table = np.concatenate([self.table, np.concatenate([block.table, number], axis=1)])
        self.table = table[np.lexsort((table[:, PLACE], table[:, RANK], table[:, STAMP]))]
        self.buffers.append(block.data)
        self._tidy()

    def before(self, bound: int) -> Iterator[Messages]:
        """Those older than ``bound``, which are forgotten."""
        table = self.table
        ready = len(table) if bound >= NEVER else int(np.searchsorted(table[:, STAMP], np.uint64(bound)))
        if not ready:
            return
        buffers, table, self.table = self.buffers, table[:ready], table[ready:]
        self._tidy()
        cuts = [0, *(np.flatnonzero(np.diff(table[:, BUFFER])) + 1).tolist(), ready]
        if len(cuts) > 2 + ready // LONG:
            yield _joined(table, buffers)
            return
        for a, b in zip(cuts, cuts[1:], strict=False):
            yield Messages(table[a:b, :COLUMNS], buffers[int(table[a, BUFFER])])

    def _tidy(self) -> None:
        """What waits is copied where most of the buffers' bytes are kept for nothing."""
        if 2 * int(self.table[:, LENGTH].sum()) < sum(map(len, self.buffers)):
            rest = _joined(self.table, self.buffers)
            number = np.zeros((len(rest.table), 1), dtype=np.uint64)
            self.table, self.buffers = np.concatenate([rest.table, number], axis=1), [rest.data]

    def check(self, bound: int, max_held: int) -> None:
        """BagError where too much waits."""
        held = len(self.table)
        if held * ENTRY_COST + int(self.table[:, LENGTH].sum()) > max_held:
            late = (int(self.table[-1, STAMP]) - bound) / 1e9
            raise BagError(f'messages are stored out of order by {late:.3f} s or more: {held} of them would have to be '
                           f'held to sort them, more than {max_held >> 20} MB; sort the bag first (ros2 bag convert)')


def _joined(table: np.ndarray, buffers: list[bytes]) -> Messages:
    """The messages in one buffer."""
    views = [memoryview(buffer) for buffer in buffers]
    rows = zip(table[:, BUFFER].tolist(), table[:, OFFSET].tolist(), table[:, LENGTH].tolist(), strict=True)
    data = b''.join([views[number][offset:offset + length] for number, offset, length in rows])
    out = table[:, :COLUMNS].copy()
    out[:, OFFSET] = np.cumsum(out[:, LENGTH]) - out[:, LENGTH]
    return Messages(out, data)
