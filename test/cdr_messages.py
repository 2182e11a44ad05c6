# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Messages as bytes, by a CDR encoder written out here, and what hypothesis makes them of.  No ROS."""

from __future__ import annotations

import struct

import numpy as np
from hypothesis import strategies as st

from hakoniwa_rigid.codec import cdr

# byte order, alignment of doubles, mark
REPRESENTATIONS = [('<', 8, b'\0\1'), ('>', 8, b'\0\0'), ('<', 4, b'\0\7'), ('>', 4, b'\0\6')]
# of each kind: what a SampleReader is given, and how many doubles stand in which field
LAYOUTS = {
    'Odometry': (cdr.ODOMETRY, (7, 36, 6, 36)),
    'PoseStamped': (cdr.POSE, (7,)),
    'TwistStamped': (cdr.TWIST, (6,)),
    'WrenchStamped': (cdr.WRENCH, (6,)),
}
TEXT = st.text(st.characters(exclude_characters='\0', codec='utf-8'), max_size=20)
NUMBER = st.floats(width=64)
STAMP = st.tuples(st.integers(-(2**31), 2**31 - 1), st.integers(0, 2**32 - 1))


class Encoder:
    """CDR as the standard says: everything is aligned to its own size, doubles at most to `alignment`."""

    def __init__(self, order: str, alignment: int, mark: bytes, fill: bytes = b'\0') -> None:
        self.order, self.alignment, self.data, self.mark, self.fill = order, alignment, b'', mark, fill

    def put(self, code: str, *values) -> Encoder:
        size = min(struct.calcsize(code), self.alignment)
        for value in values:
            self.data += self.fill * (-len(self.data) % size) + struct.pack(self.order + code, value)
        return self

    def text(self, value: str) -> Encoder:
        raw = value.encode() + b'\0'
        self.put('I', len(raw)).data += raw
        return self

    def sequence(self, code: str, values) -> Encoder:
        return self.put('I', len(values)).put(code, *values)

    def message(self) -> bytes:
        return self.mark + b'\0\0' + self.data


def sample(kind: str, form, stamp, texts, numbers) -> bytes:
    """A message of LAYOUTS; stamp (sec, nanosec), texts (frame_id, child_frame_id), numbers of all its doubles."""
    encoder = Encoder(*form).put('i', stamp[0]).put('I', stamp[1])
    for text in texts[: LAYOUTS[kind][0][0]]:
        encoder.text(text)
    return encoder.put('d', *numbers).message()


def fleet(form, stamp, frame_id: str, names, arrays) -> bytes:
    """A FleetState (with its flags left out) or FleetWrench."""
    encoder = Encoder(*form).put('i', stamp[0]).put('I', stamp[1]).text(frame_id).put('I', len(names))
    for name in names:
        encoder.text(name)
    for array in arrays:
        encoder.sequence('d', array)
    return encoder.message()


def bits(values) -> bytes:
    """NaN is not equal to itself; its bits are."""
    return np.array(values, dtype=np.float64).tobytes()


def wanted(kind: str, numbers) -> list[float]:
    """The numbers without the covariances."""
    blocks = np.split(np.array(numbers), np.cumsum(LAYOUTS[kind][1])[:-1])
    return [x for block in blocks if len(block) < 36 for x in block.tolist()]


def streams(kind: str) -> st.SearchStrategy:
    """(form, stamp, texts, numbers) of one to four messages of a topic, whose strings are two at most."""
    total = sum(LAYOUTS[kind][1])
    numbers = st.lists(NUMBER, min_size=4, max_size=4).map(lambda four: (four * (total // 4 + 1))[:total])
    form = st.sampled_from(REPRESENTATIONS)

    def of(two):
        return st.lists(st.tuples(form, STAMP, st.sampled_from(two), numbers), min_size=1, max_size=4)

    return st.lists(st.tuples(TEXT, TEXT), min_size=2, max_size=2).flatmap(of)
