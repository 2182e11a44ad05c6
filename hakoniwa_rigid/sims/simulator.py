# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a simulator of drones in Python has to offer to fly beside a scene (`ros.simulator_node`); what is done to it.

States are position (3,) m, orientation (4,) xyzw, velocity (3,) m/s and angular velocity (3,) rad/s, all of the centre
of mass and in the world.
"""
from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.spatial.transform import Rotation

__all__ = ['Reckoning', 'Simulator', 'State', 'kick', 'wrench']

G = np.array([0.0, 0.0, 9.80665])   # m/s^2
# states that are remembered: 0.16 s and more at 100 Hz; what comes back later than that is taken as it is
REMEMBERED = 32

State = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


class Simulator(Protocol):
    """N drones, 0 to N - 1, alike; mass (kg) and principal moments (3,) (kg m^2) are needed in `simulate` alone."""

    dt: float           # s, of a step
    mass: float
    inertia: np.ndarray

    def step(self) -> None:
        """Go on by dt."""

    def state(self, k: int) -> State:
        """The state of drone k."""

    def put(self, k: int, x: np.ndarray, q: np.ndarray, v: np.ndarray, w: np.ndarray) -> None:
        """Set it."""


def kick(sim: Simulator, k: int, dv: np.ndarray, dw: np.ndarray) -> None:
    """Add what a contact event changes: (3,) m/s and rad/s."""
    x, q, v, w = sim.state(k)
    sim.put(k, x, q, v + dv, w + dw)


def wrench(sim: Simulator, before: State, after: State) -> tuple[np.ndarray, np.ndarray]:
    """The force (3,) N and torque (3,) N m, body FLU, by which rotors and air made one state of the other in a step."""
    turn, mean = Rotation.from_quat(before[1]).inv(), 0.5 * (before[3] + after[3])
    force = sim.mass * ((after[2] - before[2]) / sim.dt + G)
    spin, rates = sim.inertia * turn.apply((after[3] - before[3]) / sim.dt), turn.apply(mean)
    return turn.apply(force), spin + np.cross(rates, sim.inertia * rates)


class Reckoning:
    """The state of a drone that a scene integrates, as its simulator has to have it now.

    The scene applies the forces of a step `lag` (s) late, and what it made of them comes back later still.  A
    controller that is shown such an old state swings, where it is quick.  So the simulator goes on by itself, and what
    it comes to is remembered.  A state that comes back is compared with what was remembered of that time, and the
    difference alone is added, as it has grown since.  In free flight there is none.  (A Smith predictor, whose model is
    the simulator.)
    """

    def __init__(self, lag: float) -> None:
        self._lag = lag
        self._times, self._states = np.zeros(0), np.zeros((0, 13))

    def note(self, t: float, state: State) -> None:
        """What the simulator has come to at t s."""
        self._times = np.append(self._times, t)[-REMEMBERED:]
        self._states = np.vstack([self._states, np.concatenate(state)])[-REMEMBERED:]

    def correct(self, t: float, shown: State, now: State) -> State:
        """The scene has `shown` at t s: what the simulator's state `now` has to be."""
        t -= self._lag
        if not len(self._times):
            self.note(t, shown)
            return shown
        t = max(t, self._times[0])
        i = int(np.searchsorted(self._times, t, side='right')) - 1
        x, q, v, w = self._at(i, t)
        turn = Rotation.from_quat(shown[1]) * Rotation.from_quat(q).inv()
        change = shown[0] - x, turn, shown[2] - v, shown[3] - w
        since = np.append(self._times, max(self._times[-1], t)) - t
        moved = _moved(np.vstack([self._states, np.concatenate(now)]), since, *change)
        self._states = moved[:-1]
        return _parts(moved[-1])

    def _at(self, i: int, t: float) -> State:
        """What was remembered of t, at or after the time of state i."""
        if i + 1 == len(self._times):
            return _parts(self._states[i])
        step = self._times[i + 1] - self._times[i]
        share = (t - self._times[i]) / step
        x, _, v, w = _parts(self._states[i] + share * (self._states[i + 1] - self._states[i]))
        ends = Rotation.from_quat(self._states[i:i + 2, 3:7])
        turn = (ends[1] * ends[0].inv()).as_rotvec()
        return x, (Rotation.from_rotvec(share * turn) * ends[0]).as_quat(), v, w


def _parts(state: np.ndarray) -> State:
    return state[:3], state[3:7], state[7:10], state[10:]


def _moved(states: np.ndarray, since: np.ndarray, dx, turn: Rotation, dv, dw) -> np.ndarray:
    """States (M,13) that differ from what was by dx, dv, dw (3,) and a turn, `since` (M,) s ago."""
    out = states.copy()
    out[:, :3] += dx + since[:, None] * dv
    out[:, 3:7] = (Rotation.from_rotvec(since[:, None] * dw) * turn * Rotation.from_quat(states[:, 3:7])).as_quat()
    out[:, 7:10] += dv
    out[:, 10:] += dw
    return out
