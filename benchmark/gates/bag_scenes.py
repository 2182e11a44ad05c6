# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bags through the replay: four that rosbags writes, the same bytes for both packages, and a recording."""
import tempfile
from bisect import bisect_right
from functools import partial
from pathlib import Path

import numpy as np
from bags import odometry
from foreign_bags import NS, T, odom, pose, said, transforms, twist, vector, write
from recordings import PERIOD, Live, hand, transform
from recordings import WORLD as RECORDED_WORLD

from benchmark.gates.drone_scenes import EVENT
from benchmark.gates.moments import Moment, Scene, written

try:
    from hakoniwa_rigid.replay.bag.reader import Bag
    from hakoniwa_rigid.replay.rerun.outcome import Options
    from hakoniwa_rigid.replay.rerun.run import replay
except ImportError:     # a parent from before these rooms
    from hakoniwa_rigid.replay.outcome import Options
    from hakoniwa_rigid.replay.reader import Bag
    from hakoniwa_rigid.replay.run import replay

START, LEVEL = 50 * NS, (0, 0, 0, 1)
# where the outputs of a replay and of the recorded node have the states
STATES, RECORDED_STATES = '/fleet/states_corrected', '/ns/fleet'
FLEET, WRENCHES = 'hakoniwa_rigid/msg/FleetState', 'hakoniwa_rigid/msg/FleetWrench'
WORLD = """
name: lane
gravity: [0, 0, {gravity}]
materials: {{hard: {{restitution: 0.5, friction: 0.2}}}}
models:
  cube:
    mass: 0.5
    inertia: [0.002, 0.002, 0.002]
    shape: {{type: box, size: [0.2, 0.2, 0.2]}}
    material: hard
walls:
  - {{name: floor, type: plane, material: hard}}
  - {{name: end, type: plane, normal: [-1, 0, 0], offset: -2.0, material: hard}}
drones:
  - {{name: d0, model: cube, authority: {authority}, position: [0, 0, 1]}}
  - {{name: d1, model: cube, authority: {authority}, position: [0, 0.3, 1]}}
  - {{name: d2, model: cube, authority: {authority}, position: [0, 3, 1]}}
hands: [{{name: right, material: hard}}]
"""
TF_AND_FLEET = {'drones.d1.source': 'tf', 'drones.d2.source': 'fleet', 'hands.right.type': 'pose_array'}


def stamps(seconds, rate):
    """(stamp ns, s since the start)."""
    return [(START + k * NS // rate, k / rate) for k in range(int(seconds * rate) + 1)]


def flights():
    """Odometry: d0 and d1 fly side by side and meet, then the wall; d2 goes down to the floor."""
    for stamp, t in stamps(1.6, 100):
        side = 0.15 * np.sin(3.0 * t)
        rate = 0.45 * np.cos(3.0 * t)
        yield odom('/d0/odom', stamp, (1.4 * t, side, 1), (1.4, rate, 0), log=stamp + 1_000_000)
        yield odom('/d1/odom', stamp, (1.4 * t, 0.3 - side, 1), (1.4, -rate, 0), log=stamp + 1_200_000)
        yield odom('/d2/odom', stamp, (0, 3, 1 - 0.8 * t), (0, 0, -0.8), log=stamp + 2_000_000)


def mixed():
    """d0 by odometry, d1 on /tf, d2 in a fleet, a hand of one joint as poses that strikes d0 and stops."""
    for stamp, t in stamps(1.4, 50):
        yield transforms('/tf', stamp, ('world', 'cart', (0.9, 0, 0.5), LEVEL),
                         ('cart', 'd1/base_link', (-0.3 * t, 0, 0.5), LEVEL))
        yield odom('/d0/odom', stamp, (0.5 * t, 0, 1), (0.5, 0, 0))
        yield said('/fleet/states', stamp, FLEET, names=['d2'], positions=np.array([1 + 1.4 * t, 4, 1]),
                   orientations=np.array([0, 0, 0, 1.0]), linear_velocities=np.array([1.4, 0, 0]),
                   angular_velocities=np.zeros(3), flags=np.zeros(0, np.uint8))
        tip = pose((-1.0 + 2.2 * min(t, 0.52), 0, 1))
        yield said('/hands/right', stamp, 'geometry_msgs/msg/PoseArray', poses=[tip])


def poses():
    """Poses at 40 Hz with twists in the body, late, doubled and missing ones among them."""
    for k, (stamp, t) in enumerate(stamps(1.5, 40)):
        if k % 9 == 4:
            continue
        place = pose((1.5 * t, 0.05 * np.sin(5 * t), 1))
        for _ in range(1 + (k % 13 == 0)):
            late = 30_000_000 * (k % 5 == 0)
            yield said('/d0/pose', stamp, 'geometry_msgs/msg/PoseStamped', log=stamp + late, pose=place)
        yield said('/d0/twist', stamp, 'geometry_msgs/msg/TwistStamped', frame='d0/base_link', twist=twist((1.5, 0, 0)))


def wrenches():
    """Simulated drones: one by its own wrench, two by the fleet's, and they fall where it ends."""
    for stamp, t in stamps(1.5, 100):
        push = T['geometry_msgs/msg/Wrench'](vector((1.0, 0.2, 4.9 * (t < 0.8))), vector((0, 0, 0.001)))
        yield said('/d0/wrench', stamp, 'geometry_msgs/msg/WrenchStamped', frame='', wrench=push)
        yield said('/fleet/wrenches', stamp, WRENCHES, frame='', names=['d1', 'd2'],
                   forces=np.array([1.0, -0.5, 4.9, 3.0, 0, 4.9]), torques=np.array([0, 0, 1e-3, 0, 1e-3, 0]))


def record(folder):
    """What a node does and writes down: samples on two clocks, /tf, a hand, a pause, authorities that change."""
    world = folder / 'recorded.yaml'
    world.write_text(RECORDED_WORLD)
    live = Live(world, folder / 'recorded')
    live.restart()
    live.put_transforms(transform(0, 'world', 'camera', (0, 0.05, 0)), True)
    for k in range(200):
        x = -0.5 + 0.02 * k
        live.put_transforms(transform(live.now, 'world', 'sim/d2', (1, 0, 0)), False)
        reported = [('d0/odom', odometry(live.now, (x, 0, 0), velocity=(4, 0, 0)), -1000 * (k % 40)),
                ('d1/odom', odometry(live.now - 7 * NS, (x, 0, 0), velocity=(1, 0, 0), frame='map'), -1000)]
        reported += [('hands/right', hand(live.now, min(0.5 + x, 0.93)), -5)] if k % 4 == 0 else []
        live.read([reported[:1], reported[1:]])
        live.hold() if k in (130, 131) else live.advance()
        live.end()
        if k in (50, 90):
            live.set_authority('d1', 'simulate' if k == 50 else 'correct')
        live.now += PERIOD
    live.recording.close()


BAGS = {    # name: messages, how they are stored, gravity, authority, parameters
    'odometry': (flights, dict(), 0.0, 'correct', {}),
    'mixed': (mixed, dict(storage='sqlite3', compression='file'), 0.0, 'correct', TF_AND_FLEET),
    'poses': (poses, dict(storage='sqlite3', version=8), 0.0, 'observe', {'drones.d0.source': 'pose'}),
    'wrenches': (wrenches, dict(compression='storage'), -9.80665, 'simulate', {}),
}


def write_bags(folder):
    """All of them but the recording, and their worlds, into a folder."""
    for name, (messages, stored, gravity, authority, _) in BAGS.items():
        (folder / f'{name}.yaml').write_text(WORLD.format(gravity=gravity, authority=authority))
        write(folder / name, sorted(messages(), key=lambda m: m.stamp), **stored)


def run(name, params, bags):
    """The states of a replay, tick by tick, each with the events up to it."""
    world = None if name == 'recorded' else str(bags / f'{name}.yaml')
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, 'out')
        if world is None:
            # the package's own: a recording holds the whole world as its package writes it, which no older one reads
            bags = Path(folder)
            record(bags)
        result = replay(Options(bags / name, out, world, inputs=False, values=params))
        with Bag(out) as bag:
            states = [bag.decode(message) for message in bag.messages([STATES if world else RECORDED_STATES])]
    events = list(result.events)
    begun, reported = [event.stamp_ns for event in events], 0
    for k, s in enumerate(states):
        last = len(events)
        if k < len(states) - 1:
            last = bisect_right(begun, s.header.stamp.sec * NS + s.header.stamp.nanosec, lo=reported)
        state = np.concatenate([s.positions, s.orientations, s.linear_velocities, s.angular_velocities])
        yield Moment(state, written(events[reported:last], EVENT) + np.asarray(s.flags).tobytes())
        reported = last


SCENES = (*(Scene(f'bag: {name}', ('bag', authority, stored.get('storage', 'mcap')), partial(run, name, params))
            for name, (_, stored, _, authority, params) in BAGS.items()),
          Scene('bag: recorded', ('bag', 'recording', 'hand', 'simulate', 'correct'), partial(run, 'recorded', {})))
