# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The load of `bench node`: publishes the poses of N drones and notes when the corrected states that hold them arrive.

A drone hovers; the number of a sample is in its x, in steps too small to matter. Without velocity a corrected pose is
its newest sample's to the bit, so every corrected state tells which sample it contains.

Latency of a sample: from just before its publication to the arrival in this process of the first corrected state that
contains it or a later one. Arrivals are stamped by DDS when they enter the reader's queue, so that what this program
does next is not part of them. The phase between poses and ticks is changed twice a second and so covers the period.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import Odometry
from rclpy.qos import HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message

from hakoniwa_rigid.codec.cdr import FleetReader, SampleReader
from hakoniwa_rigid.codec.cdr_writers import FleetStateWriter, OdometryWriter
from hakoniwa_rigid.codec.message_fields import NANOSECONDS, stamp_ns
from hakoniwa_rigid.msg import FleetState

from ..bulk import BulkTaker
from ..qos import INPUT

__all__ = ['Faults', 'Latencies', 'Load', 'home']

STEP = 2.0**-20  # m of x per sample: exact in binary, a micrometre
# drones of one FleetState: DDS cuts larger messages up, and best effort loses some of the pieces
PART = 1000
CYCLE = 1 << 17  # samples after which x starts again: 0.125 m, no teleport
RING = 4096  # samples whose time of publication is known
SPACING = 4.0  # m between drones, a multiple of what CYCLE covers
HEIGHT = 2.0  # m
PHASES = 0.5  # s between two changes of phase
# drones that publish together; the groups are spread over the period, as drones of many processes would be
GROUP = 16
# drones whose corrected states are looked at; the readers of the others receive, but nothing takes from them
WATCHED = 64
REPORTED = 60.0  # s that two reports may take: they come once a second, on a machine that is not too busy
KEPT = 50  # corrected states of a topic that wait for this program
GOLDEN = 0.6180339887498949  # multiples of it, taken modulo 1, cover the period evenly
MOST_LATENCY = 1 << 60  # ns; a sample that was not sent has the time 0
BIN = 10_000  # ns, resolution of the latencies
BINS = 50_000
ONE_DOUBLE = (2, 'd48x288x48x288x')  # an Odometry of which only x is wanted


class Shown(NamedTuple):
    """A FleetArrays of the load's own."""

    positions: np.ndarray
    orientations_xyzw: np.ndarray
    linear_velocities: np.ndarray
    angular_velocities: np.ndarray
    flags: np.ndarray


class Faults(NamedTuple):
    """What goes wrong on the way to the node, of topics per drone: the share of samples that is lost; the clock of the
    last `stepped` drones steps by `step` s, ahead and back in turn, every `every` s."""

    loss: float = 0.0
    stepped: int = 0
    step: float = 0.0
    every: float = 60.0

    def offset(self, now: int) -> int:
        """ns that those clocks are ahead at a time (ns)."""
        return round(self.step * NANOSECONDS) if now // round(self.every * NANOSECONDS) % 2 else 0


class Latencies:
    """A histogram with bins of 10 us."""

    def __init__(self) -> None:
        self.counts = np.zeros(BINS, dtype=np.int64)

    def add(self, ns: np.ndarray) -> None:
        """Count latencies (K,) in ns."""
        self.counts += np.bincount(np.clip(ns // BIN, 0, BINS - 1), minlength=BINS)

    def percentile(self, percent: float) -> float:
        """s, the upper edge of the bin; NaN without any."""
        total = self.counts.sum()
        if not total:
            return float('nan')
        return float(np.searchsorted(np.cumsum(self.counts), percent / 100.0 * total) + 1) * BIN / NANOSECONDS


def home(n: int) -> np.ndarray:
    """Where n drones hover (n, 3) m: a square grid."""
    side = int(np.ceil(np.sqrt(n)))
    k = np.arange(n)
    return np.stack((SPACING * (k % side), SPACING * (k // side), np.full(n, HEIGHT)), axis=1)


class Load:
    """Publishers and readers of one run on a node of the caller's; names must be equally long."""

    def __init__(self, node, names: list[str], rate: float, fleet: bool, reliable: bool, faults: Faults | None = None,
                 ) -> None:
        n = len(names)
        self._faults, self._random = faults or Faults(), np.random.default_rng(1)
        self.node, self.n, self.fleet = node, n, fleet
        self.period = round(NANOSECONDS / rate)
        self._home = home(n)
        self._states = Shown(
            self._home.copy(),
            np.tile((0.0, 0.0, 0.0, 1.0), (n, 1)),
            np.zeros((n, 3)),
            np.zeros((n, 3)),
            np.zeros(n, np.uint8),
        )
        keep = QoSProfile(
            depth=KEPT,
            history=HistoryPolicy.KEEP_LAST,
            reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        )
        if fleet:
            self._open_fleet(names, keep)
        else:
            self._open_topics(names, keep)
        self._diagnostics = node.create_subscription(DiagnosticArray, '/diagnostics', lambda _: None, 10, raw=True)
        handles = [subscription.handle for subscription, _ in self._watched]
        self._taker = BulkTaker(handles, [KEPT] * len(handles))
        self._all = np.ones(len(handles), dtype=bool)
        self.reports: list[dict[str, str]] = []
        self._next = 0  # number of the next sample
        # of every message of a period: when it was sent, and the newest of its samples known to be contained
        self._times = np.zeros((RING, len(self._publishers)), dtype=np.int64)
        self._newest = [-1] * len(self._publishers)
        self._fresh: list[int] = []
        self.latencies = Latencies()
        self.sent = 0
        self.stamps: dict[int, int] = {}  # tick stamp -> corrected states of it

    def _open_topics(self, names: list[str], keep: QoSProfile) -> None:
        node = self.node
        self._writer = OdometryWriter('world', [f'{name}/base_link' for name in names])
        self._publishers = [node.create_publisher(Odometry, f'{name}/odom', INPUT) for name in names]
        self._readers = [
            (node.create_subscription(Odometry, f'{name}/odom_corrected', lambda _: None, keep, raw=True), k)
            for k, name in enumerate(names)
        ]
        self._rows = np.arange(len(names))
        self._decoders = [SampleReader(ONE_DOUBLE) for _ in names]
        self._watched = self._readers[:: -(-len(names) // WATCHED)]

    def _open_fleet(self, names: list[str], keep: QoSProfile) -> None:
        node = self.node
        self._parts = [slice(first, first + PART) for first in range(0, len(names), PART)]
        self._writers = [FleetStateWriter('world', tuple(names[part])) for part in self._parts]
        self._publishers = [node.create_publisher(FleetState, 'fleet/states', INPUT)] * len(self._parts)
        self._readers = [
            (node.create_subscription(FleetState, 'fleet/states_corrected', lambda _: None, keep, raw=True), 0)
        ]
        self._decoder = FleetReader(('positions',))
        self._watched = self._readers

    @property
    def watched(self) -> int:
        """Topics whose corrected states are looked at."""
        return len(self._watched)

    def matched(self) -> bool:
        """Whether every topic has its other end."""
        return (
            all(p.get_subscription_count() for p in self._publishers)
            and all(r.get_publisher_count() for r, _ in self._readers)
            and self._diagnostics.get_publisher_count() > 0
        )

    def run(self, seconds: float, progress: Callable[[int], object], check: Callable[[], None] = lambda: None) -> None:
        """Publish for so long, at the rate; every second call `progress(1)` and `check()`. `settle` comes next."""
        self._clear()
        begin = due = time.monotonic_ns()
        reported, block = 0, 0
        while due - begin < seconds * NANOSECONDS:
            number = int((due - begin) / (PHASES * NANOSECONDS))
            if number > block:
                due += round(((GOLDEN * number) % 1.0 - (GOLDEN * block) % 1.0) * self.period)
                block = number
            self._publish(due)
            self.receive()
            due += self.period
            if (due - begin) // NANOSECONDS > reported:
                reported += 1
                progress(1)
                check()

    def settle(self) -> None:
        """Wait until two reports have come that know of everything sent."""
        wanted = len(self.reports) + 2
        end = time.monotonic() + REPORTED
        while len(self.reports) < wanted and time.monotonic() < end:
            self.receive()
            time.sleep(0.5 * self.period / NANOSECONDS)

    def _clear(self) -> None:
        self.latencies, self.stamps, self.sent = Latencies(), {}, 0

    def _publish(self, due: int) -> None:
        number, row = self._next, self._next % RING
        self._next += 1
        self._states.positions[:, 0] = self._home[:, 0] + STEP * (number % CYCLE)
        if self.fleet:
            now = time.time_ns()
            messages = [
                writer.write(now, Shown(*(a[part] for a in self._states)))
                for writer, part in zip(self._writers, self._parts, strict=True)
            ]
        else:
            messages = self._topic_messages()
        pause = self.period / len(messages)
        lost = self._random.random(len(messages)) < self._faults.loss
        group = 1 if self.fleet else GROUP
        for first in range(0, len(messages), group):
            at = due + round(first * pause)
            time.sleep(max(0, at - time.monotonic_ns()) / NANOSECONDS)
            for k in range(first, min(first + group, len(messages))):
                if lost[k]:
                    self._times[row, k] = 0
                    continue
                self._times[row, k] = time.time_ns()
                self._publishers[k].publish(messages[k])
        self.sent += len(messages) - int(lost.sum())

    def _topic_messages(self) -> list[bytes]:
        """One of every drone; those of clocks that step have their own time."""
        now, faults = time.time_ns(), self._faults
        self._writer.fill(now, self._states, self._rows)
        messages = self._writer.messages()
        if faults.stepped:
            self._writer.fill(now + faults.offset(now), self._states, self._rows)
            messages[-faults.stepped:] = self._writer.messages()[-faults.stepped:]
        return messages

    # what comes back

    def receive(self) -> None:
        """Take everything that has arrived on the watched topics."""
        read = self._read_fleet if self.fleet else self._read_odometry
        for piece in self._taker.take(self._all):
            rows = zip(piece.topics, piece.offsets, piece.lengths, piece.receptions, strict=True)
            for topic, at, length, arrival in (map(int, row) for row in rows):
                read(self._watched[topic][1], piece.data[at : at + length].tobytes(), arrival)
        if self._fresh:
            fresh = np.array(self._fresh)
            self.latencies.add(fresh[fresh < MOST_LATENCY])     # the others' samples were lost
            self._fresh.clear()
        while (taken := self._diagnostics.handle.take_message(DiagnosticArray, True)) is not None:
            self._report(deserialize_message(taken[0], DiagnosticArray))

    def _read_odometry(self, k: int, data: bytes, arrival: int) -> None:
        sample = self._decoders[k].read(data)
        stamp = sample.header.stamp
        self._count(stamp)
        for number in self._contained(k, sample.values[0] - self._home[k, 0]):
            self._fresh.append(arrival - int(self._times[number % RING, k]))

    def _read_fleet(self, _: int, data: bytes, arrival: int) -> None:
        fleet = self._decoder.read(data)
        self._count(fleet.header.stamp)
        for k, x in enumerate(fleet.arrays[0][:: 3 * PART].tolist()):
            for number in self._contained(k, x - self._home[k * PART, 0]):
                self._fresh.append(arrival - int(self._times[number % RING, k]))

    def _count(self, stamp) -> None:
        ns = stamp_ns(stamp)
        self.stamps[ns] = self.stamps.get(ns, 0) + 1

    def _contained(self, k: int, x: float) -> range:
        """The samples that a pose x from home contains and none before of the k-th message did."""
        cycle = round(x / STEP)
        last = self._next - 1
        newest = last - (last - cycle) % CYCLE
        begin = max(self._newest[k] + 1, newest - RING + 1, 0)
        if newest < begin:
            return range(0)
        self._newest[k] = newest
        return range(begin, newest + 1)

    def _report(self, msg: DiagnosticArray) -> None:
        values = {v.key: v.value for status in msg.status for v in status.values}
        if 'overrun_steps' in values:
            self.reports.append(values)
