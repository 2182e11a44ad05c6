# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Drones of the real nodes are held in a real browser: by mouse, finger, keys and gamepad, in several pages at once."""
from __future__ import annotations

import re

import harness
import numpy as np
import page_nodes
import pytest

pytest.importorskip('aiohttp', reason="pip install 'hakoniwa_rigid[web]'")

import browser

from hakoniwa_rigid.paths import world_file

pytestmark = [pytest.mark.ros, pytest.mark.slow]
# weightless, without a plan: what is thrown flies on evenly.  One is observed, one has a plan.  A hand stays through
# pauses of a busy browser; four pages get half as many states as they would, so that they have time for hands
AUTHORITIES = {'d0': 'simulate', 'd1': 'observe', 'd2': 'correct', 'd3': 'simulate', 'd4': 'simulate', 'd5': 'simulate'}
SCENE = '\nscene: {hand_timeout: 8.0}\n'
PARTS = ('observe', 'plan', 'tabs', 'touch', 'pad', 'keys', 'carry')
# m: of a drone that was dragged by the hand, off where the pointer is; the camera sees it from 3.4 m
OFF = 0.06
# of the speed of a throw, of the median of three: pauses of a busy browser are no motion of a hand
TOLERANCE = 0.2


@pytest.fixture(scope='module')
def report(tmp_path_factory):
    """One run of the browser against the demo's room."""
    browser.need_browser()
    text = world_file('demo_room').read_text().replace('-9.80665', '0.0') + SCENE
    for name, authority in AUTHORITIES.items():
        text = text.replace(f'name: {name}, model: unity,', f'name: {name}, model: unity, authority: {authority},')
    path = tmp_path_factory.mktemp('hold') / 'room.yaml'
    path.write_text(text)
    with harness.bench() as bench:
        yield page_nodes.while_serving(bench, browser.try_hold, page_nodes.start(bench, path, 'rate:=100.0'), *PARTS)


def along(vector, direction):
    """Part of a vector along a direction, and the size of what is across it."""
    unit = np.array(direction) / np.linalg.norm(direction)
    part = float(np.dot(vector, unit))
    return part, float(np.linalg.norm(np.array(vector) - part * unit))


def test_what_is_pressed_is_held_and_not_pushed(report):
    """The node has taken hold of the drone where it was, and no contact has pushed it."""
    made = report['carry']
    assert made['status'] == 'holding d0'
    assert made['body'] == 'mouse'
    assert np.linalg.norm(made['moved']) < 0.02
    assert made['contacts'] == []


def test_it_follows_the_pointer_and_the_wheel_moves_it_away(report):
    made = report['carry']
    part, across = along(made['dragged'], made['right'])
    assert part == pytest.approx(0.3, abs=OFF)
    assert across < OFF
    part, across = along(made['deeper'], made['away'])
    assert part > 0.5
    assert across < 0.15


def test_it_flies_on_with_the_velocity_of_the_pointer(report):
    """Three throws to the right at 1.2 m/s, by the px/ms of the pointer and the px/m at the drone."""
    thrown = report['carry']['thrown']
    parts = [along(each['velocity'], each['right']) for each in thrown]
    assert np.median([part for part, _ in parts]) == pytest.approx(thrown[0]['speed'], rel=TOLERANCE), parts
    assert sum(across < 0.2 * part for part, across in parts) >= 2, parts
    assert all(f'threw {each["drone"]}' in ' '.join(each['words']) for each in thrown)


def test_one_that_is_observed_does_not_move_and_the_page_says_so(report):
    made = report['observe']
    assert 'only observed' in made['status']
    assert np.linalg.norm(made['moved']) < 0.01


def test_one_with_a_plan_goes_back_and_the_page_says_so(report):
    made = report['plan']
    assert np.linalg.norm(made['moved']) > 0.2
    assert 'released d2: it returns to its plan' in made['words']


def test_one_finger_holds_and_two_move_the_camera(report):
    made = report['touch']
    assert made['phase'] == 'idle'
    assert made['turned'] > 5.0 or made['grown'] > 1.1
    part, across = along(made['dragged'], made['right'])
    assert part == pytest.approx(0.3, abs=OFF)
    assert across < OFF


def test_keys_alone_choose_hold_move_and_throw(report):
    """Every step is said; after Escape, Tab leaves the picture; no control is without a name."""
    made = report['keys']
    assert made['chosen']['chosen'] == 'd3'
    assert 'Enter holds it' in made['chosen']['status']
    part, across = along(made['moved'], made['right'])
    assert part > 0.3
    assert across < 0.1
    assert np.linalg.norm(made['velocity']) > 1.0
    assert [word for word in ('reaching for d3', 'holding d3', 'threw d3') if word in ' '.join(made['words'])] == [
        'reaching for d3', 'holding d3', 'threw d3']
    assert made['left']
    assert made['unnamed'] == 0


def test_a_gamepad_does_too(report):
    part, across = along(report['pad']['moved'], report['pad']['right'])
    assert part > 0.15
    assert across < 0.1


def test_every_page_has_a_hand_of_its_own_or_is_told_who_has_it(report):
    made = report['tabs']
    assert sorted(made['bodies']) == ['left', 'mouse', 'right']
    assert made['phases'] == ['held'] * 3
    assert any('is moved by page' in word for word in made['words'])
    assert made['then'] == made['left']


def test_a_grip_that_fails_looks_failed():
    """A node that lets no hand take hold: it tries, says that it could not, and sends no hand any more."""
    made = browser.try_hold('', 'misses')['misses']
    # before the press: it is seen, with its distances, and sends nothing
    assert re.fullmatch(r'\d\.\d\d m away, \d\.\d\d m up', made['hover']['label'])
    assert made['hover']['changed'] > 0.05
    assert made['hover']['sent'] == 0
    assert made['words'][0] == 'reaching for d0'
    assert 'could not take hold of d0' in made['words']
    assert made['sent'] == made['later'] > 10
