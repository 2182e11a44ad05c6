# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bags that are damaged, lie, or hold what no reader expects: a sentence, the right exit code, no half-written OUT."""
from __future__ import annotations

import random
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
import yaml
from foreign_bags import NS, STORE, Said, odom, write
from rosbags.rosbag2 import Reader, StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from hakoniwa_rigid.cli import main
from hakoniwa_rigid.testing import replay_bag

MS = 1_000_000
START = 50 * NS
WORLD = """
gravity: [0, 0, 0]
walls: [{name: end, type: plane, normal: [-1, 0, 0], offset: -2.0}]
drones: [{name: d0, model: crazyflie}]
"""
KINDS = {'mcap': ('mcap', None), 'mcap by chunk': ('mcap', 'storage'), 'mcap by file': ('mcap', 'file'),
         'sqlite3': ('sqlite3', None), 'sqlite3 by message': ('sqlite3', 'message')}


@pytest.fixture(scope='module')
def world(tmp_path_factory):
    path = tmp_path_factory.mktemp('world') / 'lane.yaml'
    path.write_text(WORLD)
    return path


def flight(number=150):
    """d0 along x at 1.6 m/s, each 10 ms: it meets the wall after 1.2 s."""
    return [odom('/d0/odom', START + k * 10 * MS, (0.016 * k, 0, 1), (1.6, 0, 0)) for k in range(number)]


@pytest.fixture
def replayed(world, tmp_path, capsys):
    """Exit code, what was said on both channels, and OUT, of the command for a bag; only 0 may leave OUT."""
    def run(bag, *words):
        out = tmp_path / 'result'
        shutil.rmtree(out, ignore_errors=True)
        before = set(tmp_path.iterdir())
        code = main(['replay', str(bag), '-o', str(out), '--world', str(world), *words])
        said = capsys.readouterr()
        assert set(tmp_path.iterdir()) - before == ({out} if code in (0, 1) else set())
        assert 'Traceback' not in said.err
        return code, said.out + said.err, out
    return run


def read_by_rosbags(path):
    with Reader(path) as reader:
        return [(c.topic, stamp, bytes(data)) for c, stamp, data in reader.messages()]


@pytest.mark.parametrize('kind', KINDS)
def test_cut_off_anywhere(replayed, tmp_path, kind):
    """The first bytes of a bag are refused with the name of the bag, or give a part of its messages and a note."""
    storage, compression = KINDS[kind]
    whole = write(tmp_path / 'flight', flight(), storage, compression=compression)
    file, = (p for p in whole.iterdir() if p.name != 'metadata.yaml')
    data, stored = file.read_bytes(), read_by_rosbags(whole)
    chance = random.Random(20261122)
    for cut in [0, 1, *sorted(chance.sample(range(2, len(data) - 20), 4))]:
        file.write_bytes(data[:cut])
        code, said, out = replayed(whole)
        assert code in (0, 2), said
        assert 'flight' in said
        assert tempfile.gettempdir() + '/hakoniwa' not in said    # where files are unpacked
        if code == 0:
            kept = [m for m in read_by_rosbags(out) if m[0] == '/d0/odom']
            assert kept == stored[:len(kept)]
            assert kept == stored or 'cut off' in said    # what is missing may be the index alone


def lied(folder: Path, change) -> Path:
    """The folder, with another metadata.yaml."""
    path = folder / 'metadata.yaml'
    content = yaml.safe_load(path.read_text())
    change(content['rosbag2_bagfile_information'])
    path.write_text(yaml.safe_dump(content))
    return folder


@pytest.mark.parametrize(('change', 'words'), [
    (lambda i: i.update(message_count=7), 'metadata.yaml announces 7 messages, the files hold 150'),
    (lambda i: i['duration'].update(nanoseconds=10**19), ''),
    (lambda i: i['starting_time'].update(nanoseconds_since_epoch=-5), ''),
    (lambda i: i.update(storage_identifier='sqlite3'), ''),
    (lambda i: i.update(compression_format='zstd', compression_mode='FILE'), ''),
    (lambda i: i.update(topics_with_message_count=[]), ''),
])
def test_a_description_that_lies_is_not_believed(replayed, tmp_path, change, words):
    """What the files say counts: the run is that of the true bag."""
    code, said, out = replayed(write(tmp_path / 'flight', flight()))
    assert code == 0
    truth = read_by_rosbags(out)
    code, said, out = replayed(lied(tmp_path / 'flight', change))
    assert code == 0
    assert words in said
    assert read_by_rosbags(out) == truth


@pytest.mark.parametrize(('change', 'words'), [
    (lambda i: i.update(relative_file_paths=['nowhere.mcap']), 'nowhere.mcap: named in metadata.yaml, but not there'),
    (lambda i: i.update(relative_file_paths=['flight.mcap'] * 2), 'names flight.mcap more than once'),
    (lambda i: i.update(relative_file_paths=[]), 'names no files'),
    (lambda i: i.update(version=99), 'version: 99 is not known'),
    (lambda i: i['topics_with_message_count'][0]['topic_metadata'].update(type='std_msgs/msg/String'),
     '/d0/odom has two types'),
])
def test_a_description_that_makes_no_sense_is_refused(replayed, tmp_path, change, words):
    code, said, _ = replayed(lied(write(tmp_path / 'flight', flight()), change))
    assert code == 2
    assert words in said


def test_out_of_order_messages_give_the_run_of_the_sorted_ones(replayed, tmp_path):
    messages = flight()
    _, _, out = replayed(write(tmp_path / 'sorted', messages))
    straight = {p.name: p.read_bytes() for p in out.iterdir()}
    random.Random(3).shuffle(messages)
    code, said, out = replayed(write(tmp_path / 'shuffled', messages))
    assert code == 0
    assert 'out of order, by up to 1.' in said
    assert {p.name: p.read_bytes() for p in out.iterdir()} == straight


def test_types_that_nobody_knows_are_left_alone(replayed, tmp_path):
    """A topic of a type that only the bag defines changes nothing, whatever its bytes."""
    store = get_typestore(Stores.ROS2_KILTED)
    store.register(get_types_from_msg('float64 thing\nstring[] names\n', 'acme_msgs/msg/Thing'))
    with Writer(tmp_path / 'flight', version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        thing = writer.add_connection('/thing', 'acme_msgs/msg/Thing', typestore=store)
        topic = writer.add_connection('/d0/odom', 'nav_msgs/msg/Odometry', typestore=STORE)
        for k, m in enumerate(flight()):
            writer.write(topic, m.stamp, STORE.serialize_cdr(m.message, m.kind))
            writer.write(thing, m.stamp, bytes([0, 1, 0, 0, *range(k)]))
    code, _, out = replayed(tmp_path / 'flight')
    assert code == 0
    assert not [m for m in read_by_rosbags(out) if m[0] == '/thing']


def test_messages_that_are_cut_short_are_counted_and_the_rest_is_flown(world, tmp_path):
    """Every third message ends in its middle."""
    messages = [Said(*m[:3], STORE.serialize_cdr(m.message, m.kind)) for m in flight()]
    hurt = [m._replace(message=bytes(m.message[:40])) if k % 3 == 2 else m._replace(message=bytes(m.message))
            for k, m in enumerate(messages)]
    run = replay_bag(write(tmp_path / 'flight', hurt), world)
    assert run.result.refused == {('malformed', 'd0'): 50}
    run.assert_contact('d0', 'end', after=1.18, before=1.24)


@pytest.mark.parametrize('bad', [np.nan, np.inf, -np.inf, 1e300])
def test_numbers_that_are_none_are_refused_and_the_rest_is_flown(world, tmp_path, bad):
    messages = flight()
    messages[60] = odom('/d0/odom', messages[60].stamp, (bad, 0, 1), (1.6, 0, 0))
    run = replay_bag(write(tmp_path / 'flight', messages), world)
    assert sum(run.result.refused.values()) == 1
    run.assert_contact('d0', 'end', after=1.18, before=1.24)


def test_headers_of_two_clocks_in_one_topic(world, tmp_path):
    """From the middle on the headers are 1000 s behind (a source that was started anew): refused, and counted."""
    messages = flight()
    for k in range(60, 150):
        m = messages[k]
        messages[k] = odom('/d0/odom', m.stamp - 1000 * NS, (0.016 * k, 0, 1), (1.6, 0, 0), log=m.stamp)
    run = replay_bag(write(tmp_path / 'flight', messages), world)
    assert sum(run.result.refused.values()) == 90
    assert run.result.refused[('stale', 'd0')] > 80
    run.assert_no_contact('d0')


@pytest.mark.parametrize(('words', 'said_of'), [
    (('--golden', '{}/nowhere.yaml'), 'nowhere.yaml'), (('--golden', '{}/flight/metadata.yaml'), 'metadata.yaml'),
    (('--picture', '{}/nowhere/p.png'), 'there is no folder')])
def test_what_is_asked_beside_is_looked_at_before_the_work(replayed, tmp_path, words, said_of):
    """Exit code 2 and no OUT, not OUT and then a complaint."""
    code, said, _ = replayed(write(tmp_path / 'flight', flight(20)), *(w.format(tmp_path) for w in words))
    assert code == 2
    assert said_of in said
