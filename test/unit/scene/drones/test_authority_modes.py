# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a user sees of a slight touch in each mode, of `observe` with sims that obey and that do not, and of switching
modes at run time.  SI."""
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from oracles.rotations import matrix
from scene_worlds import MODEL, MS, TICK, UPRIGHT, ZERO, make_scene, wall_x
from sources import NS, Link, Obeyer, Source, hover, line, out_and_back, watch

from hakoniwa_rigid.engine import Box, Sphere
from hakoniwa_rigid.rotations import from_rpy
from hakoniwa_rigid.scene import Phase
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig, DroneModel, MaterialConfig, Pose, WallConfig

M, G, TAU = MODEL.mass, 9.80665, 0.3
SOFT = DroneModel('soft', M, MODEL.inertia, MODEL.shape, material=MaterialConfig('soft', 0.0, 0.0))
BALL = DroneModel('ball', 0.5, (0.002, 0.002, 0.002), Sphere(0.1), material=MaterialConfig('ball', 0.5, 0.0))
HEAVY = DroneModel('heavy', 1.5, (0.006, 0.006, 0.006), Sphere(0.1), material=MaterialConfig('ball', 0.5, 0.0))
MODES = ('observe', 'correct', 'simulate')
WEIGHTLESS = {'gravity': (0.0, 0.0, 0.0)}


# -- a slight touch

def tilted(roll, pitch):
    w, x, y, z = from_rpy((roll, pitch, 0.0))
    return (x, y, z, w)


def reach(xyzw):
    """m, how far the hull, 0.2 x 0.2 x 0.05, reaches along x."""
    return np.abs(matrix((xyzw[3], *xyzw[:3]))[0]) @ (0.1, 0.1, 0.025)


@pytest.mark.parametrize('mode', MODES)
@pytest.mark.parametrize('attitude', [UPRIGHT, tilted(0.1, 0.2), tilted(0.0, -0.4)], ids=['face', 'corner', 'edge'])
@pytest.mark.parametrize(('speed', 'friction'), [(0.02, 0.5), (0.2, 0.0), (0.2, 0.5)])
def test_slight_touch_of_a_wall(mode, attitude, speed, friction):
    """Brushing along a wall at 2 m/s, into it at `speed`: in no tick does the velocity change by more than the impulse
    of the tick over m (and the pull, g dt), and the impulses are those of a body that comes at `speed`."""
    scene = make_scene('d0', walls=[wall_x(0.5, friction=friction)], authority=mode, **WEIGHTLESS)
    path = line((0.5 - reach(attitude) - 0.3 * speed, 0, 1), (speed, 2.0, 0))
    speeds, impulses, previous = [], [], None
    for now in range(TICK, 1000 * MS, TICK):
        x, v = path(now * 1e-9)
        if mode != 'simulate' or previous is None:
            scene.feed_drone('d0', now, x, attitude, v, ZERO)
        tick = scene.advance(now)
        s, impulse = tick.states, np.zeros(3)
        for e in tick.events:
            if e.phase is not Phase.END:
                impulse += e.impulse
        if previous is not None:
            change = s.linear_velocities[0] - previous
            if mode == 'observe':
                change = s.linear_velocities[0] - v      # the sample is without it
            reported = impulse / M
            speeds.append(np.linalg.norm(change + reported if tick.events else 0 * change))
        impulses.append(np.linalg.norm(impulse))
        previous = s.linear_velocities[0].copy()
    assert max(impulses) > 0
    assert max(impulses) <= 1.5 * speed * M * np.hypot(1, friction) + (0.1 * M * G if mode == 'correct' else 1e-9)
    # PERSIST sums up to 0.1 s of pull
    assert max(speeds) <= (0.1 * G if mode == 'correct' else 1e-6) + 1e-9


@pytest.mark.parametrize('modes', list(product(MODES, MODES)), ids='-'.join)
@pytest.mark.parametrize('offset', [0.0, 0.15])
def test_slight_touch_of_two_drones(modes, offset):
    """One drifts against another at 0.1 m/s, head-on or off centre: no drone is ever faster than that, and what the
    event says of each is its impulse over its mass; a sim that owns its drone gets a report and is not moved."""
    scene = make_scene('d0', 'd1', **WEIGHTLESS)
    for name, mode in zip(('d0', 'd1'), modes, strict=True):
        scene.set_authority(name, mode)
    path = line((0, 0, 1), (0.1, 0, 0))
    seen = watch(scene, [Source('d0', path), Source('d1', hover(0.25, offset, 1))], 1.5, 100.0)
    assert np.abs(seen.v).max() <= 0.1 * 1.5 + 1e-6
    (begin, *_) = seen.begins()
    assert_allclose(begin.delta_v_a, -np.array(begin.impulse) / M, rtol=1e-9, atol=1e-12)
    assert_allclose(begin.delta_v_b, np.array(begin.impulse) / M, rtol=1e-9, atol=1e-12)
    assert np.linalg.norm(begin.impulse) <= 1.5 * 0.1 * M / 2 + 1e-9


# -- observe

def engine_alone(models, starts, speeds, seconds):
    """The same two bodies, owned by the engine."""
    scene = make_scene(*(DroneConfig(f'd{k}', m, Pose(tuple(x)), 'simulate') for k, (m, x) in
                         enumerate(zip(models, starts, strict=True))), **WEIGHTLESS)
    for k, (x, v) in enumerate(zip(starts, speeds, strict=True)):
        scene.feed_drone(f'd{k}', 0, x, UPRIGHT, v, ZERO)
    return [scene.advance(now) for now in range(TICK, round(seconds * NS), TICK)]


@pytest.mark.parametrize('rate', [50.0, 200.0])
@pytest.mark.parametrize('offset', [0.0, 0.08])
def test_sims_that_apply_the_impulse_move_as_the_engine_alone(rate, offset):
    """0.5 kg at 2 m/s on 1.5 kg at rest: equal velocities after; places differ by the sample that the sims are late."""
    starts, speeds = ((0, 0, 1), (0.6, offset, 1)), ((2.0, 0, 0), ZERO)
    drones = [DroneConfig(f'd{k}', m, Pose(), 'observe') for k, m in enumerate((BALL, HEAVY))]
    scene = make_scene(*drones, **WEIGHTLESS)
    sims = [Obeyer(f'd{k}', line(x, v)) for k, (x, v) in enumerate(zip(starts, speeds, strict=True))]
    seen = watch(scene, sims, 1.0, rate, Link(rate))
    alone = engine_alone((BALL, HEAVY), starts, speeds, 1.0)[-1].states
    assert_allclose([s.state[1] for s in sims], alone.linear_velocities, rtol=0, atol=1e-6)
    assert_allclose([s.state[0] for s in sims], alone.positions, atol=2.5 * 2 / rate)
    counted = [e for e in seen.events if e.phase is not Phase.END and any(e.impulse)]
    assert [e.phase for e in counted] == [Phase.BEGIN]
    # the two-body formula, by the fields of the event
    begin, n = counted[0], np.array(counted[0].normal)
    closing = -np.dot(begin.relative_velocity_before, n)
    formula = (1 + begin.restitution) * closing / (1 / BALL.mass + 1 / HEAVY.mass)
    assert_allclose(begin.impulse, formula * n, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize('rate', [50.0, 100.0, 200.0])
@pytest.mark.parametrize('other', ['wall', 'drone'])
def test_sim_that_ignores_us_approaches_for_ever(rate, other):
    """Pushing on at 0.5 m/s into a wall or a drone of its kind: one impulse, (1 + e) m v of the bodies, ten events a
    second, never a growing impulse."""
    walls = [wall_x(0.3)] if other == 'wall' else []
    scene = make_scene('d0', 'd1', walls=walls, authority='observe', **WEIGHTLESS)
    still = hover(0.3, 0, 1) if other == 'drone' else hover(-5, 0, 1)
    seen = watch(scene, [Source('d0', line((0, 0, 1), (0.5, 0, 0))), Source('d1', still)], 1.0, rate, Link(rate))
    counted = [e for e in seen.events if e.phase is not Phase.END and any(e.impulse)]
    assert [e.phase for e in counted] == [Phase.BEGIN]
    reduced = M if other == 'wall' else M / 2
    assert np.linalg.norm(counted[0].impulse) == pytest.approx(1.5 * 0.5 * reduced, rel=1e-6)
    assert len(seen.events) <= 12
    for k in (0, 1):
        assert_allclose(seen.x[:, k], seen.own_x[:, k], atol=1e-9)


def test_observed_sim_at_30_hz_gets_one_impulse_per_touch():
    """30 Hz with jitter: between samples the same approach is met again and again; reported once."""
    scene = make_scene('d0', walls=[wall_x(0.7)], authority='observe', **WEIGHTLESS)
    seen = watch(scene, [Source('d0', out_and_back((0, 0, 1), (1, 0, 0), 3.0))], 4.0, 200.0,
                 Link(30.0, jitter=8e-3, loss=0.05, velocity=False))
    counted = [e for e in seen.events if e.phase is not Phase.END and any(e.impulse)]
    assert len(counted) == 1 and len(seen.events) < 25
    assert np.linalg.norm(counted[0].impulse) <= 1.5 * M * np.pi / 3 * 1.1


# -- switching at run time

SITUATIONS = ('flight', 'contact', 'deflected', 'stale')
PAIRS = [pair for pair in product(MODES, MODES) if pair[0] != pair[1]]
BOX = WallConfig('box', Box((0.6, 0.6, 0.2)), Pose((0, 0, 0.4)), MaterialConfig('wood', 0.0, 0.5))


def plan_of(situation):
    """flight, stale: straight on; contact: presses 5 cm into a box at 1 s; deflected: just back from it."""
    if situation in ('flight', 'stale'):
        return line((0, 0, 1.5), (0.3, 0, 0))
    if situation == 'contact':
        return out_and_back((0, 0, 0.6), (0, 0, -0.125), 2.0)
    return out_and_back((0, 0, 0.6), (0, 0, -0.3), 0.99)


class Pausing(Link):
    """Nothing arrives from 0.4 s to 1.4 s: stale at the switch, and out of contact at 1.4 s."""

    def departures(self, start_ns, end_ns):
        return [d for d in super().departures(start_ns, end_ns) if not 4e8 < d[0] < 1.4e9]


@pytest.mark.parametrize('situation', SITUATIONS)
@pytest.mark.parametrize('pair', PAIRS, ids='-'.join)
def test_switch_at_run_time(pair, situation):
    """At 1 s from one mode to the other: the pose shown moves in that tick no farther than the plan lies from it and
    the drone's speed takes it, the velocity shown is bounded by what was there before, another drone's bits stay."""
    scene = make_scene('d0', 'd1', walls=[BOX], model=SOFT)
    scene.set_authority('d0', pair[0])

    def before(now_ns):
        scene.feed_wrench('d0', now_ns, (0, 0, M * G), ZERO)
        if now_ns == 1 * NS:
            scene.set_authority('d0', pair[1])
    link = Pausing(100.0) if situation == 'stale' else Link(100.0)
    seen = watch(scene, [Source('d0', plan_of(situation)), Source('d1', hover(5, 5, 1))], 2.2, 100.0, link,
                 before_tick=before)
    assert_array_equal(seen.x[:, 1], np.tile((5.0, 5, 1), (len(seen.t), 1)))
    k = int(np.searchsorted(seen.t, 1.0 - 1e-9))
    step = np.linalg.norm(seen.x[k, 0] - seen.x[k - 1, 0])
    speed = max(np.abs(seen.v[k - 1:k + 1, 0]).max(), np.abs(seen.own_v[k - 1:k + 1, 0]).max())
    # to `observe` the sim is the truth at once; otherwise the body goes on from where it is
    off = np.linalg.norm(seen.x[k - 1, 0] - seen.own_x[k - 1, 0]) if pair[1] == 'observe' else 0.0
    # an observed drone may be inside a wall; the engine then takes it out at up to 2 m/s, without giving it a velocity
    out = 2.01 / 100 if pair[0] == 'observe' and situation == 'contact' else 0.0
    assert step <= off + out + 2 * speed / 100 + 0.5 * G / 100**2 * 3 + 1e-6, (step, off, speed)
    # no fling: a return of at most `depth` within tau, the plan's own speed, a fall over 1.5 s where nothing carries
    assert np.abs(seen.v[:, 0]).max() < 2.0
    assert np.isfinite(seen.x).all()
    if pair[1] != 'simulate' and situation != 'stale':
        assert_allclose(seen.x[-1, 0], seen.own_x[-1, 0], atol=0.05)


@pytest.mark.parametrize('pair', PAIRS, ids='-'.join)
def test_switch_in_a_drone_contact_keeps_the_momentum_of_the_other(pair):
    """d0 presses on the engine's own d1, and changes its mode: d1 feels no more than the pressing, a slow push."""
    scene = make_scene('d0', 'd1', model=SOFT, **WEIGHTLESS)
    scene.set_authority('d0', pair[0])
    scene.set_authority('d1', 'simulate')

    def before(now_ns):
        if now_ns == 1 * NS:
            scene.set_authority('d0', pair[1])
        scene.feed_wrench('d1', now_ns, ZERO, ZERO)
        if now_ns <= 1 * NS:
            scene.feed_wrench('d0', now_ns, ZERO, ZERO)
    seen = watch(scene, [Source('d0', line((0, 0, 1), (0.2, 0, 0))), Source('d1', hover(0.25, 0, 1))], 2.0, 100.0,
                 before_tick=before)
    assert seen.begins()
    # a plan at 0.2 m/s that catches up with 0.1 m within tau; a sim that is suddenly inside d1 pushes it out anywhere
    assert seen.v[:, 1, 0].max() <= 0.2 + 0.1 / (np.e * TAU)
    assert np.abs(seen.v[:, 1, 1:]).max() < (0.05 if pair == ('simulate', 'observe') else 1e-6)


@pytest.mark.parametrize('source', ['wrench', 'motors'])
def test_simulated_drone_takes_poses_as_reset_only(source):
    """Poses 1 m aside all the time move nothing; one 3 m away is a reset; thrust carries it in between."""
    from hakoniwa_rigid.scene.world_files.world_types import RotorConfig
    ct = 1e-5
    rotors = tuple(RotorConfig((x, y, 0), ct, 0.0, 'ccw') for x in (-0.1, 0.1) for y in (-0.1, 0.1))
    model = DroneModel('quad', M, MODEL.inertia, MODEL.shape, rotors=rotors)
    scene = make_scene(DroneConfig('d0', model, Pose((0, 0, 1)), 'simulate'))
    hovering = np.sqrt(M * G / (4 * ct))
    scene.feed_drone('d0', 0, (0, 0, 1), UPRIGHT, ZERO, ZERO)
    for now in range(TICK, 1000 * MS, TICK):
        if source == 'wrench':
            scene.feed_wrench('d0', now, (0, 0, M * G), ZERO)
        else:
            scene.feed_motor_speeds('d0', now, [hovering] * 4)
        scene.feed_drone('d0', now, (0.0 if now == TICK else 1.0 if now < 500 * MS else 5.0, 0, 1), UPRIGHT, ZERO, ZERO)
        s = scene.advance(now).states
        if now == 495 * MS:
            assert_allclose(s.positions[0], (0, 0, 1), atol=2e-4)
    assert_allclose(s.positions[0], (5, 0, 1), atol=2e-4)
