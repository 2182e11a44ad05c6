# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The line that says that kernels are compiled: on a terminal only, and only where there is something to compile."""
import io

import pytest
from numba import config, njit

from hakoniwa_rigid import kernel_cache
from hakoniwa_rigid.progress import FEW, WHAT, reporting, shown


class Terminal(io.StringIO):
    """What looks like one."""

    def isatty(self):
        return True


def text(file, calls):
    """What is written while a new kernel is called so many times."""
    kernel = njit(lambda x: x + 1)
    with shown(file):
        for _ in range(calls):
            kernel(1)
    return file.getvalue()


@pytest.mark.skipif(config.DISABLE_JIT, reason='nothing is compiled')
def test_the_line_comes_and_goes():
    written = text(Terminal(), 2)
    assert written.startswith(f'\r{WHAT}: 0 kernels, 00:00') and written.endswith('\r')


def test_nothing_where_nothing_is_compiled():
    assert text(Terminal(), 0) == ''


def test_nothing_where_there_is_no_terminal():
    assert text(io.StringIO(), 1) == ''


def test_one_line_is_enough():
    outer, inner = Terminal(), Terminal()
    with shown(outer):
        text(inner, 1)
    assert inner.getvalue() == ''


def test_an_error_goes_on():
    with pytest.raises(ZeroDivisionError), shown(Terminal()):
        raise ZeroDivisionError


@pytest.mark.skipif(config.DISABLE_JIT, reason='nothing is compiled')
def test_a_log_gets_one_line_and_only_of_what_is_compiled():
    said, kernel = [], njit(lambda x: x + 1)
    with reporting(said.append):
        assert said == []
        kernel(1)
        kernel(1.0)
    assert said == [WHAT]
    with reporting(said.append):
        kernel(1)
    assert said == [WHAT]


@pytest.mark.skipif(config.DISABLE_JIT, reason='nothing is compiled')
def test_minutes_are_said_only_where_they_are_to_come(monkeypatch):
    """A kernel that is missing beside an engine that is there takes seconds."""
    for filled, true in ((False, WHAT), (True, FEW)):
        monkeypatch.setattr(kernel_cache, 'is_filled', lambda filled=filled: filled)
        said, file = [], Terminal()
        with reporting(said.append, kernel_cache.what_is_missing()), shown(file, kernel_cache.what_is_missing()):
            njit(lambda x: x + 1)(1)
        assert said == [true] and f'\r{true}: ' in file.getvalue()
    assert 'minutes' in WHAT and 'minutes' not in FEW
