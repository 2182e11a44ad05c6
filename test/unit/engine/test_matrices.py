# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Small matrices beside numpy's LAPACK, to rounding; any processor gives the same bits (`hakoniwa-rigid selftest`)."""
import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.engine.maths.matrices import (
    from_matrix,
    inverse,
    length,
    principal,
    product,
    solution,
)


def tensors(seed, n=300):
    """Symmetric and positive, of every size, some with moments that all but coincide."""
    rng = np.random.default_rng(seed)
    for k in range(n):
        q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        d = 10.0 ** rng.uniform(-4, 0, 3)
        if k % 3 == 0:
            d[1] = d[0] * (1.0 + 10.0 ** rng.uniform(-16, -8))
        m = (q * d) @ q.T * 10.0 ** rng.uniform(-9, 9)
        yield 0.5 * (m + m.T)


def test_principal_axes_and_moments():
    for m in tensors(1):
        values, axes = principal(m)
        assert_allclose(values, np.linalg.eigvalsh(m), rtol=0, atol=4e-15 * np.abs(m).max())
        assert_allclose(axes.T @ axes, np.eye(3), atol=4e-15)
        assert_allclose((axes * values) @ axes.T, m, rtol=0, atol=8e-15 * np.abs(m).max())


@pytest.mark.parametrize('m', [np.zeros((3, 3)), np.diag([3.0, 1.0, 2.0]), np.ones((3, 3)), 1e300 * np.ones((3, 3)),
                               np.array([[1.0, 1e-200, 0.0], [1e-200, 1.0, 0.0], [0.0, 0.0, 1.0]])])
def test_principal_of_special_tensors(m):
    values, axes = principal(m)
    assert (np.diff(values) >= 0.0).all()
    assert_allclose(axes.T @ axes, np.eye(3), atol=4e-15)
    size = max(np.abs(m).max(), 1e-300)
    assert_allclose((axes * (values / size)) @ axes.T, m / size, atol=8e-15)


def test_inverse():
    for m in tensors(2):
        assert_allclose(inverse(m) @ m, np.eye(3), atol=1e-15 * np.linalg.cond(m))
    assert_array_equal(inverse(np.diag([3.0, 7.0, 11.0])), np.diag(1.0 / np.array([3.0, 7.0, 11.0])))


@pytest.mark.parametrize(('a', 'b'), [((3, 3), (3, 3)), ((4,), (4, 2)), ((2, 5), (5,)), ((3,), (3,)),
                                      ((3, 900), (900, 3))])
def test_product(a, b):
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=a), rng.normal(size=b)
    assert np.shape(product(x, y)) == np.shape(x @ y)
    assert_allclose(product(x, y), x @ y, atol=1e-12)


def test_length():
    assert length((3.0, 4.0, 0.0)) == 5.0
    assert length(np.array([2.0, 3.0, 6.0])) == 7.0


def test_no_blas_has_a_say():
    """The library that numpy hands matrices to takes other instructions on other processors, and which ones may be
    set."""
    code = """if True:
        import numpy as np
        from hakoniwa_rigid.engine import Box, Compound, ConvexHull, Part, mass_properties
        corners = np.random.default_rng(1).random((30, 3))
        turned = (0.5, 0.5, 0.5, 0.5), (0.8, 0.0, 0.6, 0.0)
        parts = [Part(Box((0.3, 0.2, 0.1)), (0.1 * k, 0.2, 0.3), q) for k, q in enumerate(turned)]
        for shape in (ConvexHull(corners), Compound([*parts, Part(ConvexHull(corners))])):
            p = mass_properties(shape, density=300.0)
            print(p.mass.hex(), *[x.hex() for a in (p.com, p.inertia, p.principal_axes) for x in a.ravel().tolist()])"""
    found = {subprocess.run([sys.executable, '-c', code], env={**os.environ, 'OPENBLAS_CORETYPE': core}, text=True,
                            capture_output=True, check=True).stdout for core in ('', 'Prescott', 'Nehalem')}
    assert len(found) == 1


def test_solutions_are_those_of_numpy():
    rng = np.random.default_rng(11)
    for n in (1, 2, 3, 6):
        m, b = rng.normal(size=(n, n)), rng.normal(size=(n, 2))
        assert_allclose(solution(m, b), np.linalg.solve(m, b), rtol=1e-10, atol=1e-12)
        assert_allclose(solution(m, b[:, 0]), np.linalg.solve(m, b[:, 0]), rtol=1e-10, atol=1e-12)
    with pytest.raises(ZeroDivisionError):
        solution(np.zeros((2, 2)), np.ones(2))


def test_rotations_and_quaternions():
    for turn in Rotation.random(200, random_state=3):
        q, expected = from_matrix(turn.as_matrix()), turn.as_quat()[[3, 0, 1, 2]]
        assert_allclose(q * np.sign(q @ expected), expected, atol=4e-16)
