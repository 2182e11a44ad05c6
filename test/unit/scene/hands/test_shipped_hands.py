# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The recordings that come with the package, through the scene of ar_room: which of them meet the drone, and how."""
import numpy as np
import pytest

from hakoniwa_rigid.paths import config_file
from hakoniwa_rigid.scene import CollisionScene, Kind, Phase
from hakoniwa_rigid.sims.hands.camera import camera
from hakoniwa_rigid.sims.hands.landmark_tracker import LandmarkTracker, recorded
from hakoniwa_rigid.sims.hands.landmarks import read_landmarks
from hakoniwa_rigid.sims.hands.motion import read_motion

TICK_NS = 5_000_000
HOVER, LEVEL = (1.0, 0.0, 1.2), (0.0, 0.0, 0.0, 1.0)


def motion(name):
    if name.endswith('.npz'):
        return read_motion(config_file('hands', name))
    (found,) = recorded(read_landmarks(config_file('hands', name)), LandmarkTracker(camera()))
    return found


# the direction in which the drone is pushed: along the motion of the hand
@pytest.mark.parametrize(('name', 'pushed'), [
    ('strike_left.npz', (0, -1, 0)), ('punch_right.npz', (1, 0, 0)), ('push_right.jsonl.gz', (1, 0, 0)),
    ('lift_right.npz', (0, 0, 1)), ('wave_right.npz', None)])
def test_the_hovering_drone_is_met_or_left_alone(name, pushed):
    scene = CollisionScene.from_yaml(config_file('worlds', 'ar_room.yaml'))
    hand = motion(name)
    stamps, k, begun, farthest = hand.stamps + TICK_NS, 0, [], np.zeros(3)
    for now in range(TICK_NS, int(stamps[-1]) + TICK_NS, TICK_NS):
        scene.feed_drone('d0', now, HOVER, LEVEL, (0, 0, 0), (0, 0, 0))
        while k < len(stamps) and stamps[k] <= now:
            scene.feed_hand(hand.hand, int(stamps[k]), hand.positions[k], hand.orientations[k], hand.radii,
                            hand.is_valid[k])
            k += 1
        tick = scene.advance(now)
        begun += [event for event in tick.events if event.phase == Phase.BEGIN]
        away = tick.states.positions[0] - HOVER
        farthest = max(farthest, away, key=np.linalg.norm)
    if pushed is None:
        assert not begun
        assert np.linalg.norm(farthest) < 1e-9
        return
    assert {(event.kind, event.body_a, event.body_b) for event in begun} == {(Kind.DRONE_HAND, 'd0', hand.hand)}
    assert np.dot(farthest, pushed) > 0.05
    assert np.dot(farthest, pushed) > 0.7 * np.linalg.norm(farthest)
