# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Torque-free rotation: order of convergence against a tight ODE solution, angular momentum and energy at rounding."""
import numpy as np
import pytest
from kernels import from_python
from scipy.integrate import solve_ivp

from hakoniwa_rigid.engine.motion import rotation

MOMENTS = np.array([0.0061, 0.00653, 0.0116])
EULER = tuple(((np.roll(MOMENTS, -1) - np.roll(MOMENTS, -2)) / MOMENTS).tolist())
short, free = from_python(rotation.rotate_short), from_python(rotation.rotate_free)


def exact(rate, t):
    """(attitude wxyz, body rate) after t s by DOP853 at 1e-13."""
    def f(_, y):
        w, x, y_, z = y[:4]
        p, q, r = y[4:]
        return [0.5 * (-x * p - y_ * q - z * r), 0.5 * (w * p + y_ * r - z * q), 0.5 * (w * q + z * p - x * r),
                0.5 * (w * r + x * q - y_ * p), EULER[0] * q * r, EULER[1] * r * p, EULER[2] * p * q]
    y = solve_ivp(f, (0.0, t), [1.0, 0.0, 0.0, 0.0, *rate], method='DOP853', rtol=1e-13, atol=1e-15).y[:, -1]
    return y[:4] / np.linalg.norm(y[:4]), y[4:]


def run(step, h, n, rate):
    q, w = (1.0, 0.0, 0.0, 0.0), tuple(rate)
    for _ in range(n):
        q, w = step(q, w, EULER, h)
    return np.array(q), np.array(w)


def error(step, h, rate, t=1.0):
    q, _ = run(step, h, round(t / h), rate)
    want, _ = exact(rate, t)
    return np.abs(q * np.sign(q @ want) - want).max()


def test_attitude_is_of_sixth_order():
    rate = (1.0, 5.0, 2.0)
    coarse, fine = error(short, 0.1, rate), error(short, 0.05, rate)
    assert np.log2(coarse / fine) == pytest.approx(6.0, abs=0.7)
    assert fine < 1e-8


def test_momentum_and_energy_at_rounding_for_a_tumble():
    rate = (0.01, 5.0, 0.0)
    q, w = run(free, 1e-3, 2000, rate)
    w, x, y, z = w, *q[1:]
    s = q[0]
    r = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - s * z), 2 * (x * z + s * y)],
                  [2 * (x * y + s * z), 1 - 2 * (x * x + z * z), 2 * (y * z - s * x)],
                  [2 * (x * z - s * y), 2 * (y * z + s * x), 1 - 2 * (x * x + y * y)]])
    body = r.T @ w
    np.testing.assert_allclose(r @ (MOMENTS * body), MOMENTS * rate, atol=1e-12 * (MOMENTS * rate).max())
    assert (MOMENTS * body ** 2).sum() == pytest.approx((MOMENTS * np.square(rate)).sum(), rel=2e-13)


def test_fast_spin_is_cut_into_substeps():
    rate = (3.0, 80.0, 20.0)
    q, _ = run(free, 1e-2, 20, rate)
    want, _ = exact(rate, 0.2)
    np.testing.assert_allclose(q * np.sign(q @ want), want, atol=1e-9)


def test_sphere_turns_about_its_axis_exactly():
    w = (0.3, -0.4, 1.2)
    q, rate = short((1.0, 0.0, 0.0, 0.0), w, (0.0, 0.0, 0.0), 0.01)
    angle = 1.3 * 0.01
    np.testing.assert_allclose(q, [np.cos(angle / 2), *(np.sin(angle / 2) * np.array(w) / 1.3)], atol=1e-16)
    np.testing.assert_allclose(rate, w, atol=1e-15)
