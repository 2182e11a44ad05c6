# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Floods that no library of clients sends: frames without end or content, requests by the thousand in one breath. The
others are served meanwhile, and nothing of it stays in memory."""
import asyncio
import base64
import os
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from sockets import NOW, connected, serving, until

pytestmark = pytest.mark.skipif(sys.platform != 'linux', reason='reads /proc')
# pieces of a flood, each of some thousands of frames or requests
PIECES, FRAMES = 6, 10_000
MB = 1 << 20
EMPTY = bytes(4)    # the mask of a frame without content
# a first piece, and what comes again and again: masked frames of the socket
FLOODS = {
    'a text without end, in empty pieces': (b'\x01\x80' + EMPTY, b'\x00\x80' + EMPTY),
    'a text without end, byte by byte': (b'\x01\x81' + EMPTY + b'a', b'\x00\x81' + EMPTY + b'a'),
    'empty texts': (b'', b'\x81\x80' + EMPTY),
    'pings': (b'', b'\x89\x80' + EMPTY),
    'answers to no ping': (b'', b'\x8a\x80' + EMPTY),
    'frames of 2^63 bytes': (b'', b'\x82\xff' + b'\x7f' + b'\xff' * 7 + EMPTY),
    'requests': (None, b'GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n'),
    'an endless header': (None, b'X-More: ' + b'x' * 100 + b'\r\n'),
}


def memory() -> int:
    """Resident, bytes."""
    return int(Path('/proc/self/statm').read_text().split()[1]) * os.sysconf('SC_PAGE_SIZE')


def greeting(port: int) -> bytes:
    key = base64.b64encode(bytes(16)).decode()
    return (f'GET /ws HTTP/1.1\r\nHost: localhost:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
            f'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n'
            'Sec-WebSocket-Protocol: foxglove.sdk.v1\r\n\r\n').encode()


async def flood(port: int, first: bytes | None, again: bytes) -> None:
    """It ends with its pieces, or with its connection."""
    with suppress(OSError, asyncio.TimeoutError, asyncio.IncompleteReadError):
        reader, writer = await asyncio.open_connection('127.0.0.1', port)
        try:
            if first is None:
                writer.write(b'GET / HTTP/1.1\r\n' if again.startswith(b'X') else b'')
            else:
                writer.write(greeting(port))
                await reader.readuntil(b'\r\n\r\n')
                writer.write(first)
            for _ in range(PIECES):
                writer.write(again * FRAMES)
                # a server that does not read makes the flood wait
                await asyncio.wait_for(writer.drain(), 0.5)
        finally:
            writer.transport.abort()


@pytest.mark.parametrize('kind', FLOODS)
def test_a_flood_of(kind):
    async def run():
        async with connected(server.address) as honest:
            await honest.advertise(9, '/hands/right')
            storms = asyncio.gather(*(flood(server.port, *FLOODS[kind]) for _ in range(4)))
            hand = {'stamp_ns': str(NOW), 'frame_id': 'world', 'positions': [[0.1, 0.2, 1.0]]}
            for k in range(20):
                await honest.publish(9, hand)
                await until(lambda k=k: len(notes.hands) == k + 1, 'an honest hand')
            await storms
        await until(lambda: server.stats().clients == 0, 'all to be gone')

    with serving(max_clients=5) as (server, notes):
        before = memory()
        asyncio.run(run())
        # the flood's own buffers lie in this process, too
        assert memory() - before < 40 * MB
