# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A single rotation or vector is worked out by plain arithmetic: the bits of rows of arrays, the turns of scipy."""
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from hakoniwa_rigid import rotations as rot
from hakoniwa_rigid.engine.maths import quat

NUMBERS = st.floats(-1e3, 1e3) | st.floats(-1e-9, 1e-9) | st.sampled_from([0.0, -0.0])
VECTORS = st.tuples(NUMBERS, NUMBERS, NUMBERS).map(np.array)
FOURS = st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS).map(np.array).filter(lambda q: np.linalg.norm(q) > 1e-12)
TURNS = (FOURS | st.sampled_from([np.array([1.0, 0, 0, 0]), np.array([-1.0, 0, -0.0, 0])])).map(rot.normalise)


def alike(function, *arguments):
    """Single arguments and rows give the same bits."""
    single, (row,) = function(*arguments), function(*(a[None] for a in arguments))
    assert np.asarray(single).tobytes() == row.tobytes(), (single, row)
    assert np.asarray(single).dtype == row.dtype


@given(TURNS, TURNS, VECTORS, VECTORS)
def test_single_ones_have_the_bits_of_rows(p, q, a, b):
    for function in (rot.multiply, rot.difference):
        alike(function, p, q)
    for function in (rot.rotate, rot.rotate_inverse):
        alike(function, q, a)
    for function in (rot.to_vector, rot.conjugate, rot.normalise, rot.norm):
        alike(function, q)
    for function in (rot.from_vector, rot.norm):
        alike(function, a)
    alike(rot.cross, a, b)
    assert quat.mul_one(p, q).tobytes() == quat.mul_rows(p[None], q[None])[0].tobytes()


@given(TURNS, TURNS, VECTORS)
def test_they_are_those_of_scipy(p, q, a):
    one, other = (Rotation.from_quat(rot.xyzw(turn)) for turn in (p, q))
    assert rot.rotate(p, a) == pytest.approx(one.apply(a), abs=1e-12 * (1.0 + np.linalg.norm(a)))
    assert Rotation.from_quat(rot.xyzw(rot.multiply(p, q))).approx_equal(one * other, atol=1e-7)
    assert np.linalg.norm(rot.to_vector(p)) == pytest.approx(one.magnitude(), abs=1e-7)
    assert Rotation.from_quat(rot.xyzw(rot.from_vector(rot.to_vector(p)))).approx_equal(one, atol=1e-7)


@pytest.mark.parametrize('bad', [math.nan, math.inf])
def test_what_is_not_finite_stays_so(bad):
    v, q = np.array([0.0, bad, 1.0]), np.array([1.0, 0.0, 0.0, 0.0])
    with np.errstate(invalid='ignore'):
        for result in (rot.norm(v), rot.cross(v, v), rot.rotate(q, v), rot.from_vector(v)):
            assert not np.isfinite(result).all()
