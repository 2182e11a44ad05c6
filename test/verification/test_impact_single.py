# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""One impact through World against the brute-force oracle and the numbers of docs/impacts.md."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from oracles import impact
from oracles.rotations import matrix
from scenes import DRONE_INERTIA, DRONE_MASS, impacts, pair_world, reference_wall, touching_pair

from hakoniwa_rigid.engine import Sphere, WorldBuilder

SEEDS = range(40)


def spin_momentum(world, i):
    """I_w w of one body: what the gyroscopic motion inside the rest of the step leaves alone."""
    r = matrix(world.quat[i])
    return r @ world.inertia[i] @ r.T @ world.angvel[i]


def expected(pair):
    return impact.collide(pair['box'], pair['ball'], pair['point'], pair['normal'], pair['e'], pair['mu'])


@pytest.mark.parametrize('drone_first', [True, False])
def test_reference_through_the_centre(drone_first):
    """r = (0.2, 0, 0): |J| = m (1 + e) v = 3.195 N s, v' = -e v."""
    w, i = reference_wall(0.0, drone_first=drone_first)
    w.step(1)
    assert_allclose(w.linvel[i], [-1.5, 0, 0], atol=1e-10)
    assert_allclose(w.angvel[i], 0.0, atol=1e-10)
    (row,) = impacts(w)
    assert_allclose(np.linalg.norm(row['impulse']), 3.195, rtol=1e-10)


@pytest.mark.parametrize('drone_first', [True, False])
@pytest.mark.parametrize('dt', [1e-3, 1e-5])
def test_reference_off_centre(drone_first, dt):
    """r = (0.2, 0.1, 0): |J| = (1 + e) v / (1/m + r_y²/I_zz)."""
    w, i = reference_wall(0.1, drone_first=drone_first, dt=dt)
    w.step(1)
    size = 1.5 * 3 / (1 / DRONE_MASS + 0.01 / DRONE_INERTIA[2])
    assert_allclose(size, 1.9819251337, atol=1e-10)
    (row,) = impacts(w)
    assert_allclose(np.linalg.norm(row['impulse']), size, rtol=1e-10)
    assert_allclose(w.linvel[i], [3 - size / DRONE_MASS, 0, 0], atol=1e-10)
    assert_allclose(w.linvel[i, 0], 0.2085561498, atol=1e-10)
    assert_allclose(w.angvel[i], [0, 0, 0.1 * size / DRONE_INERTIA[2]], atol=1e-10 * 17)
    assert_allclose(w.angvel[i, 2], 17.0855615, atol=1e-7)


def test_row_of_the_reference_impact():
    """Every field of the row, drone = body_a: n = +x, impulse on the wall = +J x, velocities are wall minus drone."""
    w, i = reference_wall(0.1)
    w.step(1)
    (row,) = impacts(w)
    size = 4.5 / (1 / DRONE_MASS + 0.01 / DRONE_INERTIA[2])
    assert (row['body_a'], row['body_b']) == (0, 1)
    assert_allclose(row['normal'], [1, 0, 0], atol=1e-12)
    assert_allclose(row['position'], [0.2, 0.1, 0], atol=1e-10)
    assert_allclose(row['time'], 0.0, atol=1e-12)
    assert_allclose(row['impulse'], [size, 0, 0], atol=1e-10)
    assert_allclose(row['velocity_before'], [-3, 0, 0], atol=1e-10)
    assert_allclose(row['velocity_after'], [1.5, -0.2 * 0.1 * size / DRONE_INERTIA[2], 0], atol=1e-9)
    assert_allclose(row['restitution'], 0.5, atol=1e-10)
    assert_allclose(row['friction'], 0.0)
    assert_allclose(row['delta_omega_a'], [0, 0, 17.0855615], atol=1e-7)
    assert_allclose(row['delta_omega_b'], 0.0)
    assert row['depth'] >= 0.0


def test_kane_paradox():
    """m 0.71, r = (0.2, 0.1, 0), v = (3, -3, 0), e = 1, stick: Newton gives +10 %; energy must stand still and e'
    be reported.
    """
    w, i = reference_wall(0.1, restitution=1.0, friction=10.0, linvel=(3, -3, 0))
    before = w.kinetic_energy()
    drone = impact.Body(DRONE_MASS, DRONE_INERTIA, np.zeros(3), [1, 0, 0, 0], [3, -3, 0], np.zeros(3))
    K = impact.effective_mass_inverse(drone, np.array([0.2, 0.1, 0]))
    oracle = impact.impact(K, np.array([1.0, 0, 0]), np.array([-3.0, 3, 0]), 1.0, 10.0)
    w.step(1)
    (row,) = impacts(w)
    assert w.kinetic_energy() <= before * (1 + 1e-12)
    assert_allclose(w.kinetic_energy(), before, rtol=1e-9)
    assert_allclose(row['restitution'], oracle.restitution, atol=1e-9)
    assert_allclose(row['impulse'], oracle.impulse, atol=1e-9)


@pytest.mark.parametrize('seed', range(20))
def test_kane_family(seed):
    """Off-centre hits with strong friction where Newton's e would make energy: e' and J as the brute force finds them.

    At e' the energy change is zero; it is the root of a quadratic, so half the digits remain where that root is double.
    """
    rng = np.random.default_rng(700 + seed)
    y, v = rng.uniform(0.05, 0.15), np.array([3.0, -rng.uniform(2, 4), 0.2 * rng.normal()])
    e, mu = rng.uniform(0.9, 1.0), rng.choice([1.0, 3.0])
    w, i = reference_wall(y, restitution=e, friction=mu, linvel=v)
    drone = impact.Body(DRONE_MASS, DRONE_INERTIA, np.zeros(3), [1, 0, 0, 0], v, np.zeros(3))
    K = impact.effective_mass_inverse(drone, np.array([0.2, y, 0]))
    law = impact.impact(K, np.array([1.0, 0, 0]), -v, e, mu)
    before = w.kinetic_energy()
    w.step(1)
    row = impacts(w)[0]
    assert_allclose(row['restitution'], law.restitution, atol=1e-8)
    assert_allclose(row['impulse'], law.impulse, atol=1e-7)
    assert w.kinetic_energy() <= before * (1 + 1e-12)
    if law.restitution < e:
        assert_allclose(w.kinetic_energy(), before, rtol=1e-9)


@pytest.mark.parametrize('wall', [None, 'ball', 'box'])
@pytest.mark.parametrize('seed', SEEDS)
def test_against_brute_force(seed, wall):
    """Velocities, spin momenta and the row of a random box-sphere impact: 1e-12 of the scale, 1e-10 where a root is
    searched.
    """
    pair = touching_pair(np.random.default_rng(seed), wall=wall)
    result, va, wa, vb, wb = expected(pair)
    w, i, j = pair_world(pair)
    w.step(1)
    row = impacts(w)[0]
    tol = 1e-12 if result.restitution == pair['e'] else 1e-9  # an e' is the root of a quadratic: half the digits remain
    size = np.linalg.norm(result.impulse)
    assert_allclose(row['impulse'], result.impulse, rtol=0, atol=10 * tol * size)
    assert_allclose(row['normal'], pair['normal'], atol=1e-12)
    assert_allclose(row['position'], pair['point'], atol=1e-9)
    assert_allclose(row['restitution'], result.restitution, atol=tol * 10)
    assert_allclose(row['velocity_after'], result.u_after, atol=1e2 * tol)
    for k, body, linvel, angvel in ((i, pair['box'], va, wa), (j, pair['ball'], vb, wb)):
        assert_allclose(w.linvel[k], linvel, rtol=0, atol=tol * (1 + 10 * size / body.mass))
        if np.isinf(body.mass):
            assert_allclose(w.angvel[k], body.angvel, rtol=1e-14, atol=1e-14)
        else:
            momentum = body.inertia_world @ angvel
            assert_allclose(spin_momentum(w, k), momentum, rtol=0, atol=1e2 * tol * (size + np.linalg.norm(momentum)))


@pytest.mark.parametrize('ratio', [1e2, 1e4])
def test_against_brute_force_at_mass_ratio(ratio):
    for seed in range(10):
        pair = touching_pair(np.random.default_rng(1000 + seed), ratio=ratio * ratio)
        result, va, _, vb, _ = expected(pair)
        w, i, j = pair_world(pair)
        w.step(1)
        size = np.linalg.norm(result.impulse)
        tol = 1e-11 if result.restitution == pair['e'] else 1e-9
        assert_allclose(impacts(w)[0]['impulse'], result.impulse, rtol=0, atol=tol * size, err_msg=f'seed {seed}')
        assert_allclose(w.linvel[i], va, rtol=0, atol=tol * (1 + size / pair['box'].mass))
        assert_allclose(w.linvel[j], vb, rtol=0, atol=tol * (1 + size / pair['ball'].mass))


@pytest.mark.parametrize('seed', SEEDS)
def test_conservation(seed):
    """Linear momentum to 1e-12 of Σm|v|, angular to 1e-12 of Σ|x×mv| + |Iw|, energy never up."""
    pair = touching_pair(np.random.default_rng(200 + seed))
    w, i, j = pair_world(pair)
    a, b = pair['box'], pair['ball']
    p0 = a.mass * a.linvel + b.mass * b.linvel
    l0 = a.angular_momentum() + b.angular_momentum()
    scale = a.mass * np.linalg.norm(a.linvel) + b.mass * np.linalg.norm(b.linvel)
    l_scale = sum(
        np.linalg.norm(np.cross(x.pos, x.mass * x.linvel)) + np.linalg.norm(x.inertia_world @ x.angvel) for x in (a, b)
    )
    energy = a.kinetic_energy() + b.kinetic_energy()
    assert_allclose(w.kinetic_energy(), energy, rtol=1e-13)
    w.step(1)
    p = w.mass[i] * w.linvel[i] + w.mass[j] * w.linvel[j]
    ell = sum(np.cross(w.pos[k], w.mass[k] * w.linvel[k]) + spin_momentum(w, k) for k in (i, j))
    assert_allclose(p, p0, rtol=0, atol=1e-12 * scale)
    assert_allclose(ell, l0, rtol=0, atol=1e-12 * l_scale)
    assert w.kinetic_energy() <= energy * (1 + 1e-12)


@pytest.mark.parametrize('seed', range(10))
def test_separating_contact_changes_nothing(seed):
    pair = touching_pair(np.random.default_rng(300 + seed), approaching=False)
    w, i, j = pair_world(pair)
    w.step(1)
    assert_array_equal(w.linvel[i], pair['box'].linvel)
    assert_array_equal(w.linvel[j], pair['ball'].linvel)
    assert_allclose(spin_momentum(w, i), pair['box'].inertia_world @ pair['box'].angvel, atol=1e-14)
    assert len(impacts(w)) == 0
    assert np.all(w.contacts()['impulse'] == 0.0)


@pytest.mark.parametrize('wall', [None, 'ball'])
@pytest.mark.parametrize('seed', range(10))
def test_order_of_bodies_does_not_matter(seed, wall):
    """n -> -n and a <-> b give the same motion."""
    pair = touching_pair(np.random.default_rng(400 + seed), wall=wall)
    w, i, j = pair_world(pair)
    s, k, m = pair_world(pair, swapped=True)
    w.step(1)
    s.step(1)
    for name in ('pos', 'quat', 'linvel', 'angvel'):
        for p, q in ((i, k), (j, m)):
            assert_allclose(getattr(w, name)[p], getattr(s, name)[q], rtol=0, atol=2e-11, err_msg=name)


@pytest.mark.parametrize('seed', range(10))
def test_galilean_invariance_with_a_moving_wall(seed):
    """The same uniform velocity added to the drone and to the moving, spinning wall is found again afterwards."""
    pair = touching_pair(np.random.default_rng(500 + seed), wall='ball')
    boost = np.array([3.0, -4.0, 5.0])
    w, i, _ = pair_world(pair)
    s, k, _ = pair_world(pair, boost=boost)
    w.step(1)
    s.step(1)
    assert_allclose(s.linvel[k] - boost, w.linvel[i], rtol=0, atol=1e-11)
    assert_allclose(s.angvel[k], w.angvel[i], rtol=0, atol=1e-10)


@pytest.mark.parametrize('friction', [0.0, 0.5])
@pytest.mark.parametrize('seed', range(5))
def test_heavy_limit(seed, friction):
    """A body of mass M -> inf acts as the kinematic wall: the difference falls as 1/M."""
    pair = touching_pair(np.random.default_rng(600 + seed), wall='ball', friction=friction)
    w, i, _ = pair_world(pair)
    w.step(1)
    gaps = []
    for mass in (1e6, 1e8):
        heavy = dict(
            pair,
            ball=impact.Body(
                mass, mass * np.eye(3), pair['ball'].pos, pair['ball'].quat, pair['ball'].linvel, pair['ball'].angvel
            ),
        )
        s, k, _ = pair_world(heavy)
        s.step(1)
        gaps.append(np.linalg.norm(s.linvel[k] - w.linvel[i]) + np.linalg.norm(s.angvel[k] - w.angvel[i]))
    size = np.linalg.norm(w.linvel[i] - pair['box'].linvel) + np.linalg.norm(w.angvel[i] - pair['box'].angvel)
    assert gaps[0] < 1e3 * size * pair['box'].mass / 1e6
    assert gaps[1] < 1e3 * size * pair['box'].mass / 1e8


def test_static_equals_kinematic_at_rest():
    pair = touching_pair(np.random.default_rng(7), wall='ball')
    pair['box'].linvel -= pair['ball'].velocity_at(pair['point'])
    pair['ball'].linvel[:] = pair['ball'].angvel[:] = 0.0
    w, i, _ = pair_world(pair)
    s, k, _ = pair_world(pair, kind='static')
    w.step(1)
    s.step(1)
    assert_array_equal(w.linvel[i], s.linvel[k])
    assert_array_equal(w.angvel[i], s.angvel[k])


@pytest.mark.parametrize(('speed', 'bounces'), [(0.009, False), (0.011, True)])
def test_restitution_threshold(speed, bounces):
    """Approach below 0.01 m/s (the default) is inelastic, above it e holds."""
    b = WorldBuilder(gravity=(0, 0, 0), dt=1e-3)
    i = b.add_body(Sphere(0.1), mass=1.0, linvel=(speed, 0, 0), restitution=0.5, friction=0.0)
    b.add_body(Sphere(0.1), pos=(0.2, 0, 0), kind='static', restitution=0.5, friction=0.0)
    w = b.build()
    w.step(1)
    assert_allclose(w.linvel[i, 0], -0.5 * speed if bounces else 0.0, atol=1e-12)


@pytest.mark.parametrize(('ea', 'eb', 'mua', 'mub'), [(0.2, 0.7, 0.1, 0.4), (0.9, 0.0, 0.0, 1.0)])
def test_combine_rules(ea, eb, mua, mub):
    """e = max(ea, eb), mu = sqrt(mua mub): a solid sphere that slides gets dv_t = mu (1 + e) |v_n|."""
    b = WorldBuilder(gravity=(0, 0, 0), dt=1e-3)
    i = b.add_body(Sphere(0.1), mass=1.0, linvel=(-1.0, 20.0, 0), restitution=ea, friction=mua)
    b.add_body(Sphere(0.1), pos=(-0.2, 0, 0), kind='static', restitution=eb, friction=mub)
    w = b.build()
    w.step(1)
    e, mu = max(ea, eb), np.sqrt(mua * mub)
    assert_allclose(w.linvel[i], [e, 20.0 - mu * (1 + e), 0], atol=1e-12)
    (row,) = impacts(w)
    assert_allclose([row['restitution'], row['friction']], [e, mu], atol=1e-15)
