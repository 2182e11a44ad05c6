"""The example nodes of third-party simulators, as processes beside collision_node over DDS: each flies at a
wall with its goal behind it, in `observe` and in `simulate`.  `make test-sims` installs them and runs this, alone: they
fly in real time."""
import os
from pathlib import Path

import numpy as np
import pytest
from hakoniwa_rigid.msg import ContactEvent, ContactEventArray
from nav_msgs.msg import Odometry

from hakoniwa_rigid.ros.qos import STATES

SIMULATORS = Path(__file__).resolve().parents[2] / 'examples' / 'simulators'
WORLD = """
name: a wall
materials: {{plain: {{restitution: 0.3, friction: 0.2}}}}
models: {{cf: {{mass: {mass}, inertia: {inertia}, shape: {shape}, material: plain}}}}
walls:
  - {{name: floor, type: plane}}
  - {{name: wall, type: plane, normal: [-1, 0, 0], offset: -0.6, material: plain}}
drones: [{{name: d0, model: cf, position: [0, 0, 1], authority: {authority}}}]
"""
CF2X = dict(mass=0.027, inertia=[1.4e-5, 1.4e-5, 2.17e-5], shape='{type: box, size: [0.09, 0.09, 0.02]}')
L250 = dict(mass=0.0328, inertia=[2.3951e-5, 2.3951e-5, 3.2347e-5], shape='{type: sphere, radius: 0.07}')


@pytest.mark.slow
@pytest.mark.parametrize(('package', 'script', 'model', 'reach', 'authority'), [
    ('PyFlyt', 'pyflyt_node.py', CF2X, 0.045, 'observe'), ('PyFlyt', 'pyflyt_node.py', CF2X, 0.045, 'simulate'),
    ('crazyflow', 'crazyflow_node.py', L250, 0.07, 'observe'),
    ('crazyflow', 'crazyflow_node.py', L250, 0.07, 'simulate'),
], ids=['PyFlyt-observe', 'PyFlyt-simulate', 'crazyflow-observe', 'crazyflow-simulate'])
def test_a_node_of_a_simulator_flies_at_a_wall(bench, tmp_path, package, script, model, reach, authority):
    if 'LIVE_SIMULATORS' not in os.environ:
        pytest.skip(f'{package} flies in real time: make test-sims installs it and runs this alone')
    world = tmp_path / 'wall.yaml'
    world.write_text(WORLD.format(authority=authority, **model))
    bench.start('hakoniwa_rigid.ros.collision_node', f'world:={world}')
    events = bench.inbox(ContactEventArray, 'contact_events')
    shown = bench.inbox(Odometry, 'd0/odom_corrected', STATES)
    sim = bench.start(str(SIMULATORS / script), arguments=(authority, '0,0,1:1.2,0,1'))
    seen = bench.inbox(Odometry, 'd0/odom', STATES) if authority == 'observe' else shown

    def hits():
        return [e for array in events for e in array.events if e.phase == ContactEvent.BEGIN and e.body_b == 'wall']
    bench.until(hits, 'a hit of the wall', 90.0)
    count = len(seen)
    # three seconds of pushing
    bench.until(lambda: len(seen) > count + 300, 'three seconds more', 60.0)
    x = np.array([msg.pose.pose.position.x for msg in seen[count:]])
    # at the hit a tenth of a second of its way, on a busy machine; leaning, a centimetre
    assert x.max() < 0.6 - reach + 0.1 * 1.2 and np.median(x[-100:]) < 0.6 - reach + 0.01
    # and no drone was thrown off
    assert x.min() > 0.0
    assert sim.alive, sim.output
