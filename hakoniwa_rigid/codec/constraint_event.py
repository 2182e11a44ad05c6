# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The schema of a constraint event: the fields of msg/ConstraintEvent behind its header, in its order, by name and
type."""
from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from .event_schema import EventSchema, Vec

__all__ = ['CONSTRAINT_EVENT', 'ConstraintEventRecord', 'ConstraintKind', 'ConstraintPhase']


class ConstraintKind(IntEnum):
    """Kind of a constraint; names and numbers of msg/ConstraintEvent."""

    FIXED = 0
    BALL = 1
    HINGE = 2
    DISTANCE = 3
    CABLE = 4
    SPRING = 5


class ConstraintPhase(IntEnum):
    """What happened to a constraint; names and numbers of msg/ConstraintEvent."""

    ATTACHED = 0
    DETACHED = 1
    TAUT = 2
    SLACK = 3
    BROKEN = 4
    GRASPED = 5
    RELEASED = 6


@dataclass(frozen=True)
class ConstraintEventRecord:
    """One event of one constraint; the fields of msg/ConstraintEvent.  body_a and body_b as they were attached;
    positions: of the anchors at the end of the engine's steps in which it happened.  impulse on body_b, the opposite on
    body_a: of TAUT what the snap gave in these steps, of SLACK all snaps since TAUT, of BROKEN what broke it.  force on
    body_b: of BROKEN what broke it, of DETACHED and RELEASED the last load.  duration: since ATTACHED or GRASPED; of
    SLACK since TAUT."""

    stamp_ns: int
    id: int
    phase: ConstraintPhase
    kind: ConstraintKind
    name: str
    body_a: str
    body_b: str
    part_a: str
    part_b: str
    position_a: Vec     # m
    position_b: Vec     # m
    impulse: Vec        # N s
    force: Vec          # N
    length: float       # m
    duration: float     # s


CONSTRAINT_EVENT = EventSchema(ConstraintEventRecord, ConstraintPhase, ConstraintKind)
