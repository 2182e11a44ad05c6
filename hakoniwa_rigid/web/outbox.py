# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What waits to be sent to one client.

A client that reads too slowly never makes another one wait and never gets old news: of a state only the newest message
is kept, of events the newest `MOST_EVENTS`, and what had to go is counted.  Answers and descriptions are never dropped:
a client that lets `MOST_TEXTS` of them pile up is beyond help, and is closed.  All that waits has `MOST_BYTES` at most,
and that of all clients `MOST_IN_ALL`; beyond, the oldest events go first.  One frame may always wait, so that those who
read are served whatever the others do.
"""
from __future__ import annotations

import asyncio
from collections import Counter, deque

# messages of channels of which every one matters; bytes of all that waits but answers: markers of a large world have
# some MB
MOST_EVENTS, MOST_BYTES, MOST_IN_ALL = 512, 64 << 20, 128 << 20
# cause of a state that was not sent because a newer one had come: nothing is wrong with that
SUPERSEDED = 'superseded_states'
# answers, descriptions, status
MOST_TEXTS = 256


class Room:
    """What all outboxes of a server hold together."""

    def __init__(self) -> None:
        self.used = 0   # bytes


class Outbox:
    """Filled without waiting, emptied by one task; both in one thread.  `dropped`: counts by cause."""

    def __init__(self, dropped: Counter[str], room: Room | None = None) -> None:
        self.dropped, self._room = dropped, room or Room()
        self.overflown = False
        self._texts: deque[str | bytes] = deque()
        self._events: deque[tuple[int, bytes]] = deque()
        self._states: dict[int, bytes] = {}
        self._bytes = 0     # of events and states
        self._filled = asyncio.Event()

    def __len__(self) -> int:
        return len(self._texts) + len(self._events) + len(self._states)

    def put_text(self, frame: str | bytes) -> None:
        """An answer, a description, a status."""
        if len(self._texts) >= MOST_TEXTS:
            self.overflown = True
            return
        self._texts.append(frame)
        self._filled.set()

    def put_event(self, subscription: int, frame: bytes) -> None:
        """A message that matters like all others of its channel."""
        if len(self._events) >= MOST_EVENTS:
            self._drop_event()
        if self._make_room(frame, 'slow_client_events'):
            self._events.append((subscription, frame))
            self._filled.set()

    def _drop_event(self) -> None:
        self._hold(-len(self._events.popleft()[1]))
        self.dropped['slow_client_events'] += 1

    def _make_room(self, frame: bytes, cause: str) -> bool:
        """Whether there is room for a frame, which then counts; older events go for it."""
        while self._events and self._is_full(len(frame)):
            self._drop_event()
        if self._is_full(len(frame)):
            self.dropped[cause] += 1
            return False
        self._hold(len(frame))
        return True

    def _is_full(self, size: int) -> bool:
        """Whether so many bytes more are too many; what waits alone may be as large as messages are."""
        return self._bytes > 0 and (self._bytes + size > MOST_BYTES or self._room.used + size > MOST_IN_ALL)

    def _hold(self, size: int) -> None:
        self._bytes += size
        self._room.used += size

    def put_state(self, subscription: int, frame: bytes) -> None:
        """A message that makes the one before it worthless."""
        if subscription in self._states:
            self.dropped[SUPERSEDED] += 1
            self._hold(-len(self._states.pop(subscription)))
        if self._make_room(frame, 'slow_client_states'):
            self._states[subscription] = frame
            self._filled.set()

    def forget(self, subscription: int) -> None:
        """Nothing more of it."""
        self._hold(-len(self._states.pop(subscription, b'')))
        self._hold(-sum(len(frame) for own, frame in self._events if own == subscription))
        self._events = deque(entry for entry in self._events if entry[0] != subscription)

    async def next(self) -> str | bytes:
        """The next frame to send: answers first, then events, then states, which they explain."""
        while not len(self):
            self._filled.clear()
            await self._filled.wait()
        if self._texts:
            return self._texts.popleft()
        frame = self._events.popleft()[1] if self._events else self._states.pop(next(iter(self._states)))
        self._hold(-len(frame))
        return frame

    def close(self) -> None:
        """The client is gone."""
        self._hold(-self._bytes)
        self._texts.clear()
        self._events.clear()
        self._states.clear()
