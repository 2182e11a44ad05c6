# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The hands of a scene by name: which engine bodies are theirs, where they go in a step, and which of them leave."""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import ConstraintError
from ..free_names import is_free
from ..records import HandBones, Ledger, Verdict
from ..world_files.world_types import HandConfig, SceneParams
from .hands import GRIP, Hand

__all__ = ['HandSet']


class HandSet(dict[str, Hand]):
    """configs: of all places; bodies: (HAND_BODIES,) of each in the engine `world`; grips: the body that goes along
    with the palm, of places that have one; gravity (3,) m/s^2."""

    def __init__(self, configs: Sequence[HandConfig], bodies: dict[str, np.ndarray], grips: dict[str, int],
                 params: SceneParams, gravity, world, ledger: Ledger):
        self._world, self._ledger, self._params, self._gravity = world, ledger, params, gravity
        # bodies (K,) and where they go (K,13), of each hand, as the last `move` has them
        self.moves: list[tuple[np.ndarray, np.ndarray]] = []
        self._places: list[Hand | None] = [None] * len(configs)
        self._bodies = [bodies[c.name] for c in configs]
        self._slots = {int(body): (k, slot) for k, own in enumerate(self._bodies) for slot, body in enumerate(own)}
        self._slots |= {grips[c.name]: (k, GRIP) for k, c in enumerate(configs) if c.name in grips}
        for k, config in enumerate(configs):
            self.put(k, None if is_free(config.name) else config)

    def put(self, number: int, config: HandConfig | None) -> None:
        """A place holds another hand, which waits for its first sample, or none."""
        if self._places[number] is not None:
            self._places[number].leave(self._world)
        self._places[number] = None if config is None else Hand(
            config, self._bodies[number], self._params, self._gravity, self._ledger)
        self.moves = []     # where the last one leaves, nothing moves any more
        # in the order of their places, whichever came first
        self.clear()
        self.update({hand.name: hand for hand in self._places if hand is not None})

    def move(self, t0_ns: int, t1_ns: int) -> None:
        """Move all from t0 to t1 into `moves`.  A hand that cannot be moved leaves until its next sample."""
        self.moves = []
        for hand in self.values():
            try:
                move = hand.move(self._world, t0_ns, t1_ns)
            except Exception as error:
                hand.leave(self._world)
                self._ledger.note(Verdict.FAILED, hand.name, f'{type(error).__name__}: {str(error)[:200]}')
            else:
                self.moves += [] if move is None else [move]

    def send_away(self, body: int) -> None:
        """The hand that this is a body of leaves, until its next sample."""
        hand = self._places[self._slots[body][0]]
        hand.leave(self._world)
        self.drop(hand)

    def drop(self, hand: Hand) -> None:
        """No body of this hand moves in the next call of the engine."""
        own = [body for body, (number, _) in self._slots.items() if self._places[number] is hand]
        self.moves = [move for move in self.moves if not np.isin(move[0], own).any()]

    def leave(self) -> None:
        """All leave, until their next samples."""
        for hand in self.values():
            hand.leave(self._world)

    def forget(self) -> None:
        """The next sample of each is a first one."""
        for hand in self.values():
            hand.forget()

    def bones(self) -> tuple[HandBones, ...]:
        """The hands as they are now."""
        return tuple([hand.bones(self._world) for hand in self.values()])

    def end_of(self, key: str, name: str, part: str) -> tuple[int, str]:
        """Body and part of a hand that a constraint holds: the part of that name; of '' the box, or the sphere of a
        single joint.  ConstraintError, naming the key, where it is not in the scene."""
        hand = self[name]
        there = {hand.part(slot): int(hand.bodies[slot]) for slot in np.flatnonzero(hand.shown).tolist()}
        if not there:
            raise ConstraintError(f'attach: {key}: the hand is not in the scene, got {name!r}')
        wanted = part or (list(there)[-1] if hand.shown[-1] or len(there) == 1 else 'palm')
        if wanted not in there:
            raise ConstraintError(f'attach: {key}: the hand has {", ".join(there)} at present, got '
                                  f'{f"{name}/{part}" if part else name!r}')
        return there[wanted], wanted

    def part(self, body: int) -> str:
        """Name of the part that an engine body of a hand is."""
        number, slot = self._slots[body]
        hand = self._places[number]
        return '' if hand is None else hand.part(slot)
