# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A drone beyond its range, or a part of the scene that cannot be computed, costs no other drone a bit."""
import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scene_worlds import MODEL, TICK, UPRIGHT, ZERO, floor, make_config, wall_x

from hakoniwa_rigid.engine import Box, EngineError, Sphere
from hakoniwa_rigid.engine.world.checkpoint import near_bodies
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.drones.rows import MOST_STAMP
from hakoniwa_rigid.scene.events.observed_contacts import ObservedContacts
from hakoniwa_rigid.scene.records import FROZEN, LIMITED, Phase, Verdict
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig, HandConfig, MaterialConfig, ObjectConfig, Pose

HEAVY = (0.0, 0.0, -9.80665)
SECOND = 1_000_000_000
BALL = MaterialConfig('ball', 0.8, 0.2)
# where the healthy ones are: a drone that flies into a wall again and again, and one that bounces on the floor
FAR = 100.0


def scene_of(*sick, **fields):
    """Drones by name at the origin, and healthy ones far away: `bouncing` is simulated, `led` flies into a wall."""
    healthy = (DroneConfig('bouncing', MODEL, Pose((FAR, 0.0, 1.0)), 'simulate'),
               DroneConfig('led', MODEL, Pose((FAR, 50.0, 1.0)), 'correct'))
    config = make_config(*healthy, *sick, walls=(floor(0.7), wall_x(FAR + 2.0, 0.5)), gravity=HEAVY, **fields)
    return CollisionScene.from_config(config)


def feed_healthy(scene, now):
    """Inputs of the healthy ones at a time (ns)."""
    t = now / SECOND
    scene.feed_wrench('bouncing', now, (0.3, 0.0, 1.0), (0.0, 1e-4, 0.0))
    scene.feed_drone('led', now, (FAR + 1.6 + 0.6 * math.sin(9.0 * t), 50.0, 1.0), UPRIGHT)


def healthy_bits(ticks):
    """All that is said of the healthy ones."""
    return [(t.states.positions[:2].tobytes(), t.states.orientations_xyzw[:2].tobytes(),
             t.states.linear_velocities[:2].tobytes(), t.states.angular_velocities[:2].tobytes(),
             t.states.flags[:2].tobytes()) for t in ticks]


def run(scene, feed, ticks=100):
    """So many ticks; feed(now) gives the inputs of the sick."""
    out = []
    for k in range(ticks):
        feed_healthy(scene, k * TICK)
        feed(k * TICK)
        out.append(scene.advance(k * TICK))
    return out


def alone(ticks=100, **fields):
    """What the healthy ones do when no other drone is fed."""
    return healthy_bits(run(scene_of('a', 'b', 'c', 'd', **fields), lambda now: None, ticks))


def spinning(scene, names, rate):
    def feed(now):
        for k, name in enumerate(names):
            assert scene.feed_drone(name, now, (0.0, 0.0, 1.0 + 0.01 * k), UPRIGHT, ZERO, (rate / math.sqrt(3.0),) * 3)
    return feed


# -- samples and loads at the edge of what is accepted

@pytest.mark.parametrize('names', ['a', 'ab', 'abcd'])
@pytest.mark.parametrize('rate', [300.0, 1999.0])
def test_rates_within_the_limits_stop_nobody(names, rate):
    scene = scene_of(*'abcd')
    ticks = run(scene, spinning(scene, names, rate), 40)
    assert healthy_bits(ticks) == alone(40)
    assert not scene.last_rejected.get(('failed', 'scene'))
    for tick in ticks:
        assert np.isfinite(tick.states.positions).all()
        assert np.linalg.norm(tick.states.angular_velocities, axis=1).max() <= 2000.0 + 1e-6


def test_rates_beyond_the_limits_are_refused_by_their_length():
    scene = scene_of('a')
    assert scene.feed_drone('a', 0, ZERO, UPRIGHT, ZERO, (9900.0,) * 3) is Verdict.OUT_OF_RANGE
    assert scene.feed_drone('a', 0, ZERO, UPRIGHT, ZERO, (1200.0,) * 3) is Verdict.OUT_OF_RANGE
    assert scene.feed_drone('a', 0, ZERO, UPRIGHT, (0.0, 1001.0, 0.0), ZERO) is Verdict.OUT_OF_RANGE
    assert scene.feed_drone('a', 0, ZERO, UPRIGHT, (0.0, 999.0, 0.0), (1150.0,) * 3) is Verdict.ACCEPTED


def test_limits_are_parameters_of_the_world():
    scene = scene_of('a', scene={'linear_velocity_limit': 20.0, 'angular_velocity_limit': 30.0})
    assert scene.feed_drone('a', 0, ZERO, UPRIGHT, (21.0, 0.0, 0.0), ZERO) is Verdict.OUT_OF_RANGE
    assert scene.feed_drone('a', 1, ZERO, UPRIGHT, ZERO, (31.0, 0.0, 0.0)) is Verdict.OUT_OF_RANGE
    assert scene.feed_drone('a', 2, ZERO, UPRIGHT, (19.0, 0.0, 0.0), (0.0, 29.0, 0.0)) is Verdict.ACCEPTED


def test_a_load_at_the_limit_spins_a_drone_to_its_limit_and_no_further():
    scene = scene_of(DroneConfig('a', MODEL, Pose((0.0, 0.0, 50.0)), 'simulate'))
    torque = 0.99 * scene.params.angular_velocity_limit / 1e-3 * 0.0061
    seen = []

    def feed(now):
        assert scene.feed_wrench('a', now, ZERO, (0.0, torque, torque)) is Verdict.ACCEPTED
    for tick in run(scene, feed, 200):
        seen.append(np.linalg.norm(tick.states.angular_velocities[2]))
        assert seen[-1] <= 2.0 * 2000.0    # a step's change beyond what it was held to
    assert max(seen) > 1900.0
    assert tick.states.flags[2] & LIMITED
    assert scene.counters['limited', 'a'] > 100
    assert 'N m is beyond what it bears' in scene.last_rejected['limited', 'a']


def test_an_object_that_is_held_within_its_limits_is_named():
    ball = ObjectConfig('ball', Sphere(0.1), 0.1, (4e-4,) * 3, Pose((0.0, 0.0, 1.0)), (900.0, 900.0, 0.0),
                        material=BALL)
    scene = scene_of('a', objects=(ball,))
    run(scene, lambda now: None, 2)
    assert scene.last_rejected['limited', 'ball'] == f'held within its limits: {math.hypot(900.0, 900.0):.6g} m/s'


def test_a_drone_that_falls_for_ever_stops_at_the_border():
    drone = DroneConfig('a', MODEL, Pose((0.0, 0.0, 0.0)), 'simulate')
    scene = CollisionScene.from_config(make_config(drone, gravity=HEAVY, scene={'max_steps': 10_000}))
    scene.advance(0)
    scene.feed_drone('a', 0, (0.0, 0.0, -499_000.0), UPRIGHT, (0.0, 0.0, -999.0), ZERO)
    for k in range(1, 60):
        scene.feed_wrench('a', 10 * k * SECOND, ZERO, ZERO)
        tick = scene.advance(10 * k * SECOND)
    assert tick.states.positions[0, 2] == pytest.approx(-999_000.0, abs=1.0)
    assert ('limited', 'a') in scene.counters


@pytest.mark.parametrize('stamp', [1 << 62, -(1 << 62), (1 << 63) - 1, 1 << 63, -(1 << 63), 1 << 80])
def test_absurd_stamps_are_counted(stamp):
    scene = scene_of('a')
    scene.advance(0)
    assert scene.feed_drone('a', stamp, ZERO, UPRIGHT) is Verdict.OUT_OF_RANGE
    assert scene.feed_wrench('a', stamp, ZERO, ZERO) is Verdict.OUT_OF_RANGE
    assert scene.feed_hand('unknown', stamp, np.zeros((1, 3))) is Verdict.UNKNOWN_NAME
    assert scene.feed_drones(('a',), stamp, np.zeros((1, 3)), np.array([UPRIGHT])) == {Verdict.OUT_OF_RANGE: 1}
    assert scene.advance(stamp).stamp_ns == 0
    assert scene.hold(stamp).stamp_ns == 0
    assert scene.advance(TICK).steps == 5
    assert scene.counters['out_of_range', 'advance'] == scene.counters['out_of_range', 'hold'] == 1


def test_the_first_stamp_may_be_absurd():
    scene = scene_of('a')
    assert scene.advance(1 << 70).stamp_ns == MOST_STAMP
    assert scene.advance(0).stamp_ns == 0       # a clock that was set back
    assert scene.advance(TICK).steps == 5


@pytest.mark.parametrize('values', ['word', [[1.0], [1.0, 2.0]], None, [1.0, object()]])
def test_values_that_are_no_numbers_are_counted(values):
    scene = scene_of('a', hands=('h',))
    assert scene.feed_motor_speeds('a', 0, values) in (Verdict.WRONG_SIZE, Verdict.NO_ROTORS)
    assert scene.feed_wrench('a', 0, values, ZERO) is Verdict.WRONG_SIZE
    assert scene.feed_hand('h', 0, values) is Verdict.WRONG_SIZE
    assert scene.feed_drones(('a',), 0, values, values) == {Verdict.WRONG_SIZE: 1}
    assert scene.feed_wrenches(('a',), 0, values, values) == {Verdict.WRONG_SIZE: 1}


# -- authority

@pytest.mark.parametrize('before', ['observe', 'correct', 'simulate'])
@pytest.mark.parametrize('after', ['observe', 'correct', 'simulate'])
def test_authority_changes_in_the_middle_of_a_contact(before, after):
    scene = scene_of(*(DroneConfig(n, MODEL, Pose((0.3 * k, 0.0, 0.024)), before) for k, n in enumerate('ab')))

    def feed(now):
        if now == 20 * TICK:
            scene.set_authority('a', after)
        if now == 30 * TICK:
            scene.set_authority('b', after)
        for k, name in enumerate('ab'):
            scene.feed_drone(name, now, (0.19 * k, 0.0, 0.024), UPRIGHT, (0.1 - 0.2 * k, 0.0, -0.2), ZERO)
            scene.feed_wrench(name, now, ZERO, ZERO)
    ticks = run(scene, feed, 60)
    assert healthy_bits(ticks) == alone(60)
    assert not [key for key in scene.counters if key[0] in ('failed', 'frozen')]


def test_a_drone_that_is_no_longer_observed_waits_for_nobody():
    scene = scene_of(DroneConfig('a', MODEL, Pose((0.0, 0.0, 0.02)), 'observe'))

    def feed(now):
        scene.feed_drone('a', now, (0.0, 0.0, 0.02), UPRIGHT, (0.0, 0.0, -0.2), ZERO)
    run(scene, feed, 10)
    (contact,) = [c for c in scene._tracker.contacts.values() if 'a' in c.names]
    assert contact.observed and not contact.resolved
    assert scene._responses.waits(scene.world.index('a'))
    scene.set_authority('a', 'simulate')
    assert not contact.observed and contact.resolved
    assert not scene._responses.waits(scene.world.index('a'))
    scene.set_authority('a', 'observe')
    assert contact.observed and contact.resolved


# -- what cannot be computed

class Sabotage:
    """Steps fail while a body takes part: as the engine fails, by name, or by a fault of its own."""

    def __init__(self, scene, body, named, after=0, until=10**9, inputs=None):
        self.scene, self.body, self.named, self.after, self.until = scene, scene.world.index(body), named, after, until
        self.inputs, self.calls, self.step = inputs, 0, scene.world.step
        scene.world.step = self

    def __call__(self, n):
        self.calls += 1
        self.step(n)
        takes_part = self.scene.world._s.body[self.body, 3] == 1
        bad = self.inputs is None or self.inputs(self.scene.world)
        if takes_part and bad and self.after <= self.scene._now_ns < self.until:
            self.scene.world._s.block[:] = np.nan   # whatever it was doing
            error = EngineError('a: sabotage') if self.named else ZeroDivisionError('sabotage')
            if self.named:
                error.body = self.body
            raise error


def touching(scene, now):
    """Two led drones that lie against each other, far from all others."""
    for k, name in enumerate('ab'):
        scene.feed_drone(name, now, (0.19 * k, 0.0, 3.0), UPRIGHT, (0.1 - 0.2 * k, 0.0, 0.0), ZERO)


@pytest.mark.parametrize('named', [True, False])
def test_the_island_that_fails_is_frozen_and_all_others_keep_their_bits(named):
    scene, reference = scene_of(*'abcd'), scene_of(*'abcd')
    Sabotage(scene, 'a', named, after=20 * TICK)

    def feed(which):
        def give(now):
            touching(which, now)
            which.feed_drone('c', now, (-3.0, 0.0, 2.0), UPRIGHT, ZERO, ZERO)
        return give
    ticks, expected = run(scene, feed(scene), 60), run(reference, feed(reference), 60)
    assert healthy_bits(ticks) == healthy_bits(expected) == alone(60)
    frozen = [bool(flag & FROZEN) for flag in ticks[-1].states.flags]
    assert frozen == [False, False, True, True, False, False]
    assert scene.counters['frozen', 'a'] == scene.counters['frozen', 'b'] == 1
    assert scene.counters['dropped', 'a'] == 1
    assert 'sabotage' in scene.last_rejected['failed', 'scene']
    # c is what it would have been
    for tick, other in zip(ticks, expected, strict=True):
        assert_array_equal(tick.states.positions[4], other.states.positions[4])
    # they stand still, and their contact has ended
    assert_array_equal(ticks[30].states.positions[2:4], ticks[-1].states.positions[2:4])
    assert_array_equal(ticks[-1].states.linear_velocities[2:4], 0.0)
    ended = [e for t in ticks for e in t.events if e.phase is Phase.END and (e.body_a, e.body_b) == ('a', 'b')]
    assert ended


def test_what_is_frozen_takes_part_again_after_a_second():
    scene = scene_of(*'ab', DroneConfig('s', MODEL, Pose((0.0, 9.0, 5.0)), 'simulate'))
    Sabotage(scene, 'a', True, 20 * TICK, 40 * TICK)
    Sabotage(scene, 's', True, 20 * TICK, 40 * TICK)

    def feed(now):
        touching(scene, now)
        scene.feed_wrench('s', now, ZERO, ZERO)
    ticks = run(scene, feed, 260)
    assert ticks[50].states.flags[2] & FROZEN and ticks[50].states.flags[4] & FROZEN
    assert not (ticks[-1].states.flags & FROZEN).any()
    assert scene.counters['frozen', 'a'] == scene.counters['frozen', 's'] == 1
    # the simulated one falls on from where it stood still
    stood = ticks[50].states.positions[4, 2]
    assert 4.9 < stood < 5.0
    assert ticks[-1].states.positions[4, 2] < stood
    assert max(abs(np.diff([t.states.positions[4, 2] for t in ticks[20:]]))) < 0.05
    assert healthy_bits(ticks) == alone(260)


def test_inputs_that_the_scene_fails_by_are_taken_back():
    scene = scene_of(*'ab')
    sick = scene.world.index('a')
    Sabotage(scene, 'a', True, inputs=lambda world: world.linvel[sick, 2] > 5.0)

    def feed(now):
        speed = 9.0 if now == 20 * TICK else 0.0
        if now <= 20 * TICK:
            scene.feed_drone('a', now, (0.0, 0.0, 3.0), UPRIGHT, (0.0, 0.0, speed), ZERO)
    ticks = run(scene, feed, 30)
    assert scene.counters['dropped', 'a'] == 1
    assert ('frozen', 'a') not in scene.counters
    assert_array_equal(ticks[-1].states.positions[2], (0.0, 0.0, 3.0))
    assert healthy_bits(ticks) == alone(30)


def test_where_nothing_helps_all_stand_still_and_time_goes_on():
    scene = scene_of('a', hands=('h',))
    scene.advance(0)
    feed_healthy(scene, TICK)
    scene.advance(TICK)

    def fail(n):
        raise MemoryError('none left')
    step, scene.world.step = scene.world.step, fail
    for k in range(2, 6):
        feed_healthy(scene, k * TICK)
        tick = scene.advance(k * TICK)
        assert tick.stamp_ns == k * TICK
    assert (tick.states.flags[:2] & FROZEN).all()
    scene.world.step = step
    for k in range(6, 300):
        feed_healthy(scene, k * TICK)
        tick = scene.advance(k * TICK)
    assert not (tick.states.flags & FROZEN).any()


def test_a_fault_of_the_books_costs_one_contact(monkeypatch):
    scene = scene_of(*'ab')
    look = ObservedContacts.look

    def fail(led, contacts, observed, t0_ns):
        if any(scene.world.index('a') in contact.bodies for contact in contacts):
            raise ZeroDivisionError('books')
        return look(led, contacts, observed, t0_ns)
    monkeypatch.setattr(ObservedContacts, 'look', fail)
    scene.set_authority('a', 'observe')
    ticks = run(scene, lambda now: touching(scene, now), 60)
    assert healthy_bits(ticks) == alone(60)
    assert 'books' in scene.last_rejected['failed', 'scene']


def test_a_hand_that_cannot_be_moved_leaves():
    scene = scene_of('a', hands=('h',))

    def fail(*_):
        raise ValueError('hand')
    scene._hands['h'].move = fail
    ticks = run(scene, lambda now: None, 5)
    assert scene.counters['failed', 'h'] == 4
    assert healthy_bits(ticks) == alone(5)


@pytest.mark.parametrize('mass', [0.5, math.inf])
def test_a_hand_in_an_island_that_fails_leaves_with_it(mass):
    """One of finite mass is part of the island; another is not, and goes on."""
    hand = HandConfig('h', effective_mass=mass, shape=Sphere(0.1))
    scene = CollisionScene.from_config(replace(scene_of(*'ab').config, hands=(hand,)))
    body = scene._hands['h'].bodies[0]
    Sabotage(scene, 'a', True, inputs=lambda world: (near_bodies(world) == body).any())

    def feed(now):
        scene.feed_hand('h', now, np.array([[0.0, 0.0, 2.79 + now / SECOND]]))
        touching(scene, now)
    ticks = run(scene, feed, 40)
    (first, *_) = [k for k, tick in enumerate(ticks) if tick.states.flags[2] & FROZEN]
    assert [tick.hands[0].present for tick in ticks[first - 1:first + 2]] == [True, math.isinf(mass), True]
    assert healthy_bits(ticks) == alone(40)


@pytest.mark.parametrize('authority', ['observe', 'correct', 'simulate'])
def test_eight_in_one_place_that_whirl_disturb_nobody(authority):
    names = [f'w{k}' for k in range(8)]
    scene = scene_of(*(DroneConfig(name, MODEL, Pose((0.0, 0.0, 2.0)), authority) for name in names))

    def feed(now):
        for name in names:
            scene.feed_drone(name, now, (0.0, 0.0, 2.0), UPRIGHT, ZERO, (173.0,) * 3)
    ticks = run(scene, feed, 12)
    stats = scene.world.stats()
    assert healthy_bits(ticks) == alone(12)
    # what a tick costs is counted, not timed: hits per body and step are capped
    assert stats.impact_events <= 32 * 28 * stats.steps
    assert np.isfinite(ticks[-1].states.positions).all()


def test_reset_and_a_clock_set_back_thaw():
    for again in (lambda s: s.reset(), lambda s: s.advance(-SECOND)):
        scene = scene_of(*'ab')
        Sabotage(scene, 'a', True, 5 * TICK, 6 * TICK)
        ticks = run(scene, lambda now, s=scene: touching(s, now), 10)
        assert ticks[-1].states.flags[2] & FROZEN
        again(scene)
        now = scene.now_ns
        touching(scene, now + TICK)
        assert not scene.advance(now + TICK).states.flags[2] & FROZEN


def test_steps_that_are_taken_back_leave_no_trace():
    """Every call of the engine is made twice: the second time with the bits of the first."""
    def crowd():
        drones = [DroneConfig(f'd{k}', MODEL, Pose((0.3 * k, 0.1 * k, 0.5 + 0.2 * k)), 'simulate') for k in range(5)]
        drones.append(DroneConfig('o', MODEL, Pose((0.5, 0.0, 0.4)), 'observe'))
        ball = ObjectConfig('box', Box((0.2, 0.2, 0.2)), 0.4, (0.003,) * 3, Pose((0.6, 0.2, 3.0)), material=BALL)
        return scene_of(*drones, objects=(ball,))

    def feed_of(scene):
        def feed(now):
            for k in range(5):
                scene.feed_wrench(f'd{k}', now, (0.5 - 0.2 * k, 0.0, 2.0), (0.0, 1e-3 * k, 1e-3))
            scene.feed_drone('o', now, (0.5 + 0.2 * math.sin(now / 2e8), 0.0, 0.4), UPRIGHT)
        return feed
    plain, twice = crowd(), crowd()
    attempt = twice._attempt

    def again(*args):
        attempt(*args)
        twice._containment.go_back()
        return attempt(*args)
    twice._attempt = again
    ones, others = run(plain, feed_of(plain), 300), run(twice, feed_of(twice), 300)
    assert sum(len(t.events) for t in ones) > 50
    for a, b in zip(ones, others, strict=True):
        assert_array_equal(a.states.positions, b.states.positions)
        assert a.events == b.events
    assert plain.state_hash() == twice.state_hash()


def test_released_hands_are_out_of_the_engine():
    scene = scene_of('a', hands=('h',))
    scene.advance(0)
    for k in range(1, 6):
        scene.feed_hand('h', k * TICK, np.array([[0.0, 0.0, 2.0]]))
        scene.advance(k * TICK)
    hand = scene._hands['h']
    assert scene.world._s.body[hand.bodies, 3].any()
    scene.release_hands()
    assert not scene.world._s.body[hand.bodies, 3].any()
