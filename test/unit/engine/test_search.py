# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Sorting and searching in kernels."""
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from kernels import from_python

from hakoniwa_rigid.engine.maths import search

sort_with, sort_small, contains = (from_python(f) for f in (search.sort_with, search.sort_small, search.contains))
numbers = st.lists(st.integers(-50, 50), max_size=60)


@given(numbers)
def test_sort_with_carries_the_order_along(values):
    keys, order = np.array(values, np.float64), np.arange(len(values))
    sort_with(keys, order)
    np.testing.assert_array_equal(keys, np.sort(values))
    np.testing.assert_array_equal(np.array(values, np.float64)[order], keys)


@given(numbers, st.integers(-60, 60))
def test_small_sort_and_membership(values, x):
    a = np.array(values, np.int64)
    sort_small(a)
    np.testing.assert_array_equal(a, np.sort(values))
    assert contains(a, x) == (x in values)
