# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The verdict of a comparison, as typed records."""
from __future__ import annotations

from dataclasses import dataclass
from math import inf

from .records import Contact
from .setup import Change

EQUAL, DIFFERENT, INCOMPARABLE = 0, 1, 2     # exit codes


@dataclass(frozen=True)
class Difference:
    """One thing beyond its tolerance: where (a drone or a pair of bodies), what, by how much (inf: there is nothing
    to measure), how much is allowed, and a sentence."""

    at_ns: int
    where: str
    quantity: str
    error: float
    limit: float
    text: str


@dataclass(frozen=True)
class ErrorStats:
    """An error along a trajectory: root mean square and largest value, when that was, and what is allowed.  n = 0:
    nothing could be measured, rmse and max are 0."""

    n: int = 0
    rmse: float = 0.0
    max: float = 0.0
    at_ns: int = 0
    limit: float = inf


@dataclass(frozen=True)
class TrajectoryResult:
    """One drone: `samples` poses compared, of them `interpolated` where one side has no sample at that stamp.
    Translations in m, rotations in rad.  name: the drone, and the topic where it has more than one."""

    name: str
    drone: str
    topic: str
    samples: int
    interpolated: int
    ape_translation: ErrorStats
    ape_rotation: ErrorStats
    rpe_translation: ErrorStats
    rpe_rotation: ErrorStats
    differences: tuple[Difference, ...]


@dataclass(frozen=True)
class Match:
    """The same contact in both runs."""

    expected: Contact
    actual: Contact
    differences: tuple[Difference, ...]


@dataclass(frozen=True)
class PairResult:
    """The contacts of two bodies: in both runs, in the expected one only (missing), in the actual one only
    (extra)."""

    body_a: str
    body_b: str
    matches: tuple[Match, ...]
    missing: tuple[Contact, ...]
    extra: tuple[Contact, ...]
    differences: tuple[Difference, ...]     # all of them, those of the matches too

    @property
    def name(self) -> str:
        """'d0 - wall'."""
        return f'{self.body_a} - {self.body_b}'


@dataclass(frozen=True)
class ConstraintResult:
    """The events of a constraint: how many in both runs, in the expected one only, in the actual one only."""

    name: str
    in_both: int
    only_expected: int
    only_actual: int
    differences: tuple[Difference, ...]


@dataclass(frozen=True)
class TopicResult:
    """The messages of a topic, byte for byte."""

    topic: str
    in_expected: int
    in_actual: int
    differences: tuple[Difference, ...]


@dataclass(frozen=True)
class Report:
    """The verdict on two runs; every tuple is sorted by name.  origin_ns: the earlier of both beginnings; laws: of both
    runs the version of the law that made it, None where that is not told;
    changes: what differs in their world files and parameters, what matters most first."""

    expected: str
    actual: str
    origin_ns: int
    exact: bool
    trajectories: tuple[TrajectoryResult, ...]
    pairs: tuple[PairResult, ...]
    topics: tuple[TopicResult, ...]
    notes: tuple[str, ...]
    laws: tuple[int | None, int | None] = (None, None)
    constraints: tuple[ConstraintResult, ...] = ()
    changes: tuple[Change, ...] = ()

    @property
    def other_law(self) -> bool:
        """Whether both are of different versions of the law: then bits differ all over."""
        return None not in self.laws and self.laws[0] != self.laws[1]

    @property
    def differences(self) -> tuple[Difference, ...]:
        """All of them, in order of time; of equal times contacts first, as poses follow from them."""
        parts = self.pairs, self.constraints, self.trajectories, self.topics
        found = [d for part in parts for one in part for d in one.differences]
        return tuple(sorted(found, key=lambda d: d.at_ns))

    @property
    def first(self) -> Difference | None:
        """What differs first."""
        return next(iter(self.differences), None)

    @property
    def equal(self) -> bool:
        """Whether nothing differs by more than is allowed."""
        return not self.differences

    @property
    def exit_code(self) -> int:
        """0 equal, 1 different."""
        return EQUAL if self.equal else DIFFERENT
