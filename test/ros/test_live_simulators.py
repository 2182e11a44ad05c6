"""The example nodes of third-party simulators, as processes beside collision_node over DDS: each flies at a
wall with its goal behind it, in `observe` and in `simulate`.  `make test-sims` installs them and runs this, alone: they
fly in real time."""
import os
from pathlib import Path

import numpy as np
import pytest
from hakoniwa_rigid.msg import ContactEvent, ContactEventArray
from harness import NS, stamp_of
from nav_msgs.msg import Odometry
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.ros.qos import INPUT, STATES

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
@pytest.mark.parametrize(('package', 'script', 'model', 'sizes', 'authority'), [
    ('PyFlyt', 'pyflyt_node.py', CF2X, (0.09, 0.09, 0.02), 'observe'),
    ('PyFlyt', 'pyflyt_node.py', CF2X, (0.09, 0.09, 0.02), 'simulate'),
    ('crazyflow', 'crazyflow_node.py', L250, 0.07, 'observe'),
    ('crazyflow', 'crazyflow_node.py', L250, 0.07, 'simulate'),
], ids=['PyFlyt-observe', 'PyFlyt-simulate', 'crazyflow-observe', 'crazyflow-simulate'])
def test_a_node_of_a_simulator_flies_at_a_wall(bench, tmp_path, package, script, model, sizes, authority):
    """A second of pushing after the hit.  In `simulate` the drone shown is held to rounding.  In `observe` it goes on
    until a sample shows the impulse: its speed times that time, by the stamps of both.  Leaning, it comes to a speed of
    a T within a sample T and goes on for another: 1 mm at 1 g and 100 Hz."""
    if 'LIVE_SIMULATORS' not in os.environ:
        pytest.skip(f'{package} flies in real time: make test-sims installs it and runs this alone')
    world = tmp_path / 'wall.yaml'
    world.write_text(WORLD.format(authority=authority, **model))
    node = bench.start('hakoniwa_rigid.ros.collision.collision_node', f'world:={world}')
    arrays = bench.inbox(ContactEventArray, 'contact_events')
    shown = bench.inbox(Odometry, 'd0/odom_corrected', STATES)
    sim = bench.start(str(SIMULATORS / script), arguments=(authority, '0,0,1:1.2,0,1'))
    seen = bench.inbox(Odometry, 'd0/odom', INPUT) if authority == 'observe' else shown

    def hits():
        return [e for array in arrays for e in array.events if e.phase == ContactEvent.BEGIN and e.body_b == 'wall']
    bench.until(hits, 'a hit of the wall', 90.0)
    end = stamp_of(hits()[0]) + NS
    bench.until(lambda: stamp_of(seen[-1]) > end, 'a second more', 60.0)
    t = np.array([stamp_of(msg) for msg in seen])
    x, v, over = np.array([motion(msg, sizes) for msg in seen]).T
    assert t[0] < stamp_of(hits()[0])
    way = 1e-4
    if authority == 'observe':
        way = 1e-3 + max(abs(e.relative_velocity_before.x) * delay(e, t, v) for e in hits() if stamp_of(e) < end)
    assert over[t < end].max() < way and x[t < end].max() < 0.6
    # it leans there
    assert -0.05 < np.median(over[(t > end - NS // 5) & (t < end)]) < 1e-3
    assert sim.alive, sim.output
    assert 'went_through' not in node.output and 'unanswered' not in node.output


def motion(msg, sizes):
    """Place and speed along x, m and m/s, and by how much the hull, a box of these sides or a sphere of that radius,
    overlaps the wall at x = 0.6."""
    q, twist = msg.pose.pose.orientation, msg.twist.twist.linear
    turn = Rotation.from_quat((q.x, q.y, q.z, q.w)).as_matrix()
    reach = sizes if np.isscalar(sizes) else 0.5 * np.abs(turn[0]) @ sizes
    x = msg.pose.pose.position.x
    return x, turn[0] @ (twist.x, twist.y, twist.z), x + reach - 0.6


def delay(event, t, v):
    """s from an impact to the first sample that shows half of its change, of those at t (T,) ns with speeds v (T,)."""
    after = np.flatnonzero(t > stamp_of(event))
    changed = after[v[after] < v[after[0] - 1] + 0.5 * event.delta_v_a.x]
    return (t[changed[0] if len(changed) else -1] - stamp_of(event)) / NS
