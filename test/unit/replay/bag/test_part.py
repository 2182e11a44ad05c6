# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a writer that died leaves behind: never removed, never taken from one that lives, renamed and readable."""
import os
import subprocess
import sys
from pathlib import Path

import pytest
from bags import flight

from hakoniwa_rigid.cli import main
from hakoniwa_rigid.replay.bag.part import Part, free_name, is_written, rename_left_over
from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.bag.recover import name_for
from hakoniwa_rigid.replay.bag.writer import BagError, BagWriter

FLIGHT = flight(300)
ODOMETRY = 'nav_msgs/msg/Odometry'
# writes, says so, and dies as by kill -9
DYING = """
import os, sys
from bags import flight
from hakoniwa_rigid.replay.bag.writer import BagWriter
made = BagWriter(sys.argv[1], is_record=True)
topics = {}
for name, stamp, data in flight(300):
    if name not in topics:
        topics[name] = made.topic(name, 'nav_msgs/msg/Odometry')
    made.write(topics[name], stamp, data)
made.flush()
os._exit(9)
"""


def dying(path: Path) -> None:
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join([str(Path(__file__).parents[3]), *sys.path])}
    assert subprocess.run([sys.executable, '-c', DYING, str(path)], env=environment, check=False).returncode == 9


def written(path, messages=FLIGHT, **options):
    made = BagWriter(path, **options)
    topics = {name: made.topic(name, ODOMETRY) for name in dict.fromkeys(m[0] for m in messages)}
    for name, stamp, data in messages:
        made.write(topics[name], stamp, data)
    return made


def read(path):
    with Bag(path) as bag:
        return [(m.topic, m.stamp_ns, m.data) for m in bag.messages()], bag.warnings


def test_a_part_of_the_same_process_number_is_left_alone(tmp_path):
    """A container's processes have the same numbers after every start."""
    left = tmp_path / f'.flight.{os.getpid()}.part'
    left.mkdir()
    (left / 'bag_0.mcap').write_bytes(b'all there is')
    made = written(tmp_path / 'flight')
    made.close()
    assert (left / 'bag_0.mcap').read_bytes() == b'all there is'
    with pytest.raises(BagError), BagWriter(tmp_path / 'other') as made:
        raise BagError('something else')
    assert sorted(p.name for p in tmp_path.iterdir()) == [left.name, 'flight']


@pytest.mark.parametrize('name', ['flight', 'flight.mcap'])
def test_what_is_left_is_renamed_and_read(tmp_path, name, capsys):
    path = tmp_path / name
    dying(path)
    part, = tmp_path.iterdir()
    data = {p.name: p.read_bytes() for p in (part.iterdir() if part.is_dir() else [part])}
    assert rename_left_over(path) == [tmp_path / f'{name}.crashed']
    crashed, = tmp_path.iterdir()
    assert [p.read_bytes() for p in (crashed.iterdir() if crashed.is_dir() else [crashed])] == list(data.values())
    messages, warnings = read(crashed)
    assert messages == FLIGHT
    assert any('cut off' in text for text in warnings)
    assert main(['recover', str(crashed)]) == 0
    recovered = tmp_path / name.replace('flight', 'flight_recovered')
    assert read(recovered) == (FLIGHT, [])
    assert crashed.exists() and str(recovered) in capsys.readouterr().out
    assert main(['recover', str(crashed), '-o', str(recovered)]) == 2
    assert 'nothing is replaced' in capsys.readouterr().err


def test_a_part_is_recovered_without_being_renamed(tmp_path):
    dying(tmp_path / 'flight')
    part, = tmp_path.iterdir()
    assert main(['recover', str(part)]) == 0
    assert read(tmp_path / 'flight_recovered')[0] == FLIGHT
    assert name_for(part) == tmp_path / 'flight_recovered_2'


def test_who_lives_keeps_its_part(tmp_path, capsys):
    made = written(tmp_path / 'flight', is_record=True)
    made.flush()
    assert is_written(made.part) and rename_left_over(tmp_path / 'flight') == []
    assert main(['recover', str(made.part)]) == 2
    assert 'is being written' in capsys.readouterr().err
    made.close()
    assert made.path == tmp_path / 'flight' and not is_written(made.path)


def test_names_that_only_look_alike(tmp_path):
    for name in ('.flight.x.part', '.flight.1.2.part', '.flights.1.part', 'flight.1.part', '.flight_.1.part'):
        (tmp_path / name).mkdir()
    for name in ('.flight.7.part', '.flight_3.8.part', '.flight.7_2.part'):
        (tmp_path / name).mkdir()
    assert {p.name for p in rename_left_over(tmp_path / 'flight')} == {
        'flight.crashed', 'flight_2.crashed', 'flight_3.crashed'}
    assert len(list(tmp_path.iterdir())) == 8


def test_two_of_one_name_end_as_two(tmp_path):
    """Neither replaces the other, whoever ends first."""
    one, two = (written(tmp_path / 'flight', messages, is_record=True) for messages in (FLIGHT[:9], FLIGHT[:5]))
    three, four = (written(tmp_path / 'a.mcap', messages, is_record=True) for messages in (FLIGHT[:9], FLIGHT[:5]))
    for made in (two, one, four, three):
        made.close()
    assert [len(read(tmp_path / name)[0]) for name in ('flight', 'flight_2', 'a.mcap', 'a_2.mcap')] == [5, 9, 5, 9]
    assert len(list(tmp_path.iterdir())) == 4


def test_a_recording_that_cannot_be_completed_stays(tmp_path):
    made = written(tmp_path / 'flight', is_record=True)
    made.flush()
    with Path('/dev/full').open('wb') as full:
        made.file = made.mcap.file = full
        with pytest.raises(BagError, match='No space left'):
            made.close()
    assert read(made.part)[0] == FLIGHT
    assert rename_left_over(tmp_path / 'flight') == [tmp_path / 'flight.crashed']


def test_split_files_are_one_bag_of_which_the_newest_stay(tmp_path):
    for keep, first in ((0, 0), (2, 200)):
        path = tmp_path / f'keep_{keep}'
        made = BagWriter(path, is_record=True)
        topics = {name: made.topic(name, ODOMETRY) for name in ('/d0/odom', '/d1/odom', '/d2/odom')}
        for k, (name, stamp, data) in enumerate(FLIGHT):
            if k and k % 100 == 0:
                made.split(keep)
                assert made.size < 100_000
            made.write(topics[name], stamp, data)
        late = made.topic('/late', ODOMETRY)    # a topic that the first files do not have
        made.write(late, FLIGHT[-1][1] + 1, FLIGHT[0][2])
        made.close()
        messages, warnings = read(path)
        kept = len(FLIGHT) - 100 * (keep + 1) if keep else first
        assert messages[:-1] == FLIGHT[kept:] and messages[-1][0] == '/late'
        assert not warnings    # the counts of metadata.yaml are right


def test_a_name_that_is_free(tmp_path):
    for name in ('a', 'a.b.mcap', '.c'):
        (tmp_path / name).mkdir()
        assert free_name(tmp_path / name).name == {'a': 'a_2', 'a.b.mcap': 'a_2.b.mcap', '.c': '.c_2'}[name]
    (tmp_path / 'gone').symlink_to(tmp_path / 'nowhere')
    assert free_name(tmp_path / 'gone').name == 'gone_2'


def test_a_part_that_was_taken_for_dead_is_made_anew(tmp_path, monkeypatch):
    """Somebody renames it between its making and its lock."""
    from hakoniwa_rigid.replay.bag import part
    real, renamed = part._locked, []

    def locked(lock):
        if not renamed:
            renamed.append(tmp_path / 'taken')
            next(tmp_path.glob('.flight.*.part')).rename(renamed[0])
        return real(lock)

    monkeypatch.setattr(part, '_locked', locked)
    made = Part(tmp_path / 'flight', is_file=False)
    assert made.path.is_dir() and renamed[0].is_dir()
    made.release()


@pytest.mark.parametrize('name', ['flight', 'flight.mcap'])
def test_file_systems_without_locks_and_links(tmp_path, monkeypatch, name):
    """There nobody knows who lives: nothing is renamed, and a bag is written all the same."""
    from hakoniwa_rigid.replay.bag import part

    def missing(*_):
        raise PermissionError(1, 'Operation not permitted')

    monkeypatch.setattr(part.fcntl, 'flock', missing)
    monkeypatch.setattr(part.os, 'link', missing)
    dying(tmp_path / name)
    made = written(tmp_path / name, is_record=True)
    assert rename_left_over(tmp_path / name) == [] and not is_written(made.part)
    made.close()
    assert read(tmp_path / name)[0] == FLIGHT
    assert len(list(tmp_path.iterdir())) == 2
