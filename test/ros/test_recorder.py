"""The recorder of the node and its troubles: a full disk, a slow one, names that are taken, hours without a tick."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from types import SimpleNamespace

import numpy as np
import pytest
from geometry_msgs.msg import Vector3
from hearing import make_adapter, make_settings

from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.rerun import journal
from hakoniwa_rigid.ros.bulk import Taken
from hakoniwa_rigid.ros.collision import recorder
from hakoniwa_rigid.ros.collision.recorder import NodeRecorder, Recorder, open_recorder
from hakoniwa_rigid.ros.errors import StartError

pytestmark = pytest.mark.ros
S = 1_000_000_000


class Node:
    """What the recorder asks of a node."""

    def __init__(self) -> None:
        self.errors: list[str] = []
        self.context = SimpleNamespace(ok=lambda: True)

    def get_logger(self):
        return SimpleNamespace(info=lambda text: None, error=self.errors.append)

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


def opened(path) -> tuple[Node, Inputs, NodeRecorder]:
    settings = make_settings('d', node={'record': str(path)}, drone={'d': {'topic_odom_corrected': 'd/out'}})
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
        return [journal.read_entry(m.data, 99) for m in bag.messages([journal.TOPIC]) if m.sequence]


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
