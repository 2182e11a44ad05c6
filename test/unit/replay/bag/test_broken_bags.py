# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Every way in which a bag can be broken: a BagError or a warning that says what and where, never another exception."""
import re
import sqlite3
import struct
from importlib import import_module

import pytest
from bags import OLD_TABLES, flight, written_by_rosbags

from hakoniwa_rigid.replay.bag.compression import MODULES
from hakoniwa_rigid.replay.bag.mcap import records as records
from hakoniwa_rigid.replay.bag.reader import Bag, BagError

FLIGHT = flight(2500)    # five chunks


@pytest.fixture(scope='module')
def whole(tmp_path_factory):
    """The bytes of one good file each."""
    folder = tmp_path_factory.mktemp('whole')
    mcap = written_by_rosbags(folder / 'm', FLIGHT)
    sqlite = written_by_rosbags(folder / 's', FLIGHT, 'sqlite3')
    return {'mcap': (mcap / 'm.mcap').read_bytes(), 'db3': (sqlite / 's.db3').read_bytes()}


def read(path):
    with Bag(path) as bag:
        messages = list(bag.messages())
        return messages, bag.warnings


def refused(path, text):
    with pytest.raises(BagError, match=text) as caught:
        read(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(('name', 'data', 'text'), [
    ('a.mcap', b'', 'is empty'), ('a.db3', b'', 'is empty'),
    ('a.mcap', b'hello' * 9, 'is no mcap file'), ('a.db3', b'hello' * 9, 'is no sqlite3 file'),
    ('a.mcap', records.MAGIC, 'cut off at byte 8'), ('a.mcap', records.MAGIC + bytes(90), 'damaged at byte 8'),
    ('a.bag', b'#ROSBAG V2.0', r'is no bag; a bag is a folder with metadata.yaml, or a file \.mcap or \.db3'),
    ('a.mcap.zstd', b'hello' * 9, 'not a zstd file'), ('a.mcap.zstd', b'', 'is empty')])
def test_files_that_are_no_bags(tmp_path, name, data, text):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(BagError, match=text):
        read(tmp_path / name)


@pytest.mark.parametrize(('files', 'text'), [
    ({}, 'it has no metadata.yaml and no file'),
    ({'a.mcap': b'', 'b.db3': b''}, 'files of both kinds'),
    ({'metadata.yaml': b': : :'}, 'not readable as YAML'), ({'metadata.yaml': b'\xff\xfe'}, 'not readable as YAML'),
    ({'metadata.yaml': b'a: 1'}, 'rosbag2_bagfile_information: missing'),
    ({'metadata.yaml': b'rosbag2_bagfile_information: {version: 5}'}, 'no metadata of a bag'),
    ({'metadata.yaml': b'rosbag2_bagfile_information: {version: 99}'}, '99 is not known; up to 9'),
    ({'metadata.yaml': b'rosbag2_bagfile_information: {version: 5, relative_file_paths: [a.mcap], '
      b'topics_with_message_count: [], message_count: 0}'}, 'a.mcap: named in metadata.yaml, but not there')])
def test_folders_that_are_no_bags(tmp_path, files, text):
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    refused(tmp_path, text)


def test_what_is_not_there_is_named(tmp_path):
    refused(tmp_path / 'none', 'no such file or folder')


@pytest.mark.parametrize('share', [0.3, 0.6, 0.97, 0.999])
def test_a_cut_off_recording_is_read_up_to_there(tmp_path, whole, share):
    path = tmp_path / 'cut.mcap'
    path.write_bytes(whole['mcap'][:int(share * len(whole['mcap']))])
    messages, (warning,) = read(path)
    number = int(re.search(r'cut off at byte .*; read up to there: (\d+) messages', warning)[1])
    assert number == len(messages)
    assert abs(number / len(FLIGHT) - share) < 0.25
    assert [(m.topic, m.stamp_ns, m.data) for m in messages] == FLIGHT[:number]


def test_a_cut_off_compressed_recording_is_read_up_to_there(tmp_path):
    path = written_by_rosbags(tmp_path / 'bag', flight(6000), compression='file') / 'bag.mcap.zstd'
    path.write_bytes(path.read_bytes()[:-200])
    messages, warnings = read(path)
    assert messages
    assert 'the compressed file is cut off' in warnings[0]
    assert 'read up to there' in warnings[1]
    assert warnings[1].startswith(f'{path}: ')    # not the file it was unpacked into


@pytest.mark.parametrize(('name', 'text'), [('a.mcap.zstd', 'is no mcap file'), ('a.db3.zstd', 'is no sqlite3 file')])
def test_what_is_wrong_in_a_compressed_file_is_reported_of_that_file(tmp_path, name, text):
    path = tmp_path / name
    path.write_bytes(import_module(MODULES['zstd']).compress(b'hello' * 9))
    refused(path, text)


def test_a_cut_off_database_is_refused_with_advice(tmp_path, whole):
    path = tmp_path / 'cut.db3'
    path.write_bytes(whole['db3'][:len(whole['db3']) // 2])
    refused(path, r'\.recover')


def test_a_damaged_chunk_is_found_by_its_checksum(tmp_path):
    from hakoniwa_rigid.replay.bag.writer import BagWriter
    path = tmp_path / 'a.mcap'
    with BagWriter(path) as writer:
        topic = writer.topic('/d0/odom', 'nav_msgs/msg/Odometry')
        for _, stamp, data in FLIGHT:
            writer.write(topic, stamp, data)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    refused(path, r'block at byte \d+: the checksum of a chunk is wrong')


def test_a_damaged_summary_is_replaced_by_a_scan(tmp_path):
    from hakoniwa_rigid.replay.bag.writer import BagWriter
    path = tmp_path / 'a.mcap'
    with BagWriter(path, {'key': 'value'}) as writer:
        topic = writer.topic('/d0/odom', 'nav_msgs/msg/Odometry')
        for _, stamp, data in FLIGHT:
            writer.write(topic, stamp, data)
    good, _ = read(path)
    data = bytearray(path.read_bytes())
    data[-100] ^= 1
    path.write_bytes(data)
    with Bag(path) as bag:
        assert list(bag.messages()) == good
        assert bag.metadata == {'key': 'value'}
        assert 'the summary at the end is damaged' in bag.warnings[0]


@pytest.mark.parametrize(('storage', 'kind'), [('mcap', 'mcap'), ('sqlite3', 'db3')])
def test_no_flipped_byte_makes_another_exception(tmp_path, storage, kind):
    """A fixed sample of places that hits the head, a few messages, and all of the summary."""
    small = written_by_rosbags(tmp_path / 'small', flight(30, 2), storage) / f'small.{kind}'
    data = small.read_bytes()
    path = tmp_path / f'a.{kind}'
    for place in [*range(0, 400, 7), *range(20_000, 20_099, 3), *range(len(data) - 2000, len(data), 9)]:
        broken = bytearray(data)
        broken[place] ^= 0xFF
        path.write_bytes(broken)
        try:
            read(path)
        except BagError as error:
            assert str(path) in str(error)


def test_records_of_absurd_length(tmp_path):
    header = records.PREFIX.pack(records.HEADER, 8) + bytes(8)
    for opcode in (records.SCHEMA, records.MESSAGE, records.CHUNK, 0x99):
        path = tmp_path / 'a.mcap'
        path.write_bytes(records.MAGIC + header + records.PREFIX.pack(opcode, 1 << 60) + bytes(100))
        refused(path, 'a record of 1152921504606846976 bytes begins at byte 25')
    chunk = struct.pack('<QQQI', 0, 0, 1 << 50, 0) + struct.pack('<IQ', 0, 0)
    path.write_bytes(records.MAGIC + header + records.PREFIX.pack(records.CHUNK, len(chunk)) + chunk)
    refused(path, 'a chunk of 1125899906842624 bytes')


def test_other_encodings_and_two_types_are_refused(tmp_path):
    path = tmp_path / 'a.db3'
    with sqlite3.connect(path) as file:
        file.executescript(OLD_TABLES +
                           "INSERT INTO topics VALUES(1, '/a', 'a/msg/A', 'cdr'), (2, '/a', 'a/msg/B', 'cdr');")
    refused(path, '/a has two types: a/msg/A and a/msg/B')
    with sqlite3.connect(path) as file:
        file.execute("UPDATE topics SET serialization_format = 'json'")
    refused(path, "topic /a is encoded as 'json'")
    with sqlite3.connect(path) as file:
        file.execute('DROP TABLE messages')
    refused(path, 'no bag: it has no tables topics and messages')


def test_an_empty_bag_and_two_clocks_are_warned_about(tmp_path):
    with Bag(written_by_rosbags(tmp_path / 'empty', [])) as bag:
        assert (bag.message_count, bag.start_ns, bag.end_ns, list(bag.messages())) == (0, 0, 0, [])
        assert 'holds no messages' in bag.warnings[0]
    mixed = [*FLIGHT[:3], ('/d0/odom', 1_790_000_000 * 10**9, FLIGHT[0][2])]
    with Bag(written_by_rosbags(tmp_path / 'mixed', mixed)) as bag:
        text = 'stamps of two clocks: from 0.000 s (simulated time?) to 1790000000.000 s (wall time?)'
        assert text in bag.warnings[0]


def test_a_wrong_count_in_the_description_is_warned_about(tmp_path):
    path = written_by_rosbags(tmp_path / 'bag', FLIGHT[:30])
    file = path / 'metadata.yaml'
    file.write_text(file.read_text().replace('message_count: 30', 'message_count: 31'))
    with Bag(path) as bag:
        assert 'announces 31 messages, the files hold 30' in bag.warnings[0]
