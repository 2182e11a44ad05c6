# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Users of emulated headsets in the page of the real nodes, in the world of `demo --ar`: drones before them at the
start, and each other's heads by the viewer's socket."""
from __future__ import annotations

import harness
import numpy as np
import page_nodes
import pytest

pytest.importorskip('aiohttp', reason="pip install 'hakoniwa_rigid[web]'")

import browser

from hakoniwa_rigid.paths import world_file
from hakoniwa_rigid.ros.demo.demo_options import AR_WORLD

pytestmark = [pytest.mark.ros, pytest.mark.slow]


@pytest.fixture(scope='module')
def report():
    browser.need_browser()
    with harness.bench() as bench:
        address = page_nodes.start(bench, world_file(AR_WORLD))
        return page_nodes.while_serving(bench, browser.try_room, '--address', address, '--parts', 'start,two')


def test_drones_are_at_arms_length_before_the_user(report):
    """The first one straight ahead, the others beside it; none behind."""
    drones = {drone['name']: drone for drone in report['start']['drones']}
    assert len(drones) == 3
    browser.assert_before_the_user(drones['d0'], 0.25)     # half of its box, m
    for name, side in (('d1', -1.0), ('d2', 1.0)):
        assert 0.3 < drones[name]['ahead'] < 0.8
        assert 0.3 < side * drones[name]['right'] < 0.6


def test_two_users_share_the_room(report):
    two = report['two']
    np.testing.assert_allclose(two['there'], two['here'], atol=1e-3)
    np.testing.assert_allclose(two['avatar'], two['head'], atol=5e-3)
    assert two['left']
