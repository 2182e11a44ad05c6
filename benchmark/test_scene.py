# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Cost of a scene's tick at 200 Hz, five engine steps: what the node does between its messages."""
import time

import pytest

from .ticks import build, fly

# time of this process's one thread: other work on the machine does not count
pytestmark = pytest.mark.benchmark(timer=time.process_time)

TICKS, RUN_IN = 100, 40


@pytest.mark.parametrize('resting', [False, True], ids=['flying', 'resting'])
@pytest.mark.parametrize('n', [6, 50])
def test_tick(measure, n, resting):
    """feed_drones at 100 Hz and advance at 200 Hz."""
    def fresh():
        scene = build(n)
        fly(scene, 0, RUN_IN, resting)
        return (scene, RUN_IN, TICKS, resting), {}

    case = f'scene tick, {n} drones {"on the floor" if resting else "flying"}'
    touching = measure(case, 'hakoniwa_rigid', fly, TICKS, fresh)
    assert (touching > 0) == resting
    assert not fresh()[0][0].counters
