# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Topics of drones and hands that come and leave: read as those of the others are, with tables that stay as large as
they are."""
from types import SimpleNamespace

import numpy as np
import pytest
from adapters import make_adapter, make_settings
from cdr_messages import REPRESENTATIONS, sample

from hakoniwa_rigid.scene.errors import SettingsError
from hakoniwa_rigid.scene.inputs.drone_topics import TOPICS_OF_ONE
from hakoniwa_rigid.scene.parameters.discovered import drone_values
from hakoniwa_rigid.scene.parameters.discovered_hands import hand_values
from hakoniwa_rigid.scene.parameters.presets import read_preset
from hakoniwa_rigid.scene.records import LEFT, Ledger
from hakoniwa_rigid.scene.world_files.world_types import SpareConfig

NS = 1_000_000_000


def values_of(name: str, sim: str = '', **given) -> dict:
    return drone_values(read_preset(sim), {f'drones.{name}.{key}': value for key, value in given.items()}, name)


@pytest.fixture
def adapter():
    return make_adapter(make_settings('a', spare=SpareConfig(drones=2, hands=2)), readers={})


def come(adapter, name: str, sim: str = '', **given) -> list:
    adapter.scene.add_drone(name, 'crazyflie')
    return adapter.connect(name, values_of(name, sim, **given))


def send(adapter, topic, stamp: int, x: float) -> None:
    numbers = [x, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, *[0.0] * 36, *[0.0] * 6, *[0.0] * 36]
    frames = 'world', f'{topic.source.key}/base_link'
    data = sample('Odometry', REPRESENTATIONS[0], divmod(stamp, NS), frames, numbers)
    adapter.take(np.frombuffer(data, np.uint8), np.array([0]), np.array([len(data)]), np.array([topic.number]),
                 np.array([stamp]))
    adapter.flush()


def test_one_that_comes_is_read_by_both_paths_and_not_after_it_left(adapter):
    odom = come(adapter, 'x')[0]
    for k in range(1, 5):   # the first message teaches the fast path the next
        send(adapter, odom, k * NS, float(k))
    row = adapter.scene.drone_index['x']
    assert adapter.scene._fleet.s.sample[row, 0] == 4.0 and adapter.drones['x'].received == 4
    adapter.scene.remove('x')
    adapter.disconnect('x')
    assert 'x' not in adapter.drones
    # another has its numbers: nothing of the first is known to it
    other = come(adapter, 'y', topic_odom='elsewhere')[0]
    assert other.number == odom.number and other.name == 'elsewhere' and adapter.drones['y'].received == 0
    send(adapter, other, 9 * NS, 7.0)
    assert adapter.scene._fleet.s.sample[adapter.scene.drone_index['y'], 0] == 7.0


def test_hundreds_of_names_leave_the_tables_as_they_are(adapter):
    first = None
    for k in range(300):
        topics = come(adapter, f'x{k}', sim=('', 'hakoniwa', 'aerostack2')[k % 3])
        if k == 2:
            first = len(adapter.topics), len(adapter._sources), len(adapter._fast.received)
        for topic in topics:
            assert adapter.topics[topic.number] is topic
        adapter.scene.remove(f'x{k}')
        adapter.disconnect(f'x{k}')
    assert (len(adapter.topics), len(adapter._sources), len(adapter._fast.received)) == first
    assert not adapter._poses.keys() - {adapter.drones['a'].number} and len(adapter.drones) == 1


def test_hundreds_of_hands_leave_the_tables_as_they_are(adapter):
    first = None
    for k in range(300):
        name, kind = f'h{k}', ('hand_joints', 'pose', 'twist_pose')[k % 3]
        adapter.scene.add_hand(name)
        topic, = adapter.connect(name, hand_values(read_preset(''), {f'hands.{name}.type': kind}, name))
        assert (topic.name, topic.source) == (f'hands/{name}', adapter.hand_sources[name])
        topic.callback(topic.source, twist()) if kind == 'twist_pose' else None
        assert (name in adapter.hands.ages()) is (kind == 'twist_pose') and adapter.hand_sources[name].received <= 1
        if k == 2:
            first = len(adapter.topics), len(adapter._sources), len(adapter._fast.received)
        with pytest.raises(SettingsError, match='is read already'):
            adapter.connect(name, hand_values(read_preset(''), {}, name))
        adapter.scene.remove(name)
        adapter.disconnect(name)
        assert not adapter.hands.ages()
    assert (len(adapter.topics), len(adapter._sources), len(adapter._fast.received)) == first
    assert not adapter.hand_sources


def twist():
    place = SimpleNamespace(x=1.0, y=0.0, z=1.0)
    return SimpleNamespace(linear=place, angular=place)


def test_what_cannot_be_changes_nothing(adapter):
    adapter.scene.add_drone('x', 'crazyflie')
    before = sorted(adapter._free_topics), len(adapter.topics)
    many = ','.join(f't{k}' for k in range(TOPICS_OF_ONE + 1))
    for wrong, says in (({'topic_odom': many}, 'at most 16 topics'), ({'source': 'px4'}, 'needs the package px4_msgs')):
        with pytest.raises(SettingsError, match=says):
            adapter.connect('x', values_of('x', **wrong))
        assert 'x' not in adapter.drones
    with pytest.raises(LookupError):
        adapter.connect('nothing', values_of('nothing'))
    with pytest.raises(SettingsError, match='is read already'):
        adapter.connect('a', values_of('a'))
    assert connected_again(adapter) and before[1] <= len(adapter.topics) <= before[1] + 2 * TOPICS_OF_ONE


def connected_again(adapter) -> list:
    return adapter.connect('x', values_of('x'))


def test_counts_of_what_left_are_kept_together():
    ledger = Ledger()
    for k in range(100):
        for _ in range(3):
            ledger.note('stale', f'x{k}', k)
        ledger.forget(f'x{k}')
    ledger.note('stale', 'a', 'its own')
    assert ledger.counters == {('stale', LEFT): 300, ('stale', 'a'): 1}
    assert ledger.last['stale', LEFT] == '99'
