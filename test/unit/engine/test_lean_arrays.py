# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Items and rows of arrays by integers, as compiled here, are those of NumPy; references are counted right."""
import sys

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernels import entry
from numba import njit
from numba.core.caching import NullCache
from numpy.testing import assert_array_equal

from hakoniwa_rigid.engine.maths import entries

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason='nothing is compiled')
KINDS = (np.float64, np.float32, np.int64, np.int8, np.uint16, np.bool_, np.complex128)
INDICES = (np.int64, np.int8, np.uint8, np.uint64)
SHAPE = (3, 4, 5)


@njit
def _item(a, i, j, k):
    return a[i, j, k]


@njit
def _row(a, i):
    return a[i]


@njit
def _column(a, i, j):
    return a[i, j]


@njit
def _put(a, i, j, k, x):
    a[i, j, k] = x


@njit
def _literals(a):
    return a[0, -1, 2], a[-1][1][-5], len(a), len(a[2]), a[1].shape, a[-1, 0].strides, a[0].size, a[1].nbytes


@njit
def _chained(a, i, x):
    row = a[i]
    row[1, 2] = x
    row[-1][0] = row[1][2]


def _array(kind):
    return (np.arange(60) % 7).astype(kind).reshape(SHAPE)


@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize('index', INDICES)
def test_every_kind_of_item_by_every_kind_of_index(kind, index):
    a = _array(kind)
    places = [(2, 3, 4), (0, 1, 2)] + ([(-1, -4, -5)] if np.iinfo(index).min < 0 else [])
    for place in places:
        i, j, k = map(index, place)
        assert _item(a, i, j, k) == a[place]
        assert_array_equal(_row(a, i), a[place[0]])
        assert_array_equal(_column(a, i, j), a[place[:2]])
        b, expected = a.copy(), a.copy()
        _put(b, i, j, k, kind(1))
        expected[place] = 1
        assert_array_equal(b, expected)


@settings(max_examples=50, deadline=None)
@given(st.tuples(*(st.integers(-n, n - 1) for n in SHAPE)), st.booleans())
def test_any_place(place, contiguous):
    """Arrays that are not contiguous are numba's matter."""
    a = _array(np.float64) if contiguous else _array(np.float64)[:, ::-1]
    assert _item(a, *place) == a[place]
    assert_array_equal(_row(a, place[0]), a[place[0]])
    b, expected = a.copy(), a.copy()
    _chained(b, place[0], 9.0)
    expected[place[0]][1, 2] = 9.0
    expected[place[0]][-1, 0] = 9.0
    assert_array_equal(b, expected)


def test_literals_sizes_and_strides():
    a = _array(np.float64)
    assert _literals(a) == (a[0, -1, 2], a[-1, 1, -5], 3, 4, (4, 5), (8,), 20, 160)


@pytest.mark.parametrize('shape', [(0,), (1,), (0, 3)])
def test_arrays_without_items(shape):
    @njit
    def length(a):
        return len(a)
    assert length(np.zeros(shape)) == shape[0]


def test_an_array_lives_as_long_as_its_rows():
    @njit
    def made(n):
        return np.full((n, 3), 7.0)[1]
    rows = [made(100) for _ in range(200)]
    filling = [np.zeros((100, 3)) for _ in range(200)]
    assert all((row == 7.0).all() for row in rows) and len(filling) == 200


def _through(a, n):
    total = 0.0
    for i in range(n):
        total += _norm(_scaled(a, i % len(a)))
    return total


def _kernels():
    def scaled(a, i):
        out = np.empty(len(a[i]))
        for k in range(len(out)):
            out[k] = 2.0 * a[i, k]
        return out

    def norm(row):
        part = row[:2]
        return part[0] + row[-1]
    return entries.dispatcher(scaled), entries.dispatcher(norm)


_scaled, _norm = _kernels()
_through = entries.entry(_through)
_through._cache = NullCache()   # compiled anew in each process: it tests the compiler


def test_references_are_given_back():
    """Of arrays that come from outside, and of those that kernels make and hand to others that count none."""
    from numba.core.runtime import _nrt_python, rtsys

    _nrt_python.memsys_enable_stats()
    a = np.arange(12.0).reshape(4, 3)
    _through(a, 1)
    references, before = sys.getrefcount(a), rtsys.get_allocation_stats()
    assert _through(a, 1000) == pytest.approx(sum(2 * (a[i % 4, 0] + a[i % 4, -1]) for i in range(1000)))
    after = rtsys.get_allocation_stats()
    assert sys.getrefcount(a) == references
    assert after.alloc - before.alloc == after.free - before.free


def kernel_of(function):
    """What is compiled as kernels are, anew in each process: it tests the compiler."""
    inner = entries.dispatcher(function)
    return entry(lambda *arguments: inner(*arguments))


@kernel_of
def _put_part(a, i, j, b):
    a[i:j] = b


@kernel_of
def _put_row(a, i, b):
    a[i] = b


@kernel_of
def _put_cell(a, i, j, b):
    a[i, j] = b


@njit
def _put_all(a, b):
    a[:] = b


@njit
def _put_first(a, b):
    a[0] = b


def _roll(a, k):
    a[k:] = a[:len(a) - k]
    a[:len(a) - k] = a[k:]


ENDS = st.integers(-5, 5)


@settings(max_examples=100, deadline=None)
@given(ENDS, ENDS, st.integers(0, 4), st.sampled_from([(4,), (3, 2), (2, 3, 2), (4, 0)]))
def test_parts_are_copied(i, j, n, shape):
    for kind in (np.float64, np.int8):
        ours, theirs = (np.arange(np.prod(shape)).reshape(shape).astype(kind) for _ in range(2))
        new = -np.ones((n, *shape[1:]), dtype=kind)
        if n == len(theirs[i:j]):
            theirs[i:j] = new
            _put_part(ours, i, j, new)
        else:
            with pytest.raises(ValueError, match='another shape'):
                _put_part(ours, i, j, new)
        assert_array_equal(ours, theirs)


@pytest.mark.parametrize('place', range(-3, 3))
def test_rows_and_cells_are_copied(place):
    ours, theirs = _array(np.float64), _array(np.float64)
    new = -np.arange(20.0).reshape(4, 5)
    theirs[place] = new
    _put_row(ours, place, new)
    theirs[place, -1] = new[0]
    _put_cell(ours, place, -1, new[0])
    assert_array_equal(ours, theirs)
    with pytest.raises(ValueError, match='another shape'):
        _put_row(ours, place, new[:3].copy())
    with pytest.raises(ValueError, match='another shape'):
        _put_cell(ours, place, 0, np.zeros(4))
    assert_array_equal(ours, theirs)


@pytest.mark.parametrize('k', range(6))
def test_parts_of_the_same_array_are_moved(k):
    ours, theirs = np.arange(12.0).reshape(6, 2), np.arange(12.0).reshape(6, 2)
    kernel_of(_roll)(ours, k)
    _roll(theirs, k)
    assert_array_equal(ours, theirs)


def test_what_is_no_mere_copy_is_numbas():
    """Other kinds and orders, single numbers, steps; rows that are spread over many, outside of kernels."""
    for new in (np.arange(6, dtype=np.int32), np.arange(12.0)[::2], 3.0, np.ones(1)):
        ours, theirs = np.zeros(6), np.zeros(6)
        _put_all(ours, new)
        theirs[:] = new
        assert_array_equal(ours, theirs)
    ours = np.zeros((3, 2))
    _put_all(ours, np.arange(6.0).reshape(2, 3).T)
    assert_array_equal(ours, np.arange(6.0).reshape(2, 3).T)
    for new in (np.array([7.0, 8.0]), np.array([[7.0, 8.0]])):
        _put_all(ours, new)
        assert_array_equal(ours, [[7.0, 8.0]] * 3)
    _put_first(ours, np.ones(1))
    assert_array_equal(ours[:2], [[1.0, 1.0], [7.0, 8.0]])


def test_arrays_without_dimensions():
    ours = np.zeros(3)
    for put in (_put_first, kernel_of(_put_first.py_func)):
        put(ours, np.array(5.0))
        assert_array_equal(ours, [5.0, 0.0, 0.0])
        ours[0] = 0.0

    @njit
    def whole(a, b):
        a[()] = b
    whole(ours, np.ones(3))
    assert_array_equal(ours, np.ones(3))


def test_kernels_may_put_arrays_into_dictionaries():
    @kernel_of
    def put(found, a):
        found[2] = a
    found = numba.typed.Dict.empty(numba.int64, numba.float64[::1])
    put(found, np.arange(3.0))
    assert_array_equal(found[2], np.arange(3.0))


@pytest.mark.parametrize('index', [2 ** 64 - 2, 2 ** 64 - 1])
def test_negative_numbers_that_were_unsigned(index):
    @kernel_of
    def both(a):
        found = 0.0
        for i in range(np.int64(np.uint64(index)), 0):
            found += a[i]
        return found, a[np.int64(np.uint64(index))]
    a = np.arange(1.0, 4.0)
    assert both(a) == (sum(a[index - 2 ** 64:]), a[index - 2 ** 64])
