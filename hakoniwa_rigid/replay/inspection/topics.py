# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What can be said of one topic from its stamps: rate, gaps, and its header stamps against the log times.

Memory does not grow with the number of messages.
"""
from __future__ import annotations

import heapq
import re
import struct
from typing import NamedTuple

from hakoniwa_rigid.codec.message_fields import NANOSECONDS

MOST_KEPT = 4096
MOST_GAPS = 10
LEAST_GAP = 0.1        # s; and GAP_PERIODS periods
GAP_PERIODS = 5.0
REGULAR = 3.0          # the slowest tenth of the periods of a topic with a rate takes at most this many medians
STEP = 0.25            # s; a header stamp that moves by more against the log time than it should is a step
EVERY = 8              # of so many messages one goes into the drift
LEAST_DRIFT_TIME = 5.0    # s; nothing is said of the drift of a shorter piece
STAMPS = {0: struct.Struct('>iI'), 1: struct.Struct('<iI')}
ENCAPSULATION = 4
HEADER_FIELD = re.compile(r'^\s*(?:std_msgs/)?(?:msg/)?Header\s+\w+')


class Thinned:
    """At most MOST_KEPT values, evenly out of all that were added."""

    def __init__(self) -> None:
        self.values: list = []
        self.every, self.left = 1, 0

    def add(self, value) -> None:
        """One value."""
        if self.is_due():
            self.take(value)

    def is_due(self) -> bool:
        """Whether the next value is one to take; it counts as added where it is not."""
        if self.left:
            self.left -= 1
            return False
        return True

    def take(self, value) -> None:
        """One value that is due."""
        self.values.append(value)
        if len(self.values) > MOST_KEPT:    # an odd number, so the last one stays
            del self.values[1::2]
            self.every *= 2
        self.left = self.every - 1


class Gap(NamedTuple):
    """A pause in a topic with a rate."""

    at_ns: int      # log time of the last message before it
    seconds: float


class Step(NamedTuple):
    """The header stamps moved against the log times from one message to the next."""

    at_ns: int        # log time
    seconds: float    # how much later the header stamps are from there on


class Clock(NamedTuple):
    """Header stamps against log times; offset: log time - header stamp, s."""

    first: float
    least: float
    most: float
    drift_ppm: float | None    # how much faster log time runs, of the longest piece without step; None: too short
    steps: tuple[Step, ...]    # the largest ones
    step_count: int
    backward_count: int        # header stamps before the one before


class TopicStamps:
    """Takes the stamps of a topic in, in order."""

    def __init__(self, has_header: bool) -> None:
        self.has_header = has_header
        self.count = 0
        self.first_ns = self.last_ns = 0
        self.periods = Thinned()
        self.longest: list[tuple[float, int]] = []    # heap of (s, at_ns)
        self.clock = _Clock()
        self.short = 0    # messages too short for a header

    def add(self, stamp_ns: int, data: bytes) -> int | None:
        """One message; its header stamp, ns, where it has one."""
        if self.count:
            period = (stamp_ns - self.last_ns) / NANOSECONDS
            if self.periods.is_due():
                self.periods.take(period)
            if period > LEAST_GAP:
                self._note_gap(period)
        else:
            self.first_ns = stamp_ns
        self.last_ns = stamp_ns
        self.count += 1
        if not self.has_header:
            return None
        if len(data) < ENCAPSULATION + 8:
            self.short += 1
            return None
        seconds, nanoseconds = STAMPS[data[1] & 1].unpack_from(data, ENCAPSULATION)
        header = seconds * 1_000_000_000 + nanoseconds
        self.clock.add(stamp_ns, header)
        return header

    def _note_gap(self, period: float) -> None:
        heapq.heappush(self.longest, (period, -self.last_ns))
        if len(self.longest) > MOST_GAPS:
            heapq.heappop(self.longest)

    @property
    def is_regular(self) -> bool:
        """Whether the topic has a rate."""
        periods = sorted(self.periods.values)
        return len(periods) >= 4 and 0.0 < periods[(9 * len(periods)) // 10] <= REGULAR * max(self.period, 1e-9)

    @property
    def period(self) -> float:
        """Median of the times between messages, s; 0 with fewer than two."""
        periods = sorted(self.periods.values)
        return periods[len(periods) // 2] if periods else 0.0

    @property
    def rate(self) -> float:
        """Messages per second between the first and the last."""
        span = (self.last_ns - self.first_ns) / NANOSECONDS
        return (self.count - 1) / span if span > 0.0 else 0.0

    def gaps(self) -> list[Gap]:
        """The longest pauses, by time; none where there is no rate."""
        if not self.is_regular:
            return []
        least = max(LEAST_GAP, GAP_PERIODS * self.period)
        return sorted(Gap(-at, period) for period, at in self.longest if period >= least)


class _Clock:
    """Sums of the offsets of a topic, piece by piece between steps."""

    def __init__(self) -> None:
        self.first = self.least = self.most = None
        self.last_offset = self.last_header = 0
        self.steps: list[tuple[float, Step]] = []
        self.step_count = self.backward_count = 0
        self.piece = self.best = None

    def add(self, stamp: int, header: int) -> None:
        offset = stamp - header
        if self.first is None:
            self.first = self.least = self.most = offset
            self.piece = self.best = _Piece(stamp)
        else:
            self._follow(stamp, header, offset)
        piece = self.piece
        piece.count += 1
        if piece.count % EVERY == 1:
            piece.add(stamp, offset - self.first)
        self.last_offset, self.last_header = offset, header

    def _follow(self, stamp: int, header: int, offset: int) -> None:
        if header < self.last_header:
            self.backward_count += 1
        if offset < self.least:
            self.least = offset
        elif offset > self.most:
            self.most = offset
        moved = (self.last_offset - offset) / NANOSECONDS
        if abs(moved) > STEP:
            self.step_count += 1
            heapq.heappush(self.steps, (abs(moved), Step(stamp, moved)))
            if len(self.steps) > MOST_GAPS:
                heapq.heappop(self.steps)
            self.best = max(self.best, self.piece, key=lambda piece: piece.count)
            self.piece = _Piece(stamp)

    def result(self) -> Clock | None:
        """None without messages."""
        if self.first is None:
            return None
        steps = tuple(sorted(step for _, step in self.steps))
        longest = max(self.best, self.piece, key=lambda piece: piece.count)
        first, least, most = (ns / NANOSECONDS for ns in (self.first, self.least, self.most))
        return Clock(first, least, most, longest.drift(), steps, self.step_count, self.backward_count)


class _Piece:
    """Sums for a straight line through offsets over log time."""

    def __init__(self, start: int) -> None:
        self.start, self.count, self.taken = start, 0, 0
        self.t = self.o = self.tt = self.to = self.span = 0.0

    def add(self, stamp: int, offset: int) -> None:
        t, o = (stamp - self.start) / NANOSECONDS, offset / NANOSECONDS
        self.taken += 1
        self.t += t
        self.o += o
        self.tt += t * t
        self.to += t * o
        self.span = t

    def drift(self) -> float | None:
        """Slope, in millionths."""
        spread = self.tt - self.t * self.t / max(self.taken, 1)
        if self.span < LEAST_DRIFT_TIME or spread <= 0.0:
            return None
        return 1e6 * (self.to - self.t * self.o / self.taken) / spread


def begins_with_header(definition: str) -> bool:
    """Whether the first field of a type, by its definition, is a std_msgs/Header."""
    for line in definition.splitlines():
        text = line.partition('#')[0].strip()
        if text.startswith('==='):
            return False
        if text and '=' not in text:
            return bool(HEADER_FIELD.match(text))
    return False
