# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What others put where bags are written and read: pipes and links by the names of parts, files by names that are no
numbers, another bag by the name of a snapshot."""
import os
import shutil

import bags
import pytest

from hakoniwa_rigid.replay.bag import folder
from hakoniwa_rigid.replay.bag.part import is_written, rename_left_over
from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.bag.recover import recover
from hakoniwa_rigid.replay.bag.writer import BagWriter
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.replay.rerun.journal import Header
from hakoniwa_rigid.replay.rerun.recording import Calls
from hakoniwa_rigid.replay.rerun.snapshots import Snapshots

S = 10**9


def written(path, messages: int = 3):
    with BagWriter(path) as bag:
        topic = bag.topic('/d0/odom', 'nav_msgs/msg/Odometry')
        for k in range(messages):
            bag.write(topic, k + 1, bags.odometry(k + 1, (0, 0, 0)))
    return path


def test_pipes_and_links_by_the_names_of_parts(tmp_path):
    """A pipe would be waited for without end; a link leads to what is not ours."""
    os.mkfifo(tmp_path / '.flight.1.part')
    other = written(tmp_path / 'other')
    (tmp_path / '.flight.2.part').symlink_to(other)
    (tmp_path / '.flight.3.part').symlink_to(tmp_path / 'nothing')
    (tmp_path / '.flight.4.part').mkdir()
    assert [p.name for p in rename_left_over(tmp_path / 'flight')] == ['flight.crashed']
    assert {p.name for p in tmp_path.iterdir()} == {
        '.flight.1.part', '.flight.2.part', '.flight.3.part', 'flight.crashed', 'other'}
    assert not is_written(tmp_path / '.flight.1.part')
    with pytest.raises(BagError):
        recover(tmp_path / '.flight.1.part', tmp_path / 'whole')
    assert not (tmp_path / 'whole').exists()


@pytest.mark.parametrize('name', ['bag_\N{SUPERSCRIPT TWO}1.mcap', '\N{SUPERSCRIPT TWO}1.mcap',
                                  'bag_\N{ARABIC-INDIC DIGIT TWO}.mcap', '1.mcap', '9' * 200 + '.mcap'])
def test_names_that_are_no_numbers(tmp_path, name):
    path = written(tmp_path / 'bag')
    (path / 'metadata.yaml').unlink()
    shutil.copy(path / 'bag_0.mcap', path / name)
    with Bag(path) as bag:
        assert len(list(bag.messages())) == 6


def test_more_files_than_are_opened(tmp_path, monkeypatch):
    monkeypatch.setattr(folder, 'MOST_FILES', 3)
    path = written(tmp_path / 'bag')
    (path / 'metadata.yaml').unlink()
    for k in range(1, 4):
        shutil.copy(path / 'bag_0.mcap', path / f'bag_{k}.mcap')
    with pytest.raises(BagError, match='holds 4 files, at most 3 are read'):
        Bag(path)


def test_nothing_is_recovered_into_itself(tmp_path):
    path = written(tmp_path / 'flight.crashed')
    before = sorted(p.name for p in path.iterdir())
    for out in (path / 'whole', path / 'bag_1.mcap', tmp_path / 'x' / '..' / 'flight.crashed' / 'whole'):
        with pytest.raises(BagError, match='lies in what is to be recovered'):
            recover(path, out)
    assert sorted(p.name for p in path.iterdir()) == before
    assert recover(path, tmp_path / 'whole')[0] == 3


def test_retention_removes_no_bag_of_others(tmp_path):
    """A snapshot was moved away, and another bag has its name now."""
    snapshots = Snapshots(tmp_path / 'snap', Header((), {}, {}, '', {}), {}, 10 * S, keep=1)
    for k in range(3):
        calls = Calls()
        calls.add('advance', k + 1)
        snapshots.write(k + 1, calls.drain())
        snapshots.save()
        if k == 0:
            (tmp_path / 'snap').rename(tmp_path / 'kept')
            written(tmp_path / 'snap')
    with Bag(tmp_path / 'snap') as bag:
        assert bag.message_count == 3
    # of its own the newest stays: the second is gone, and its number was free for the third or not
    assert {p.name for p in tmp_path.iterdir()} - {'snap_2', 'snap_3'} == {'snap', 'kept'}
    assert len(list(tmp_path.iterdir())) == 3
