# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The address that is printed for a headset: one that can be typed there."""
import ipaddress
import socket

import pytest

from hakoniwa_rigid.web import lan_address
from hakoniwa_rigid.web.lan_address import reachable


@pytest.mark.parametrize('host', ['192.168.1.20', 'mylaptop.local', 'fd00::7'])
def test_a_host_that_was_chosen_stays(host):
    assert reachable(host) == host


@pytest.mark.parametrize('host', ['0.0.0.0', '::', '0::0'])
def test_all_addresses_become_one_that_others_can_reach(host):
    """An address of this machine on its network, else its name; never 0.0.0.0."""
    found = reachable(host)
    try:
        address = ipaddress.ip_address(found)
    except ValueError:
        assert found == socket.gethostname()
        return
    assert not address.is_unspecified and not address.is_loopback
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    with socket.socket(family, socket.SOCK_DGRAM) as own:
        own.bind((found, 0))    # it is one of ours


def test_without_a_network_it_is_the_name(monkeypatch):
    monkeypatch.setattr(lan_address, '_own', lambda version: '')
    assert reachable('0.0.0.0') == socket.gethostname()
