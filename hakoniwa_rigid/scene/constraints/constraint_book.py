# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The constraints of a scene by name, and what happens to them as events.

ATTACHED, DETACHED and BROKEN are told at once; TAUT and SLACK as contacts begin and end: a cable that snaps, comes off
and snaps again within `end_hysteresis` was taut all the while, so that one on which something bounces tells two events
and not two in every step.  SLACK has the time at which it came off, and the impulse of all snaps.  What no longer holds
though nothing said so (its row of the engine's log was lost) is told as BROKEN.
"""
from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np

from ...codec.message_fields import NANOSECONDS
from ...engine import EngineError
from ...engine.world.constraint_view import anchor_points, constraint_count, constraint_events, constraint_rows
from ...engine.world.constraints import PHASES
from ..bodies import BodyTable
from ..errors import ConstraintError
from ..records import ConstraintEventRecord, ConstraintKind, ConstraintPhase, Vec
from ..world_files.world_types import MOST_CONSTRAINTS, ConstraintConfig, SceneParams
from .attached import ZERO, Attached
from .constraint_loads import LoadsOnDrones

TAUT, SLACK, BY_FORCE, BY_IMPULSE = range(len(PHASES))

# phases with which a constraint ends
ENDS = (ConstraintPhase.DETACHED, ConstraintPhase.BROKEN, ConstraintPhase.RELEASED)

__all__ = ['ConstraintBook']


class ConstraintBook:
    """Of the engine `world` with bodies of `table`, which has the constraints of the world file; `held` (B,) bool are
    the bodies on which a constraint acted in the last `process`."""

    def __init__(self, world, table: BodyTable, params: SceneParams, dt: float, loads: LoadsOnDrones) -> None:
        self._world, self._table, self.loads = world, table, loads
        self._step_ns, self._wait_ns = round(dt * NANOSECONDS), round(params.end_hysteresis * NANOSECONDS)
        self.running: dict[int, Attached] = {}
        self.next_id = 1
        self.late: list[ConstraintEventRecord] = []     # are told with the next tick
        self._kept: tuple[dict[int, Attached], int] = {}, 1
        self._no_bodies = np.zeros(len(table.names), dtype=bool)
        self.held = self._no_bodies

    @property
    def names(self) -> tuple[str, ...]:
        """Of all that hold, in the order in which they were attached."""
        return tuple(c.config.name for c in self.running.values())

    @property
    def is_used(self) -> bool:
        """Whether there is, or was, a constraint."""
        return self.next_id > 1

    def finish(self, now_ns: int | None) -> None:
        """The engine is going to forget its constraints: all of them end."""
        for attached in list(self.running.values()):
            self._end(attached, ConstraintPhase.DETACHED, now_ns or 0, self.late)
        self.loads.clear()
        if now_ns is None:      # nothing was told yet
            self.late, self.next_id = [], 1

    def begin(self, configs: tuple[ConstraintConfig, ...], now_ns: int | None) -> None:
        """The engine has the constraints of the world file, and no others."""
        for config in configs:
            state = self._world.constraint(config.name)
            self._enter(config, (state.body_a, state.body_b), ('', ''), now_ns)

    def attach(self, config: ConstraintConfig, bodies: tuple[int, int], parts: tuple[str, str],
               now_ns: int | None, phase: ConstraintPhase = ConstraintPhase.ATTACHED) -> str:
        """Hold two bodies of the engine together from now on, told as `phase`; the name.  ConstraintError where that
        cannot be."""
        if len(self.running) >= MOST_CONSTRAINTS:
            raise ConstraintError(f'attach: {config.name}: there are {MOST_CONSTRAINTS} constraints already, the most '
                                  'of a scene')
        try:
            self._world.attach(config.kind, *bodies, **config.settings())
        except EngineError as error:
            raise ConstraintError(f'attach: {error}') from None
        self._enter(config, bodies, parts, now_ns, phase)
        return config.name

    def detach(self, name: str, now_ns: int | None, phase: ConstraintPhase = ConstraintPhase.DETACHED) -> None:
        """Let go, told as `phase`.  ConstraintError where there is no such constraint."""
        number = self.number(name)
        force = _vec(self._world.constraint(number).force)
        self._end(self.running[number], phase, now_ns or 0, self.late, force=force)
        self._world.detach(number)

    def number(self, name: str) -> int:
        """The engine's number of a constraint.  ConstraintError where there is no such constraint."""
        found = next((k for k, c in self.running.items() if c.config.name == name), None)
        if found is None:
            there = ', '.join(self.names[:8]) + (', ...' if len(self.running) > 8 else '')
            raise ConstraintError(f'name: no constraint called {str(name)[:60]!r}; there is {there or "none"}')
        return found

    def _enter(self, config: ConstraintConfig, bodies, parts, now_ns: int | None,
               phase: ConstraintPhase = ConstraintPhase.ATTACHED) -> None:
        number = self._world.constraint_number(config.name)
        attached = Attached(self.next_id, number, config, tuple(bodies), tuple(parts), now_ns or 0)
        self.next_id += 1
        self.running[number] = attached
        self.late.append(self._event(attached, phase, now_ns or 0))

    def start(self, now_ns: int) -> None:
        """Time begins, or begins anew, at now: so does what runs."""
        self.late = [replace(event, stamp_ns=now_ns) for event in self.late]
        for c in self.running.values():
            c.attached_ns, c.taut_ns = now_ns, now_ns
            c.slack_ns = None if c.slack_ns is None else now_ns

    def follow(self, reported: list[ConstraintEventRecord]) -> None:
        """What was told after the state was taken that this was put into: what was attached since is no more, what has
        ended since is there again; no id is given twice."""
        running = {c.id: c for c in self.running.values()}
        waiting = {event.id for event in self.late}
        begun: dict[int, ConstraintEventRecord] = {}
        for event in reported:
            self.next_id = max(self.next_id, event.id + 1)
            is_end = event.phase in ENDS
            if event.id in running:
                attached = running[event.id]
                if is_end:
                    self.late.append(self._event(attached, ConstraintPhase.ATTACHED, event.stamp_ns))
                elif event.phase in (ConstraintPhase.TAUT, ConstraintPhase.SLACK):
                    attached.taut = event.phase is ConstraintPhase.TAUT
                    attached.taut_ns, attached.impulse = event.stamp_ns, event.impulse if attached.taut else ZERO
                elif event.id in waiting:
                    self.late = [late for late in self.late if late.id != event.id]
            elif is_end:
                begun.pop(event.id, None)
                self.late = [late for late in self.late if late.id != event.id]
            else:
                begun[event.id] = event
        self.late += [replace(event, phase=ConstraintPhase.DETACHED, impulse=ZERO) for event in begun.values()]

    def mark(self) -> None:
        """Remember how it is, for `go_back`."""
        if self.is_used:
            self._kept = {k: copy(c) for k, c in self.running.items()}, self.next_id
            self.loads.mark()

    def go_back(self) -> None:
        """Undo every `process` since `mark`."""
        if self.is_used:
            kept, self.next_id = self._kept
            self.running = {k: copy(c) for k, c in kept.items()}
            self.loads.go_back()

    def process(self, t0_ns: int, steps: int) -> list[ConstraintEventRecord]:
        """Events of a call of `steps` engine steps from t0, in order of time."""
        self.held = self._no_bodies
        if not self.running:
            return []
        world, events = self._world, []
        now_ns = t0_ns + steps * self._step_ns
        rows = world.constraint_log() if constraint_events(world) else ()
        snapped: dict[int, Vec] = {}    # what snaps of this call gave, of cables that are newly taut
        for row in rows:
            attached = self.running.get(int(row['constraint']))
            if attached is not None:
                stamp = t0_ns + int(row['step'] - world.time_steps + steps) * self._step_ns
                stamp += round(float(row['time']) * NANOSECONDS)
                self._take(attached, int(row['phase']), stamp, _vec(row['amount']), snapped, events)
        for number, impulse in snapped.items():
            attached = self.running[number]
            events.append(self._event(attached, ConstraintPhase.TAUT, attached.taut_ns, impulse=impulse))
        for attached in list(self.running.values()):
            if attached.taut and attached.slack_ns is not None and now_ns - attached.slack_ns >= self._wait_ns:
                events.append(self._slack(attached))
        self._look(now_ns, events)
        return sorted(events, key=lambda event: event.stamp_ns)

    def _take(self, attached: Attached, phase: int, stamp_ns: int, amount: Vec, snapped: dict[int, Vec],
              events: list) -> None:
        """One row of the engine's log."""
        number = attached.number
        if phase == TAUT:
            if not attached.taut:
                attached.taut, attached.taut_ns, attached.impulse = True, stamp_ns, ZERO
                snapped[number] = ZERO
            attached.impulse, attached.slack_ns = _sum(attached.impulse, amount), None
            if number in snapped:
                snapped[number] = _sum(snapped[number], amount)
        elif phase == SLACK:
            attached.slack_ns = stamp_ns
        else:
            if number in snapped:
                impulse = snapped.pop(number)
                events.append(self._event(attached, ConstraintPhase.TAUT, attached.taut_ns, impulse=impulse))
            key = 'force' if phase == BY_FORCE else 'impulse'
            self._end(attached, ConstraintPhase.BROKEN, stamp_ns, events, **{key: amount})

    def _look(self, now_ns: int, events: list) -> None:
        """Who is held, and what holds no longer."""
        rows = constraint_rows(self._world)
        self.held = self._no_bodies.copy()
        self.held[rows.body_a[rows.acted]] = self.held[rows.body_b[rows.acted]] = True
        if constraint_count(self._world) != len(self.running):
            there = set(rows.numbers[rows.holds].tolist())
            for attached in [c for k, c in self.running.items() if k not in there]:
                self._end(attached, ConstraintPhase.BROKEN, now_ns, events)

    def _slack(self, attached: Attached) -> ConstraintEventRecord:
        """A cable has come off for good."""
        event = self._event(attached, ConstraintPhase.SLACK, attached.slack_ns, attached.taut_ns,
                            impulse=attached.impulse)
        attached.taut, attached.slack_ns, attached.impulse = False, None, ZERO
        return event

    def _end(self, attached: Attached, phase: ConstraintPhase, stamp_ns: int, events: list, **amounts: Vec) -> None:
        """It is no more."""
        del self.running[attached.number]
        events.append(self._event(attached, phase, stamp_ns, attached.attached_ns, **amounts))

    def _event(self, attached: Attached, phase: ConstraintPhase, stamp_ns: int, since_ns: int | None = None,
               impulse: Vec = ZERO, force: Vec = ZERO) -> ConstraintEventRecord:
        """The record; since_ns: the begin of its duration."""
        c, names = attached.config, self._table.names
        a, b, length = anchor_points(self._world, attached.number)
        duration = 0.0 if since_ns is None else max(stamp_ns - since_ns, 0) / NANOSECONDS
        return ConstraintEventRecord(
            stamp_ns, attached.id, phase, ConstraintKind[c.kind.upper()], c.name, *(names[k] for k in attached.bodies),
            *attached.parts, _vec(a), _vec(b), impulse, force, length, duration)


def _sum(a: Vec, b: Vec) -> Vec:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _vec(v) -> Vec:
    # + 0.0 turns -0.0 into 0.0
    return float(v[0]) + 0.0, float(v[1]) + 0.0, float(v[2]) + 0.0
