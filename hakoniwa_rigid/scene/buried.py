# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Drones that begin inside a wall, and meshes whose faces point the wrong way: said once, with their names.

A drone wholly inside a closed mesh meets no face, and one inside a box is pushed out through the nearest side, which
may be the wrong one.  A closed mesh whose faces point inwards is solid everywhere but inside: a room, if drones fly
there, else a mistake.
"""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from .. import rotations as rot
from ..engine import Compound, TriangleMesh
from ..engine.mass.polyhedron import surface_integrals
from ..engine.shapes.arrays import winding
from ..engine.shapes.edges import is_closed, sorted_edges
from .records import Ledger, Verdict
from .world_files.world_types import DroneConfig, WallConfig, WorldConfig


def winds(shape) -> int:
    """How a mesh winds: 1 around its inside, -1 around all but that; 0 if it is open, or no mesh."""
    if not (isinstance(shape, TriangleMesh) and is_closed(sorted_edges(shape.faces))):
        return 0
    return 1 if surface_integrals(shape.vertices, shape.faces).volume > 0.0 else -1


def _in_mesh(mesh, p, turns):
    """Whether a mesh that winds like that has the point p (3,) in what is solid."""
    around = winding(mesh, p) if turns else 0
    return around > 0 if turns > 0 else turns < 0 and around == 0


def holds(shape, p: np.ndarray, radius: float) -> bool:
    """Whether a shape has the point p (3,), in its frame, in its solid part.

    radius (m): how far below a half-space counts.  An open mesh has no inside.
    """
    if isinstance(shape, Compound):
        return any(holds(part.shape, rot.rotate_inverse(np.asarray(part.quat), p - np.asarray(part.pos)), radius)
                   for part in shape.parts)
    return _in_mesh(shape, p, winds(shape)) if isinstance(shape, TriangleMesh) else shape.holds(p, radius)


class Solid(NamedTuple):
    """A wall, and how its mesh, if it is one, winds."""

    wall: WallConfig
    winds: int

    def holds(self, p: np.ndarray, radius: float) -> bool:
        """Whether the point p (3,) m, in the world, is in what is solid; radius as in `holds`."""
        pose, shape = self.wall.pose, self.wall.shape
        p = rot.rotate_inverse(np.asarray(pose.quat), np.asarray(p) - np.asarray(pose.position))
        return _in_mesh(shape, p, self.winds) if isinstance(shape, TriangleMesh) else holds(shape, p, radius)


class Solids:
    """The walls of a world as what drones can be inside of."""

    def __init__(self, walls: Sequence[WallConfig]):
        self._solids = [Solid(wall, winds(wall.shape)) for wall in walls]

    def inside_out(self, starts: np.ndarray) -> Iterator[tuple[str, str]]:
        """Name and complaint of every closed mesh whose faces point inwards and in which none of the points (N, 3)
        lies."""
        for solid in self._solids:
            if solid.winds < 0 and all(solid.holds(p, 0.0) for p in starts):
                yield solid.wall.name, ('its faces point inwards: all is solid but its inside, and no drone starts '
                                        'there; turn them round if it is an obstacle')

    def around(self, p: np.ndarray, radius: float) -> Iterator[str]:
        """Names of the walls in which a drone's centre of mass p (3,) m is; radius (m) of the drone."""
        for solid in self._solids:
            if solid.holds(p, radius):
                yield solid.wall.name


class BuriedDrones:
    """Says of the walls and drones of a world what there is to say; drones (N,) are their bodies in the engine."""

    def __init__(self, config: WorldConfig, world, drones: np.ndarray, ledger: Ledger):
        self._drones, self._world, self._bodies, self._ledger = list(config.drones), world, drones, ledger
        self._solids, self._placed = Solids(config.walls), np.zeros(len(drones), dtype=bool)
        for wall, what in self._solids.inside_out(world.pos[drones]):
            ledger.note(Verdict.INSIDE_OUT, wall, what)

    def clear(self) -> None:
        """No drone has come in yet."""
        self._placed[:] = False

    def put(self, row: int, drone: DroneConfig) -> None:
        """Another drone has come to a row."""
        self._drones[row], self._placed[row] = drone, False

    def put_walls(self, walls: Sequence[WallConfig]) -> None:
        """There are other walls."""
        self._solids = Solids(walls)

    def look(self, enabled: np.ndarray) -> None:
        """Say of the drones (N,) bool that have come in whether they are inside a wall, once."""
        new = enabled > self._placed
        for row in np.flatnonzero(new) if new.any() else ():
            self._placed[row], drone = True, self._drones[row]
            for wall in self._solids.around(self._world.pos[self._bodies[row]], drone.model.shape.bounding_radius()):
                self._ledger.note(Verdict.BURIED, drone.name, f'came in inside {wall}')
