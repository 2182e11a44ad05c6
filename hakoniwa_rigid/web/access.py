# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Who may talk to the server: settings checked before it starts, and every request against them.

On a loopback address every user of this machine may, but no foreign page in a browser there: the names of host and
origin are checked, so that neither a link nor a rebound DNS name gets in.  On any other address a token and TLS are
required.  A page that brought the token gets a cookie, with which the browser loads the rest.
"""
from __future__ import annotations

import hmac
import ipaddress
import secrets
import ssl
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from .allowance import Allowance
from .errors import RefusedError, WebError

LEAST_TOKEN = 16    # characters
# wrong tokens of one address: so many at once, and again so many in so many s; addresses that are remembered
MOST_TRIES, TRIES_TIME, MOST_ADDRESSES = 10, 60.0, 1024
COOKIE_LIFE = 12 * 3600     # s
MOST_DIGITS = 12
LOCAL_NAMES = ('localhost', '127.0.0.1', '::1')
FOXGLOVE = 'https://app.foxglove.dev'


@dataclass(frozen=True)
class Settings:
    """Where to listen and what to take.  token: '' for none; certificate, key: PEM files, '' for none; origins: further
    pages that may open the socket; max_message_size: bytes; max_rate, max_byte_rate: messages and bytes per s and
    client; page: folder of the built page."""

    host: str = '127.0.0.1'
    port: int = 8765
    token: str = ''
    certificate: str = ''
    key: str = ''
    origins: tuple[str, ...] = (FOXGLOVE,)
    max_message_size: int = 65536
    max_rate: float = 500.0
    max_byte_rate: float = 2e6
    max_clients: int = 16
    page: str = ''

    @property
    def scheme(self) -> str:
        """http or https."""
        return 'https' if self.certificate else 'http'

    @property
    def loopback(self) -> bool:
        """Whether only this machine can connect."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == 'localhost'


def tls_of(settings: Settings) -> ssl.SSLContext | None:
    """Check the settings, and read certificate and key.  WebError."""
    if settings.token and len(settings.token) < LEAST_TOKEN:
        raise WebError(f'token: must have at least {LEAST_TOKEN} characters, got {len(settings.token)}')
    if bool(settings.certificate) != bool(settings.key):
        raise WebError('certificate, key: must both be given, or neither')
    if not settings.loopback:
        lacking = [name for name in ('token', 'certificate', 'key') if not getattr(settings, name)]
        if lacking:
            raise WebError(f'host: {settings.host} can be reached from other machines, which needs {", ".join(lacking)}'
                           '; hakoniwa-rigid certificate makes a pair of certificate and key')
    if not settings.certificate:
        return None
    for name in ('certificate', 'key'):
        if not Path(getattr(settings, name)).is_file():
            raise WebError(f'{name}: no such file: {getattr(settings, name)}')
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(settings.certificate, settings.key)
    except (ssl.SSLError, OSError) as error:
        raise WebError(f'certificate, key: {settings.certificate} and {settings.key} are no pair: {error}') from error
    return context


class Door:
    """Lets requests in, or raises RefusedError."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.cookie = f'hakoniwa_rigid_{settings.port}'
        self._secret = secrets.token_bytes(32)  # signs the cookies; the token itself stays out of the browser
        self._tries: dict[str, Allowance] = {}

    def pass_word(self) -> str:
        """A new value of the cookie: when it ends, on the clock of this process, and a signature."""
        return self._signed(str(int(time.monotonic()) + COOKIE_LIFE))

    def _signed(self, end: str) -> str:
        return f'{end}.{hmac.digest(self._secret, end.encode(), "sha256").hex()}'

    def _is_pass_word(self, cookie: str) -> bool:
        end = cookie.partition('.')[0]
        is_number = end.isascii() and end.isdecimal() and len(end) <= MOST_DIGITS
        return is_number and _equal(cookie, self._signed(end)) and time.monotonic() < int(end)

    def check(self, host: str, token: str, cookie: str, address: str = '') -> None:
        """Any request: the Host header, the token of the query, the cookie, the address that it comes from."""
        if self._settings.loopback and _name_of(host) not in LOCAL_NAMES:
            raise RefusedError('foreign_host', 'the server is known as localhost only')
        if not self._settings.token or self._is_pass_word(cookie):
            return
        if token:
            # also a right one is not looked at while there are too many wrong ones
            tries = self._tries_of(address)
            if not tries.take():
                raise RefusedError('too_many_tries', 'too many wrong tokens; try again in a minute')
            if _equal(token, self._settings.token):
                tries.give_back()
                return
        raise RefusedError('unauthorised', 'a token is needed')

    def _tries_of(self, address: str) -> Allowance:
        """Of an address; of the oldest where there are too many, what it did is forgotten."""
        made = self._tries.pop(address, None) or Allowance(MOST_TRIES / TRIES_TIME, MOST_TRIES)
        self._tries[address] = made
        if len(self._tries) > MOST_ADDRESSES:
            del self._tries[next(iter(self._tries))]
        return made

    def check_origin(self, host: str, origin: str) -> None:
        """A request for the socket: the page that asks.  Programs that are no browsers name none."""
        if not origin or origin in self._settings.origins:
            return
        if origin.lower() != f'{self._settings.scheme}://{host}'.lower():
            raise RefusedError('foreign_origin', 'this page may not open the socket')


def _name_of(host: str) -> str:
    """A Host header without its port; '' where it is none."""
    try:
        return urlsplit(f'//{host}').hostname or ''
    except ValueError:
        return ''


def _equal(given: str, wanted: str) -> bool:
    # headers may hold any bytes
    return hmac.compare_digest(given.encode('utf8', 'surrogateescape'), wanted.encode())
