# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Which client moves which hand: one at a time; free when it leaves or falls silent; no client keeps one for ever."""
import asyncio
import json

import pytest

aiohttp = pytest.importorskip('aiohttp', reason="pip install 'hakoniwa_rigid[web]'")

from sockets import NOW, connected, serving, until  # noqa: E402

from hakoniwa_rigid.web import hand_owners, hub  # noqa: E402
from hakoniwa_rigid.web.errors import RefusedError  # noqa: E402
from hakoniwa_rigid.web.hand_owners import ASKED, IDLE, MOST_EACH, REST, TURN, HandOwners  # noqa: E402

STEP = 0.0125   # s, of a page


def may(owners, name, client, now):
    """'' where the sample is taken, else the cause."""
    try:
        owners.take(name, client, now)
    except RefusedError as refused:
        return refused.cause
    return ''


def send(owners, clients, begin, end, name='right'):
    """Every client sends samples of a hand from begin to end; (time, client) of those that were taken."""
    taken = []
    for k in range(round((end - begin) / STEP)):
        now = begin + k * STEP
        taken += [(now, client) for client in clients if not may(owners, name, client, now)]
    return taken


def test_the_first_has_it_and_another_hand_is_free():
    owners = HandOwners(['left', 'right'])
    assert may(owners, 'right', 'a', 0.0) == ''
    assert may(owners, 'right', 'b', 0.1) == 'hand_taken'
    assert may(owners, 'left', 'b', 0.1) == ''
    assert owners.owners() == {'right': 'a', 'left': 'b'}


@pytest.mark.parametrize(('after', 'cause'), [(IDLE - 0.01, 'hand_taken'), (IDLE, '')])
def test_who_sends_nothing_loses_it(after, cause):
    owners = HandOwners(['right'])
    assert may(owners, 'right', 'a', 5.0) == ''
    assert may(owners, 'right', 'b', 5.0 + after) == cause


def test_it_is_free_when_its_client_leaves_or_has_been_silent():
    owners = HandOwners(['left', 'right'])
    may(owners, 'right', 'a', 0.0), may(owners, 'left', 'a', 0.0)
    owners.leave('a')
    assert owners.owners() == {}
    may(owners, 'right', 'a', 1.0)
    owners.look(1.0 + IDLE)
    assert owners.owners() == {}


def test_one_whose_samples_are_late_keeps_it_unless_others_ask():
    owners = HandOwners(['right'])
    may(owners, 'right', 'a', 0.0)
    for k in range(1, 20):
        owners.hear_late('right', 'a', 0.5 * IDLE * k)
        owners.hear_late('right', 'b', 0.5 * IDLE * k)
    assert owners.owners() == {'right': 'a'}
    owners.look(0.5 * IDLE * 19 + IDLE)
    owners.hear_late('right', 'a', 0.5 * IDLE * 19 + IDLE)
    assert owners.owners() == {}    # no late sample takes a hand


def test_a_client_moves_two_hands_at_most():
    owners = HandOwners([str(k) for k in range(MOST_EACH + 1)])
    assert [may(owners, str(k), 'a', 0.0) for k in range(MOST_EACH + 1)] == ['', '', 'too_many_hands']
    assert may(owners, str(MOST_EACH), 'b', 0.0) == ''


def test_none_loses_a_hand_that_no_other_wants():
    """Ten turns long; then another only tries once."""
    owners = HandOwners(['right'])
    assert {client for _, client in send(owners, ['a'], 0.0, 10 * TURN)} == {'a'}
    assert may(owners, 'right', 'b', 10 * TURN) == 'hand_taken'
    assert len(send(owners, ['a'], 10 * TURN, 10 * TURN + 2 * ASKED)) == round(2 * ASKED / STEP)


def test_those_who_ask_have_turns():
    """Three clients that never stop: each has TURN s, in the order in which they asked, with a rest between."""
    owners = HandOwners(['right'])
    taken = send(owners, ['a', 'b', 'c'], 0.0, 6 * TURN)
    first = {}
    changes = [(now, client) for k, (now, client) in enumerate(taken) if not k or taken[k - 1][1] != client]
    for now, client in changes:
        first.setdefault(client, now)
    assert [client for _, client in changes[:5]] == ['a', 'b', 'c', 'a', 'b']
    assert first['b'] == pytest.approx(TURN + REST, abs=2 * STEP)
    for (begin, _), (end, _) in zip(changes[1:], changes[2:], strict=False):
        assert end - begin == pytest.approx(TURN, abs=4 * STEP)


def test_hostile_clients_cannot_keep_an_honest_one_out():
    """Five that never stop and ask for every hand, each with all the hands it may have."""
    names, hostile = ['left', 'right'], [f'h{k}' for k in range(5)]
    owners, won = HandOwners(names), None
    for k in range(round(8 * TURN / STEP)):
        now = k * STEP
        for client in hostile:
            for name in names:
                may(owners, name, client, now)
        if now > 1.0 and not may(owners, 'right', 'honest', now):
            won = now
            break
    assert won is not None and won <= (len(hostile) + 1) * (TURN + REST + ASKED)


def test_an_asker_that_is_gone_is_forgotten():
    owners = HandOwners(['right'])
    send(owners, ['a', 'b'], 0.0, TURN - 2.0)
    owners.leave('b')
    send(owners, ['a'], TURN - 2.0, TURN + 5.0)
    assert owners.owners() == {'right': 'a'}


HAND = {'stamp_ns': str(NOW), 'frame_id': 'world', 'positions': [[0.1, 0.2, 1.0]]}


async def owners_of(client):
    """The newest content of /hand_owners that the client is sent."""
    return json.loads((await client.message())[2])


def test_clients_are_told_who_moves_what():
    """On subscription, when a hand is taken, when its client leaves; the refused one gets the cause."""
    async def run():
        async with connected(server.address) as one:
            await one.subscribe(hand_owners=1)
            said = await owners_of(one)
            assert (said['owners'], said['idle']) == ({}, IDLE)
            async with connected(server.address) as two:
                await two.subscribe(hand_owners=1)
                assert (await owners_of(two))['you'] != said['you']
                await two.advertise(9, '/hands/right')
                await two.publish(9, HAND)
                mine = await owners_of(two)
                assert mine['owners'] == {'right': mine['you']}
                assert (await owners_of(one))['owners'] == mine['owners']
                await one.advertise(9, '/hands/right')
                await one.publish(9, HAND)
                await until(lambda: server.stats().dropped.get('hand_taken'), 'a refusal')
                await two.publish(9, HAND)
                await until(lambda: len(notes.hands) == 2, 'the second sample of the owner')
            assert (await owners_of(one))['owners'] == {}
            assert any('hand_taken' in status['message'] for status in one.statuses)
            await one.publish(9, HAND)
            assert (await owners_of(one))['owners'] == {'right': said['you']}
            # and free again when no samples come
            assert (await owners_of(one))['owners'] == {}

    with serving() as (server, notes):
        asyncio.run(run())


def test_a_message_that_is_no_hand_takes_no_hand():
    async def run():
        async with connected(server.address) as one, connected(server.address) as two:
            for client in (one, two):
                await client.advertise(9, '/hands/right')
            await one.publish(9, {**HAND, 'positions': []})
            await until(lambda: server.stats().dropped.get('malformed_hand'), 'a refusal')
            await two.publish(9, HAND)
            await until(lambda: len(notes.hands) == 1, 'a hand')
        assert 'hand_taken' not in server.stats().dropped

    with serving() as (server, notes):
        asyncio.run(run())


def test_a_client_that_is_behind_keeps_its_hand():
    """Its samples are refused as too old for longer than a silent client would have the hand."""
    async def run():
        async with connected(server.address) as one, connected(server.address) as two:
            for client in (one, two):
                await client.advertise(9, '/hands/right')
            await one.publish(9, HAND)
            await until(lambda: len(notes.hands) == 1, 'a hand')
            for _ in range(round(IDLE / 0.25) + 4):
                await one.publish(9, {**HAND, 'stamp_ns': '1'})
                await asyncio.sleep(0.25)
            await two.publish(9, HAND)
            await until(lambda: server.stats().dropped.get('hand_taken'), 'a refusal')
        assert len(notes.hands) == 1

    with serving() as (server, notes):
        asyncio.run(run())


def test_clients_that_come_take_and_go_leave_nothing():
    """Twenty clients that grab every hand: tables are those of the hands, no timer goes on when all are free."""
    async def run():
        for _ in range(20):
            async with connected(server.address) as one:
                for k, name in enumerate(names):
                    await one.advertise(k, f'/hands/{name}')
                    await one.publish(k, HAND)
                await one.subscribe(scene=3)
        await until(lambda: server.stats().clients == 0, 'all to be gone')
        await until(lambda: server._hub._looks is None, 'the last look')
        assert server._hub.hand_owners.owners() == {}
        assert server.stats().dropped['too_many_hands'] > 0

    names = ['left', 'right', 'mouse']
    with serving(hands=names) as (server, _):
        asyncio.run(run())


def test_looks_are_often_enough():
    assert hub.LOOK < hand_owners.IDLE
