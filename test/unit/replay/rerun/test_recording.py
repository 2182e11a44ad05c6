# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Recordings of a node without ROS: whatever it does, the replay gives its bytes; what is damaged is reported."""
import json
import math
import shutil
from pathlib import Path

import bags
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recordings import PERIOD, START, WORLD, Live, hand, transform

from hakoniwa_rigid.cli import main
from hakoniwa_rigid.replay.bag.part import rename_left_over
from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.bag.writer import BagWriter
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.replay.rerun import journal
from hakoniwa_rigid.replay.rerun.outcome import Options
from hakoniwa_rigid.replay.rerun.recording import Limits
from hakoniwa_rigid.replay.rerun.run import replay
from hakoniwa_rigid.replay.rerun.snapshots import Snapshots
from hakoniwa_rigid.scene.errors import SettingsError

S = 10**9


@pytest.fixture(scope='module')
def world(tmp_path_factory):
    path = tmp_path_factory.mktemp('world') / 'lane.yaml'
    path.write_text(WORLD)
    return path


def message(live: Live, kind: str, x: float):
    """(topic, data) of a message with the time of now, at x."""
    if kind == 'hand':
        return 'hands/right', hand(live.now, x)
    if kind == 'fleet':    # no message at all
        return 'fleet/states', b'\0\1\0\0' + bytes(9)
    name, late, frame = {'d0': ('d0', 0, 'world'), 'seen': ('d0', 0, 'camera'), 'd1': ('d1', 7 * S, 'map'),
                         'bad': ('d0', 0, 'world')}[kind]
    x = math.nan if kind == 'bad' else x
    return f'{name}/odom', bags.odometry(live.now - late, (x, 0, 0), velocity=(1, 0, 0), frame=frame)


def fly(live: Live, ticks: int) -> None:
    """d0 flies through d2, which stands still on /tf, into the wall; a hand strikes; all the calls there are."""
    live.restart()
    live.put_transforms(transform(0, 'world', 'camera', (0, 0.05, 0)), True)
    for k in range(ticks):
        x = -0.5 + 0.02 * k
        live.put_transforms(transform(live.now, 'world', 'sim/d2', (1, 0, 0)), False)
        reported = [(*message(live, kind, x), -1000 * k) for kind in ('seen' if k % 3 else 'd0', 'd1')]
        reported += [(*message(live, 'hand', 0.5 + x), -5)] if k % 4 == 0 else []
        reported += [(*message(live, 'bad', x), 3)] if k % 9 == 0 else []
        live.read([reported[:1], reported[1:]])
        if k in (130, 131):
            live.hold()
        elif k % 50 != 7:    # else the tick came too early
            live.advance()
        if k == 131:
            live.release_hands()
        live.end()
        if k == 50:
            live.set_authority('d1', 'simulate')
        if k == 20:
            live.attach('cable', 'd0', 'd1', 'line', length=5.0, restitution=0.5, break_impulse=0.5)
        if k == 40:
            live.attach('spring', 'd1', 'end', stiffness=3.0, anchor_b=(-2.0, 3.0, 0.0), damping=0.1)
        if k == 55:
            live.set_state('d1', (0.3, 2.9, 0.1, 0.0, 0.0, 0.6, 0.8))
        if k == 56:
            live.set_state('d1', twist=(0.1, 0.2, -0.3, 1.0, 2.0, 3.0))
        if k == 145:
            live.change('d1', material={'restitution': 0.1, 'friction': 0.2})
            live.replace('d2', model='cube', position=[1, 0, 0])
        if k in (45, 60):
            live.detach('constraint2')
        if k == 95:
            live.restart()
        if k in (100, 105):
            live.enable(k == 105)
        live.now += PERIOD if k != 85 else -3 * S


def recorded(world, folder, ticks: int):
    """The node, its recording."""
    live = Live(world, folder / 'flight')
    fly(live, ticks)
    live.recording.close()
    return live, live.recording.path


@pytest.fixture(scope='module')
def flown(world, tmp_path_factory):
    return recorded(world, tmp_path_factory.mktemp('flown'), 160)


@pytest.fixture(scope='module')
def short(world, tmp_path_factory):
    return recorded(world, tmp_path_factory.mktemp('short'), 20)


def reported(path, topic: str) -> list[bytes]:
    with Bag(path) as bag:
        there = any(t.name == topic for t in bag.topics)
        return [m.data for m in bag.messages([topic])] if there else []


def test_the_replay_gives_the_bytes_of_the_node(flown, tmp_path):
    live, recording = flown
    result = replay(Options(recording, tmp_path / 'out'))
    assert reported(tmp_path / 'out', '/ns/fleet') == live.states
    assert reported(tmp_path / 'out', '/ns/hits') == live.events
    assert reported(tmp_path / 'out', '/ns/held') == live.constraint_events
    assert [(e.name, e.phase.name) for e in result.constraint_events] == [
        ('line', 'ATTACHED'), ('constraint2', 'ATTACHED'), ('constraint2', 'DETACHED'), ('line', 'DETACHED')]
    assert len(live.states) == result.ticks == 156
    assert {e.kind.name for e in result.events} == {'DRONE_DRONE', 'DRONE_WALL', 'DRONE_HAND'}
    assert result.state_hash == live.scene.state_hash()
    with Bag(recording) as bag:
        header, *entries = bag.messages([journal.TOPIC])
        done = {call[0] for e in entries for call in journal.read_entry(e.data, 99).calls}
        # of those: test_restored_recordings.py, test/ros/test_discovery.py
        assert done == set(journal.CALLS) - {'restored', 'connect', 'disconnect'}
        # every tick has a log stamp of its own
        assert len({e.stamp_ns for e in entries}) == len(entries) == 160
        assert not bag.warnings
    # the inputs are there, byte for byte
    assert reported(tmp_path / 'out', '/d0/odom') == reported(recording, '/d0/odom')


def test_equal_recordings_and_replays_have_equal_bytes(short, world, tmp_path):
    again = Live(world, tmp_path / 'flight')
    fly(again, 20)
    again.recording.close()
    for path in (tmp_path / 'flight', short[1]):
        replay(Options(path, tmp_path / f'{path.parent.name}_out'))
    (a, b), (c, d) = [[folder / 'bag_0.mcap' for folder in pair] for pair in (
        (tmp_path / 'flight', short[1]), sorted(tmp_path.glob('*_out')))]
    assert a.read_bytes() == b.read_bytes()
    assert c.read_bytes() == d.read_bytes()


PIECE = st.lists(st.tuples(st.sampled_from(['d0', 'd1', 'seen', 'hand', 'bad', 'fleet']), st.floats(-1.0, 3.0),
                           st.integers(-PERIOD, 1000)), min_size=1, max_size=4)
DEED = st.one_of(
    st.tuples(st.just('read'), st.lists(PIECE, max_size=3)),
    st.tuples(st.just('fly'), st.floats(0.0, 2.0)),
    st.tuples(st.just('tf'), st.sampled_from(['sim/d2', 'camera']), st.booleans(), st.floats(0.0, 1.5)),
    st.tuples(st.just('authority'), st.sampled_from(['d0', 'd1', 'd2']),
              st.sampled_from(['observe', 'correct', 'simulate'])),
    st.tuples(st.just('attach'), st.sampled_from(['cable', 'fixed', 'spring']), st.sampled_from(['d0', 'd1', 'right']),
              st.sampled_from(['d2', 'end', 'd1']), st.sampled_from(['x', 'y']), st.floats(0.0, 10.0)),
    st.tuples(st.just('detach'), st.sampled_from(['x', 'y'])),
    st.tuples(st.just('enable'), st.booleans()), st.tuples(st.just('restart')), st.tuples(st.just('end')),
    st.tuples(st.just('clock'), st.sampled_from([0, PERIOD, 10 * PERIOD, -S])))


def do(live: Live, deed: str, *how) -> None:
    if deed == 'read':
        live.read([[(*message(live, kind, x), age) for kind, x, age in piece] for piece in how[0]])
    elif deed == 'fly':
        live.read([[(*message(live, 'd0', how[0]), 0)]])
        live.advance()
        live.end()
        live.now += PERIOD
    elif deed == 'tf':
        live.put_transforms(transform(live.now, 'world', how[0], (how[2], 0, 0)), how[1])
    elif deed == 'clock':
        live.end()    # an entry has one time
        live.now += how[0]
    elif deed == 'attach':
        live.attach(*how[:4], **({'stiffness': 5.0} if how[0] == 'spring' else {'break_force': how[4]}))
    else:
        {'detach': live.detach, 'authority': live.set_authority, 'enable': live.enable, 'restart': live.restart,
         'end': live.end}[deed](*how)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(deeds=st.lists(DEED, min_size=5, max_size=25))
def test_whatever_a_node_does(deeds, world, tmp_path):
    live = Live(world, tmp_path / 'flight')
    for deed in [*deeds, ('fly', 0.5)]:
        do(live, *deed)
    live.recording.close()
    replay(Options(live.recording.path, tmp_path / 'out'))    # a flight of an earlier example is not replaced
    assert reported(tmp_path / 'out', '/ns/fleet') == live.states
    assert reported(tmp_path / 'out', '/ns/hits') == live.events
    assert reported(tmp_path / 'out', '/ns/held') == live.constraint_events


# other worlds and parameters, and what makes no sense


def test_another_world_and_other_parameters(flown, world, tmp_path):
    recording = flown[1]
    other = tmp_path / 'other.yaml'
    other.write_text(WORLD.replace('offset: -2.0', 'offset: -9.0').replace('  - {name: d1, model: cube, position: '
                                                                           '[0, 3, 0]}\n', ''))
    result = replay(Options(recording, world=str(other)))
    assert result.drones == ('d0', 'd2')
    assert 'DRONE_WALL' not in {e.kind.name for e in result.events}
    assert 'd1 is not in this world: its authority simulate has no effect' in result.notes
    assert "the state of 'd1' was not set: no such drone, object, wall or hand, got 'd1'" in result.notes
    # in observe, the corrected state is the sample
    observed = replay(Options(recording, values={'default_authority': 'observe'}))
    assert observed.state_hash != flown[0].scene.state_hash()
    with pytest.raises(SettingsError, match='unknown: parameter drones.d9.source'):
        replay(Options(recording, values={'drones.d9.source': 'odom'}))


@pytest.mark.parametrize(('given', 'said'), [
    ({'rate': 100.0}, '--rate: a recording of the node'), ({'first': 0.0}, '--from: '), ({'last': 1.0}, '--to: '),
    ({'namespace': '/a'}, '--namespace: '), ({'maps': ('a:=b',)}, '--map: '),
    ({'values': {'rate': 100.0}}, 'rate: the ticks of a recording are those of the node, 200.0 Hz, got 100.0'),
])
def test_what_makes_no_sense_is_refused(short, given, said):
    with pytest.raises(BagError, match=said):
        replay(Options(short[1], **given))


def test_by_stamps_it_is_a_bag_like_any_other(short, world, tmp_path, capsys):
    words = ['replay', str(short[1]), '-o', str(tmp_path / 'out'), '--world', str(world), '--rate', '100']
    assert main(words) == 2
    assert '--by-stamps' in capsys.readouterr().err
    assert not (tmp_path / 'out').exists()
    assert main([*words, '--by-stamps']) == 0
    assert reported(tmp_path / 'out', '/fleet/states_corrected')


# damage


def changed(recording, path, change):
    """A copy in which change(message) -> message or None."""
    with Bag(recording) as bag, BagWriter(path) as out:
        topics = {t.name: out.topic(t.name, t.type, t.definition, t.qos) for t in bag.topics}
        for m in bag.messages():
            if (made := change(m)) is not None:
                out.write(topics[made.topic], made.stamp_ns, made.data)
    return path


def entry(number: int, change):
    """Changes an entry of the journal: a function of its JSON, or bytes."""
    def of(m):
        if m.topic != journal.TOPIC or m.sequence != number:
            return m
        return m._replace(data=change if isinstance(change, bytes) else journal.pack(change(journal.unpack(m.data))))
    return of


def drop(topic: str, number: int):
    return lambda m: None if (m.topic, m.sequence) == (topic, number) else m


def call(*words):
    return lambda content: {**content, 'calls': [list(words)]}


def of_text(text: bytes) -> bytes:
    """A std_msgs/String."""
    return b'\0\1\0\0' + (len(text) + 1).to_bytes(4, 'little') + text + b'\0'


@pytest.mark.parametrize(('change', 'said'), [
    (entry(0, b''), r'/hakoniwa_rigid/journal\[0\]: is no text of JSON'),
    (entry(0, lambda c: {**c, 'format': 'hakoniwa_rigid journal 9'}), "format: must be 'hakoniwa_rigid journal 1', got "
     "'hakoniwa_rigid journal 9'"),
    (entry(0, lambda c: {**c, 'world': None}), r'journal\[0\]: world: must be there and be a str, got None'),
    (entry(0, lambda c: {**c, 'topics': [['d0', 'd0/odom']]}), r'topics\[0\]: must be key, name, type, full, got'),
    (entry(5, b'\0\1\0\0\5\0\0\0{"a"\0'), r'journal\[5\]: is no text of JSON'),
    (entry(5, lambda c: {'now': 1.5, 'calls': []}), r'journal\[5\]: must have now, a whole number, and calls'),
    (entry(5, call('jump')), r'journal\[5\]: calls\[0\]: must be one of transforms, ask_tf, .* got \[.jump.\]'),
    (entry(5, call('advance', '1')), r'calls\[0\]: must be one of'),
    (entry(5, call('advance', True)), r'calls\[0\]: must be one of'),
    (entry(5, call('take', [99], [])), r'calls\[0\]: numbers of topics must be from 0 to \d+, got \[99\]'),
    (entry(5, call('take', [0, 0], [1])), r'a whole number for each of 2 receptions, or none, got \[1\]'),
    (entry(5, lambda c: {**c, 'calls': [['authority', 'd0', 'king'], *c['calls']]}), r"set_authority\('d0', 'king'\)"),
    (entry(5, call('set_state', 'd0', 'up', [])), r'calls\[0\]: must be one of'),
    (entry(5, call('advance', 10**30)), r'calls\[0\]: must be one of'),
    (entry(5, call('advance', 10**900)), r'calls\[0\]: must be one of'),
    (entry(5, call('take', [0, 0], [1, 1 << 63])), r'a whole number for each of 2 receptions'),
    (entry(5, call('authority', 'd\ud800', 'observe')), r'calls\[0\]: must be one of'),
    (entry(5, call([])), r'calls\[0\]: must be one of'),
    (entry(5, call({})), r'calls\[0\]: must be one of'),
    (entry(5, lambda c: {'now': -(1 << 63), 'calls': []}), r'must have now, a whole number'),
    (entry(5, of_text(b'[' * 100_000)), r'journal\[5\]: is no text of JSON'),
    (entry(5, of_text(b'9' * 100_000)), r'journal\[5\]: is no text of JSON'),
    (entry(5, of_text(b'[],' * (2 << 20))), r'journal\[5\]: is too long: 6291\d+ bytes, at most 4194304 are read'),
    (entry(0, of_text(b' ' * (17 << 20))), r'journal\[0\]: is too long'),
    (entry(0, lambda c: {**c, 'world': 'name: \ud800'}), r'journal\[0\]: world, parameters: must be text of Unicode'),
    (entry(0, lambda c: {**c, 'outputs': {'a': 5}}), r'journal\[0\]: outputs: must be texts, got 5'),
    (entry(0, lambda c: {**c, 'parameters': {**c['parameters'], 'rate': [[]]}}), r'rate: must be'),
    (entry(0, lambda c: {**c, 'parameters': {**c['parameters'], 'rate': 10**400}}), r'rate: must be'),
    (entry(0, lambda c: {**c, 'parameters': {**c['parameters'], 'drones': {'a': 1}}}), r'drones: must be'),
    (entry(5, call('flush')), r'journal\[5\]: at \d+ ns it names 0 messages of /d0/odom, the bag has \d'),
    (drop('/d0/odom', 7), r'it names \d messages of /d0/odom, the bag has \d; was the recording filtered'),
    (drop('/tf', 7), 'it names 1 messages of /tf, the bag has 0'),
    (drop(journal.TOPIC, 0), r'journal\[0\]: format: must be .* got None; .* the beginning is missing'),
    (drop(journal.TOPIC, 7), r'\d messages before \d+ ns, of which the journal knows nothing'),
    (lambda m: None if m.topic == journal.TOPIC else m, 'has no messages: the node was ended before its first tick'),
    (lambda m: m._replace(stamp_ns=START + 1) if m.sequence and m.stamp_ns < START + 9 * PERIOD else m,
     'entries at .* every tick has a log stamp of its own'),
    (lambda m: m if m.topic == journal.TOPIC and not m.sequence else None, 'no tick in the journal'),
], ids=lambda value: None if callable(value) else '')
def test_a_damaged_recording(short, tmp_path, change, said):
    path = changed(short[1], tmp_path / 'damaged', change)
    with pytest.raises(ValueError, match=said):
        replay(Options(path, tmp_path / 'out'))
    assert not (tmp_path / 'out').exists()


def test_a_killed_node_leaves_what_it_had_up_to_the_last_second(world, tmp_path):
    live = Live(world, tmp_path / 'flight')
    fly(live, 20)
    live.recording.write(live.now + S, live.calls.drain())
    live.read([[(*message(live, 'd0', 0.0), 0)]])
    live.advance()
    live.now += 2 * S
    live.end()    # reaches the disk; what follows does not
    flushed = len(live.states)
    live.now += PERIOD
    live.advance()
    live.end()
    part, = tmp_path.glob('.flight.*.part')
    shutil.copytree(part, tmp_path / 'left')
    live.recording.give_up()
    assert part.exists() and not (tmp_path / 'flight').exists()
    result = replay(Options(tmp_path / 'left', tmp_path / 'out'))
    assert reported(tmp_path / 'out', '/ns/fleet') == live.states[:flushed]
    assert any('cut off' in note for note in result.notes)


def test_cut_off_in_the_middle_of_a_tick(short, tmp_path):
    with Bag(short[1]) as bag:
        last = max(m.sequence for m in bag.messages([journal.TOPIC]))
    path = changed(short[1], tmp_path / 'cut', drop(journal.TOPIC, last))
    result = replay(Options(path, tmp_path / 'out'))
    assert any('cut off in the middle of a tick' in note for note in result.notes)
    assert reported(tmp_path / 'out', '/ns/fleet') == short[0].states[:-1]


def test_without_a_tick_there_is_nothing_to_keep(world, tmp_path):
    live = Live(world, tmp_path / 'flight')
    live.restart()
    live.end()
    live.recording.close()
    assert not list(tmp_path.iterdir())


def test_a_full_disk(world, tmp_path):
    live = Live(world, tmp_path / 'flight')
    full = Path('/dev/full').open('wb', buffering=0)    # noqa: SIM115
    live.recording._bag.mcap.file = full
    with full, pytest.raises(BagError, match='flight: cannot be written: .*No space left'):
        fly(live, 1000)
    live.recording.give_up()
    assert not (tmp_path / 'flight').exists()


def test_the_journal_is_plain_json(short):
    data = reported(short[1], journal.TOPIC)[3]
    with Bag(short[1]) as bag:
        text = bag.decode(next(m for m in bag.messages([journal.TOPIC]) if m.sequence == 3)).data
    assert json.loads(text) == journal.unpack(data)
    assert text.startswith('{"calls":[["transforms",false],["ask_tf"],["take",[')


@pytest.mark.parametrize('limits', [Limits(split_bytes=60_000), Limits(split_ns=PERIOD * 20)])
def test_a_recording_of_many_files_gives_the_same_bytes(flown, world, tmp_path, limits):
    live = Live(world, tmp_path / 'flight', limits)
    fly(live, 160)
    live.recording.close()
    assert len(list((tmp_path / 'flight').glob('*.mcap'))) > 3
    replay(Options(tmp_path / 'flight', tmp_path / 'out'))
    assert reported(tmp_path / 'out', '/ns/fleet') == flown[0].states == live.states
    assert reported(tmp_path / 'out', '/ns/hits') == flown[0].events
    # what was heard of /tf_static once is there once, though every file has it
    assert len(reported(tmp_path / 'out', '/tf_static')) == 1 < len(reported(tmp_path / 'flight', '/tf_static'))


def test_a_recording_that_lost_its_beginning_is_replayed_from_there(world, tmp_path):
    """Everybody is there, and what only /tf_static told before is known."""
    live = Live(world, tmp_path / 'flight', Limits(split_ns=PERIOD * 20, keep=1))
    fly(live, 60)
    live.recording.close()
    assert len(list((tmp_path / 'flight').glob('*.mcap'))) == 2
    result = replay(Options(tmp_path / 'flight', tmp_path / 'out'))
    assert 20 <= result.ticks < 40
    assert not result.absent and not [key for key in result.refused if key[0] == 'wrong_frame']


def test_a_snapshot_is_a_recording(world, tmp_path):
    live = Live(world, tmp_path / 'unused')
    live.recording = Snapshots(tmp_path / 'shot', live.header, {}, span_ns=PERIOD * 30)
    assert live.recording.save() is None and not list(tmp_path.glob('shot*'))
    fly(live, 60)
    assert live.recording.save() == tmp_path / 'shot'
    result = replay(Options(tmp_path / 'shot', tmp_path / 'out'))
    assert 25 <= result.ticks <= 31
    assert not result.absent and not [key for key in result.refused if key[0] == 'wrong_frame']
    assert live.recording.save() == tmp_path / 'shot_2'
    assert (tmp_path / 'shot_2' / 'bag_0.mcap').read_bytes() == (tmp_path / 'shot' / 'bag_0.mcap').read_bytes()


def test_what_a_killed_node_left_is_recovered_and_replayed(world, tmp_path, capsys):
    live = Live(world, tmp_path / 'flight')
    fly(live, 20)
    live.recording._bag.flush()
    flushed = len(live.states)
    live.recording.give_up()
    crashed, = rename_left_over(tmp_path / 'flight')
    assert main(['recover', str(crashed), '-o', str(tmp_path / 'whole')]) == 0
    assert 'cut off' in capsys.readouterr().err
    for path in (crashed, tmp_path / 'whole'):
        shutil.rmtree(tmp_path / 'out', ignore_errors=True)
        replay(Options(path, tmp_path / 'out'))
        assert reported(tmp_path / 'out', '/ns/fleet') == live.states[:flushed]
