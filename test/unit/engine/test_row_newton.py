# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Newton's method on the rows of a small island, against the laws that its solution has to obey."""
import numpy as np
import pytest
from kernels import from_python

from hakoniwa_rigid.engine.solve.block_factor import BLOCK, SIDE
from hakoniwa_rigid.engine.solve.columns import C_G, C_J, C_MU, C_RHO, C_TARGET, C_U, COLUMNS
from hakoniwa_rigid.engine.solve.row_newton import MOST_ROWS, newton_on_rows

newton_on_rows = from_python(newton_on_rows)
TOLERANCE = 1e-12


def problem(rng, n, bodies, mu):
    """Rows between cubes of 1 kg and 1 m, some of them with what nothing moves: (rows, slots)."""
    rows, slots = np.zeros((n, COLUMNS)), np.empty((n, 2), np.int64)
    for k in range(n):
        slots[k] = rng.choice(np.arange(-1, bodies), 2, replace=False)
        frame = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        for side in np.flatnonzero(slots[k] >= 0):
            first, arm = C_G + BLOCK * side, rng.uniform(-0.5, 0.5, 3)
            part = np.hstack((frame, np.sqrt(6.0) * np.cross(arm, frame)))
            rows[k, first:first + 3 * SIDE] = (1.0 if side else -1.0) * part.ravel()
    rows[:, C_U:C_U + 3] = rng.normal(size=(n, 3)) - (1.0, 0.0, 0.0)
    rows[:, C_TARGET], rows[:, C_MU] = np.maximum(rng.normal(size=n), 0.0), mu
    rows[:, C_RHO] = 1.0 / np.einsum('ij,ij->i', dense(rows, slots, bodies)[::3], dense(rows, slots, bodies)[::3])
    return rows, slots


def dense(rows, slots, bodies):
    """G as a matrix (3 n, 6 bodies)."""
    g = np.zeros((3 * len(rows), SIDE * bodies))
    for k in range(len(rows)):
        for side in np.flatnonzero(slots[k] >= 0):
            first, b = C_G + BLOCK * side, slots[k, side]
            g[3 * k:3 * k + 3, SIDE * b:SIDE * b + SIDE] += rows[k, first:first + 3 * SIDE].reshape(3, SIDE)
    return g


def breach(rows, slots, bodies):
    """How far impulses and velocities are from Signorini's and Coulomb's laws, each in its own unit."""
    g, j = dense(rows, slots, bodies), rows[:, C_J:C_J + 3]
    u = rows[:, C_U:C_U + 3] + (g @ (g.T @ j.ravel())).reshape(-1, 3)
    over, size = u[:, 0] - rows[:, C_TARGET], np.linalg.norm(j[:, 1:], axis=1)
    slip, cone = np.linalg.norm(u[:, 1:], axis=1), rows[:, C_MU] * j[:, 0]
    opposed = np.einsum('ij,ij->i', j[:, 1:], u[:, 1:]) + cone * slip   # friction is all of the cone, against the slip
    return max(np.max(-over), np.max(-j[:, 0]), np.max(np.minimum(np.abs(over), np.abs(j[:, 0]))),
               np.max(size - cone), np.max(np.abs(opposed)))


@pytest.mark.parametrize('mu', [0.0, 0.3, 1.0])
@pytest.mark.parametrize('n', [1, 3, 8, MOST_ROWS])
def test_obeys_the_laws(n, mu):
    """Most problems are solved; what is not is left as it was."""
    rng, solved = np.random.default_rng(n), 0
    for _ in range(50):
        bodies = int(rng.integers(2, 4)) + n // 3
        rows, slots = problem(rng, n, bodies, mu)
        before, change = rows.copy(), np.full(SIDE * bodies, np.nan)
        if newton_on_rows(rows, slots, change, TOLERANCE, TOLERANCE, 1 << 40) > 0:
            solved += 1
            assert breach(rows, slots, bodies) < 1e-9
            np.testing.assert_allclose(change, dense(rows, slots, bodies).T @ rows[:, C_J:C_J + 3].ravel(), atol=1e-12)
        else:
            np.testing.assert_array_equal(rows, before)
    assert solved >= (45 if mu < 1.0 else 30)


def test_rows_twice():
    """Redundant rows share what one of them would have."""
    rng = np.random.default_rng(5)
    rows, slots = problem(rng, 3, 3, 0.3)
    rows, slots, change = np.concatenate((rows, rows)), np.concatenate((slots, slots)), np.zeros(18)
    assert newton_on_rows(rows, slots, change, TOLERANCE, TOLERANCE, 1 << 40) > 0
    assert breach(rows, slots, 3) < 1e-9


@pytest.mark.parametrize('budget', [0, -1 << 40])
def test_without_a_budget_nothing_changes(budget):
    rows, slots = problem(np.random.default_rng(1), 6, 4, 0.3)
    before, change = rows.copy(), np.full(24, np.nan)
    assert newton_on_rows(rows, slots, change, TOLERANCE, TOLERANCE, budget) <= 0
    np.testing.assert_array_equal(rows, before)
    assert np.isnan(change).all()
