# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Rotor tables as arrays: speeds to a wrench.  T = Ct w |w| along body +z; reaction torque Cq w |w| against the spin;
lever arms from the centre of mass; speed lag of first order where the table has one."""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ... import rotations as rot
from ...engine.maths.pointwise import exp
from ..world_files.world_types import DroneModel


class RotorBank:
    """Rotors of n drones, padded to the largest table: arrays (N,R) or (N,R,3)."""

    def __init__(self, models: Sequence[DroneModel], least: int = 0):
        """least: room for so many rotors of each drone."""
        n, most = len(models), max((len(m.rotors) for m in models), default=least)
        self.room = most = max(most, least)
        self.count = np.array([len(m.rotors) for m in models], dtype=np.int64)
        self.arm = np.zeros((n, most, 3))
        self.thrust, self.reaction, self.lag = np.zeros((n, most)), np.zeros((n, most)), np.zeros((n, most))
        self.speed, self.commanded = np.zeros_like(self.thrust), np.zeros_like(self.thrust)
        self.started, self.any_started = np.zeros(n, dtype=bool), False
        self.stopped = np.zeros((n, most), dtype=bool)      # they were hit: no thrust, no reaction
        for k, model in enumerate(models):
            self.put(k, model)

    def put(self, k: int, model: DroneModel) -> None:
        """Drone k is of this model, with at most `room` rotors, and they stand still."""
        for array in (self.arm, self.thrust, self.reaction, self.lag, self.speed, self.commanded, self.started,
                      self.stopped):
            array[k] = 0
        self.count[k] = len(model.rotors)
        for r, rotor in enumerate(model.rotors):
            self.arm[k, r] = np.subtract(rotor.position, model.com)
            self.thrust[k, r] = rotor.thrust_coefficient
            # a rotor turning counter-clockwise seen from above turns its drone clockwise: -z
            self.reaction[k, r] = rotor.torque_coefficient * (-1.0 if rotor.spin == 'ccw' else 1.0)
            self.lag[k, r] = rotor.time_constant

    def clear(self) -> None:
        """All rotors stand still, and the first command is taken without lag."""
        self.speed = np.zeros_like(self.thrust)
        self.commanded[:], self.started[:], self.any_started = 0.0, False, False
        self.stopped[:] = False

    def stop(self, row: int, rotor: int) -> None:
        """A rotor gives no thrust any more, until `clear`."""
        self.stopped[row, rotor] = True

    def command(self, row: int, speeds: np.ndarray) -> None:
        """New speeds of one drone, rad/s."""
        self.commanded[row, :len(speeds)] = speeds
        if not self.started[row]:
            self.speed[row] = self.commanded[row]
            self.started[row] = self.any_started = True

    def wrench(self, h: float) -> tuple[np.ndarray, np.ndarray]:
        """Force and torque (N,3) body FLU about the centre of mass, N and N m, over the next h s; the speeds advance
        by h.  With lag, the mean of the speeds before and after."""
        slow = self.lag > 0.0
        decay = np.where(slow, exp(-h / np.where(slow, self.lag, 1.0)), 0.0)
        after = self.commanded + (self.speed - self.commanded) * decay
        mean = np.where(slow, 0.5 * (self.speed + after), self.commanded)
        self.speed = after
        square = mean * np.abs(mean)
        if self.stopped.any():
            square = np.where(self.stopped, 0.0, square)
        lift = self.thrust * square
        force = np.zeros((len(self.count), 3))
        force[:, 2] = lift.sum(axis=1)
        upward = np.zeros_like(self.arm)
        upward[..., 2] = lift
        torque = rot.cross(self.arm, upward).sum(axis=1)
        torque[:, 2] += (self.reaction * square).sum(axis=1)
        return force, torque
