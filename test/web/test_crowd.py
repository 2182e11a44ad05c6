# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Clients that do not read, do not speak, hang or vanish: the others do not notice, and nothing piles up."""
import asyncio
import socket
import struct
import time

import pytest

aiohttp = pytest.importorskip('aiohttp', reason="pip install 'hakoniwa_rigid[web]'")

from sockets import GREETING, WAIT, connected, masked_subscription, raw, serving, until, vanish  # noqa: E402

from hakoniwa_rigid.web.outbox import MOST_EVENTS, MOST_TEXTS, SUPERSEDED  # noqa: E402

STATE = 6000    # bytes: 50 drones


def numbered(k, size=STATE):
    return struct.pack('<I', k) + bytes(size)


@pytest.fixture
def patient(monkeypatch):
    """Nobody is cut off for being slow: neither before a request nor between ping and answer."""
    monkeypatch.setattr('hakoniwa_rigid.web.server.PATIENCE', 600.0)
    monkeypatch.setattr('hakoniwa_rigid.web.client.HEARTBEAT', 600.0)


def test_a_slow_client_gets_the_newest_state_and_the_newest_events(patient):
    """One client stops reading while 4000 states and 1000 events are published; another reads on.  The slow one then
    gets what the buffers of the system held, and after that the newest: no queue of old states."""
    async def run():
        async with connected(server.address) as slow, connected(server.address) as quick:
            # a stream that is not read is only held up by the receive buffer
            slow.ws._response.connection.transport.pause_reading()
            await slow.subscribe(states=1, events=2)
            await quick.subscribe(events=5)
            await until(lambda: notes.counts.get('/events') == 2 and notes.counts.get('/states') == 1, 'subscriptions')
            for k in range(4000):
                server.publish('/states', k, numbered(k))
                if k % 4 == 0:
                    server.publish('/events', k, numbered(k, 1000))
                    assert (await quick.message())[1] == k
            slow.ws._response.connection.transport.resume_reading()
            seen = {1: [], 2: []}
            while not seen[1] or seen[1][-1] != 3999 or seen[2][-1] != 3996:
                subscription, stamp, payload = await slow.message()
                assert struct.unpack_from('<I', payload)[0] == stamp
                seen[subscription].append(stamp)
            return seen[1], seen[2]

    with serving() as (server, notes):
        states, events = asyncio.run(run())
        dropped = server.stats().dropped
    assert states == sorted(set(states))
    assert events == sorted(set(events))
    # what came late is what lay in buffers: those of both ends, never a queue of ours
    late = [k for k in states if k != 3999]
    assert dropped[SUPERSEDED] == 4000 - len(states) > 2000
    assert len(late) < 1500
    assert len(events) >= MOST_EVENTS
    assert dropped.get('slow_client_events', 0) == 1000 - len(events)
    assert events[-MOST_EVENTS:] == list(range(4000 - 4 * MOST_EVENTS, 4000, 4))


def test_ten_clients_hang_and_vanish(patient):
    """At every stage of a connection; an honest client is served all the while, and afterwards nothing is left."""
    masked = masked_subscription(1)
    stages = [(), (b'GET /ws HT',), (GREETING[:60],), (b'\x16\x03\x01',), (GREETING,), (GREETING, masked),
              (GREETING, masked, b'\x81'), (GREETING, b'\x82\xfe'), (GREETING, masked, masked), (b'\r\n' * 9,)]

    async def run():
        async with connected(server.address) as honest:
            await honest.subscribe(states=1)
            hung = [raw(server.port, *stage) for stage in stages]
            await until(lambda: server.stats().clients == 6, 'the upgraded ones')
            for k in range(300):
                server.publish('/states', k, numbered(k))
                if k % 3 == 0:
                    while (await honest.message())[1] < k:
                        pass
                if k == 150:
                    vanish(hung)
            await until(lambda: server.stats().clients == 1, 'the hung ones to go')
        await until(lambda: server.stats().clients == 0 and notes.counts['/states'] == 0, 'all to go')

    with serving() as (server, notes):
        asyncio.run(run())


def test_no_more_clients_than_allowed():
    async def run():
        async with connected(server.address), connected(server.address):
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                async with connected(server.address):
                    pass
            assert refused.value.status == 403
        await until(lambda: server.stats().clients == 0, 'them to go')
        async with connected(server.address):
            pass
        assert server.stats().dropped == {'too_many_clients': 1}

    with serving(max_clients=2) as (server, _):
        asyncio.run(run())


def test_silent_connections_are_cut_off(monkeypatch, patient):
    """Those that make no request, after a while; too many of them at once, the newest.  One that has made one stays."""
    def end(connections):
        for connection in connections:
            connection.settimeout(WAIT)
            assert connection.recv(1) == b''
            connection.close()

    async def run():
        silent = [socket.create_connection(('127.0.0.1', server.port)) for _ in range(12)]
        async with connected(server.address) as client:
            # who came after them is there: so are they
            monkeypatch.setattr('hakoniwa_rigid.web.server.MOST_WAITING', 8)
            await until(lambda: server.stats().dropped.get('silent_connection', 0) == 4, 'the newest to be cut off')
            await asyncio.to_thread(end, silent[8:])
            monkeypatch.setattr('hakoniwa_rigid.web.server.PATIENCE', -1.0)
            await until(lambda: server.stats().dropped['silent_connection'] == 12, 'the rest')
            await asyncio.to_thread(end, silent[:8])
            await client.call(1, b'{"paused": true}')
            assert (await client.answer())[1]['success']

    with serving() as (server, _):
        asyncio.run(run())


def test_a_client_that_asks_and_never_reads_is_closed():
    """Answers are not dropped: they are bounded by the client itself."""
    async def run():
        async with connected(server.address) as client:
            transport = client.ws._response.connection.transport
            transport.pause_reading()
            end = time.monotonic() + WAIT
            try:
                while 'slow_client_closed' not in server.stats().dropped and time.monotonic() < end:
                    for _ in range(MOST_TEXTS):
                        await client.call(9, b'{}')
            except ConnectionError:
                pass
            await until(lambda: server.stats().clients == 0, 'it to go')
            transport.abort()
        assert server.stats().dropped['slow_client_closed'] == 1

    with serving(max_rate=100_000.0) as (server, _):
        asyncio.run(run())
