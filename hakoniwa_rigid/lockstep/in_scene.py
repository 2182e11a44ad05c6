# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The same call on a CollisionScene in the simulator's own process: no ROS, no waiting."""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..codec.message_fields import NANOSECONDS
from ..scene import CollisionScene
from ..scene.records import Tick
from .errors import LockstepError
from .states import States, checked, checked_names

__all__ = ['SceneLockstep']


class SceneLockstep:
    """Drones `names` (N) of a simulator, stepped together with a scene.  `tick`: what the last step gave, with events;
    `ticks` of one call where a step has several."""

    def __init__(self, scene: CollisionScene, names: Sequence[str], period_ns: int) -> None:
        """period_ns: between two ticks, whole engine steps; the outputs of a node of that rate are the same."""
        self.names = checked_names(names)
        unknown = [name for name in self.names if name not in scene.drone_names]
        if unknown:
            raise LockstepError(f'the scene has no drone {", ".join(unknown)}: it has {", ".join(scene.drone_names)}')
        step = round(scene.config.dt * NANOSECONDS)
        if period_ns <= 0 or period_ns % step:
            raise LockstepError(f'period_ns: must be whole engine steps of {step} ns, got {period_ns}')
        self.scene, self._period = scene, int(period_ns)
        self._rows = np.array([scene.drone_names.index(name) for name in self.names])
        self._sent: int | None = None
        self._last: int | None = None
        self.tick: Tick | None = None
        self.ticks: tuple[Tick, ...] = ()

    def restart(self) -> None:
        """The simulator begins anew, at any stamp: the scene is put back to its start."""
        self.scene.reset()
        self._sent = self._last = self.tick = None
        self.ticks = ()

    def step(self, stamp_ns: int, positions, orientations_xyzw, linear_velocities, angular_velocities) -> States:
        """As Lockstep.step; the ticks up to stamp_ns are run before it returns, those of 1 s at most."""
        states = checked(self.names, stamp_ns, positions, orientations_xyzw, linear_velocities, angular_velocities)
        stamp = states.stamp_ns
        if self._sent is not None and not self._sent < stamp <= self._sent + NANOSECONDS:
            raise LockstepError(f'stamp_ns: must rise, by 1 s at most, got {stamp} after {self._sent}; a new beginning '
                                'needs restart()')
        self._sent = stamp
        self.scene.feed_drones(self.names, stamp, states.positions, states.orientations_xyzw,
                               states.linear_velocities, _turned(states.orientations_xyzw, states.angular_velocities))
        first = stamp if self._last is None else self._last + self._period
        stamps = range(first, stamp + 1, self._period)
        self.ticks = tuple(map(self.scene.advance, stamps))
        if self.ticks:
            self.tick, self._last = self.ticks[-1], stamps[-1]
        s, rows = self.tick.states, self._rows
        return States(self.tick.stamp_ns, s.positions[rows], s.orientations_xyzw[rows], s.linear_velocities[rows],
                      s.angular_velocities[rows], s.flags[rows])


def _turned(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vectors (N,3) of the body in the world, by orientations (N,4) xyzw."""
    u, w = q[:, :3], q[:, 3:]
    t = 2.0 * np.cross(u, v)
    return v + w * t + np.cross(u, t)
