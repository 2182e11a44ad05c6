# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Contact points, floors' derivatives and multipliers against closed forms, minimisation and dense solves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from oracles import floors, smooth_bodies
from oracles.rotations import cross_matrix, matrix, random_quat, random_tensor
from oracles.smooth_bodies import Quadric, Superquadric, ball
from scipy.optimize import minimize
from surface_motions import engine_body, engine_floor, motion

from hakoniwa_rigid.smooth_motion import contact_point, multiplier

EGG = Quadric.of_axes((0.3, 0.2, 0.1))
MOVES = dict(velocity=(0.3, 0.1, -0.2), sway=(0.1, 0, 0.05), sway_rate=3.0, axis=(0.3, 1, 0.2), centre=(0.2, -0.1, 0.3),
             angle=0.2, rate=0.4, tilt=0.3, tilt_rate=2.0)
STILL = {
    'plane': floors.Plane((0.1, -0.2, 1), 0.3),
    'globe': floors.Round(2.0, (0, 0, -2)),
    'bowl': floors.Round(2.0, (0, 0, 2), inside=True),
    'log': floors.Round(2.0, (0, 0, -2), axis=(1, 2, 0)),
    'pipe': floors.Round(2.5, (0, 0, 2.5), inside=True, axis=(1, 0, 0.2)),
    'paraboloid': floors.Paraboloid(0.4, 0.7),
    'hill': floors.Paraboloid(-0.4, -0.7),
    'saddle': floors.Paraboloid(-0.3, 0.5),
    'sine': floors.Sine(0.05, (2.0, 1.0), 0.4),
    'wave': floors.Sine(0.05, (2.0, 1.0), 0.4, 1.5),
}
FLOORS = STILL | {f'moved {name}': floors.Moved(floor, **MOVES) for name, floor in STILL.items()}


@pytest.mark.parametrize('gap', [0.0, 0.5, -0.02])
def test_ellipsoid_on_a_plane(gap):
    """The lowest point is x - R A² Rᵀ n/h, h² = nᵀ R A² Rᵀ n; it stands h + gap over the plane."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        n, quat, axes = rng.normal(size=3), random_quat(rng), rng.uniform(0.1, 0.4, size=3)
        n /= np.linalg.norm(n)
        spread = matrix(quat) @ np.diag(axes**2) @ matrix(quat).T
        h = np.sqrt(n @ spread @ n)
        pos = rng.normal(size=3)
        floor = floors.Plane(n, n @ pos - h - gap)
        point, found = contact_point(engine_floor(floor), engine_body(Quadric.of_axes(axes)), pos, quat)
        assert_allclose(found, gap, atol=1e-13)
        lowest = pos - spread @ n / h
        # with a gap the point may be either side's, or between: it lies on the common normal
        assert_allclose(np.cross(point - lowest, n), 0, atol=1e-9)
        assert -1e-12 <= (lowest - point) @ n * np.sign(gap or 1) <= abs(gap) + 1e-12


@pytest.mark.parametrize('name', FLOORS)
@pytest.mark.parametrize('kind', ['ball', 'egg', 'pillow'])
def test_bodies_that_touch(kind, name):
    """Placed by the extreme point: the touching point is found, the gap is none, wherever the mass is."""
    body = {'ball': ball(0.2), 'egg': EGG, 'pillow': Superquadric((0.3, 0.25, 0.2), (0.8, 0.9))}[kind]
    rng, floor = np.random.default_rng(4), FLOORS[name]
    for _ in range(5):
        quat, com, t = random_quat(rng), 0.05 * rng.normal(size=3), rng.uniform(0, 2)
        place = floor.shift(t) if isinstance(floor, floors.Moved) else np.zeros(3)
        place = place + [*rng.uniform(-0.4, 0.4, size=2), 0.1]
        point, _, pos = smooth_bodies.touching(floor, body, place, quat, com=com, t=t)
        found, gap = contact_point(engine_floor(floor), engine_body(body), pos, quat, t=t, com=com)
        assert_allclose(found, point, atol=1e-9)
        assert_allclose(gap, 0, atol=1e-12)


@pytest.mark.parametrize('name', ['globe', 'bowl', 'log', 'paraboloid', 'sine'])
def test_gap_against_minimisation(name):
    """Apart by some cm: the least distance between points of the body and points of the floor."""
    rng, floor = np.random.default_rng(5), STILL[name]
    for _ in range(3):
        quat = random_quat(rng)
        _, n, pos = smooth_bodies.touching(floor, EGG, (0.3, 0.2, 0.1), quat)
        pos = pos + 0.03 * n
        rot = matrix(quat)

        def on_body(p, pos=pos, rot=rot):
            d = np.array([np.sin(p[0]) * np.cos(p[1]), np.sin(p[0]) * np.sin(p[1]), np.cos(p[0])])
            return pos + rot @ (np.array([0.3, 0.2, 0.1]) * d)

        def clearance(p, rot=rot):
            x = on_body(p)
            return np.linalg.norm(x - floors.onto(floor, 0, x))

        d = -rot.T @ n / [0.3, 0.2, 0.1] * np.array([0.3, 0.2, 0.1]) ** 2
        d /= np.linalg.norm(d)
        best = minimize(clearance, [np.arccos(d[2]), np.arctan2(d[1], d[0])], method='Nelder-Mead',
                        options=dict(xatol=1e-9, fatol=1e-15, maxiter=600))
        _, gap = contact_point(engine_floor(floor), engine_body(EGG), pos, quat)
        assert_allclose(gap, best.fun, atol=1e-10)


def test_tracked_point_is_the_newton_point():
    """After a while of rolling the motion's contact point is what a fresh solve finds."""
    floor = FLOORS['moved paraboloid']
    m = motion(floor, EGG, (0.2, 0.1, 0.2), quat=(0.9, 0.3, 0.1, 0.3), angvel=(1, 2, 0.5), com=(0.01, 0.02, -0.02),
               inertia=(0.02, 0.025, 0.03), unilateral=False)
    m.step(700)
    point, gap = contact_point(engine_floor(floor), engine_body(EGG), m.pos, m.quat, t=m.time, com=(0.01, 0.02, -0.02))
    assert_allclose(m.contact_point, point, atol=1e-11)
    assert abs(gap) <= 1e-12


@pytest.mark.parametrize('name', FLOORS)
def test_derivatives_of_floors(name):
    """All that `at` tells against differences of the fourth order, `value` and `velocity` against the oracle."""
    mine, oracle = engine_floor(FLOORS[name]), FLOORS[name]
    t, x, h = 0.7, np.array([0.31, -0.22, 0.13]), 1e-3
    its = mine.at(t, x)

    def slope(f):
        """d/ds at 0."""
        return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)

    unit = np.eye(3)
    atol = 1e-9
    assert_allclose(its['gradient'], [slope(lambda s, e=e: mine.at(t, x + s * e)['value']) for e in unit], atol=atol)
    assert_allclose(its['hessian'], [slope(lambda s, e=e: mine.at(t, x + s * e)['gradient']) for e in unit], atol=atol)
    assert_allclose(its['hessian'], its['hessian'].T, atol=1e-14)
    assert_allclose(its['rate'], slope(lambda s: mine.at(t + s, x)['value']), atol=atol)
    assert_allclose(its['gradient_rate'], slope(lambda s: mine.at(t + s, x)['gradient']), atol=atol)
    assert_allclose(its['value_acceleration'], slope(lambda s: mine.at(t + s, x)['rate']), atol=atol)
    assert_allclose(its['velocity'], oracle.velocity(t, x), atol=1e-13)
    assert_allclose(its['velocity_rate'], slope(lambda s: oracle.velocity(t + s, x)), atol=atol)
    spread = [slope(lambda s, e=e: oracle.velocity(t, x + s * e)) for e in unit]
    assert_allclose(its['velocity_gradient'].T, spread, atol=atol)
    # the same floor as the oracle's: the same normal, the same zero
    assert_allclose(its['gradient'] / np.linalg.norm(its['gradient']), floors.normal(oracle, t, x), atol=1e-12)
    on = floors.onto(oracle, t, x)
    assert_allclose(mine.at(t, on)['value'], 0, atol=1e-13)
    # its material does not leave it
    its = mine.at(t, on)
    assert_allclose(its['rate'] + its['gradient'] @ its['velocity'], 0, atol=1e-12)


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), rows=st.sampled_from([1, 2, 3]), mass=st.floats(0.01, 100))
def test_multiplier_against_a_dense_solve(seed, rows, mass):
    """[M -Bᵀ; B 0] (Ω', λ) = (Φ - M'Ω, -(B'Ω + b')) with M' = diag(0, [w]I - I[w]); rows without linear part in B'."""
    rng = np.random.default_rng(seed)
    tensor, w = random_tensor(rng, scale=0.05), rng.normal(size=3)
    b, b_dot, b_rate = rng.normal(size=(rows, 6)), rng.normal(size=(rows, 6)), rng.normal(size=rows)
    b_dot[:, :3] = 0.0  # B = [1, -[r]]: its linear part stands still
    force, torque = rng.normal(size=3), rng.normal(size=3)
    inertia = np.zeros((6, 6))
    inertia[:3, :3], inertia[3:, 3:] = mass * np.eye(3), tensor
    inertia_rate = np.zeros((6, 6))
    inertia_rate[3:, 3:] = cross_matrix(w) @ tensor - tensor @ cross_matrix(w)
    omega = np.concatenate([np.zeros(3), w])
    dense = np.block([[inertia, -b.T], [b, np.zeros((rows, rows))]])
    right = np.concatenate([np.concatenate([force, torque]) - inertia_rate @ omega, -(b_dot @ omega + b_rate)])
    expected = np.linalg.solve(dense, right)[6:]
    found = multiplier(mass, tensor, w, b, b_dot, b_rate, force, torque)
    condition = np.linalg.cond(b @ np.linalg.solve(inertia, b.T))
    assert_allclose(found, expected, rtol=1e-12 * condition, atol=1e-12 * condition * np.abs(expected).max())
