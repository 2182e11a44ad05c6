# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""One client of the socket: reads its frames, holds it to its rates, sends what it subscribed to."""
from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections import Counter
from typing import TYPE_CHECKING

from aiohttp import WebSocketError, WSCloseCode, WSMsgType, web

from . import protocol
from .allowance import Allowance
from .errors import RefusedError
from .outbox import Outbox

if TYPE_CHECKING:
    from .hub import Hub

# bytes that the system and asyncio may hold for a client: what lies there can no longer be replaced by newer
SEND_BUFFER = 131072
WRITE_BUFFER = 32768
# s between pings; a client that does not answer within half of it is gone
HEARTBEAT = 10.0
# s; a client gets a message on one cause at most so often
QUIET = 5.0
# a client that has been refused so many seconds' worth of messages is closed; a second forgives a second's worth
FLOOD = 10.0
# s in which a client can receive that it is closed
FAREWELL = 1.0
# of subscriptions and of advertised channels
MOST_ENTRIES = 256
# changes of them at once, and per s: each may cost a new reader in ROS, or a scene of some MB
MOST_CHANGES, CHANGES_RATE = 256, 10.0
# s that a client is not read after a message too many: it waits, and not the others
PAUSE = 0.005
# s, the longest that a client is not read after many bytes: its answer to a ping has to come through
LONGEST_PAUSE = 4.0


class Client:
    """A connection, from its first frame to its last."""

    def __init__(self, hub: Hub, max_rate: float, dropped: Counter[str]) -> None:
        self._hub, self._dropped = hub, dropped
        self._allowance, self._flood = Allowance(max_rate), FLOOD * max_rate
        self._bytes = Allowance(hub.byte_rate())
        self._changes = Allowance(CHANGES_RATE, MOST_CHANGES)
        self.outbox = Outbox(dropped, hub.room)
        self.number = 0                             # by which others are told of it; the hub gives it
        self.subscriptions: dict[int, int] = {}     # channel by subscription
        self._by_channel: dict[int, int] = {}       # subscription
        self._advertised: dict[int, str] = {}       # topic by the client's own channel
        self._last_sent: dict[str, float] = {}

    async def serve(self, request: web.Request, max_size: int) -> web.WebSocketResponse:
        """Upgrade and talk until either side ends."""
        ws = web.WebSocketResponse(protocols=protocol.SUBPROTOCOLS, heartbeat=HEARTBEAT, max_msg_size=max_size,
                                   compress=False, timeout=FAREWELL, autoping=False)
        await ws.prepare(request)
        transport = request.transport
        if transport is not None:
            transport.get_extra_info('socket').setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
            transport.set_write_buffer_limits(high=WRITE_BUFFER)
        self._hub.enter(self)
        sender = asyncio.create_task(self._send(ws))
        try:
            await self._receive(ws)
        finally:
            self._hub.leave(self)
            sender.cancel()
            waiting = len(self.outbox)
            self.outbox.close()
            if transport is not None and waiting:
                transport.abort()   # who did not read does not read our farewell either
        return ws

    async def _send(self, ws: web.WebSocketResponse) -> None:
        try:
            while True:
                frame = await self.outbox.next()
                await (ws.send_str(frame) if isinstance(frame, str) else ws.send_bytes(frame))
        except (ConnectionError, RuntimeError):
            pass    # the connection is gone: _receive sees the same

    async def _receive(self, ws: web.WebSocketResponse) -> None:
        async for frame in ws:
            if frame.type is WSMsgType.ERROR:
                break
            if not self._allowance.take():
                self._dropped['too_fast'] += 1
                if self._allowance.refused > self._flood:
                    await self._dismiss(ws, WSCloseCode.POLICY_VIOLATION, b'too many messages')
                    break
                await self._rest(len(frame.data), PAUSE)
                continue
            if frame.type is WSMsgType.PING:
                await ws.pong(frame.data)
            elif frame.type in (WSMsgType.TEXT, WSMsgType.BINARY):
                self.take(frame.data)
            if self.outbox.overflown:
                self._dropped['slow_client_closed'] += 1
                await self._dismiss(ws, WSCloseCode.TRY_AGAIN_LATER, b'reads too slowly')
                break
            await self._rest(len(frame.data))
        if isinstance(fault := ws.exception(), WebSocketError):
            self._dropped['too_large' if fault.code == WSCloseCode.MESSAGE_TOO_BIG else 'malformed'] += 1

    async def _rest(self, size: int, least: float = 0.0) -> None:
        """After a message of so many bytes: let the others go on, and do not read more than the client's share."""
        self._bytes.limit(self._hub.byte_rate())
        self._bytes.charge(size)
        pause = min(self._bytes.owed(), LONGEST_PAUSE)
        if pause:
            self._dropped['slowed_client'] += 1
        await asyncio.sleep(max(pause, least))

    async def _dismiss(self, ws: web.WebSocketResponse, code: int, reason: bytes) -> None:
        """Say farewell to who may not listen."""
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(ws.close(code=code, message=reason), FAREWELL)

    def take(self, data: str | bytes) -> None:
        """Obey one frame, or count why not."""
        try:
            self._obey(protocol.read_text(data) if isinstance(data, str) else protocol.read_binary(data))
        except RefusedError as refused:
            self.refuse(refused)
        except Exception as error:      # what was not expected costs this frame, not the connection
            self.refuse(RefusedError('failed', f'{type(error).__name__}: {error}'[:200]))

    def refuse(self, refused: RefusedError) -> None:
        """Count it, and tell the client, not too often."""
        self._dropped[refused.cause] += 1
        now = time.monotonic()
        if now - self._last_sent.get(refused.cause, -QUIET) >= QUIET:
            self._last_sent[refused.cause] = now
            self.outbox.put_text(protocol.status(protocol.WARNING, f'{refused.cause}: {refused}'))

    def _obey(self, request: protocol.Request) -> None:
        fields = request.fields
        if request.op == 'data':
            topic = self._advertised.get(fields['channel'])
            if topic is None:
                raise RefusedError('unknown_channel', f'channel {fields["channel"]} was not advertised')
            self._hub.take(self, topic, request.payload)
        elif request.op == 'call':
            self._hub.call(self, fields['service'], fields['call'], fields['encoding'], request.payload)
        elif request.op == 'subscribe':
            self._subscribe(fields['subscriptions'])
        elif request.op == 'unsubscribe':
            for subscription in fields['ids']:
                self._unsubscribe(subscription)
        elif request.op == 'advertise':
            self._advertise(fields['channels'])
        elif request.op == 'unadvertise':
            for channel in fields['ids']:
                self._advertised.pop(channel, None)
        else:
            raise RefusedError('unknown_op', f'this server has no {request.op[:40]!r}')

    def _subscribe(self, pairs: list[tuple[int, int]]) -> None:
        for subscription, channel in pairs:
            try:
                self._subscribe_to(subscription, channel)
            except RefusedError as refused:
                self.refuse(refused)

    def _subscribe_to(self, subscription: int, channel: int) -> None:
        if channel not in self._hub.channels:
            raise RefusedError('unknown_channel', f'no channel {channel}')
        if subscription in self.subscriptions or len(self.subscriptions) >= MOST_ENTRIES:
            raise RefusedError('malformed', f'subscription {subscription} is taken, or one too many')
        if channel in self._by_channel:
            raise RefusedError('subscribed_twice', f'channel {channel} has the subscription '
                               f'{self._by_channel[channel]} already')
        if not self._changes.take():
            raise RefusedError('too_fast', f'at most {CHANGES_RATE:g} subscriptions a second')
        self.subscriptions[subscription] = channel
        self._by_channel[channel] = subscription
        self._hub.subscribed(self, subscription, channel)

    def _unsubscribe(self, subscription: int) -> None:
        channel = self.subscriptions.pop(subscription, None)
        if channel is not None:
            del self._by_channel[channel]
            self.outbox.forget(subscription)
            self._hub.unsubscribed(channel)

    def _advertise(self, channels: list[tuple[int, str, str]]) -> None:
        for channel, topic, encoding in channels:
            if encoding != 'json':
                raise RefusedError('malformed', f'{topic[:80]!r}: encoding must be json, got {encoding[:40]!r}')
            if len(self._advertised) >= MOST_ENTRIES:
                raise RefusedError('malformed', f'more than {MOST_ENTRIES} channels')
            self._hub.check_topic(topic)
            self._advertised[channel] = topic

    def put(self, channel: protocol.Channel, time_ns: int, payload: bytes) -> None:
        """A message of a channel, where it is subscribed to."""
        if (subscription := self._by_channel.get(channel.id)) is not None:
            put = self.outbox.put_event if channel.every else self.outbox.put_state
            put(subscription, protocol.message_data(subscription, time_ns, payload))
