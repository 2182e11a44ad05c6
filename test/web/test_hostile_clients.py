# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Clients that mean harm: floods of every kind beside one who is honest, guessed tokens, texts that are none.

No bound here is a time: what is judged is how often, how many and how much, as it was found while the flood went on.
"""
import asyncio
import json
import os
import struct
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

aiohttp = pytest.importorskip('aiohttp', reason="pip install 'hakoniwa_rigid[web]'")

from sockets import NOW, Notes, connected, serving, until  # noqa: E402

from hakoniwa_rigid.web import access, client, hub, outbox  # noqa: E402
from hakoniwa_rigid.web.access import Door, Settings  # noqa: E402
from hakoniwa_rigid.web.errors import RefusedError  # noqa: E402
from hakoniwa_rigid.web.json_text import read_json  # noqa: E402
from hakoniwa_rigid.web.outbox import Outbox, Room  # noqa: E402

TOKEN = 'a-token-of-some-length'
HOSTILE = 16
# messages per s of a client
RATE = 50.0
HAND = {'stamp_ns': str(NOW), 'frame_id': 'world', 'positions': [[0.1, 0.2, 1.0]]}


def flood(kind: int, ws, k: int):
    """The k-th frame of a flood; nine kinds."""
    subscription = json.dumps({'op': 'subscribe', 'subscriptions': [{'id': k, 'channelId': 1 + k % 4}]})
    return (lambda: ws.send_str(''), lambda: ws.send_str('[' * 60_000), lambda: ws.send_bytes(b'\x01' * 60_000),
            lambda: ws.ping(b''), lambda: ws.pong(b'x' * 100), lambda: ws.send_str(subscription),
            lambda: ws.send_bytes(struct.pack('<BIII', 2, 1, k, 4) + b'json{}'),
            lambda: ws.send_str('{"op":"\\ud800"}'),
            lambda: ws.send_bytes(b'\x02' + b'\xff' * 12))[kind % 9]()


async def hostile(address: str, kind: int, frames: int, reading: bool) -> None:
    """One flood; it ends with its frames or with its connection."""
    with suppress(aiohttp.ClientError, ConnectionError, asyncio.TimeoutError):
        async with connected(address) as made:
            if not reading:
                made.ws._response.connection.transport.pause_reading()
            for k in range(frames):
                await flood(kind, made.ws, k)
            made.ws._response.connection.transport.abort()


async def floods(address: str, frames: int) -> None:
    await asyncio.gather(*(hostile(address, n, frames, reading=n % 2 == 0) for n in range(HOSTILE)))


def test_in_one_turn_of_the_loop_every_client_has_one_message(monkeypatch):
    """So the longest that the loop is held up is one message of each, whatever they send."""
    taken, most = Counter(), Counter()
    original = client.Client.take

    def take(self, data):
        taken[self] += 1
        most[0] = max(most[0], *taken.values())
        original(self, data)

    async def turns():
        while True:
            taken.clear()
            await asyncio.sleep(0)

    async def run():
        turning = asyncio.run_coroutine_threadsafe(turns(), server._loop)
        async with connected(server.address) as honest:
            await honest.advertise(9, '/hands/right')
            storm = asyncio.create_task(floods(server.address, 150))
            sent = 0
            while not storm.done() or sent < 20:
                await honest.publish(9, HAND)
                sent += 1
                await until(lambda sent=sent: len(notes.hands) == sent, 'an honest hand')
                await asyncio.sleep(1.5 / RATE)     # it keeps to what it may send
            await storm
        await until(lambda: server.stats().clients == 0, 'all to be gone')
        turning.cancel()

    monkeypatch.setattr(client.Client, 'take', take)
    with serving(max_clients=HOSTILE + 1, max_rate=RATE) as (server, notes):
        asyncio.run(run())
    assert most[0] == 1


def test_changes_of_subscriptions_are_told_now_and_then():
    """A client that changes its mind 1500 times: ROS hears of it four times a second and channel at most."""
    async def run():
        begun = time.monotonic()
        async with connected(server.address) as made:
            for k in range(1500):
                await made.send('subscribe', subscriptions=[{'id': 1, 'channelId': 1 + k % 2}])
                await made.send('unsubscribe', subscriptionIds=[1])
        await until(lambda: server.stats().clients == 0 and not any(notes.counts.values()), 'the end')
        periods = (time.monotonic() - begun) / hub.DEBOUNCE
        for topic in ('/states', '/events'):
            assert 1 <= sum(reported[0] == topic for reported in notes.reported) <= periods + 2
        assert server.stats().dropped['too_fast'] > 1000 - client.MOST_CHANGES - 10 * 0.25 * periods

    with serving(max_rate=100_000.0) as (server, notes):
        asyncio.run(run())


def test_a_subscription_that_began_meanwhile_is_told():
    """Whoever comes while another goes needs what is latched in ROS, though their number is the same."""
    async def run():
        async with connected(server.address) as one, connected(server.address) as two:
            await one.subscribe(events=1)
            await until(lambda: notes.reported == [('/events', 1, True)], 'the first')
            await one.send('unsubscribe', subscriptionIds=[1])
            await two.subscribe(events=1)
            await until(lambda: len(notes.reported) > 1, 'the second')
            assert notes.reported[-1] == ('/events', 1, True)

    with serving() as (server, notes):
        asyncio.run(run())


def test_one_subscription_per_channel():
    async def run():
        async with connected(server.address) as made:
            await made.send('subscribe', subscriptions=[{'id': k, 'channelId': 2} for k in range(100)]
                            + [{'id': 200, 'channelId': 1}])
            await until(lambda: notes.counts == {'/events': 1, '/states': 1}, 'subscriptions')
            server.publish('/events', 5, b'once')
            server.publish('/states', 6, b'then')
            assert await made.message() == (0, 5, b'once')
            assert await made.message() == (200, 6, b'then')
        assert server.stats().dropped == {'subscribed_twice': 99}

    with serving() as (server, notes):
        asyncio.run(run())


def test_who_sends_many_bytes_waits():
    """20 kB a second and one second's worth at once: of 100 kB the last is read seconds later, and nothing is lost."""
    async def run():
        async with connected(server.address) as made:
            await made.advertise(9, '/hands/right')
            begun = time.monotonic()
            for _ in range(10):
                await made.publish(9, json.dumps(HAND).encode() + b' ' * 10_000)
            await until(lambda: len(notes.hands) == 10, 'all of them')
            assert time.monotonic() - begun > 2.5    # no sooner; as much later as it likes
        assert server.stats().dropped['slowed_client'] >= 3

    with serving(max_byte_rate=20_000.0) as (server, notes):
        asyncio.run(run())


def test_many_clients_share_what_is_read():
    made = hub.Hub(Notes(), [], [], [], 2e6)
    assert made.byte_rate() == 2e6
    made.clients = set(range(16))
    assert made.byte_rate() == hub.MOST_IN_ALL / 16


def test_what_waits_for_all_clients_has_a_bound(monkeypatch):
    """Who does not read keeps the room full; who does gets every frame all the same."""
    monkeypatch.setattr(outbox, 'MOST_IN_ALL', 10_000)

    async def run():
        dropped, room = Counter(), Room()
        hogs = [Outbox(dropped, room) for _ in range(10)]
        for k in range(100):
            for hog in hogs:
                hog.put_event(1, bytes(300))
                hog.put_state(k % 3, bytes(300))
        assert room.used == sum(hog._bytes for hog in hogs) <= 10_000 + 10 * 300
        quick = Outbox(dropped, room)
        for k in range(20):
            quick.put_event(1, bytes([k]) * 300)
            assert await quick.next() == bytes([k]) * 300
        for hog in hogs:
            hog.close()
        assert room.used == 0
    asyncio.run(run())


def test_calls_that_wait_are_few_for_each():
    waiting = asyncio.Event()

    async def call(service, arguments):
        await waiting.wait()
        return True, 'done'

    async def run():
        notes.call = call
        async with connected(server.address) as greedy, connected(server.address) as modest:
            for _ in range(10):
                await greedy.call(1, b'{}')
            for _ in range(10 - hub.MOST_CALLS_EACH):
                assert (await greedy.text())['op'] == 'serviceCallFailure'
            await modest.call(1, b'{}')
            await until(lambda: len(server._hub._calls) == hub.MOST_CALLS_EACH + 1, 'the calls')
            server._loop.call_soon_threadsafe(waiting.set)
            assert (await modest.answer())[1]['success']

    with serving() as (server, notes):
        asyncio.run(run())


def test_wrong_tokens_are_tried_ten_times():
    """Then a right one is not looked at either; a cookie is, and other addresses are none the worse."""
    door = Door(Settings(token=TOKEN))

    def answer(token, cookie='', address='10.0.0.1'):
        try:
            door.check('localhost', token, cookie, address)
        except RefusedError as refused:
            return refused.cause
        return 'in'

    cookie = door.pass_word()
    for _ in range(50):
        assert answer(TOKEN) == 'in' and answer('') == 'unauthorised'    # neither is a try
    assert [answer('wrong') for _ in range(access.MOST_TRIES)] == ['unauthorised'] * access.MOST_TRIES
    assert answer('wrong') == answer(TOKEN) == 'too_many_tries'
    assert answer('', cookie) == 'in' and answer(TOKEN, address='10.0.0.2') == 'in'
    for k in range(3000):
        answer('wrong', address=f'10.1.{k}')
    assert len(door._tries) == access.MOST_ADDRESSES


def test_a_wrong_token_too_many_is_429():
    async def run():
        async with aiohttp.ClientSession() as session:
            statuses = []
            for k in range(access.MOST_TRIES + 2):
                async with session.get(f'{server.address}?token=guess-{k}') as answer:
                    statuses.append(answer.status)
            assert statuses[:access.MOST_TRIES] == [401] * access.MOST_TRIES
            assert 429 in statuses[access.MOST_TRIES:]

    with serving(token=TOKEN) as (server, _):
        asyncio.run(run())


def test_cookies_end(monkeypatch):
    door = Door(Settings(token=TOKEN))
    good = door.pass_word()
    door.check('localhost', '', good)
    end, _, signature = good.partition('.')
    for wrong in (f'{int(end) + 1}.{signature}', f'{end}.', f'{end}.{"0" * 64}', f'-1.{signature}', f'{"9" * 500}.x',
                  Door(Settings(token=TOKEN)).pass_word(), '\udcff.\udcff', '٣.x', '.', ''):
        with pytest.raises(RefusedError, match='a token is needed'):
            door.check('localhost', '', wrong)
    now = time.monotonic()
    monkeypatch.setattr(access.time, 'monotonic', lambda: now + access.COOKIE_LIFE + 1.0)
    with pytest.raises(RefusedError, match='a token is needed'):
        door.check('localhost', '', good)


def test_the_page_talks_to_nobody_else(tmp_path):
    (tmp_path / 'index.html').write_text('<!doctype html>')

    async def run():
        async with aiohttp.ClientSession() as session, session.get(server.address) as answer:
            policy = dict(part.strip().split(' ', 1) for part in answer.headers['Content-Security-Policy'].split(';'))
            port = server.port
            assert policy['default-src'] == policy['frame-ancestors'] == policy['base-uri'] == "'none'"
            assert policy['script-src'] == policy['style-src'] == "'self'"
            assert policy['connect-src'] == f"'self' ws://localhost:{port}"
            assert answer.headers['X-Frame-Options'] == 'DENY'
        async with aiohttp.ClientSession() as session, session.get(
                server.address, headers={'Host': 'localhost:1;script-src *'}) as answer:
            assert 'script-src *' not in answer.headers.get('Content-Security-Policy', '')

    with serving(page=str(tmp_path)) as (server, _):
        asyncio.run(run())


@pytest.mark.parametrize('text', [
    '"\\ud800"', '["\\udc00\\ud800"]', '{"\\uD83D": 1}', '1e999', '-1e999', 'NaN', '[Infinity]', '9' * 5000,
    '[' * 99_999, b'\xff', b'\xed\xa0\x80', '"a"'.encode('utf-16')])
def test_texts_that_are_no_json(text):
    with pytest.raises(ValueError, match='.'):
        read_json(text)


def test_whole_letters_are_text():
    assert read_json('["\\ud83d\\ude00", 1, 2.5, null]') == ['\U0001f600', 1, 2.5, None]


@pytest.mark.parametrize(('send', 'cause'), [
    (lambda c: c.ws.send_str('{"op": "\\ud800"}'), 'malformed'),
    (lambda c: c.ws.send_str('{"op": "subscribe", "subscriptions": [{"id": 1e999, "channelId": 1}]}'), 'malformed'),
    (lambda c: c.ws.send_str(f'{{"op": "unsubscribe", "subscriptionIds": [{10**40}]}}'), 'malformed'),
    (lambda c: c.publish(9, json.dumps({**HAND, 'names': ['\ud800']}).encode()), 'malformed_hand'),
    (lambda c: c.publish(9, json.dumps({**HAND, 'frame_id': 'a\0b'}).encode()), 'malformed_hand'),
    (lambda c: c.publish(9, json.dumps({**HAND, 'radii': [float('inf')]}).encode()), 'malformed_hand'),
    (lambda c: c.publish(9, json.dumps({**HAND, 'positions': [[10**400, 0, 0]]}).encode()), 'malformed_hand'),
    (lambda c: c.publish(5, b'{"client": "\\ud800", "id": 1, "t0": 0}'), 'malformed_probe'),
    (lambda c: c.publish(5, b'{"client": "x", "id": 1, "t0": 1e999}'), 'malformed_probe'),
    (lambda c: c.call(1, b'{"paused": "\\udfff"}'), 'refused_call'),
])
def test_halves_of_letters_and_huge_numbers_are_counted(send, cause):
    async def run():
        async with connected(server.address) as made:
            await made.advertise(9, '/hands/right')
            await made.advertise(5, '/clock_probe')
            await send(made)
            await until(lambda: server.stats().dropped == {cause: 1}, cause)
            await made.call(1, b'{"paused": true}')
            for _ in range(3):    # behind what is said of the refusal
                frame = await made.ws.receive()
                if frame.type is aiohttp.WSMsgType.BINARY:
                    break
            assert b'paused True' in frame.data
        assert not notes.hands

    with serving() as (server, notes):
        asyncio.run(run())


# a process of its own: serves, and says its memory in kB when it is asked for a line
SERVER = """
import sys
from sockets import serving
def memory():
    return int(next(l for l in open('/proc/self/status') if l.startswith('VmRSS')).split()[1])
with serving(max_clients=32) as (server, notes):
    print(server.address, flush=True)
    for line in sys.stdin:
        for k in range(500 if line == 'publish\\n' else 0):
            server.publish('/states', k, bytes(6000))
            server.publish('/events', k, bytes(1000))
        print(server.stats().clients, memory(), flush=True)
"""
async def beside(work, also) -> None:
    """Await, with calls of ``also`` from a thread meanwhile."""
    task = asyncio.create_task(work)
    while not task.done():
        await asyncio.to_thread(also)
    await task


MOST_GROWTH = 20_000    # kB


def test_the_memory_does_not_grow_with_floods():
    """Sixteen floods at a time, three times; what the first took is what all take."""
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])}
    with subprocess.Popen([sys.executable, '-c', SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env=environment) as process:
        address = process.stdout.readline().strip()

        def asked(word):
            process.stdin.write(f'{word}\n')
            process.stdin.flush()
            return tuple(map(int, process.stdout.readline().split()))

        found = []
        try:
            for _ in range(3):
                asyncio.run(beside(floods(address, 100), lambda: asked('publish')))
                for _ in range(2000):    # until the server has seen that they are gone
                    clients, memory = asked('tell')
                    if not clients:
                        break
                    time.sleep(0.05)
                assert clients == 0
                found.append(memory)
        finally:
            process.stdin.close()
            process.wait()
    assert max(found) - found[0] < MOST_GROWTH, found
