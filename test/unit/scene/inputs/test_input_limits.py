# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Whatever comes in, the next message is read: sizes are looked at first, what is remembered has a cap, absurd stamps
are refused, and what fails for an unexpected reason costs one message."""
from __future__ import annotations

import struct
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from adapters import make_adapter, make_settings
from cdr_messages import REPRESENTATIONS, Encoder, fleet, sample
from scene_worlds import MODEL, UPRIGHT
from test_fixed_layouts import odometry, twist

from hakoniwa_rigid.codec.cdr import LETTERS, MOST_LISTS, CdrError, FleetReader
from hakoniwa_rigid.scene.frames.frame_tree import (
    DEEPEST,
    KEPT,
    LEAST_KEPT,
    MOST_FRAMES,
    MOST_KEPT,
    FrameError,
    FrameTree,
)
from hakoniwa_rigid.scene.inputs import motors
from hakoniwa_rigid.scene.inputs.failures import MOST_LOGGED
from hakoniwa_rigid.scene.inputs.fixed_layouts import VEHICLE
from hakoniwa_rigid.scene.inputs.hand_inputs import TWISTS
from hakoniwa_rigid.scene.inputs.input_adapter import REFERENCE
from hakoniwa_rigid.scene.inputs.limits import MOST_HAND, MOST_JOINTS, MOST_NAMES, MOST_PLAIN, limits_of
from hakoniwa_rigid.scene.records import MOST_KEY, MOST_UNKNOWN, MOST_VALUE, OTHERS, Ledger, Verdict
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig, RotorConfig

NS = 1_000_000_000
PLAIN = REPRESENTATIONS[0]
MILLION = 1_000_000


class Whole:
    """A reader that gives what it was set to give, whatever the bytes are."""

    def __init__(self, message=None, error=None):
        self.message, self.error = message, error

    def read(self, data):
        if self.error is not None:
            raise self.error
        return self.message


def counted(adapter):
    return {**adapter.ledger.counters, **adapter.scene.counters}


def topic_of(adapter, name):
    return next(t for t in adapter.topics if t.name == name)


def deliver(adapter, name, data, reception=NS):
    adapter.deliver(topic_of(adapter, name), data, reception)
    adapter.flush()


def take(adapter, *messages):
    """(topic, bytes), as one piece."""
    ends = np.cumsum([0, *(len(data) for _, data in messages)])
    numbers = [topic_of(adapter, name).number for name, _ in messages]
    adapter.take(np.frombuffer(b''.join(data for _, data in messages), np.uint8), ends[:-1], np.diff(ends),
                np.array(numbers), np.full(len(messages), NS))
    adapter.flush()


def header(sec=1, nanosec=0, frame_id=''):
    return SimpleNamespace(stamp=SimpleNamespace(sec=sec, nanosec=nanosec), frame_id=frame_id)


def posed():
    return SimpleNamespace(position=SimpleNamespace(x=0.0, y=0.0, z=1.0),
                           orientation=SimpleNamespace(x=0.0, y=0.0, z=0.0, w=1.0))


def states(names, stamp=NS):
    n = len(names)
    arrays = [[0.0] * 3 * n, [0.0, 0.0, 0.0, 1.0] * n, [0.0] * 3 * n, [0.0] * 3 * n]
    return fleet(PLAIN, divmod(stamp, NS), 'world', names, arrays)


def pose(sec, nanosec, frame='world'):
    return sample('PoseStamped', PLAIN, (sec, nanosec), (frame, ''), [1.0, 2.0, 3.0, *UPRIGHT])


# -- the ledger


def test_strange_names_are_distinguished_up_to_a_number_and_shortened():
    ledger = Ledger()
    for k in range(1000):
        ledger.note(Verdict.UNKNOWN_NAME, f'{k:04d}' * 1000, 'y' * 10_000)
    assert len(ledger.counters) == MOST_UNKNOWN + 1 == len(ledger.last)
    assert ledger.counters['unknown_name', OTHERS] == 1000 - MOST_UNKNOWN
    assert max(len(key) for _, key in ledger.counters) <= MOST_KEY
    assert max(map(len, ledger.last.values())) == MOST_VALUE
    # those that were there first go on, and every other cause has its own
    ledger.note(Verdict.UNKNOWN_NAME, '0007' * 1000)
    assert ledger.counters['unknown_name', ('0007' * 1000)[:MOST_KEY - 3] + '...'] == 2
    ledger.note('wrong_transform', 'camera')
    assert ledger.counters['wrong_transform', 'camera'] == 1


def test_our_own_names_always_have_their_entry():
    ledger, names = Ledger(), [f'drone_{k}' + 'x' * 80 for k in range(5000)]
    for name in names:
        ledger.note(Verdict.STALE, name)
    assert [ledger.counters['stale', name] for name in names] == [1] * 5000


def test_names_without_end_leave_little_behind():
    adapter, messages = make_adapter(make_settings('a')), 80
    for k in range(messages):
        deliver(adapter, 'fleet/states', states([f'ghost_{k}_{i}' for i in range(MOST_NAMES)], NS + k))
    reader = topic_of(adapter, 'fleet/states').reader
    assert reader._kept == sum(len(known) for _, known in reader._lists) <= adapter.limits.lists
    assert len(adapter._states._known) <= MOST_LISTS
    assert max(len(rows.refused) for rows in adapter._states._known.values()) == MOST_UNKNOWN
    assert len(adapter.ledger.counters) == MOST_UNKNOWN + 1
    assert sum(adapter.ledger.counters.values()) == messages * MOST_NAMES
    assert not adapter._fleets._known


# -- sizes


@pytest.mark.parametrize('by', [deliver, lambda adapter, name, data: take(adapter, (name, data), (name, data))],
                         ids=['one', 'batch'])
@pytest.mark.parametrize(('name', 'most'), [('fleet/states', None), ('fleet/wrenches', None), ('a/odom', MOST_PLAIN),
                                            ('hands/left', MOST_HAND)])
def test_messages_beyond_a_size_are_not_looked_at(by, name, most):
    readers = {'hakoniwa_rigid/msg/HandJoints': Whole(error=AssertionError('it was looked at'))}
    adapter = make_adapter(make_settings('a', hands=('left',)), readers=readers)
    topic = topic_of(adapter, name)
    assert most is None or topic.most_bytes == most
    data = b'\0\1\0\0' + bytes(20_000_000)
    by(adapter, name, data)      # compiles
    before = time.process_time()
    by(adapter, name, data)
    assert time.process_time() - before < 2.0   # of the processor's: a copy of the bytes, no more
    (cause, key), = adapter.ledger.counters
    assert (cause, key) == ('too_large', topic.source.key)
    assert '20000004 bytes' in adapter.ledger.last[cause, key]
    assert adapter.received == adapter.ledger.counters[cause, key]


def test_limits_grow_with_the_world():
    few, many = limits_of(make_settings('a')), limits_of(make_settings(*(f'd{k}' for k in range(600))))
    assert (few.names, many.names) == (MOST_NAMES, 2400)
    assert many.bytes_of('hakoniwa_rigid/msg/FleetState') > few.bytes_of('hakoniwa_rigid/msg/FleetState')
    # a whole fleet of theirs fits, by names as long as may be
    names = [f'{k:064d}' for k in range(many.names)]
    assert len(states(names)) <= many.bytes_of('hakoniwa_rigid/msg/FleetState')
    long = limits_of(make_settings(DroneConfig('d' * 200, MODEL)))
    assert long.name == 200


@pytest.mark.parametrize(('data', 'what'), [
    (states(['n'] * (MOST_NAMES + 1)), f'{MOST_NAMES + 1} names'),
    (states(['n' * 65]), 'names[0]: 65 bytes'),
    (fleet(PLAIN, (1, 0), 'f' * 300, [], [[]] * 4), 'frame_id: 300 bytes')])
def test_fleets_are_refused_by_what_they_announce(data, what):
    adapter = make_adapter(make_settings('a'))
    deliver(adapter, 'fleet/states', data)
    assert adapter.ledger.counters == {('too_large', 'fleet'): 1}
    assert what in adapter.ledger.last['too_large', 'fleet']


def test_counts_far_beyond_the_bytes_allocate_nothing():
    adapter = make_adapter(make_settings('a'))
    for count in (2**32 - 1, 2**31, 10**6):
        data = Encoder(*PLAIN).put('i', 1).put('I', 0).text('world').put('I', count).message()
        deliver(adapter, 'fleet/states', data)
    assert adapter.ledger.counters == {('malformed', 'fleet'): 3}


def test_a_long_frame_is_refused_by_its_length():
    adapter = make_adapter(make_settings('a', drone={'a': {'source': 'pose'}}))
    deliver(adapter, 'a/pose', pose(1, 0, 'f' * (LETTERS + 1)))
    deliver(adapter, 'a/pose', pose(1, 0, 'f' * LETTERS))
    assert adapter.ledger.counters == {('too_large', 'a'): 1, ('wrong_frame', 'a'): 1}


@pytest.mark.parametrize('kind', ['joints', 'names', 'poses'])
def test_hands_of_many_joints_are_refused_before_they_are_converted(kind):
    many = [posed()] * (MOST_JOINTS + 1)
    lists = {'names': ['THUMB_CMC'] * (MOST_JOINTS + 1) if kind == 'names' else [],
             'poses': [posed()] if kind == 'names' else many}
    message = SimpleNamespace(header=header(), hand='', radii=[], is_valid=[], **lists)
    readers = {'hakoniwa_rigid/msg/HandJoints': Whole(message), 'geometry_msgs/msg/PoseArray': Whole(message)}
    made = make_settings(hands=('left',))
    if kind == 'poses':
        made.hands['left']['type'] = 'pose_array'
    adapter = make_adapter(made, readers=readers)
    deliver(adapter, adapter.topics[-1].name, b'\0\1\0\0')
    assert adapter.ledger.counters == {('too_large', 'left'): 1}


# -- what is remembered


def test_lists_of_names_are_remembered_up_to_their_bytes():
    reader = FleetReader(('positions',), most_kept=1000)
    lists = [fleet(PLAIN, (1, 0), '', [f'{k:060d}', 'x'], ([],)) for k in range(20)]
    keys = [reader.read(data).key for data in lists]
    assert len(set(keys)) == 20
    assert len(reader._lists) < 15 and reader._kept <= 1000
    assert reader.read(lists[-1]).key == keys[-1]


def test_layouts_of_fleets_are_remembered_up_to_their_bytes():
    names = [f'd{k}' for k in range(40)]
    adapter = make_adapter(make_settings(*names))
    adapter._fleets._most_bytes = 30_000
    rng = np.random.default_rng(1)
    for k in range(MOST_LISTS):
        deliver(adapter, 'fleet/states', states(rng.permutation(names).tolist(), NS + k) + bytes(500))
    kept = [len(layout.table.arrays[0]) for layout in adapter._fleets._known]
    assert sum(kept) <= 30_000
    assert not adapter.ledger.counters


# -- frames


def test_frames_keep_little_however_many_there_are():
    tree, still = FrameTree(NS), ((0.0, 0.0, 0.0), UPRIGHT)
    for k in range(KEPT):
        tree.put('world', 'base', k, *still)
    assert len(tree._edges['base'].history) == KEPT
    for frame in range(MOST_FRAMES - 1):
        for k in range(20):
            tree.put('world', f'f{frame}', k, *still)
    kept = [len(edge.history) for edge in tree._edges.values()]
    assert min(kept) >= LEAST_KEPT
    assert sum(kept) <= 3 * MOST_KEPT
    with pytest.raises(FrameError, match='frames already'):
        tree.put('world', 'one more', 0, *still)
    tree.forget()
    for k in range(KEPT):
        tree.put('world', 'base', k, *still)
    assert len(tree._edges['base'].history) == KEPT


@pytest.mark.parametrize('order', [1, -1])
def test_long_chains_and_long_names_are_refused(order):
    tree, still = FrameTree(NS), ((0.0, 0.0, 0.0), UPRIGHT)
    refused = 0
    for k in range(2000)[::order]:
        try:
            tree.put(f'f{k}', f'f{k + 1}', None, *still)
        except FrameError:
            refused += 1
    with pytest.raises(FrameError):
        tree.lookup('f2000', 'f0', 0)
    assert refused or order == -1
    with pytest.raises(FrameError, match='300 letters'):
        tree.put('world', 'f' * 300, None, *still)
    fresh = FrameTree(NS)
    for k in range(DEEPEST - 1):
        fresh.put(f'f{k}', f'f{k + 1}', None, *still)
    assert fresh.lookup(f'f{DEEPEST - 1}', 'f0', 0).position == (0.0, 0.0, 0.0)


def transform(frame, parent='world', sec=1, nanosec=0, w=1.0):
    return SimpleNamespace(header=header(sec, nanosec, parent), child_frame_id=frame,
                           transform=SimpleNamespace(translation=SimpleNamespace(x=0.0, y=0.0, z=0.0),
                                                     rotation=SimpleNamespace(x=0.0, y=0.0, z=0.0, w=w)))


def test_transforms_that_cannot_be_used_cost_themselves_only():
    adapter = make_adapter(make_settings('a'))
    message = SimpleNamespace(transforms=[
        transform('a', nanosec=2**32 - 1), transform('b', nanosec=2 * NS), transform('c', w=0.0),
        transform('d', w=1e300), transform('e' * 1000), transform('f', parent='f'),
        SimpleNamespace(child_frame_id='g'), transform('h')])
    adapter.put_transforms(message, static=False)
    assert adapter.frames.newest('h') == NS
    assert adapter.ledger.counters.pop(('failed', '/tf')) == 1
    assert {cause for cause, _ in adapter.ledger.counters} == {'wrong_transform'}
    assert len(adapter.ledger.counters) == 6
    adapter.put_transforms(SimpleNamespace(transforms=[transform('i')] * MILLION), static=True)
    assert adapter.ledger.counters['too_large', '/tf_static'] == 1
    assert f'{MILLION} transforms' in adapter.ledger.last['too_large', '/tf_static']


# -- what was a KeyError in a tick, and memory of others: topics behind the last one without strings


@pytest.mark.parametrize(('source', 'hands'), [('px4', 6), ('twist_pose', 6), ('px4', 600)])
def test_hands_beside_drones_without_strings(source, hands):
    names = tuple(f'h{k}' for k in range(hands))
    message = SimpleNamespace(header=header(), hand='', names=[], poses=[posed()], radii=[], is_valid=[])
    readers = {VEHICLE: Whole(), TWISTS: Whole(), 'hakoniwa_rigid/msg/HandJoints': Whole(message)}
    made = make_settings('a', 'b', 'c', drone={d: {'source': source} for d in 'abc'}, hands=names)
    adapter = make_adapter(made, readers=readers)
    take(adapter, *((f'hands/{name}', b'\0\1\0\0') for name in names))
    assert counted(adapter) == {}
    assert adapter.received == hands
    assert [s.received for s in adapter._sources if s.key in names] == [1] * hands


# -- stamps

TIMES = [(-1, 0), (-(2**31), 0), (2**31 - 1, 999_999_999), (0, NS), (1, 2**32 - 1), (2**31 - 1, 2**32 - 1)]


@pytest.mark.parametrize('stamp', ['header', 'synced', 'receive'])
@pytest.mark.parametrize(('sec', 'nanosec'), TIMES)
def test_absurd_header_stamps_are_refused(sec, nanosec, stamp):
    made = make_settings('a', 'b', drone={'a': {'source': 'pose', 'stamp': stamp}, 'b': {'source': 'odom'}})
    adapter = make_adapter(made)
    for _ in range(2):      # learnt, then in a compiled loop
        take(adapter, ('a/pose', pose(1, 0)), ('a/pose', pose(sec, nanosec)))
        deliver(adapter, 'fleet/states', states(['b'], NS))
        deliver(adapter, 'fleet/states', states(['b'], NS)[:4] + struct.pack('<iI', sec, nanosec)
                + states(['b'], NS)[12:])
    absurd = nanosec >= NS
    found = adapter.ledger.counters
    assert found.get(('out_of_range', 'a'), 0) == 2 * absurd
    assert found.get(('out_of_range', 'fleet'), 0) == 2 * absurd
    assert not [key for key in found if key[0] in ('failed', 'malformed')]
    if sec < 0 and not absurd and stamp == 'header':    # a time, and long ago
        refused = [n for (cause, _), n in counted(adapter).items() if cause in ('stale', 'stamp_backwards')]
        assert sum(refused) == 4
    assert (adapter.scene.sample_stamps() >= 0).all()
    assert adapter.received == 8


@pytest.mark.parametrize('us', [2**64 - 1, 2**63, 2**63 // 1000 + 1, 2**31 * 10**6, 2**62])
def test_absurd_stamps_of_vehicles_are_refused(us):
    adapter = make_adapter(make_settings('a', drone={'a': {'source': 'px4'}}), readers={VEHICLE: Whole()})
    name, good = 'a/fmu/out/vehicle_odometry', odometry((1, 2, 3))
    for sampled in (us, 0):
        take(adapter, (name, good[:4] + struct.pack('<QQ', us, sampled) + good[20:]))
    assert adapter.ledger.counters == {('out_of_range', 'a'): 2}
    assert adapter.scene.sample_stamps()[0] == -1
    take(adapter, (name, good[:4] + struct.pack('<QQ', 0, 2**31 * 10**6 - 1) + good[20:]))
    assert adapter.scene.sample_stamps()[0] == (2**31 * 10**6 - 1) * 1000


@pytest.mark.parametrize('us', [2**64 - 1, 2**63 // 1000 + 1, -1, 2**31 * 10**6])
@pytest.mark.parametrize('duty', motors.DUTIES, ids=lambda d: d.type)
def test_absurd_stamps_of_motors_are_refused(us, duty):
    rotor = RotorConfig((0.1, 0.0, 0.0), 1e-6, max_speed=1000.0)
    drone = DroneConfig('a', replace(MODEL, rotors=(rotor,) * 20), authority='simulate')
    message = SimpleNamespace(**{duty.shares: [0.5] * 12, duty.time: us})
    adapter = make_adapter(make_settings(drone, drone={'a': {duty.parameter: 'm'}}),
                         readers={duty.type: Whole(message)})
    deliver(adapter, 'm', b'\0\1\0\0')
    assert adapter.ledger.counters == {('out_of_range', 'a'): 1}
    setattr(message, duty.time, 10**6)
    deliver(adapter, 'm', b'\0\1\0\0')      # fewer shares than rotors
    assert adapter.scene.counters == {('wrong_size', 'a'): 1}


@pytest.mark.parametrize('place', [(91.0, 0.0, 0.0), (0.0, 1e300, 0.0), (0.0, 0.0, 1e308)])
def test_a_reference_that_is_nowhere_is_refused(place):
    lat, lon, alt = place
    message = SimpleNamespace(ref_lat=lat, ref_lon=lon, ref_alt=alt, xy_global=True, z_global=True)
    made = make_settings('a', drone={'a': {'source': 'px4', 'topic_px4_reference': 'ref'}},
                         node={'reference': (47.0, 8.0, 500.0)})
    adapter = make_adapter(made, readers={VEHICLE: Whole(), REFERENCE: Whole(message)})
    deliver(adapter, 'ref', b'\0\1\0\0')
    assert adapter.ledger.counters == {('out_of_range', 'a'): 1}
    assert adapter._sources[1].start is None


# -- what was not foreseen


@pytest.mark.parametrize('error', [KeyError('x'), MemoryError(), struct.error('y'), RecursionError(), CdrError('z')])
def test_whatever_a_reader_raises_is_a_malformed_message(error):
    adapter = make_adapter(make_settings(hands=('left',)),
                         readers={'hakoniwa_rigid/msg/HandJoints': Whole(error=error)})
    deliver(adapter, 'hands/left', b'\0\1\0\0')
    assert adapter.ledger.counters == {('malformed', 'left'): 1}
    reported = adapter.ledger.last['malformed', 'left']
    assert reported == ('z' if isinstance(error, CdrError) else f'{type(error).__name__}: {error}')


def test_a_message_that_fails_costs_itself_only():
    warnings = []
    made = make_settings('a', 'b', drone={d: {'source': 'pose'} for d in 'ab'})
    adapter = make_adapter(made, warn=warnings.append)
    broken = topic_of(adapter, 'a/pose')
    adapter.topics[broken.number] = broken._replace(callback=lambda source, message: 1 // 0)
    for _ in range(3):
        take(adapter, ('a/pose', pose(1, 0)), ('b/pose', pose(1, 0)))
    assert adapter.ledger.counters == {('failed', 'a'): 3}
    assert 'ZeroDivisionError' in adapter.ledger.last['failed', 'a']
    assert adapter.scene.sample_stamps().tolist() == [-1, NS]
    assert adapter.scene._fleet.s.rejected[0]
    (warning,) = warnings       # with a traceback, once
    assert 'ZeroDivisionError' in warning and 'lambda' in warning and 'PoseStamped' in warning
    for k in range(3 * MOST_LOGGED):
        adapter._failures.report(f'{k}', ValueError('x'))
    assert len(warnings) == MOST_LOGGED


def test_samples_that_the_scene_fails_at_cost_themselves_only(monkeypatch):
    made = make_settings('a', drone={'a': {'source': 'pose'}}, authority='simulate')
    adapter = make_adapter(made)
    wrench = sample('WrenchStamped', PLAIN, (1, 0), ('', ''), [0.1] * 6)

    def fail(*_, **__):
        raise FloatingPointError('here')

    monkeypatch.setattr(adapter.scene, 'feed_drones', fail)
    monkeypatch.setattr(adapter.scene, 'feed_motions', fail)
    for sec in (1, 2):
        take(adapter, ('a/pose', pose(sec, 0)), ('a/wrench', wrench))
    assert adapter.ledger.counters == {('failed', 'flush'): 2}
    assert adapter.ledger.last['failed', 'flush'] == 'FloatingPointError: here'
    assert adapter.scene._fleet.wrench_gate.known[0]


def test_what_a_programmer_does_wrong_still_raises():
    adapter = make_adapter(make_settings('a'))
    with pytest.raises(TypeError, match='data: must be bytes, got str'):
        adapter.deliver(adapter.topics[0], 'text', 0)
    with pytest.raises(AttributeError):
        adapter.deliver(None, b'', 0)
    with pytest.raises(IndexError):
        adapter.take(np.zeros(4, np.uint8), *np.array([[0], [4], [99], [0]]))


def test_a_pose_of_hakoniwa_at_infinity_is_refused():
    adapter = make_adapter(make_settings('a', drone={'a': {'source': 'twist_pose'}}), readers={TWISTS: Whole()})
    take(adapter, ('a/pos', twist((0, 0, 0), (np.inf, 0, 0))))
    assert counted(adapter) == {('not_finite', 'a'): 1}
