# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Cost of a replayed tick: 10 drones at 200 Hz on a circle, one of which grazes a wall and a pillar; inputs are not
copied."""
import time
from types import SimpleNamespace

import numpy as np
import pytest

from hakoniwa_rigid.codec.cdr_writers import FleetStateWriter, OdometryWriter
from hakoniwa_rigid.replay.bag.writer import BagWriter
from hakoniwa_rigid.replay.rerun.outcome import Options
from hakoniwa_rigid.replay.rerun.run import replay

# time of this process's one thread: other work on the machine does not count
pytestmark = pytest.mark.benchmark(timer=time.process_time)

N, TICK_NS, TICKS = 10, 5_000_000, 6000
START, DELAY = 1_700_000_000 * 10**9, 1_000_000    # ns; of the log behind the header
TURN = 0.25     # rad/s
NAMES = tuple(f'd{k}' for k in range(N))
WORLD = """
walls:
  - {name: floor, type: plane}
  - {name: wall_x, type: box, size: [0.2, 40, 6], position: [10.32, 0, 3]}
  - {name: wall_y, type: box, size: [60, 0.2, 6], position: [0, 12, 3]}
  - {name: pillar, type: box, size: [1, 1, 6], position: [-7.75, -7.75, 3]}
drones:
""" + '\n'.join(f'  - {{name: {name}, model: api-1}}' for name in NAMES)


def states():
    """Stamp and states of every tick."""
    k, still = np.arange(N), np.zeros((N, 3))
    level = np.tile((0.0, 0.0, 0.0, 1.0), (N, 1))
    radius = 10.0 - 0.15 * k
    for tick in range(TICKS):
        t = tick * TICK_NS * 1e-9
        x, y = radius * np.cos(TURN * t + 2 * np.pi * k / N), radius * np.sin(TURN * t + 2 * np.pi * k / N)
        positions = np.stack([x, y, 1.5 + 0.3 * np.sin(t + k)], axis=1)
        speeds = np.stack([-TURN * y, TURN * x, 0.3 * np.cos(t + k)], axis=1)
        yield START + tick * TICK_NS, SimpleNamespace(
            positions=positions, orientations_xyzw=level, linear_velocities=speeds, angular_velocities=still,
            flags=np.zeros(N, np.uint8))


@pytest.fixture(scope='module')
def bags(tmp_path_factory):
    """The folder of the bags `odometry` and `fleet`, and of the world."""
    folder = tmp_path_factory.mktemp('replay')
    (folder / 'world.yaml').write_text(WORLD)
    odometry, fleet = OdometryWriter('world', ['base_link'] * N), FleetStateWriter('world', NAMES)
    with BagWriter(folder / 'odometry') as a, BagWriter(folder / 'fleet') as b:
        topics = [a.topic(f'/{name}/odom', 'nav_msgs/msg/Odometry') for name in NAMES]
        topic = b.topic('/fleet/states', 'hakoniwa_rigid/msg/FleetState')
        for stamp, now in states():
            odometry.fill(stamp, now, np.arange(N))
            for number, data in zip(topics, odometry.messages(), strict=True):
                a.write(number, stamp + DELAY, data)
            b.write(topic, stamp + DELAY, fleet.write(stamp, now))
    return folder


@pytest.mark.parametrize('states', ['fleet', 'drone'])
@pytest.mark.parametrize('bag', ['odometry', 'fleet'])
def test_replay(measure, bags, bag, states):
    """Everything: open, read, step, write, put in place."""
    def run():
        return replay(Options(bags / bag, bags / 'out', str(bags / 'world.yaml'), inputs=False, states=states))

    result = measure(f'replay, {N} drones, {bag} in, {states} out', 'hakoniwa_rigid', run, TICKS, lambda: None)
    assert result.ticks == TICKS
    assert any(result.events.begun())
