# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What constraints do to drones of each authority, against closed forms, and what is told of them."""
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scene_worlds import MODEL, MS, TICK, UPRIGHT, ZERO, make_config

from hakoniwa_rigid.engine import Box, Sphere
from hakoniwa_rigid.scene import CollisionScene, ConstraintPhase, Verdict
from hakoniwa_rigid.scene.records import DEFLECTED
from hakoniwa_rigid.scene.world_files.world_types import (
    ConstraintConfig,
    DroneConfig,
    ObjectConfig,
    Pose,
    WallConfig,
)

G, M, LOAD, TAU = 9.80665, MODEL.mass, 0.2, 0.3
H = TICK * 1e-9
HOOK = WallConfig('hook', Sphere(0.01))


def slung(authority, load=LOAD, **fields):
    """A load 1 m below a drone at 1 m."""
    ball = ObjectConfig('load', Sphere(0.05), load)
    drone = DroneConfig('d0', MODEL, Pose((0.0, 0.0, 1.0)), authority)
    sling = ConstraintConfig('sling', 'cable', 'd0', 'load', length=1.0, **fields)
    return started(make_config(drone, objects=[ball], constraints=(sling,)))


def tethered(authority, **fields):
    """A drone at x = 0.2 m on 1 m of line from a hook at the origin; no gravity."""
    drone = DroneConfig('d0', MODEL, Pose((0.2, 0.0, 0.0)), authority)
    line = ConstraintConfig('line', 'cable', 'hook', 'd0', length=1.0, **fields)
    return started(make_config(drone, walls=[HOOK], constraints=(line,), gravity=ZERO))


def started(config):
    scene = CollisionScene.from_config(config)
    assert [e.phase for e in scene.advance(0).constraint_events] == [ConstraintPhase.ATTACHED] * len(config.constraints)
    return scene


def run(scene, ticks, feed, first=1):
    """feed(scene, stamp) before each tick."""
    out = []
    for k in range(first, first + ticks):
        feed(scene, (k - 1) * TICK)
        out.append(scene.advance(k * TICK))
    return out


def at(*position, velocity=ZERO, name='d0'):
    return lambda scene, now: scene.feed_drone(name, now, position, UPRIGHT, velocity, ZERO)


def told(ticks):
    return [event for tick in ticks for event in tick.constraint_events]


def phases(ticks):
    return [event.phase.name for event in told(ticks)]


# -- simulate

def test_a_simulated_drone_carries_its_load():
    """With a thrust of (m + m_l) g both hang still; the load on the drone is m_l g."""
    scene = slung('simulate')
    ticks = run(scene, 100, lambda s, now: s.feed_wrench('d0', now, (0, 0, (M + LOAD) * G), ZERO))
    loads = ticks[-1].constraint_loads
    assert_allclose(ticks[-1].states.positions[0], (0, 0, 1), atol=1e-12)
    assert_allclose(scene.object_pose('load')[0], (0, 0, 0), atol=1e-12)
    assert loads.rows.tolist() == [0]
    assert_allclose(loads.forces, [(0, 0, -LOAD * G)], rtol=1e-9)
    assert_allclose(loads.torques, [(0, 0, 0)], atol=1e-12)
    assert phases(ticks) == ['TAUT']


def test_momentum_books_of_a_swinging_load():
    """What the loads of the ticks add up to is what the drone's momentum lacks: m dv = (T - m g) h + J."""
    scene = slung('simulate', anchor_a=(0.02, 0.01, 0.0))
    before = np.zeros(3)
    for k in range(1, 200):
        force = np.array([0.6 * np.sin(0.1 * k), 0.3, (M + LOAD) * G * (1.0 + 0.2 * np.cos(0.2 * k))])
        scene.feed_wrench('d0', (k - 1) * TICK, force, ZERO)
        q = scene.world.motions(np.array([0]))[0, 3:7]
        tick = scene.advance(k * TICK)
        after = scene.world.linvel[0].copy()
        turned = scene.world.motions(np.array([0]))[0, 3:7]
        given = np.zeros(3) if tick.constraint_loads is None else H * rotated(turned, tick.constraint_loads.forces[0])
        # thrust acts along the attitude of the middle of the tick, found here to second order
        middle = (q + turned) / np.linalg.norm(q + turned)
        thrust = rotated(middle, force) - (0, 0, M * G)
        assert_allclose(M * (after - before), thrust * H + given, atol=1e-5)
        before = after


def rotated(q, v):
    from hakoniwa_rigid import rotations
    return rotations.rotate(np.asarray(q), np.asarray(v, dtype=float))


# -- correct

def test_a_correct_drone_sags_by_what_it_carries():
    """Its pull holds the load: d / tau^2 = m_l g / m; it comes back to its plan, to the bit, after it is let go."""
    scene = slung('correct')
    ticks = run(scene, 1200, at(0.0, 0.0, 1.0))
    sag = LOAD * G / M * TAU**2
    # the pull of a tick is that of its mean: times exp(-h / tau) to first order, as for a drone on a floor
    assert_allclose(1.0 - ticks[-1].states.positions[0, 2], sag, rtol=0.02)
    assert ticks[-1].states.flags[0] & DEFLECTED
    assert phases(ticks) == ['TAUT']
    scene.detach('sling')
    after = run(scene, 900, at(0.0, 0.0, 1.0), 1201)
    assert phases(after) == ['DETACHED']
    event = told(after)[0]
    assert_allclose(event.force, (0, 0, LOAD * G), rtol=0.02)
    heights = np.array([tick.states.positions[0, 2] for tick in after])
    assert heights.max() <= 1.0 + 1e-9 and abs(np.diff(heights)).max() < 1.1 * sag / (np.e * TAU) * H
    assert_array_equal(after[-1].states.positions[0], (0, 0, 1))
    assert after[-1].states.flags[0] == 0


@pytest.mark.parametrize('e', [0.0, 0.5])
def test_a_plan_beyond_the_line_deflects_once(e):
    """1 m/s out to 1.5 m on 1 m of line and back: the drone waits at the end of its line without a storm of events, the
    pull of the offset on it, and is on its plan again afterwards."""
    scene = tethered('correct', restitution=e)

    def plan(s, now):
        t = now * 1e-9
        x, v = (0.2 + t, 1.0) if t < 1.3 else (1.5, 0.0) if t < 4.0 else (max(1.5 - (t - 4.0), 0.3), -1.0)
        at(x, 0.0, 0.0, velocity=(v if t < 5.2 else 0.0, 0.0, 0.0))(s, now)
    ticks = run(scene, 1600, plan)
    x = np.array([tick.states.positions[0, 0] for tick in ticks])
    assert x.max() < 1.0 + 1e-9
    first, *_, last = told(ticks)
    assert (first.phase, last.phase) == (ConstraintPhase.TAUT, ConstraintPhase.SLACK)
    assert abs(first.stamp_ns - 800 * MS) <= 1
    assert_allclose(first.impulse, (-(1.0 + e) * M, 0, 0), rtol=1e-9, atol=1e-9)
    assert len(told(ticks)) == (2 if e == 0.0 else 8)     # bounces of 0.5, 0.25, 0.125 m/s are seen apart
    waiting = ticks[780]
    assert_allclose(x[600:790], 1.0, atol=1e-6)
    assert_allclose(waiting.constraint_loads.forces[0], (-M * 0.5 / TAU**2, 0, 0), rtol=0.02, atol=1e-6)
    # a jump as small as its speed times a tick, at most
    assert abs(np.diff(x)).max() < 1.2 * 1.0 * H
    assert_array_equal(ticks[-1].states.positions[0], (0.3, 0, 0))
    assert ticks[-1].states.flags[0] == 0


def test_two_correct_drones_on_a_rod_whose_plans_part():
    """Each is pulled to its plan with d / tau^2, at most g: they stand in the middle, turned along the rod, and return
    when their plans do."""
    drones = [DroneConfig(f'd{k}', MODEL, Pose((float(k), 0.0, 0.0)), 'correct') for k in (0, 1)]
    scene = started(make_config(*drones, constraints=(ConstraintConfig('rod', 'distance', 'd0', 'd1'),)))
    ticks = []
    for k in range(1, 1600):
        apart = min(max(0.001 * (k - 100), 0.0), 0.4) if k < 800 else max(0.4 - 0.001 * (k - 800), 0.0)
        for name, x in (('d0', -apart), ('d1', 1.0 + apart)):
            scene.feed_drone(name, (k - 1) * TICK, (x, 0.0, 0.0), UPRIGHT, ZERO, ZERO)
        ticks.append(scene.advance(k * TICK))
    x = np.array([tick.states.positions[:, 0] for tick in ticks])
    # a reference that was followed to the bit leaves a first sample apart, which is drawn together
    assert_allclose(x[:, 1] - x[:, 0], 1.0, atol=2e-3)
    assert_allclose(x[120:, 1] - x[120:, 0], 1.0, atol=1e-9)
    assert_allclose(x.sum(axis=1), 1.0, atol=1e-6)
    assert_allclose(ticks[790].constraint_loads.forces[:, 0], (M * 0.4 / TAU**2, -M * 0.4 / TAU**2), rtol=0.03)
    assert_allclose(x[-1], (0, 1), atol=1e-6)
    assert told(ticks) == []


# -- observe

@pytest.mark.parametrize('load', [0.05, LOAD, M, 4.0 * M])
def test_the_load_of_an_observed_drone_is_told(load):
    """The drone stands where its samples have it; what is told of the sling is m_l g, and the load hangs below it."""
    scene = slung('observe', load)
    ticks = run(scene, 400, at(0.0, 0.0, 1.0))
    assert_array_equal(ticks[-1].states.positions[0], (0, 0, 1))
    assert_allclose([t.constraint_loads.forces[0] for t in ticks[200:]], [(0, 0, -load * G)] * 200, rtol=1e-6)
    assert_allclose(scene.object_pose('load')[0], (0, 0, 0), atol=2e-3 * max(1.0, (load / M)**2))
    assert scene.counters == {}


class LateSimulator:
    """A point mass that applies forces `late` ticks after they are told."""

    def __init__(self, velocity, late):
        self.x, self.v, self.due = np.array([0.2, 0.0, 0.0]), np.array(velocity, dtype=float), [np.zeros(3)] * late

    def feed(self, scene, now):
        scene.feed_drone('d0', now, self.x, UPRIGHT, self.v, ZERO)

    def step(self, tick):
        loads = tick.constraint_loads
        self.due.append(np.zeros(3) if loads is None else loads.forces[0])
        self.v = self.v + self.due.pop(0) / M * H
        self.x = self.x + self.v * H


@pytest.mark.parametrize('late', [0, 1, 3])
def test_a_simulator_that_obeys_is_held_by_its_tether(late):
    """Flying out at 2 m/s: it is not thrown back by more than what a sample beyond the end asks for, 1 m/s, however
    late it applies the snap, and goes beyond by its lag."""
    scene, sim, far, back = tethered('observe'), LateSimulator((2.0, 0.0, 0.0), late), 0.0, 0.0
    for k in range(1, 400):
        sim.feed(scene, (k - 1) * TICK)
        sim.step(scene.advance(k * TICK))
        far, back = max(far, sim.x[0]), min(back, sim.v[0])
    assert far < 1.0 + 2.0 * H * (late + 3)
    assert back > -1.3


def test_one_that_ignores_its_tether_is_told_now_and_then():
    """A snap is not told in every tick, and that it does not follow is counted once."""
    scene = tethered('observe')
    ticks = run(scene, 400, lambda s, now: at(0.2 + 2e-9 * now, 0, 0, velocity=(2.0, 0, 0))(s, now))
    told_in = [k for k, t in enumerate(ticks) if t.constraint_loads is not None and t.constraint_loads.forces[0].any()]
    assert 2 <= len(told_in) <= 20 and min(np.diff(told_in)) >= 2
    assert phases(ticks) == ['TAUT']
    assert scene.counters == {(str(Verdict.UNANSWERED), 'd0'): 1}


# -- drones that are not there

def test_a_drone_that_lacks_lets_its_load_fall_and_takes_it_up_again():
    scene = slung('correct')
    run(scene, 100, at(0.0, 0.0, 1.0))
    gone = run(scene, 300, lambda s, now: None, 101)
    assert not scene.present()[0] and gone[-1].constraint_loads is None
    fallen = scene.object_pose('load')[0][2]
    assert fallen < -0.3 and scene.constraint_names == ('sling',)
    back = run(scene, 1000, at(0.0, 0.0, 1.0), 401)
    speed = np.abs(np.diff([t.states.positions[0, 2] for t in back])).max() / H
    assert speed < 12.0 and np.isfinite(back[-1].states.positions).all()
    state = scene.constraint('sling')
    assert np.linalg.norm(state.anchor_b - state.anchor_a) < 1.0 + 1e-6


def test_a_beam_between_a_wall_and_a_drone_inside_it():
    """A drone that comes in inside a wall, held to it: said once, and nothing is lost."""
    box = WallConfig('box', Box((1.0, 1.0, 1.0)))
    drone = DroneConfig('d0', MODEL, Pose((0.0, 0.0, 0.0)), 'correct')
    scene = started(make_config(drone, walls=[box],
                                constraints=(ConstraintConfig('latch', 'fixed', 'box', 'd0', max_force=50.0),)))
    ticks = run(scene, 200, at(0.0, 0.0, 0.0))
    assert np.isfinite(ticks[-1].states.positions).all() and scene.counters[(str(Verdict.BURIED), 'd0')] == 1


# -- breaking, docking

def test_a_snap_breaks_its_line_and_is_told():
    scene = tethered('correct', break_impulse=1.0)
    ticks = run(scene, 300, lambda s, now: at(0.203 + 2e-9 * now, 0, 0, velocity=(2.0, 0, 0))(s, now))
    (event,) = told(ticks)
    assert (event.phase, event.name, event.body_a, event.body_b) == (ConstraintPhase.BROKEN, 'line', 'hook', 'd0')
    assert_allclose(event.impulse, (-1.0, 0, 0), rtol=1e-9, atol=1e-12)
    assert abs(event.stamp_ns - 398_500_000) <= 1 and event.length == 1.0
    assert_allclose(event.duration, 0.3985, atol=1e-8)
    assert scene.constraint_names == ()
    t = 1.5 - 0.3985    # the offset decays critically damped
    assert_allclose(ticks[-1].states.positions[0, 0], 3.203 - t * np.exp(-t / TAU) / M, atol=1e-3)


def test_a_payload_is_latched_and_dropped():
    """What is latched in flight is told with the next tick; it is one body with the drone until it is let go."""
    ball = ObjectConfig('payload', Sphere(0.05), 0.1, pose=Pose((0.0, 0.0, 0.9)))
    drone = DroneConfig('d0', MODEL, Pose((0.0, 0.0, 1.0)), 'simulate')
    scene = started(make_config(drone, objects=[ball], gravity=ZERO))
    run(scene, 1, lambda s, now: s.feed_wrench('d0', now, ZERO, ZERO))
    name = scene.attach('fixed', 'd0', 'payload', anchor_a=np.array([0.0, 0.0, -0.05]))
    assert name == 'constraint1' and scene.constraint_names == (name,)
    held = run(scene, 100, lambda s, now: s.feed_wrench('d0', now, (0, 0, 0.81), ZERO), 2)
    assert [(e.phase.name, e.stamp_ns, e.id) for e in told(held)] == [('ATTACHED', TICK, 1)]
    assert_allclose(held[-1].states.linear_velocities[0], (0, 0, 0.5), rtol=1e-9, atol=1e-12)
    scene.detach(name)
    let_go = run(scene, 20, lambda s, now: s.feed_wrench('d0', now, (0, 0, 0.71), ZERO), 102)
    (event,) = told(let_go)
    assert (event.phase.name, event.stamp_ns) == ('DETACHED', 101 * TICK)
    assert_allclose(event.force, (0, 0, 0.1), rtol=1e-9, atol=1e-12)
    assert_allclose(scene.world.linvel[1], (0, 0, 0.5), rtol=1e-9, atol=1e-12)


def test_reset_brings_the_world_file_back():
    """What was attached since is let go, what broke holds again, with an id of its own."""
    scene = tethered('correct', break_impulse=1.0)
    run(scene, 200, lambda s, now: at(0.2 + 2e-9 * now, 0, 0, velocity=(2.0, 0, 0))(s, now))
    scene.attach('spring', 'd0', 'hook', name='band', stiffness=10.0)
    scene.reset()
    tick = scene.advance(201 * TICK)
    assert [(e.phase.name, e.name, e.id) for e in tick.constraint_events] == [
        ('ATTACHED', 'band', 2), ('DETACHED', 'band', 2), ('ATTACHED', 'line', 3)]
    assert scene.constraint_names == ('line',)


def test_a_hand_takes_hold():
    """A kinematic hand at 0.2 m/s carries what is attached to its sphere; it is named with its part."""
    ball = ObjectConfig('payload', Sphere(0.05), 0.1, pose=Pose((0.0, 0.0, 0.3)))
    scene = started(make_config('d0', objects=[ball], hands=['right'], gravity=ZERO))

    def feed(s, now):
        s.feed_hand('right', now, np.array([[0.2e-9 * now, 0.0, 0.0]]))
    run(scene, 20, feed)
    scene.attach('fixed', 'right', 'payload', name='grip')
    ticks = run(scene, 200, feed, 21)
    (event,) = told(ticks)
    assert (event.body_a, event.part_a, event.body_b, event.part_b) == ('right', 'sphere', 'payload', '')
    assert_allclose(scene.world.linvel[scene.world.index('payload')], (0.2, 0, 0), atol=0.02)
