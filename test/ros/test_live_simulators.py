# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The example nodes of third-party simulators, as processes beside collision_node over DDS: each flies at a wall with
its goal behind it, in `observe` and in `simulate`.  `make test-sims` installs them and runs this.

Their controllers take answers within some 12 ms (docs/sims.md), which a busy machine does not give.  So /clock is in
the test's hand and goes on when both have answered, at a quarter of real time at most: the same flights, on any
machine.  In real time they fly alone, on
a machine with nothing else to do.
"""
import importlib.util
import os
import time
from pathlib import Path

import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped
from hakoniwa_rigid.msg import ContactEvent, ContactEventArray, FleetState
from harness import NS, START, SimTime, interrupt, stamp_of
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

# script, model, sides or radius of its hull (m), step (s)
SIMS = {
    'PyFlyt': ('pyflyt_node.py', CF2X, (0.09, 0.09, 0.02), 1 / 120),
    'crazyflow': ('crazyflow_node.py', L250, 0.07, 0.01),
}
# s of the machine's time that a tick of 5 ms takes at least: messages between the nodes come within a tick or two
PACE = 0.02
each = pytest.mark.parametrize('package', SIMS)
led_or_not = pytest.mark.parametrize('authority', ['observe', 'simulate'])


class Flight:
    """A simulator's node beside collision_node; what is seen of the drone, d0: its samples, or what is shown of it."""

    def __init__(self, bench, folder, package, authority, real_time=False):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f'{package} is not installed: make test-sims installs it and runs this')
        script, model, self.sizes, self.step = SIMS[package]
        world = folder / 'wall.yaml'
        world.write_text(WORLD.format(authority=authority, **model))
        self._bench, clock = bench, f'use_sim_time:={str(not real_time).lower()}'
        self.node = bench.start('hakoniwa_rigid.ros.collision.collision_node', f'world:={world}', clock)
        self._arrays = bench.inbox(ContactEventArray, 'contact_events')
        shown = bench.inbox(Odometry, 'd0/odom_corrected', STATES)
        self.sim = bench.start(str(SIMULATORS / script), clock, arguments=(authority, '0,0,1:1.2,0,1'))
        kind, topic = (Odometry, 'd0/odom') if authority == 'observe' else (WrenchStamped, 'd0/wrench')
        self._sent = bench.inbox(kind, topic, INPUT)
        self.seen = self._sent if authority == 'observe' else shown
        self._time = None if real_time else SimTime(bench, bench.inbox(FleetState, 'fleet/states_corrected'))
        self.until(self.hits, 'a hit of the wall', 20.0)

    def until(self, fact, what, seconds):
        """Let so much time pass at most, until `fact()` is true."""
        if self._time is None:
            self._bench.until(fact, what, 60.0 + seconds)
            return
        end = self._time.now + seconds * NS
        while not fact():
            assert self._time.now < end, f'{seconds:g} s went by in vain for: {what}\n{self.sim.output}'
            wake = time.monotonic() + PACE
            self._time.tick()
            self._bench.until(self._stepped, f'the step of the simulator at {self._time.now} ns', START)
            self._bench.until(lambda wake=wake: time.monotonic() > wake, 'what is on its way')

    def _stepped(self):
        """Whether the simulator has taken every step that is due."""
        if self._sent and stamp_of(self._sent[-1]) > self._time.now - round(self.step * NS):
            return True
        self._time.publish()    # what is best effort may have to be said again
        return False

    def hits(self):
        """What begins at the wall."""
        return [event for array in self._arrays for event in array.events
                if event.phase == ContactEvent.BEGIN and event.body_b == 'wall']

    def track(self):
        """Stamps (T,) ns, places and speeds along x, overlaps of the wall, all so far."""
        t = np.array([stamp_of(msg) for msg in self.seen])
        return t, *np.array([motion(msg, self.sizes) for msg in self.seen]).T


@led_or_not
@each
def test_a_node_of_a_simulator_leans_on_a_wall(bench, tmp_path, package, authority):
    """The hit is reported, the simulator takes its impulse, it pushes on for a second, and both nodes end cleanly."""
    judge(Flight(bench, tmp_path, package, authority), authority)


@pytest.mark.slow
@led_or_not
@each
def test_a_node_of_a_simulator_leans_on_a_wall_in_real_time(bench, tmp_path, package, authority):
    """The same at the pace of the machine."""
    if 'LIVE_SIMULATORS' not in os.environ:
        pytest.skip(f'{package} leans in real time: make test-sims runs this alone')
    judge(Flight(bench, tmp_path, package, authority, real_time=True), authority)


def judge(flight, authority):
    """A second of pushing after the hit.  In `simulate` the drone shown is held to rounding.  In `observe` it goes on
    until a sample shows the impulse: its speed times that time, by the stamps of both.  Leaning, it comes to a speed of
    a T within a sample T and goes on for another: 1 mm at 1 g and 100 Hz."""
    first = flight.hits()[0]
    end = stamp_of(first) + NS
    flight.until(lambda: stamp_of(flight.seen[-1]) > end, 'a second more', 20.0)
    t, x, v, over = flight.track()
    assert t[0] < stamp_of(first)
    assert v.max() > 0.1 and first.delta_v_a.x < -0.1
    # m/s by which it has been turned back, in the order of samples: a late simulator's stamps lie behind
    assert (np.maximum.accumulate(v) - v).max() > 0.5 * abs(first.delta_v_a.x)
    way = 1e-4
    if authority == 'observe':
        way = 1e-3 + max(abs(e.relative_velocity_before.x) * delay(e, t, v) for e in flight.hits() if stamp_of(e) < end)
    assert over[t < end].max() < way and x[t < end].max() < 0.6
    # it leans there
    assert -0.05 < np.median(over[(t > end - NS // 5) & (t < end)]) < 1e-3
    assert 'went_through' not in flight.node.output and 'unanswered' not in flight.node.output
    for process in (flight.sim, flight.node):
        assert interrupt(process) == 0, process.output


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
