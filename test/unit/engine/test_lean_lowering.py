# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Loops over ranges, as compiled here, are those of Python; which kernels count references."""
import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernels import entry

from hakoniwa_rigid.engine.maths import entries

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason='nothing is compiled')
END = st.integers(-30, 30)
HASH = 1_000_003


@entry
def one_end(stop):
    found = 0
    for i in range(stop):
        found = found * HASH + i
    return found


@entry
def two_ends(start, stop):
    found, i = 0, -99
    for i in range(start, stop):
        if i % 7 == 3:
            continue
        if i > 20:
            break
        found = found * HASH + i
    else:
        found += 1
    return found, i


@entry
def a_step(start, stop, step):
    found = 0
    for i in range(start, stop, step):
        found = found * HASH + i
    return found


@entry
def used_twice(start, stop):
    both, found = range(start, stop), 0
    for i in both:
        for j in range(i, stop):
            found = found * HASH + i - j
            for k in both:
                if k > j:
                    break
                found += k
    return found, len(both)


@entry
def changed_within(n):
    """The ends of a range are those of its beginning."""
    found, m = 0, n
    for i in range(m):
        m -= 1
        i += 5
        found = found * HASH + i * m
    return found


def wrapped(value):
    """As 64 bits have it."""
    return (value + 2 ** 63) % 2 ** 64 - 2 ** 63


@settings(max_examples=60, deadline=None)
@given(END, END, END.filter(bool))
def test_loops_are_those_of_python(start, stop, step):
    for each, ends in ((one_end, (stop,)), (a_step, (start, stop, step)), (changed_within, (stop,))):
        assert each(*ends) == wrapped(each.py_func(*ends))
    found, last = two_ends.py_func(start, stop)
    assert two_ends(start, stop) == (wrapped(found), last)
    found, count = used_twice.py_func(start, stop)
    assert used_twice(start, stop) == (wrapped(found), count)


@pytest.mark.parametrize('kind', [np.int8, np.int32, np.uint8, np.uint32, np.uint64])
def test_ends_of_other_kinds(kind):
    @entry
    def total(n):
        found = 0.0
        for i in range(n):
            found += i
        return found
    assert total(kind(5)) == 10.0 and total(kind(0)) == 0.0


def test_ends_from_a_tuple():
    @entry
    def total(ends):
        found = 0
        for i in range(*ends):
            found += i
        return found
    assert total((2, 5)) == 9 and total((5, 2, -1)) == 12

    @entry
    def from_two(ends):
        found = 0
        for i in range(2, *ends):
            found += i
        return found
    assert from_two((5,)) == 9 and from_two((9, 3)) == 15 and from_two(()) == 1


def test_a_range_at_the_end_of_all_numbers():
    most = 2 ** 63 - 1
    assert two_ends(most - 2, most)[1] == most - 2
    assert one_end(-most) == 0


def code_of(function, *arguments):
    """LLVM's code of a kernel, compiled for such arguments."""
    made = entries.dispatcher(function)

    @entry
    def call(*values):
        return made(*values)
    call(*arguments)
    compiled, = made.overloads.values()
    return str(compiled.library.alone())


def counts_references(function, *arguments):
    """Whether a kernel, compiled for such arguments, counts references."""
    return 'NRT_' in code_of(function, *arguments)


ROWS = np.arange(12.0).reshape(4, 3)


@pytest.mark.parametrize('counts, function', [
    (False, lambda a: a[1][2] + a[0, 0]),
    (False, lambda a: len(a[1:3]) + a.shape[0]),
    (True, lambda a: a[1]),
    (True, lambda a: (a[1], 2)),
    (True, lambda a: np.zeros(3)[1] + a[0, 0]),
    (True, lambda a: (a[0] + a[1])[2]),
    (True, lambda a: a[np.array([1, 2])][0, 0]),
])
def test_what_makes_or_returns_arrays_counts_references(counts, function):
    assert counts_references(function, ROWS) == counts


def _fill(rows, i, source):
    rows[i] = source[0]
    rows[1:3] = source[:2]
    for x in source[0]:
        rows[i, 0] += x
    for row in (rows[0], rows[1]):
        row[1] = 5.0
    return rows[i, 1]


def test_what_copies_parts_only_borrows():
    assert not counts_references(_fill, ROWS.copy(), 1, ROWS)
    made = entries.dispatcher(_fill)

    @entry
    def call(rows, i, source):
        return made(rows, i, source)
    ours, theirs = np.zeros((4, 3)), np.zeros((4, 3))
    assert call(ours, 1, ROWS) == _fill(theirs, 1, ROWS)
    assert (ours == theirs).all()


def _stack_places(function, *arguments):
    """How many variables of a kernel have a place on the stack."""
    return code_of(function, *arguments).count(' = alloca ')


def _once(x, a):
    y = x + 1.0
    z = (y, x)
    if x > 0.0:
        return z[0] * y + a[0]
    return y - z[1]


def _twice(x):
    y = x
    if x > 0.0:
        y = 2.0
    return y


def test_variables_that_are_assigned_in_one_place_need_no_stack():
    assert _stack_places(_once, 1.0, np.ones(2)) == 0
    assert _stack_places(_twice, 1.0) > 0
