# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`observe` and a plant that applies our ImpulseCollision by the article's formula move as the engine alone: to 1e-9.

The message has no stamp, and a plant applies it when it comes. Here the plants know the instant and go back to it, so
that nothing but the message is tested; what a live plant loses is its delay (last test).
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles.rotations import angle_between, from_rotvec, multiply
from plants import Plant
from scene_worlds import MS, make_scene, wall_x

from hakoniwa_rigid.engine import Box
from hakoniwa_rigid.ros.collision.sim_messages import fill_impulse
from hakoniwa_rigid.rotations import IDENTITY, Rigid
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig, DroneModel, MaterialConfig, Pose, WallConfig

TOLERANCE = 1e-9
LEVEL = np.array([1.0, 0.0, 0.0, 0.0])
HULL = Box((0.2, 0.16, 0.06))
TILTED = from_rotvec((0.4, -0.7, 0.5))


def drone(name, pos, vel, quat=LEVEL, spin=(0.0, 0.0, 0.0), mass=0.71, inertia=(0.0061, 0.00653, 0.0116), e=0.5):
    """A plant and its model: a box; spin rad/s in its own axes."""
    x, y, z = spin
    world_spin = np.linalg.norm(spin) and multiply(multiply(quat, (0.0, x, y, z)), quat * (1, -1, -1, -1))[1:]
    plant = Plant(name, mass, inertia, pos, quat, vel, world_spin * np.ones(3))
    return plant, DroneModel(f'{name} model', mass, inertia, HULL, material=MaterialConfig(f'{name} skin', e, 0.0))


def scene_of(drones, authority, axes=IDENTITY, **world):
    """axes: where the plants' coordinates start in the world."""
    x, y, z, w = axes.orientation
    origin = Pose(axes.position, (w, x, y, z))
    configs = [DroneConfig(plant.name, model, Pose(), authority, origin=origin) for plant, model in drones]
    return make_scene(*configs, gravity=(0.0, 0.0, 0.0), **world)


class Told:
    """The messages of one run, and how many each drone got."""

    def __init__(self):
        self.count, self.messages = Counter(), []


def run_with_plants(drones, milliseconds, tick, message, feed=lambda scene, now: None, **world):
    """Every tick: samples in, messages out; each plant goes back to the instants of its messages. Yields the plants'
    states after every tick."""
    scene, plants, reported = scene_of(drones, 'observe', **world), {p.name: p for p, _ in drones}, Told()
    scene.report_impacts(list(plants))
    states = []
    for start in range(0, milliseconds, tick):
        feed(scene, start * MS)
        for plant in plants.values():
            plant.feed(scene, start * MS)
        impacts = scene.advance((start + tick) * MS).impacts
        for name, plant in plants.items():
            now = start * 1e-3
            for impact in sorted((i for i in impacts if i.drone == name), key=lambda i: (i.t0_ns, i.time)):
                msg, at = message(), impact.t0_ns * 1e-9 + impact.time
                fill_impulse(msg, impact, world.get('axes', IDENTITY))
                plant.fly(at - now)
                plant.apply(msg)
                reported.count[name] += 1
                reported.messages.append(msg)
                now = at
            plant.fly((start + tick) * 1e-3 - now)
        states.append([(p.pos, p.quat, p.linvel, p.angvel) for p in plants.values()])
    return states, reported


def run_alone(drones, milliseconds, tick, feed=lambda scene, now: None, **world):
    """The engine owns the drones from the same start; states at the same times, angular velocities in the world."""
    scene = scene_of(drones, 'simulate', **world)
    states, begins = [], Counter()
    for plant, _ in drones:
        plant.feed(scene, 0)
    for start in range(0, milliseconds, tick):
        feed(scene, start * MS)
        s = scene.advance((start + tick) * MS)
        motions = scene.world.motions([scene.world.index(plant.name) for plant, _ in drones])
        states.append([from_world(m, world.get('axes', IDENTITY)) for m in motions])
        for event in s.events:
            if event.phase == 0 and any(event.impulse):
                begins.update({event.body_a, event.body_b})
    return states, begins


def from_world(m, axes):
    """A motion (13,) in a plant's coordinates."""
    w, x, y, z = m[3:7].tolist()
    p, (x, y, z, w), v, r = axes.inverse().motion(tuple(m[:3]), (x, y, z, w), tuple(m[7:10]), tuple(m[10:]))
    return p, (w, x, y, z), v, r


def assert_same_motion(ours, alone, tolerance=TOLERANCE):
    for tick, other in zip(ours, alone, strict=True):
        for (x, q, v, w), (x1, q1, v1, w1) in zip(tick, other, strict=True):
            assert_allclose(x, x1, atol=tolerance)
            assert angle_between(q, q1) < tolerance
            assert_allclose(v, v1, atol=tolerance)
            # a lever of 0.1 m
            assert_allclose(w, w1, atol=10 * tolerance)


def both(make, milliseconds, tick, message, **more):
    """The two runs from equal starts; returns what was reported, and the plants."""
    alone, begins = run_alone(make(), milliseconds, tick, **more)
    drones = make()
    ours, reported = run_with_plants(drones, milliseconds, tick, message, **more)
    assert_same_motion(ours, alone)
    assert reported.count == {p.name: begins[p.name] for p, _ in drones if begins[p.name]}
    return reported, [plant for plant, _ in drones]


@pytest.fixture
def message(foreign):
    from hako_msgs.msg import ImpulseCollision
    return ImpulseCollision


@pytest.mark.parametrize('tick', [1, 5])
@pytest.mark.parametrize(('quat', 'spin'), [
    (LEVEL, (0.0, 0.0, 0.0)),
    (TILTED, (0.0, 0.0, 0.0)),
    (LEVEL, (0.0, 0.0, 6.0)),
    (TILTED, (0.0, 8.0, 0.0)),
], ids=['face', 'corner', 'yawing', 'tilted and spinning'])
def test_drone_on_a_wall(message, tick, quat, spin):
    reported, _ = both(lambda: [drone('d0', (0.0, 0.0, 1.0), (1.0, 0.3, -0.2), quat, spin)], 130, tick, message,
                   walls=[wall_x(0.21, restitution=0.7)])
    (msg,) = reported.messages
    assert msg.collision and msg.is_target_static
    assert (msg.normal.x, msg.normal.y, msg.normal.z) == pytest.approx((-1.0, 0.0, 0.0))
    assert msg.restitution_coefficient == 0.7


@pytest.mark.parametrize('tick', [1, 5])
@pytest.mark.parametrize(('quat', 'spin', 'offset'), [
    (LEVEL, (0.0, 0.0, 0.0), 0.0),
    (LEVEL, (0.0, 0.0, 5.0), 0.07),
    (TILTED, (7.0, 0.0, 0.0), -0.05),
], ids=['head on', 'off centre, yawing', 'tilted and spinning'])
def test_two_plants_keep_their_momentum(message, tick, quat, spin, offset):
    def make():
        return [drone('d0', (0.0, 0.0, 1.0), (1.5, 0.0, 0.1), quat, spin),
                drone('d1', (0.35, offset, 1.02), (-0.5, 0.1, 0.0), TILTED, (0.0, 0.0, -4.0), 1.3,
                      (0.012, 0.014, 0.021))]

    before = sum(plant.momentum for plant, _ in make())
    reported, plants = both(make, 150, tick, message)
    assert reported.count == {'d0': 1, 'd1': 1}
    assert_allclose(sum(plant.momentum for plant in plants), before, atol=1e-12)
    first, second = reported.messages
    assert not first.is_target_static and (first.target_mass, second.target_mass) == (1.3, 0.71)
    assert_allclose([first.normal.x, first.normal.y, first.normal.z],
                    [-second.normal.x, -second.normal.y, -second.normal.z])


@pytest.mark.parametrize('tick', [1, 5])
def test_drone_and_a_hand(message, tick):
    """A fist, a sphere that moves."""
    def feed(scene, now):
        scene.feed_hand('fist', now, np.array([(0.3 - 1.2 * now * 1e-9, 0.03, 1.01)]), radii=(0.05,))

    reported, _ = both(lambda: [drone('d0', (0.0, 0.0, 1.0), (0.2, 0.0, 0.0), TILTED, (0.0, 0.0, 3.0))], 150, tick,
                   message, hands=('fist',), feed=feed)
    (msg,) = reported.messages
    assert msg.is_target_static
    assert_allclose([msg.target_velocity.x, msg.target_velocity.y, msg.target_velocity.z], [-1.2, 0, 0], atol=0.05)


@pytest.mark.parametrize('tick', [1, 5])
def test_touching_at_the_sample_while_tumbling(message, tick):
    """What turns about no axis of its own is extrapolated for the time until the impact; here that is 0."""
    both(lambda: [drone('d0', (0.1, 0.0, 1.0), (1.0, 0.2, 0.0), LEVEL, (3.0, -5.0, 4.0))], 50, tick, message,
         walls=[wall_x(0.2)])


def test_a_plant_with_coordinates_of_its_own(message):
    """Its north is not ours, nor is its down."""
    axes = Rigid.checked((0.5, -1.0, 2.0), (0.3, -0.2, 0.6, 0.714))
    start, speed = (axes.inverse().point((0.0, 0.0, 1.0)), axes.inverse().vector((1.0, 0.3, -0.2)))
    reported, _ = both(lambda: [drone('d0', start, speed, TILTED, (0.0, 8.0, 0.0)),
                            drone('d1', axes.inverse().point((0.3, 0.02, 1.0)), (0.0, 0.0, 0.0), LEVEL)],
                   200, 5, message, axes=axes)
    assert reported.count == {'d0': 1, 'd1': 1}


def test_it_comes_back_again_and_again(message):
    """Between two walls, off centre: every hit is reported once. Its moments are equal, so that it turns evenly."""
    walls = [wall_x(0.2, restitution=0.9),
             WallConfig('back', Box((0.1, 4.0, 4.0)), Pose((-0.25, 0.0, 1.0)), MaterialConfig('back', 0.9, 0.0))]

    def make():
        return [drone('d0', (0.0, 0.0, 1.0), (1.5, 0.0, 0.0), TILTED, inertia=(0.006, 0.006, 0.006), e=0.0)]

    reported, _ = both(make, 600, 1, message, walls=walls)
    assert reported.count['d0'] > 3


def test_one_corner_after_the_other(message):
    """Nearly flat: the first corner sends the other into the wall while the contact lasts. Each is reported, once."""
    def make():
        quat = from_rotvec((0.0, 0.0, 0.1))
        return [drone('d0', (0.0, 0.0, 1.0), (1.5, 0.0, 0.0), quat, inertia=(0.006, 0.006, 0.006))]

    alone, begins = run_alone(make(), 150, 1, walls=[wall_x(0.2)])
    ours, reported = run_with_plants(make(), 150, 1, message, walls=[wall_x(0.2)])
    assert_same_motion(ours, alone)
    assert (begins['d0'], reported.count['d0']) == (1, 2)


@pytest.mark.parametrize('tick', [1, 5])
def test_a_live_plant_loses_the_delay(message, tick):
    """It applies the message at the end of the tick: its velocity is right, its way is behind by (1 + e) v for as long
    as it went on."""
    (plant, model), late = drone('d0', (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)), []
    scene = scene_of([(plant, model)], 'observe', walls=[wall_x(0.2026)])
    scene.report_impacts(['d0'])
    for start in range(0, 200, tick):
        plant.feed(scene, start * MS)
        plant.fly(tick * 1e-3)
        for impact in scene.advance((start + tick) * MS).impacts:
            fill_impulse(msg := message(), impact, IDENTITY)
            plant.apply(msg)
            late.append((start + tick) * 1e-3 - impact.t0_ns * 1e-9 - impact.time)
    (delay,) = late
    assert_allclose(plant.linvel, (-0.5, 0, 0), atol=TOLERANCE)
    # it met the wall after 0.1026 s at x = 0.1026 m
    assert_allclose(plant.pos, (0.1026 - 0.5 * (0.2 - 0.1026) + 1.5 * delay, 0, 1), atol=TOLERANCE)
    assert 0 < delay < tick * 1e-3


@pytest.mark.parametrize('e', [0.0, 0.5])
@pytest.mark.parametrize('late', [0, 1, 2], ids='{} samples late'.format)
def test_a_live_plant_that_pushes_at_a_wall_is_held(message, late, e):
    """4 m/s^2 for 4 s, samples at 100 Hz, messages applied when they come: each is one that its samples ask for, and
    the plant stays in front of the wall to 1 cm once it leans on it."""
    plant, model = drone('d0', (0.0, 0.0, 1.0), (0.0, 0.0, 0.0), e=e)
    plant.accel[0] = 4.0
    scene, waiting, over = scene_of([(plant, model)], 'observe', walls=[wall_x(0.2)]), [], []
    scene.report_impacts(['d0'])
    for k in range(800):
        if k % 2 == 0:
            plant.feed(scene, k * 5 * MS)
        plant.fly(5e-3)
        waiting.append(scene.advance((k + 1) * 5 * MS).impacts)
        for impact in waiting.pop(0) if len(waiting) > 2 * late else ():
            fill_impulse(msg := message(), impact, IDENTITY)
            plant.apply(msg)
        over.append(plant.pos[0] - 0.1)
    assert max(over) < 0.9 * (0.01 + 0.01 * late) + 0.01
    assert max(over[400:]) < 0.01 and min(over[400:]) > -0.1
