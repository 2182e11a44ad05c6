# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A thread that is to be punctual has a timer slack of 1 us, one that is to be prompt the shortest slice, and so have
those that it makes; others keep theirs."""
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from hakoniwa_rigid.ros import punctual
from hakoniwa_rigid.ros.punctual import SLACK, SLICE, be_prompt, be_punctual, time_slice, timer_slack


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


sliced = pytest.mark.skipif(time_slice() == 0, reason='threads have slices of their own from Linux 6.12 on')


@sliced
def test_a_thread_and_those_that_it_makes_are_prompt():
    before, nice = time_slice(), os.getpriority(os.PRIO_PROCESS, 0)

    def work():
        return be_prompt(), time_slice(), of_a_thread(time_slice), os.getpriority(os.PRIO_PROCESS, 0)

    assert of_a_thread(work) == (True, SLICE, SLICE, nice)
    assert time_slice() == before


@sliced
def test_a_thread_of_another_class_stays_in_it():
    def work():
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
        return be_prompt(), os.sched_getscheduler(0)

    assert of_a_thread(work) == (False, os.SCHED_BATCH)


def test_a_system_without_it_is_no_matter(monkeypatch):
    monkeypatch.setattr(punctual.ctypes, 'CDLL', lambda _: object())
    assert not be_punctual() and not be_prompt()
    assert timer_slack() == -1 and time_slice() == 0


def test_a_machine_whose_calls_are_not_known_is_no_matter(monkeypatch):
    monkeypatch.setattr(punctual.platform, 'machine', lambda: 'riscv64')
    assert not be_prompt() and time_slice() == 0
