# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The address by which other machines reach a server that listens at all addresses of this one."""
from __future__ import annotations

import ipaddress
import socket
import struct

from .errors import WebError

# addresses for documentation (RFC 5737, RFC 3849): a route to them is that to anywhere, and nothing is sent
ANYWHERE = {4: ('192.0.2.1', socket.AF_INET), 6: ('2001:db8::1', socket.AF_INET6)}
PORT = 9    # discard
# Linux: the IPv4 address of an interface, of a struct ifreq of 40 bytes, where it is the four bytes from 20 on
SIOCGIFADDR, IFREQ, ADDRESS_AT = 0x8915, '16s24x', 20
MOST_INTERFACES = 64


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


def lan_address(wanted: str = '') -> str:
    """The address of this machine that others in its network reach: the wanted one, else that of the network that leads
    on, else the first of an interface.  WebError where it has none, or the wanted one is not its own."""
    if wanted:
        return _checked(wanted)
    found = _own(4) or _of_interfaces() or _own(6)
    if not found:
        raise WebError('this machine is in no network: connect it to that of the headset (or open a hotspot), or reach '
                       'the page by a cable: adb reverse tcp:8765 tcp:8765 needs no --lan')
    return found


def _checked(wanted: str) -> str:
    try:
        address = ipaddress.ip_address(wanted)
    except ValueError:
        raise WebError(f'{wanted[:60]!r} is no address: one as 192.168.1.20 is wanted, of this machine') from None
    if address.is_unspecified or address.is_loopback or address.is_multicast:
        raise WebError(f'{address} is no address by which another machine reaches this one')
    try:
        with socket.socket(socket.AF_INET if address.version == 4 else socket.AF_INET6) as probe:
            probe.bind((str(address), 0))
    except OSError as error:
        raise WebError(f'{address} is no address of this machine: {error.strerror}') from error
    return str(address)


def _of_interfaces() -> str:
    """The first IPv4 address of an interface: a network without a way on, as that of a hotspot, has no route to
    anywhere.  '' where there is none, or the system does not tell."""
    try:
        from fcntl import ioctl
        names = [name for _, name in socket.if_nameindex()][:MOST_INTERFACES]
    except (ImportError, OSError):
        return ''
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for name in names:
            try:
                answer = ioctl(probe.fileno(), SIOCGIFADDR, struct.pack(IFREQ, name.encode()[:15]))
            except OSError:
                continue    # it has none
            address = ipaddress.ip_address(answer[ADDRESS_AT:ADDRESS_AT + 4])
            if not address.is_loopback and not address.is_unspecified:
                return str(address)
    return ''
