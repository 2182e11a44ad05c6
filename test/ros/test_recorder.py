# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The recorder of the node and its troubles: a full disk, a slow one, names that are taken, hours without a tick."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from types import SimpleNamespace

import numpy as np
import pytest
from adapters import make_adapter, make_settings
from geometry_msgs.msg import Vector3

from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.rerun import journal, snapshots
from hakoniwa_rigid.ros.bulk import Taken
from hakoniwa_rigid.ros.collision import recorder
from hakoniwa_rigid.ros.collision.recorder import NodeRecorder, Recorder, open_recorder
from hakoniwa_rigid.ros.errors import StartError
from hakoniwa_rigid.scene.records import Phase

pytestmark = pytest.mark.ros
S = 1_000_000_000


class Node:
    """What the recorder asks of a node."""

    def __init__(self) -> None:
        self.errors: list[str] = []
        self.warnings: list[str] = []
        self.infos: list[str] = []
        self.context = SimpleNamespace(ok=lambda: True)

    def get_logger(self):
        return SimpleNamespace(info=self.infos.append, warning=self.warnings.append, error=self.errors.append)

    def get_clock(self):
        return SimpleNamespace(now=lambda: SimpleNamespace(nanoseconds=7 * S))

    def resolve_topic_name(self, name: str) -> str:
        return f'/{name}'


class Inputs:
    """What is recorded."""

    def __init__(self, adapter) -> None:
        self.adapter, self.recorder = adapter, None
        self.polled = SimpleNamespace(names=[f'/{topic.name}' for topic in adapter.topics])

    def record(self, recorder: Recorder) -> None:
        self.recorder = recorder


def opened(path, **values) -> tuple[Node, Inputs, NodeRecorder]:
    settings = make_settings('d', node={'record': str(path), **values}, drone={'d': {'topic_odom_corrected': 'd/out'}})
    node, inputs = Node(), Inputs(make_adapter(settings))
    return node, inputs, open_recorder(node, None, settings, inputs, {'record': str(path), 'rate': 200.0})


def tick(made: Recorder, k: int, size: int = 1000) -> None:
    """One message and an advance."""
    made.begin(k * S)
    made.take(Taken(np.zeros(size, np.uint8), *np.array([[0], [size], [0], [k * S]])), np.array([k * S]))
    made.add('flush')
    made.add('advance', k * S)
    made.end()


def entries(path) -> list[journal.Entry]:
    with Bag(path) as bag:
        return [journal.read_entry(m.data, 99) for m in bag.messages([journal.TOPIC])
                if not journal.is_header(m.data)]


def test_no_flight_replaces_another(tmp_path):
    for _ in range(3):
        *_, made = opened(tmp_path / 'flight.mcap')
        tick(made, 1)
        made.close()
        made.close()
    assert sorted(p.name for p in tmp_path.iterdir()) == ['flight.mcap', 'flight_2.mcap', 'flight_3.mcap']
    assert entries(tmp_path / 'flight_3.mcap') == [
        (S, [['take', [0], []], ['flush'], ['advance', S]])]


def test_a_tick_that_was_interrupted_after_it_was_published_is_there(tmp_path):
    *_, made = opened(tmp_path / 'flight')
    tick(made, 1)
    made.begin(2 * S)
    made.add('advance', 2 * S)
    made.close()
    assert entries(tmp_path / 'flight')[-1] == (2 * S, [['advance', 2 * S]])


def test_where_nothing_can_be_written_the_node_does_not_start(tmp_path):
    with pytest.raises(StartError, match=r'parameter record: .*nowhere/flight: there is no folder .*nowhere'):
        opened(tmp_path / 'nowhere' / 'flight')


def test_without_the_parameter_nothing_is_recorded():
    settings = make_settings('d', node={'record': ''})
    inputs = Inputs(make_adapter(settings))
    made = open_recorder(Node(), None, settings, inputs, {})
    assert type(made) is Recorder and inputs.recorder is made
    tick(made, 1)


def wait_for(fact) -> None:
    """Of the thread that writes."""
    waiting = Event()
    for _ in range(120_000):
        if fact():
            return
        waiting.wait(0.001)
    raise AssertionError('waited 120 s in vain')


def test_a_full_disk_ends_the_recording_and_not_the_node(tmp_path):
    node, inputs, made = opened(tmp_path / 'flight')
    full = Path('/dev/full').open('wb', buffering=0)    # noqa: SIM115
    with full:
        made._recording._bag.mcap.file = full
        tick(made, 1)
        tick(made, 3)    # two seconds later it is handed to the disk
        wait_for(lambda: made._fault)
        tick(made, 4)
        tick(made, 5)
        made.close()
    text, = node.errors
    assert 'recording ended after 2 ticks: ' in text and 'No space left' in text and '.part' in text
    assert inputs.adapter.ledger.counters == {('recording_ended', 'record'): 1}
    assert not (tmp_path / 'flight').exists()


def test_a_disk_that_hangs_holds_no_tick_up(tmp_path, monkeypatch):
    monkeypatch.setattr(recorder, 'MOST_QUEUED', 10_000)
    node, _, made = opened(tmp_path / 'flight')
    go_on = Event()
    monkeypatch.setattr(made._recording, 'write', lambda *_: go_on.wait())
    for k in range(1, 30):
        tick(made, k)
    text, = node.errors
    assert 'the disk does not keep up' in text
    go_on.set()
    made._thread.join(120.0)
    assert not made._thread.is_alive()
    assert not (tmp_path / 'flight').exists()


def test_transforms_are_written_while_there_are_no_ticks(tmp_path, monkeypatch):
    monkeypatch.setattr(recorder, 'MOST_WAITING', 10)
    *_, made = opened(tmp_path / 'flight')
    for _ in range(25):
        made.transforms(Vector3(), static=False)    # any message: what is in it is of no interest here
    assert len(made._calls) == 3
    tick(made, 8)
    made.close()
    assert [(e.now, len(e.calls)) for e in entries(tmp_path / 'flight')] == [(7 * S, 11), (7 * S, 11), (8 * S, 6)]


def stamps(path) -> list[int]:
    """s, of the ticks of a recording."""
    return [call[1] // S for e in entries(path) for call in e.calls if call[0] == 'advance']


def test_a_recording_that_was_not_ended_is_renamed_by_the_next(tmp_path):
    """Also where the process has the same number again, as in a container."""
    *_, crashed = opened(tmp_path / 'flight')
    tick(crashed, 1)
    tick(crashed, 3)    # flushes
    wait_for(lambda: crashed._written >= 2000)
    crashed._recording._bag._part.release()    # what the end of a process does
    node, _, made = opened(tmp_path / 'flight')
    tick(made, 5)
    made.close()
    assert sorted(p.name for p in tmp_path.iterdir()) == ['flight', 'flight.crashed']
    assert stamps(tmp_path / 'flight') == [5]
    assert stamps(tmp_path / 'flight.crashed') == [1, 3]
    text, = node.warnings
    assert f'{tmp_path / "flight.crashed"}: of a recording that was not ended' in text


def test_files_of_a_size_and_a_duration_of_which_the_newest_stay(tmp_path):
    for name, values, files, first in (('time', {'record_split_time': 3.0}, 4, 1),
                                       ('size', {'record_split_size': 0.02}, 4, 1),
                                       ('kept', {'record_split_time': 3.0, 'record_keep': 1}, 2, 7)):
        *_, made = opened(tmp_path / name, **values)
        for k in range(1, 13):
            tick(made, k, 6000)
        made.close()
        assert stamps(tmp_path / name) == list(range(first, 13)), name
        assert len(list((tmp_path / name).glob('*.mcap'))) == files, name


def test_one_file_is_not_split(tmp_path):
    with pytest.raises(StartError, match='record_split_size, .* need a folder, got record: .*flight.mcap, one file'):
        opened(tmp_path / 'flight.mcap', record_split_time=3.0)


def test_what_is_written_is_waited_for_at_an_interval(tmp_path):
    *_, made = opened(tmp_path / 'flight', record_sync=0.05)
    synced, real = [], made._recording.sync
    made._recording.sync = lambda: synced.append(real())
    wait_for(lambda: len(synced) >= 2)    # without a tick
    tick(made, 1)
    made.close()
    *_, never = opened(tmp_path / 'never', record_sync=0.0)
    never._recording.sync = lambda: 1 // 0
    tick(never, 1)
    never.close()
    assert stamps(tmp_path / 'never') == [1]


def hit(stamp: int, phase=Phase.BEGIN):
    """A tick in which contacts begin, or go on."""
    return SimpleNamespace(stamp_ns=stamp, events=[SimpleNamespace(phase=phase)])


def test_the_last_seconds_are_written_when_somebody_asks(tmp_path):
    node, _, made = opened(tmp_path / 'flight', record_snapshot=3.0, record_keep=2)
    for k in range(1, 30):
        made.saw(hit(k * S))    # nobody asked for contacts
        if k in (10, 15, 20):
            assert made.snapshot()[0]
        tick(made, k)
    made.close()
    assert sorted(p.name for p in tmp_path.iterdir()) == ['flight_2', 'flight_3']
    assert stamps(tmp_path / 'flight_3') == [17, 18, 19, 20]
    assert len(node.infos) == 4 and not node.errors


def test_a_contact_asks_too_but_not_all_the_time(tmp_path):
    node, _, made = opened(tmp_path / 'flight', record_snapshot=3.0, record_snapshot_on_contact=True)
    for k in range(1, 13):
        made.saw(hit(k * S, Phase.BEGIN if k in (5, 6, 7, 10) else Phase.PERSIST))
        tick(made, k)
    made.close()
    assert stamps(tmp_path / 'flight') == [2, 3, 4, 5]
    assert stamps(tmp_path / 'flight_2') == [7, 8, 9, 10]
    assert len(list(tmp_path.iterdir())) == 2


def test_a_snapshot_that_fails_is_told_and_the_next_is_tried(tmp_path):
    (tmp_path / 'there').mkdir()
    node, inputs, made = opened(tmp_path / 'there' / 'flight', record_snapshot=3.0)
    (tmp_path / 'there').rmdir()
    made.snapshot()
    tick(made, 1)
    wait_for(lambda: not made._said.empty())
    (tmp_path / 'there').mkdir()
    made.snapshot()
    tick(made, 2)
    made.close()
    text, = node.errors
    assert 'snapshot not written: ' in text
    assert inputs.adapter.ledger.counters == {('snapshot_failed', 'record'): 1}
    assert stamps(tmp_path / 'there' / 'flight') == [1, 2]


def test_without_the_parameters_there_is_no_snapshot(tmp_path):
    *_, made = opened(tmp_path / 'flight')
    for recorder_ in (made, Recorder()):
        assert recorder_.snapshot() == (False, 'parameters record, record_snapshot: must be given, nothing is kept')
    made.close()


def test_what_is_kept_for_a_snapshot_has_a_bound(tmp_path, monkeypatch):
    monkeypatch.setattr(snapshots, 'MOST_BYTES', 10_000)
    *_, made = opened(tmp_path / 'flight', record_snapshot=3600.0)
    for k in range(1, 50):
        tick(made, k, 3000)
    made.snapshot()
    tick(made, 50, 3000)
    made.close()
    assert stamps(tmp_path / 'flight') == [48, 49, 50]
    assert made._recording._size <= 10_000


def test_topics_of_ever_new_names_are_counted_and_those_of_the_first_keep_theirs(tmp_path):
    _, inputs, made = opened(tmp_path / 'flight')
    for k in range(1026):
        made.connect(f'x{k}', {}, [[1, f'x{k}/odom', 'nav_msgs/msg/Odometry', f'/x{k}/odom']], '')
        made.add('disconnect', f'x{k}')
        tick(made, k + 1)
    made.close()
    assert inputs.adapter.ledger.counters == {('channels_shared', 'record'): 2}
    said = [call[3][0][3] for entry in entries(tmp_path / 'flight') for call in entry.calls if call[0] == 'connect']
    assert said == [*(f'/x{k}/odom' for k in range(1024)), *2 * ['/hakoniwa_rigid/others/nav_msgs_msg_Odometry']]
    with Bag(tmp_path / 'flight') as bag:
        assert len([topic for topic in bag.topics if topic.name.startswith('/x')]) == 1024


def test_an_entry_of_the_journal_has_an_end(tmp_path, monkeypatch):
    """Long calls of services between two ticks are more entries than one."""
    monkeypatch.setattr(recorder, 'MOST_TEXT', 100_000)
    *_, made = opened(tmp_path / 'flight')
    for k in range(10):
        made.add('add', 'object', {'name': f'o{k}', 'text': 'x' * 40_000})
    tick(made, 1)
    made.close()
    written = entries(tmp_path / 'flight')
    assert [len(entry.calls) for entry in written] == [3, 3, 3, 4]
    assert [call[2]['name'] for entry in written for call in entry.calls if call[0] == 'add'] == [
        f'o{k}' for k in range(10)]
