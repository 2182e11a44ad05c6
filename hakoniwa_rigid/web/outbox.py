"""What waits to be sent to one client.

A client that reads too slowly never makes anybody wait and never gets old news: of a state only the newest message is
kept, of events the newest `MOST_EVENTS`, and what had to go is counted.  Answers and descriptions are never dropped: a
client that lets `MOST_TEXTS` of them pile up is beyond help, and is told so by being closed.
"""
from __future__ import annotations

import asyncio
from collections import Counter, deque

# messages of channels of which every one matters
MOST_EVENTS = 512
# cause of a state that was not sent because a newer one had come: nothing is wrong with that
SUPERSEDED = 'superseded_states'
# answers, descriptions, status
MOST_TEXTS = 256


class Outbox:
    """Filled without waiting, emptied by one task; both in one thread.  `dropped`: counts by cause."""

    def __init__(self, dropped: Counter[str]) -> None:
        self.dropped = dropped
        self.overflown = False
        self._texts: deque[str | bytes] = deque()
        self._events: deque[tuple[int, bytes]] = deque()
        self._states: dict[int, bytes] = {}
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
            self._events.popleft()
            self.dropped['slow_client_events'] += 1
        self._events.append((subscription, frame))
        self._filled.set()

    def put_state(self, subscription: int, frame: bytes) -> None:
        """A message that makes the one before it worthless."""
        if subscription in self._states:
            self.dropped[SUPERSEDED] += 1
        self._states[subscription] = frame
        self._filled.set()

    def forget(self, subscription: int) -> None:
        """Nothing more of it."""
        self._states.pop(subscription, None)
        self._events = deque(entry for entry in self._events if entry[0] != subscription)

    async def next(self) -> str | bytes:
        """The next frame to send: answers first, then events, then states, which they explain."""
        while not len(self):
            self._filled.clear()
            await self._filled.wait()
        if self._texts:
            return self._texts.popleft()
        if self._events:
            return self._events.popleft()[1]
        return self._states.pop(next(iter(self._states)))
