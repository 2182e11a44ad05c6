# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The factor of a matrix of blocks, against numpy's dense solution; one body that sticks, against its laws."""
import numpy as np
import pytest
from kernels import from_python

from hakoniwa_rigid.engine.solve.block_factor import BLOCK, SIDE, eliminate, factor, structure, substitute
from hakoniwa_rigid.engine.solve.columns import C_G, C_J, C_MU, C_TARGET, C_U, COLUMNS
from hakoniwa_rigid.engine.solve.stick import all_stick

eliminate, factor, structure, substitute, all_stick = map(
    from_python, (eliminate, factor, structure, substitute, all_stick))


def matrix_of(coupled, rng):
    """A positive definite matrix with blocks where `coupled` says."""
    n = len(coupled)
    blocks = rng.normal(size=(n, n, SIDE, SIDE)) * (coupled + np.eye(n))[:, :, None, None]
    h = blocks.transpose(0, 2, 1, 3).reshape(SIDE * n, SIDE * n)
    return h + h.T + 20.0 * n * np.eye(SIDE * n)


def solved(coupled, h, x):
    """h^-1 x by the factor, and the number of its blocks."""
    n = len(coupled)
    place, filled = np.empty(n, np.int64), coupled.astype(np.int8)
    eliminate(filled, place)
    first, column, where = structure(filled, place)
    blocks = np.zeros((len(column), BLOCK))
    for i in range(n):
        for j in range(n):
            if place[i] <= place[j] and (coupled[i, j] or i == j):
                part = h[SIDE * i:SIDE * i + SIDE, SIDE * j:SIDE * j + SIDE]
                blocks[where[place[i], place[j]]] = part.ravel()
    factor(blocks, first, column, where)
    y = np.empty((n, SIDE))
    y[place] = x.reshape(n, SIDE)
    substitute(blocks, first, column, y)
    return y[place].ravel(), len(column)


@pytest.mark.parametrize('density', [0.0, 0.2, 1.0])
@pytest.mark.parametrize('n', [1, 2, 9])
def test_solves_what_numpy_solves(n, density):
    rng = np.random.default_rng(n)
    coupled = np.triu(rng.random((n, n)) < density, 1)
    coupled = coupled | coupled.T
    h, x = matrix_of(coupled, rng), rng.normal(size=SIDE * n)
    y, _ = solved(coupled, h, x)
    np.testing.assert_allclose(y, np.linalg.solve(h, x), rtol=0, atol=1e-14)


def test_star_is_not_filled():
    """A body that many lie on goes last: eliminated first, it would couple all of them."""
    n, coupled = 12, np.zeros((12, 12), bool)
    coupled[0, 1:] = coupled[1:, 0] = True
    _, blocks = solved(coupled, matrix_of(coupled, np.random.default_rng(0)), np.ones(SIDE * n))
    assert blocks == n + n - 1


def corners(mu, slip):
    """Four contacts under a plate of mass and inertia 1 that falls at 1 m/s and slips along x; normals along z."""
    rows, slots = np.zeros((4, COLUMNS)), np.tile((-1, 0), (4, 1))
    for row, (x, y) in zip(rows, ((1, 1), (1, -1), (-1, 1), (-1, -1)), strict=True):
        arm = np.array((x, y, -0.1))
        for axis, n in enumerate(((0, 0, 1), (1, 0, 0), (0, 1, 0))):
            row[C_G + BLOCK + SIDE * axis:C_G + BLOCK + SIDE * axis + SIDE] = *n, *np.cross(arm, n)
        row[C_U], row[C_U + 1], row[C_TARGET], row[C_MU] = -1.0, slip, 0.5, mu
    return rows, slots


def test_flat_landing_is_shared_evenly():
    rows, slots = corners(0.3, 0.0)
    change = np.zeros(SIDE)
    assert all_stick(rows, slots, change, 1e-14)
    np.testing.assert_allclose(rows[:, C_J:C_J + 3], np.tile((1.5 / 4, 0, 0), (4, 1)), rtol=0, atol=1e-15)
    np.testing.assert_allclose(change, (0, 0, 1.5, 0, 0, 0), rtol=0, atol=1e-15)


def test_what_must_slip_is_left_alone():
    rows, slots = corners(0.3, 2.0)
    change = np.zeros(SIDE)
    assert not all_stick(rows, slots, change, 1e-14)
    assert not change.any() and not rows[:, C_J:C_J + 3].any()
