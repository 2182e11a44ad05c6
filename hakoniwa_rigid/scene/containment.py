# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What happens when a part of the scene cannot be computed: it is taken back, the culprits are found, and all others
go on with exactly the bits that they would have without them.

A call of the engine that fails leaves nothing behind.  Then, at most MOST_CULPRITS times: the island that fails is
found (the engine names a body of it, or islands are left out, half of them at a time, until the rest goes on), its
drones' newest inputs are taken back, and if that does not help, it is frozen: it stands still, out of contact, for
FREEZE.  If there is more to it than that, everything that moves is.  Equal inputs fail, and go on, alike: a replay
does what the node did.
"""
from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from ..codec.message_fields import NANOSECONDS
from ..codec.motion_columns import VEL
from ..engine.world.checkpoint import arrays_of, checkpoint, enabled, go_back_to, near_bodies
from ..engine.world.constraint_view import joined_bodies
from .bodies import HAND, BodyTable
from .constraints.constraint_book import ConstraintBook
from .drones.authority import SIMULATE
from .drones.drones import Fleet
from .events.events import EventTracker
from .mirror import Mirror
from .records import Ledger, Verdict

__all__ = ['Containment', 'Culprits']

# ns: so long a frozen island stands still; what still fails then costs one such search a second
FREEZE = NANOSECONDS
# islands that may be frozen in one call of the engine; each costs a step for every halving of the islands
MOST_CULPRITS = 4
# entries of a traceback that a report has
DEPTH = 3
# key under which the scene's own failures are counted
SCENE = 'scene'


class Culprits(NamedTuple):
    """Bodies that are left out together: those of one island (K,)."""

    bodies: np.ndarray


class Containment:
    """Runs attempts at a call of the engine.  `leave(body)`: the hand that a body belongs to leaves the scene."""

    def __init__(self, world, table: BodyTable, fleet: Fleet, tracker: EventTracker, book: ConstraintBook,
                 ledger: Ledger, leave: Callable[[int], object]) -> None:
        self._world, self._table, self._fleet, self._tracker = world, table, fleet, tracker
        self._book, self._ledger, self._leave = book, ledger, leave
        s, rotors = fleet.s, fleet.rotors
        self._before = Mirror((s.offset, s.reference, s.reference_stamp, s.shown, s.stale, s.enabled, s.reset,
                               s.touched, s.touch_stamp, s.cut, s.limited, s.frozen, s.rotor_force, s.rotor_torque,
                               *tracker.led.responses.arrays))
        gates = [a for g in (fleet.gate, fleet.wrench_gate) for a in g.arrays[:4]]
        self._inputs = Mirror((s.sample, s.force, s.torque, s.by_rotors, s.held, *fleet.base, *gates,
                               rotors.commanded, rotors.started))
        self._rotor_speed = rotors.speed
        self._engine, self._arrays = Mirror(()), None
        self.frozen: dict[int, int] = {}    # ns, until when, by body
        self.mark()     # compiles: not in the first tick
        self.remember_inputs()

    def clear(self) -> None:
        """Nothing is frozen any more; who calls puts the bodies where they belong."""
        self.frozen.clear()
        self._fleet.s.frozen[:] = False

    def remember_inputs(self) -> None:
        """At the end of a tick: inputs that come from now on are the newest."""
        self._inputs.take()

    def mark(self) -> None:
        """What `go_back` goes back to."""
        if arrays_of(self._world) is not self._arrays:
            self._arrays = arrays_of(self._world)
            self._engine = Mirror(checkpoint(self._arrays))
        self._engine.take()
        self._before.take()
        self._rotor_speed = self._fleet.rotors.speed
        self._tracker.mark()
        self._book.mark()

    def go_back(self) -> None:
        """As if nothing had happened since `mark`."""
        self._engine.put_back()
        go_back_to(self._world, self._arrays)
        self._before.put_back()
        self._fleet.rotors.speed = self._rotor_speed
        self._tracker.go_back()
        self._book.go_back()

    def recover(self, error: Exception, attempt: Callable[[], list], now_ns: int) -> list | None:
        """After an attempt failed: find and leave out what it failed by.  Returns what an attempt that went well
        returned, and None where everything that moves had to be frozen; then nothing has been run."""
        self._report(error)
        islands = _islands(self._table, self._world)
        ended: list = []
        for _ in range(MOST_CULPRITS):
            island = self._named(error, islands) or self._search(islands, attempt)
            if island is None:
                break
            self.go_back()
            if self._drop_inputs(island):
                self.mark()
                done, error = self._try(attempt)
                if done is not None:
                    return ended + done
                self.go_back()
            ended += self._freeze(island, now_ns)
            self.mark()
            done, error = self._try(attempt)
            if done is not None:
                return ended + done
            islands = [k for k in islands if k is not island]
        self.go_back()
        for island in islands:
            self._freeze(island, now_ns)
        self.mark()
        return None

    def thaw(self, now_ns: float) -> None:
        """What has been frozen long enough takes part again: a controlled drone from its newest sample, all else at
        rest where it is."""
        for body in [body for body, until in self.frozen.items() if now_ns >= until]:
            del self.frozen[body]
            row = int(self._table.drone_row[body])
            if row >= 0:
                self._fleet.s.frozen[row] = False
                if self._fleet.authority[row] != SIMULATE:
                    continue
                self._fleet.s.enabled[row] = True
            motion = self._world.motions(np.array([body]))
            motion[:, VEL:] = 0.0
            self._world.set_motions(np.array([body]), motion)
            self._world.set_enabled(body, True)

    def _try(self, attempt: Callable[[], list]) -> tuple[list | None, Exception | None]:
        try:
            return attempt(), None
        except Exception as error:
            return None, error

    def _report(self, error: Exception) -> None:
        frames = traceback.extract_tb(error.__traceback__)[-DEPTH:]
        where = ' < '.join(f'{frame.name}:{frame.lineno}' for frame in reversed(frames))
        self._ledger.note(Verdict.FAILED, SCENE, f'{type(error).__name__}: {str(error)[:200]} ({where})')

    def _named(self, error: Exception | None, islands: list[Culprits]) -> Culprits | None:
        """The island of the body that the engine names."""
        body = getattr(error, 'body', -1)
        return next((island for island in islands if body in island.bodies), None)

    def _search(self, islands: list[Culprits], attempt: Callable[[], list]) -> Culprits | None:
        """An island without which, and those before it, all others go on; None where they do not without any."""
        low, high = 0, len(islands)
        if not self._goes_without(islands, attempt):
            return None
        while high - low > 1:
            middle = (low + high) // 2
            if self._goes_without(islands[:middle], attempt):
                high = middle
            else:
                low = middle
        return islands[high - 1] if high else None

    def _goes_without(self, islands: Iterable[Culprits], attempt: Callable[[], list]) -> bool:
        self.go_back()
        for island in islands:
            for body in island.bodies.tolist():
                self._world.set_enabled(body, False)
            self._tracker.leave_out(set(island.bodies.tolist()))
        done, _ = self._try(attempt)
        return done is not None

    def _drop_inputs(self, island: Culprits) -> bool:
        """Take back what came for the island's drones since the last tick; whether there are any."""
        rows = self._table.drone_row[island.bodies]
        rows = rows[rows >= 0]
        self._inputs.put_back_rows(rows)
        for row in rows:
            self._ledger.note(Verdict.DROPPED, self._fleet.names[row], 'its inputs since the last tick')
        return bool(len(rows))

    def _freeze(self, island: Culprits, now_ns: int) -> list:
        """The island stands still, out of contact; its contacts end: their events."""
        for body in island.bodies.tolist():
            if self._table.kinds[body] == HAND:
                self._leave(body)
                continue
            self._world.set_enabled(body, False)
            self.frozen[body] = now_ns + FREEZE
            row = int(self._table.drone_row[body])
            if row >= 0:
                s = self._fleet.s
                s.frozen[row], s.enabled[row], s.offset[row] = True, False, 0.0
            self._ledger.note(Verdict.FROZEN, self._table.names[body], f'for {FREEZE / NANOSECONDS:g} s')
        try:
            return self._tracker.end(set(island.bodies.tolist()), now_ns)
        except Exception as error:
            self._report(error)
            return []


def _islands(table: BodyTable, world) -> list[Culprits]:
    """Bodies that move by forces and take part, by what was near what in the last step: those that are near one
    another, or held together, are together; bodies that nothing moves do not connect."""
    dynamic = np.array([kind == 'dynamic' for kind in world.kinds])
    parent = np.arange(len(table.names))

    def root(body: int) -> int:
        while parent[body] != body:
            parent[body] = body = parent[parent[body]]
        return body

    for a, b in (*near_bodies(world), *joined_bodies(world)):
        if dynamic[a] and dynamic[b]:
            low, high = sorted((root(int(a)), root(int(b))))
            parent[high] = low
    roots = np.array([root(k) for k in range(len(parent))])
    taking = dynamic & enabled(world)
    return [Culprits(np.flatnonzero((roots == k) & taking)) for k in np.unique(roots[taking])]
