# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A scene that was saved, packed, unpacked and put into another object gives the bits of the one that went on."""
import hashlib
import json
import math
import os

import numpy as np
import pytest
from scene_worlds import MODEL, TICK, UPRIGHT, floor, make_config, wall_x

from hakoniwa_rigid import law
from hakoniwa_rigid.engine import Sphere
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.errors import StateError
from hakoniwa_rigid.scene.records import Phase
from hakoniwa_rigid.scene.saved_states import state_file
from hakoniwa_rigid.scene.saved_states.reported_events import ReportedEvents, files_of, read_reported
from hakoniwa_rigid.scene.saved_states.scene_state import SceneState
from hakoniwa_rigid.scene.saved_states.state_file import Identity
from hakoniwa_rigid.scene.world_files.world_types import (
    ContactTimeConfig,
    DroneConfig,
    DroneModel,
    MaterialConfig,
    ObjectConfig,
    Pose,
    RotorConfig,
)

ROTORS = DroneModel('quad', 0.7, (0.006, 0.0065, 0.0116), Sphere(0.1), material=MaterialConfig('hull', 0.5, 0.3),
                    rotors=tuple(RotorConfig((x, y, 0.0), 2e-6, 1e-8, spin, 0.05, 1500.0)
                                 for x, y, spin in ((0.1, 0.1, 'cw'), (-0.1, 0.1, 'ccw'),
                                                    (-0.1, -0.1, 'cw'), (0.1, -0.1, 'ccw'))))
BALL = Sphere(0.1)


def world(**fields):
    """All authorities, rotors with lag, balls in a heap, a hand."""
    drones = (DroneConfig('free', MODEL, Pose((0.0, 0.0, 0.3)), 'simulate'),
              DroneConfig('rotors', ROTORS, Pose((0.0, 4.0, 0.5)), 'simulate'),
              DroneConfig('led', MODEL, Pose((1.0, 0.0, 1.0)), 'correct'),
              DroneConfig('watched', MODEL, Pose((3.0, 3.0, 1.0)), 'observe'))
    balls = tuple(ObjectConfig(f'ball{k}', BALL, 0.3, pose=Pose((0.03 * k, 0.02 * k, 0.6 + 0.21 * k)))
                  for k in range(4))
    return make_config(*drones, walls=(floor(0.6), wall_x(3.0, 0.4)), objects=balls, hands=('right',),
                       gravity=(0.0, 0.0, -9.8), **fields)


def feed(scene, now, hand=False):
    t = now * 1e-9
    scene.feed_wrench('free', now, (0.2, 0.0, 1.0), (0.0, 1e-4, 0.0))
    scene.feed_motor_speeds('rotors', now, (900.0 + 200.0 * math.sin(3.0 * t), 900.0, 950.0, 910.0))
    scene.feed_drone('led', now, (2.7 + 0.5 * math.sin(5.0 * t), 0.0, 1.0), UPRIGHT)
    scene.feed_drone('watched', now, (3.0 + 0.2 * math.sin(7.0 * t), 3.0, 1.0), UPRIGHT)
    if hand:
        joints = np.linspace((0.0, -0.1, 0.3), (0.1, 0.1, 0.5), 25) + (0.3 * math.sin(4.0 * t), 0.0, 0.0)
        scene.feed_hand('right', now, joints)


def run(scene, begin, end, hand=False):
    ticks = []
    for k in range(begin, end):
        feed(scene, k * TICK, hand)
        ticks.append(scene.advance(k * TICK))
    return ticks


def reported(ticks):
    return [event for tick in ticks for event in tick.events]


def bits(ticks):
    """All that is published of ticks."""
    arrays = [[a.tobytes() for a in t.states[1:]] for t in ticks]
    return [t.stamp_ns for t in ticks], arrays, [repr(e) for e in reported(ticks)]


def through_a_file(scene, config):
    own = Identity(config, {'rate': 200.0}).header()
    return state_file.unpack(state_file.pack(own, scene.saved(), generation=7), own)


@pytest.mark.parametrize('fields', [{}, {'solver': 'impulse'},
                                    {'contact': ContactTimeConfig('half_sine', 0.012, None)}],
                         ids=['sequential', 'impulse', 'over time'])
@pytest.mark.parametrize('ticks', [0, 1, 37, 143])
def test_the_restored_scene_goes_on_to_the_bit(ticks, fields):
    config = world(**fields)
    one = CollisionScene.from_config(config)
    run(one, 0, ticks, hand=True)
    state, header = through_a_file(one, config)
    assert header['generation'] == 7
    two = CollisionScene.from_config(config)
    run(two, 1000, 1020)    # whatever it did before
    two.restore(state)
    one.release_hands()
    assert one.state_hash() == two.state_hash()
    assert bits(run(one, ticks, ticks + 250, hand=True)) == bits(run(two, ticks, ticks + 250, hand=True))
    assert one.state_hash() == two.state_hash()


def test_switches_survive():
    config = world()
    one = CollisionScene.from_config(config)
    run(one, 0, 50)
    one.set_authority('led', 'observe')
    one.set_enabled(False)
    run(one, 50, 60)
    two = CollisionScene.from_config(config)
    two.restore(through_a_file(one, config)[0])
    assert two.authorities().tolist() == one.authorities().tolist()
    for scene in (one, two):
        scene.set_enabled(True)
    assert bits(run(one, 60, 120)) == bits(run(two, 60, 120))


def test_whom_the_scene_waits_for():
    config = world()
    one = CollisionScene.from_config(config)
    run(one, 0, 50)
    two = CollisionScene.from_config(config)
    awaited = two.restore(one.saved())
    now = 400 * TICK
    assert awaited.any()
    feed(two, now)
    assert not awaited.any()
    # a stream that had ended before is not waited for
    for k in range(50, 450):
        one.advance(k * TICK)
    assert not CollisionScene.from_config(config).restore(one.saved()).any()


def interrupted(config, saved_at, killed_at, end):
    """All that is reported by a scene that is saved at one tick, killed at another, and restored."""
    one = CollisionScene.from_config(config)
    first = reported(run(one, 0, saved_at))
    state = one.saved()
    after = reported(run(one, saved_at, killed_at))
    two = CollisionScene.from_config(config)
    two.restore(state, after)
    return first, after, reported([two.hold(killed_at * TICK), *run(two, killed_at + 1, end)])


@pytest.mark.parametrize('saved_at', [20, 63, 90, 120])
@pytest.mark.parametrize('gap', [1, 7, 40, 100])
def test_what_is_told_is_one_story(saved_at, gap):
    first, after, later = interrupted(world(), saved_at, saved_at + gap, saved_at + gap + 200)
    phases, impulses = {}, {}
    for event in (*first, *after, *later):
        phases.setdefault(event.id, []).append(event.phase)
        if event.phase is not Phase.END:
            impulses[event.id] = impulses.get(event.id, np.zeros(3)) + event.impulse
    for key, of in phases.items():
        assert of[0] is Phase.BEGIN, (key, of)
        assert of.count(Phase.BEGIN) == 1, (key, of)
        assert Phase.END not in of[:-1], (key, of)
    # those that began after the state ended with all that was reported of them
    known = {e.id for e in first}
    lost = {e.id for e in after if e.phase is Phase.BEGIN} - {e.id for e in after if e.phase is Phase.END} - known
    ends = {e.id: e for e in later if e.phase is Phase.END}
    assert lost <= set(ends)
    for key in lost:
        np.testing.assert_allclose(ends[key].impulse, impulses[key], rtol=1e-12, atol=1e-15)
    assert not {e.id for e in later if e.phase is Phase.BEGIN} & {e.id for e in (*first, *after)}


def test_what_is_late_outlives_another_death():
    """Restored, saved at once, killed before the first tick, restored: the ENDs that are due are reported then."""
    config = world()
    one = CollisionScene.from_config(config)
    run(one, 0, 20)
    state = one.saved()
    after = reported(run(one, 20, 100))
    two = CollisionScene.from_config(config)
    two.restore(state, after)
    again = through_a_file(two, config)[0]
    three, four = CollisionScene.from_config(config), CollisionScene.from_config(config)
    three.restore(again)
    late = two.hold(101 * TICK).events
    assert late
    assert [repr(e) for e in three.hold(101 * TICK).events] == [repr(e) for e in late]
    # and not once more, where they were reported before it died
    four.restore(again, late)
    assert not four.hold(101 * TICK).events


def test_events_come_back_from_their_files(tmp_path):
    path = tmp_path / 'node.state'
    events = reported(run(CollisionScene.from_config(world()), 0, 150))
    assert len(events) > 9
    files = ReportedEvents(path)
    files.begin(4)
    files.add(events[:3])
    files.begin(5)
    files.add(events[3:5])
    files.add(events[5:9])
    files.close()
    assert read_reported(path, 4) == events[:9]
    assert read_reported(path, 5) == events[3:9]
    assert read_reported(path, 6) == []
    newest = files_of(path)[1]
    data = newest.read_bytes()
    for cut in (*range(60), len(data) // 2, len(data) - 1):
        newest.write_bytes(data[:cut])
        found = read_reported(path, 5)
        assert found in ([], events[3:5])
    for k in range(0, len(data), 7):
        newest.write_bytes(data[:k] + bytes([data[k] ^ 0x5a]) + data[k + 1:])
        assert read_reported(path, 5) in ([], events[3:5], events[3:9])


class TestRefusals:
    """Each is a sentence, and the scene is as before."""

    own = Identity(world(), {'rate': 200.0, 'frames': ()}).header()

    def refused(self, data, own=None):
        with pytest.raises(StateError) as caught:
            state_file.unpack(data, own or self.own)
        return str(caught.value)

    def data(self, own=None):
        scene = CollisionScene.from_config(world())
        run(scene, 0, 10)
        return state_file.pack(own or self.own, scene.saved())

    def test_others(self):
        data = self.data()
        assert 'other parameters: rate was 200.0, is 100.0' in self.refused(
            data, Identity(world(), {'rate': 100.0, 'frames': ()}).header())
        assert 'frames was [], is not given' in self.refused(data, Identity(world(), {'rate': 200.0}).header())
        assert 'another world' in self.refused(data, Identity(world(dt=0.002), {}).header())
        other = {**self.own, 'law': law.LAW_VERSION + 1}
        assert 'another version of the law' in self.refused(self.data(other))
        assert 'version' in self.refused(self.data({**self.own, 'version': '0.0.1'}))
        assert self.refused(data.replace(b'state 2', b'state 9', 1)) == 'was written in format 9, this is 2'

    def test_any_byte(self):
        """Whatever is cut off or changed is found, and nothing else raises."""
        data = self.data()
        for cut in [*range(120), *range(120, len(data), 4999)]:
            self.refused(data[:cut])
        for k in [*range(80), *range(80, len(data), 4999)]:
            self.refused(data[:k] + bytes([data[k] ^ 1]) + data[k + 1:])

    @pytest.mark.parametrize('change', [
        lambda h: h.pop('values'), lambda h: h.update(values=[]), lambda h: h.update(arrays=[['a', 'O', [1]]]),
        lambda h: h.update(arrays=[['a', '<f8', [1 << 60, 1 << 60]]]), lambda h: h.update(arrays=5),
        lambda h: h.update(arrays=[['a', '<f8', [-1]]]), lambda h: h.pop('law'), lambda h: h.update(parameters=3)])
    def test_a_header_of_wrong_types(self, change):
        state = SceneState({}, {'now_ns': 1})
        header = {**self.own, 'values': state.values, 'arrays': []}
        change(header)
        text = json.dumps(header).encode()
        body = text + bytes(64)
        head = state_file.HEAD.pack(len(text), hashlib.sha256(body).digest())
        self.refused(state_file.MAGIC + b'%d\n' % state_file.FORMAT + head + body)

    def test_a_state_of_other_arrays(self):
        scene = CollisionScene.from_config(world())
        run(scene, 0, 30)
        before, state = scene.state_hash(), scene.saved()
        for name in ('drones.sample', 'world.body', 'gate.newest', 'rotors.speed'):
            for wrong in (None, np.zeros(3), state.arrays[name][:-1].copy(), state.arrays[name].astype(np.int16)):
                arrays = dict(state.arrays)
                arrays.pop(name)
                with pytest.raises(StateError):
                    scene.restore(SceneState(arrays if wrong is None else {**arrays, name: wrong}, state.values))
        for name in ('contacts', 'frozen', 'next_id', 'late'):
            for wrong in (None, [[1]], [[[1, 2], {}]], {'a': 1}):
                with pytest.raises(StateError):
                    scene.restore(SceneState(state.arrays, {**state.values, name: wrong}))
        assert scene.state_hash() == before

    def test_a_file_that_others_may_have_written(self, tmp_path):
        path = tmp_path / 'node.state'
        state_file.write(path, self.data())
        assert os.stat(path).st_mode & 0o777 == 0o600
        state_file.read(path, self.own)
        path.chmod(0o620)
        with pytest.raises(StateError, match='others than this user'):
            state_file.read(path, self.own)
        with pytest.raises(FileNotFoundError):
            state_file.read(tmp_path / 'none', self.own)
        with pytest.raises(StateError, match='folder'):
            (tmp_path / 'folder').mkdir(mode=0o700)
            state_file.read(tmp_path / 'folder', self.own)
