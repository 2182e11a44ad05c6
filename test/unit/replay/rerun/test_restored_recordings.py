# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Recordings of nodes that went on from a saved state: the state is in them, replay gives the bytes of the node; what
strangers put in its place is a sentence."""
import hashlib
import json
import os
import shutil
import sqlite3

import bags
import numpy as np
import pytest
from hostile_bags import zeros
from recordings import PERIOD, START, WORLD, Live, hand, transform

from hakoniwa_rigid import law
from hakoniwa_rigid.cli import main
from hakoniwa_rigid.replay.bag.part import rename_left_over
from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.bag.recover import recover
from hakoniwa_rigid.replay.bag.writer import BagWriter
from hakoniwa_rigid.replay.diff.compare import compare
from hakoniwa_rigid.replay.diff.load import load_run
from hakoniwa_rigid.replay.diff.tolerances import Tolerances
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.replay.rerun import journal
from hakoniwa_rigid.replay.rerun.outcome import Options
from hakoniwa_rigid.replay.rerun.recording import Limits
from hakoniwa_rigid.replay.rerun.run import replay
from hakoniwa_rigid.replay.rerun.snapshots import Snapshots
from hakoniwa_rigid.scene.saved_states import state_file
from hakoniwa_rigid.scene.saved_states.scene_state import SceneState

# d0 is pressed against the wall from this tick on; a hand strikes it
PRESSED, DEATH = 60, 90


def fly(live: Live, begin: int, end: int) -> None:
    for k in range(begin, end):
        live.now = START + k * PERIOD
        live.put_transforms(transform(live.now, 'world', 'sim/d2', (1, 2, 0)), False)
        x = min(1.3 + 0.01 * k, 1.95)
        pieces = [('d0/odom', bags.odometry(live.now, (x, 0, 0), velocity=(1, 0, 0)), 0),
                  ('d1/odom', bags.odometry(live.now - 7 * 10**9, (0.5, 3, 0), frame='world'), -500)]
        pieces += [('hands/right', hand(live.now, x - 0.3 + 0.002 * k), -5)] if k % 4 == 0 else []
        live.read([pieces])
        live.advance()
        live.end()


@pytest.fixture(scope='module')
def world(tmp_path_factory):
    path = tmp_path_factory.mktemp('world') / 'lane.yaml'
    path.write_text(WORLD)
    return path


@pytest.fixture(scope='module')
def died(world, tmp_path_factory):
    """A node that died while d0 was pressed against the wall: the state that it left."""
    live = Live(world, tmp_path_factory.mktemp('died') / 'flight')
    live.restart()
    fly(live, 0, DEATH)
    assert live.scene.saved().values['contacts']
    live.recording.close()
    return live.saved()


def goes_on(world, state: bytes, path, end: int = 140, limits: Limits | None = None) -> Live:
    live = Live(world, path, limits)
    live.restart()
    live.go_on(state)
    live.now = START + DEATH * PERIOD
    live.hold()     # as until all drones have said something
    live.end()
    fly(live, DEATH + 1, end)
    return live


@pytest.fixture(scope='module')
def flown(world, died, tmp_path_factory):
    live = goes_on(world, died, tmp_path_factory.mktemp('flown') / 'flight')
    live.recording.close()
    return live, live.recording.path


def published(path, topic: str) -> list[bytes]:
    with Bag(path) as bag:
        return [m.data for m in bag.messages([topic])]


def check_equal(live: Live, recording, out) -> None:
    result = replay(Options(recording, out))
    assert published(out, '/ns/fleet') == live.states
    assert published(out, '/ns/hits') == live.events
    assert result.state_hash == live.scene.state_hash()


def test_the_replay_gives_the_bytes_of_the_node(flown, died, tmp_path):
    live, recording = flown
    check_equal(live, recording, tmp_path / 'out')
    # a contact that had begun before goes on under its id
    assert {e.phase.name for e in replay(Options(recording)).events} >= {'PERSIST'}
    # the very bytes of the state file are in it; what is replayed has no state of its own
    message, = published(recording, journal.STATE)
    assert message.endswith(died)
    with Bag(recording) as bag:
        assert list(next(bag.messages([journal.STATE])).data[16:]) == bag.decode(
            next(bag.messages([journal.STATE]))).data.tolist()
        assert [t.name for t in bag.topics if t.name == journal.STATE]
    with Bag(tmp_path / 'out') as bag:
        assert not [t.name for t in bag.topics if t.name in (journal.STATE, journal.TOPIC)]


def test_golden_files_and_diff(flown, tmp_path, capsys):
    _, recording = flown
    for name in ('a', 'b'):
        replay(Options(recording, tmp_path / name))
    assert (tmp_path / 'a' / 'bag_0.mcap').read_bytes() == (tmp_path / 'b' / 'bag_0.mcap').read_bytes()
    assert compare(load_run(tmp_path / 'a'), load_run(tmp_path / 'b'), Tolerances()).equal
    golden = tmp_path / 'golden.yaml'
    assert main(['diff', str(tmp_path / 'a'), '--write-golden', str(golden)]) == 0
    assert main(['replay', str(recording), '-o', str(tmp_path / 'c'), '--golden', str(golden)]) == 0
    capsys.readouterr()


def test_a_database_carries_it_too(flown, tmp_path):
    live, recording = flown
    path = tmp_path / 'flight.db3'
    base = sqlite3.connect(path)
    base.executescript('CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, '
                       'serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL);'
                       'CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT '
                       'NULL, data BLOB NOT NULL);')
    with Bag(recording) as bag:
        numbers = {t.name: k for k, t in enumerate(bag.topics, 1)}
        base.executemany('INSERT INTO topics VALUES (?, ?, ?, ?, ?)',
                         [(k, t.name, t.type, 'cdr', '') for k, t in enumerate(bag.topics, 1)])
        base.executemany('INSERT INTO messages(topic_id, timestamp, data) VALUES (?, ?, ?)',
                         [(numbers[m.topic], m.stamp_ns, m.data) for m in bag.messages()])
    base.commit()
    base.close()
    check_equal(live, path, tmp_path / 'out')


def test_a_crashed_part_and_what_is_recovered_of_it(world, died, tmp_path):
    live = goes_on(world, died, tmp_path / 'flight', DEATH + 230)    # what is a second old is on the disk
    live.recording.sync()
    live.recording.give_up()
    crashed, = rename_left_over(tmp_path / 'flight')
    recover(crashed, tmp_path / 'whole')
    for path, name in ((crashed, 'x'), (tmp_path / 'whole', 'y')):
        result = replay(Options(path, tmp_path / name))
        states = published(tmp_path / name, '/ns/fleet')
        assert result.ticks > 30
        assert states == live.states[:len(states)]


def test_a_split_recording_is_exact_while_its_first_file_is_there(world, died, tmp_path):
    """The file that begins at the state; later ones begin as in the world file, like those of any recording."""
    live = goes_on(world, died, tmp_path / 'flight', limits=Limits(split_ns=20 * PERIOD))
    live.recording.close()
    path = live.recording.path
    assert len(list(path.glob('*.mcap'))) > 1
    check_equal(live, path, tmp_path / 'out')
    shutil.rmtree(tmp_path / 'out')
    (path / 'bag_0.mcap').unlink()
    (path / 'metadata.yaml').unlink()
    result = replay(Options(path, tmp_path / 'out'))
    assert 0 < result.ticks < len(live.states)


def test_a_snapshot_has_the_state_where_the_node_went_on_within_it(world, died, tmp_path):
    live = Live(world, tmp_path / 'unused')
    live.recording.discard()
    for span, exact in ((100 * PERIOD, True), (10 * PERIOD, False)):
        snapshots = Snapshots(tmp_path / f'snap_{exact}', live.header, {}, span)
        again = Live(world, tmp_path / f'third_{exact}')
        again.recording.discard()
        again.recording = snapshots
        again.restart()
        again.go_on(died)
        again.now = START + DEATH * PERIOD
        again.hold()
        again.end()
        fly(again, DEATH + 1, 140)
        path = snapshots.save()
        replay(Options(path, tmp_path / f'out_{exact}'))
        states = published(tmp_path / f'out_{exact}', '/ns/fleet')
        assert (states == again.states) == exact
        with Bag(path) as bag:
            assert any(t.name == journal.STATE for t in bag.topics) == exact


def changed(recording, path, state=None, digest=None, drop=False):
    """The recording with another message in place of the state's, and the digest in the journal that goes with it."""
    with Bag(recording) as bag, BagWriter(path, bag.metadata) as out:
        topics = {t.name: out.topic(t.name, t.type, t.definition or None, t.qos) for t in bag.topics
                  if not (drop and t.name == journal.STATE)}
        for m in bag.messages():
            data = m.data
            if m.topic == journal.STATE:
                if drop:
                    continue
                data = data if state is None else state
            elif m.topic == journal.TOPIC and b'"restored"' in data:
                entry = journal.read_entry(data, 99)
                made = hashlib.sha256(b'' if state is None else state[16:]).hexdigest() if digest is None else digest
                for call in entry.calls:
                    if call[0] == 'restored' and (state is not None or digest is not None):
                        call[1] = made
                data = entry.pack()
            out.write(topics[m.topic], m.stamp_ns, data)
    return path


def header_of(data: bytes) -> tuple[dict, bytes]:
    begin = data.index(b'\n') + 1 + state_file.HEAD.size
    size, _ = state_file.HEAD.unpack_from(data, data.index(b'\n') + 1)
    return json.loads(data[begin:begin + size]), data[begin + size:]


def made_of(header: dict | bytes, arrays: bytes) -> bytes:
    """A file with a digest that fits."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    digest = hashlib.sha256(text + arrays).digest()
    return state_file.MAGIC + b'%d\n' % state_file.FORMAT + state_file.HEAD.pack(len(text), digest) + text + arrays


def with_header(change):
    def made(data: bytes) -> bytes:
        header, arrays = header_of(data)
        change(header)
        return made_of(header, arrays)
    return made


HOSTILE = {
    'truncated': (lambda d: d[:len(d) // 2], 'damaged or cut short'),
    'empty': (lambda d: b'', 'is no state of this package'),
    'foreign': (lambda d: bytes(10_000), 'is no state of this package'),
    'format': (lambda d: d.replace(b'state %d' % state_file.FORMAT, b'state 999', 1), 'was written in format 999'),
    'law': (with_header(lambda h: h.update(law=law.LAW_VERSION + 1)), 'another version of the law'),
    'version': (with_header(lambda h: h.update(version='99')), 'was written by version'),
    'world': (with_header(lambda h: h.update(world='0' * 64)), 'is of another world'),
    'parameters': (with_header(lambda h: h['parameters'].update(rate=100.0)), 'other parameters: rate'),
    'sizes': (with_header(lambda h: h['arrays'].append(['more', '<f8', [1 << 29, 1 << 29]])), 'is damaged'),
    'axes': (with_header(lambda h: h['arrays'].append(['more', '<f8', [1] * 100_000])), 'arrays: must be numbers'),
    'objects': (with_header(lambda h: h['arrays'].append(['more', '|O', [1]])), 'arrays: must be numbers'),
    'values': (with_header(lambda h: h.update(values=[])), 'must end at byte'),
    'deep': (lambda d: made_of(b'[' * 1_000_000, b''), 'is damaged'),
    'times': (with_header(lambda h: h['values'].update(now_ns=1e300)), 'must be times'),
    'frozen': (with_header(lambda h: h['values'].update(frozen=[[10**6, 5]])), 'must be times, an id, bodies'),
    'contacts': (with_header(lambda h: h['values']['contacts'][0][1].update(peak='high')), 'peak: must not be'),
    'halves': (with_header(lambda h: h['values']['contacts'][0][1].update(parts=['\ud800', 'a'])), 'parts: must'),
    'strangers': (with_header(lambda h: h['values']['contacts'][0][0].__setitem__(1, 10**9)), 'no such bodies'),
    'text': (lambda d: state_file.MAGIC + b'%d\n' % state_file.FORMAT + state_file.HEAD.pack(1 << 60, bytes(32)) + d,
             'bytes of values'),
}


@pytest.mark.parametrize('kind', HOSTILE)
def test_a_state_that_is_none_is_a_sentence(flown, died, tmp_path, kind):
    spoil, said = HOSTILE[kind]
    data = journal.pack_state(spoil(died))
    with pytest.raises(BagError, match=said) as caught:
        replay(Options(changed(flown[1], tmp_path / 'bag', data), tmp_path / 'out'))
    assert len(str(caught.value)) < 1000
    assert not (tmp_path / 'out').exists()


def test_messages_that_hold_no_state(flown, died, tmp_path):
    whole = journal.pack_state(died)
    for data in (b'', whole[:15], whole[:-1], whole + b'\0', b'\0\1\0\0' + b'\1\0\0\0' * 3,
                 journal.BYTES.pack(b'\0\1\0\0', 0, 0, (1 << 32) - 1)):
        with pytest.raises(BagError, match='is no message that this package wrote'):
            replay(Options(changed(flown[1], tmp_path / 'bag', data)))
    with pytest.raises(BagError, match='is not the one that the journal names'):
        replay(Options(changed(flown[1], tmp_path / 'bag', digest='0' * 64)))
    with pytest.raises(BagError, match='which is not in the recording'):
        replay(Options(changed(flown[1], tmp_path / 'bag', drop=True)))
    with pytest.raises(BagError, match='other parameters: stamp was'):
        replay(Options(flown[1], values={'stamp': 'receive'}))


def test_what_is_too_long_is_not_recorded(monkeypatch):
    monkeypatch.setattr(journal, 'MOST_STATE', 100)
    with pytest.raises(BagError, match='has 101 bytes'):
        journal.pack_state(bytes(101))


def test_a_bomb_in_place_of_the_state(flown, tmp_path):
    """Compressed by message, 64 kB that unpack to 512 MB: refused before they are there."""
    bomb = zeros('zstd', 512)
    with pytest.raises(BagError, match='more than|no message that'):
        replay(Options(changed(flown[1], tmp_path / 'bag', bomb)))


def poisoned(data: bytes, name: str, place: int, value: float) -> bytes:
    """The file with another number at a place of an array."""
    header, arrays = header_of(data)
    begin = 0
    for key, kind, shape in header['arrays']:
        count = int(np.prod(shape, dtype=np.int64))
        size = np.dtype(kind).itemsize
        if key == name:
            at = begin + size * (place % max(count, 1))
            return made_of(header, arrays[:at] + np.array([value]).astype(kind).tobytes() + arrays[at + size:])
        begin += count * size
    raise AssertionError(name)


@pytest.mark.parametrize('value', [-1.0, 0.5, 2.0**40, float('nan'), 1e300])
def test_numbers_out_of_their_range(world, flown, died, tmp_path, value):
    """Any number in any array: the scene refuses it, or goes on; it never leaves its arrays."""
    state, _ = state_file.unpack(died, flown[0].identity)
    chance = np.random.default_rng(7)
    live = Live(world, tmp_path / 'unused')
    live.recording.discard()
    refused = 0
    with np.errstate(invalid='ignore'):
        for name, array in state.arrays.items():
            for place in chance.integers(0, array.size, 2).tolist() if array.size else []:
                data = poisoned(died, name, place, value)
                scene = live.scene
                try:
                    scene.restore(state_file.unpack(data, live.identity)[0])
                except state_file.StateError:
                    refused += 1
                    continue
                for k in range(3):
                    scene.advance(START + (DEATH + 1 + k) * PERIOD)
    assert refused
    # nothing of that stays
    scene.reset()
    scene.restore(SceneState(*state))
    assert os.path.exists(flown[1])
