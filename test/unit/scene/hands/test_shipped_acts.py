# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The recorded acts through the scene of ar_room, its hands assisted and 40 ms late as a headset's: taken, carried,
let go, thrown, caught, clapped."""
import numpy as np
import pytest
import yaml

from hakoniwa_rigid.paths import config_file
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.sims.hands.motion import read_motion
from hakoniwa_rigid.sims.hands.recordings import ACTS

TICK_NS, LATE_NS, NS = 5_000_000, 40_000_000, 10**9
HOVER, LEVEL = np.array((1.0, 0.0, 1.2)), (0.0, 0.0, 0.0, 1.0)
WEIGHT = 0.68240503 * 9.80665

at_every_rate = pytest.mark.parametrize('rate', [30, 60, 72])


def room(tmp_path, authority):
    """ar_room with hands that take hold."""
    world = yaml.safe_load(config_file('worlds', 'ar_room.yaml').read_text())
    for hand in world['hands']:
        hand['grasp_assistance'] = True
    world['drones'][0]['authority'] = authority
    path = tmp_path / 'room.yaml'
    path.write_text(yaml.safe_dump(world))
    return CollisionScene.from_yaml(path)


def acted(tmp_path, *names, authority='correct', plan=lambda t: HOVER):
    """Ticks from 0 till 0.2 s behind the last sample; a drone of `simulate` hovers by its thrust."""
    scene, ticks = room(tmp_path, authority), []
    motions = [read_motion(config_file('hands', name)) for name in names]
    waiting = sorted((int(stamp), m, k) for m, motion in enumerate(motions) for k, stamp in enumerate(motion.stamps))
    scene.feed_drone('d0', 0, plan(0.0), LEVEL, (0, 0, 0), (0, 0, 0))
    scene.advance(0)
    for now in range(TICK_NS, waiting[-1][0] + NS // 5, TICK_NS):
        if authority == 'simulate':
            scene.feed_wrench('d0', now, (0.0, 0.0, WEIGHT), (0, 0, 0))
        else:
            ahead = (plan(now / NS + 1e-3) - plan(now / NS)) / 1e-3
            scene.feed_drone('d0', now, plan(now / NS), LEVEL, ahead, (0, 0, 0))
        while waiting and waiting[0][0] + LATE_NS <= now:
            stamp, m, k = waiting.pop(0)
            hand = motions[m]
            scene.feed_hand(hand.hand, stamp, hand.positions[k], hand.orientations[k], hand.radii, hand.is_valid[k])
        ticks.append(scene.advance(now))
    return ticks


def at(rate, *names):
    """Files of recordings at a rate (Hz)."""
    return [f'{name}.npz' if ACTS[name][1] == rate else f'{name}_{rate}hz.npz' for name in names]


def told(ticks, phase):
    """Times (s) and names of what was told of the constraints."""
    return [(e.stamp_ns / NS, e.name) for t in ticks for e in t.constraint_events if e.phase.name == phase]


def place(ticks, t):
    return next(k for k in ticks if k.stamp_ns >= t * NS).states.positions[0]


@at_every_rate
def test_grip_takes_carries_and_lets_go(tmp_path, rate):
    """1 m to the left, in the hand; then back to where it hovers."""
    ticks = acted(tmp_path, *at(rate, 'grip_right'))
    ((taken, name),), ((gone, _),) = told(ticks, 'GRASPED'), told(ticks, 'RELEASED')
    assert name == 'grasp_right' and 1.2 < taken < 1.45 and 5.7 < gone < 6.05
    assert np.linalg.norm(place(ticks, 3.95) - HOVER - (0, 1, 0)) < 0.1
    assert np.linalg.norm(place(ticks, taken) - HOVER) < 0.01


@at_every_rate
def test_one_hand_takes_over_from_the_other(tmp_path, rate):
    """0.4 m to the left in the right hand, 0.3 m farther in the left one; both hold it for half a second, their
    noise of 1 mm a joint moves its middle, 0.28 m from the pinch."""
    ticks = acted(tmp_path, *at(rate, 'hand_over_right', 'hand_over_left'))
    (right, left), (gone, last) = told(ticks, 'GRASPED'), told(ticks, 'RELEASED')
    assert [name for _, name in (right, left, gone, last)] == ['grasp_right', 'grasp_left'] * 2
    assert 1.2 < right[0] < 1.5 and 3.4 < left[0] < 3.7 and 3.9 < gone[0] < 4.3 and 5.7 < last[0] < 6.05
    assert np.linalg.norm(place(ticks, 3.3) - HOVER - (0, 0.4, 0)) < 0.02
    assert np.linalg.norm(place(ticks, 5.6) - HOVER - (0, 0.7, 0)) < 0.02
    both = np.array([k.states.positions[0] for k in ticks if left[0] < k.stamp_ns / NS < gone[0] + 0.1])
    assert np.ptp(both, axis=0).max() < 0.02


@at_every_rate
def test_throw_leaves_with_the_speed_of_the_hand(tmp_path, rate):
    """2 m/s along x to 5 % at RELEASED, as the hand's; drag takes 1.5 m/s^2."""
    ticks = acted(tmp_path, *at(rate, 'throw_right'), authority='simulate')
    ((gone, _),) = told(ticks, 'RELEASED')
    assert 3.3 < gone < 3.5
    # of the tick that begins with it
    v = next(k for k in ticks if k.stamp_ns > gone * NS).states.linear_velocities[0]
    assert np.linalg.norm(v - (2.0, 0.0, 0.0)) < 0.1 + 0.02, v


@at_every_rate
@pytest.mark.parametrize('authority', ['correct'])
def test_catch_holds_what_comes(tmp_path, authority, rate):
    """At 1.5 m/s along -x, its side at the palm at 2 s: held until the fingers open."""
    front = 0.4 + 0.016 + 0.25

    def plan(t):
        return np.array([max(front + 1.5 * (2.0 - t), -0.5), 0.0, 1.2])
    ticks = acted(tmp_path, *at(rate, 'catch_right'), authority=authority, plan=plan)
    ((taken, _),), ((gone, _),) = told(ticks, 'GRASPED'), told(ticks, 'RELEASED')
    assert 1.85 < taken < 2.2 and 4.0 < gone < 4.3
    held = np.array([k.states.positions[0] for k in ticks if taken + 0.2 < k.stamp_ns / NS < gone])
    assert np.ptp(held, axis=0).max() < 0.05


@at_every_rate
def test_clap_flings_nothing_and_takes_nothing(tmp_path, rate):
    """1.5 m/s, e = 0.5 against 0.1: below 1.5 (1 + e) / (1 - e) + 0.5."""
    ticks = acted(tmp_path, *at(rate, 'clap_left', 'clap_right'))
    assert not told(ticks, 'GRASPED')
    assert {e.body_b for t in ticks for e in t.events if e.body_a == 'd0'} == {'left', 'right'}
    assert max(np.linalg.norm(t.states.linear_velocities[0]) for t in ticks) < 5.0
    assert np.linalg.norm(ticks[-1].states.positions[0] - HOVER) < 0.1
