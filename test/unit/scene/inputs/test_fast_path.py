# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Plain reading, in a compiled loop, says to the bit what the long way says: one message at a time, nothing learnt."""

from __future__ import annotations

import math

import numpy as np
import pytest
from adapters import make_adapter, make_settings
from cdr_messages import REPRESENTATIONS, fleet, sample
from hypothesis import given, settings
from hypothesis import strategies as st
from scene_worlds import TICK, UPRIGHT

from hakoniwa_rigid.rotations import Rigid
from hakoniwa_rigid.scene.inputs.fast_path import TEXTS
from hakoniwa_rigid.scene.inputs.input_adapter import InputAdapter
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig, Pose

NS, MS = 1_000_000_000, 1_000_000
PLAIN, BIG, XCDR2 = REPRESENTATIONS[:3]
HALF = math.sqrt(0.5)
# e is on another clock, f is timed by reception, p and q send poses and twists, o starts elsewhere, t is in a fleet
DRONES = {'a': {}, 'b': {'frame': 'rig'}, 'e': {'stamp': 'synced'}, 'f': {'stamp': 'receive'}, 'o': {},
          'p': {'source': 'pose'}, 'q': {'source': 'pose'}, 't': {'source': 'fleet'}}
FIXED = {'rig': Rigid((1.0, 2.0, 3.0), (0.0, 0.0, HALF, HALF))}


def world_of(**node):
    """Settings of DRONES, all simulated or corrected."""
    origin = Pose((5.0, 6.0, 7.0), (HALF, 0.0, 0.0, HALF))
    base = make_settings(*DRONES, authority='simulate').world
    drones = [DroneConfig(d.name, d.model, authority='simulate' if k % 2 else 'correct', pose=Pose((0.0, 0.0, 3.0 * k)),
                          origin=origin if d.name == 'o' else Pose()) for k, d in enumerate(base.drones)]
    return make_settings(*drones, drone=DRONES, node=node, fixed=FIXED)


class LongWay(InputAdapter):
    """Reads one message after another, and never learns."""

    def __init__(self, *args) -> None:
        super().__init__(*args)
        self._fast.learn = self._fleets.learn = lambda *_: None

    def take(self, data, offsets, lengths, topics, receptions) -> None:
        for at, length, topic, reception in zip(offsets, lengths, topics, receptions, strict=True):
            self.deliver(self.topics[topic], data[at:at + length].tobytes(), int(reception))


def reported(adapter: InputAdapter) -> dict:
    """Everything that may depend on what was received."""
    scene = adapter.scene
    arrays = {name: a.tobytes() for name, a in scene._fleet.s._asdict().items()}
    gates = [a.tobytes() for gate in (scene._fleet.gate, scene._fleet.wrench_gate) for a in gate.arrays]
    # which of a source's topics was read last does not matter: what only the last one says counts where it has one
    single = {'e', 'f', 'o', 't', 'unknown', 'fleet'}
    sources = [(s.received, s.newest if s.key in single else 0, s.told_zero, repr(s.twist)) for s in adapter._sources]
    last = {**adapter.ledger.last, **scene.last_rejected}
    ledgers = [adapter.ledger.counters, scene.counters, {k: v for k, v in last.items() if k[1] in single}]
    return {**arrays, 'gates': gates, 'sources': sources, 'received': adapter.received, 'ledgers': ledgers,
            'hash': scene.state_hash()}


def give(adapter: InputAdapter, piece: list[tuple[int, bytes, int]], gap: int = 0) -> None:
    """(topic, bytes, reception) in one take; `gap` bytes lie before each, so that nothing is aligned."""
    data, offsets = bytearray(), []
    for _, raw, _ in piece:
        data += b'\xee' * gap
        offsets.append(len(data))
        data += raw
    columns = [[len(raw) for _, raw, _ in piece], [t for t, *_ in piece], [r for *_, r in piece]]
    adapter.take(np.frombuffer(bytes(data), np.uint8), np.array(offsets, dtype=np.int64),
                *(np.array(c, dtype=np.int64) for c in columns))


def received(adapter: InputAdapter) -> list[tuple[str, bytes]]:
    """Fills with what takes the long way."""
    messages, deliver = [], adapter.deliver

    def note(topic, data, reception):
        messages.append((topic.name, data))
        deliver(topic, data, reception)

    adapter.deliver = note
    return messages


def sample_of(adapter: InputAdapter, name: str) -> np.ndarray:
    """The newest motion (13,) of a drone."""
    return adapter.scene._fleet.s.sample[list(DRONES).index(name)]


def number_of(adapter: InputAdapter, name: str) -> int:
    """The topic with this name."""
    return next(topic.number for topic in adapter.topics if topic.name == name)


def odometry(stamp: int, numbers=None, frame='world', child='a/base_link', form=PLAIN) -> bytes:
    position, orientation, linear, angular = numbers or ((1, 2, 3), UPRIGHT, (0, 0, 0), (0, 0, 0))
    values = [*position, *orientation, *[7.0] * 36, *linear, *angular, *[8.0] * 36]
    return sample('Odometry', form, divmod(stamp, NS), (frame, child), values)


def posed(stamp: int, x: float, form=PLAIN, frame='world') -> bytes:
    return sample('PoseStamped', form, divmod(stamp, NS), (frame, ''), [x, 0, 0, *UPRIGHT])


def twisted(stamp: int, v: float, frame='p/base_link') -> bytes:
    return sample('TwistStamped', PLAIN, divmod(stamp, NS), (frame, ''), [v, 0, 0, 0, 0, 0])


# -- equal to the long way

# topic, kind, the strings of most of its messages
VOICES = [
    *((f'{d}/odom', 'Odometry', ('world', f'{d}/base_link')) for d in 'abefo'),
    *((f'{d}/pose', 'PoseStamped', ('map', '')) for d in 'pq'),
    ('p/twist', 'TwistStamped', ('p/base_link', '')),
    *((f'{d}/wrench', 'WrenchStamped', ('', '')) for d in 'abp'),
    ('fleet/states', 'fleet', ('world', '')),
    ('fleet/wrenches', 'fleet', ('world', '')),
]
STEPS = {'repeat': 0, 'back': -TICK, 'restart': -NS, 'leap': 3 * NS}
TEXTS_OF = {
    'no frame': ('', 'x'), 'map': ('map', 'a/base_link'), 'fixed': ('rig', 'a/base_link'), 'lost': ('camera', 'world'),
    'world child': ('world', 'odom'), 'long': ('world', 'w' * TEXTS),
    'body': ('base_link', ''), 'utf-8': ('monde', 'é'),
}
ODD = {'nan': math.nan, 'inf': -math.inf, 'huge': 1e300, 'far': 6e5, 'minus zero': -0.0, 'least': 5e-324, 'jump': 400.0}
CUTS = {'empty': 0, 'head': 3, 'stamp': 11, 'texts': 40, 'last byte': -1}
FORMS = {'big endian': BIG, 'xcdr2': XCDR2, 'both': REPRESENTATIONS[3], 'not cdr': ('<', 8, b'\0\3')}
CHANGES = st.sampled_from([*['none'] * 20, 'zero', 'turn', *STEPS, *TEXTS_OF, *ODD, *CUTS, *FORMS])
# voice, what is the matter with its messages, how many; with all of them, or with the first
SPEAKERS = st.sampled_from([*VOICES, *3 * (VOICES[0], VOICES[1], VOICES[5], VOICES[6])])
RUNS = st.tuples(SPEAKERS, CHANGES, st.integers(1, 5), st.booleans())
PIECES = st.lists(st.lists(RUNS, min_size=1, max_size=10), min_size=2, max_size=6)


def spoken(voice, change: str, stamps: dict[str, int], rng) -> bytes:
    """The next message of a voice."""
    topic, kind, texts = voice
    now = stamps[topic] = stamps.get(topic, NS // 2) + STEPS.get(change, TICK)
    texts, form = TEXTS_OF.get(change, texts), FORMS.get(change, PLAIN)
    stamp = (0, 0) if change == 'zero' else divmod(now, NS)
    if kind == 'fleet':
        widths = (3, 4, 3, 3) if topic == 'fleet/states' else (3, 3)
        names = ['t', 'unknown'] if change == 'texts' else ['t']
        arrays = [np.full(width * len(names), 0.5) for width in widths]
        return fleet(form, stamp, texts[0], names, arrays)[:CUTS.get(change)]
    turn = [0.6, 0.0, 0.0, 0.801 if change == 'turn' else 0.8]
    twist, zeros = rng.uniform(-1, 1, 6).tolist(), [0.25] * 36
    pose = [*rng.uniform(-1, 1, 3).tolist(), *turn]
    values = {'Odometry': [*pose, *zeros, *twist, *zeros], 'PoseStamped': pose}.get(kind, twist)
    if change in ODD:
        values[rng.choice([k for k, x in enumerate(values) if x != 0.25])] = ODD[change]
    return sample(kind, form, stamp, texts, values)[:CUTS.get(change)]


@settings(max_examples=80, deadline=None)
@given(PIECES, st.integers(0, 7), st.booleans(), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_plain_reading_is_the_long_way_to_the_bit(pieces, gap, by_topic, flushes, seed):
    made, rng = world_of(), np.random.default_rng(seed)
    plain, slow = make_adapter(made), make_adapter(made, LongWay)
    stamps: dict[str, int] = {}
    now = NS // 2
    for k, piece in enumerate(pieces):
        voices = [(voice, change if every or not j else 'none') for voice, change, n, every in piece for j in range(n)]
        batch = [(number_of(plain, voice[0]), spoken(voice, change, stamps, rng), now + j)
                 for j, (voice, change) in enumerate(voices)]
        if by_topic:
            batch.sort(key=lambda message: message[0])  # as the queues are emptied
        now += TICK
        for adapter in (plain, slow):
            give(adapter, batch, gap)
            if k % flushes == 0:
                adapter.flush()
                adapter.scene.advance(now)
        if k % flushes == 0:
            assert reported(plain) == reported(slow)
    for adapter in (plain, slow):
        adapter.flush()
    assert reported(plain) == reported(slow)


# -- in order, and only what is plain


def test_what_is_plain_is_read_at_once_and_the_first_teaches():
    adapter = make_adapter(world_of())
    slow, a = received(adapter), number_of(adapter, 'a/odom')
    first = odometry(NS)
    give(adapter, [(a, first, 0)])
    adapter.flush()
    assert slow == [('a/odom', first)]
    q = (HALF, 0.0, 0.0, HALF)  # about x by 90 degrees: y of the body is z of the world
    give(adapter, [(a, odometry(NS + k, ((k, 5, 6), q, (1, 2, 3), (4, 5, 6))), 0) for k in range(1, 4)])
    assert len(slow) == 1
    adapter.flush()
    expected = [3, 5, 6, HALF, HALF, 0, 0, 1, -3, 2, 4, -6, 5]
    np.testing.assert_allclose(sample_of(adapter, 'a'), expected, atol=2e-15)
    assert adapter.received == adapter.drones['a'].received == 4
    assert adapter.drones['a'].newest == NS + 3


@pytest.mark.parametrize(
    'odd',
    [
        {'form': BIG}, {'form': XCDR2}, {'frame': 'map'}, {'frame': 'rig'}, {'frame': ''}, {'child': 'b'},
        {'child': 'world'}, {'child': 'a/base_lin'}, {'child': 'a/base_link2'},
    ],
    ids=str,
)
def test_messages_of_a_topic_keep_their_order_when_one_is_not_plain(odd):
    """Were one overtaken, its stamp would be refused."""
    adapter = make_adapter(world_of())
    slow, a, b = received(adapter), number_of(adapter, 'a/odom'), number_of(adapter, 'b/odom')
    give(adapter, [(a, odometry(NS), 0), (b, odometry(NS, child='b'), 0)])
    adapter.flush()
    slow.clear()
    piece = [(a, odometry(NS + k, **(odd if k == 3 else {})), 0) for k in range(1, 7)]
    give(adapter, piece + [(b, odometry(NS + k, child='b'), 0) for k in range(1, 7)])
    # two were plain, the rest had to wait for the third; the other topic had not
    assert [data for _, data in slow] == [data for _, data, _ in piece[2:]]
    give(adapter, [(a, odometry(NS + k), 0) for k in range(7, 9)])
    assert len(slow) == 4
    adapter.flush()
    assert set(adapter.scene.counters) <= {('teleport', 'a')}  # carried over from another frame in no time
    assert not adapter.ledger.counters
    assert adapter.scene.sample_stamps()[:2].tolist() == [NS + 8, NS + 6]


def test_a_twist_is_read_before_the_pose_behind_it():
    adapter = make_adapter(world_of())
    pose, twist = (number_of(adapter, f'p/{what}') for what in ('pose', 'twist'))
    give(adapter, [(pose, posed(NS + k, 0.01 * k), 0) for k in range(2)])
    adapter.flush()
    give(adapter, [(pose, posed(NS + 2, 0.02), 0), (twist, twisted(NS + 3, 4.0), 0), (pose, posed(NS + 3, 0.02), 0)])
    adapter.flush()
    assert sample_of(adapter, 'p').tolist() == [0.02, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 0, 0]
    # for good: a pose finds its own twist, however many of them come
    give(adapter, [(pose, posed(NS + 4, 0.02), 0), (twist, twisted(NS + 5, 7.0), 0), (pose, posed(NS + 5, 0.02), 0)])
    adapter.flush()
    assert sample_of(adapter, 'p')[7] == 7.0
    adapter.forget()
    slow = received(adapter)
    give(adapter, [(pose, posed(NS + (6 + k) * MS, 0.02), 0) for k in range(2)])
    give(adapter, [(pose, posed(NS + (8 + k) * MS, 0.02), 0) for k in range(2)])
    assert len(slow) == 2  # without twists it is plain again
    adapter.flush()
    assert sample_of(adapter, 'p')[7] == 0.0


def test_many_pieces_before_a_flush_are_all_kept_in_order():
    adapter = make_adapter(world_of())
    a, wrench = number_of(adapter, 'a/odom'), number_of(adapter, 'b/wrench')
    forces = [sample('WrenchStamped', PLAIN, divmod(NS + k, NS), ('', ''), [k, 1, 2, 3, 4, 5]) for k in range(600)]
    stamp = 0
    for size in (1, 1, 3, 50, 7, 500):  # more than there was room for, twice
        piece = []
        for _ in range(size):
            piece += [(a, odometry(NS + stamp, ((stamp, 0, 0), UPRIGHT, (0, 0, 0), (0, 0, 0))), 0),
                      (wrench, forces[stamp], 0)]
            stamp += 1
        give(adapter, piece)
    adapter.flush()
    assert adapter.received == 2 * stamp
    assert set(adapter.scene.counters) <= {('teleport', 'a')}
    assert sample_of(adapter, 'a')[0] == stamp - 1
    assert adapter.scene._fleet.s.force[1].tolist() == [stamp - 1, 1, 2]
    assert adapter.scene._fleet.s.torque[1].tolist() == [3, 4, 5]


def test_what_is_forgotten_is_not_fed():
    adapter = make_adapter(world_of())
    a = number_of(adapter, 'a/odom')
    give(adapter, [(a, odometry(NS), 0)])
    adapter.flush()
    give(adapter, [(a, odometry(NS + 1), 0), (a, odometry(NS + 2, form=BIG), 0)])
    adapter.forget()
    adapter.flush()
    assert adapter.scene.sample_stamps()[0] == NS


@pytest.mark.parametrize(
    ('drone', 'texts', 'node'),
    [
        ('a', {'frame': 'rig'}, {}),  # carried into the world
        ('a', {'frame': 'map'}, {'frame_yaw': 1.0}),  # turned
        ('a', {'child': 'map'}, {}),  # velocities in the world
        ('a', {'frame': 'camera'}, {}),  # refused
        ('b', {'frame': ''}, {}),  # the drone's own frame
        ('o', {'frame': 'rig'}, {}),
        ('e', {}, {}),  # times that have to be worked out
        ('f', {}, {}),
        ('a', {}, {'stamp': 'synced'}),
        ('a', {'form': BIG}, {}),
    ],
)
def test_what_needs_thought_is_never_plain(drone, texts, node):
    adapter = make_adapter(world_of(**node))
    slow, topic = received(adapter), number_of(adapter, f'{drone}/odom')
    for k in range(4):
        give(adapter, [(topic, odometry(NS + k, **texts), NS + k)] * 2)
        adapter.flush()
    assert len(slow) == 8


def test_strings_that_are_too_long_to_compare_take_the_long_way():
    beside = 4 + len('world') + 3 + 4 + 1  # two lengths, the frame with its zero and padding, a zero
    for length, plain in ((TEXTS - beside, True), (TEXTS - beside + 1, False)):
        adapter = make_adapter(world_of())
        slow, a = received(adapter), number_of(adapter, 'a/odom')
        for k in range(3):
            give(adapter, [(a, odometry(NS + k, child='c' * length), 0)])
            adapter.flush()
        assert len(slow) == (1 if plain else 3)
        assert adapter.scene.sample_stamps()[0] == NS + 2
