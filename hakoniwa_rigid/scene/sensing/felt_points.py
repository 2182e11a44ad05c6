# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What contact points do to the places of IMUs, call by call of the engine.

The engine logs an impact over time once, with its whole impulse, and delivers it over its duration: so it is felt here,
too, as the same profile shares it out.
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ... import rotations as rot
from ...engine.model.choices import PROFILES
from ..bodies import BodyTable
from .profile_kernel import shares_until

__all__ = ['FeltPoints']

# impacts over time that run at once; of more the oldest are felt at once, so that nothing is lost
MOST_RUNNING = 4096


class Running(NamedTuple):
    """R impacts over time: number of the drone (R,), age at the end of the call and duration (R,) s, share that was
    felt (R,), changes of velocity (R,3) m/s and turning (R,3) rad/s in all."""

    drone: np.ndarray
    age: np.ndarray
    duration: np.ndarray
    share: np.ndarray
    change: np.ndarray
    turn: np.ndarray


NONE = Running(np.zeros(0, dtype=np.int64), *np.zeros((3, 0)), *np.zeros((2, 0, 3)))


class FeltPoints:
    """Of K drones with their engine's bodies (K,); steps of dt s; profile: of PROFILES, None for instants."""

    def __init__(self, table: BodyTable, bodies: np.ndarray, dt: float, profile: str | None) -> None:
        self._bodies, self._inverse_mass, self._dt = bodies, table.inverse_mass, dt
        # number of the drone of a body, -1 for all others
        self._of_body = np.full(len(table.names), -1, dtype=np.int64)
        self._of_body[bodies] = np.arange(len(bodies))
        self._kind = -1 if profile is None else PROFILES[profile]
        self._running = self._next = NONE
        if self._kind >= 0:     # compiles: not in the first tick
            self._shares(np.zeros(0), np.zeros(0))

    def clear(self) -> None:
        """No impact runs."""
        self._running = self._next = NONE

    def follow(self, before: FeltPoints, numbers: Mapping[int, int]) -> None:
        """Impacts that others felt run on: numbers of the drones there, and here."""
        on = np.array([k in numbers for k in before._running.drone.tolist()], dtype=bool)
        running = Running(*(column[on] for column in before._running))
        mine = np.array([numbers[k] for k in running.drone.tolist()], dtype=np.int64)
        self._running = self._next = running._replace(drone=mine)

    def keep(self) -> None:
        """The last call counts."""
        self._running = self._next

    def add(self, rows: np.ndarray | None, seconds: float, q: np.ndarray, w: np.ndarray, arm: np.ndarray,
            on: np.ndarray, out: np.ndarray) -> None:
        """Of a call of the engine that took so long, with rows of its contact log: add to out (K,3) m/s, world, what
        contact points gave to the places at arms (K,3) from the centres of mass, body, of drones on (K,) bool; q
        (K,4) wxyz and w (K,3) rad/s at its end.  Writes: out."""
        runs = self._running
        if rows is not None and len(rows):
            k, change, turn, left, duration, lasts = self._points(rows, seconds, on)
            now = ~lasts
            # the arm as it was then: the drone has turned on since
            back = rot.from_vector(-w[k[now]] * left[now, None])
            reach = rot.rotate(rot.multiply(back, q[k[now]]), arm[k[now]])
            np.add.at(out, k[now], change[now] + rot.cross(turn[now], reach))
            new = (k, left - seconds, duration, np.zeros(len(k)), change, turn)
            runs = Running(*(np.concatenate([old, more[lasts]]) for old, more in zip(runs, new, strict=True)))
        self._next = runs
        if len(runs.drone):
            self._next = self._felt(runs, seconds, rot.rotate(q, arm), out)

    def _points(self, rows: np.ndarray, seconds: float, on: np.ndarray) -> tuple[np.ndarray, ...]:
        """Points on these drones: numbers of the drones (P,), changes (P,3) m/s, turning (P,3) rad/s, time left in the
        call and durations (P,) s, whether they last beyond the instant (P,)."""
        when = rows['step'] * self._dt + rows['time']
        sides = []
        for side, sign, turn in (('body_a', -1.0, 'delta_omega_a'), ('body_b', 1.0, 'delta_omega_b')):
            k = self._of_body[rows[side]]
            mine = (k >= 0) & on[k]
            k, given = k[mine], rows[mine]
            change = sign * self._inverse_mass[self._bodies[k]][:, None] * given['impulse']
            lasts = given['impact'] & (given['duration'] > 0.0) & (self._kind >= 0)
            sides.append((k, change, given[turn], np.maximum(seconds - when[mine], 0.0), given['duration'], lasts))
        return tuple(np.concatenate(pair) for pair in zip(*sides, strict=True))

    def _felt(self, runs: Running, seconds: float, reach: np.ndarray, out: np.ndarray) -> Running:
        """Add the shares of this call; those that still run.  Writes: out."""
        age = runs.age + seconds
        share = self._shares(age, runs.duration)
        share[:max(len(share) - MOST_RUNNING, 0)] = 1.0
        more = (share - runs.share)[:, None]
        np.add.at(out, runs.drone, more * (runs.change + rot.cross(runs.turn, reach[runs.drone])))
        on = share < 1.0
        return Running(*(column[on] for column in runs._replace(age=age, share=share)))

    def _shares(self, age: np.ndarray, duration: np.ndarray) -> np.ndarray:
        out = np.empty(len(age))
        shares_until(self._kind, np.ascontiguousarray(age), np.ascontiguousarray(duration), out)
        return out
