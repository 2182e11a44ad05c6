# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""From contact points to events: BEGIN, PERSIST, END of every part pair.

A contact ends when its parts have not touched for `end_hysteresis`; bounces closer than that are one contact.  Ids
count up from 1 in order of first touch.  A row without impulse and depth (a separating or grazing touch) keeps a
contact alive but begins none.

Observed drones: their sim does not follow our impulse at once, or ever, so the engine meets the same approach again in
every tick.  Such a contact gives one impulse, at BEGIN.  It gives another, as an immediate PERSIST, where the samples
approach again: of a drone that follows (`responses`) as soon as a sample shows what was reported to it before, so at
most once for each sample; of one that does not, after the samples were seen no longer approaching.  In between its
events carry zero impulse and zero deltas and equal velocities before and after, also for the other body (which, if it
is not observed, is still pushed along by the engine)."""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...codec.message_fields import NANOSECONDS
from ..bodies import KINDS, BodyTable
from ..records import ContactEventRecord, Phase, Touch
from ..world_files.world_types import SceneParams
from .amounts import NOTHING, Amounts
from .contact import Contact
from .merging import PairContact, merge
from .observed_contacts import ObservedContacts

# m/s: an approach of an observed drone slower than this counts as resolved, and starts no renewed impulse
RESOLVED = 0.02


class EventTracker:
    """The running contacts of a scene."""

    def __init__(self, table: BodyTable, params: SceneParams, dt: float, part_name, led: ObservedContacts):
        """part_name(body index, part index) -> str."""
        self.table, self.params, self.dt, self.part_name, self.led = table, params, dt, part_name, led
        self.step_ns, self.persist_ns = round(dt * NANOSECONDS), round(params.persist_period * NANOSECONDS)
        self.next_id = 1
        self.contacts: dict[tuple[int, int, int, int], Contact] = {}
        self._kept: tuple[dict, dict, int] = {}, {}, 1     # what `mark` found; contacts as they were; next id
        self.new_impacts: list[tuple[int, int, int, int]] = []   # those of the last `process` whose impulses are news

    def clear(self) -> None:
        """Forget running contacts without END; ids go on."""
        self.contacts.clear()

    def mark(self) -> None:
        """Remember how it is, for `go_back`."""
        self._kept = dict(self.contacts) if self.contacts else {}, {}, self.next_id

    def go_back(self) -> None:
        """Undo everything since `mark`."""
        contacts, changed, self.next_id = self._kept
        for contact, state in changed.values():
            contact.__dict__.update(state)
        self.contacts, self.new_impacts = dict(contacts), []

    def _change(self, contact: Contact) -> None:
        """It is going to change: keep how it is."""
        changed = self._kept[1]
        if contact.id not in changed:
            changed[contact.id] = contact, contact.__dict__.copy()

    def end(self, bodies: set[int], now_ns: int) -> list[ContactEventRecord]:
        """END for the running contacts of these bodies, as far as there is one to tell."""
        events: list[ContactEventRecord] = []
        for key in [key for key in self.contacts if key[0] in bodies or key[1] in bodies]:
            contact = self.contacts.pop(key)
            events.append(self._event(contact, Phase.END, contact.seen_ns, contact.sum))
        return events

    def leave_out(self, bodies: set[int]) -> None:
        """Forget the running contacts of these bodies, until `go_back`."""
        self.contacts = {key: c for key, c in self.contacts.items() if not bodies & set(key[:2])}

    def watch(self, observed: np.ndarray, body: int) -> None:
        """Other bodies (B,) bool are observed from now on, this one or not: its response is not waited for."""
        for contact in self.contacts.values():
            if body in contact.bodies:
                contact.observed = bool(observed[list(contact.bodies)].any())
                contact.resolved = True

    def process(self, rows: np.ndarray, t0_ns: int, steps: int,
                observed: np.ndarray) -> tuple[list[ContactEventRecord], np.ndarray, np.ndarray]:
        """Events of a call of `steps` engine steps from t0, and the velocity changes (B,3) m/s and (B,3) rad/s that
        its counted impulses give to observed bodies (B,) bool."""
        events: list[ContactEventRecord] = []
        kick_v, kick_w = np.zeros((len(observed), 3)), np.zeros((len(observed), 3))
        now_ns = t0_ns + steps * self.step_ns
        self.new_impacts = []
        if len(rows):
            for m in merge(rows, self.dt).each():
                self._touch(m, t0_ns, now_ns, observed, events, kick_v, kick_w)
        self._end(now_ns, events)
        return events, kick_v, kick_w

    def touching(self) -> np.ndarray:
        """(B,) bool: bodies with a running contact."""
        out = np.zeros(len(self.table.names), dtype=bool)
        for contact in self.contacts.values():
            out[list(contact.bodies)] = True
        return out

    def touches(self, since_ns: int) -> list[Touch]:
        """The contacts that touched after a time."""
        return [_touch_of(c) for c in self.contacts.values() if c.seen_ns > since_ns]

    def finish(self, now_ns: int) -> list[ContactEventRecord]:
        """END for every running contact."""
        events: list[ContactEventRecord] = []
        self._end(now_ns, events, force=True)
        return events

    def _touch(self, m: PairContact, t0_ns: int, now_ns: int, observed, events, kick_v, kick_w) -> None:
        a, b = m.body_a, m.body_b
        key = (a, b, m.part_a, m.part_b)
        contact, new = self.contacts.get(key), False
        if contact is None:
            if not (m.depth > 0.0 or any(m.impulse)):
                return
            contact, new = self._begin(key, t0_ns + round(m.time * NANOSECONDS), observed), True
        else:
            self._change(contact)
        counted = self._counts(contact, new, m, observed)
        if not counted:
            m = self.led.without_impulse(m)
        changes = m.amounts if counted else NOTHING
        if contact.observed:
            im = self.table.inverse_mass
            for body, sign, spin in ((a, -1.0, changes.delta_omega_a), (b, 1.0, changes.delta_omega_b)):
                if observed[body] and any(changes.impulse):
                    change = sign * im[body] * np.array(changes.impulse)
                    kick_v[body] += change
                    kick_w[body] += spin
                    self.led.responses.report(body, change, now_ns)
        self._record(contact, m, changes, counted)
        contact.seen_ns = t0_ns + (m.last_step + 1) * self.step_ns
        contact.force = tuple([x / (m.steps * self.dt) for x in changes.impulse])
        renewed = contact.observed and counted and not new
        if (new or renewed) and any(changes.impulse):
            self.new_impacts.append(key)
        if new or renewed or now_ns - contact.reported_ns >= self.persist_ns:
            stamp = contact.begun_ns if new else t0_ns + round(m.time * NANOSECONDS)
            events.append(self._event(contact, Phase.BEGIN if new else Phase.PERSIST, stamp, contact.span))
            contact.span, contact.reported_ns = NOTHING, now_ns

    def _begin(self, key: tuple[int, int, int, int], stamp_ns: int, observed) -> Contact:
        a, b, part_a, part_b = key
        names = (self.table.names[a], self.table.names[b])
        parts = (self.part_name(a, part_a), self.part_name(b, part_b))
        kinds = self.table.kinds
        kind = KINDS[frozenset((int(kinds[a]), int(kinds[b])))]
        contact = Contact(self.next_id, kind, names, parts, (a, b), stamp_ns, stamp_ns, stamp_ns,
                           bool(observed[a] or observed[b]))
        self.next_id += 1
        self.contacts[key] = contact
        return contact

    def _counts(self, contact: Contact, new: bool, m: PairContact, observed) -> bool:
        """Whether this tick's impulse counts; follows the approach of observed drones."""
        if not contact.observed:
            return True
        approaching = m.approach > RESOLVED
        if new:
            contact.resolved = not (approaching and any(m.impulse))
            return True
        if approaching and any(m.impulse) and self.led.may_renew(contact, observed):
            contact.resolved = False
            return True
        contact.resolved |= not approaching
        return False

    @staticmethod
    def _record(contact: Contact, m: PairContact, changes: Amounts, counted: bool) -> None:
        contact.span = contact.span.plus(changes)
        contact.sum = contact.sum.plus(changes)
        contact.peak = max(contact.peak, m.peak if counted else 0.0)
        contact.steps += m.steps
        contact.duration = max(contact.duration, m.duration)
        contact.last = m
        if contact.main is None or _size(changes.impulse) > _size(contact.main.impulse):
            contact.main = m

    def _end(self, now_ns: int, events: list, force: bool = False) -> None:
        wait = round(self.params.end_hysteresis * NANOSECONDS)
        over = [key for key, c in self.contacts.items() if force or now_ns - c.seen_ns >= wait]
        for key in over:
            contact = self.contacts.pop(key)
            events.append(self._event(contact, Phase.END, contact.seen_ns, contact.sum))

    def _event(self, c: Contact, phase: Phase, stamp_ns: int, amounts: Amounts) -> ContactEventRecord:
        """The record, with a and b in lexical order of their names."""
        impulse = np.array(amounts.impulse)
        im, last = self.table.inverse_mass, c.last
        shown = c.main if phase is Phase.END else last   # END repeats what the contact was
        dv_a, dv_b = -im[c.bodies[0]] * impulse, im[c.bodies[1]] * impulse
        sign, flip = (1.0, False) if c.names <= c.names[::-1] else (-1.0, True)
        order = (lambda pair: pair[::-1]) if flip else (lambda pair: pair)
        (body_a, body_b), (part_a, part_b) = order(c.names), order(c.parts)
        (dv_a, dv_b), (dw_a, dw_b) = order((dv_a, dv_b)), order((amounts.delta_omega_a, amounts.delta_omega_b))
        normal, before, after = (sign * np.array(v) for v in (last.normal, shown.before, shown.after))
        return ContactEventRecord(
            stamp_ns, c.id, phase, c.kind, body_a, body_b, part_a, part_b, _vec(last.position), _vec(normal),
            last.depth, _vec(sign * impulse), c.peak, max(c.steps * self.dt, c.duration), _vec(before), _vec(after),
            shown.restitution, shown.friction, _vec(dv_a), _vec(dv_b), _vec(dw_a), _vec(dw_b),
            **amounts.numbers())


def _touch_of(c: Contact) -> Touch:
    flip = c.names > c.names[::-1]
    sign = -1.0 if flip else 1.0
    (body_a, body_b), (part_a, part_b) = (c.names[::-1], c.parts[::-1]) if flip else (c.names, c.parts)
    normal, force = (_vec([sign * x for x in v]) for v in (c.last.normal, c.force))
    return Touch(body_a, body_b, part_a, part_b, _vec(c.last.position), normal, c.last.depth, force)


def _size(v: Sequence[float]) -> float:
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]


def _vec(v: Sequence[float]) -> tuple[float, float, float]:
    # + 0.0 turns -0.0 into 0.0, so that flipped zeros print alike
    return float(v[0]) + 0.0, float(v[1]) + 0.0, float(v[2]) + 0.0
