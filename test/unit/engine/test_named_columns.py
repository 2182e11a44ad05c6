# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Columns by name are the columns by number, in compiled kernels and in plain Python, and nothing else changes."""
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.testing import assert_array_equal

from hakoniwa_rigid.engine.maths.handle import handle_reader, table_maker
from hakoniwa_rigid.engine.maths.record import Record

POINT = Record('Point', position=(0, 3), gap=(3, 1), normal=(4, 3), along=(4, 1))
COUNT = Record('Count', near=(1, 1))
KINDS = dict(point=('f2', POINT), count=('i1', COUNT))
table_of, arrays_at = table_maker(KINDS), handle_reader('Test', KINDS)


class Arrays(NamedTuple):
    point: np.ndarray
    count: np.ndarray


@njit(error_model='numpy')
def _change(c, normal):
    c.normal = normal
    c.gap += 1.0


@njit(error_model='numpy')
def _run(table):
    s = arrays_at(table)
    c = s.point[1]
    _change(c, c.position)
    c.position = (0.0, 1, c.along)
    s.point[0].gap = 7
    s.count.near += 2
    return c.gap + s.point[0].gap + len(s.point) + c[3]


def test_names_are_columns():
    s = Arrays(np.arange(16.0).reshape(2, 8), np.array([5, 0, 9]))
    assert _run(table_of(s)) == 12.0 + 7.0 + 2 + 12.0
    assert_array_equal(s.point, [[0, 1, 2, 7, 4, 5, 6, 7], [0, 1, 8, 12, 8, 9, 10, 15]])
    assert_array_equal(s.count, [5, 2, 9])


def test_a_view_shares_memory():
    a = np.zeros((2, 8))
    POINT.view(a)[1].normal = (1.0, 2.0, 3.0)
    assert POINT.view(a)[1].normal == (1.0, 2.0, 3.0) and POINT.view(a)[1].along == a[1, 4] == 1.0
