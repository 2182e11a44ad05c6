# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Who tests a browser waits for the others, and the others wait for him."""
import os
import threading

import pytest
import whole_machine

BROWSER, OTHER = 'test/ros/test_page_hold.py::test_it', 'test/unit/test_files.py::test_it'
PATIENCE = 10.0     # s
A_WHILE = 0.2       # s in which one that need not wait would have begun


@pytest.fixture()
def begin(monkeypatch, tmp_path):
    """Begins a test in a thread of its own; an event that it has begun, and one that ends it."""
    monkeypatch.setattr(os, 'cpu_count', lambda: 2)
    threads = []

    def start(nodeid):
        begun, ends = threading.Event(), threading.Event()

        def test():
            with whole_machine.turn(nodeid, tmp_path):
                begun.set()
                ends.wait(PATIENCE)

        threads.append(threading.Thread(target=test))
        threads[-1].start()
        return begun, ends

    yield start
    for thread in threads:
        thread.join(PATIENCE)


def test_a_browser_waits_for_those_that_compute_and_who_comes_later_waits_for_it(begin):
    first, end_first = begin(OTHER)
    second, end_second = begin(OTHER)
    assert first.wait(PATIENCE)
    assert second.wait(PATIENCE)
    browser, end_browser = begin(BROWSER)
    assert not browser.wait(A_WHILE)
    late, end_late = begin(OTHER)
    end_first.set()
    assert not browser.wait(A_WHILE)
    end_second.set()
    assert browser.wait(PATIENCE)
    assert not late.wait(A_WHILE)
    end_browser.set()
    assert late.wait(PATIENCE)
    end_late.set()


def test_with_many_processors_there_is_room_for_both(begin, monkeypatch):
    monkeypatch.setattr(os, 'cpu_count', lambda: whole_machine.MOST + 1)
    ends = []
    for nodeid in (BROWSER, OTHER):
        begun, end = begin(nodeid)
        assert begun.wait(PATIENCE)
        ends.append(end)
    for end in ends:
        end.set()
