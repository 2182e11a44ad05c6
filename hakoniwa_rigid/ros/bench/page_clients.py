# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Clients of the page in a process of their own: `python -m ...page_clients PORT KIND COUNT SEED`.

`visitors` come, watch for some seconds and go, `watchers` stay; `hostile` ones flood the socket, and come
again when they are thrown out; `honest` is one that pings and writes the times of the answers, s, one a line.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from contextlib import suppress

import aiohttp

__all__ = ['main']

CHANNELS = range(1, 20)
PROTOCOL = ('foxglove.sdk.v1',)
# s between two pings of the honest client
PING = 0.02
FLOOD = json.dumps({'op': 'subscribe', 'subscriptions': [{'id': k, 'channelId': k} for k in CHANNELS]})
UNFLOOD = json.dumps({'op': 'unsubscribe', 'subscriptionIds': list(CHANNELS)})


async def _visitor(session: aiohttp.ClientSession, url: str, chance: random.Random) -> None:
    async with session.ws_connect(url, protocols=PROTOCOL) as socket:
        await socket.send_str(FLOOD)
        end = time.monotonic() + chance.uniform(1.0, 8.0)
        while time.monotonic() < end:
            await socket.receive(timeout=5.0)


async def _watcher(session: aiohttp.ClientSession, url: str, chance: random.Random) -> None:
    async with session.ws_connect(url, protocols=PROTOCOL) as socket:
        await socket.send_str(FLOOD)
        async for _ in socket:
            pass


async def _hostile(session: aiohttp.ClientSession, url: str, chance: random.Random) -> None:
    async with session.ws_connect(url, protocols=PROTOCOL) as socket:
        while not socket.closed:
            await socket.send_str(chance.choice((FLOOD, UNFLOOD, 'x' * 60_000, '{"op": "nothing"}', '[' * 5000)))
            await asyncio.sleep(0)


async def _honest(session: aiohttp.ClientSession, url: str, chance: random.Random) -> None:
    async with session.ws_connect(url, protocols=PROTOCOL, autoping=False) as socket:
        await socket.send_str(FLOOD)
        while not socket.closed:
            begun = time.perf_counter()
            await socket.ping()
            while (message := await socket.receive()).type != aiohttp.WSMsgType.PONG:
                if message.type in (aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.ERROR):
                    return
            sys.stdout.write(f'{time.perf_counter() - begun:.6f}\n')
            sys.stdout.flush()
            await asyncio.sleep(PING)


KINDS = {'visitors': _visitor, 'watchers': _watcher, 'hostile': _hostile, 'honest': _honest}


async def _again(kind, url: str, seed: int) -> None:
    """One client after another, until the process is ended."""
    chance = random.Random(seed)
    async with aiohttp.ClientSession() as session:
        while True:
            with suppress(aiohttp.ClientError, OSError, asyncio.TimeoutError):
                await kind(session, url, chance)
            await asyncio.sleep(chance.uniform(0.1, 1.0))


async def _all(port: int, kind: str, count: int, seed: int) -> None:
    url = f'http://127.0.0.1:{port}/ws'
    await asyncio.gather(*(_again(KINDS[kind], url, seed + k) for k in range(count)))


def main(words: list[str]) -> int:
    """Until Ctrl-C."""
    port, kind, count, seed = int(words[0]), words[1], int(words[2]), int(words[3])
    with suppress(KeyboardInterrupt):
        asyncio.run(_all(port, kind, count, seed))
    return 0


if __name__ == '__main__':
    raise SystemExit(main(sys.argv[1:]))
