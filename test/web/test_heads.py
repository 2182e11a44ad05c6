# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Heads on the socket: shown to the others, under ids of the server's; what is none is refused and counted."""
import asyncio
import json
from contextlib import AsyncExitStack, contextmanager

import pytest

pytest.importorskip('aiohttp', reason="pip install 'hakoniwa_rigid[web]'")

from sockets import CHANNELS, SERVICES, Notes, connected, until

from hakoniwa_rigid.web import heads
from hakoniwa_rigid.web.access import Settings
from hakoniwa_rigid.web.errors import RefusedError
from hakoniwa_rigid.web.heads import MOST_AT_ONCE, MOST_HEADS, read_head
from hakoniwa_rigid.web.protocol import Channel
from hakoniwa_rigid.web.server import Server

UPRIGHT = {'position': [0.5, -1.0, 1.7], 'orientation_xyzw': [0.0, 0.0, 0.0, 1.0]}
POINTS = [[0.0, 0.0, 0.7], [1.0, 0.0, 0.7], [0.0, 1.0, 0.7]]


@contextmanager
def serving(**settings):
    """A server with the channel of heads, and its owner."""
    notes = Notes()
    channels = [*CHANNELS, Channel(5, '/heads', 'json', 'pkg/heads', 'jsonschema', '{"type": "object"}')]
    server = Server(Settings(port=0, **settings), notes, channels, SERVICES, ['right'])
    try:
        yield server, notes
    finally:
        server.close()


async def wear(client):
    """Subscribes to heads as 9 and can send its own on 8."""
    await client.subscribe(heads=9)
    await client.advertise(8, '/head')


async def heads_of(client):
    """The heads in the next message."""
    subscription, _, payload = await client.message()
    assert subscription == 9
    return json.loads(payload)['heads']


async def heads_until(client, fact):
    while not fact(found := await heads_of(client)):
        pass
    return found


def test_a_head_goes_to_the_others_and_not_to_its_owner():
    async def run():
        async with connected(server.address) as one, connected(server.address) as two:
            for client in (one, two):
                await wear(client)
            await one.publish(8, UPRIGHT)
            seen, = await heads_of(two)
            assert {k: v for k, v in seen.items() if k != 'id'} == UPRIGHT
            # a name of one's own is not taken
            await two.publish(8, {**UPRIGHT, 'id': seen['id'], 'points': POINTS})
            other, = await heads_until(one, bool)
            assert other['id'] != seen['id']
            assert other['points'] == POINTS
            assert await heads_until(two, bool) == [seen]
        assert not notes.hands and not notes.calls
        assert not {cause: n for cause, n in server.stats().dropped.items() if cause != 'superseded_states'}

    with serving() as (server, notes):
        asyncio.run(run())


@pytest.mark.parametrize('leaves', ['by its connection', 'by its silence'])
def test_a_head_is_gone_when_its_owner_is(leaves, monkeypatch):
    async def run():
        async with connected(server.address) as watcher, connected(server.address) as one:
            await wear(watcher)
            await wear(one)
            await one.publish(8, UPRIGHT)
            assert len(await heads_of(watcher)) == 1
            if leaves == 'by its connection':
                await one.ws.close()
            assert await heads_until(watcher, lambda found: not found) == []

    monkeypatch.setattr(heads, 'TIMEOUT', 0.3 if leaves == 'by its silence' else 1e6)
    with serving() as (server, _):
        asyncio.run(run())


def test_no_more_heads_than_a_room_has():
    async def run():
        async with AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(connected(server.address)) for _ in range(MOST_HEADS + 2)]
            for client in clients[:-1]:
                await client.advertise(8, '/head')
            await wear(clients[-1])
            for client in clients[:-1]:
                await client.publish(8, UPRIGHT)
            await until(lambda: server.stats().dropped.get('too_many_heads') == 1, 'a refusal')
            assert len(await heads_until(clients[-1], lambda found: len(found) >= MOST_HEADS)) == MOST_HEADS

    with serving(max_clients=MOST_HEADS + 2) as (server, _):
        asyncio.run(run())


def test_a_flood_of_heads_is_dropped_and_counted():
    async def run():
        async with connected(server.address) as client:
            await client.advertise(8, '/head')
            for _ in range(10 * int(MOST_AT_ONCE)):
                await client.publish(8, UPRIGHT)
            await until(lambda: server.stats().dropped.get('head_too_fast'), 'a refusal')
            await client.advertise(7, '/clock_probe')   # and is still heard

    with serving() as (server, _):
        asyncio.run(run())


def test_a_server_without_the_channel_takes_no_heads():
    from sockets import serving as plain

    async def run():
        async with connected(server.address) as client:
            await client.advertise(8, '/head')
            await until(lambda: server.stats().dropped == {'unknown_topic': 1}, 'a refusal')

    with plain() as (server, _):
        asyncio.run(run())


@pytest.mark.parametrize('wrong', [
    '', '[]', '{}', '{"position": [0, 0, 1]}', {**UPRIGHT, 'position': [0, 0]}, {**UPRIGHT, 'position': [0, 0, True]},
    {**UPRIGHT, 'position': [0, 0, 1e5]}, {**UPRIGHT, 'position': [0, 0, 10**400]}, {**UPRIGHT, 'position': 'abc'},
    {**UPRIGHT, 'orientation_xyzw': [0, 0, 0, 0]}, {**UPRIGHT, 'orientation_xyzw': [0, 0, 0, 9]},
    {**UPRIGHT, 'points': POINTS[:2]}, {**UPRIGHT, 'points': [*POINTS, POINTS[0]]}, {**UPRIGHT, 'points': 'xyz'},
    {**UPRIGHT, 'points': [[0, 0, None], *POINTS[1:]]}, '{"position": [0, 0, NaN], "orientation_xyzw": [0, 0, 0, 1]}',
    '{"position": [0, 0, 1e999], "orientation_xyzw": [0, 0, 0, 1]}', b'\xff', '[' * 5000])
def test_what_is_no_head_is_refused(wrong):
    payload = wrong if isinstance(wrong, bytes) else (wrong if isinstance(wrong, str) else json.dumps(wrong)).encode()
    with pytest.raises(RefusedError) as refused:
        read_head(payload)
    assert refused.value.cause == 'malformed_head'


def test_an_orientation_becomes_a_unit_quaternion():
    head = read_head(json.dumps({**UPRIGHT, 'orientation_xyzw': [0.0, 0.0, 0.6, 0.9]}).encode())
    assert sum(x * x for x in head.orientation) == pytest.approx(1.0)
    assert head.points == []
