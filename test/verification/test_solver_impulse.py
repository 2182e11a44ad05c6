# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""solver='impulse': the article's frictionless pair impulse, written out anew here, and what it must not do."""

import numpy as np
import pytest
from contact_scenes import builder, momentum
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from oracles.rotations import matrix, random_quat, random_tensor
from scenes import DRONE_BOX, DRONE_INERTIA, DRONE_MASS, G, crowd, impacts, momenta, room, touching_pair

from hakoniwa_rigid.engine import Box, Capsule, EngineError, HalfSpace, Sphere, WorldBuilder


def article(e, point, n, one, two):
    """(J, v1', w1', v2', w2') of the article, J = j n on body 1: v_rel = p1 - p2, j = -(1 + e) v_rel·n / (1/m1 + 1/m2 +
    (r1 x n)·I1⁻¹(r1 x n) + (r2 x n)·I2⁻¹(r2 x n)). Each body is (m, I body, x, q, v, w); m = inf is the heavy limit.
    """
    share, arms, turns = [], [], []
    for m, tensor, x, q, _, _ in (one, two):
        r = matrix(q)
        heavy = np.isinf(m)
        share.append(0.0 if heavy else 1.0 / m)
        arms.append(point - np.asarray(x))
        turns.append(np.zeros((3, 3)) if heavy else r @ np.linalg.inv(tensor) @ r.T)
    v_rel = one[4] + np.cross(one[5], arms[0]) - two[4] - np.cross(two[5], arms[1])
    levers = [np.cross(a, n) for a in arms]
    bottom = sum(share) + sum(c @ t @ c for c, t in zip(levers, turns, strict=True))
    j = -(1 + e) * (v_rel @ n) / bottom
    return (j * n, one[4] + j * share[0] * n, one[5] + turns[0] @ levers[0] * j, two[4] - j * share[1] * n,
            two[5] - turns[1] @ levers[1] * j)  # fmt: skip


def as_tuple(body):
    return body.mass, body.inertia, body.pos, body.quat, body.linvel, body.angvel


def hit(pair, **material):
    """World with solver='impulse' of a touching_pair: box 0, ball 1; heavy bodies are kinematic."""
    b = builder(solver='impulse')
    for name, shape in (('box', Box(tuple(pair['sides']))), ('ball', Sphere(pair['radius']))):
        x = pair[name]
        body = {'kind': 'kinematic'} if np.isinf(x.mass) else {'mass': x.mass, 'inertia': x.inertia}
        b.add_body(shape, pos=x.pos, quat=x.quat, linvel=x.linvel, angvel=x.angvel, restitution=pair['e'], **material,
                   **body)  # fmt: skip
    return b.build()


@pytest.mark.parametrize('wall', [None, 'ball', 'box'])
@pytest.mark.parametrize('seed', range(20))
def test_random_pairs_follow_the_article(seed, wall):
    """Masses 1 : 1e4, tensors, offsets, e; friction of every kind is there and plays no part: 1e-12."""
    pair = touching_pair(np.random.default_rng(seed), wall=wall, ratio=1e4)
    w = hit(pair, friction=0.9, rolling_friction=0.05, torsional_friction=0.05)
    w.step(1)
    row = impacts(w)[0]
    j, va, wa, vb, wb = article(pair['e'], pair['point'], pair['normal'], as_tuple(pair['box']), as_tuple(pair['ball']))
    assert_allclose(row['impulse'], -j, rtol=0, atol=1e-12 * np.linalg.norm(j))  # the row's is on body b
    for k, v, spin, side, name in ((0, va, wa, 'a', 'box'), (1, vb, wb, 'b', 'ball')):
        x = pair[name]
        assert_allclose(w.linvel[k], v, rtol=0, atol=1e-12 * (np.linalg.norm(v) + np.linalg.norm(x.linvel)))
        got = x.angvel + row[f'delta_omega_{side}']
        assert_allclose(got, spin, rtol=0, atol=1e-12 * (np.linalg.norm(spin) + np.linalg.norm(x.angvel)))
    assert_allclose(row['moment'], 0.0, atol=0)


@pytest.mark.parametrize('drone_first', [True, False])
@pytest.mark.parametrize(('offset', 'size', 'speed', 'spin'), [
    (0.0, 3.195, -1.5, 0.0), (0.1, 1.9819251337, 0.2085561498, 17.0855615)])  # fmt: skip
def test_reference_numbers(offset, size, speed, spin, drone_first):
    """A drone against a static sphere, docs/solvers.md, whichever is added first."""
    b = builder(solver='impulse')

    def wall():
        b.add_body(Sphere(0.3), pos=(0.5, offset, 0), kind='static', friction=0.8)

    if not drone_first:
        wall()
    i = b.add_body(Box((0.4, 0.4, 0.1)), mass=DRONE_MASS, inertia=DRONE_INERTIA, linvel=(3, 0, 0), restitution=0.5,
                   friction=0.8)  # fmt: skip
    if drone_first:
        wall()
    w = b.build()
    w.step(1)
    assert_allclose(np.linalg.norm(impacts(w)[0]['impulse']), size, atol=1e-10)
    assert_allclose(w.linvel[i], [speed, 0, 0], atol=1e-10)
    assert_allclose(w.angvel[i], [0, 0, spin], atol=1e-7)


@pytest.mark.parametrize('seed', range(6))
def test_drone_hits_drone(seed):
    """The corner sphere of one drone on the face of another, both turning: the article with both bodies moving."""
    rng = np.random.default_rng(seed)
    pair = touching_pair(rng, ratio=1.0)
    for name in ('box', 'ball'):
        pair[name].mass, pair[name].inertia = DRONE_MASS, np.diag(DRONE_INERTIA)
    w = hit(pair)
    w.step(1)
    j, va, _, vb, _ = article(pair['e'], pair['point'], pair['normal'], as_tuple(pair['box']), as_tuple(pair['ball']))
    assert_allclose(w.linvel, [va, vb], rtol=0, atol=1e-12 * np.abs([va, vb]).max() * 2)
    assert_allclose(DRONE_MASS * (w.linvel[1] - pair['ball'].linvel), -j, rtol=0, atol=1e-11 * np.linalg.norm(j))


def test_separating_pair_keeps_its_motion():
    """The formula alone would pull it back."""
    pair = touching_pair(np.random.default_rng(2), approaching=False)
    w = hit(pair)
    w.step(1)
    assert len(impacts(w)) == 0
    assert_allclose(w.linvel, [pair['box'].linvel, pair['ball'].linvel], rtol=0, atol=0)


@pytest.mark.parametrize('mu', [0.0, 0.9])
def test_tangential_velocity_and_spin_are_kept(mu):
    """A spinning ball that skims a plane, flown in: only v_n changes."""
    b = builder(solver='impulse')
    b.add_body(HalfSpace(), kind='static', friction=mu, torsional_friction=0.1, rolling_friction=0.1)
    i = b.add_body(Sphere(0.1), mass=0.7, pos=(0, 0, 0.1 + 4 * 2.37e-3), linvel=(3, -2, -4), angvel=(9, 8, 7),
                   restitution=0.7, friction=mu)  # fmt: skip
    w = b.build()
    w.step(10)
    assert_allclose(w.linvel[i], [3, -2, 2.8], rtol=0, atol=1e-10)
    assert_allclose(w.angvel[i], [9, 8, 7], rtol=0, atol=1e-12)


def test_box_slides_on_for_ever():
    """Friction plays no part at rest either: 0.5 m/s along the floor stays 0.5 m/s."""
    b = builder(solver='impulse', gravity=G)
    b.add_body(HalfSpace(), kind='static', friction=0.9)
    i = b.add_body(Box((0.5, 0.5, 0.1)), mass=0.7, pos=(0, 0, 0.05), linvel=(0.5, 0, 0), friction=0.9)
    w = b.build()
    w.step(300)
    assert_allclose(w.linvel[i], [0.5, 0, 0], atol=1e-6)
    assert_allclose(w.pos[i], [0.15, 0, 0.05], atol=1e-5)


# --- several at once


@pytest.mark.parametrize('e', [0.0, 0.5, 1.0])
def test_a_ball_between_two_that_come(e):
    """Three balls in line, both outer ones hit at the same instant: momentum 1e-12, energy never up, order kept."""
    b = builder(solver='impulse')
    for x, v, m in ((-0.2, 3.0, 0.5), (0.0, 0.0, 0.2), (0.2, -3.0, 0.5)):
        b.add_body(Sphere(0.1), mass=m, pos=(x, 0, 0), linvel=(v, 0, 0), restitution=e)
    w = b.build()
    energy = w.kinetic_energy()
    for _ in range(20):
        w.step(1)
        assert_allclose(momentum(w), 0.0, atol=1e-12 * 3)
        assert w.kinetic_energy() <= energy * (1 + 1e-12)
        assert np.all(np.diff(w.pos[:, 0]) > 0.2 - 1e-6)
    assert np.all(np.diff(w.linvel[:, 0]) > -1e-9)


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(3, 8))
def test_clusters_conserve(seed, count):
    """Spheres, boxes, capsules thrown together: momenta kept, energy never up, at every step.

    Overlap recovery r alone changes the angular momentum, by no more than r (Σm|v| + Σ|Iw| / 0.06 m): see test_crowds.
    """
    rng = np.random.default_rng(seed)
    b = WorldBuilder(gravity=(0, 0, 0), dt=1e-3, solver='impulse')
    crowd(b, rng, count, spacing=0.4, speed=0.5, inward=5.0)
    w = b.build()
    p0, l0, p_scale, l_scale = momenta(w)
    energy = w.kinetic_energy()
    for _ in range(60):
        w.step(1)
        now = w.kinetic_energy()
        assert now <= energy * (1 + 1e-12)
        energy = now
    p, ell, _, _ = momenta(w)
    assert_allclose(p, p0, rtol=0, atol=1e-12 * p_scale)
    moved = w.stats().recovered
    assert_allclose(ell, l0, rtol=0, atol=1e-9 * l_scale + moved * (p_scale + l_scale / 0.06))


def test_room_full_of_bodies_stays_a_room():
    """A crowd under gravity in a closed room: total energy never up by more than rounding, no body leaves."""
    b = WorldBuilder(gravity=(0, 0, -G), dt=1e-3, solver='impulse')
    room(b, 1.0, restitution=0.3)
    made = crowd(b, np.random.default_rng(1), 8, spacing=0.5, speed=1.5)
    w = b.build()
    energy = w.energy()
    for _ in range(10):
        w.step(50)
        now = w.energy()
        assert now <= energy + 1e-6 * abs(energy)
        energy = now
    assert np.abs(w.pos[made]).max() < 1.0


# --- landing and lying


@pytest.mark.parametrize('ground', ['plane', 'box'])
@pytest.mark.parametrize('e', [0.0, 0.5])
def test_box_landing_flat_does_not_spin(ground, e):
    """One impulse at one point of the pair, and that point is the middle of the manifold."""
    b = builder(solver='impulse')
    shape, pos = (HalfSpace(), (0, 0, 0)) if ground == 'plane' else (Box((3, 3, 0.2)), (0, 0, -0.1))
    b.add_body(shape, kind='static', pos=pos)
    i = b.add_body(Box(DRONE_BOX), mass=DRONE_MASS, inertia=DRONE_INERTIA, linvel=(0.3, 0, -2), restitution=e,
                   pos=(0, 0, 0.075 + 2 * 2.37e-3))  # fmt: skip
    w = b.build()
    w.step(10)
    assert_allclose(w.linvel[i], [0.3, 0, 2 * e], rtol=0, atol=1e-8)
    assert_allclose(w.angvel[i], 0.0, atol=1e-8)


@pytest.mark.parametrize(('shape', 'height', 'quat'), [
    (Sphere(0.1), 0.1, (1, 0, 0, 0)), (Box((0.5, 0.4, 0.15)), 0.075, (1, 0, 0, 0)),
    (Capsule(0.08, 0.3), 0.08, (np.sqrt(0.5), 0, np.sqrt(0.5), 0))])  # fmt: skip
def test_resting_bodies_stay(shape, height, quat):
    """Carried for a second: no sinking, no drift, no turning."""
    b = WorldBuilder(gravity=(0, 0, -G), dt=1e-3, solver='impulse')
    b.add_body(HalfSpace(), kind='static')
    i = b.add_body(shape, mass=0.7, pos=(0.1, 0.05, height), quat=quat, restitution=0.4)
    w = b.build()
    w.step(1000)
    assert_allclose(w.pos[i], [0.1, 0.05, height], atol=1e-5)
    assert_allclose(w.linvel[i], 0.0, atol=1e-6)
    assert_allclose(w.angvel[i], 0.0, atol=1e-5)


def test_bouncing_ball_as_with_the_other_solver():
    """Without friction the two agree: three bounces at e = 0.8, speeds to 1e-9."""
    heights = []
    for solver in ('impulse', 'sequential'):
        b = WorldBuilder(gravity=(0, 0, -G), dt=1e-3, solver=solver)
        b.add_body(HalfSpace(), kind='static', friction=0.0)
        i = b.add_body(Sphere(0.1), mass=1.3, pos=(0, 0, 1.1), restitution=0.8, friction=0.0)
        w = b.build()
        w.step(1900)
        heights.append([w.pos[i, 2], w.linvel[i, 2]])
    assert_allclose(heights[0], heights[1], rtol=0, atol=1e-9)


@pytest.mark.parametrize('solver', ['Impulse', 'pgs', 3])
def test_unknown_solver_is_named(solver):
    with pytest.raises(EngineError, match=f'(?s)(?=.*solver)(?=.*{solver})'):
        WorldBuilder(gravity=(0, 0, 0), dt=1e-3, solver=solver)


def test_bystander_is_left_alone():
    """A pair that collides leaves a tumbling third body far away to its free flight."""
    rng = np.random.default_rng(0)
    b = builder(solver='impulse')
    for x in (-0.1, 0.1):
        b.add_body(Sphere(0.1), mass=1.0, pos=(x, 0, 0), linvel=(-20 * x, 0, 0), restitution=1.0)
    spin = rng.normal(size=3)
    i = b.add_body(Sphere(0.1), mass=1.0, inertia=random_tensor(rng, 0.01), quat=random_quat(rng), pos=(5, 5, 5),
                   linvel=(1, 2, 3), angvel=spin)  # fmt: skip
    w = b.build()
    w.step(3)
    assert_allclose(w.linvel, [[-2, 0, 0], [2, 0, 0], [1, 2, 3]], atol=1e-12)
    assert_allclose(w.pos[i], [5.003, 5.006, 5.009], atol=1e-12)


@pytest.mark.parametrize('e', [1.0, [(0.0, 0.9), (2.0, 0.5)]], ids=['1', 'table'])
def test_a_row_of_balls_with_the_default_threshold(e):
    """Each of four touching balls is asked for e at the speed at which its own turn comes: pair after pair."""
    b = WorldBuilder(gravity=(0, 0, 0), solver='impulse')
    for k in range(4):
        b.add_body(Sphere(0.1), mass=1.0, pos=(0.2 * k, 0, 0), linvel=((2.0, 0, 0) if k == 0 else (0, 0, 0)),
                   restitution=e)  # fmt: skip
    w = b.build()
    w.step(1)
    speed = 2.0
    for _ in range(3):
        speed *= 0.5 * (1.0 + (e if e == 1.0 else 0.9 - 0.2 * speed))
    assert_allclose(w.linvel[3, 0], speed, rtol=0, atol=1e-12)
    assert_allclose(w.linvel[:, 0].sum(), 2.0, rtol=0, atol=1e-12)
    if e == 1.0:
        assert_allclose(w.linvel[:3], 0.0, atol=1e-12)
