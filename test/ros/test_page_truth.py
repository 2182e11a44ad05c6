# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The page in a real browser against the real nodes says what is true: paused in every page, also in one that comes
later or is loaded anew; frozen when states stop, by the time of the last one, without numbers of before."""
from __future__ import annotations

import re
import time

import page_nodes
import pytest

pytest.importorskip('aiohttp', reason="pip install 'hakoniwa_rigid[web]'")

import browser
import harness

from hakoniwa_rigid.paths import world_file

pytestmark = [pytest.mark.ros, pytest.mark.slow]


@pytest.fixture(scope='module')
def report():
    """One run of the browser; each of the two processes stands still for some seconds in it."""
    browser.need_browser()
    with harness.bench() as bench:
        address = page_nodes.start(bench, world_file('demo_room'))
        node, _, viewer = bench.processes
        yield page_nodes.while_serving(bench, browser.try_truth, address, node.pid, viewer.pid)


def test_a_pause_is_known_to_every_page(report):
    """To one that comes later, to one that is loaded anew; all know when it ends."""
    assert report['stepIsOffered'] and report['reloaded'] and report['resumed']


@pytest.mark.parametrize('which', ['node', 'viewer'])
def test_a_page_without_states_is_frozen_since_the_last_one(report, which):
    """Within 1 s and a look, while the socket is open; it goes on saying so, and is live again when states come."""
    frozen = report['frozen'][which]
    assert 1000.0 <= frozen['after'] < 3000.0
    hours, minutes, seconds = map(int, re.fullmatch(r'frozen since (\d\d):(\d\d):(\d\d)', frozen['said']).groups())
    heard = time.localtime(frozen['heard'] / 1000.0)
    said, real = 60 * (60 * hours + minutes) + seconds, 60 * (60 * heard.tm_hour + heard.tm_min) + heard.tm_sec
    assert min((said - real) % 86400, (real - said) % 86400) <= 1
    assert frozen['still'] == frozen['said']
    assert frozen['then'] == 'live'


def test_numbers_that_are_stale_are_not_shown(report):
    """Of states where the node stands still; of the viewer, too, where that does."""
    before = report['before']
    assert all(before[name] != '–' for name in ('tick → page', 'round trip', 'viewers'))
    node, viewer = (report['frozen'][which]['shown'] for which in ('node', 'viewer'))
    assert (node['tick → page'], node['states']) == ('–', '0 Hz')
    assert node['round trip'] != '–' and node['viewers'] == '1'
    assert [viewer[name] for name in ('tick → page', 'round trip', 'viewers')] == ['–'] * 3
