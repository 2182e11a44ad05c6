# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Scenes of drones, objects and hands that are fed and advanced as a node does it, tick by tick."""
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
from hand_streams import FIST, OPEN, make_hand

from benchmark.gates.moments import Moment, Scene, written
from hakoniwa_rigid.scene import CollisionScene

TICK, NS = 5_000_000, 1_000_000_000     # ns
LEVEL, STILL = (0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
TICKS = 300
MASS, G = 0.7, 9.80665
EVENT = ('stamp_ns', 'id', 'phase', 'kind', 'body_a', 'body_b', 'part_a', 'part_b', 'position', 'normal', 'depth',
         'impulse', 'peak_force', 'duration', 'relative_velocity_before', 'relative_velocity_after', 'restitution',
         'friction', 'delta_v_a', 'delta_v_b', 'delta_omega_a', 'delta_omega_b')
IMPACT = ('drone', 'other', 't0_ns', 'time', 'restitution', 'normal', 'point', 'arm', 'other_arm', 'other_velocity',
          'impulse', 'angular_impulse', 'orientation')
# a drone of a box and four discs, a room, and places for what a scene adds
WORLD = """
{top}
materials: {{hull: {{restitution: 0.5, friction: 0.3}}, stone: {{restitution: 0.4, friction: 0.6}}}}
models:
  quad:
    mass: 0.7
    inertia: [0.006, 0.0065, 0.0116]
    material: hull
    shape:
      type: compound
      parts:
        - {{name: body, type: box, size: [0.2, 0.2, 0.06]}}
        - {{name: left, type: cylinder, radius: 0.08, height: 0.03, position: [0, 0.16, 0]}}
        - {{name: right, type: cylinder, radius: 0.08, height: 0.03, position: [0, -0.16, 0]}}
    rotors:
      - {{position: [0.1, 0.1, 0], thrust_coefficient: 2.0e-6, torque_coefficient: 3.0e-8, spin: ccw}}
      - {{position: [-0.1, 0.1, 0], thrust_coefficient: 2.0e-6, torque_coefficient: 3.0e-8, spin: cw}}
      - {{position: [-0.1, -0.1, 0], thrust_coefficient: 2.0e-6, torque_coefficient: 3.0e-8, spin: ccw}}
      - {{position: [0.1, -0.1, 0], thrust_coefficient: 2.0e-6, torque_coefficient: 3.0e-8, spin: cw}}
walls:
  - {{name: floor, type: plane, material: stone}}
  - {{name: end, type: plane, normal: [-1, 0, 0], offset: -2.0, material: stone}}
  - {{name: post, type: cylinder, radius: 0.2, height: 3.0, position: [0.5, 1.2, 1.5], material: stone}}
drones:
{drones}
objects:
{objects}
hands: [{hands}]
scene: {{{scene}}}
"""
CRATES = '\n'.join(f'  - {{name: crate{k}, shape: {{type: box, size: [0.3, 0.3, 0.2]}}, mass: 0.5, material: stone, '
                   f'position: [{0.7 + 0.05 * (k % 3)}, {0.34 * (k // 3) - 0.3}, {0.1 + 0.21 * (k % 3)}]}}'
                   for k in range(9))
BALL = '  - {name: ball, shape: {type: sphere, radius: 0.15}, mass: 0.3, position: [1.0, 0.0, 0.15], material: hull}'


def scene_of(drones, authority='correct', objects='', hands='', top='name: gate', scene='', more=''):
    """A scene of so many drones in a row across."""
    rows = '\n'.join(f'  - {{name: d{k}, model: quad, authority: {authority}, position: [-1.0, {0.6 * k}, 0.5]{more}}}'
                     for k in range(drones))
    text = WORLD.format(top=top, drones=rows, objects=objects, hands=hands, scene=scene)
    # an empty list would read as none at all
    text = text.replace('objects:\n\n', '')
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, 'gate.yaml')
        file.write_text(text)
        return CollisionScene.from_yaml(file)


def moment(scene, tick):
    """What a tick shows, what lies about, and what happened."""
    s = tick.states
    parts = [s.positions, s.orientations_xyzw, s.linear_velocities, s.angular_velocities]
    parts += [part for o in scene.config.objects for part in scene.object_pose(o.name)]
    parts += [part for hand in tick.hands for part in (hand.positions, hand.orientations_xyzw)]
    state = np.concatenate([np.ravel(part) for part in parts])
    return Moment(state, written(tick.events, EVENT) + written(tick.impacts, IMPACT) + s.flags.tobytes())


def run(make, act, ticks, _bags):
    """The moments of a scene; act(scene, k, stamp) feeds it before tick k."""
    scene = make()
    for k in range(ticks):
        act(scene, k, k * TICK)
        yield moment(scene, scene.advance(k * TICK))


def plans(scene, k, stamp):
    """Plans at 100 Hz: all fly to the end and through it, weaving through one another."""
    if k % 2:
        return
    t, index = stamp / NS, np.arange(len(scene.drone_names))
    y, vy = 0.6 * index + 0.4 * np.sin(2.0 * t + 2.0 * index), 0.8 * np.cos(2.0 * t + 2.0 * index)
    z = 0.3 + 0.02 * (index % 3)
    one = np.ones(len(index))
    scene.feed_drones(index, stamp, np.column_stack([(2.2 * t - 0.2) * one, y, z]), np.tile(LEVEL, (len(index), 1)),
                      np.column_stack([2.2 * one, vy, 0 * one]), np.zeros((len(index), 3)))


def reported(scene, k, stamp):
    """The same, asked for impacts."""
    if k == 0:
        scene.tell_impacts(scene.drone_names)
    plans(scene, k, stamp)


def sinking(scene, k, stamp):
    """Plans that end in the floor: the drones land and are pressed on it."""
    if k % 2 == 0:
        for j, name in enumerate(scene.drone_names):
            height = 0.5 - 0.6 * min(stamp / NS, 1.0)
            scene.feed_drone(name, stamp, (0.9, 0.34 * j - 0.3, height + 0.5 * (j < 2)), LEVEL,
                             (0, 0, -0.6 * (stamp < NS)), STILL)


def by_wrench(scene, k, stamp):
    """Simulated drones: thrust that gives way, pushes to the side, and one by the speeds of its rotors."""
    for j, name in enumerate(scene.drone_names):
        if k == 0:
            scene.feed_drone(name, 0, (-1.0, 0.6 * j, 0.5), LEVEL, (1.5, -0.3 * j, 0), STILL)
        if j == 0:
            scene.feed_motor_speeds(name, stamp, (900.0, 905.0, 900.0, 903.0) if k < 150 else (600.0,) * 4)
        else:
            scene.feed_wrench(name, stamp, (0.5, 0.1 * j, MASS * G * (1.0 - 0.2 * (k > 100))), (1e-3, 0.0, 1e-3 * j))


def waving(scene, k, stamp):
    """Drones stand still in the air; a hand of 25 joints sweeps through them and closes, at 60 Hz or so."""
    if k % 2 == 0:
        for j, name in enumerate(scene.drone_names):
            scene.feed_drone(name, stamp, (0.0, 0.6 * j, 0.6), LEVEL, STILL, STILL)
    if k % 3 == 0:
        hand, t = make_hand(25, curl=FIST if k > 200 else OPEN), stamp / NS
        scene.feed_hand('right', stamp, hand.points + (0.4 - 0.5 * np.sin(2.5 * t), 0.0, 0.6), radii=hand.radii)


def carried(scene, k, stamp):
    """A drone without thrust lies on an open palm that rises and tilts."""
    if k == 0:
        scene.feed_drone('d0', 0, (0.06, 0.0, 1.06), LEVEL, STILL, STILL)
    if k % 3 == 0:
        t = stamp / NS
        a = 0.5 * max(t - 0.8, 0.0)
        turn = np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])
        height = 1.0 + 0.05 * (1 - np.cos(3 * min(t, 1.0)))
        scene.feed_hand('right', stamp, make_hand(25).points @ turn.T + (0, 0, height))


def heads(scene, k, stamp):
    """A box and a ball that are tracked as one pose each strike drones and a ball that lies."""
    plans(scene, k, stamp)
    if k % 3 == 0:
        t = stamp / NS
        scene.feed_hand('head', stamp, [(1.2 - 1.0 * t, 0.1, 0.5)], [(0, 0, np.sin(0.3 * t), np.cos(0.3 * t))])
        scene.feed_hand('tip', stamp, [(0.4 + 0.5 * t, 0.05, 0.2)])


def troubled(scene, k, stamp):
    """Late, repeated, broken and missing samples; authorities that change, a pause, a reset, a restarted clock."""
    if not 90 < k < 130:
        plans(scene, k, stamp - (7 * TICK if k % 7 == 0 else 0))
    if k % 11 == 0:
        scene.feed_drone('d0', stamp, (np.nan, 0, 0), LEVEL)
        scene.feed_drone('d1', stamp, (50.0, 0, 0.5), LEVEL, STILL, STILL)
        scene.feed_drone('unknown', stamp, STILL, LEVEL)
        scene.feed_wrench('d2', stamp, (0, 0, 1e4), STILL)
    for at, name, authority in ((40, 'd0', 'simulate'), (60, 'd1', 'observe'), (80, 'd0', 'correct'),
                                (150, 'd2', 'simulate')):
        if k == at:
            scene.set_authority(name, authority)
    if k in (170, 180):
        scene.set_enabled(k == 180)
    if k == 200:
        scene.reset()
    if k == 220:
        scene.hold(stamp - TICK)


SCENES = tuple(Scene(name, covers, partial(run, partial(scene_of, drones, **world), act, TICKS))
               for name, covers, drones, world, act in (
    ('drones observed', ('observe', 'impacts reported', 'crowd'), 4, dict(authority='observe'), reported),
    ('drones corrected', ('correct', 'friction'), 4, dict(), plans),
    ('drones simulated', ('simulate', 'rotors'), 4, dict(authority='simulate', scene='proximity: 0.5'), by_wrench),
    ('20 drones weave', ('correct', 'crowd'), 20, dict(), plans),
    ('drones land on crates', ('correct', 'pile', 'objects'), 3, dict(objects=CRATES), sinking),
    ('drones over time', ('correct', 'contact over time', 'half_sine'), 3,
     dict(objects=BALL, top='contact: {profile: half_sine, time: 0.008}'), plans),
    ('simulated drones over time', ('simulate', 'contact over time', 'hertz'), 3,
     dict(authority='simulate', top='contact: {profile: hertz, stiffness: 3.0e5}'), by_wrench),
    ('drones on springs', ('correct', 'penalty'), 3, dict(objects=BALL, top='solver: penalty'), plans),
    ('drones, frictionless pairs', ('correct', 'impulse'), 3, dict(top='solver: impulse'), plans),
    ('a hand strikes', ('hand', '25 joints', 'correct'), 2, dict(objects=BALL, hands='{name: right}'), waving),
    ('a hand of 0.5 kg strikes', ('hand', 'effective mass', 'simulate'), 2,
     dict(hands='{name: right, effective_mass: 0.5}'), waving),
    ('a drone on a palm', ('hand', 'palm', 'simulate'), 1, dict(authority='simulate', hands='{name: right}'), carried),
    ('heads strike', ('hand', 'box hand', 'sphere hand', 'correct'), 2,
     dict(objects=BALL, hands='{name: head, shape: {type: box, size: [0.2, 0.2, 0.25]}}, {name: tip, shape: {type: '
                              'sphere, radius: 0.05}, handedness: ""}'), heads),
    ('troubled inputs', ('correct', 'observe', 'simulate', 'bad inputs', 'switched'), 3, dict(objects=BALL), troubled)))
