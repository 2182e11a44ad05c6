# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`observe` beside simulators that follow the impulses reported to them and push on: they stay out of what they push
at.

A push a needs the impulse m a for each second that it lasts, whatever the law.  What a drone overlaps by at a hit is
the way from the impact to the instant at which its simulator applies the impulse: its speed times the delay, which is
at most a tick of the scene and the samples that it takes.  While it pushes, it is `lasting` (docs/authority.md).  m, s.
"""
import numpy as np
import pytest
from numpy.testing import assert_allclose
from pushing import NS, Pusher, fly_beside
from scene_worlds import make_scene, wall_x
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.engine import Box, Compound, Cylinder
from hakoniwa_rigid.engine.shapes.compound import Part
from hakoniwa_rigid.scene import Phase
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig, DroneModel, MaterialConfig, Pose, WallConfig

SIZE, M, G = (0.2, 0.2, 0.05), 0.71, 9.80665
TICK = 0.005
# m/s: what the pusher comes to on its way, place * reach / speed
SPEED = 0.75
AHEAD = np.array([1.0, 0.0, 0.0])


def lasting(rate, latency):
    """m, the most that a lasting push of up to 0.5 g overlaps by, as docs/authority.md states it."""
    if rate >= 100.0:
        return 0.01
    return {0: 0.015, 1: 0.02, 2: 0.05, 3: 0.1}[latency]


def model(e=0.0, friction=0.0, shape=None):
    return DroneModel('quad', M, (0.0061, 0.00653, 0.0116), shape or Box(SIZE),
                      material=MaterialConfig('hull', e, friction))


def at_a_wall(rate, latency=0, e=0.0, held=False, seconds=5.0, friction=0.0, **more):
    """A drone with its goal 1 m behind the face of a wall at x = 1."""
    scene = make_scene('d0', walls=[wall_x(1.0, friction=friction)], model=model(e, friction), authority='observe')
    sim = Pusher('d0', (2.0, 0.0, 1.0), (0.0, 0.0, 1.0), latency=latency, held=held,
                 **{key: more.pop(key) for key in ('obeys', 'place', 'speed') if key in more})
    seen = fly_beside(scene, [sim], seconds, rate, **more)
    return seen, seen.reach(0, SIZE, AHEAD) - 1.0, scene


# -- a wall

@pytest.mark.parametrize('e', [0.0, 0.5])
@pytest.mark.parametrize('latency', [0, 1, 2, 3])
@pytest.mark.parametrize('rate', [200.0, 100.0, 30.0])
@pytest.mark.parametrize('held', [False, True], ids=['tilts', 'spin killed at once'])
def test_a_drone_with_its_goal_behind_a_wall_stays_in_front_of_it(held, rate, latency, e):
    """It is hit once, comes back slower, and at last leans on the wall; the sum of the impulses is that of its push."""
    seen, over, scene = at_a_wall(rate, latency, e, held)
    assert over.max() <= SPEED * (TICK + (latency + (rate < 100)) / rate) + lasting(rate, latency)
    late = seen.after(2.5)
    assert over[late].max() <= lasting(rate, latency)
    # it has not been thrown off
    assert over[late].min() > -0.05 * max(1.0, 60.0 / rate)
    # 0.1 m is the middle of it: at 30 Hz and three samples late it comes that far at the first hit
    assert scene.counters == {} or (rate, latency) == (30.0, 3)
    # momentum: what was reported is what its push of 3 m/s^2 gave
    if held:
        impulse = sum(event.impulse[0] for event in seen.counted('d0') if event.stamp_ns >= 2.5 * NS)
        assert impulse == pytest.approx(M * 3.0 * 2.5, rel=0.1 if rate >= 100 else 0.3)


@pytest.mark.parametrize('e', [0.0, 0.5])
@pytest.mark.parametrize('latency', [0, 1, 2, 3])
def test_no_impulse_is_reported_twice(latency, e):
    """At most one impulse for each sample; of a lasting contact none before a sample has shown the one before; the
    first is (1 + e) m v, so it leaves no faster than e v and what its push, foreseen, and the overlap ask for."""
    seen, _, _ = at_a_wall(100.0, latency, e)
    reported = seen.counted('d0')
    assert reported[0].phase is Phase.BEGIN
    # the edge of a hull that leans may come a little faster than its centre of mass, or slower
    assert np.linalg.norm(reported[0].impulse) <= (1.0 + e) * M * SPEED * 1.1
    ticks = [(tick.stamp_ns, event.phase) for tick in seen.ticks for event in tick.events if event in reported]
    gaps = [b - a for (a, _), (b, phase) in zip(ticks, ticks[1:], strict=False) if phase is Phase.PERSIST]
    assert min(gaps) >= 0.01 * NS * (1 + latency) * 0.99 - TICK * NS
    assert seen.v[:, 0, 0].min() > -e * SPEED - 0.45


def test_every_impulse_is_that_of_its_approach():
    """J = (1 + e) m_eff v by the numbers of the event, with 1/m_eff = n K n at the point; so v_n' = -e v_n."""
    seen, _, _ = at_a_wall(100.0, 0, 0.5)
    for event in seen.counted('d0'):
        velocities = event.relative_velocity_before, event.relative_velocity_after
        before, after = (np.dot(v, event.normal) for v in velocities)
        assert before < 0.0
        assert after == pytest.approx(-event.restitution * before, abs=1e-9)
        assert np.linalg.norm(event.impulse) <= (1.0 + event.restitution) * M * -before + 1e-9
        # beyond the approach of a sample: its push for two samples, at most 1.5 g, and 0.25 m/s
        assert -before < SPEED + 1.5 * G * 0.02 + 0.25


def test_events_without_an_impulse_change_no_velocity():
    for obeys in (True, False):
        seen, _, _ = at_a_wall(100.0, obeys=obeys, seconds=3.0)
        still = [e for e in seen.events if e.phase is Phase.PERSIST and not any(e.impulse)]
        assert still or obeys
        for event in still:
            assert event.relative_velocity_after == event.relative_velocity_before
            assert not any((*event.delta_v_a, *event.delta_v_b, *event.delta_omega_a, *event.delta_omega_b))


@pytest.mark.parametrize(('rate', 'more'), [
    (200.0, {'velocity': False}), (100.0, {'velocity': False}), (30.0, {'velocity': False}),
    (200.0, {'noise': 0.02}), (100.0, {'noise': 0.02}), (30.0, {'noise': 0.02}),
    (200.0, {'jitter': 1.5e-3}), (100.0, {'jitter': 3e-3}), (30.0, {'jitter': 8e-3}),
    (100.0, {'tick': 100.0}), (100.0, {'tick': 500.0}), (100.0, {'place': 12.0, 'speed': 6.0}),
], ids=str)
def test_poses_alone_noise_jitter_and_other_ticks(rate, more):
    """What one adds to the overlap: an interval of poses, of stamps, a tick of 10 ms."""
    seen, over, _ = at_a_wall(rate, e=0.3, **more)
    assert over[seen.after(2.5)].max() <= lasting(rate, 0) + (0.01 if rate < 100 else 0.0)
    assert over.max() <= 0.03


def test_a_compound_with_rotors_at_a_wall_with_friction():
    """Four discs and a box: each part that touches is a contact of its own, and all of them one push."""
    discs = [Part(Cylinder(0.07, 0.02), (x, y, 0.03)) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    shape = Compound([Part(Box((0.1, 0.1, 0.05))), *discs])
    scene = make_scene('d0', walls=[wall_x(1.0, friction=0.5)], model=model(0.3, 0.5, shape), authority='observe')
    seen = fly_beside(scene, [Pusher('d0', (2.0, 0.0, 1.0), (0.0, 0.0, 1.0))], 5.0, 100.0)
    depth = [e.depth for e in seen.events if e.phase is not Phase.END]
    assert max(depth) < 0.01
    assert seen.x[seen.after(2.5), 0, 0].max() < 0.9 and not scene.counters


@pytest.mark.parametrize('e', [0.0, 0.5])
@pytest.mark.parametrize(('rate', 'delay'), [(200.0, 0), (200.0, 1), (100.0, 0), (100.0, 1), (30.0, 0), (30.0, 1)])
def test_rotorpy_pushes_at_a_wall_for_ten_seconds(rate, delay, e):
    """A third-party simulator and controller; events are applied `delay` ticks late."""
    from hakoniwa_rigid.sims.rotorpy_swarm import Swarm

    class Behind:
        def derivatives(self, t):
            zero = np.zeros(3)
            return np.array([0.0 if t < 0.5 else 2.0, 0.0, 1.0]), zero, zero, zero, zero

    scene = make_scene('d0', walls=[wall_x(1.0, friction=0.3)], model=model(e, 0.3), authority='observe')
    swarm, waiting, over = Swarm({'d0': Behind()}, dt=TICK, control_every=1), [], []
    due = 0.0
    for k in range(1, 2001):
        now = k * round(TICK * NS)
        swarm.step()
        state = swarm.state('d0')
        turn = Rotation.from_quat(state.orientation)
        if now >= due:
            due += NS / rate
            scene.feed_drone('d0', now, state.position, state.orientation, state.velocity, turn.apply(state.body_rates))
        waiting.append([e for e in scene.advance(now).events if e.phase is not Phase.END])
        for event in waiting.pop(0) if len(waiting) > delay else ():
            spin = turn.inv().apply(turn.apply(state.body_rates) + event.delta_omega_a)
            state.velocity += event.delta_v_a
            state.body_rates[:] = spin
            swarm.set_state('d0', state.position, state.orientation, state.velocity, spin)
        over.append(state.position[0] + np.abs(turn.as_matrix()[0]) @ (0.5 * np.array(SIZE)) - 1.0)
    assert max(over) < 0.01
    assert min(over[1000:]) > -0.02 and scene.counters == {}


# -- corner, floor, other drones, a hand

@pytest.mark.parametrize('rate', [200.0, 100.0, 30.0])
def test_a_corner(rate):
    walls = [wall_x(1.0), WallConfig('side', Box((6, 1, 4)), Pose((0, 1.0, 1)), MaterialConfig('side', 0, 0))]
    scene = make_scene('d0', walls=walls, model=model(0.3), authority='observe')
    seen = fly_beside(scene, [Pusher('d0', (2.0, 1.4, 1.0), (0.0, 0.0, 1.0))], 5.0, rate)
    for axis, face in ((AHEAD, 1.0), (np.array([0.0, 1.0, 0.0]), 0.5)):
        over = seen.reach(0, SIZE, axis) - face
        assert over.max() < (0.01 if rate >= 100 else 0.04)
    assert scene.counters == {}


@pytest.mark.parametrize('e', [0.0, 0.5])
@pytest.mark.parametrize('start', [1.0, 0.525], ids=['falls on it', 'begins on it'])
@pytest.mark.parametrize('rate', [200.0, 100.0, 30.0])
def test_a_floor_carries_the_weight_of_a_drone_without_thrust(rate, start, e):
    """Its simulator has no ground of its own.  A hit at v = sqrt(2 g h) is late by a tick."""
    floor = WallConfig('floor', Box((4, 4, 1)), material=MaterialConfig('floor', 0.0, 0.0))
    scene = make_scene('d0', walls=[floor], model=model(e), authority='observe')
    seen = fly_beside(scene, [Pusher('d0', (0, 0, 0), (0.0, 0.0, start), powered=False)], 4.0, rate)
    over = 0.525 - seen.x[:, 0, 2]
    assert over.max() < np.sqrt(2 * G * (start - 0.525)) * TICK + (0.01 if rate >= 100 else 0.03)
    assert over[seen.after(2.0)].max() < (0.002 if rate >= 100 else 0.015)
    reported = sum(event.impulse[2] * (1.0 if event.body_b == 'floor' else -1.0)
               for event in seen.counted('d0') if event.stamp_ns > 2 * NS)
    assert -reported == pytest.approx(M * G * 2.0, rel=0.1 if rate >= 100 else 0.2)


@pytest.mark.parametrize('e', [0.0, 0.5])
@pytest.mark.parametrize('rate', [200.0, 100.0, 30.0])
def test_two_drones_push_each_other(rate, e):
    """Held level, head on: they stand, momentum is kept to what their pushes differ by."""
    scene = make_scene('d0', 'd1', model=model(e), authority='observe')
    sims = [Pusher('d0', (2.0, 0, 1), (-1.0, 0, 1), held=True), Pusher('d1', (-2.0, 0, 1), (1.0, 0, 1), held=True)]
    seen = fly_beside(scene, sims, 5.0, rate)
    gap = seen.x[:, 1, 0] - seen.x[:, 0, 0]
    assert gap.min() > 0.2 - 2 * SPEED * TICK - (0.01 if rate >= 100 else 0.05)
    assert gap[seen.after(2.5)].min() > 0.2 - (0.01 if rate >= 100 else 0.04)
    assert np.abs(seen.x[:, :, 0].sum(axis=1)).max() < 0.05
    # the first hit once, though their samples come at different times
    first, *others = seen.counted('d0')
    assert np.linalg.norm(first.impulse) == pytest.approx((1 + e) * M * SPEED, rel=0.01)
    soon = [event for event in others if event.stamp_ns < first.stamp_ns + 0.04 * NS]
    assert sum(np.linalg.norm(event.impulse) for event in soon) < 0.25 * M * SPEED


def test_one_that_follows_and_one_that_does_not():
    """d1 flies on through whatever is reported to it; d0 gives way, and is not gone through."""
    scene = make_scene('d0', 'd1', model=model(0.0), authority='observe')
    sims = [Pusher('d0', (0.0, 0, 1), (0.0, 0, 1), held=True),
            Pusher('d1', (-2.0, 0, 1), (1.0, 0, 1), held=True, obeys=False)]
    seen = fly_beside(scene, sims, 3.5, 100.0)
    assert (seen.x[:, 1, 0] - seen.x[:, 0, 0]).min() > 0.2 - 0.04
    assert seen.x[-1, 0, 0] < -0.3
    assert scene.counters['unanswered', 'd1'] >= 1 and ('unanswered', 'd0') not in scene.counters
    assert not any(cause == 'went_through' for cause, _ in scene.counters)


def test_a_hand_that_pushes_a_drone_which_holds_its_place():
    """0.3 m/s for a second: the drone goes with the hand, its controller pushing against it."""
    scene = make_scene('d0', model=model(0.0), authority='observe', hands=('fist',))
    sim = Pusher('d0', (0.0, 0, 1), (0.0, 0, 1), held=True)
    place = {}

    def before(now_ns):
        t = now_ns / NS
        place[round(t, 3)] = x = -0.4 + 0.3 * min(max(t - 0.2, 0.0), 1.7)
        if now_ns % 15_000_000 == 0:
            scene.feed_hand('fist', now_ns, np.array([(x, 0.0, 1.0)]), radii=(0.05,))
    seen = fly_beside(scene, [sim], 2.2, 100.0, before=before)
    gap = [seen.x[k, 0, 0] - 0.1 - (place[round(t, 3)] + 0.05) for k, t in enumerate(seen.t) if round(t, 3) in place]
    assert seen.x[seen.after(1.8), 0, 0].max() > 0.15
    # the tracking of a hand lags by some 10 ms of its way besides
    assert min(gap) > -0.02
    assert ('went_through', 'd0') not in scene.counters


# -- those that ignore us

@pytest.mark.parametrize('rate', [200.0, 100.0, 30.0])
def test_one_that_ignores_us_is_reported_once_and_named(rate):
    """One impulse; events ten a second, none with another; it is said that it does not follow, and that it went
    through, once each."""
    seen, over, scene = at_a_wall(rate, obeys=False, seconds=3.5)
    assert over.max() > 0.5
    assert [e.phase for e in seen.counted('d0')] == [Phase.BEGIN]
    assert len(seen.events) < 3.5 * 11
    assert scene.counters == {('unanswered', 'd0'): 1, ('went_through', 'd0'): 1}
    assert scene.last_rejected['unanswered', 'd0'] == 'does not follow its impulses and pushes on into wall'
    assert 'its centre went into wall at 0.7' in scene.last_rejected['went_through', 'd0']


def test_one_that_stops_to_follow_is_reported_a_bounded_number_of_times():
    """Its adapter dies while it leans on the wall: a handful of impulses, each bounded, and it is named."""
    scene = make_scene('d0', walls=[wall_x(1.0)], model=model(0.3), authority='observe')
    sim = Pusher('d0', (2.0, 0.0, 1.0), (0.0, 0.0, 1.0))

    def before(now_ns):
        sim.obeys = now_ns < 3 * NS
    seen = fly_beside(scene, [sim], 6.0, 100.0, before=before)
    later = [e for e in seen.counted('d0') if e.stamp_ns > 3.05 * NS]
    assert len(later) < 20
    assert max(np.linalg.norm(e.impulse) for e in later) < 1.3 * M * (SPEED + 0.25 + 1.5 * G * 0.1)
    assert scene.counters['unanswered', 'd0'] == 1 and scene.counters['went_through', 'd0'] == 1
    assert [e for e in later if e.stamp_ns > 4.5 * NS] == []


def test_one_that_begins_to_follow_is_believed():
    scene = make_scene('d0', walls=[wall_x(1.0)], model=model(0.3), authority='observe')
    sim = Pusher('d0', (2.0, 0.0, 1.0), (0.0, 0.0, 1.0), obeys=False)

    def before(now_ns):
        t = now_ns / NS
        sim.obeys = t > 2.5
        sim.goal[0] = 2.0 if t < 1.9 or t > 3.5 else 0.0     # back out, and again
    seen = fly_beside(scene, [sim], 8.0, 100.0, before=before)
    over = seen.reach(0, SIZE, AHEAD) - 1.0
    assert over[seen.between(1.5, 2.5)].max() > 0.05
    assert over[seen.after(3.5)].max() < 0.01


@pytest.mark.parametrize('thickness', [0.02, 0.5])
@pytest.mark.parametrize('speed', [1.0, 12.0])
def test_going_through_a_wall_is_said_however_thin_and_fast(speed, thickness):
    wall = WallConfig('thin', Box((thickness, 4, 4)), Pose((0.5 * thickness + 1.0, 0, 1)))
    scene = make_scene('d0', walls=[wall], model=model(), authority='observe')
    for k in range(200):
        now = k * 10_000_000
        scene.feed_drone('d0', now, (speed * now * 1e-9, 0, 1), (0, 0, 0, 1), (speed, 0, 0), (0, 0, 0))
        scene.advance(now)
    assert scene.counters['went_through', 'd0'] == 1
    assert scene.last_rejected['went_through', 'd0'] == f'its centre went into thin at {speed:.3g} m/s'


@pytest.mark.parametrize('path', ['along', 'teleport', 'near'])
def test_what_does_not_go_through_is_not_said_to(path):
    """Along the face of a box and round its corner; from one side to the other in one sample; a slight touch."""
    wall = WallConfig('box', Box((1, 1, 1)), Pose((0, 0, 1)))
    scene = make_scene(DroneConfig('d0', model(), Pose(), 'observe'), walls=[wall])
    at = {'along': lambda t: (-0.595 + 0.0 * t, 2.0 * t - 1.0, 1) if t < 0.8 else (-0.595 + 2 * (t - 0.8), 0.6, 1),
          'teleport': lambda t: (-0.6, 0, 1) if t < 0.5 else (2.0, 0, 1),
          'near': lambda t: (-0.7 + 0.12 * np.sin(np.pi * t), 0, 1)}[path]
    for k in range(150):
        scene.feed_drone('d0', k * 10_000_000, at(k * 0.01), (0, 0, 0, 1))
        scene.advance(k * 10_000_000)
    assert not any(cause == 'went_through' for cause, _ in scene.counters)


def test_equal_runs_give_equal_bits():
    runs = [at_a_wall(100.0, 1, 0.5, seconds=2.0) for _ in range(2)]
    assert runs[0][0].events == runs[1][0].events
    assert runs[0][2].state_hash() == runs[1][2].state_hash()
    assert_allclose(runs[0][1], runs[1][1], rtol=0, atol=0)
