# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Where messages begin among the records of an mcap file: every message of a bag comes through this loop."""
from __future__ import annotations

import numpy as np

from hakoniwa_rigid.engine.maths.entries import entry
from hakoniwa_rigid.replay.bag.mcap.records import MESSAGE, MESSAGE_FIELDS, MESSAGE_HEAD, PREFIX

HEAD_BYTES, PREFIX_BYTES, SIZE_AT = MESSAGE_HEAD.size, PREFIX.size, 1
# bytes: sizes of records from here on are damage, and would not fit into 63 bits when they are added up
HUGE = 1 << 62


def warm_up() -> None:
    """Compile it, by no bytes."""
    find_messages(np.frombuffer(b'', np.uint8), np.zeros(0, dtype=np.int64))    # as bytes are: not to be written to


@entry
def find_messages(data, starts):
    """Into starts (M,), as many as there is room for at most: where the messages among records (uint8) begin.

    Returns their number, and the byte after the last record: another one than len(data) where records do not fit.
    Behind a message that is too short for one nothing is found any more.  Writes: starts."""
    offset, end, count, good = 0, len(data), 0, True
    while offset + PREFIX_BYTES <= end:
        size = np.uint64(0)
        for k in range(8):
            size |= np.uint64(data[offset + SIZE_AT + k]) << np.uint64(8 * k)
        body = np.int64(min(size, np.uint64(HUGE)))
        after = offset + PREFIX_BYTES + body
        # what is left may be too short for a message
        if data[offset] == MESSAGE and offset + HEAD_BYTES <= end:
            good &= body >= MESSAGE_FIELDS and after <= end
            if good:
                starts[count] = offset
                count += 1
        offset = after
    return count, offset
