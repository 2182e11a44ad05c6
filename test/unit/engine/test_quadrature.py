# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Numbers that were computed once for all, against mpmath."""
import math

import mpmath
import numpy as np
import pytest

from hakoniwa_rigid.engine.contact import force_profile
from hakoniwa_rigid.engine.detect import clipping
from hakoniwa_rigid.engine.maths.quadrature import gauss_legendre
from hakoniwa_rigid.engine.shapes.ellipsoid import _gamma


@pytest.mark.parametrize('count', [1, 2, 3, 16, 32, 33])
def test_nodes_and_weights_are_the_nearest_doubles(count):
    nodes, weights = gauss_legendre(count)
    with mpmath.workdps(60):
        for x, weight in zip(nodes.tolist(), weights.tolist(), strict=True):
            root = mpmath.findroot(lambda t: mpmath.legendre(count, t), x) if x else mpmath.mpf(0)
            slope = count * mpmath.legendre(count - 1, root) / (1 - root ** 2) if count > 1 else mpmath.mpf(1)
            assert x == float(root) and weight == float(2 / ((1 - root ** 2) * slope ** 2))


def test_polynomials_are_integrated_exactly():
    nodes, weights = gauss_legendre(16)
    for k in range(32):
        assert math.isclose((weights * nodes ** k).sum(), (1 + (-1) ** k) / (k + 1), abs_tol=1e-15)


def test_constants_are_the_nearest_doubles():
    with mpmath.workdps(40):
        gamma, tilt = mpmath.gamma, mpmath.mpf(clipping.TILT)
        assert float(mpmath.cos(tilt)) == clipping.COS_TILT and float(mpmath.sin(tilt)) == clipping.SIN_TILT
        mean = gamma(mpmath.mpf(5) / 4) / (mpmath.sqrt(mpmath.pi) * gamma(mpmath.mpf(7) / 4))
        time = mpmath.mpf(4) / 5 * gamma(mpmath.mpf(2) / 5) * mpmath.sqrt(mpmath.pi) / gamma(mpmath.mpf(9) / 10)
        assert float(mean) == force_profile.HERTZ_MEAN and float(time) == force_profile.HERTZ_TIME


def test_gamma_is_that_of_mpmath():
    assert all(math.isclose(_gamma(x), float(mpmath.gamma(x)), rel_tol=2e-14) for x in np.linspace(0.02, 5.0, 50))
