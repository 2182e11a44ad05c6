# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The contacts of observed drones: with which velocities those that follow meet the steps of a tick, when an impulse of
theirs counts anew, and what is said of those that do not follow what is reported to them, or go through what they
touch.

Which drones follow is known by `responses`.  Here it meets the contacts, whose books are `events`.
"""
from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...codec.motion_columns import OMEGA, VEL
from ...engine.maths.matrices import dots
from ..bodies import BodyTable
from ..observed_drones.responses import Responses
from ..records import Ledger
from .amounts import ZERO
from .contact import Contact
from .merging import PairContact
from .response_reports import ResponseReports

__all__ = ['ObservedContacts', 'running']


class ObservedContacts:
    """Of the bodies of a table in the engine `world`."""

    def __init__(self, world, table: BodyTable, responses: Responses, ledger: Ledger):
        self._world, self._inverse_mass, self.responses = world, table.inverse_mass, responses
        self._reports = ResponseReports(world, table.names, ledger)
        # (3,) m/s by body, as of the last `look`: by how much drones that follow differ from their samples; what of it
        # is predicted of contacts that last
        self.ahead: dict[int, np.ndarray] = {}
        self.predicted: dict[int, np.ndarray] = {}
        self._waiting: set[int] = set()     # bodies of drones that had not shown then what was reported to them
        self._unsure: set[int] = set()      # those of them of which nothing is known

    def look(self, contacts: Iterable[Contact], observed: np.ndarray, t0_ns: int) -> None:
        """Take the samples of observed drones (B,) bool, say what there is to say of them, and give those that follow
        the velocities with which they meet the steps from t0."""
        pairs = running(contacts, observed)
        if self.responses.look():
            self._reports.say(pairs, self.responses)
        self._lean(pairs, observed, t0_ns)
        if self.ahead:
            index = np.array(list(self.ahead))
            motions = self._world.motions(index)
            motions[:, VEL:OMEGA] += list(self.ahead.values())
            self._world.set_motions(index, motions)

    def may_renew(self, contact: Contact, observed: np.ndarray) -> bool:
        """Whether a contact may report another impulse.  Of drones that follow, where one has shown what was reported,
        by a sample on which nothing was reported before these steps; it waits a little for one of which nothing is
        known yet.  Of others, where they have stopped approaching."""
        following = {body for body in contact.bodies if observed[body] and self.responses.trusts(body)}
        if not following:
            return contact.resolved
        return self._unsure.isdisjoint(contact.bodies) and not following <= self._waiting

    def without_impulse(self, m: PairContact) -> PairContact:
        """What is reported of a touch whose impulse does not count: velocities as the samples have them, and no
        change."""
        ahead = [self.ahead.get(body, ZERO) for body in (m.body_a, m.body_b)]
        before = [v - (b - a) for v, a, b in zip(m.before, *ahead, strict=True)]
        return m._replace(before=before, after=before)

    def _lean(self, pairs: list[tuple[Contact, int, int]], observed: np.ndarray, t0_ns: int) -> None:
        """Find `ahead`: what was reported to drones that follow and they have not shown, or, where more may be
        reported, what is predicted of the contacts that last."""
        reported, self.predicted, responses = {}, {}, self.responses
        led = {body for _, body, _ in pairs}
        self._waiting = set(filter(responses.waits, led))
        self._unsure = set(filter(responses.may_follow, led))
        for contact, body, other in pairs:
            if not responses.trusts(body):
                continue
            if body in self._waiting:
                reported[body] = responses.reported(body)
            elif contact.seen_ns == t0_ns:
                self._predict(contact, body, other, observed)
        self.ahead = {**reported, **self.predicted}

    def _predict(self, contact: Contact, body: int, other: int, observed: np.ndarray) -> None:
        """Of contacts with alike normals the one that asks for most counts."""
        out = np.array(contact.last.normal) if body == contact.bodies[1] else -np.array(contact.last.normal)
        both, im = observed[other] and self.responses.trusts(other), self._inverse_mass
        # two that follow return their overlap together
        own, theirs = self._world.motions(np.array([body, other]))[:, VEL:OMEGA]
        depth = (0.5 if both else 1.0) * contact.last.depth
        more = self.responses.predicted(body, out, float(dots(theirs - own, out)), depth)
        if observed[other] and not both:
            # half of the impulse goes where it is not followed
            more *= 1.0 + im[other] / im[body]
        so_far = self.predicted.get(body, np.zeros(3))
        more += float(dots(so_far, out))
        if more > 0.0:
            self.predicted[body] = so_far - more * out


def running(contacts: Iterable[Contact], observed: np.ndarray) -> list[tuple[Contact, int, int]]:
    """The running contacts of observed drones (B,) bool: with the body of the drone, and the other."""
    return [(contact, body, other) for contact in contacts if contact.observed
            for body, other in (contact.bodies, contact.bodies[::-1]) if observed[body]]
