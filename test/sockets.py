# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A server on a free port of this machine with an owner that takes notes, and clients of the socket for the tests.

The client is aiohttp's, its frames are packed and unpacked here by the specification of the protocol, not by the
server's own code.
"""
from __future__ import annotations

import asyncio
import json
import socket
import struct
import time
from contextlib import asynccontextmanager, contextmanager

import aiohttp

from hakoniwa_rigid.web.access import Settings
from hakoniwa_rigid.web.errors import RefusedError
from hakoniwa_rigid.web.protocol import Channel, Service
from hakoniwa_rigid.web.server import Server

GREETING = (b'GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
            b'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'
            b'Sec-WebSocket-Protocol: foxglove.sdk.v1\r\n\r\n')
RESET = struct.pack('ii', 1, 0)     # SO_LINGER: a connection that is closed is torn down
NOW = 1_700_000_000_000_000_000
CHANNELS = [Channel(1, '/states', 'cdr', 'pkg/msg/State', 'ros2msg', 'float64 x'),
            Channel(2, '/events', 'cdr', 'pkg/msg/Event', 'ros2msg', 'float64 y', every=True),
            Channel(3, '/scene', 'json', 'pkg/scene', 'jsonschema', '{"type": "object"}', every=True, latched=True),
            Channel(4, '/clock_reply', 'json', 'pkg/reply', 'jsonschema', '{"type": "object"}', every=True),
            Channel(5, '/hand_owners', 'json', 'pkg/owners', 'jsonschema', '{"type": "object"}')]
SERVICES = [Service(1, '/set_paused', 'pkg/set_paused', {'paused': {'type': 'boolean'}})]
WAIT = 120.0    # s, bound of every wait


def raw(port, *parts):
    """A connection that has sent these bytes, and will not read."""
    made = socket.create_connection(('127.0.0.1', port))
    for part in parts:
        made.sendall(part)
    return made


def masked_subscription(*channels):
    """A client's frame that subscribes to channels, by its own ids from 1 on."""
    pairs = [{'id': 1 + k, 'channelId': channel} for k, channel in enumerate(channels)]
    text = json.dumps({'op': 'subscribe', 'subscriptions': pairs}).encode()
    length = bytes([0x80 | len(text)]) if len(text) < 126 else bytes([0xfe]) + struct.pack('>H', len(text))
    return b'\x81' + length + bytes(4) + text


def vanish(connections):
    """Every other one in an orderly way, the others as if a cable was cut."""
    for number, connection in enumerate(connections):
        if number % 2:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        connection.close()


class Notes:
    """An owner whose clock stands at NOW."""

    def __init__(self):
        self.hands, self.calls, self.counts, self.reported = [], [], {}, []

    def now_ns(self):
        return NOW

    def take_hand(self, name, sample):
        self.hands.append((name, sample))

    async def call(self, service, arguments):
        self.calls.append((service, arguments))
        if not isinstance(arguments.get('paused'), bool):
            raise RefusedError('refused_call', 'paused must be true or false')
        return True, f'paused {arguments["paused"]}'

    def watched(self, topic, count, is_new):
        self.counts[topic] = count
        self.reported.append((topic, count, is_new))


@contextmanager
def serving(hands=('right',), **settings):
    """A server of these hands, and its owner."""
    notes = Notes()
    server = Server(Settings(port=0, **settings), notes, CHANNELS, SERVICES, hands)
    try:
        yield server, notes
    finally:
        server.close()


class Socket:
    """A client; `reported`: what the server said of itself."""

    def __init__(self, ws):
        self.ws, self.reported, self.statuses = ws, {}, []

    async def text(self):
        """The next text frame."""
        return json.loads((await asyncio.wait_for(self.ws.receive(), WAIT)).data)

    async def send(self, op, **fields):
        await self.ws.send_str(json.dumps({'op': op, **fields}))

    async def subscribe(self, **ids):
        """Subscriptions by topic name: ids."""
        channels = {c['topic'].lstrip('/'): c['id'] for c in self.reported['advertise']['channels']}
        await self.send('subscribe', subscriptions=[{'id': i, 'channelId': channels[t]} for t, i in ids.items()])

    async def advertise(self, channel, topic):
        await self.send('advertise', channels=[{'id': channel, 'topic': topic, 'encoding': 'json', 'schemaName': ''}])

    async def publish(self, channel, content):
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        await self.ws.send_bytes(struct.pack('<BI', 1, channel) + data)

    async def message(self):
        """(subscription, log time, payload) of the next message; statuses before it are kept."""
        while True:
            frame = await asyncio.wait_for(self.ws.receive(), WAIT)
            if frame.type is aiohttp.WSMsgType.BINARY:
                opcode, subscription, stamp = struct.unpack_from('<BIQ', frame.data)
                assert opcode == 1
                return subscription, stamp, frame.data[13:]
            assert frame.type is aiohttp.WSMsgType.TEXT, frame
            self.statuses.append(json.loads(frame.data))

    async def call(self, service, content, encoding=b'json'):
        await self.ws.send_bytes(struct.pack('<BIII', 2, service, 77, len(encoding)) + encoding + content)

    async def answer(self):
        """The JSON of the next service response."""
        frame = await asyncio.wait_for(self.ws.receive(), WAIT)
        opcode, service, call, length = struct.unpack_from('<BIII', frame.data)
        assert (opcode, call) == (3, 77)
        return service, json.loads(frame.data[13 + length:])


@asynccontextmanager
async def connected(address, protocol='foxglove.websocket.v1', **options):
    """A client that has been sent everything."""
    async with aiohttp.ClientSession() as session, \
            session.ws_connect(address.replace('http', 'ws', 1).rstrip('/') + '/ws', protocols=(protocol,),
                               max_msg_size=0, **options) as ws:
        client = Socket(ws)
        for _ in range(3):
            reported = await client.text()
            client.reported[reported['op']] = reported
        yield client


async def until(fact, what):
    """Wait until `fact()` is true."""
    end = time.monotonic() + WAIT
    while not fact():
        assert time.monotonic() < end, f'waited in vain for: {what}'
        await asyncio.sleep(0.01)
