# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The address by which other machines reach a server that listens at all addresses of this one."""
from __future__ import annotations

import ipaddress
import socket

# addresses for documentation (RFC 5737, RFC 3849): a route to them is that to anywhere, and nothing is sent
ANYWHERE = {4: ('192.0.2.1', socket.AF_INET), 6: ('2001:db8::1', socket.AF_INET6)}
PORT = 9    # discard


def reachable(host: str) -> str:
    """The host as others can type it: of 0.0.0.0 and :: the address of the network that leads on, this machine's name
    where none does."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if not address.is_unspecified:
        return host
    return _own(address.version) or socket.gethostname()


def _own(version: int) -> str:
    """The address from which this machine would send; '' where it has none that others reach.  Sends nothing."""
    target, family = ANYWHERE[version]
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((target, PORT))
            found = probe.getsockname()[0]
    except OSError:
        return ''
    address = ipaddress.ip_address(found.partition('%')[0])
    return '' if address.is_loopback or address.is_unspecified else str(address)
