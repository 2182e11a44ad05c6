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
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from .errors import RefusedError, WebError

LEAST_TOKEN = 16    # characters
LOCAL_NAMES = ('localhost', '127.0.0.1', '::1')
FOXGLOVE = 'https://app.foxglove.dev'


@dataclass(frozen=True)
class Settings:
    """Where to listen and what to take.  token: '' for none; certificate, key: PEM files, '' for none; origins: further
    pages that may open the socket; max_message_size: bytes; max_rate: messages per s and client; page: folder of the
    built page."""

    host: str = '127.0.0.1'
    port: int = 8765
    token: str = ''
    certificate: str = ''
    key: str = ''
    origins: tuple[str, ...] = (FOXGLOVE,)
    max_message_size: int = 65536
    max_rate: float = 500.0
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
        self.pass_word = secrets.token_urlsafe(32)  # value of the cookie; the token itself stays out of the browser

    def check(self, host: str, token: str, cookie: str) -> None:
        """Any request: the Host header, the token of the query, the cookie."""
        if self._settings.loopback and _name_of(host) not in LOCAL_NAMES:
            raise RefusedError('foreign_host', 'the server is known as localhost only')
        if self._settings.token and not (_equal(token, self._settings.token) or _equal(cookie, self.pass_word)):
            raise RefusedError('unauthorised', 'a token is needed')

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
