# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The selectable integrators on a work row: orders of convergence, what each keeps, both storages of the inertia."""
import numpy as np
import pytest
from kernels import from_python
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.engine.model import layout as L
from hakoniwa_rigid.engine.motion import schemes

MOMENTS = np.array([0.0061, 0.00653, 0.0116])
FRAME = Rotation.from_rotvec((0.3, -0.7, 0.4))  # of the principal axes in the body
TENSOR = FRAME.as_matrix() @ np.diag(MOMENTS) @ FRAME.as_matrix().T
SCHEMES = {'exact': L.EXACT, 'semi_implicit_euler': L.SEMI_IMPLICIT_EULER, 'rk4': L.RK4,
           'implicit_midpoint': L.IMPLICIT_MIDPOINT}
ORDER = {'semi_implicit_euler': 1, 'rk4': 4, 'implicit_midpoint': 2}
START = Rotation.from_rotvec((0.2, 0.5, -0.1))
RATE = np.array([1.0, 5.0, 2.0])  # rad/s, world
turn, move = from_python(schemes.turn), from_python(schemes.move)


def wxyz(rotation):
    return tuple(rotation.as_quat()[[3, 0, 1, 2]].tolist())


def matrix(q):
    return Rotation.from_quat(np.asarray(q)[[1, 2, 3, 0]]).as_matrix()


def row(scheme, storage):
    """A work row, and the attitude of its frame where the body is at START."""
    r = np.zeros(L.WORK)
    r[L.W_SCHEME], r[L.W_STORAGE] = SCHEMES[scheme], storage
    if storage == L.FULL:
        upper = np.triu_indices(3)
        r[L.W_TENSOR:L.W_TENSOR + 12] = *TENSOR[upper], *np.linalg.inv(TENSOR)[upper]
        return r, wxyz(START)
    r[L.W_J:L.W_J + 3] = 1.0 / MOMENTS
    r[L.W_C:L.W_C + 3] = (np.roll(MOMENTS, -1) - np.roll(MOMENTS, -2)) / MOMENTS
    return r, wxyz(START * FRAME)


def world_inertia(storage, q):
    rotation = matrix(q)
    return rotation @ (TENSOR if storage == L.FULL else np.diag(MOMENTS)) @ rotation.T


def run(scheme, storage, h, n, torque=(0.0, 0.0, 0.0)):
    r, q = row(scheme, storage)
    w = tuple(RATE)
    for _ in range(n):
        q, w = turn(r, q, w, torque, h)
    return np.array(q), np.array(w)


def truth(t, torque=(0.0, 0.0, 0.0)):
    """Body rotation matrix and world rate after t s, by DOP853 on (R, L)."""
    start = START.as_matrix()
    kept, inverse = start @ TENSOR @ start.T @ RATE, np.linalg.inv(TENSOR)

    def rate(t, r):
        return r @ inverse @ r.T @ (kept + np.multiply(torque, t))

    def f(t, y):
        r = y.reshape(3, 3)
        x, y_, z = rate(t, r)
        return (np.array([[0, -z, y_], [z, 0, -x], [-y_, x, 0]]) @ r).ravel()
    r = solve_ivp(f, (0.0, t), start.ravel(), method='DOP853', rtol=1e-13, atol=1e-14).y[:, -1].reshape(3, 3)
    return r, rate(t, r)


def error(scheme, storage, h, t, torque):
    q, _ = run(scheme, storage, h, round(t / h), torque)
    r = matrix(q) @ (np.eye(3) if storage == L.FULL else FRAME.as_matrix().T)
    return np.abs(r - truth(t, torque)[0]).max()


@pytest.mark.parametrize('storage', [L.PRINCIPAL, L.FULL])
@pytest.mark.parametrize('torque', [(0.0, 0.0, 0.0), (0.02, -0.01, 0.03)])
@pytest.mark.parametrize('scheme', SCHEMES)
def test_order_of_convergence(scheme, torque, storage):
    h = 0.004 if scheme == 'semi_implicit_euler' else 0.02
    coarse, fine = (error(scheme, storage, k, 0.4, torque) for k in (h, h / 2))
    if scheme == 'exact' and not any(torque):
        assert fine < 1e-11
        return
    order = ORDER.get(scheme, 2)
    assert np.log2(coarse / fine) == pytest.approx(order, abs=0.25)


@pytest.mark.parametrize('storage', [L.PRINCIPAL, L.FULL])
@pytest.mark.parametrize('scheme', SCHEMES)
def test_angular_momentum_is_carried_over_the_rotation(scheme, storage):
    before = START.as_matrix() @ TENSOR @ START.as_matrix().T @ RATE
    q, w = run(scheme, storage, 0.01, 200)
    np.testing.assert_allclose(world_inertia(storage, q) @ w, before, atol=2e-13 * np.linalg.norm(before))


@pytest.mark.parametrize('storage', [L.PRINCIPAL, L.FULL])
@pytest.mark.parametrize('h', [0.001, 0.02, 0.2, 1.0])
def test_midpoint_keeps_the_energy_at_any_step(h, storage):
    before = RATE @ START.as_matrix() @ TENSOR @ START.as_matrix().T @ RATE
    q, w = run('implicit_midpoint', storage, h, 300)
    assert w @ world_inertia(storage, q) @ w == pytest.approx(before, rel=3e-13)


@pytest.mark.parametrize('scheme', SCHEMES)
def test_both_storages_turn_alike(scheme):
    torque = (0.02, -0.01, 0.03)
    (q, w), (full_q, full_w) = (run(scheme, s, 0.005, 200, torque) for s in (L.PRINCIPAL, L.FULL))
    np.testing.assert_allclose(matrix(q) @ FRAME.as_matrix().T, matrix(full_q), atol=1e-12)
    np.testing.assert_allclose(w, full_w, atol=1e-11)


@pytest.mark.parametrize('scheme', SCHEMES)
def test_torque_fills_the_angular_momentum(scheme):
    """L grows by torque x time exactly, whatever the attitude does."""
    torque = np.array([0.02, -0.01, 0.03])
    before = START.as_matrix() @ TENSOR @ START.as_matrix().T @ RATE
    q, w = run(scheme, L.FULL, 0.01, 100, tuple(torque))
    # half kicks and the kick of semi_implicit_euler add their parts at the attitude of the moment: exact as well
    np.testing.assert_allclose(world_inertia(L.FULL, q) @ w, before + torque, atol=1e-12)


@pytest.mark.parametrize('scheme', ['rk4', 'implicit_midpoint'])
def test_a_step_of_many_turns_stays_finite_and_on_the_sphere(scheme):
    r, q = row(scheme, L.PRINCIPAL)
    q, w = turn(r, q, (300.0, -200.0, 4000.0), (0.0, 0.0, 0.0), 0.05)
    assert np.isfinite(w).all()
    assert np.linalg.norm(q) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize('scheme', SCHEMES)
def test_position(scheme):
    """The parabola to rounding; semi_implicit_euler advances with the new velocity."""
    r, _ = row(scheme, L.PRINCIPAL)
    x, v = move(r, (1.0, 2.0, 3.0), (0.5, 0.0, -1.0), (0.0, 1.0, -9.0), 0.5)
    share = 1.0 if scheme == 'semi_implicit_euler' else 0.5
    np.testing.assert_allclose(x, [1.25, 2.0 + share * 0.25, 2.5 - share * 2.25], rtol=1e-15)
    np.testing.assert_allclose(v, [0.5, 0.5, -5.5], rtol=1e-15)
