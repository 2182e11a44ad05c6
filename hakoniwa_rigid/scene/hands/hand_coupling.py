# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A hand of finite mass: its bodies are free bodies that follow the tracked hand, pulled back critically damped.

The hand as it is is the tracked one plus an offset, one for all its parts (a virtual coupling: Colgate, Stanley and
Brown 1995).  A part that is hit has the mass of the hand and does not turn: its attitude is the tracker's.  What
contacts have done to the parts that they touched in a tick becomes the offset of all; without contact the offset dies
away, and then the hand is the tracked one to the bit.  Why so: docs/adr/0012-hands.md.
"""
from __future__ import annotations

import numpy as np

from ...codec.motion_columns import OMEGA, POS, QUAT, VEL
from ..drones.tick_kernels import pull

# m/s: a change of speed beyond this is a contact's, below it rounding
TOUCHED = 1e-9
# m, m/s: smaller offsets without contact end
SETTLED = (1e-6, 1e-5)


class Coupling:
    """How far a hand of `mass` kg is off its tracker: offset (3,) m and its rate (3,) m/s, world.  tau: s, time
    constant of the return."""

    def __init__(self, mass: float, tau: float, gravity: np.ndarray):
        self.mass, self.tau, self.gravity = mass, tau, np.array(gravity, dtype=float)
        self.clear()

    def clear(self) -> None:
        """The hand is where its tracker has it."""
        self.offset, self.rate = np.zeros(3), np.zeros(3)
        self._given, self._step = None, -1

    def post_step(self, world) -> None:
        """Take up what the steps since `pre_step` have done."""
        if self._given is None or world.time_steps == self._step:
            return
        bodies, motions, accel, h = self._given
        now = world.motions(bodies)
        change = now[:, VEL:OMEGA] - (motions[:, VEL:OMEGA] + h * accel)
        hit = (np.abs(change) > TOUCHED).any(axis=1)
        shift = self.rate * h + 0.5 * accel * h * h
        self.rate = self.rate + accel * h
        if hit.any():
            expected = motions[hit, POS:QUAT] + motions[hit, VEL:OMEGA] * h + 0.5 * accel * h * h
            self.rate += change[hit].mean(axis=0)
            shift += (now[hit, POS:QUAT] - expected).mean(axis=0)
        self.offset = self.offset + shift
        if not hit.any() and (np.abs(self.offset) < SETTLED[0]).all() and (np.abs(self.rate) < SETTLED[1]).all():
            self.offset, self.rate = np.zeros(3), np.zeros(3)
        self._given = None

    def pre_step(self, world, bodies: np.ndarray, motions: np.ndarray, h: float) -> None:
        """Put the offset on the motions (K,13) of bodies (K,) for the next h s, and pull them."""
        accel = np.array([pull(d, rate, self.tau, h) for d, rate in zip(self.offset.tolist(), self.rate.tolist(),
                                                                        strict=True)])
        motions[:, POS:QUAT] += self.offset
        motions[:, VEL:OMEGA] += self.rate
        world.force[bodies] = self.mass * (accel - self.gravity)
        self._given, self._step = (bodies, motions.copy(), accel, h), world.time_steps
