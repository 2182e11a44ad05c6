"""The queues that the tick empties: bounds, causes and times, with subscriptions that are lists."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from hakoniwa_rigid.ros.cdr import CdrError
from hakoniwa_rigid.ros.inlets import Inlets


class Topic:
    """A subscription whose queue keeps the newest `depth` of (bytes, number, arrival ns), as a DDS reader's does."""

    def __init__(self, topic: str, depth: int) -> None:
        self.topic_name, self.msg_type = topic, bytes
        self.qos_profile = SimpleNamespace(depth=depth)
        self.handle = self
        self.queue: list[tuple[bytes, int, int]] = []
        self.writers = 1

    def get_publisher_count(self) -> int:
        return self.writers

    def send(self, *numbers: int, data: bytes = b'') -> None:
        self.queue += [(data or str(n).encode(), n, n) for n in numbers]
        del self.queue[: -self.qos_profile.depth]

    def take_message(self, kind: type, raw: bool):
        assert kind is bytes and raw
        if not self.queue:
            return None
        data, number, arrival = self.queue.pop(0)
        return data, {'received_timestamp': arrival, 'publication_sequence_number': number}


class Node:
    """As much of a node as Inlets asks for; its clock is ahead of the system's by `ahead` ns, or stands at `simulated`
    ns."""

    def __init__(self, ahead: int = 0, simulated: int | None = None) -> None:
        self.polled, self.topics, self.ahead, self.simulated = set(), {}, ahead, simulated

    def create_subscription(self, kind, topic, callback, qos, qos_overriding_options, raw):
        assert raw
        return self.topics.setdefault(topic, Topic(topic, qos))

    def destroy_subscription(self, subscription) -> None:
        del self.topics[subscription.topic_name]

    def get_clock(self):
        now = time.time_ns() + self.ahead if self.simulated is None else self.simulated
        time_now = SimpleNamespace(nanoseconds=now)
        return SimpleNamespace(now=lambda: time_now, ros_time_is_active=self.simulated is not None)


class Text:
    def read(self, data: bytes) -> str:
        if data.startswith(b'!'):
            raise CdrError('begins badly')
        return data.decode()


@pytest.fixture
def rig():
    node, notes, got = Node(), [], []
    inlets = Inlets(node, lambda cause, key, value: notes.append((cause, key, str(value))))
    for key in ('a', 'b'):
        inlets.open(key, bytes, key, 3, Text(), lambda text, key=key: got.append(key + text))
    return SimpleNamespace(inlets=inlets, node=node, notes=notes, got=got, a=node.topics['a'], b=node.topics['b'])


def test_everything_that_arrived_is_delivered_in_order(rig):
    rig.b.send(1)
    rig.a.send(1, 2)
    rig.inlets.empty()
    assert rig.got == ['a1', 'a2', 'b1']
    assert rig.inlets.received == 3
    rig.inlets.empty()
    assert len(rig.got) == 3
    assert not rig.notes


def test_a_flood_pushes_out_its_own_messages_only_and_is_counted(rig):
    rig.a.send(1)
    rig.b.send(1)
    rig.inlets.empty()
    rig.a.send(*range(2, 12))
    rig.b.send(2)
    rig.inlets.empty()
    assert rig.got[2:] == ['a9', 'a10', 'a11', 'b2']
    assert rig.notes == [('overflow', 'a', '7 older messages of a were dropped: more than 3 since the last tick')]


def test_a_queue_that_is_just_full_is_no_overflow(rig):
    rig.a.send(1, 2, 3)
    rig.inlets.empty()
    rig.a.send(4, 5, 6)
    rig.inlets.empty()
    assert len(rig.got) == 6
    assert not rig.notes


def test_a_source_that_never_stops_does_not_hold_the_tick(rig):
    take = rig.a.take_message

    def endless(kind, raw):
        rig.a.send(1)
        return take(kind, raw)

    rig.inlets._inlets[0].take = endless
    rig.inlets.empty()
    assert rig.got == ['a1'] * 3


def test_bytes_that_are_no_message_are_counted_and_harm_nobody(rig):
    rig.a.send(1, data=b'!')
    rig.a.send(2)
    rig.b.send(1)
    rig.inlets.empty()
    assert rig.got == ['a2', 'b1']
    assert rig.notes == [('malformed', 'a', 'begins badly')]


def test_reception_is_ros_time_of_the_arrival():
    node, times = Node(ahead=-5_000_000_000), []
    inlets = Inlets(node, lambda *_: None)
    inlets.open('a', bytes, 'a', 3, Text(), lambda _: times.append(inlets.reception))
    arrival = time.time_ns()
    node.topics['a'].queue.append((b'x', 1, arrival))
    inlets.empty()
    assert abs(times[0] - (arrival - 5_000_000_000)) < 1_000_000_000  # the two clocks are read one after the other


def test_reception_in_simulated_time_is_now():
    """However long it waited by the machine's clock: time may have stood still since."""
    node, times = Node(simulated=7_000_000_000), []
    inlets = Inlets(node, lambda *_: None)
    inlets.open('a', bytes, 'a', 3, Text(), lambda _: times.append(inlets.reception))
    node.topics['a'].queue.append((b'x', 1, time.time_ns() - 60_000_000_000))
    inlets.empty()
    assert times == [7_000_000_000]


def test_what_is_dropped_is_gone_and_closing_leaves_nothing(rig):
    rig.a.send(1, 2)
    rig.inlets.drop()
    rig.inlets.empty()
    assert not rig.got
    assert rig.node.polled == {rig.a, rig.b}
    rig.inlets.close()
    assert not rig.node.polled
    assert not rig.node.topics
