# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Reading bags that an independent writer made: every storage, split, compressed; the order; ranges; foreign types."""
import shutil
import sqlite3

import numpy as np
import pytest
import yaml
from bags import ODOMETRY, OLD_TABLES, flight, odometry, written_by_rosbags
from hypothesis import given, settings
from hypothesis import strategies as st
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from hakoniwa_rigid.replay.bag.merge import in_order
from hakoniwa_rigid.replay.bag.reader import Bag, BagError
from hakoniwa_rigid.replay.bag.storage import NEVER, Messages
from hakoniwa_rigid.replay.bag.writer import BagWriter

FLIGHT = flight()


def contents(bag):
    return [(m.topic, m.stamp_ns, m.data) for m in bag.messages()]


def in_stated_order(messages):
    return sorted(messages, key=lambda m: (m[1], m[0]))


@pytest.mark.parametrize(('storage', 'compression'), [
    ('mcap', None), ('mcap', 'storage'), ('mcap', 'message'), ('mcap', 'file'),
    ('sqlite3', None), ('sqlite3', 'message'), ('sqlite3', 'file')])
def test_what_rosbags_wrote_is_read(tmp_path, storage, compression):
    path = written_by_rosbags(tmp_path / 'bag', FLIGHT, storage, compression)
    with Bag(path) as bag:
        assert contents(bag) == in_stated_order(FLIGHT)
        assert [(t.name, t.type, t.count) for t in bag.topics] == [(f'/d{d}/odom', ODOMETRY, 300) for d in range(3)]
        assert 'geometry_msgs/PoseWithCovariance pose' in bag.topics[0].definition
        assert (bag.start_ns, bag.end_ns, bag.message_count) == (0, 2_990_002_000, 900)
        assert bag.warnings == []


@pytest.mark.parametrize(('storage', 'suffix'), [('mcap', '.mcap'), ('sqlite3', '.db3')])
def test_a_single_file_is_a_bag(tmp_path, storage, suffix):
    folder = written_by_rosbags(tmp_path / 'bag', FLIGHT, storage)
    with Bag(folder / f'bag{suffix}') as bag:
        assert contents(bag) == in_stated_order(FLIGHT)


@pytest.mark.parametrize('storage', ['mcap', 'sqlite3'])
def test_split_bags_are_one_and_their_files_may_overlap(tmp_path, storage):
    suffix = {'mcap': 'mcap', 'sqlite3': 'db3'}[storage]
    whole = written_by_rosbags(tmp_path / 'bag', FLIGHT, storage)
    parts = [FLIGHT[:350], FLIGHT[350:600], FLIGHT[590:]]
    names = []
    for n, part in enumerate(parts):
        folder = written_by_rosbags(tmp_path / f'part{n}', part, storage)
        names.append(f'bag_{n}.{suffix}')
        shutil.copy(folder / f'part{n}.{suffix}', whole / names[-1])
    file = whole / 'metadata.yaml'
    description = yaml.safe_load(file.read_text())
    description['rosbag2_bagfile_information'] |= {'relative_file_paths': names, 'message_count': 910}
    file.write_text(yaml.safe_dump(description))
    (whole / f'bag.{suffix}').unlink()
    expected = in_stated_order([m for part in parts for m in part])
    for is_described in (True, False):
        if not is_described:
            file.unlink()
        with Bag(whole) as bag:
            assert contents(bag) == expected
            assert bag.message_count == 910
            assert 'out of order, by up to 0.030000 s' in bag.warnings[-1]
            assert len(bag.warnings) == 1 or 'no metadata.yaml' in bag.warnings[0]


@pytest.mark.parametrize('storage', ['mcap', 'sqlite3'])
def test_a_range_has_the_numbers_of_the_whole(tmp_path, storage):
    path = written_by_rosbags(tmp_path / 'bag', flight(2000), storage)    # some 4 chunks
    with Bag(path) as bag:
        whole = [m for m in bag.messages() if m.topic != '/d1/odom']
        for low, high in [(0, 0), (5_000_000_000, 5_000_001_999), (15_000_000_000, 99_000_000_000)]:
            wanted = [m for m in whole if low <= m.stamp_ns <= high]
            assert list(bag.messages(['/d2/odom', '/d0/odom'], low, high)) == wanted
            assert [m.sequence for m in wanted if m.topic == '/d2/odom'][:1] in ([], [low // 10_000_000])
        assert list(bag.messages(start_ns=bag.end_ns))[0].sequence == 1999
        assert list(bag.messages([])) == list(bag.messages(start_ns=bag.end_ns + 1)) == []
        assert list(bag.messages(end_ns=-1)) == []


def test_two_readers_of_one_bag_do_not_disturb_each_other(tmp_path):
    for storage in ('mcap', 'sqlite3'):
        with Bag(written_by_rosbags(tmp_path / storage, FLIGHT, storage)) as bag:
            pairs = list(zip(bag.messages(), bag.messages(), strict=True))
            assert len(pairs) == 900
            assert all(a == b for a, b in pairs)


stamps = st.lists(st.tuples(st.integers(0, 4), st.sampled_from('abc')), max_size=40)


@settings(max_examples=20, deadline=None)
@given(stamps=stamps, seed=st.randoms(use_true_random=False), split=st.integers(0, 40))
def test_the_order_does_not_depend_on_how_equal_stamps_were_stored(tmp_path_factory, stamps, seed, split):
    """Any shuffle that keeps the order within each topic reads as the same messages, sequences included."""
    messages = [(f'/{name}', stamp, bytes([0, 1, 0, 0, n])) for n, (stamp, name) in enumerate(stamps)]
    expected = in_stated_order(messages)
    queues = {name: [m for m in expected if m[0] == name] for name in {m[0] for m in messages}}
    shuffled = []
    while any(queues.values()):
        shuffled.append(queues[seed.choice(sorted(name for name, queue in queues.items() if queue))].pop(0))
    numbers = dict.fromkeys(queues, 0)
    for storage in ('ours', 'sqlite3'):
        path = tmp_path_factory.mktemp('order')
        if storage == 'ours':
            for n, part in enumerate((shuffled[:split], shuffled[split:])):
                with BagWriter(path / f'bag_{n}.mcap') as writer:
                    topics = {name: writer.topic(name, ODOMETRY) for name in sorted({m[0] for m in part})}
                    for name, stamp, data in part:
                        writer.write(topics[name], stamp, data)
        else:
            path = written_by_rosbags(path / 'bag', shuffled, storage)
        numbers = dict.fromkeys(queues, 0)
        with Bag(path) as bag:
            for (name, stamp, data), found in zip(expected, bag.messages(), strict=True):
                assert (found.topic, found.stamp_ns, found.data, found.sequence) == (name, stamp, data, numbers[name])
                numbers[name] += 1


class Blocks:
    """A stream of ready blocks."""

    def __init__(self, blocks):
        self.blocks = [list(block) for block in blocks if block]
        self.skipped, self.late_ns = {}, 0

    @property
    def next_ns(self):
        return min((min(block)[0] for block in self.blocks), default=NEVER)

    def next_block(self):
        return min(range(len(self.blocks)), key=lambda n: min(self.blocks[n])[0])

    def take(self):
        block = self.blocks.pop(self.next_block())
        datas = [entry[3] for entry in block]
        ends = np.cumsum([len(data) for data in datas])
        return Messages(np.array([(*entry[:3], end - len(entry[3]), len(entry[3]))
                                  for entry, end in zip(block, ends, strict=True)], dtype=np.uint64), b''.join(datas))


block = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3)), max_size=6)


@given(st.lists(st.lists(block, max_size=5), max_size=3))
def test_merging_is_sorting(streams):
    place = iter(range(10_000))
    blocks = [[[(stamp, rank, k := next(place), bytes([k % 256] * (k % 3))) for stamp, rank in block] for block in s]
              for s in streams]
    merged = [(*row[:3], piece.data[row[3]:row[3] + row[4]]) for piece in in_order([Blocks(s) for s in blocks])
              for row in piece.table.tolist()]
    assert merged == sorted(entry for s in blocks for block in s for entry in block)


def test_too_much_disorder_is_an_error_that_says_how_much():
    blocks = [[(stamp, 0, stamp + 1, bytes(1000))] for stamp in range(0, 40_000_000_000, 10_000_000)]
    blocks.append([(1, 0, 0, b'')])
    with pytest.raises(BagError, match=r'out of order by .* 1 MB; sort the bag first'):
        list(in_order([Jumbled(blocks)], max_held=1 << 20))


class Jumbled(Blocks):
    """Says until the end that something old is to come."""

    next_ns = property(lambda self: 0 if self.blocks else NEVER)

    def next_block(self):
        return 0


def test_out_of_order_messages_are_sorted_with_a_warning_that_says_by_how_much(tmp_path):
    messages = [*FLIGHT[30:60], *FLIGHT[:30], *FLIGHT[60:]]
    for storage in ('mcap', 'sqlite3'):
        with Bag(written_by_rosbags(tmp_path / storage, messages, storage)) as bag:
            assert contents(bag) == in_stated_order(FLIGHT)
            assert [w.partition(': ')[2] for w in bag.warnings] == [
                'messages are stored out of order, by up to 0.190002 s; sorted by stamp']
            list(bag.messages())
            assert len(bag.warnings) == 1


def test_types_come_from_the_bag(tmp_path):
    """A type that no library knows, and one that differs from the known one, are read by the bag's definitions."""
    store = get_typestore(Stores.EMPTY)
    store.register(get_types_from_msg('float64 heat\nOven oven\n' + '=' * 80 + '\nMSG: kitchen/Oven\nstring make\n',
                                      'kitchen/msg/Cake'))
    store.register(get_types_from_msg('string only_this\n', 'nav_msgs/msg/Odometry'))
    cake = store.types['kitchen/msg/Cake'](heat=180.0, oven=store.types['kitchen/msg/Oven'](make='wood'))
    odd = store.types['nav_msgs/msg/Odometry'](only_this='x')
    for storage in (StoragePlugin.MCAP, StoragePlugin.SQLITE3):
        path = tmp_path / storage.name
        with Writer(path, version=9, storage_plugin=storage) as writer:
            for n, message in enumerate((cake, odd)):
                topic = writer.add_connection(f'/t{n}', message.__msgtype__, typestore=store)
                writer.write(topic, n, store.serialize_cdr(message, message.__msgtype__))
        with Bag(path) as bag:
            first, second = (bag.decode(m) for m in bag.messages())
        assert (first.heat, first.oven.make, second.only_this) == (180.0, 'wood', 'x')


def test_types_of_old_bags_without_definitions_are_the_known_ones(tmp_path):
    path = tmp_path / 'old.db3'
    with sqlite3.connect(path) as file:
        file.executescript(OLD_TABLES)
        topics = [(1, '/a', ODOMETRY, 'cdr'), (2, '/b', 'x/msg/Y', 'cdr')]
        file.executemany('INSERT INTO topics VALUES(?, ?, ?, ?)', topics)
        rows = [(1, 5, odometry(7, (1, 2, 3))), (2, 6, b'\0\1\0\0'), (1, 7, b'\0\1\0\0')]
        file.executemany('INSERT INTO messages(topic_id, timestamp, data) VALUES(?, ?, ?)', rows)
    with Bag(path) as bag:
        known, foreign, short = bag.messages()
        assert bag.decode(known).pose.pose.position.z == 3
        with pytest.raises(BagError, match=r'/b\[0\]: x/msg/Y: no definition in the bag.*Iron or later'):
            bag.decode(foreign)
        with pytest.raises(BagError, match=r'/a\[1\]: 4 bytes are no nav_msgs/msg/Odometry'):
            bag.decode(short)


def test_an_unknown_topic_is_named(tmp_path):
    path = written_by_rosbags(tmp_path / 'bag', FLIGHT)
    with Bag(path) as bag, pytest.raises(BagError, match='no topic /x; it has /d0'):
        bag.messages(['/x'])
