# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A hand of finite mass: its parts are free bodies that follow the tracked hand, pulled back critically damped.

A part as it is is the tracked one plus an offset (a virtual coupling: Colgate, Stanley and Brown 1995).  That of the
palm is the hand's: what pushes the palm back takes the fingers along.  Fingers that touch have their own beside it: so
two of them press on what is between them, each with what the tracker squeezes.  A part that is hit has the mass of the
hand and does not turn: its attitude is the tracker's.  Without contact offsets die away, and then the hand is the
tracked one to the bit.

It presses with no more than `hand_max_force`: each part, and all together.  What holds a part back by more than
`hand_pass_distance` is passed: the hand is out of contact until nothing is in its way where it is tracked.  After an
impact it is a free mass until reflexes set in.  Why so: docs/adr/0012-hands.md.
"""
from __future__ import annotations

import numpy as np

from ... import rotations as rot
from ...codec.motion_columns import OMEGA, POS, QUAT, VEL
from ..world_files.world_types import SceneParams
from . import hand_coupling_kernels
from .hand_layouts import HAND_BODIES


class Coupling:
    """How far the parts (B) of a hand of `mass` kg are off their tracker: offset (B,3) m and rate (B,3) m/s, world."""

    def __init__(self, mass: float, params: SceneParams, gravity: np.ndarray):
        self.mass, self.gravity = mass, np.array(gravity, dtype=float)
        self.tau = float(np.sqrt(mass / params.hand_stiffness))
        self.most, self.longest = params.hand_max_force / mass, params.hand_pass_distance
        self.clear()

    def clear(self) -> None:
        """The hand is where its tracker has it."""
        self.offset, self.rate, self.accel = (np.zeros((HAND_BODIES, 3)) for _ in range(3))
        self.carried, self.quiet = np.full((HAND_BODIES, 6), np.nan), np.full(HAND_BODIES, np.inf)
        self.freed = np.full(1, np.inf)
        self._given, self._step = None, -1

    @property
    def touched(self) -> np.ndarray:
        """Parts (B,) bool that touched something in the last step."""
        return self.quiet == 0.0

    @property
    def is_held_back(self) -> bool:
        """Whether something holds a part back by more than the hand bears."""
        return bool((rot.norm(self.offset[self.touched]) > self.longest).any())

    def post_step(self, world) -> None:
        """Take up what the steps since `pre_step` have done."""
        if self._given is None or world.time_steps == self._step:
            return
        bodies, on, palm, motions, h = self._given
        now, accel = world.motions(bodies), self.accel[on]
        expected = motions[:, POS:QUAT] + motions[:, VEL:OMEGA] * h + (0.5 * h * h) * accel
        hand_coupling_kernels.take_parts(self.offset, self.rate, self.accel, self.quiet, self.freed, on,
                                         palm, now[:, POS:QUAT].copy(), now[:, VEL:OMEGA].copy(), expected,
                                         motions[:, VEL:OMEGA] + h * accel, h)
        self._given = None

    def pre_step(self, world, bodies: np.ndarray, on: np.ndarray, palm: np.ndarray, motions: np.ndarray,
                 h: float) -> None:
        """Put the offsets on the motions (K,13) of the parts that are `on` (B,) bool for the next h s, and pull them;
        palm (B,) bool: those that are the palm, the last of them always."""
        places, velocity = np.full((2, HAND_BODIES, 3), np.nan)
        places[on], velocity[on] = motions[:, POS:QUAT], motions[:, VEL:OMEGA]
        hand_coupling_kernels.pull_parts(self.offset, self.rate, self.carried, self.quiet, self.freed, on, palm,
                                         places, velocity, self.tau, self.most, h, self.accel)
        motions[:, POS:QUAT] += self.offset[on]
        motions[:, VEL:OMEGA] += self.rate[on]
        world.force[bodies] = self.mass * (self.accel[on] - self.gravity)
        self._given, self._step = (bodies, on, palm, motions.copy(), h), world.time_steps
