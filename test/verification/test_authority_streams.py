# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a user sees of sources that are slow, uneven, lossy, jump, stop, restart or send rubbish.  m, s."""
from functools import lru_cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scene_worlds import MODEL, MS, make_config, make_scene, wall_x
from sources import NS, UPRIGHT, ZERO, Link, Source, circle, hover, out_and_back, watch

from hakoniwa_rigid.engine import Box
from hakoniwa_rigid.scene import CollisionScene, Verdict
from hakoniwa_rigid.scene.records import IN_CONTACT, REJECTED, STALE
from hakoniwa_rigid.scene.world_files.world_types import DroneModel, MaterialConfig, Pose, WallConfig

SOFT = DroneModel('soft', MODEL.mass, MODEL.inertia, MODEL.shape, material=MaterialConfig('soft', 0.0, 0.0))
RATES = (50.0, 100.0, 200.0)
ROUGH = dict(rate=30.0, jitter=8e-3, loss=0.05)
SEEDS = (1, 2, 3)


# -- 30 Hz, jitter, loss

@pytest.mark.parametrize(('rate', 'seed'), list(zip(RATES, SEEDS, strict=True)))
@pytest.mark.parametrize('velocity', [True, False], ids=['twist', 'poses only'])
@pytest.mark.parametrize('extra', [{}, {'stamp_error': 8e-3}, {'delay': 0.02, 'delay_jitter': 0.02, 'twice': 0.1}],
                         ids=['uneven', 'wrong stamps', 'late, out of order, twice'])
def test_rough_stream_in_free_flight(rate, seed, velocity, extra):
    """1.5 m/s round a circle of 2 m, 5 cm inside a wall: within 5 cm of the truth, no touch.  Two lost samples in a row
    are 0.1 s of extrapolation at 1.1 m/s^2; a stamp 8 ms off is 12 mm at 1.5 m/s, and 0.7 m/s between two poses."""
    extra = {'stamp_error': 4e-3} if extra.get('stamp_error') and not velocity else extra
    scene = make_scene('d0', walls=[wall_x(2.15)], model=SOFT)
    seen = watch(scene, [Source('d0', circle(2.0, 1.5, begin=2.0))], 4.0, rate,
                 Link(velocity=velocity, seed=seed, **ROUGH, **extra))
    free = seen.after(0.2)
    assert np.linalg.norm(seen.x[free, 0] - seen.own_x[free, 0], axis=1).max() < 0.05
    assert seen.events == []
    assert set(scene.counters) <= {('stamp_backwards', 'd0'), ('stamp_repeated', 'd0')}


@pytest.mark.parametrize(('rate', 'seed'), list(zip(RATES, SEEDS, strict=True)))
@pytest.mark.parametrize('velocity', [True, False], ids=['twist', 'poses only'])
def test_rough_stream_into_a_wall_is_one_contact(rate, seed, velocity):
    """1 m/s into a wall, 0.4 m too far, back out: found once, at the time that the path says to 0.1 s, no fling."""
    scene = make_scene('d0', walls=[wall_x(0.7)], model=SOFT)
    seen = watch(scene, [Source('d0', out_and_back((0, 0, 1), (1, 0, 0), 3.0))], 6.0, rate,
                 Link(velocity=velocity, seed=seed, **ROUGH))
    (begin,) = seen.begins()
    reached = seen.t[np.argmax(seen.own_x[:, 0, 0] >= 0.6)]
    assert begin.stamp_ns * 1e-9 == pytest.approx(reached, abs=0.1)
    assert seen.x[:, 0, 0].max() < 0.6 + 1e-3
    assert np.abs(seen.v).max() < np.pi / 3 + 0.4 / (np.e * 0.3) + 0.2
    assert_allclose(seen.x[seen.after(5.8), 0], seen.own_x[seen.after(5.8), 0], atol=2e-3)


# -- teleports

def places(*steps):
    """At rest at place after place, each from a time on: (s, place), ..."""
    return lambda t: (np.array([place for at, place in steps if at <= t][-1], float), np.zeros(3))


@pytest.mark.parametrize(('rate', 'velocity'), [(50.0, True), (200.0, False)])
def test_teleport_through_a_wall_is_no_motion(rate, velocity):
    """5 m to the other side of a wall in one sample: there at once, at rest, nothing touched."""
    wall = WallConfig('thin', Box((0.1, 4, 4)), Pose((2.5, 0, 1)))
    scene = make_scene('d0', walls=[wall])
    path = places((0.0, (0, 0, 1)), (0.5, (5, 0, 1)))
    seen = watch(scene, [Source('d0', path)], 1.0, rate, Link(rate, velocity=velocity))
    assert seen.events == [] and np.abs(seen.v).max() == 0.0
    assert set(np.unique(seen.x[seen.after(0.55), 0, 0])) == {5.0}
    assert scene.counters == {('teleport', 'd0'): 1}


@pytest.mark.parametrize('mode', ['correct', 'observe', 'simulate'])
@pytest.mark.parametrize(('rate', 'offset'), [(50.0, (0, 0, 0)), (100.0, (0.05, 0.02, 0.01)), (200.0, (0, 0, 0.03))])
def test_teleport_onto_another_drone_pushes_gently(rate, mode, offset):
    """One drone appears inside another that hovers: both are pushed apart at less than 1 m/s, or stay where their sims
    say; when the plan of one leaves, both are on their plans."""
    scene = make_scene('d0', 'd1', model=SOFT)
    scene.set_authority('d1', mode)
    there = np.array([0, 0, 1]) + offset
    path = places((0.0, (5, 0, 1)), (0.5, there), (1.5, there + (0, 0, 3)))

    def hold(now_ns):
        if mode == 'simulate':
            scene.feed_wrench('d1', now_ns, (0, 0, SOFT.mass * 9.80665), ZERO)
    seen = watch(scene, [Source('d0', path), Source('d1', hover(0, 0, 1))], 4.0, rate, Link(rate), before_tick=hold)
    assert np.abs(seen.v).max() < 1.0
    assert np.isfinite(seen.x).all()
    assert_allclose(seen.x[-1, 0], there + (0, 0, 3), atol=5e-3)
    if mode != 'simulate':
        assert_allclose(seen.x[-1, 1], (0, 0, 1), atol=5e-3)


@pytest.mark.parametrize('rate', RATES[::2])
def test_teleport_while_off_the_reference_takes_no_offset_along(rate):
    """Pressed on a wall 0.4 m before its plan, the source jumps by 5 m: it is there, at rest, not deflected."""
    scene = make_scene('d0', walls=[wall_x(0.1)], model=SOFT)
    path = places((0.0, (0, 0, 1)), (0.1, (0.4, 0, 1)), (1.0, (-5, 0, 1)))
    seen = watch(scene, [Source('d0', path)], 2.0, rate, Link(rate))
    assert seen.flags[seen.between(0.8, 0.98), 0].all()
    after = seen.after(1.03)
    assert_array_equal(seen.x[after, 0], np.tile((-5.0, 0, 1), (len(seen.t[after]), 1)))
    assert np.abs(seen.v[after]).max() == 0.0 and set(np.unique(seen.flags[after, 0])) <= {0, IN_CONTACT}


@pytest.mark.parametrize('rate', RATES[::2])
def test_teleport_into_contact_while_off_the_reference_is_calm(rate):
    """From one wall into another: the drone comes out of the second gently and rests on it."""
    scene = make_scene('d0', walls=[wall_x(0.1), WallConfig('left', Box((1, 4, 4)), Pose((-5.5, 0, 1)))], model=SOFT)
    path = places((0.0, (0, 0, 1)), (0.1, (0.4, 0, 1)), (1.0, (-5.05, 0, 1)))
    seen = watch(scene, [Source('d0', path)], 3.0, rate, Link(rate))
    assert np.abs(seen.v[seen.after(1.03)]).max() < 0.5
    assert_allclose(seen.x[-1, 0], (-4.9, 0, 1), atol=2e-3)
    assert np.abs(seen.v[seen.after(2.5)]).max() < 0.01


# -- stops

def feed_and_watch(scene, samples, ticks):
    """samples: {t_ns: [(name, stamp, x, v)]}; returns the states of every tick."""
    seen = []
    for now in ticks:
        for name, stamp, x, v in samples(now):
            scene.feed_drone(name, stamp, x, UPRIGHT, v, ZERO)
        seen.append((now / NS, scene.advance(now)))
    return seen


@pytest.mark.parametrize(('rate', 'back'), [(200.0, 'same place'), (100.0, 'elsewhere'), (50.0, 'clock 0.4 s behind'),
                                            (100.0, 'clock at 0')])
def test_source_that_stops_and_comes_back(rate, back):
    """Frozen and flagged after 0.5 s, gone from contact after 1 s, normal again within 1 s of data, another drone
    unharmed: the same bits as without it."""
    tick_ns = round(NS / rate)

    def samples(now, alone):
        t = now / NS
        out = [('d1', now, np.array([0, 50 + 0.5 * np.sin(t), 1]), np.array([0, 0.5 * np.cos(t), 0]))]
        if alone:
            return out
        if t < 1:
            out.append(('d0', now, np.array([0.2 * t, 0, 1]), np.array([0.2, 0, 0])))
        elif t >= 2.5:
            stamp = {'clock at 0': now - round(2.5 * NS), 'clock 0.4 s behind': now - 400 * MS}.get(back, now)
            x0 = np.array((7, 0, 1) if back == 'elsewhere' else (1, 0, 1), float)
            out.append(('d0', stamp, x0 + (0.2 * (t - 2.5), 0, 0), np.array([0.2, 0, 0])))
        return out
    runs = []
    for alone in (False, True):
        scene = make_scene('d0', 'd1')
        seen = feed_and_watch(scene, lambda now: samples(now, alone), range(tick_ns, round(3.8 * NS), tick_ns))  # noqa: B023
        runs.append((seen, scene))
    (seen, scene), (lonely, _) = runs
    for (t, tick), (_, other) in zip(seen, lonely, strict=True):
        assert_array_equal(tick.states.positions[1], other.states.positions[1])
        assert_array_equal(tick.states.linear_velocities[1], other.states.linear_velocities[1])
        s = tick.states
        if 1.3 < t < 2.5:
            assert np.abs(s.linear_velocities[0]).max() == 0
        if t < 1.4 or 1.6 < t < 2.5:
            assert bool(s.flags[0] & STALE) == (t > 1.5)
        if back == 'clock at 0' and t > 2.5:
            # no stamp of the scene's clock: refused, flagged, counted; the node's `stamp: synced` is for such a source
            assert s.flags[0] == STALE | REJECTED and scene.counters['stale', 'd0'] > 0
        elif t > 3.5:
            x0 = 7 if back == 'elsewhere' else 1
            assert s.flags[0] & STALE == 0, (t, scene.counters)
            late = 0.04 if back == 'clock 0.4 s behind' else 0.0     # as if 0.4 s old: extrapolated by 0.2 s, at rest
            assert_allclose(s.positions[0], (x0 + 0.2 * (t - 2.5) + late, 0, 1), atol=1e-6)
            assert_allclose(s.linear_velocities[0], (0.0 if late else 0.2, 0, 0), atol=1e-6)


# -- one bad drone

BAD = {
    'NaN': lambda now, rng: [(now, (np.nan, 0, 1), UPRIGHT, ZERO)],
    'flood': lambda now, rng: [(now - int(rng.integers(50)) * MS, rng.normal(size=3), UPRIGHT, 10 * rng.normal(size=3))
                               for _ in range(10)],
    'teleports': lambda now, rng: [(now, 10 * rng.normal(size=3), UPRIGHT, ZERO)],
    'spins': lambda now, rng: [(now, (0, 0, 1), (lambda q: q / np.linalg.norm(q))(rng.normal(size=4)), ZERO)],
    'absurd': lambda now, rng: [(now, (1e300, 0, 0), (0, 0, 0, 0), (1e300, 0, 0)), (-now, ZERO, UPRIGHT, ZERO)],
    'fast': lambda now, rng: [(now, (0, 0, 1), UPRIGHT, 1e3 * rng.normal(size=3))],
}


@lru_cache
def clean_run(mode):
    return fleet_run(lambda now, rng: [], mode)[0]


def fleet_run(bad, mode):
    """Two good drones that meet and touch a wall, 100 m from a bad one; the good ones' bits."""
    config = make_config('good0', 'good1', 'bad', walls=[wall_x(100.7)])
    scene = CollisionScene.from_config(config)
    scene.set_authority('bad', mode)
    rng, bits = np.random.default_rng(0), []
    scene.advance(0)
    for k in range(1, 161):
        now = 10 * MS * k
        a = 0.5 * (1 - np.cos(2 * np.pi * now / (1.5 * NS)))
        scene.feed_drone('good0', now, (100 + a, 0, 1), UPRIGHT)
        scene.feed_drone('good1', now, (99.5 + 0.4 * a, 0.02, 1), UPRIGHT)
        for sample in bad(now, rng):
            assert isinstance(scene.feed_drone('bad', *sample), Verdict)
        s = scene.advance(now).states
        bits.append(b''.join(a[:2].tobytes() for a in (s.positions, s.orientations_xyzw, s.linear_velocities,
                                                        s.angular_velocities, s.flags)))
        assert all(np.isfinite(a).all() for a in (s.positions, s.orientations_xyzw, s.linear_velocities))
    return bits, scene, s.flags[2]


@pytest.mark.parametrize('mode', ['observe', 'correct', 'simulate'])
@pytest.mark.parametrize('case', BAD)
def test_one_bad_drone_changes_no_bit_of_the_others(case, mode):
    bits, scene, flags = fleet_run(BAD[case], mode)
    assert bits == clean_run(mode)
    assert any(name == 'bad' for _, name in scene.counters) or case in ('spins', 'fast')
    if case in ('NaN', 'absurd'):
        assert flags & REJECTED
