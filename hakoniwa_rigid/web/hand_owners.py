# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Which client moves which hand: one at a time, so that two mice do not pull one hand to and fro.

A hand that is free belongs to the first client that sends a sample of it.  It is free again when that client leaves,
or has sent none for IDLE s.  A client owns MOST_EACH hands at most.  An owner of TURN s or longer loses the hand to the
client that has asked longest, once that one has asked for ASKED s.  So no client keeps a hand for ever, and none loses
one that no other wants.  Between such two owners a hand rests for REST s: the node has forgotten the first before the
second moves it.

Numbers only: times are given, s of any clock that does not go back.  Tables are as long as there are hands and clients.
"""
from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from .errors import RefusedError

# s without a sample after which a hand is free, and a client no longer asks: a busy page pauses for a second
IDLE = 2.0
# s for which an owner keeps a hand that others ask for, and for which another has to have asked
TURN, ASKED = 30.0, 3.0
# s between the last sample of an owner whose turn is over and the first of the next
REST = 1.0
# hands of a client: a headset has two
MOST_EACH = 2

__all__ = ['ASKED', 'IDLE', 'MOST_EACH', 'REST', 'TURN', 'HandOwners']


@dataclass
class _Hand:
    """owner: None where it is free; since: when it became the owner's; heard: its last sample; rests: until then no
    sample is taken; asking: first and last sample that was refused, of each client that waits."""

    owner: Hashable | None = None
    since: float = 0.0
    heard: float = 0.0
    rests: float = -math.inf
    asking: dict[Hashable, tuple[float, float]] = field(default_factory=dict)


class HandOwners:
    """Of the hands of these names.  Clients are any keys."""

    def __init__(self, names: Iterable[str]) -> None:
        self._hands = {name: _Hand() for name in names}

    def owners(self) -> dict[str, Hashable]:
        """Owner of each hand that has one."""
        return {name: hand.owner for name, hand in self._hands.items() if hand.owner is not None}

    def take(self, name: str, client: Hashable, now: float) -> None:
        """A sample of a hand has come.  RefusedError where the hand belongs to another client, or rests."""
        hand = self._hands[name]
        self._renew(hand, now)
        if hand.owner is None:
            if sum(owner == client for owner in self.owners().values()) >= MOST_EACH:
                raise RefusedError('too_many_hands', f'{name}: a client moves {MOST_EACH} hands at most')
            hand.owner, hand.since = client, now
            hand.asking.pop(client, None)
        if hand.owner != client:
            first, _ = hand.asking.get(client, (now, now))
            hand.asking[client] = first, now
            raise RefusedError('hand_taken', f'{name}: another client moves it, until it has sent nothing for {IDLE:g} '
                                             f's, or for {TURN:g} s and this one goes on asking')
        hand.heard = now
        if now < hand.rests:
            raise RefusedError('hand_rests', f'{name}: it has changed hands, and rests for {REST:g} s')

    def hear_late(self, name: str, client: Hashable, now: float) -> None:
        """A sample has come too late to be used: its client is not silent, though the hand does not move by it."""
        hand = self._hands[name]
        self._renew(hand, now)
        if hand.owner == client:
            hand.heard = now

    def leave(self, client: Hashable) -> None:
        """A client is gone: its hands are free."""
        for hand in self._hands.values():
            hand.asking.pop(client, None)
            if hand.owner == client:
                hand.owner = None

    def look(self, now: float) -> None:
        """Free the hands whose owners have sent nothing for a while, or whose turn is over."""
        for hand in self._hands.values():
            self._renew(hand, now)

    def _renew(self, hand: _Hand, now: float) -> None:
        hand.asking = {client: (first, last) for client, (first, last) in hand.asking.items() if now - last < IDLE}
        if hand.owner is not None and now - hand.heard >= IDLE:
            hand.owner = None
        waiting = min(hand.asking, key=lambda client: hand.asking[client][0], default=None)
        if hand.owner is None or waiting is None or now - hand.since < TURN:
            return
        if now - hand.asking[waiting][0] >= ASKED:
            hand.owner = None
            if self._may_own(waiting):
                hand.owner, hand.since, hand.heard, hand.rests = waiting, now, now, now + REST
            hand.asking.pop(waiting, None)

    def _may_own(self, client: Hashable) -> bool:
        return sum(owner == client for owner in self.owners().values()) < MOST_EACH
