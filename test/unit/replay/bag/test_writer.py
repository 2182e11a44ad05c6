# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Written bags are whole or not there, equal to the byte, and read by an independent reader."""
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from bags import ODOMETRY, flight
from rosbags.rosbag2 import Reader

from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.bag.writer import FILE, BagError, BagWriter, Qos

FLIGHT = flight(1000)


def write(path, messages=FLIGHT, metadata=None):
    with BagWriter(path, metadata) as bag:
        topics = {name: bag.topic(name, ODOMETRY) for name in sorted({m[0] for m in messages})}
        for name, stamp, data in messages:
            bag.write(topics[name], stamp, data)
    return path


def test_rosbags_reads_it(tmp_path):
    write(tmp_path / 'bag', metadata={'state': 'abc'})
    with Reader(tmp_path / 'bag') as bag:
        assert [(c.topic, stamp, data) for c, stamp, data in bag.messages()] == FLIGHT
        assert (bag.message_count, bag.start_time, bag.end_time) == (3000, 0, FLIGHT[-1][1] + 1)
        assert bag.storage.metadata.custom == {'state': 'abc'}
        # the hash that ROS 2 computes for this type
        assert {c.digest for c in bag.connections} == {
            'RIHS01_3cc97dc7fb7502f8714462c526d369e35b603cfc34d946e3f2eda2766dfec6e0'}
    with Reader(tmp_path / 'bag' / FILE) as bag:
        assert bag.message_count == 3000


@pytest.mark.parametrize('name', ['bag', 'bag.mcap'])
def test_the_reader_reads_it(tmp_path, name):
    with Bag(write(tmp_path / name, metadata={'b': '2', 'a': 'ä'})) as bag:
        assert [(m.topic, m.stamp_ns, m.data) for m in bag.messages()] == FLIGHT
        assert bag.metadata == {'a': 'ä', 'b': '2'}
        assert bag.warnings == []
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_no_messages_and_no_topics(tmp_path):
    for topics in (0, 1):
        with BagWriter(tmp_path / 'bag') as writer:
            for _ in range(topics):
                writer.topic('/a', ODOMETRY)
        with Bag(tmp_path / 'bag') as bag:
            assert (bag.message_count, len(bag.topics), list(bag.messages())) == (0, topics, [])
        with Reader(tmp_path / 'bag') as bag:
            assert len(bag.connections) == topics


def test_equal_calls_in_two_processes_give_equal_bytes(tmp_path):
    code = (f"import sys; sys.path[:0] = [{str(Path(__file__).parent)!r}]; import test_writer; "
            "test_writer.write(test_writer.Path(sys.argv[1]), metadata={'b': '1', 'a': '2'})")
    digests = []
    for name, seed in (('one', '1'), ('another', '2')):
        environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path), 'PYTHONHASHSEED': seed}
        subprocess.run([sys.executable, '-c', code, str(tmp_path / name)], check=True, env=environment)
        files = sorted((tmp_path / name).iterdir())
        digests.append([(p.name, hashlib.sha256(p.read_bytes()).hexdigest()) for p in files])
    assert digests[0] == digests[1]
    assert [name for name, _ in digests[0]] == [FILE, 'metadata.yaml']
    content = b''.join(p.read_bytes() for p in (tmp_path / 'one').iterdir())
    assert b'rosbags' not in content
    assert b'another' not in content


class Interrupt(BaseException):
    """As KeyboardInterrupt, which would end the tests."""


@pytest.mark.parametrize('name', ['bag', 'bag.mcap'])
@pytest.mark.parametrize('kind', [Interrupt, OSError])
def test_after_an_exception_nothing_is_there(tmp_path, name, kind):
    def fail():
        with BagWriter(tmp_path / name) as bag:
            topic = bag.topic('/a', ODOMETRY)
            for _, stamp, data in FLIGHT:
                bag.write(topic, stamp, data)
            assert list(tmp_path.iterdir())
            raise kind
    with pytest.raises(kind):
        fail()
    assert list(tmp_path.iterdir()) == []
    # an older bag stays as it was
    write(tmp_path / name, FLIGHT[:9])
    with pytest.raises(kind):
        fail()
    with Bag(tmp_path / name) as bag:
        assert bag.message_count == 9
    assert len(list(tmp_path.iterdir())) == 1


def test_an_older_bag_is_replaced_and_anything_else_is_not(tmp_path):
    for name in ('bag', 'bag.mcap'):
        for number in (3, 6):
            write(tmp_path / name, FLIGHT[:number])
            with Bag(tmp_path / name) as bag:
                assert bag.message_count == number
    (tmp_path / 'home').mkdir()
    (tmp_path / 'home' / 'thesis.txt').write_text('all of it')
    (tmp_path / 'file').write_text('')
    (tmp_path / 'folder.mcap').mkdir()
    for name, text in [('home', 'is there already and is no bag'), ('file', 'is there already and is no bag'),
                       ('folder.mcap', 'is a folder'), ('none/bag', 'there is no folder')]:
        with pytest.raises(BagError, match=text):
            BagWriter(tmp_path / name)
    assert (tmp_path / 'home' / 'thesis.txt').read_text() == 'all of it'


def test_what_cannot_be_written_is_explained(tmp_path):
    full = Path('/dev/full').open('wb', buffering=0)    # noqa: SIM115
    with full, pytest.raises(BagError, match='written: .*No space left'), BagWriter(tmp_path / 'bag') as bag:
        bag.mcap.file = full
        bag.write(bag.topic('/a', ODOMETRY), 0, bytes(3 << 20))
    assert list(tmp_path.iterdir()) == []
    with BagWriter(tmp_path / 'bag') as bag:
        topic = bag.topic('/a', ODOMETRY)
        for stamp in (-1, 1 << 64, 0.5):
            with pytest.raises(BagError, match='stamp_ns: must be a whole number from 0 to 9223372036854775807, got'):
                bag.write(topic, stamp, b'')
        with pytest.raises(BagError, match='/a is there already'):
            bag.topic('/a', ODOMETRY)
        with pytest.raises(BagError, match='x/msg/Y is no type of ROS 2 Kilted or hakoniwa_rigid: give its definition'):
            bag.topic('/b', 'x/msg/Y')
        bag.write(topic, 0, b'\0\1\0\0')
    with Bag(tmp_path / 'bag') as bag:
        assert [m.data for m in bag.messages()] == [b'\0\1\0\0']


def test_quality_of_service_is_stored_in_words(tmp_path):
    old = '- history: 1\n  depth: 7\n  reliability: 2\n  durability: 1\n  liveliness: 1\n'
    with BagWriter(tmp_path / 'bag') as bag:
        bag.topic('/a', ODOMETRY, qos=Qos(reliable=False, latched=True, depth=3))
        bag.topic('/b', ODOMETRY, qos=old)
        bag.topic('/c', ODOMETRY, qos='')
        with pytest.raises(BagError, match='no YAML list of profiles'):
            bag.topic('/d', ODOMETRY, qos='7')
    with Bag(tmp_path / 'bag') as bag:
        first, second, third = (yaml.safe_load(t.qos) for t in bag.topics)
    for (profile,), depth in ((first, 3), (second, 7)):
        assert (profile['reliability'], profile['durability'], profile['depth']) == (
            'best_effort', 'transient_local', depth)
    assert third is None
