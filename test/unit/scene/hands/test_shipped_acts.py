# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The recorded acts through the scene of ar_room, its hands assisted and 40 ms late as a headset's: taken, carried,
let go, thrown, caught, clapped."""
import numpy as np
import pytest
import yaml

from hakoniwa_rigid.paths import config_file
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.sims.hands.motion import read_motion

TICK_NS, LATE_NS, NS = 5_000_000, 40_000_000, 10**9
HOVER, LEVEL = np.array((1.0, 0.0, 1.2)), (0.0, 0.0, 0.0, 1.0)
WEIGHT = 0.68240503 * 9.80665


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


def told(ticks, phase):
    """Times (s) and names of what was told of the constraints."""
    return [(e.stamp_ns / NS, e.name) for t in ticks for e in t.constraint_events if e.phase.name == phase]


def place(ticks, t):
    return next(k for k in ticks if k.stamp_ns >= t * NS).states.positions[0]


def test_grip_takes_carries_and_lets_go(tmp_path):
    """1 m to the left, in the hand; then back to where it hovers."""
    ticks = acted(tmp_path, 'grip_right.npz')
    ((taken, name),), ((gone, _),) = told(ticks, 'GRASPED'), told(ticks, 'RELEASED')
    assert name == 'grasp_right' and 1.2 < taken < 1.45 and 5.7 < gone < 6.05
    assert np.linalg.norm(place(ticks, 3.95) - HOVER - (0, 1, 0)) < 0.1
    assert np.linalg.norm(place(ticks, taken) - HOVER) < 0.01


def test_throw_leaves_with_the_speed_of_the_hand(tmp_path):
    """2 m/s along x to 5 % at RELEASED, as the hand's; drag takes 1.5 m/s^2."""
    ticks = acted(tmp_path, 'throw_right.npz', authority='simulate')
    ((gone, _),) = told(ticks, 'RELEASED')
    assert 3.3 < gone < 3.5
    # of the tick that begins with it
    v = next(k for k in ticks if k.stamp_ns > gone * NS).states.linear_velocities[0]
    assert np.linalg.norm(v - (2.0, 0.0, 0.0)) < 0.1 + 0.02, v


@pytest.mark.parametrize('authority', ['correct'])
def test_catch_holds_what_comes(tmp_path, authority):
    """At 1.5 m/s along -x, its side at the palm at 2 s: held until the fingers open."""
    front = 0.4 + 0.016 + 0.25

    def plan(t):
        return np.array([max(front + 1.5 * (2.0 - t), -0.5), 0.0, 1.2])
    ticks = acted(tmp_path, 'catch_right.npz', authority=authority, plan=plan)
    ((taken, _),), ((gone, _),) = told(ticks, 'GRASPED'), told(ticks, 'RELEASED')
    assert 1.85 < taken < 2.2 and 4.0 < gone < 4.3
    held = np.array([k.states.positions[0] for k in ticks if taken + 0.2 < k.stamp_ns / NS < gone])
    assert np.ptp(held, axis=0).max() < 0.05


def test_clap_flings_nothing_and_takes_nothing(tmp_path):
    """1.5 m/s, e = 0.5 against 0.1: below 1.5 (1 + e) / (1 - e) + 0.5."""
    ticks = acted(tmp_path, 'clap_left.npz', 'clap_right.npz')
    assert not told(ticks, 'GRASPED')
    assert {e.body_b for t in ticks for e in t.events if e.body_a == 'd0'} == {'left', 'right'}
    assert max(np.linalg.norm(t.states.linear_velocities[0]) for t in ticks) < 5.0
    assert np.linalg.norm(ticks[-1].states.positions[0] - HOVER) < 0.1
