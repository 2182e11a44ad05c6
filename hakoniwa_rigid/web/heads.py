# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Heads of those who wear a headset in one room, shown to the others, and the points by which their rooms are aligned.

A client sends its own on /head, a JSON object:

    {"position": [x, y, z], "orientation_xyzw": [x, y, z, w], "points": [[x, y, z], [x, y, z], [x, y, z]]}

in m, in the world; points may be left out: three spots of the real room that this client has touched.  Every client
that subscribes to /heads gets all heads but its own, RATE times a second while there are any:

    {"heads": [{"id": 3, "position": [...], "orientation_xyzw": [...], "points": [...]}]}

Ids are the server's: who sends cannot take another's.  Heads go to pages and nowhere else: no scene knows them.
"""
from __future__ import annotations

import asyncio
import itertools
import json
import math
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, NamedTuple

from .allowance import Allowance
from .errors import RefusedError
from .json_text import read_json

if TYPE_CHECKING:
    from .client import Client

HEAD, HEADS = '/head', '/heads'
# heads at a time; more are refused
MOST_HEADS = 16
# Hz: sent to the others; taken of one client, so many at once
RATE = 20.0
MOST_RATE, MOST_AT_ONCE = 40.0, 20.0
# s without a sample after which a head is gone
TIMEOUT = 1.5
# m; beyond this it is no room
FARTHEST = 1e4
POINTS = 3
DIGITS = 4


class Head(NamedTuple):
    """position (3) m, orientation (4) xyzw, in the world; points: none or three of (3) m."""

    position: list[float]
    orientation: list[float]
    points: list[list[float]]


class _Seen(NamedTuple):
    text: str
    at: float


class Heads:
    """Those of a server.  clients: who is there; send: gives a client the payload of /heads.  Lives in the server's
    thread."""

    def __init__(self, clients: Collection[Client], send: Callable[[Client, bytes], None]) -> None:
        self._clients, self._send = clients, send
        self._ids = itertools.count(1)
        self._known: dict[Client, int] = {}
        self._allowances: dict[Client, Allowance] = {}
        self._heads: dict[Client, _Seen] = {}
        self._had_any: set[Client] = set()      # clients whose last message had heads
        self._timer: asyncio.TimerHandle | None = None

    def take(self, client: Client, payload: bytes) -> None:
        """A sample of a client's head.  RefusedError."""
        allowance = self._allowances.setdefault(client, Allowance(MOST_RATE, MOST_AT_ONCE))
        if not allowance.take():
            raise RefusedError('head_too_fast', f'at most {MOST_RATE:g} samples of a head a second')
        head = read_head(payload)
        loop = asyncio.get_running_loop()
        if client not in self._heads:
            self._forget_old(loop.time())
            if len(self._heads) >= MOST_HEADS:
                raise RefusedError('too_many_heads', f'there are {MOST_HEADS} heads already')
        name = self._known.setdefault(client, 0) or next(self._ids)
        self._known[client] = name
        self._heads[client] = _Seen(_text(name, head), loop.time())
        if self._timer is None:
            self._timer = loop.call_later(1.0 / RATE, self._tell)

    def leave(self, client: Client) -> None:
        """A client is gone, and its head with it."""
        for table in (self._known, self._allowances, self._heads):
            table.pop(client, None)
        self._had_any.discard(client)

    def _forget_old(self, now: float) -> None:
        for client in [client for client, seen in self._heads.items() if now - seen.at > TIMEOUT]:
            del self._heads[client]

    def _tell(self) -> None:
        """To every client the others' heads, or once that there are none any more; again while there are any."""
        loop = asyncio.get_running_loop()
        self._timer = None
        self._forget_old(loop.time())
        for client in self._clients:
            others = [seen.text for owner, seen in self._heads.items() if owner is not client]
            if others or client in self._had_any:
                self._send(client, f'{{"heads":[{",".join(others)}]}}'.encode())
            (self._had_any.add if others else self._had_any.discard)(client)
        if self._heads:
            self._timer = loop.call_later(1.0 / RATE, self._tell)


def read_head(payload: bytes) -> Head:
    """The head in a message.  RefusedError names the key."""
    try:
        content = read_json(payload)
    except ValueError as error:
        raise _malformed(f'must be JSON: {error}') from error
    if not isinstance(content, dict):
        raise _malformed('must be a JSON object')
    points = content.get('points') or []
    if not isinstance(points, list) or len(points) not in (0, POINTS):
        raise _malformed(f'points: must be {POINTS}, or none')
    position = _numbers(content.get('position'), 3, 'position')
    orientation = _numbers(content.get('orientation_xyzw'), 4, 'orientation_xyzw')
    size = math.hypot(*orientation)
    if not 0.5 < size < 2.0:
        raise _malformed('orientation_xyzw: must be a unit quaternion')
    return Head(position, [x / size for x in orientation], [_numbers(p, 3, 'points') for p in points])


def _numbers(value: Any, count: int, key: str) -> list[float]:
    is_list = isinstance(value, list) and len(value) == count
    # of whole numbers JSON has such as no float holds
    if not is_list or not all(isinstance(x, int | float) and not isinstance(x, bool) and abs(x) <= FARTHEST
                              for x in value):
        raise _malformed(f'{key}: must be {count} numbers within {FARTHEST:g} m')
    return [float(x) for x in value]


def _malformed(text: str) -> RefusedError:
    return RefusedError('malformed_head', text)


def _text(name: int, head: Head) -> str:
    def rounded(values: list[float]) -> list[float]:
        return [round(x, DIGITS) for x in values]

    content = {'id': name, 'position': rounded(head.position), 'orientation_xyzw': rounded(head.orientation)}
    if head.points:
        content['points'] = [rounded(point) for point in head.points]
    return json.dumps(content, separators=(',', ':'))
