# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Which kernels are copied into what calls them, which are called without asking for errors, and that errors arrive."""
import gc
import math

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernels import entry
from llvmlite.ir import Module
from numba import njit, objmode

from hakoniwa_rigid.engine.maths import entries
from hakoniwa_rigid.engine.maths.lean_calls import MOST_COPIED

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason='nothing is compiled')
NUMBERS = st.floats(allow_nan=True, allow_infinity=True, width=32) | st.just(-0.0)


def lowered(function, *arguments):
    """What is known of a kernel, compiled for such arguments, and LLVM's code of what calls it."""
    made = entries.dispatcher(function)

    @entries.dispatcher
    def between(*values):
        return made(*values)

    @entry
    def call(*values):
        return between(*values)
    call(*arguments)
    (compiled,), (caller,) = made.overloads.values(), between.overloads.values()
    return compiled.library.lowered, str(caller.library.alone())


def _straight(x):
    return 2.0 * x, x + 1.0


def _many(x):
    for _ in range(3):
        x += 1.0
    return x


def _refusing(x):
    if x < 0.0:
        raise ValueError('below')
    return x


def _long(x):
    x = (x * x + x) * (x - 1.0) * (x * x + x) * (x - 2.0) * (x * x + x) * (x - 3.0) * (x * x + x) * (x - 4.0)
    x = (x * x + x) * (x - 1.0) * (x * x + x) * (x - 2.0) * (x * x + x) * (x - 3.0) * (x * x + x) * (x - 4.0)
    return (x * x + x) * (x - 1.0) * (x * x + x) * (x - 2.0) * (x * x + x) * (x - 3.0) * (x * x + x) * (x - 4.0)


@pytest.mark.parametrize('function, never_raises, copied', [
    (_straight, True, True), (_many, True, False), (_refusing, False, False), (_long, True, False),
    (lambda x: math.sqrt(x), True, True), (lambda x: (x, (1, x)), True, True)])
def test_what_is_known_of_a_kernel(function, never_raises, copied):
    known, caller = lowered(function, 2.0)
    assert known.never_raises == never_raises
    assert (known.body is not None) == copied
    assert len(known.body or ()) <= MOST_COPIED
    assert (' call i32 ' in caller) == (not copied)


@entries.dispatcher
def _refuse(x):
    if x > 2:
        raise ValueError('too many')
    return x


@entries.dispatcher
def _through(x):
    return _refuse(x) + 1


@entry
def _outside(x):
    found = 0
    for k in range(x):
        found += _through(k)
    return found


def test_errors_arrive_through_all_that_calls():
    assert _outside(3) == 6
    with pytest.raises(ValueError, match='too many'):
        _outside(10)


@entries.dispatcher
def _itself(n):
    return 1 if n < 2 else n * _itself(n - 1)


def test_a_kernel_may_call_itself():
    @entry
    def factorial(n):
        return _itself(n)
    assert factorial(6) == 720


def test_defaults_and_names_of_arguments():
    @entries.dispatcher
    def line(x, slope=2.0, shift=1.0):
        return slope * x + shift

    @entry
    def all_ways(x):
        return line(x), line(x, 3.0), line(x, shift=0.5), line(shift=4.0, x=x), line(*(x, 1.0))
    assert all_ways(10.0) == (21.0, 31.0, 20.5, 24.0, 11.0)


def test_flags_are_taken_and_given():
    """numba keeps them in other sizes inside and outside of functions."""
    @entries.dispatcher
    def both(p, q):
        return p and q

    @entries.dispatcher
    def other(p):
        return not p

    @entry
    def table(p, q):
        return both(p, q), other(p), both(other(p), q)
    for p in (False, True):
        for q in (False, True):
            assert table(p, q) == (p and q, not p, not p and q)


def test_one_kernel_for_all_literals():
    made = entries.dispatcher(lambda x, k: x * k)

    @entry
    def call(x):
        return made(x, 1) + made(x, 2) + made(x, k=3)
    assert call(2.0) == 12.0
    assert len(made.overloads) == 1


@entry
def _extremes(x, y, z):
    return min(x, y), max(x, y), min(x, y, z), max(z, y, x), min(x, 0), max(1, y)


@njit
def _numbas(x, y, z):
    return min(x, y), max(x, y), min(x, y, z), max(z, y, x), min(x, 0), max(1, y)


@settings(max_examples=200, deadline=None)
@given(NUMBERS, NUMBERS, NUMBERS)
def test_least_and_greatest_are_those_of_python(x, y, z):
    def bits(numbers):
        return np.array(numbers, dtype=np.float64).view(np.int64).tolist()
    assert bits(_extremes(x, y, z)) == bits(_numbas(x, y, z)) == bits(_extremes.py_func(x, y, z))


def test_least_and_greatest_of_whole_numbers():
    found = _extremes(3, np.int32(-2), 5)
    assert found == (-2, 3, -2, 5, 0, 1) and all(isinstance(each, int) for each in found)


def test_an_entry_may_look_back_into_python():
    """numba compiles the rest of it from its own form, not from Python's."""
    @entry
    def mixed(x):
        with objmode(y='float64'):
            y = float(str(x)) * 2.0
        return x + y
    assert mixed(2.0) == 6.0


def test_kernels_that_catch_errors():
    """They keep what they caught where their caller would have it."""
    @entries.dispatcher
    def caught(x):
        try:
            return _through(x)
        except Exception:
            return -1

    @entry
    def call(x):
        return caught(x) + caught(x + 1)
    assert call(1) == 5 and call(2) == 2 and call(7) == -2


def test_code_of_kernels_that_are_not_copied_is_let_go():
    gc.collect()
    before = sum(type(each) is Module for each in gc.get_objects())
    lowered(_many, 2.0)
    gc.collect()
    assert sum(type(each) is Module for each in gc.get_objects()) <= before


def test_reads_and_writes_stay_in_order():
    @entries.dispatcher
    def take(a, i):
        return a[i]

    @entries.dispatcher
    def put(a, i, x):
        a[i] = x

    @entry
    def shuffle(a):
        first = take(a, 0)
        put(a, 0, take(a, 1))
        put(a, 1, first)
        a[2] = take(a, 0) + first
        return take(a, 2)
    a = np.array([1.0, 2.0, 0.0])
    assert shuffle(a) == 3.0 and a.tolist() == [2.0, 1.0, 3.0]
