# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""FleetState messages of a scene, of the drones that are there: free places are left out."""
from __future__ import annotations

import numpy as np

from ..codec.cdr_writers import FleetStateWriter
from .collision_scene import CollisionScene
from .records import FleetArrays

__all__ = ['FleetMessages', 'without_free']


def without_free(states: FleetArrays) -> FleetArrays:
    """The states of the drones that are there, in their order."""
    if '' not in states.names:
        return states
    rows = np.array([k for k, name in enumerate(states.names) if name], dtype=np.int64)
    return FleetArrays(tuple(filter(None, states.names)), *(array[rows] for array in states[1:]))


class FleetMessages:
    """Serialised once and patched every tick, until drones come or leave."""

    def __init__(self, scene: CollisionScene, frame: str) -> None:
        self._scene, self._frame = scene, frame
        self._find()

    def _find(self) -> None:
        self._roster = self._scene.roster
        self._writer = FleetStateWriter(self._frame, tuple(filter(None, self._scene.drone_names)))

    def write(self, ns: int, states: FleetArrays) -> bytes:
        """The message of the states of a tick at stamp ns."""
        if self._roster != self._scene.roster:
            self._find()
        return self._writer.write(ns, without_free(states))
