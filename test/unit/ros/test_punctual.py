# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A thread that is to be punctual has a timer slack of 1 us, and so have those that it makes; others keep theirs."""
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from hakoniwa_rigid.ros import punctual
from hakoniwa_rigid.ros.punctual import SLACK, be_punctual, timer_slack


def of_a_thread(work):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


@pytest.mark.skipif(not sys.platform.startswith('linux'), reason='Linux alone has a timer slack')
def test_a_thread_and_those_that_it_makes_are_punctual():
    before = timer_slack()

    def work():
        return be_punctual(), timer_slack(), of_a_thread(timer_slack)

    assert of_a_thread(work) == (True, SLACK, SLACK)
    assert timer_slack() == before


def test_a_system_without_it_is_no_matter(monkeypatch):
    monkeypatch.setattr(punctual.ctypes, 'CDLL', lambda _: object())
    assert not be_punctual()
    assert timer_slack() == -1
