# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The queues that the tick empties: bounds, causes and times, with subscriptions that are lists."""

from __future__ import annotations

import time
from types import SimpleNamespace

import numpy as np
import pytest

from hakoniwa_rigid.ros.collision.polled_subscriptions import PolledSubscriptions, SingleTaker
from hakoniwa_rigid.ros.qos import FLEETS, INPUT
from hakoniwa_rigid.scene.inputs.input_adapter import Topic as InputTopic
from hakoniwa_rigid.scene.records import Ledger

DEPTH = INPUT.depth


class Topic:
    """A subscription whose queue keeps the newest `depth` of (bytes, number, arrival ns), as a DDS reader's does."""

    def __init__(self, topic: str, qos) -> None:
        self.topic_name, self.msg_type = topic, bytes
        self.qos_profile = qos
        self.handle = self
        self.queue: list[tuple[bytes, int, int]] = []

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
    """As much of a node as PolledSubscriptions asks for; its time is simulated or the system's."""

    def __init__(self, simulated: bool = False) -> None:
        self.polled, self.topics, self.simulated = set(), {}, simulated

    def create_subscription(self, kind, topic, callback, qos, qos_overriding_options, raw):
        assert raw
        return self.topics.setdefault(topic, Topic(topic, qos))

    def destroy_subscription(self, subscription) -> None:
        del self.topics[subscription.topic_name]

    def get_clock(self):
        return SimpleNamespace(ros_time_is_active=self.simulated)


class InputAdapter:
    """As much of an adapter as PolledSubscriptions asks for: takes note of everything."""

    def __init__(self, *keys: str, in_parts: bool = False) -> None:
        self.topics = [InputTopic(k, SimpleNamespace(key=key), 'bytes', key, None, None, in_parts)
                       for k, key in enumerate(keys)]
        self.ledger = Ledger()
        self.got, self.receptions, self.flushed = [], [], 0

    def take(self, data, offsets, lengths, topics, receptions) -> None:
        for at, length, topic, reception in zip(offsets, lengths, topics, receptions, strict=True):
            self.got.append(self.topics[topic].name + data[at : at + length].tobytes().decode())
            self.receptions.append(int(reception))

    def flush(self) -> None:
        self.flushed = len(self.got)


def opened(*keys: str, simulated: bool = False, in_parts: bool = False) -> SimpleNamespace:
    node, adapter = Node(simulated), InputAdapter(*keys, in_parts=in_parts)
    polled = PolledSubscriptions(node, adapter, {'bytes': bytes})
    assert isinstance(polled._taker, SingleTaker)  # these handles are none of rcl's
    return SimpleNamespace(polled=polled, node=node, adapter=adapter, **node.topics)


@pytest.fixture
def rig() -> SimpleNamespace:
    return opened('a', 'b')


def test_everything_that_arrived_is_delivered_in_order_then_the_scene_gets_it(rig):
    rig.b.send(1)
    rig.a.send(1, 2)
    rig.polled.empty(0)
    assert rig.adapter.got == ['a1', 'a2', 'b1']
    assert rig.adapter.flushed == 3
    rig.polled.empty(0)
    assert len(rig.adapter.got) == 3
    assert not rig.adapter.ledger.counters


def test_a_flood_pushes_out_its_own_messages_only_and_is_counted(rig):
    rig.a.send(1)
    rig.b.send(1)
    rig.polled.empty(0)
    rig.a.send(*range(2, 14))
    rig.b.send(2)
    rig.polled.empty(0)
    assert rig.adapter.got[2:] == ['a9', 'a10', 'a11', 'a12', 'a13', 'b2']
    assert rig.adapter.ledger.counters == {('overflow', 'a'): 1}
    said = rig.adapter.ledger.last['overflow', 'a']
    assert said == '7 older messages of a were dropped: more than 5 since the last tick'
    rig.polled.empty(0)
    assert rig.adapter.ledger.counters == {('overflow', 'a'): 1}


def test_a_queue_that_is_just_full_is_no_overflow_nor_is_what_got_lost_on_the_way(rig):
    rig.a.send(1, 2, 3, 4, 5)
    rig.polled.empty(0)
    rig.a.send(6, 7, 8, 9, 10)
    rig.polled.empty(0)
    rig.a.send(20, 21)
    rig.polled.empty(0)
    assert len(rig.adapter.got) == 12
    assert not rig.adapter.ledger.counters


def test_a_source_that_never_stops_does_not_hold_the_tick(rig):
    take = rig.a.take_message

    def endless(kind, raw):
        rig.a.send(1)
        return take(kind, raw)

    rig.polled._taker._takes[0] = endless, bytes
    rig.polled.empty(0)
    assert rig.adapter.got == ['a1'] * DEPTH


def test_topics_in_parts_have_longer_queues():
    rig = opened('a', in_parts=True)
    rig.a.send(*range(2 * DEPTH))
    rig.polled.empty(0)
    assert len(rig.adapter.got) == 2 * DEPTH < FLEETS.depth


def test_reception_is_ros_time_of_the_arrival():
    rig, behind = opened('a'), 5_000_000_000
    arrival = time.time_ns() - 700_000_000
    rig.a.queue.append((b'x', 1, arrival))
    now = time.time_ns()
    rig.polled.empty(now - behind)
    # the other clock is read after `now`
    assert 0 <= (arrival - behind) - rig.adapter.receptions[0] <= time.time_ns() - now


def test_reception_in_simulated_time_is_now():
    """However long it waited by the machine's clock: time may have stood still since."""
    rig = opened('a', simulated=True)
    rig.a.queue.append((b'x', 1, time.time_ns() - 60_000_000_000))
    rig.polled.empty(7_000_000_000)
    assert rig.adapter.receptions == [7_000_000_000]


def test_what_is_dropped_is_gone_and_closing_leaves_nothing(rig):
    rig.a.send(1, 2)
    rig.polled.drop()
    rig.polled.empty(0)
    assert not rig.adapter.got
    # the queue was full of what came after: nothing of it got lost
    rig.a.send(3, 4, 5, 6, 7)
    rig.polled.empty(0)
    assert not rig.adapter.ledger.counters
    assert rig.node.polled == {rig.a, rig.b}
    rig.polled.close()
    assert not rig.node.polled
    assert not rig.node.topics


def test_what_is_taken_stands_where_it_is_said_to(rig):
    rig.a.send(1, data=b'first')
    rig.b.send(7, data=b'')
    pieces = list(rig.polled._taker.take(np.array([True, True])))
    reported = [(p.data[p.offsets[0]:][: p.lengths[0]].tobytes(), *p.lengths, *p.topics, *p.receptions) for p in pieces]
    assert reported == [(b'first', 5, 0, 1), (b'7', 1, 1, 7)]
