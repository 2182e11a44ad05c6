# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What clients send, and what waits for them, has an end."""
import asyncio
import json
from collections import Counter

import pytest

pytest.importorskip('aiohttp')

from hakoniwa_rigid.web import client as client_module
from hakoniwa_rigid.web import outbox
from hakoniwa_rigid.web.access import Door, Settings
from hakoniwa_rigid.web.client import Client
from hakoniwa_rigid.web.errors import RefusedError
from hakoniwa_rigid.web.hand_sample import read_hand
from hakoniwa_rigid.web.hub import Hub
from hakoniwa_rigid.web.protocol import Service

NOW = 1_700_000_000_000_000_000


@pytest.mark.parametrize('key', ['positions', 'orientations_xyzw', 'radii'])
def test_whole_numbers_without_end_are_refused(key):
    hand = {'stamp_ns': str(NOW), 'positions': [[0, 1, 2]]}
    hand[key] = [10**400] if key == 'radii' else [[10**400] * (4 if key != 'positions' else 3)]
    with pytest.raises(RefusedError, match=key):
        read_hand(json.dumps(hand).encode(), NOW)


def test_a_header_of_any_bytes_is_no_token():
    door = Door(Settings(token='x' * 16))
    with pytest.raises(RefusedError, match='token'):
        door.check('localhost', 'x' * 15, '\udcff\udcfe')


@pytest.mark.parametrize(('times', 'closed'), [(0.9, False), (1.9, False), (2.5, True), (100.0, True)])
def test_a_flood_is_told_from_haste(monkeypatch, times, closed):
    """Of so many times what is allowed, for a minute: what is refused beyond a second's worth per second adds up."""
    now, rate = [0.0], 500.0
    monkeypatch.setattr(client_module.time, 'monotonic', lambda: now[0])
    allowance, taken, most = client_module.Allowance(rate), 0, 0.0
    for k in range(int(60 * times * rate)):
        now[0] = k / (times * rate)
        taken += allowance.take()
        most = max(most, allowance.refused)
    assert taken <= 61 * rate
    assert (most > client_module.FLOOD * rate) == closed


def waiting(box):
    return sum(len(frame) for _, frame in box._events) + sum(map(len, box._states.values()))


def test_what_waits_for_a_client_has_a_size(monkeypatch):
    monkeypatch.setattr(outbox, 'MOST_BYTES', 1000)

    async def fill():
        dropped = Counter()
        box = outbox.Outbox(dropped)
        for k in range(50):
            box.put_event(k % 3, bytes(90))
            box.put_state(k % 4, bytes(50 + k))
            assert waiting(box) == box._bytes <= 1000
        assert dropped['slow_client_events'] > 30
        box.put_event(1, bytes(2000))
        box.put_state(9, bytes(2000))
        assert dropped['slow_client_states'] == 1
        box.forget(2)
        assert waiting(box) == box._bytes
        while len(box):
            await box.next()
        assert box._bytes == 0
    asyncio.run(fill())


class Owner:
    def now_ns(self):
        return NOW

    def watched(self, topic, count, is_new):
        pass

    async def call(self, service, arguments):
        raise KeyError('not thought of')


def test_what_nobody_thought_of_costs_one_frame(monkeypatch):
    async def talk():
        hub = Hub(Owner(), [], [Service(1, '/reset', 'x', {})], ['right'])
        client = Client(hub, 100.0, hub.dropped)
        hub.call(client, 1, 7, 'json', b'{}')
        await asyncio.gather(*hub._calls)
        assert 'KeyError' in await client.outbox.next()
        assert hub.dropped == {'failed': 1}
        monkeypatch.setattr(hub, 'take', lambda *_: 1 // 0)
        client._advertised[3] = '/hands/right'
        client.take(b'\x01\x03\0\0\0')
        assert hub.dropped['failed'] == 2
    asyncio.run(talk())
