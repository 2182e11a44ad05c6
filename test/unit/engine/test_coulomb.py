# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The single contact against a brute-force search over the slip direction (docs/impacts.md)."""
import numpy as np
import pytest
from kernels import from_python
from scipy.optimize import brentq

from hakoniwa_rigid.engine.contact.coulomb import contact_impulse

solve = from_python(contact_impulse)


def random_contact(rng, spread=3.0):
    """K symmetric positive definite with eigenvalues over 10^spread, u approaching, target = e |u_n|, mu."""
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    k = q @ np.diag(10.0 ** rng.uniform(-0.5 * spread, 0.5 * spread, 3)) @ q.T
    u = rng.normal(size=3)
    u[0] = -abs(u[0])
    return k, u, rng.uniform(0.0, 1.0) * -u[0], rng.uniform(0.0, 1.2)


def packed(k):
    return tuple(float(k[i]) for i in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))


def impulse(k, u, target, mu):
    return np.array(solve(packed(k), tuple(u.tolist()), float(target), float(mu)))


def slip_roots(k, u, target, mu):
    """All impulses on the edge of the cone whose final slip is opposed to them, by scanning 20,000 directions."""
    def at(angle):
        d = np.array([1.0, -mu * np.cos(angle), -mu * np.sin(angle)])
        jn = (target - u[0]) / (k[0] @ d)
        return jn * d, u + k @ (jn * d)

    def misalignment(angle):
        _, v = at(angle)
        return np.cos(angle) * v[2] - np.sin(angle) * v[1]
    angles = np.linspace(0.0, 2.0 * np.pi, 20001)
    f = np.array([misalignment(a) for a in angles])
    found = []
    for i in np.flatnonzero(np.sign(f[:-1]) != np.sign(f[1:])):
        a = brentq(misalignment, angles[i], angles[i + 1], xtol=1e-15)
        j, v = at(a)
        if j[0] > 0.0 and v[1] * np.cos(a) + v[2] * np.sin(a) >= 0.0 and abs(misalignment(a)) < 1e-6:
            found.append(j)
    return found


@pytest.mark.parametrize('seed', range(25))
def test_law_holds_for_general_matrices(seed):
    rng = np.random.default_rng(seed)
    for _ in range(40):
        k, u, target, mu = random_contact(rng)
        j = impulse(k, u, target, mu)
        v = u + k @ j
        scale = np.abs(u).max()
        assert j[0] > 0.0
        assert v[0] == pytest.approx(target, abs=1e-12 * scale)
        friction = np.hypot(j[1], j[2])
        if np.hypot(v[1], v[2]) <= 1e-11 * scale:
            assert friction <= mu * j[0] * (1.0 + 1e-12)
        else:
            assert friction == pytest.approx(mu * j[0], rel=1e-12)
            slip = v[1:] / np.hypot(v[1], v[2])
            np.testing.assert_allclose(j[1:], -mu * j[0] * slip, atol=1e-9 * j[0])


@pytest.mark.parametrize('seed', range(6))
def test_slip_is_one_of_the_roots_of_a_fine_scan(seed):
    rng = np.random.default_rng(100 + seed)
    k, u, target, mu = random_contact(rng, spread=2.0)
    mu *= 0.2
    j = impulse(k, u, target, mu)
    assert np.hypot(j[1], j[2]) == pytest.approx(mu * j[0], rel=1e-12), 'the random case is meant to slip'
    assert min(np.abs(j - root).max() for root in slip_roots(k, u, target, mu)) < 1e-8 * np.abs(j).max()


def test_sphere_slides_by_mu_one_plus_e_times_approach():
    """K = 1/m 1 + r^2/I on the tangents; sliding J_t = -mu J_n t, J_n = (1 + e) m |u_n|."""
    m, inertia, r, e, mu = 0.7, 0.01, 0.1, 0.6, 0.05
    k = np.diag([1.0 / m, 1.0 / m + r * r / inertia, 1.0 / m + r * r / inertia])
    u = np.array([-2.0, 3.0, -4.0])
    j = impulse(k, u, 2.0 * e, mu)
    jn = (1.0 + e) * m * 2.0
    np.testing.assert_allclose(j, [jn, -mu * jn * 0.6, mu * jn * 0.8], rtol=1e-14)


def test_separating_contact_gets_nothing():
    k = np.diag([1.0, 2.0, 3.0])
    assert impulse(k, np.array([0.5, 9.0, -9.0]), 0.2, 0.5).tolist() == [0.0, 0.0, 0.0]


def test_no_friction_is_the_normal_impulse_alone():
    k = np.array([[2.0, 0.3, -0.2], [0.3, 1.0, 0.1], [-0.2, 0.1, 1.5]])
    np.testing.assert_array_equal(impulse(k, np.array([-3.0, 1.0, 1.0]), 1.5, 0.0), [4.5 / 2.0, 0.0, 0.0])
