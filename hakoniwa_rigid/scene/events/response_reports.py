# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Observed drones that do not follow the impulses reported to them, and those that go through what they touch: counted
by name."""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ... import rotations as rot
from ...codec.motion_columns import OMEGA, VEL
from ...engine.constants import LEAST_DIVISOR
from ..observed_drones.responses import Responses
from ..records import Ledger, Verdict
from .contact import Contact

# other bodies that a path may go through before it comes to the one asked about
MOST_BETWEEN = 8
# share of the way by which a ray starts anew behind a surface that it has entered
BEHIND = 1e-6
# s, no way takes less
SHORTEST = 1e-9

__all__ = ['ResponseReports', 'enters']


class ResponseReports:
    """Each thing is said once of a drone at a running contact; names (B,) of the bodies of the engine `world`."""

    def __init__(self, world, names: Sequence[str], ledger: Ledger):
        self._world, self._names, self._ledger = world, names, ledger
        self._said: set[tuple[int, int, Verdict]] = set()   # id of the contact, body, what

    def say(self, pairs: list[tuple[Contact, int, int]], responses: Responses) -> None:
        """After new samples, of running contacts with the body of the drone and the other: that an impulse was reported
        to it, has not followed it and pushes on; that its centre of mass, from sample to sample, went into the other
        body."""
        if self._said:
            ids = {contact.id for contact, _, _ in pairs}
            self._said = {said for said in self._said if said[0] in ids}
        for contact, body, other in pairs:
            if responses.gave_up(body) and not contact.resolved and self._is_new(contact, body, Verdict.UNANSWERED):
                what = f'does not follow its impulses and pushes on into {self._names[other]}'
                self._ledger.note(Verdict.UNANSWERED, self._names[body], what)
            if responses.fresh(body):
                start, end, seconds = responses.way(body)
                # as seen from the other body, which is where it is now
                start = start + seconds * self._world.motions(np.array([other]))[0, VEL:OMEGA]
                if enters(self._world, other, start, end) and self._is_new(contact, body, Verdict.WENT_THROUGH):
                    speed = rot.norm(end - start) / max(seconds, SHORTEST)
                    self._ledger.note(Verdict.WENT_THROUGH, self._names[body],
                                      f'its centre went into {self._names[other]} at {speed:.3g} m/s')

    def _is_new(self, contact: Contact, body: int, what: Verdict) -> bool:
        """Whether this is said of a contact for the first time."""
        key = contact.id, body, what
        if key in self._said:
            return False
        self._said.add(key)
        return True


def enters(world, body: int, start: np.ndarray, end: np.ndarray) -> bool:
    """Whether the straight way from start to end (3,) m goes into a body."""
    way = end - start
    length = float(rot.norm(way))
    unit, origin, left = way / max(length, LEAST_DIVISOR), start, length
    for _ in range(MOST_BETWEEN):
        hit = world.ray_cast(origin, unit, left) if left > 0.0 else None
        if hit is None or hit.body == body:
            return hit is not None
        # a body that holds the origin is not met again
        gone = hit.distance + BEHIND * length
        origin, left = origin + gone * unit, left - gone
    return False
