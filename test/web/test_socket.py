# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The socket as a client sees it: what it is sent, sends, what is taken and refused."""
import asyncio
import contextlib
import json
import time

import pytest

aiohttp = pytest.importorskip('aiohttp', reason="pip install 'hakoniwa_rigid[web]'")

from sockets import CHANNELS, NOW, connected, serving, until  # noqa: E402

JOINTS = {'stamp_ns': str(NOW - 5_000_000), 'hand': 'right', 'frame_id': 'world', 'positions': [[0.1, 0.2, 1.0]]}


def test_a_client_is_sent_what_there_is():
    async def run():
        for protocol in ('foxglove.sdk.v1', 'foxglove.websocket.v1'):
            async with connected(server.address, protocol) as client:
                assert client.ws.protocol == protocol
                info = client.reported['serverInfo']
                assert info['capabilities'] == ['clientPublish', 'services']
                assert info['supportedEncodings'] == ['json']
                reported = client.reported['advertise']['channels']
                assert [(c['topic'], c['encoding'], c['schemaName'], c['schema']) for c in reported] == \
                    [(c.topic, c.encoding, c.schema_name, c.schema) for c in CHANNELS]
                service, = client.reported['advertiseServices']['services']
                assert (service['name'], service['request']['encoding']) == ('/set_paused', 'json')
                assert json.loads(service['request']['schema'])['properties']['paused'] == {'type': 'boolean'}

    with serving() as (server, _):
        asyncio.run(run())


def test_messages_go_to_those_who_subscribed():
    async def run():
        async with connected(server.address) as one, connected(server.address) as two:
            await one.subscribe(states=7, events=8)
            await two.subscribe(events=3)
            await until(lambda: notes.counts == {'/states': 1, '/events': 2}, 'the subscriptions')
            server.publish('/states', 5, b'abc')
            server.publish('/events', 6, b'defg')
            assert sorted([await one.message(), await one.message()]) == [(7, 5, b'abc'), (8, 6, b'defg')]
            assert await two.message() == (3, 6, b'defg')
            await one.send('unsubscribe', subscriptionIds=[7])
            await until(lambda: notes.counts['/states'] == 0, 'the end of a subscription')
            server.publish('/states', 7, b'no')
            server.publish('/events', 8, b'yes')
            assert await one.message() == (8, 8, b'yes')
        await until(lambda: notes.counts['/events'] == 0, 'the end of the clients')
        assert server.stats().clients == 0

    with serving() as (server, notes):
        asyncio.run(run())


def test_a_latched_message_comes_with_the_subscription():
    async def run():
        server.publish('/scene', 1, b'{"old":1}')
        server.publish('/scene', 2, b'{"new":1}')
        async with connected(server.address) as client:
            await client.subscribe(scene=4)
            assert await client.message() == (4, 2, b'{"new":1}')

    with serving() as (server, _):
        asyncio.run(run())


def test_services():
    async def run():
        async with connected(server.address) as client:
            await client.call(1, b'{"paused": true}')
            assert await client.answer() == (1, {'success': True, 'message': 'paused True'})
            for service, content, encoding in ((1, b'{}', b'json'), (1, b'[1]', b'json'), (1, b'\xff', b'json'),
                                               (9, b'{}', b'json'), (1, b'{}', b'cdr')):
                await client.call(service, content, encoding)
                failure = await client.text()
                assert (failure['op'], failure['serviceId'], failure['callId']) == ('serviceCallFailure', service, 77)
        assert notes.calls == [('/set_paused', {'paused': True}), ('/set_paused', {})]
        assert server.stats().dropped == {'refused_call': 5}

    with serving() as (server, notes):
        asyncio.run(run())


def test_a_clock_probe_is_answered_to_the_one_who_asked():
    async def run():
        async with connected(server.address) as one, connected(server.address) as two:
            for client in (one, two):
                await client.subscribe(clock_reply=1, events=2)
                await client.advertise(5, '/clock_probe')
            await one.publish(5, {'client': 'x', 'id': 3, 't0': '12.5'})
            _, _, payload = await one.message()
            assert json.loads(payload) == {'client': 'x', 'id': 3, 't0': '12.5', 'server_ns': str(NOW)}
            server.publish('/events', 1, b'next')
            assert (await two.message())[2] == b'next'
            for wrong in (b'[]', b'{', {'client': ['x'], 'id': 1, 't0': 0}, {'client': 'y' * 999, 'id': 1, 't0': 0}):
                await two.publish(5, wrong)
            await until(lambda: server.stats().dropped == {'malformed_probe': 4}, 'refusals')

    with serving() as (server, _):
        asyncio.run(run())


def test_a_hand_reaches_the_owner():
    async def run():
        async with connected(server.address) as client:
            await client.advertise(9, '/hands/right')
            await client.publish(9, JOINTS)
            await until(lambda: notes.hands, 'the hand')
        (name, sample), = notes.hands
        assert (name, sample.stamp_ns, sample.frame) == ('right', NOW - 5_000_000, 'world')
        assert sample.positions.tolist() == [[0.1, 0.2, 1.0]]
        assert not server.stats().dropped

    with serving() as (server, notes):
        asyncio.run(run())


@pytest.mark.parametrize(('frame', 'cause'), [
    ('{', 'malformed'), ('[]', 'malformed'), ('{"op": 3}', 'malformed'), ('[' * 100000, 'malformed'),
    ('{"op": "subscribe"}', 'malformed'),
    ('{"op": "subscribe", "subscriptions": [{"id": -1, "channelId": 1}]}', 'malformed'),
    ('{"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 99}]}', 'unknown_channel'),
    ('{"op": "unsubscribe", "subscriptionIds": ["1"]}', 'malformed'),
    ('{"op": "advertise", "channels": [{"id": 1, "topic": "/states", "encoding": "json"}]}', 'unknown_topic'),
    ('{"op": "advertise", "channels": [{"id": 1, "topic": "/hands/left", "encoding": "json"}]}', 'unknown_topic'),
    ('{"op": "advertise", "channels": [{"id": 1, "topic": "/hands/right", "encoding": "cdr"}]}', 'malformed'),
    ('{"op": "getParameters", "parameterNames": []}', 'unknown_op'),
    (b'', 'malformed'), (b'\x09abc', 'malformed'), (b'\x01\x00', 'malformed'), (b'\x02' + b'\xff' * 12, 'malformed'),
    (b'\x01\x05\x00\x00\x00{}', 'unknown_channel'),
])
def test_what_is_wrong_is_counted_and_the_client_stays(frame, cause):
    async def run():
        async with connected(server.address) as client:
            await (client.ws.send_str(frame) if isinstance(frame, str) else client.ws.send_bytes(frame))
            status = await client.text()
            assert status['op'] == 'status'
            assert status['message'].startswith(cause)
            await client.subscribe(events=1)
            await until(lambda: notes.counts.get('/events') == 1, 'a subscription')
            server.publish('/events', 1, b'still here')
            assert (await client.message())[2] == b'still here'
        assert server.stats().dropped == {cause: 1}

    with serving(max_message_size=200_000) as (server, notes):
        asyncio.run(run())


def test_a_message_that_is_too_long_ends_its_connection():
    async def run():
        async with connected(server.address) as other:
            async with connected(server.address) as client:
                await client.ws.send_bytes(bytes(2000))
                frame = await client.ws.receive()
                assert frame.type is aiohttp.WSMsgType.CLOSE
                assert client.ws.close_code == aiohttp.WSCloseCode.MESSAGE_TOO_BIG
            await other.call(1, b'{"paused": false}')
            assert (await other.answer())[1]['success']
        assert server.stats().dropped == {'too_large': 1}

    with serving(max_message_size=1024) as (server, _):
        asyncio.run(run())


def test_what_comes_too_fast_is_dropped_and_a_flood_is_ended():
    """A bucket of one second's worth: of N messages at once no more than it holds come through."""
    async def run():
        async with connected(server.address) as client:
            await client.advertise(9, '/hands/right')
            begun = time.monotonic()
            for _ in range(100):
                await client.publish(9, JOINTS)
            await until(lambda: server.stats().dropped.get('too_fast', 0) + len(notes.hands) == 100, 'all of them')
            assert 19 <= len(notes.hands) <= 20 * (1 + time.monotonic() - begun)

            async def flood():
                with contextlib.suppress(ConnectionError):
                    while True:
                        await client.publish(9, JOINTS)

            flooding = asyncio.create_task(flood())
            await until(lambda: server.stats().clients == 0, 'the end')
            flooding.cancel()

    with serving(max_rate=20.0) as (server, notes):
        asyncio.run(run())
