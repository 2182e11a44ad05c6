# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Crowds: a step whose work has a bound, and what the bounded method promises."""
import numpy as np
import pytest
from crowd_scenes import as_crowd, ball_of_plates, dominoes, plates
from scene_worlds import MODEL, TICK, UPRIGHT, floor, make_scene
from scenes import momenta

from hakoniwa_rigid.engine import Box, WorldBuilder
from hakoniwa_rigid.engine.constants import (
    BODY_BUDGET,
    BOUNCE_SWEEPS,
    CROWD_SWEEPS,
    IMPACTS_PER_BODY,
    LATE_EVENTS,
    LONE_BUDGET,
    MOST_CREDIT,
    PAIR_BUDGET,
    PAIR_LOOKS,
    SETTLED_CREDIT,
)
from hakoniwa_rigid.engine.detect.hit_reach import HIT_ROUNDS, WIDENED
from hakoniwa_rigid.engine.model import layout as L

LISTS = 2   # lists of candidate pairs in a step: one that turns out too short, and the one made for it
# units: an operation that has begun is finished - a search for an impact, a sweep -, and the rows of a pair are found
# in the near phase, for the crowd, and when an island is brought to an instant
ONE_MORE, LOOKS = 20_000, 1000


def credit(world):
    """Work (units) that the bodies may cost on credit in the next step: all that they have, or had in a crowd."""
    bodies = world._s.body[world._s.body[:, L.B_KIND] == L.DYNAMIC]
    return np.where(bodies[:, L.B_WAIT] > 0, SETTLED_CREDIT, MOST_CREDIT).sum()


def bound(world, credit):
    """Work (units) that a step may take at most: linear in bodies, candidate pairs and pairs of parts."""
    bodies, pairs = int(world._s.count[L.N_CLOSE]), int(world._s.count[L.N_CONTACT_PAIRS])
    exact = (LONE_BUDGET + BODY_BUDGET + ONE_MORE) * bodies + PAIR_BUDGET * pairs
    looks = LISTS * int(world._s.count[L.N_PAIRS]) * HIT_ROUNDS * WIDENED // PAIR_LOOKS
    return looks + exact + credit + pairs * (L.POINTS * (CROWD_SWEEPS + BOUNCE_SWEEPS) + LOOKS)


@pytest.mark.parametrize(('make', 'steps'), [
    (lambda: plates(50), 1100), (lambda: plates(50, e=0.0), 1100), (dominoes, 600)],
    ids=['50 plates', '50 plates that do not bounce', 'dominoes'])
def test_work_of_a_step_is_bounded(make, steps):
    w, before, crowds = make(), 0, 0
    for _ in range(steps):
        most = credit(w)
        w.step()
        now = w.stats()
        assert now.work - before <= bound(w, most), w.time_steps
        before, crowds = now.work, now.crowds
    assert crowds > 0       # it was one


@pytest.mark.parametrize('e', [0.0, 0.5])
def test_a_heap_lies_still_and_not_in_itself(e):
    """Plates fall and lie: depth in every step, speed in the end, all of them within the pen."""
    w, deepest = plates(50, e=e), 0.0
    for k in range(4500):
        w.step()
        if k > 300:
            deepest = max(deepest, w.contacts()['depth'].max(initial=0.0))
    assert np.abs(w.linvel).max() < 0.01
    assert deepest < 2e-3     # m: where they hit at 5 m/s; at rest 0.2 mm
    assert w.contacts()['depth'].max() < 2e-4
    assert np.abs(w.pos[5:, :2]).max() < 1.5
    assert w.pos[5:, 2].min() > 0.07


@pytest.mark.parametrize('heavy', [lambda k: k % 3 == 0, lambda k: k >= 16], ids=['every third', 'the last to fall'])
def test_heavy_plates_do_not_press_light_ones_into_each_other(heavy):
    """1 : 1000 in a heap of 20."""
    w, deepest = plates(20, e=0.3, mass=lambda k: 1000.0 if heavy(k) else 1.0), 0.0
    for _ in range(4000):
        w.step()
        deepest = max(deepest, w.contacts()['depth'].max(initial=0.0))
    assert deepest < 0.01 and w.contacts()['depth'].max() < 1e-3
    assert np.abs(w.linvel).max() < 0.01
    assert np.abs(w.pos[5:, :2]).max() < 1.5 and w.pos[5:, 2].min() > 0.07


@pytest.mark.parametrize('e', [0.0, 0.5, 1.0])
@pytest.mark.parametrize('mu', [0.0, 0.3, 1.0])
def test_momentum_and_energy(e, mu):
    """Without anything static and without loads: linear momentum to rounding, kinetic energy never up.

    Angular momentum is changed by overlap recovery only, which says by how much.
    """
    w = as_crowd(ball_of_plates(e=e, mu=mu))
    p, ell, p_scale, l_scale = momenta(w, w.inertia.copy())
    energy, recovered, checked = w.kinetic_energy(), 0.0, 0
    for _ in range(400):
        w.step()
        now, stats = w.kinetic_energy(), w.stats()
        if stats.recovered == recovered:
            checked += 1
            assert now <= energy * (1 + 1e-12), w.time_steps
        energy, recovered = now, stats.recovered
    q, ell_now, _, _ = momenta(w, w.inertia.copy())
    np.testing.assert_allclose(q, p, rtol=0, atol=1e-12 * p_scale)
    given = np.array(w.stats().recovery_angular_momentum)
    np.testing.assert_allclose(ell_now, ell + given, rtol=0, atol=1e-11 * l_scale)
    assert w.stats().crowds > 10
    assert checked > 50


def test_contact_rows_say_where_a_crowd_was():
    w = plates(50)
    w.step(600)
    rows, crowded = w.contacts(), 0
    for row in rows:
        now = [w._s.body[row[k], L.B_CROWD] > w.time_steps for k in ('body_a', 'body_b')]
        crowded += row['crowd']
        assert row['crowd'] or row['residual'] == 0.0
        assert row['crowd'] <= any(now) and row['residual'] <= w.stats().crowd_residual
    assert crowded > 0 and (rows['residual'] > 0.0).any()


def test_rows_lie_in_the_cone():
    w = plates(50)
    w.step(500)
    seen = 0
    for _ in range(300):
        w.step()
        rows = w.contacts()
        push = np.einsum('ij,ij->i', rows['impulse'], rows['normal'])
        across = rows['impulse'] - push[:, None] * rows['normal']
        assert (push >= 0.0).all()
        assert (push[rows['impact']] > 0.0).all()   # an impact of nothing has no point and no direction
        assert (np.linalg.norm(across, axis=1) <= rows['friction'] * push * (1 + 1e-12) + 1e-15).all()
        seen += len(rows)
    assert seen > 1000
    assert w.stats().crowds > 50


def test_the_same_bits_again_and_from_the_middle():
    def run(world, steps):
        world.step(steps)
        return world.state_hash()
    first = plates(50)
    first.step(600)
    assert first.stats().crowded > 0
    saved = first.save()
    end = run(first, 300)
    assert run(plates(50), 900) == end
    first.restore(saved)
    assert run(first, 300) == end


def test_a_box_in_a_crowd_stops_like_one_alone():
    """A sliding box that is solved as a crowd: v^2 / (2 mu g), first order in the step."""
    b = WorldBuilder(dt=1e-3)
    from hakoniwa_rigid.engine import HalfSpace
    b.add_body(HalfSpace(), kind='static', friction=0.5)
    b.add_body(Box((0.4, 0.4, 0.1)), mass=1.0, pos=(0, 0, 0.05), linvel=(3.0, 0, 0), friction=0.5)
    w = as_crowd(b.build())
    w.step(1500)
    assert abs(w.pos[1, 0] - 9.0 / (2 * 0.5 * 9.80665)) < 5e-3
    assert np.abs(w.linvel[1]).max() < 1e-6
    assert abs(w.pos[1, 2] - 0.05) < 1e-4


def test_bounce_of_a_ball_of_a_crowd():
    """Newton's e at an impact found ahead of its time."""
    from hakoniwa_rigid.engine import HalfSpace, Sphere
    b = WorldBuilder(gravity=(0, 0, 0), dt=1e-3)
    b.add_body(HalfSpace(), kind='static', restitution=0.8, friction=0.0)
    b.add_body(Sphere(0.1), mass=1.0, pos=(0, 0, 0.5), linvel=(0.5, 0, -3.0), restitution=0.8, friction=0.0)
    w = as_crowd(b.build())
    w.step(300)
    np.testing.assert_allclose(w.linvel[1], (0.5, 0.0, 2.4), atol=1e-12)


def test_others_do_not_notice_a_crowd():
    """A drone far from a heap, bouncing on the same floor, has the bits of a run without the heap."""
    def lone(world, i):
        path = []
        for _ in range(800):
            world.step()
            path.append(world.motions([i]).tobytes())
        return path
    from crowd_scenes import INERTIA, MASS, PLATE, pen

    def make(n):
        rng, b = np.random.default_rng(3), pen(60.0)
        b.add_body(PLATE, mass=MASS, inertia=INERTIA, pos=(20.0, 0.0, 0.6), quat=(0.9, 0.3, 0.2, 0.2435159133),
                   restitution=0.5, friction=0.3)
        for k in range(n):
            b.add_body(PLATE, mass=MASS, inertia=INERTIA, pos=(0.3 * rng.normal(), 0.3 * rng.normal(), 0.5 + 0.3 * k),
                       restitution=0.5, friction=0.3)
        return b.build()
    heap = make(12)
    assert lone(heap, 5) == lone(make(0), 5)
    assert heap.stats().crowds > 0


def test_a_swarm_that_lands_on_one_spot():
    """20 drones in `correct` whose plans sink to one place: every tick's work has the bound of its steps."""
    names = [f'd{k:02d}' for k in range(20)]
    scene = make_scene(*names, walls=(floor(0.5, 0.3),), gravity=(0, 0, -9.80665), model=MODEL)
    rng = np.random.default_rng(1)
    start = np.column_stack([rng.uniform(-1, 1, (20, 2)), 0.5 + 0.15 * np.arange(20)])
    before, worst = 0, 0
    for k in range(400):
        share = min(k / 300, 1.0)
        for i, name in enumerate(names):
            goal = np.array([0.0, 0.0, 0.025])
            velocity = (goal - start[i]) / 1.5 if share < 1.0 else np.zeros(3)
            scene.feed_drone(name, k * TICK, tuple(start[i] + (goal - start[i]) * share), UPRIGHT, tuple(velocity),
                             (0.0, 0.0, 0.0))
        scene.advance((k + 1) * TICK)
        now = scene.world.stats().work
        worst, before = max(worst, now - before), now
    assert worst < 20 * 5 * (LONE_BUDGET + BODY_BUDGET + ONE_MORE)
    assert scene.world.stats().crowds > 0


def test_events_of_a_step_are_bounded():
    """Two plates lay in each other where the nearest face was one or the other: 608 events in a step, four impacts."""
    w, before = plates(20, seed=8, e=0.0, side=3.0), 0
    for _ in range(1500):
        w.step()
        now = w.stats().impact_events
        assert now - before <= (LATE_EVENTS + IMPACTS_PER_BODY) * max(int(w._s.count[L.N_CONTACT_PAIRS]), 1)
        assert now - before < 300
        before = now
