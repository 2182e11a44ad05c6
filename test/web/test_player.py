# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A static page in a real browser, from the disk and from a host of files; test/ros/test_demo.py has the one of a
flight of real nodes."""
import shutil

import browser
import numpy as np
import pytest
from recordings import WORLD, Live, fly_to_wall

from hakoniwa_rigid.cli import main

pytestmark = pytest.mark.slow


@pytest.fixture(scope='module')
def page(tmp_path_factory):
    """The page of a flight against a wall: three drones, a hand."""
    browser.need_browser()
    path = tmp_path_factory.mktemp('player')
    (path / 'lane.yaml').write_text(WORLD)
    live = Live(path / 'lane.yaml', path / 'flight')
    fly_to_wall(live, 140)
    live.recording.close()
    assert main(['page', str(live.recording.path), '-o', str(path / 'page')]) == 0
    return path / 'page'


@pytest.fixture(scope='module')
def report(page):
    return browser.try_player(str(page))


def test_it_opens_from_the_disk_and_from_a_host_and_needs_nothing_else(report):
    """Every request and every error of the browser is in the report's errors, which are none."""
    assert report['title'] == 'flight'
    for opened in (report['opened'], report['hosted']):
        assert (opened['time'], opened['playing']) == (0.0, False)
        assert list(opened['drones']) == ['d0', 'd1', 'd2']
    assert report['opened']['duration'] == pytest.approx(0.695)


def test_it_plays_stops_and_follows_the_slider(report):
    assert 0.02 < report['paused']['time'] < 0.695 and not report['paused']['playing']
    assert report['scrubbed']['time'] == pytest.approx(0.695)
    # d0 has come to the wall by then
    assert report['scrubbed']['drones']['d0'][0] == pytest.approx(1.9, abs=0.01)


def test_a_contact_of_the_list_is_led_to(report):
    first = report['contacts'][0]
    assert report['rows'] == len(report['contacts'])
    assert report['chosen']['time'] == pytest.approx(first['begin'] + 0.06, abs=1e-6)
    assert report['chosen']['bright'] > 0.02, 'share of bright pixels where the contact is'
    assert np.linalg.norm(first['impulse']) > 0.0


def test_it_is_used_by_keys_alone(report):
    contacts = [c['begin'] for c in report['contacts']]
    end = report['opened']['duration']
    step = [0.0, end, end, end, 0.0, *(min(contacts[k] + 0.06, end) for k in (0, 1, 0))]
    np.testing.assert_allclose(report['keys'], step, atol=1e-6)
    assert not report['playing']


@pytest.mark.parametrize('size', ['desktop', 'phone'])
def test_nothing_covers_anything_else_and_no_text_is_cut_off(report, size):
    width, height = {'desktop': (1280, 720), 'phone': (390, 844)}[size]
    boxes = {name: box for name, box in report[size]['boxes'].items() if box}
    for left, top, right, bottom in boxes.values():
        assert left >= 0 and top >= 0 and right <= width and bottom <= height
    names = sorted(boxes)
    for k, a in enumerate(names):
        for b in names[k + 1:]:
            one, other = boxes[a], boxes[b]
            apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
            assert apart, (a, b, one, other)
    assert report[size]['cut'] == []


def test_a_page_without_its_flight_says_so(page, tmp_path):
    broken = tmp_path / 'broken'
    shutil.copytree(page, broken)
    (broken / 'flight.js').write_text('flight({"format": 99});')
    text = browser.player_text(broken)
    assert text == 'This flight cannot be shown: flight.js has format 99, this player reads 1'
    (broken / 'flight.js').unlink()
    assert 'flight.js is missing or damaged' in browser.player_text(broken)
