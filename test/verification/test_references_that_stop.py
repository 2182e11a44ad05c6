# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A plan that stops dead after a touch is followed: what is shown does not go on."""
import numpy as np
import pytest
from scene_worlds import MS, TICK, UPRIGHT, ZERO, make_scene

from hakoniwa_rigid.engine import Box
from hakoniwa_rigid.scene.world_files.world_types import MaterialConfig, Pose, WallConfig

STOPS_AT, PERIOD = 4.0, 10      # s, ms: of the samples


def brushed(speed, before, stops_at):
    """Offsets (T, 3) m of the drone shown from its plan, and their times (s): a plan along x that grazes a box some
    seconds before STOPS_AT, and stops dead at stops_at."""
    post = WallConfig('post', Box((0.3, 0.3, 0.3)), Pose((speed * (STOPS_AT - before), 0.249, 0.0)),
                      MaterialConfig('post', 0.0, 0.0))
    scene, times, off = make_scene('d', walls=(post,)), [], []
    for now in range(0, int(1e9 * (STOPS_AT + 1.5)), TICK):
        t = 1e-9 * now
        if now % (PERIOD * MS) == 0:
            scene.feed_drone('d', now, (speed * min(t, stops_at), 0.0, 0.0), UPRIGHT,
                             (speed if t < stops_at else 0.0, 0.0, 0.0), ZERO)
        shown = scene.advance(now + TICK).states.positions[0]
        times.append(t + 1e-9 * TICK)
        off.append(shown - (speed * min(times[-1], stops_at), 0.0, 0.0))
    return np.array(off), np.array(times)


@pytest.mark.parametrize('before', [0.2, 0.5, 1.0, 1.8])
@pytest.mark.parametrize('speed', [4.0, 15.0])
def test_is_followed(speed, before):
    off, times = brushed(speed, before, STOPS_AT)
    goes_on, _ = brushed(speed, before, np.inf)
    assert np.linalg.norm(off[(times > STOPS_AT - before - 0.3) & (times < STOPS_AT)], axis=1).max() > 1e-4    # a touch
    # what is off the plan after the stop is what would be off it without: the contact's doing, and a late sample's
    more = np.linalg.norm(off - goes_on, axis=1)
    assert more[times > STOPS_AT + 0.3].max() < 0.1
    assert (off - goes_on)[times > STOPS_AT, 0].max() < max(0.1, 1e-3 * speed * (PERIOD + 5))
