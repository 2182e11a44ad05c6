# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Copies between columns and rows, and looks at eight lanes, against numpy."""
import numpy as np
import pytest
from numba import config, njit
from numpy.testing import assert_array_equal

from hakoniwa_rigid.engine.constants import LANES
from hakoniwa_rigid.engine.maths import lanes
from hakoniwa_rigid.engine.model import layout as L
from hakoniwa_rigid.engine.model import motions
from hakoniwa_rigid.engine.model.arrays import LINE, in_lines

compiled = (lambda f: f) if config.DISABLE_JIT else njit


@compiled
def columns_of_3(source, start, target, first):
    lanes.columns_of_3(source, start, target, first)


@compiled
def copy_column(source, start, target, first):
    lanes.copy_column(source, start, target, first)


@compiled
def any_of_3(source, start):
    return lanes.any_of_3(source, start)


@compiled
def largest(source, start):
    return lanes.largest(source, start)


@compiled
def any_ball_overlaps(balls, first, room, x, y, z, r):
    return lanes.any_ball_overlaps(balls, first, room, x, y, z, r)


@pytest.mark.parametrize('n', [0, 1, 7, 8, 9, 16, 100])
@pytest.mark.parametrize(('first', 'width'), [(0, 3), (3, 4), (0, 7), (7, 3), (0, 13)])
def test_columns_become_rows_and_nothing_else_is_written(n, first, width):
    block = np.random.default_rng(n).normal(size=((n + LANES - 1) // LANES, L.BLOCK * LANES))
    rows = block.reshape(-1, L.BLOCK, LANES).transpose(0, 2, 1).reshape(-1, L.BLOCK)
    room = np.full((n + 1, width), np.nan)
    motions.read_columns(block, first, room[:n])
    assert_array_equal(room[:n], rows[:n, first:first + width])
    assert np.isnan(room[n]).all()


def test_rows_become_columns_and_nothing_else_is_written():
    load, target = np.random.default_rng(1).normal(size=(2, 11, 3)), np.full((2, 5 * LANES), np.nan)
    columns_of_3(load, 11 * 3 + 3 * 3, target, 6 * LANES)
    assert_array_equal(target[1].reshape(5, LANES)[1:4], load[1, 3:].T)
    assert np.isnan(target[0]).all() and np.isnan(target[1].reshape(5, LANES)[[0, 4]]).all()


def test_a_column_is_copied():
    source, target = np.arange(40.0), np.zeros((2, 16))
    copy_column(source, 9, target, 17)
    assert_array_equal(target.reshape(-1), [*np.zeros(17), *range(9, 17), *np.zeros(7)])


@pytest.mark.parametrize('value', [1e-320, -1.0, np.nan, np.inf])
def test_any_sees_each_number_and_no_other(value):
    for place in range(32):
        a = np.zeros((2, 16))
        a.reshape(-1)[place] = value
        assert any_of_3(a, 5) == (5 <= place < 29)


def test_minus_zero_is_nothing():
    assert not any_of_3(np.full((8, 3), -0.0), 0)


def test_the_largest_of_a_column():
    rng = np.random.default_rng(3)
    for _ in range(50):
        a = rng.normal(size=24)
        assert largest(a, 8) == a[8:16].max()


def test_balls_that_meet_are_seen_and_those_beyond_the_room_are_not():
    rng = np.random.default_rng(4)
    balls = rng.normal(size=(4, 60))
    balls[3] = np.abs(balls[3]) * 0.3
    met = 0
    for first in range(56):
        for room in range(-1, 6):
            x, r = rng.normal(size=3), 0.3
            end = first + max(min(room, lanes.HALF), 0)
            d = balls[:3, first:end] - x[:, None]
            expected = bool((np.square(d).sum(axis=0) <= np.square(balls[3, first:end] + r)).any())
            assert any_ball_overlaps(balls, first, room, *x, r) == expected
            met += expected
    assert met > 10


def test_arrays_in_lines_begin_where_a_line_does():
    for n in (1, 3, 100):
        a = in_lines(np.arange(n))
        assert a.ctypes.data % LINE == 0 and a.dtype == np.int64
        assert_array_equal(a, np.arange(n))
    assert in_lines(np.zeros((0, 3))).shape == (0, 3)
