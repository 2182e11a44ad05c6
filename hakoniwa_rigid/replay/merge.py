"""The order of a bag: by stamp, topic name, and place in the bag, whatever order the files hold the messages in.

Streams hand out blocks that may overlap in time. A message is passed on when every block that could hold an earlier
one has been taken; what waits is kept, up to a bound.
"""
from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.replay.storage import NEVER, Entry, Stream

MAX_HELD = 256 << 20    # bytes of messages that wait for earlier ones
ENTRY_COST = 200        # bytes that an entry takes beside its data


def in_order(streams: list[Stream], max_held: int = MAX_HELD) -> Iterator[list[Entry]]:
    """The entries of all streams, piece by piece, in order.

    BagError where more than ``max_held`` bytes would have to wait: the bag is out of order by too much.
    """
    held: list[Entry] = []
    while True:
        stream = min(streams, key=lambda s: s.next_ns, default=None)
        if stream is None or stream.next_ns == NEVER:
            break
        held += stream.take()
        held.sort()
        bound = min(s.next_ns for s in streams)
        ready = bisect_left(held, (bound,))
        if ready:
            yield held[:ready]
            del held[:ready]
        _check_held(held, bound, max_held)
    yield held


def _check_held(held: list[Entry], bound: int, max_held: int) -> None:
    if len(held) * ENTRY_COST > max_held or sum(len(entry[4]) for entry in held) + len(held) * ENTRY_COST > max_held:
        late = (held[-1][0] - bound) / 1e9
        raise BagError(f'messages are stored out of order by {late:.3f} s or more: {len(held)} of them would have to '
                       f'be held to sort them, more than {max_held >> 20} MB; sort the bag first (ros2 bag convert)')
