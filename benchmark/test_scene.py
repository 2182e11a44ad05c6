"""Cost of a scene's tick at 200 Hz, five engine steps: what the node does between its messages."""
import time

import numpy as np
import pytest

from hakoniwa_rigid.scene import CollisionScene

# time of this process's one thread: other work on the machine does not count
pytestmark = pytest.mark.benchmark(timer=time.process_time)

TICK_NS = 5_000_000
TICKS, RUN_IN = 100, 40


def build(tmp_path, n):
    """A floor and n drones of the unity model, 1 m apart, corrected."""
    rows = '\n'.join(f'  - {{name: d{i}, model: unity, position: [{i % 10}, {i // 10}, 1.0]}}' for i in range(n))
    file = tmp_path / 'floor.yaml'
    file.write_text(f'walls:\n  - {{name: floor, type: plane}}\ndrones:\n{rows}\n')
    return CollisionScene.from_yaml(file)


def fly(scene, first, count, resting):
    """Ticks; every other one brings a sample of each drone (100 Hz): it circles, or its plan pushes it into the floor.
    Returns the number of contact rows of the last step."""
    index = np.arange(len(scene.drone_names))
    grid = np.column_stack([index % 10, index // 10, np.zeros(len(index))]).astype(float)
    level, still = np.tile((0.0, 0.0, 0.0, 1.0), (len(index), 1)), np.zeros((len(index), 3))
    for k in range(first, first + count):
        stamp = k * TICK_NS
        if k % 2 == 0:
            phase = 2.0 * stamp * 1e-9
            offset = (0.0, 0.0, 0.024) if resting else (0.2 * np.cos(phase), 0.2 * np.sin(phase), 1.0)
            speed = (0.0, 0.0, 0.0) if resting else (-0.4 * np.sin(phase), 0.4 * np.cos(phase), 0.0)
            scene.feed_drones(index, stamp, grid + offset, level, still + speed, still)
        scene.advance(stamp)
    return len(scene.world.contacts())


@pytest.mark.parametrize('resting', [False, True], ids=['flying', 'resting'])
@pytest.mark.parametrize('n', [6, 50])
def test_tick(measure, tmp_path, n, resting):
    """feed_drones at 100 Hz and advance at 200 Hz."""
    def fresh():
        scene = build(tmp_path, n)
        fly(scene, 0, RUN_IN, resting)
        return (scene, RUN_IN, TICKS, resting), {}

    case = f'scene tick, {n} drones {"on the floor" if resting else "flying"}'
    touching = measure(case, 'hakoniwa_rigid', fly, TICKS, fresh)
    assert (touching > 0) == resting
    assert not fresh()[0][0].counters
