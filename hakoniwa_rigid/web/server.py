# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The server: one port for the page and the socket, in a thread of its own.

    server = Server(settings, owner, channels, services, hands)     # WebError where it cannot run
    server.publish('/scene', now_ns, payload)                       # from any thread, never waits
    server.close()

Nothing here logs a request, so no log ever has a token.
"""
from __future__ import annotations

import asyncio
import logging
import re
import threading
from collections.abc import Iterable
from concurrent.futures import Future
from pathlib import Path

from aiohttp import web

from .access import COOKIE_LIFE, Door, Settings, tls_of
from .client import Client
from .errors import RefusedError, WebError
from .hub import Hub, Owner, Stats
from .lan_address import reachable
from .protocol import SUBPROTOCOLS, Channel, Service

SOCKET = '/ws'
NO_PAGE = ('The page is not built: npm was missing when this package was installed. In the source tree, with Node.js: '
           'make page. The socket works, so the Foxglove app does too: {}\n')
# the page has its own scripts and styles, and talks to the socket it came from; nothing else, from nowhere
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'{}; "
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'")
HEADERS = {'X-Content-Type-Options': 'nosniff', 'X-Frame-Options': 'DENY', 'Referrer-Policy': 'no-referrer',
           'Cache-Control': 'no-cache', 'Content-Security-Policy': POLICY.format(''),
           'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
           'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Resource-Policy': 'same-origin'}
# a Host header as it may stand in a policy
HOST = re.compile(r'[A-Za-z0-9.-]+(:\d+)?|\[[0-9A-Fa-f:.]+\](:\d+)?')
CODES = {'unauthorised': 401, 'too_many_tries': 429, 'too_many_connections': 503}
# s that a connection may take to send its first request, and how many may be waiting to
PATIENCE = 10.0
MOST_WAITING = 64
# connections that may be open beside the clients': browsers keep some for the page's files
MOST_OTHERS = 128
STOP = 5.0  # s

NOTHING = logging.getLogger(f'{__name__}.aiohttp')  # errors of single connections are the clients' affair
NOTHING.setLevel(logging.CRITICAL)


class Server:
    """See the module.  `address`: where the page is, without a token."""

    def __init__(self, settings: Settings, owner: Owner, channels: Iterable[Channel], services: Iterable[Service],
                 hands: Iterable[str]) -> None:
        self._tls = tls_of(settings)
        self._settings, self._door = settings, Door(settings)
        self.page = Path(settings.page) if settings.page else None
        self._hub = Hub(owner, channels, services, hands, settings.max_byte_rate)
        self._began: dict[object, float] = {}   # connections without a request so far
        self._known: set[object] = set()        # those that made one that was let in
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name='web', daemon=True)
        self._thread.start()
        try:
            self.port = self._run(self._open()).result()
        except OSError as error:
            self._end()
            raise WebError(f'host, port: cannot listen at {settings.host}:{settings.port}: {error}') from error
        name = 'localhost' if settings.loopback else reachable(settings.host)
        self.address = f'{settings.scheme}://{f"[{name}]" if ":" in name else name}:{self.port}/'

    @property
    def socket_address(self) -> str:
        """Where the socket is, without a token."""
        return 'ws' + self.address.removeprefix('http').rstrip('/') + SOCKET

    def publish(self, topic: str, time_ns: int, payload: bytes, delay_ns: int | None = None) -> None:
        """Hand a message over to the server's thread."""
        self._loop.call_soon_threadsafe(self._hub.publish, topic, time_ns, payload, delay_ns)

    def stats(self) -> Stats:
        """Counts so far."""
        return self._run(self._stats()).result()

    def close(self) -> None:
        """Close every connection and end the thread."""
        if self._thread.is_alive():
            self._run(self._shut()).result()
            self._end()

    def _run(self, work) -> Future:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _stats(self) -> Stats:
        return self._hub.stats()

    # in the thread

    async def _open(self) -> int:
        settings = self._settings
        app = web.Application(middlewares=[self._guard], logger=NOTHING)
        app.router.add_get(SOCKET, self._socket)
        app.router.add_get('/{path:.*}', self._file)
        self._runner = web.AppRunner(app, access_log=None, logger=NOTHING, handle_signals=False,
                                     shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, settings.host, settings.port, ssl_context=self._tls,
                           backlog=MOST_WAITING)
        await site.start()
        self._sweeper = asyncio.create_task(self._sweep())
        return self._runner.addresses[0][1]

    async def _shut(self) -> None:
        self._sweeper.cancel()
        for connection in self._runner.server.connections:
            if connection.transport is not None:
                connection.transport.abort()
        await asyncio.wait_for(self._runner.cleanup(), STOP)

    async def _sweep(self) -> None:
        """Cut off connections that say nothing, and the newest of too many: files are for those with a token."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(1.0)
            now, present = loop.time(), self._runner.server.connections
            self._known &= set(present)
            self._began = {c: self._began.get(c, now) for c in present if c not in self._known}
            silent = sorted(self._began, key=self._began.get)
            for place, connection in enumerate(silent):
                if (place >= MOST_WAITING or now - self._began[connection] > PATIENCE) and connection.transport:
                    self._hub.dropped['silent_connection'] += 1
                    connection.transport.abort()

    @web.middleware
    async def _guard(self, request: web.Request, handler):
        try:
            self._count_connections()
            self._door.check(request.host, request.query.get('token', ''), request.cookies.get(self._door.cookie, ''),
                             request.remote or '')
            if request.headers.get('Upgrade', '').lower() == 'websocket':
                self._door.check_origin(request.host, request.headers.get('Origin', ''))
                self._count_clients()
        except RefusedError as refused:
            self._hub.dropped[refused.cause] += 1
            answer = web.Response(status=CODES.get(refused.cause, 403), text=f'{refused}\n', headers=HEADERS)
            answer.force_close()
            return answer
        self._known.add(request.protocol)
        return await handler(request)

    def _count_connections(self) -> None:
        if len(self._runner.server.connections) > self._settings.max_clients + MOST_OTHERS:
            raise RefusedError('too_many_connections', 'there are too many connections')

    def _count_clients(self) -> None:
        if len(self._hub.clients) >= self._settings.max_clients:
            raise RefusedError('too_many_clients', f'there are {self._settings.max_clients} clients already')

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get('Upgrade', '').lower() != 'websocket':
            return web.Response(status=426, text='this is a WebSocket\n', headers=HEADERS)
        offered = [p.strip() for p in request.headers.get('Sec-WebSocket-Protocol', '').split(',')]
        if not set(SUBPROTOCOLS) & set(offered):
            self._hub.dropped['wrong_protocol'] += 1
            return web.Response(status=400, text=f'subprotocol: must be one of {", ".join(SUBPROTOCOLS)}\n')
        client = Client(self._hub, self._settings.max_rate, self._hub.dropped)
        return await client.serve(request, self._settings.max_message_size)

    async def _file(self, request: web.Request) -> web.StreamResponse:
        """A file of the page; the page itself brings the cookie. The app may look for the socket here, too."""
        if request.headers.get('Upgrade', '').lower() == 'websocket':
            return await self._socket(request)
        path = self._path(request.match_info['path'] or 'index.html')
        if path is None:
            built = self.page is not None and (self.page / 'index.html').is_file()
            text = 'no such file\n' if built else NO_PAGE.format(self.socket_address)
            answer: web.StreamResponse = web.Response(status=404 if built else 503, text=text, headers=HEADERS)
        else:
            answer = web.FileResponse(path, headers={**HEADERS, 'Content-Security-Policy': self._policy(request.host)})
        if self._settings.token and request.query.get('token'):
            answer.set_cookie(self._door.cookie, self._door.pass_word(), max_age=COOKIE_LIFE, httponly=True,
                              samesite='Strict', secure=self._tls is not None)
        return answer

    def _policy(self, host: str) -> str:
        """What the page may do; the socket is named, too, for browsers to which 'self' is http only."""
        scheme = 'wss' if self._tls else 'ws'
        return POLICY.format(f' {scheme}://{host}' if HOST.fullmatch(host) else '')

    def _path(self, name: str) -> Path | None:
        """The file of that name below the page's folder."""
        if self.page is None:
            return None
        try:
            path = (self.page / name).resolve(strict=True)
        except (OSError, ValueError):
            return None
        return path if path.is_file() and path.is_relative_to(self.page.resolve()) else None
