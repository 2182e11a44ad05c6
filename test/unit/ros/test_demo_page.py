# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The address that the demo prints: whole, with the token of the viewer's parameters."""
from types import SimpleNamespace

import pytest

from hakoniwa_rigid.ros.demo.demo_page import address_of

LOG = ('[INFO] [viewer]: page: https://192.168.1.20:8765/  socket: wss://192.168.1.20:8765/ws  '
       '(behind both: ?token= and the parameter token)\n')


@pytest.fixture
def viewer(tmp_path):
    (tmp_path / 'viewer.log').write_text(LOG)
    return SimpleNamespace(log=tmp_path / 'viewer.log')


@pytest.mark.parametrize('key', ['/**', 'viewer', '/ns/viewer'])
def test_the_token_is_in_the_address(viewer, tmp_path, key):
    params = tmp_path / 'viewer.yaml'
    params.write_text(f'{key}: {{ros__parameters: {{host: 0.0.0.0, token: put-16-letters/or more&here}}}}\n')
    assert address_of(viewer, params) == 'https://192.168.1.20:8765/?token=put-16-letters%2For%20more%26here'


@pytest.mark.parametrize('text', ['', '[1, 2]', 'viewer: 3', 'a: {ros__parameters: {token: of-another-node-here}}',
                                  '/**: {ros__parameters: {port: 1}}', '{: nonsense'])
def test_a_file_without_a_token_adds_nothing(viewer, tmp_path, text):
    params = tmp_path / 'viewer.yaml'
    params.write_text(text)
    assert address_of(viewer, params) == 'https://192.168.1.20:8765/'
    assert address_of(viewer) == 'https://192.168.1.20:8765/'


def test_before_the_viewer_has_said_it_there_is_none(tmp_path):
    assert address_of(SimpleNamespace(log=tmp_path / 'no.log')) == ''
