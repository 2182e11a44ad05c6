# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""FleetState read in a compiled loop says to the bit what the long way says, and only what is plain goes there."""
from __future__ import annotations

import numpy as np
import pytest
from adapters import make_adapter, make_settings
from cdr_messages import REPRESENTATIONS, fleet
from hypothesis import given, settings
from hypothesis import strategies as st

from hakoniwa_rigid.rotations import Rigid
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig, Pose

NS = 1_000_000_000
PLAIN = REPRESENTATIONS[0]
TURN = (0.5, 0.5, 0.5, 0.5)
# of the lists of names that a fleet may come in, with drones in another order, unknown ones and none
LISTS = [('a', 'b', 'c'), ('c', 'a'), ('b',), ('a', 'stranger'), ('a', 'a'), ()]


def make(learns=True, **node):
    base = make_settings('a', 'b', 'c').world
    drones = [DroneConfig(d.name, d.model, origin=Pose((1.0, 2.0, 3.0), TURN) if d.name == 'c' else Pose())
              for d in base.drones]
    adapter = make_adapter(make_settings(*drones, node=node, fixed={'rig': Rigid((1.0, 2.0, 3.0), TURN)}))
    if not learns:
        adapter._fleets.learn = lambda *_: None
    return adapter


def message(stamp, names=LISTS[0], frame='world', form=PLAIN, seed=0, bad=None):
    """Unit quaternions and other numbers below 1; bad: (array, value of its first number)."""
    random = np.random.default_rng(seed)
    arrays = [random.uniform(-1.0, 1.0, (len(names), width)) for width in (3, 4, 3, 3)]
    arrays[1] /= np.linalg.norm(arrays[1], axis=1)[:, None]
    arrays = [a.ravel() for a in arrays]
    if bad is not None and len(names):
        arrays[bad[0]][0] = bad[1]
    return fleet(form, divmod(stamp, NS), frame, names, arrays)


def reported(adapter):
    scene, source = adapter.scene, adapter.fleet
    arrays = [a.tobytes() for a in (*scene._fleet.s, *scene._fleet.gate.arrays)]
    return (arrays, adapter.received, source.received, source.newest, adapter.ledger.counters, adapter.ledger.last,
            scene.counters, scene.last_rejected)


def received(adapter):
    """Stamps of the messages that will take the long way."""
    reader, slow = adapter._states_topic.reader, []
    long = reader.read

    def read(data):
        slow.append(data)
        return long(data)
    reader.read = read
    return slow


messages = st.builds(message, stamp=st.integers(0, 9).map(lambda k: k and NS + k), names=st.sampled_from(LISTS),
                     frame=st.sampled_from(['world', '', 'rig', 'nowhere']), form=st.sampled_from(REPRESENTATIONS),
                     seed=st.integers(0, 99),
                     bad=st.none() | st.tuples(st.integers(0, 3), st.sampled_from([np.nan, np.inf, 1e300, -0.0])))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(messages, st.sampled_from([0, 0, 0, 1, 9, 200])), max_size=8))
def test_any_messages_mean_what_the_long_way_makes_of_them(given):
    """Some of them cut off."""
    quick, slow = make(), make(learns=False)
    for k, (data, cut) in enumerate(given):
        for adapter in (quick, slow):
            adapter.deliver(adapter.topics[0], data[:len(data) - cut] if cut else data, NS + 100 + k)
        assert reported(quick) == reported(slow)


def test_only_the_first_message_of_a_list_of_names_takes_the_long_way():
    adapter = make()
    slow = received(adapter)
    for k in range(12):
        adapter.deliver(adapter.topics[0], message(NS + k, LISTS[k % 3], seed=k), NS)
    assert len(slow) == 3
    assert adapter.received == adapter.fleet.received == 12
    assert adapter.scene.sample_stamps().tolist() == [NS + 10, NS + 11, NS + 10]


@pytest.mark.parametrize(('node', 'change'), [
    ({'stamp': 'receive'}, {}), ({'stamp': 'synced'}, {}),
    ({}, {'frame': 'rig'}), ({'frame_yaw': 1.0}, {'frame': 'map'}),
    ({}, {'names': ('a', 'stranger')}), ({}, {'form': REPRESENTATIONS[1]}), ({}, {'names': ()})],
    ids=['by reception', 'another clock', 'a fixed frame', 'turned', 'an unknown drone', 'big endian', 'no drone'])
def test_what_has_to_be_thought_about_takes_the_long_way_every_time(node, change):
    adapter = make(**node)
    slow = received(adapter)
    for k in range(3):
        adapter.deliver(adapter.topics[0], message(NS + k, **change), NS + k)
    assert len(slow) == 3
