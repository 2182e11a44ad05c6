# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The hands of a scene by name: which engine bodies are theirs, where they go in a step, and which of them leave."""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import ConstraintError
from ..records import HandBones, Ledger, Verdict
from ..world_files.world_types import HandConfig, SceneParams
from .hands import GRIP, Hand

__all__ = ['HandSet']


class HandSet(dict[str, Hand]):
    """bodies: (HAND_BODIES,) of each hand in the engine `world`; grips: the body that goes along with the palm, of
    hands that grasp; gravity (3,) m/s^2."""

    def __init__(self, configs: Sequence[HandConfig], bodies: dict[str, np.ndarray], grips: dict[str, int],
                 params: SceneParams, gravity, world, ledger: Ledger):
        super().__init__({c.name: Hand(c, bodies[c.name], params, gravity, ledger) for c in configs})
        self._world, self._ledger = world, ledger
        self._slots = {int(body): (name, slot) for name in bodies for slot, body in enumerate(bodies[name])}
        self._slots |= {body: (name, GRIP) for name, body in grips.items()}
        # bodies (K,) and where they go (K,13), of each hand, as the last `move` has them
        self.moves: list[tuple[np.ndarray, np.ndarray]] = []

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
        hand = self[self._slots[body][0]]
        hand.leave(self._world)
        self.drop(hand)

    def drop(self, hand: Hand) -> None:
        """No body of this hand moves in the next call of the engine."""
        own = [body for body, (name, _) in self._slots.items() if name == hand.name]
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
        name, slot = self._slots[body]
        return self[name].part(slot)
