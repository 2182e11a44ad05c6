# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The schema of a contact event: the fields of msg/ContactEvent behind its header, in its order, by name and type.

Its bytes, the kept events of a replay and the ROS message are made from here; a new field is a line of
ContactEventRecord, and what fills it (scene.events).
"""
from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from .event_schema import EventSchema, Vec

__all__ = ['CONTACT_EVENT', 'NAMES', 'NUMBERS', 'ContactEventRecord', 'Kind', 'Phase', 'Vec']


class Kind(IntEnum):
    """Kind of a contact; names and numbers of msg/ContactEvent."""

    DRONE_DRONE = 0
    DRONE_WALL = 1
    DRONE_HAND = 2
    DRONE_OBJECT = 3
    OBJECT_OBJECT = 4
    OBJECT_WALL = 5
    OBJECT_HAND = 6


class Phase(IntEnum):
    """Phase of a contact; names and numbers of msg/ContactEvent."""

    BEGIN = 0
    PERSIST = 1
    END = 2


@dataclass(frozen=True)
class ContactEventRecord:
    """One event of one part pair; the fields of msg/ContactEvent.  body_a < body_b; normal unit, a to b; impulse (N s)
    on b, -impulse on a.  impulse and deltas cover the tick for BEGIN, the time since the last event for PERSIST, the
    whole contact for END; peak_force and duration count from BEGIN.  An impact is an instant: its force is taken as
    its impulse over one engine step, its duration as one step; where the world has contact over time, both are those of
    the force's profile, and the impulse and deltas, reported at once, are what the contact gives in all.  restitution
    is the e' that was used."""

    stamp_ns: int
    id: int
    phase: Phase
    kind: Kind
    body_a: str
    body_b: str
    part_a: str
    part_b: str
    position: Vec                       # m
    normal: Vec                         # unit
    depth: float                        # m
    impulse: Vec                        # N s
    peak_force: float                   # N
    duration: float                     # s
    relative_velocity_before: Vec       # m/s
    relative_velocity_after: Vec        # m/s
    restitution: float
    friction: float
    delta_v_a: Vec                      # m/s
    delta_v_b: Vec                      # m/s
    delta_omega_a: Vec                  # rad/s
    delta_omega_b: Vec                  # rad/s
    energy_lost: float                  # J


CONTACT_EVENT = EventSchema(ContactEventRecord, Phase, Kind)
NAMES, NUMBERS = CONTACT_EVENT.names, CONTACT_EVENT.numbers
