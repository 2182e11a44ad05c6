# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Random worlds and inputs: equal runs give equal bits, junk never breaks a scene, momentum of drone pairs is kept."""
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scene_worlds import MS, TICK, floor, make_scene, wall_x

from hakoniwa_rigid.scene import Phase

ANYTHING = st.floats(allow_nan=True, allow_infinity=True, width=64)
AUTHORITIES = ('observe', 'correct', 'simulate')


def wild_run(seed, ticks=80):
    """Four drones and a hand moved at random, all authorities; returns state hashes and events."""
    rng = np.random.default_rng(seed)
    scene = make_scene(*(f'd{k}' for k in range(4)), hands=['right'], walls=[floor(), wall_x(1.0)])
    x, v = rng.uniform(-0.5, 0.5, (4, 3)) + (0, 0, 0.6), rng.normal(size=(4, 3))
    trace, events = [], []
    for k in range(ticks):
        now = k * TICK
        v += 0.3 * rng.normal(size=(4, 3))
        x += v * 0.005
        q = np.append(0.2 * rng.normal(size=(4, 3)), np.ones((4, 1)), axis=1)
        q /= np.linalg.norm(q, axis=1)[:, None]
        for i in range(4):
            if rng.random() < 0.8:
                scene.feed_drone(f'd{i}', now - int(rng.integers(20)) * MS, x[i], q[i], v[i])
            if rng.random() < 0.02:
                scene.set_authority(f'd{i}', AUTHORITIES[rng.integers(3)])
            scene.feed_wrench(f'd{i}', now, rng.normal(size=3) + (0, 0, 7), 0.01 * rng.normal(size=3))
        scene.feed_hand('right', now, rng.normal(size=(21, 3)) * 0.02 + (0.3 * np.sin(k / 10), 0, 0.6))
        tick = scene.advance(now + TICK)
        assert np.isfinite(tick.states.positions).all() and np.isfinite(tick.states.linear_velocities).all()
        trace.append(scene.state_hash())
        events += tick.events
    return trace, events, dict(scene.counters)


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_equal_runs_give_equal_bits(seed):
    assert wild_run(seed) == wild_run(seed)


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_every_contact_begins_once_ends_at_most_once_and_keeps_its_names(seed):
    _, events, _ = wild_run(seed)
    by_id = {}
    for e in events:
        by_id.setdefault(e.id, []).append(e)
    for id_, story in by_id.items():
        phases = [e.phase for e in story]
        assert phases[0] is Phase.BEGIN and phases.count(Phase.BEGIN) == 1, id_
        assert phases.count(Phase.END) <= 1 and Phase.END not in phases[:-1]
        assert len({(e.body_a, e.body_b, e.part_a, e.part_b, e.kind) for e in story}) == 1
        assert story[0].body_a < story[0].body_b
        stamps = [e.stamp_ns for e in story]
        assert stamps == sorted(stamps)
    assert sorted(by_id) == list(range(1, len(by_id) + 1))
    for e in events:
        assert abs(np.linalg.norm(e.normal) - 1.0) < 1e-12
        assert e.depth >= 0.0 and e.peak_force >= 0.0 and e.duration >= 1e-3


@settings(max_examples=100, deadline=None)
@given(st.integers(-10**12, 10**12), st.lists(ANYTHING, min_size=13, max_size=13))
def test_junk_never_raises_and_never_leaks(stamp, numbers):
    scene = _junk_scene()
    scene.feed_drone('d0', stamp, numbers[:3], numbers[3:7], numbers[7:10], numbers[10:])
    scene.feed_wrench('d1', stamp, numbers[:3], numbers[3:6])
    scene.feed_hand('right', stamp, [numbers[:3]], radii=numbers[3:4])
    now = scene.now_ns + TICK
    scene.feed_drone('d2', now, (0, 0, 50), (0, 0, 0, 1), (0, 0, 0), (0, 0, 0))
    states = scene.advance(now).states
    assert np.isfinite(states.positions).all() and np.isfinite(states.linear_velocities).all()
    assert (states.positions[2] == (0, 0, 50)).all() and states.flags[2] == 0


_SCENE = []


def _junk_scene():
    """One scene for all examples: junk of one must not break the next."""
    if not _SCENE:
        _SCENE.append(make_scene('d0', 'd1', 'd2', hands=['right']))
        _SCENE[0].set_authority('d1', 'simulate')
    return _SCENE[0]


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_drone_pairs_keep_momentum(seed):
    """Two `correct` drones meet at random: total linear momentum after the tick of the hit equals that before to 1e-12
    of sum m|v|."""
    rng = np.random.default_rng(seed)
    scene = make_scene('d0', 'd1', gravity=(0.0, 0.0, 0.0))
    v = np.array([(2.0, 0, 0), (-2.0, 0, 0)]) + 0.5 * rng.normal(size=(2, 3))
    meet = np.array([(-0.1, 0, 0), (0.1, 0, 0)]) + np.array([[0, 0, 0], [0, *rng.uniform(-0.04, 0.04, 2)]])
    for now in range(0, 300 * MS, TICK):
        for i in range(2):
            scene.feed_drone(f'd{i}', now, meet[i] + v[i] * (now - 200 * MS) * 1e-9, (0, 0, 0, 1), v[i], (0, 0, 0))
        tick = scene.advance(now + TICK)
        begin = [e for e in tick.events if e.phase is Phase.BEGIN]
        if begin:
            total = tick.states.linear_velocities.sum(axis=0)
            assert_allclose(total, v.sum(axis=0), rtol=0, atol=1e-12 * np.linalg.norm(v, axis=1).sum())
            assert_allclose(np.add(begin[0].delta_v_a, begin[0].delta_v_b), 0.0, atol=1e-13)
            return
    raise AssertionError('the drones never met')
