# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Between the clients and whoever owns the server: channels out; hands, clock probes and service calls in.

Lives in the server's thread.
"""
from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections import Counter, deque
from collections.abc import Awaitable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from . import protocol
from .errors import RefusedError
from .hand_owners import IDLE, HandOwners
from .hand_sample import TOO_OLD, HandSample, read_hand
from .heads import HEAD, HEADS, Heads
from .json_text import read_json
from .outbox import Room
from .protocol import CLOCK_PROBE, CLOCK_REPLY, HAND_OWNERS, HANDS, Channel, Service

if TYPE_CHECKING:
    from .client import Client

# service calls of all clients that wait for an answer, and of one
MOST_CALLS, MOST_CALLS_EACH = 32, 4
# s between two words to the owner about who watches a topic: each may open or close a subscription of ROS
DEBOUNCE = 0.25
# bytes per s that are read of all clients together
MOST_IN_ALL = 8e6
# delays kept for the percentiles
WINDOW = 512
MOST_LETTERS = 64
# s between two looks at owners of hands that may have fallen silent
LOOK = IDLE / 4


class Owner(Protocol):
    """What the server asks of the node, in the server's thread."""

    def now_ns(self) -> int:
        """The node's time, ns."""

    def take_hand(self, name: str, sample: HandSample) -> None:
        """A sample of a hand; RefusedError where there is no such hand."""

    def call(self, service: str, arguments: dict[str, Any]) -> Awaitable[tuple[bool, str]]:
        """Success and message of a service; RefusedError where the arguments are wrong."""

    def watched(self, topic: str, count: int, is_new: bool) -> None:
        """So many subscriptions to a topic there are now; is_new: one began since this was told the last time."""


class Stats(NamedTuple):
    """clients now; messages published by topic and refusals by cause, ever; delays from a stamp to here, ms."""

    clients: int
    published: dict[str, int]
    dropped: dict[str, int]
    delays_ms: tuple[float, ...]

    def median_ms(self) -> float | None:
        """None before the first."""
        return statistics.median(self.delays_ms) if self.delays_ms else None


class Hub:
    """See the module.  `publish` and `stats` are called by the server."""

    def __init__(self, owner: Owner, channels: Iterable[Channel], services: Iterable[Service], hands: Iterable[str],
                 max_byte_rate: float = MOST_IN_ALL):
        """max_byte_rate: bytes per s that are read of one client."""
        self._owner, self._max_byte_rate = owner, max_byte_rate
        self.room = Room()
        self.channels = {channel.id: channel for channel in channels}
        self.services = {service.id: service for service in services}
        self.topics = {channel.topic: channel for channel in self.channels.values()}
        self.hand_owners = HandOwners(hands := tuple(hands))
        self._owners_sent: dict[str, int] = {}
        self._looks: asyncio.TimerHandle | None = None  # at owners that have fallen silent
        self._entered = 0
        self._inputs = {CLOCK_PROBE, *(HANDS + name for name in hands), *([HEAD] if HEADS in self.topics else [])}
        self.clients: set[Client] = set()
        self._heads = Heads(self.clients, self._send_heads)
        self.dropped: Counter[str] = Counter()
        self._published: Counter[str] = Counter()
        self._delays: deque[float] = deque(maxlen=WINDOW)
        self._counts: Counter[int] = Counter()
        self._told: dict[int, tuple[int, float]] = {}   # subscriptions by channel, as the owner knows, and since when
        self._begun: set[int] = set()                   # channels with a subscription that he does not know
        self._due: set[int] = set()
        self._latest: dict[int, tuple[int, bytes]] = {}
        self._calls: dict[asyncio.Task, Client] = {}
        self._session = str(owner.now_ns())

    # from the owner

    def publish(self, topic: str, time_ns: int, payload: bytes, delay_ns: int | None) -> None:
        """A message for whoever subscribed; delay_ns: since its stamp, where it has one."""
        channel = self.topics[topic]
        self._published[topic] += 1
        if delay_ns is not None:
            self._delays.append(delay_ns / 1e6)
        if channel.latched:
            self._latest[channel.id] = time_ns, payload
        for client in self.clients:
            client.put(channel, time_ns, payload)

    def stats(self) -> Stats:
        """Counts so far."""
        return Stats(len(self.clients), dict(self._published), dict(self.dropped), tuple(self._delays))

    # from the clients

    def enter(self, client: Client) -> None:
        """A client is here: tell it what there is."""
        self.clients.add(client)
        self._entered += 1
        client.number = self._entered
        put = client.outbox.put_text
        put(protocol.server_info('hakoniwa_rigid', self._session))
        put(protocol.as_text('advertise', channels=[c.described() for c in self.channels.values()]))
        put(protocol.as_text('advertiseServices', services=[s.described() for s in self.services.values()]))

    def leave(self, client: Client) -> None:
        """It is gone."""
        self.clients.discard(client)
        self._heads.leave(client)
        self.hand_owners.leave(client)
        self._send_owners()
        for channel in client.subscriptions.values():
            self.unsubscribed(channel)

    def subscribed(self, client: Client, subscription: int, channel: int) -> None:
        """One more subscription; what is latched is sent at once."""
        self._count(channel, 1)
        if self.channels[channel].topic == HAND_OWNERS:
            self._send_owners(client)
        if channel in self._latest:
            time_ns, payload = self._latest[channel]
            client.outbox.put_event(subscription, protocol.message_data(subscription, time_ns, payload))

    def unsubscribed(self, channel: int) -> None:
        """One less."""
        self._count(channel, -1)

    def _count(self, channel: int, change: int) -> None:
        """Tell the owner, at once or a little later: not more often than he can follow."""
        self._counts[channel] += change
        if change > 0:
            self._begun.add(channel)
        if channel in self._due:
            return
        loop = asyncio.get_running_loop()
        wait = self._told.get(channel, (0, -DEBOUNCE))[1] + DEBOUNCE - loop.time()
        if wait <= 0.0:
            self._report(channel)
        else:
            self._due.add(channel)
            loop.call_later(wait, self._report, channel)

    def _report(self, channel: int) -> None:
        self._due.discard(channel)
        count, is_new = self._counts[channel], channel in self._begun
        self._begun.discard(channel)
        if count != self._told.get(channel, (0, 0.0))[0] or (is_new and count):
            self._told[channel] = count, asyncio.get_running_loop().time()
            self._owner.watched(self.channels[channel].topic, count, is_new)

    def byte_rate(self) -> float:
        """Bytes per s that are read of each client: fewer where there are many."""
        return min(self._max_byte_rate, MOST_IN_ALL / max(1, len(self.clients)))

    def check_topic(self, topic: str) -> None:
        """RefusedError where clients may not publish."""
        if topic not in self._inputs:
            known = ', '.join(sorted(self._inputs))
            raise RefusedError('unknown_topic', f'{topic[:80]!r} takes nothing; these do: {known}')

    def take(self, client: Client, topic: str, payload: bytes) -> None:
        """A message of a client on a topic that was checked."""
        now = self._owner.now_ns()
        if topic == CLOCK_PROBE:
            self._reply(client, payload, now)
        elif topic == HEAD:
            self._heads.take(client, payload)
        else:
            self._read_hand(client, topic.removeprefix(HANDS), payload, now)

    def _read_hand(self, client: Client, name: str, payload: bytes, now: int) -> None:
        """A message of a hand."""
        try:
            sample = read_hand(payload, now)
        except RefusedError as refused:
            if refused.cause == TOO_OLD:
                self.hand_owners.hear_late(name, client, time.monotonic())
            raise
        self._take_hand(client, name, sample)

    def _take_hand(self, client: Client, name: str, sample: HandSample) -> None:
        """A sample of a hand, where the client may move it."""
        try:
            self.hand_owners.take(name, client, time.monotonic())
        finally:
            self._send_owners()
            if self._looks is None:
                self._looks = asyncio.get_running_loop().call_later(LOOK, self._look)
        self._owner.take_hand(name, sample)

    def _look(self) -> None:
        """Whether an owner has fallen silent; again and again while a hand has an owner."""
        self.hand_owners.look(time.monotonic())
        self._send_owners()
        owned = bool(self._owners_sent)
        self._looks = asyncio.get_running_loop().call_later(LOOK, self._look) if owned else None

    def _send_owners(self, newcomer: Client | None = None) -> None:
        """Which client moves which hand: to the newcomer, or to all where it has changed."""
        owners = {name: client.number for name, client in self.hand_owners.owners().items()}
        changed, self._owners_sent = owners != self._owners_sent, owners
        channel = self.topics.get(HAND_OWNERS)
        if channel is None:
            return
        for client in self.clients if changed else [newcomer] if newcomer else ():
            content = {'you': client.number, 'owners': owners, 'idle': IDLE}
            client.put(channel, self._owner.now_ns(), json.dumps(content).encode())

    def _send_heads(self, client: Client, payload: bytes) -> None:
        client.put(self.topics[HEADS], self._owner.now_ns(), payload)

    def _reply(self, client: Client, payload: bytes, now: int) -> None:
        """The time at the node, to the one who asked: client, id and t0 come back as they were."""
        try:
            content = read_json(payload)
            echo = {key: content[key] for key in ('client', 'id', 't0') if key != 'client' or key in content}
        except (ValueError, TypeError, KeyError) as error:
            raise RefusedError('malformed_probe', f'must be a JSON object with client, id, t0: {error}') from error
        if not all(isinstance(v, str | int | float) and len(str(v)) <= MOST_LETTERS for v in echo.values()):
            raise RefusedError('malformed_probe', 'client, id, t0: must be words or numbers')
        client.put(self.topics[CLOCK_REPLY], now, json.dumps({**echo, 'server_ns': str(now)}).encode())

    def call(self, client: Client, service: int, call: int, encoding: str, payload: bytes) -> None:
        """A service call; its answer comes when it comes."""
        waiting = list(self._calls.values())
        too_many = len(waiting) >= MOST_CALLS or waiting.count(client) >= MOST_CALLS_EACH
        if service not in self.services or encoding != 'json' or too_many:
            self.dropped['refused_call'] += 1
            text = f'no service {service} that takes {encoding[:40]!r}, or too many calls at a time'
            client.outbox.put_text(protocol.call_failure(service, call, text))
            return
        task = asyncio.get_running_loop().create_task(self._answer(client, self.services[service], call, payload))
        self._calls[task] = client
        task.add_done_callback(self._calls.pop)

    async def _answer(self, client: Client, service: Service, call: int, payload: bytes) -> None:
        try:
            arguments = read_json(payload or b'{}')
            if not isinstance(arguments, dict):
                raise RefusedError('refused_call', f'{service.name}: must be a JSON object')
            success, message = await self._owner.call(service.name, arguments)
            frame = protocol.call_response(service.id, call, {'success': success, 'message': message})
        except ValueError as error:     # RefusedError is one
            self.dropped['refused_call'] += 1
            frame = protocol.call_failure(service.id, call, str(error))
        except Exception as error:      # of whoever answers: the client is not to wait for ever
            self.dropped['failed'] += 1
            frame = protocol.call_failure(service.id, call, f'{service.name}: {type(error).__name__}: {error}'[:200])
        client.outbox.put_text(frame)
