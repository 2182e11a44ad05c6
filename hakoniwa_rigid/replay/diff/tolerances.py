# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""How much two runs may differ, in all, per drone and per pair of bodies."""
from __future__ import annotations

from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from math import inf


@dataclass(frozen=True)
class ContactTolerance:
    """When two contacts of the same bodies are the same contact, and equal.

    The defaults let pass what another processor or compiler rounds differently, and no change of the physics.
    """

    window: float = 0.05             # s; contacts further apart in time are never the same contact
    parts: bool = True               # match only contacts of the same parts (where both sides name them)
    time: float = 1e-3               # s; of begin and end
    position: float = 1e-3           # m; where it touches
    normal: float = 2e-3             # rad; between the normals
    impulse: float = 1e-4            # N s; of the first event and of the whole, as vectors ...
    impulse_relative: float = 1e-3   # unitless; ... plus this part of the larger of both
    persists: int = 1                # by how many PERSIST events the contacts may differ
    negligible: float = 0.0          # N s; contacts of less than this whole impulse may be missing on one side


@dataclass(frozen=True)
class TrajectoryTolerance:
    """How far the poses of one drone may be apart.

    APE: of poses at the same time; RPE: of the movements over `rpe_step`.  Largest value, and root mean square where
    `_rmse` is given.
    """

    ape_translation: float = 1e-3         # m
    ape_rotation: float = 2e-3            # rad
    rpe_translation: float = 1e-3         # m
    rpe_rotation: float = 2e-3            # rad
    ape_translation_rmse: float = inf     # m; the root mean square is at most the largest, which is checked anyway
    ape_rotation_rmse: float = inf        # rad
    rpe_translation_rmse: float = inf     # m
    rpe_rotation_rmse: float = inf        # rad
    rpe_step: float = 1.0                 # s
    gap: float = 0.1                      # s; how long one side may have no samples where the other has some


@dataclass(frozen=True)
class Override:
    """Other values for some: patterns with * and ? for the drone and topic of a trajectory, or for both bodies."""

    changes: tuple[tuple[str, float], ...]
    drone: str = '*'
    topic: str = '*'
    pair: tuple[str, str] | None = None     # given: for contacts, in either order


@dataclass(frozen=True)
class Tolerances:
    """All of it.  Of several overrides that fit, each changes what it names; the last word counts."""

    contacts: ContactTolerance = ContactTolerance()
    trajectories: TrajectoryTolerance = TrajectoryTolerance()
    overrides: tuple[Override, ...] = ()
    exact: bool = False     # messages must be equal byte for byte, too

    def of_drone(self, drone: str, *topics: str) -> TrajectoryTolerance:
        """For one trajectory, which may have another topic on the other side."""
        result = self.trajectories
        for o in self.overrides:
            if o.pair is None and fnmatchcase(drone, o.drone) and any(fnmatchcase(t, o.topic) for t in topics):
                result = replace(result, **dict(o.changes))
        return result

    def of_pair(self, body_a: str, body_b: str) -> ContactTolerance:
        """For the contacts of two bodies."""
        result = self.contacts
        for o in self.overrides:
            if o.pair and any(fnmatchcase(a, o.pair[0]) and fnmatchcase(b, o.pair[1])
                              for a, b in ((body_a, body_b), (body_b, body_a))):
                result = replace(result, **dict(o.changes))
        return result


def exact() -> Tolerances:
    """No tolerance: every bit the same."""
    keep = {'window', 'parts', 'rpe_step', 'gap'}

    def zero(kind):
        return kind(**{f.name: 0 for f in fields(kind) if f.name not in keep})
    return Tolerances(zero(ContactTolerance), zero(TrajectoryTolerance), exact=True)
