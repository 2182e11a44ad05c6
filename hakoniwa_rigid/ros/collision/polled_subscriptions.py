# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Polled subscriptions: no executor waits for them, the tick empties their queues.

A callback per message would wake the node for every one of them, and what it stores is used at the next tick only.
Emptying the queues there costs a third (docs/adr/0008), the tick never waits behind a flood of messages, and the queue
of a reader is also the bound of what one source can bring in a tick: it pushes out its own samples, and those of no
other source."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from rclpy.serialization import deserialize_message

from hakoniwa_rigid.codec.cdr import CdrError
from hakoniwa_rigid.scene.inputs.input_adapter import InputAdapter, Topic

from ..bulk import BulkTaker, Taken, have_rcl
from ..qos import FLEETS, INPUT, never_called, poll_for_a_while, subscribe
from .recorder import Recorder

__all__ = ['MessageReader', 'PolledSubscriptions', 'SingleTaker']


class MessageReader:
    """Reads whole ROS messages: for topics with few of them."""

    def __init__(self, kind: type) -> None:
        self._kind = kind

    def read(self, data: bytes) -> object:
        """The message. Raises CdrError."""
        try:
            return deserialize_message(data, self._kind)
        except Exception as error:  # rclpy has a type of its own for this, without a public name
            raise CdrError(f'{len(data)} bytes are no {self._kind.__name__}: {error}') from error


class PolledSubscription(NamedTuple):
    """A subscription to a topic of the adapter."""

    topic: Topic
    subscription: object


class SingleTaker:
    """What BulkTaker does, one message at a time through rclpy."""

    def __init__(self, subscriptions: list, depths: list[int]) -> None:
        self._takes = [(s.handle.take_message, s.msg_type) for s in subscriptions]
        self._depths = depths
        self._newest: list[int | None] = [None] * len(subscriptions)
        self.lost = np.zeros(len(subscriptions), dtype=np.int64)
        self.failures = 0

    def close(self) -> None:
        """Nothing to give back."""

    def take(self, on: np.ndarray) -> Iterator[Taken]:
        """As BulkTaker.take; a piece is a message."""
        self.lost[:] = 0
        for s in np.flatnonzero(on).tolist():
            take, kind = self._takes[s]
            first, taken = None, 0
            while taken < self._depths[s] and (got := take(kind, True)) is not None:
                data, info = got
                number = info['publication_sequence_number']
                first = number if first is None else first
                taken += 1
                row = np.array([[0], [len(data)], [s], [info['received_timestamp']]], dtype=np.int64)
                yield Taken(np.frombuffer(data, np.uint8), *row)
            if taken == self._depths[s] and self._newest[s] is not None:
                self.lost[s] = max(first - self._newest[s] - 1, 0)
            if taken:
                self._newest[s] = number


class Queues:
    """Subscriptions whose queues are emptied together, in one compiled loop where that can be had."""

    def __init__(self, polled: list[PolledSubscription]) -> None:
        self.polled = polled
        subscriptions = [one.subscription for one in polled]
        self.depths = [max(s.qos_profile.depth, 1) for s in subscriptions]
        handles = [s.handle for s in subscriptions]
        bulk = have_rcl(handles)
        self.taker = BulkTaker(handles, self.depths) if bulk else SingleTaker(subscriptions, self.depths)
        self._numbers = np.array([one.topic.number for one in polled], dtype=np.int64)
        # all of them at every tick: a queue that is empty says so as fast as a topic says that it has no writer
        self._all = np.ones(len(subscriptions), dtype=bool)

    def take(self) -> Iterator[Taken]:
        """What waits, by the adapter's numbers of the topics."""
        for piece in self.taker.take(self._all):
            yield piece._replace(topics=self._numbers[piece.topics])


class PolledSubscriptions:
    """The subscriptions to the topics of an adapter, and to those of drones and hands that come and leave; `close` ends
    them.  `kinds`: message classes by the names of their types."""

    def __init__(self, node, adapter: InputAdapter, kinds: dict[str, type]) -> None:
        self._node, self._adapter = node, adapter
        self.recorder = Recorder()
        polled: list[PolledSubscription] = []
        for topic in adapter.topics:
            qos = FLEETS if topic.in_parts else INPUT
            subscription = subscribe(node, kinds[topic.type], topic.name, never_called, qos, raw=True)
            node.polled.add(subscription)
            polled.append(PolledSubscription(topic, subscription))
        self._first, self._come = Queues(polled), None
        self._taker = self._first.taker
        self._of_newcomer: dict[str, list[PolledSubscription]] = {}
        self.drop()  # compiles

    @property
    def names(self) -> list[str]:
        """The full names of the topics that there were at the start, in the order of the adapter."""
        return [one.subscription.topic_name for one in self._first.polled]

    def close(self) -> None:
        """Unsubscribe from everything."""
        for name in list(self._of_newcomer):
            self.close_newcomer(name)
        self._taker.close()
        self._unsubscribe(self._first.polled)

    def _unsubscribe(self, polled: list[PolledSubscription]) -> None:
        for _, subscription in polled:
            self._node.destroy_subscription(subscription)
            self._node.polled.discard(subscription)
        polled.clear()

    def open_newcomer(self, name: str, topics: list[Topic], kinds: dict[str, type]) -> list[str]:
        """Subscribe to the topics of what came; their full names.  StartError, with none of them open."""
        opened: list[PolledSubscription] = []
        try:
            for topic in topics:
                subscription = poll_for_a_while(self._node, kinds[topic.type], topic.name, never_called, INPUT)
                self._node.polled.add(subscription)
                opened.append(PolledSubscription(topic, subscription))
        except Exception:
            self._unsubscribe(opened)
            raise
        self._of_newcomer[name] = opened
        self._gather()
        return [one.subscription.topic_name for one in opened]

    def close_newcomer(self, name: str) -> None:
        """Unsubscribe from them."""
        gone = self._of_newcomer.pop(name)
        self._gather()      # nothing reads them any more
        self._unsubscribe(gone)

    def _gather(self) -> None:
        """All that came are emptied in one go."""
        if self._come is not None:
            self._come.taker.close()
        polled = [one for opened in self._of_newcomer.values() for one in opened]
        self._come = Queues(polled) if polled else None

    @property
    def _queues(self) -> tuple[Queues, ...]:
        return (self._first,) if self._come is None else (self._first, self._come)

    def empty(self, now: int) -> None:
        """Give the scene what has arrived: of a topic at most as much as its queue holds, so that a flood ends. `now`:
        ROS time in ns."""
        # arrivals are stamped by the system's clock; simulated time may have stood still since
        simulated = self._node.get_clock().ros_time_is_active
        ahead = 0 if simulated else now - time.time_ns()
        for queues in self._queues:
            for piece in queues.take():
                receptions = np.full_like(piece.receptions, now) if simulated else piece.receptions + ahead
                self.recorder.take(piece, receptions)
                self._adapter.take(piece.data, piece.offsets, piece.lengths, piece.topics, receptions)
        self._adapter.flush()
        self.recorder.add('flush')
        for queues in self._queues:
            for k in np.flatnonzero(queues.taker.lost).tolist():
                self._overflow(queues.polled[k], int(queues.taker.lost[k]), queues.depths[k])

    def drop(self) -> None:
        """Empty the queues and forget what was in them."""
        for queues in self._queues:
            for _ in queues.take():
                pass

    def _overflow(self, polled: PolledSubscription, lost: int, depth: int) -> None:
        topic, subscription = polled
        value = f'{lost} older messages of {subscription.topic_name} were dropped'
        note = f'{value}: more than {depth} since the last tick'
        self._adapter.ledger.note('overflow', topic.source.key, note)
