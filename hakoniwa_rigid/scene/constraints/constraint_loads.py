# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What constraints do to drones in a tick, as a simulator would apply it: a mean force and torque.

Observed drones are put on their samples before every tick, so the engine meets what a sample violates anew in each.  A
load that changes by no more than a drone could push is told as it is.  What is more (a snap, or a sample beyond the end
of its line, which is drawn back) is told once, and again when the samples have shown it, or do not within the time that
`responses` gives them; until then the last lasting load is told.  So a late simulator does not get it twice.
"""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ... import rotations as rot
from ...engine.world.constraint_view import anchor_points, constraint_rows
from ..bodies import BodyTable
from ..drones.authority import OBSERVE
from ..drones.drones import Fleet
from ..observed_drones.response_kernels import MOST_OWN
from ..observed_drones.responses import Responses
from ..records import ConstraintLoads, Ledger, Verdict

__all__ = ['LoadsOnDrones']

FORCE, TORQUE, LOAD = slice(0, 3), slice(3, 6), 6


class LoadsOnDrones:
    """Of the drones of a fleet in the engine `world`, whose bodies are in `table`.  lasting (N,6): of observed drones
    the last lasting load, N and N m about the centre of mass, world."""

    def __init__(self, world, table: BodyTable, fleet: Fleet, responses: Responses, ledger: Ledger) -> None:
        self._world, self._table, self._fleet, self._responses = world, table, fleet, responses
        self._ledger = ledger
        self.lasting = np.zeros((fleet.n, LOAD))
        self._given = np.zeros((fleet.n, LOAD))     # N s and N m s about the centre of mass, world, in this tick
        self._acted = np.zeros(fleet.n, dtype=bool)
        self._said = np.zeros(fleet.n, dtype=bool)  # of whom it was said that they do not follow
        self._kept: Sequence[np.ndarray] = ()

    def clear(self) -> None:
        """No constraint has acted."""
        for array in self._arrays:
            array[:] = 0

    @property
    def _arrays(self) -> tuple[np.ndarray, ...]:
        return self.lasting, self._given, self._acted, self._said

    def mark(self) -> None:
        """Remember how it is, for `go_back`."""
        self._kept = [array.copy() for array in self._arrays]

    def go_back(self) -> None:
        """Undo every `add` since `mark`."""
        for array, kept in zip(self._arrays, self._kept, strict=False):
            array[:] = kept

    def add(self, seconds: float, now_ns: int) -> list[tuple[int, np.ndarray]]:
        """After a call of the engine that took so long and ended at now: what its constraints gave in it.  Returns
        bodies of observed drones, and the changes of their velocity (3,) m/s that are told for the first time."""
        given, acted = np.zeros_like(self._given), np.zeros_like(self._acted)
        self._collect(given, acted)
        news = []
        for row in np.flatnonzero(acted & (self._fleet.authority == OBSERVE)).tolist():
            body, mass = int(self._table.drones[row]), self._fleet.s.mass[row]
            more = given[row, FORCE] - self.lasting[row, FORCE] * seconds
            if rot.norm(more) <= MOST_OWN * mass * seconds:
                self.lasting[row] = given[row] / seconds
            elif self._responses.waits(body):
                given[row] = self.lasting[row] * seconds
            else:
                self._responses.report(body, more / mass, now_ns)
                news.append((body, more / mass))
            if self._responses.gave_up(body) and not self._said[row]:
                self._said[row] = True
                self._ledger.note(Verdict.UNANSWERED, self._fleet.names[row], 'does not follow its constraints')
        self.lasting[~acted], self._said[~acted] = 0.0, False
        self._given += given
        self._acted |= acted
        return news

    def _collect(self, given: np.ndarray, acted: np.ndarray) -> None:
        """What constraints gave to each drone in the last call (N,6), and to whom some did (N,)."""
        rows, of = constraint_rows(self._world), self._table.drone_row
        for k in np.flatnonzero(rows.acted & ((of[rows.body_a] >= 0) | (of[rows.body_b] >= 0))).tolist():
            ends = anchor_points(self._world, rows.numbers[k])[:2]
            for body, anchor, sign in ((rows.body_a[k], ends[0], -1.0), (rows.body_b[k], ends[1], 1.0)):
                row = of[body]
                if row >= 0:
                    acted[row] = True
                    impulse = sign * rows.impulse[k]
                    given[row, FORCE] += impulse
                    arm = anchor - self._world.pos[body]
                    given[row, TORQUE] += rot.cross(arm, impulse) + sign * rows.moment[k]

    def take(self, seconds: float) -> ConstraintLoads | None:
        """The loads of the calls since the last `take`, which took so long; None where no constraint acted."""
        on = np.flatnonzero(self._acted)
        if not len(on) or not seconds > 0.0:
            return None
        q, com = self._world.quat[self._table.drones[on]], self._fleet.s.com[on]
        force, torque = (rot.rotate_inverse(q, self._given[on, part] / seconds) for part in (FORCE, TORQUE))
        self._given[:], self._acted[:] = 0.0, False
        return ConstraintLoads(on, force, torque + rot.cross(com, force))
