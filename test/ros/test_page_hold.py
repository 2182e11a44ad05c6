# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Drones of the real nodes held in a real browser."""
from __future__ import annotations

import harness
import page_nodes
import pytest

pytest.importorskip('aiohttp', reason="pip install 'hakoniwa_rigid[web]'")

import browser

from hakoniwa_rigid.paths import world_file

pytestmark = [pytest.mark.ros, pytest.mark.slow]


@pytest.fixture(scope='module')
def report(tmp_path_factory):
    browser.need_browser()
    path = tmp_path_factory.mktemp('hold') / 'room.yaml'
    path.write_text(world_file('demo_room').read_text().replace('-9.80665', '0.0') + '\nscene: {hand_timeout: 3.0}\n')
    with harness.bench() as bench:
        address = page_nodes.start(bench, path, shared=('default_authority:=simulate',))
        yield page_nodes.while_serving(bench, browser.try_hold, address, 'carry')


def test_x(report):
    import json
    made = report['carry']
    open('/tmp/carry.json', 'w').write(json.dumps(made))
    print({k: v for k, v in made.items() if k != 'track'})
