# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The same conversation with our server and with the one of foxglove-sdk: a client cannot tell them apart."""
import asyncio
import json
import struct

import pytest

aiohttp = pytest.importorskip('aiohttp', reason="pip install 'hakoniwa_rigid[web]'")
foxglove = pytest.importorskip('foxglove', reason='foxglove-sdk is not installed')

from foxglove.websocket import Capability, MessageSchema, Service, ServiceSchema  # noqa: E402
from sockets import CHANNELS, SERVICES, WAIT, connected, serving, until  # noqa: E402

STAMP = 1_700_000_000_123_456_789
HAND = json.dumps({'stamp_ns': '1700000000000000000', 'positions': [[0, 0, 1]]}).encode()


class Listener:
    """What clients send to the SDK's server."""

    def __init__(self):
        self.data, self.subscribed = [], 0

    def on_message_data(self, client, channel, data):
        self.data.append(bytes(data))

    def on_subscribe(self, client, channel):
        self.subscribed += 1

    def __getattr__(self, name):
        return lambda *_: None


def sdk_server():
    """The SDK's server with the same name, channels and service; its listener and its channels by topic."""
    context, listener = foxglove.Context(), Listener()
    schema = {c.topic: foxglove.Schema(name=c.schema_name, encoding=c.schema_encoding, data=c.schema.encode())
              if c.schema else None for c in CHANNELS}
    ours, = SERVICES
    request, response = (MessageSchema(encoding=d['encoding'], schema=foxglove.Schema(
        name=d['schemaName'], encoding=d['schemaEncoding'], data=d['schema'].encode()))
        for d in (ours.described()['request'], ours.described()['response']))
    service = Service(name=ours.name, schema=ServiceSchema(name=ours.type, request=request, response=response),
                      handler=lambda _: b'{"success": true, "message": "paused True"}')
    server = foxglove.start_server(name='hakoniwa_rigid', port=0, capabilities=[Capability.ClientPublish,
                                   Capability.Services], supported_encodings=['json'], server_listener=listener,
                                   services=[service], context=context)
    channels = {c.topic: foxglove.Channel(c.topic, message_encoding=c.encoding, schema=schema[c.topic], context=context)
                for c in CHANNELS}
    # the server holds its context weakly
    listener.context = context
    return server, listener, channels


async def reported(client, channels):
    """What a server says of itself, without its own numbers and identity."""
    found = {'serverInfo': None, 'advertise': [], 'advertiseServices': []}
    while len(found['advertise']) < channels or not found['advertiseServices']:
        frame = await client.text()
        if frame['op'] == 'serverInfo':
            same = {'sessionId': '', 'metadata': {}, 'capabilities': sorted(frame['capabilities'])}
            found['serverInfo'] = {**frame, **same}
        else:
            found[frame['op']] += frame.get('channels', frame.get('services'))
    ids = {entry.get('topic', entry.get('name')): entry.pop('id')
           for entry in found['advertise'] + found['advertiseServices']}
    found['advertise'].sort(key=lambda c: c['topic'])
    return found, ids


async def converse(port, publish, ready):
    """What there is to see of one whole conversation."""
    async with aiohttp.ClientSession() as session, \
            session.ws_connect(f'ws://127.0.0.1:{port}/ws', protocols=('foxglove.sdk.v1',)) as ws:
        from sockets import Socket
        client = Socket(ws)
        seen, ids = await reported(client, len(CHANNELS))
        await client.send('subscribe', subscriptions=[{'id': 12, 'channelId': ids['/events']}])
        await until(ready, 'the subscription')
        publish()
        seen['message'] = await client.message()
        await client.advertise(3, '/hands/right')
        await client.publish(3, HAND)
        await client.call(ids['/set_paused'], b'{"paused": true}')
        frame = (await asyncio.wait_for(ws.receive(), WAIT)).data
        _, service, call, length = struct.unpack_from('<BIII', frame)
        assert service == ids['/set_paused']
        seen['answer'] = (frame[0], call, frame[13:13 + length], json.loads(frame[13 + length:]))
        await client.call(4_000_000, b'{}')
        failure = await client.text()
        seen['failure'] = (failure['op'], failure['serviceId'], failure['callId'], sorted(failure))
        return seen


def test_a_client_sees_the_same():
    server, listener, channels = sdk_server()
    try:
        theirs = asyncio.run(converse(server.port, lambda: channels['/events'].log(b'payload', log_time=STAMP),
                                      lambda: listener.subscribed == 1))
        assert listener.data == [HAND]
    finally:
        server.stop()
    with serving() as (mine, notes):
        ours = asyncio.run(converse(mine.port, lambda: mine.publish('/events', STAMP, b'payload'),
                                    lambda: notes.counts.get('/events') == 1))
        assert len(notes.hands) == 1
    assert ours == theirs


def test_our_client_helper_speaks_to_ours():
    async def run():
        async with connected(server.address) as client:
            return client.reported

    with serving() as (server, _):
        assert set(asyncio.run(run())) == {'serverInfo', 'advertise', 'advertiseServices'}
