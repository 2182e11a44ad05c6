# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Many topics served by compiled loops, over DDS in this process: the same as one message at a time through rclpy."""

from __future__ import annotations

import gc
import os
import time
import weakref
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest
import rclpy
from adapters import make_settings
from nav_msgs.msg import Odometry
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.serialization import serialize_message
from std_msgs.msg import String

from hakoniwa_rigid.ros import bulk
from hakoniwa_rigid.ros.bulk import BulkPublisher, BulkTaker, have_rcl
from hakoniwa_rigid.ros.collision import publishers, subscriptions
from hakoniwa_rigid.ros.collision.polled_subscriptions import SingleTaker
from hakoniwa_rigid.ros.collision.publishers import SinglePublisher
from hakoniwa_rigid.scene import CollisionScene

pytestmark = pytest.mark.ros
DEPTH = 6
WAIT = 120.0
ALL = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE)


def until(fact, what: str) -> None:
    end = time.monotonic() + WAIT
    while not fact():
        assert time.monotonic() < end, f'waited in vain for: {what}'
        time.sleep(0.001)


@pytest.fixture
def node() -> Iterator:
    """A bare node."""
    context = rclpy.Context()
    rclpy.init(args=['--ros-args', '--disable-rosout-logs'], context=context)
    made = rclpy.create_node('tested', context=context, start_parameter_services=False)
    made.polled = set()
    yield made
    made.destroy_node()
    rclpy.try_shutdown(context=context)


class Rig:
    """Topics, each with a writer, a reader per taker, and a reader that keeps everything: it tells what has arrived."""

    def __init__(self, node, topics: int) -> None:
        qos = QoSProfile(depth=DEPTH, reliability=ReliabilityPolicy.RELIABLE)
        names = [f't{k}' for k in range(topics)]

        def readers(profile):
            return [node.create_subscription(String, name, print, profile, raw=True) for name in names]

        self.for_bulk, self.for_single, self._witnesses = readers(qos), readers(qos), readers(ALL)
        self.writers = [node.create_publisher(String, name, ALL) for name in names]
        until(lambda: all(w.get_subscription_count() == 3 for w in self.writers), 'readers')
        assert have_rcl([s.handle for s in self.for_bulk])
        self.bulk = BulkTaker([s.handle for s in self.for_bulk], [DEPTH] * topics)
        self.single = SingleTaker(self.for_single, [DEPTH] * topics)
        self._seen = [0] * topics
        self._sent = [0] * topics

    def send(self, topic: int, *texts: str) -> None:
        """Publish, and wait until it is there."""
        for text in texts:
            self.writers[topic].publish(String(data=text))
        self._sent[topic] += len(texts)
        until(lambda: self._arrived(topic), f'{len(texts)} messages of t{topic}')

    def _arrived(self, topic: int) -> bool:
        while self._witnesses[topic].handle.take_message(String, True) is not None:
            self._seen[topic] += 1
        return self._seen[topic] == self._sent[topic]

    def take(self, on=None) -> tuple[list, list]:
        """What both takers have, and what was lost before; in the same form."""
        on = np.ones(len(self.writers), dtype=bool) if on is None else np.array(on)
        found = []
        for taker in (self.bulk, self.single):
            # what a piece holds is copied before the next is asked for
            rows = [(int(topic), piece.data[at : at + length].tobytes())
                    for piece in taker.take(on)
                    for at, length, topic in zip(piece.offsets, piece.lengths, piece.topics, strict=True)]
            found.append((rows, taker.lost.tolist()))
        assert found[0] == found[1]
        return found[0]


def raw(topic: int, *texts: str) -> list:
    return [(topic, serialize_message(String(data=text))) for text in texts]


def test_messages_come_by_topic_and_in_order(node):
    rig = Rig(node, 3)
    assert rig.take() == ([], [0, 0, 0])
    rig.send(2, 'c1', 'c2')
    rig.send(0, 'a1')
    rig.send(2, 'c3')
    assert rig.take() == (raw(0, 'a1') + raw(2, 'c1', 'c2', 'c3'), [0, 0, 0])
    assert rig.take() == ([], [0, 0, 0])


def test_topics_that_are_off_keep_their_messages(node):
    rig = Rig(node, 2)
    rig.send(0, 'a')
    rig.send(1, 'b')
    assert rig.take([False, True])[0] == raw(1, 'b')
    assert rig.take([True, False])[0] == raw(0, 'a')


def test_times_of_reception_are_the_systems(node):
    rig = Rig(node, 1)
    before = time.time_ns()
    rig.send(0, 'a', 'b')
    after = time.time_ns()
    on = np.ones(1, dtype=bool)
    ours = [int(t) for piece in rig.bulk.take(on) for t in piece.receptions]
    theirs = [int(t) for piece in rig.single.take(on) for t in piece.receptions]
    for times in (ours, theirs):
        assert len(times) == 2
        assert before <= times[0] <= times[1] <= after


def test_a_flood_is_cut_to_its_newest_and_what_was_lost_is_reported(node):
    rig = Rig(node, 2)
    rig.send(0, '0')
    rig.send(1, '0')
    rig.take()
    rig.send(0, *map(str, range(1, 21)))
    rig.send(1, '1')
    assert rig.take() == (raw(0, *map(str, range(15, 21))) + raw(1, '1'), [14, 0])
    # just full is no loss; counted once
    rig.send(0, *map(str, range(21, 27)))
    assert rig.take() == (raw(0, *map(str, range(21, 27))), [0, 0])
    assert rig.take() == ([], [0, 0])
    rig.send(0, *map(str, range(27, 34)))
    assert rig.take()[1] == [1, 0]
    # a topic that was off meanwhile
    rig.send(1, *map(str, range(2, 12)))
    assert rig.take([True, False])[1] == [0, 0]
    assert rig.take() == (raw(1, *map(str, range(6, 12))), [0, 4])


@pytest.mark.parametrize(('arena', 'most'), [(1 << 20, 3), (1 << 20, 1), (300, 100), (64, 2), (1, 100)])
def test_in_however_many_pieces(node, monkeypatch, arena, most):
    """Messages larger than all the room, too."""
    monkeypatch.setattr(bulk, 'ARENA', arena)
    monkeypatch.setattr(bulk, 'MOST_MESSAGES', most)
    rig, rng = Rig(node, 4), np.random.default_rng(arena + most)
    for topic in range(4):
        rig.send(topic, 'first')  # what came before it is no loss
    rig.take()
    for _ in range(4):
        sent, lost = [], []
        for topic in range(4):
            texts = [chr(97 + topic) * int(rng.choice([1, 20, 250, 5000])) + str(k) for k in range(rng.integers(0, 9))]
            rig.send(topic, *texts)
            sent += raw(topic, *texts[-DEPTH:])
            lost.append(max(len(texts) - DEPTH, 0))
        assert rig.take() == (sent, lost)
    assert rig.bulk.failures == 0


def test_a_megabyte_is_taken_and_the_room_used_again(node):
    rig = Rig(node, 1)
    texts = [str(k) * (bulk.ARENA // 2 + 1000) for k in range(3)]
    rig.send(0, *texts)
    assert rig.take()[0] == raw(0, *texts)
    rig.send(0, 'small')
    assert rig.take()[0] == raw(0, 'small')


def test_a_subscription_that_fails_is_counted_and_harms_no_other(node):
    rig = Rig(node, 3)
    rig.send(0, 'a')
    rig.send(2, 'c')
    rig.bulk._pointers[1] = 0  # rcl refuses it
    on = np.ones(3, dtype=bool)
    got = [topic for piece in rig.bulk.take(on) for topic in piece.topics.tolist()]
    assert got == [0, 2]
    assert rig.bulk.failures == 1


def test_handles_that_are_not_rcls_are_left_to_rclpy():
    assert not have_rcl([SimpleNamespace()])


# -- publishing


@pytest.mark.parametrize('kind', [BulkPublisher, SinglePublisher])
def test_rows_go_to_their_topics_only(node, kind):
    names = [f'out{k}' for k in range(5)]
    readers = [node.create_subscription(String, name, print, ALL, raw=True) for name in names]
    writers = [node.create_publisher(String, name, ALL) for name in names]
    until(lambda: all(w.get_subscription_count() for w in writers), 'readers')
    publisher = kind([w.handle for w in writers])
    expected: list[list[bytes]] = [[] for _ in names]
    for k, on in enumerate(([1, 1, 1, 1, 1], [0, 1, 0, 0, 1], [0, 0, 0, 0, 0], [1, 0, 0, 0, 0])):
        rows = [serialize_message(String(data=f'round {k} topic {topic}')) for topic in range(5)]
        table = np.array([np.frombuffer(row, np.uint8) for row in rows])
        assert publisher.publish(table, np.array(on, dtype=bool), np.arange(5)[::-1].copy()) == 0
        table[:] = 0  # what was sent is sent
        for topic in np.flatnonzero(on):
            expected[topic].append(rows[topic])
    got: list[list[bytes]] = [[] for _ in names]

    def all_there() -> bool:
        for reader, messages in zip(readers, got, strict=True):
            while (message := reader.handle.take_message(String, True)) is not None:
                messages.append(message[0])
        return sum(map(len, got)) >= sum(map(len, expected))

    until(all_there, 'what was published')
    assert got == expected


@pytest.mark.parametrize('kind', [BulkPublisher, SinglePublisher])
def test_in_the_order_asked_for(node, kind):
    reader = node.create_subscription(String, 'out', print, ALL, raw=True)
    writers = [node.create_publisher(String, 'out', ALL) for _ in range(4)]
    until(lambda: reader.get_publisher_count() == 4 and all(w.get_subscription_count() for w in writers), 'each other')
    rows = [serialize_message(String(data=str(k))) for k in range(4)]
    publisher = kind([w.handle for w in writers])
    publisher.publish(np.array([np.frombuffer(row, np.uint8) for row in rows]), np.array([1, 1, 0, 1], dtype=bool),
                      np.array([3, 2, 0, 1]))
    got = []
    until(lambda: got.append(reader.handle.take_message(String, True)) or sum(m is not None for m in got) == 3, 'three')
    assert [m[0] for m in got if m is not None] == [rows[3], rows[0], rows[1]]


def test_what_cannot_be_published_is_counted_and_harms_no_other(node):
    reader = node.create_subscription(String, 'out', print, ALL, raw=True)
    writer = node.create_publisher(String, 'out', ALL)
    until(writer.get_subscription_count, 'the reader')
    publisher = BulkPublisher([writer.handle, writer.handle])
    publisher._pointers[0] = 0
    row = np.frombuffer(serialize_message(String(data='x')), np.uint8)
    assert publisher.publish(np.array([row, row]), np.ones(2, dtype=bool), np.arange(2)) == 1
    taken = []
    until(lambda: taken.append(reader.handle.take_message(String, True)) or taken[-1], 'the other row')
    assert taken[-1][0] == row.tobytes()


# -- nothing stays behind


def test_configured_and_cleaned_up_again_and_again_leaves_nothing(node):
    made = make_settings('a', 'b', 'c', hands=('right',))
    for name, values in made.drones.items():
        values['topic_odom_corrected'] = f'{name}/odom_corrected'
    scene = CollisionScene.from_config(made.world)
    own = [len(list(entities)) for entities in (node.subscriptions, node.publishers)]
    raws = [serialize_message(Odometry())]
    files, dead = [], []
    for k in range(12):
        inputs, outputs = subscriptions.Inputs(node, scene, made), publishers.Outputs(node, scene, made)
        assert len(node.polled) == len(inputs.adapter.topics) in (9, 12)  # motor speeds, too, with actuator_msgs
        for writer in outputs._publishers:
            writer.publish(raws[0])
        tick = scene.advance(k * 5_000_000)
        inputs.read(k * 5_000_000)
        outputs.publish(tick)
        dead += [weakref.ref(part) for part in (inputs, inputs.polled._taker, inputs.adapter, outputs,
                                                outputs._groups[0].publisher)]
        dead += [weakref.ref(s) for s in node.subscriptions]
        inputs.close()
        outputs.close()
        del inputs, outputs, tick, writer
        gc.collect()
        files.append(len(os.listdir('/proc/self/fd')))
        assert not [ref() for ref in dead if ref() is not None]
        assert not node.polled
        assert [len(list(entities)) for entities in (node.subscriptions, node.publishers)] == own
    assert files[-1] <= files[2]
