"""Subscriptions that nobody waits for: the tick empties their queues.

A callback per message would wake the node for every one of them, and what it stores is used at the next tick only.
Emptying the queues there costs half as much (docs/adr/0008), the timer never waits behind a flood of messages, and the
queue of a reader is also the bound of what one source can bring in a tick: it pushes out its own samples, nobody
else's.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from rclpy.serialization import deserialize_message

from .cdr import CdrError
from .qos import subscribe
from .watch import Watch

__all__ = ['Inlet', 'Inlets', 'MessageReader', 'Reader']


class Reader(Protocol):
    """Makes a message of its bytes."""

    def read(self, data: bytes) -> object:
        """Raises CdrError."""


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


class Inlet:
    """One subscription, how its bytes are read and who gets the message."""

    def __init__(self, key: str, subscription, reader: Reader, deliver: Callable[[object], None]) -> None:
        self.key, self.subscription, self.reader, self.deliver = key, subscription, reader, deliver
        self.kind, self.take = subscription.msg_type, subscription.handle.take_message
        self.depth = max(subscription.qos_profile.depth, 1)
        self.newest: int | None = None  # number of the newest message, as its writer counts


class Inlets:
    """All of a node's. `note(cause, key, value)` is told of bytes that are no message, and of messages pushed out."""

    def __init__(self, node, note: Callable[[str, str, object], object]) -> None:
        self._node, self._note = node, note
        self._inlets: list[Inlet] = []
        self._watch = Watch()
        self.received = 0
        self.reception = 0  # ROS time in ns at which the message being delivered arrived

    def open(self, key: str, kind: type, topic: str, qos, reader: Reader, deliver: Callable[[object], None]) -> None:
        """Subscribe."""
        subscription = subscribe(self._node, kind, topic, deliver, qos, raw=True)
        self._node.polled.add(subscription)
        self._inlets.append(Inlet(key, subscription, reader, deliver))
        # taking from an empty queue costs as much as asking, but is done far more often
        self._watch.add(subscription.get_publisher_count)

    def close(self) -> None:
        """Unsubscribe from everything."""
        for inlet in self._inlets:
            self._node.polled.discard(inlet.subscription)
            self._node.destroy_subscription(inlet.subscription)
        self._inlets.clear()
        self._watch = Watch()

    def empty(self) -> None:
        """Deliver what has arrived: of a topic at most as much as its queue holds, so that a flood ends."""
        # arrivals are stamped by the system's clock; simulated time may have stood still since
        clock = self._node.get_clock()
        now = clock.now().nanoseconds
        ahead = None if clock.ros_time_is_active else now - time.time_ns()
        self._watch.look()
        for inlet, on in zip(self._inlets, self._watch.on, strict=True):
            if on and (got := inlet.take(inlet.kind, True)) is not None:
                self._empty(inlet, got, now, ahead)

    def _empty(self, inlet: Inlet, got: tuple[bytes, dict], now: int, ahead: int | None) -> None:
        first, taken = got[1]['publication_sequence_number'], 0
        while got is not None:
            data, info = got
            self.reception = now if ahead is None else info['received_timestamp'] + ahead
            taken += 1
            try:
                message = inlet.reader.read(data)
            except CdrError as error:
                self._note('malformed', inlet.key, error)
            else:
                inlet.deliver(message)
            got = inlet.take(inlet.kind, True) if taken < inlet.depth else None
        if taken == inlet.depth:
            self._overflow(inlet, first)
        self.received += taken
        inlet.newest = info['publication_sequence_number']

    def drop(self) -> None:
        """Empty the queues and forget what was in them."""
        for inlet in self._inlets:
            for _ in range(inlet.depth):
                if inlet.take(inlet.kind, True) is None:
                    break

    def _overflow(self, inlet: Inlet, first: int) -> None:
        """The queue was full: were there more before the oldest in it?"""
        if inlet.newest is not None and first > inlet.newest + 1:
            value = f'{first - inlet.newest - 1} older messages of {inlet.subscription.topic_name} were dropped'
            self._note('overflow', inlet.key, f'{value}: more than {inlet.depth} since the last tick')
