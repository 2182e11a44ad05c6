# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The judges themselves: they find what is broken, and only that."""
from __future__ import annotations

import time

import pytest
from guard_page import PAGE, at_page_end

from fuzz import apart, cases, scene_case, shrink
from fuzz.judging import BrokenPromiseError, Meter
from fuzz.values import Chance
from hakoniwa_rigid.scene import CollisionScene

PLAIN = {'kind': 'scene', 'world': {
    'drones': [['d0', 'box', 'correct', [0.0, 0.0, 1.0]]], 'walls': [], 'objects': [], 'hands': [], 'mass': None,
    'contact': None, 'solver': 'sequential', 'gravity': True, 'proximity': 0.0, 'max_steps': 100,
    'integrator': 'exact'},
    'ops': [['pose', 'd0', 0, [0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0], None], ['tick', 5_000_000]] * 4}


def test_a_calm_case_passes():
    cases.judge(PLAIN, Meter())


@pytest.mark.parametrize('kind', ['scene', 'messages', 'worlds', 'meshes', 'hands'])
def test_equal_seeds_give_equal_cases(kind):
    assert repr(cases.make(kind, 3, 5)) == repr(cases.make(kind, 3, 5)) != repr(cases.make(kind, 3, 6))


def test_an_exception_is_found(monkeypatch):
    def broken(self, *_):
        raise KeyError('broken')
    monkeypatch.setattr(CollisionScene, 'feed_drone', broken)
    with pytest.raises(BrokenPromiseError, match='feed_drone KeyError'):
        cases.judge(PLAIN, Meter())


def test_a_slow_call_is_found():
    def busy():
        while time.process_time() < end:
            pass
    end = time.process_time() + 1.1
    with pytest.raises(BrokenPromiseError, match='slow busy'):
        Meter().call('busy', busy)
    end = time.process_time() + 1.1
    with pytest.raises(BrokenPromiseError, match='crowd busy'):
        Meter(crowd=lambda result: 3).call('busy', busy)


def test_a_changed_bit_of_a_healthy_drone_is_found(monkeypatch):
    """What a sick one is sent makes the healthy one's velocity differ in its last bit."""
    feed = CollisionScene.feed_drone

    def leaking(self, name, *args):
        if name == 'd0':
            self._leaks = True
        return feed(self, name, *args)
    monkeypatch.setattr(CollisionScene, 'feed_drone', leaking)
    check = scene_case.Run._check

    def checked(self, tick):
        if getattr(self.scene, '_leaks', False):
            tick.states.positions[-1, 0] += 1e-12
        check(self, tick)
    monkeypatch.setattr(scene_case.Run, '_check', checked)
    with pytest.raises(BrokenPromiseError, match='healthy bits changed'):
        cases.judge(PLAIN, Meter())


def test_reading_behind_the_end_ends_the_process():
    """The array ends at a page that may not be touched: a judge that reads on dies, and that is reported."""
    data = at_page_end(b'abc')
    assert bytes(data) == b'abc' and (data.ctypes.data + 3) % PAGE == 0
    assert bytes(at_page_end(b'x' * (3 * PAGE + 1))) == b'x' * (3 * PAGE + 1)


def test_a_case_that_dies_is_reported(monkeypatch):
    import ctypes

    def read_on(case, meter):
        ctypes.string_at(at_page_end(b'abc').ctypes.data, 4)
    monkeypatch.setattr(cases, 'judge', read_on)
    assert apart.fate(PLAIN)[0] == 'died of SIGSEGV'


def test_shrinking_keeps_what_is_needed():
    """Of twenty operations the failure needs two."""
    case = {'ops': [['tick', k] for k in range(20)]}
    small = shrink.smaller(case, lambda c: {3, 17} <= {op[1] for op in c['ops']}, seconds=60.0)
    assert [op[1] for op in small['ops']] == [3, 17]


def test_chances_are_seeded():
    assert Chance(7).normal(1.0) == Chance(7).normal(1.0)
