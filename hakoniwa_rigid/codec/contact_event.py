"""The schema of a contact event: the fields of msg/ContactEvent behind its header, in its order, by name and type.

Its bytes, the kept events of a replay and the ROS message are made from here; a new field is a line of
ContactEventRecord, and what fills it (scene.events).
"""
from __future__ import annotations

from dataclasses import dataclass, fields
from enum import IntEnum
from operator import attrgetter

__all__ = ['NAMES', 'NUMBERS', 'PACKED', 'ContactEventRecord', 'Kind', 'Phase', 'Vec', 'from_numbers', 'numbers_of']

Vec = tuple[float, float, float]


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


_WIDTHS = {'float': 1, 'Vec': 3}
# fields that are text, and those that are float64, with how many each has
NAMES = tuple(f.name for f in fields(ContactEventRecord) if f.type == 'str')
NUMBERS = {f.name: _WIDTHS[f.type] for f in fields(ContactEventRecord) if f.type in _WIDTHS}
# the layout of all numbers, one behind the other
PACKED = f'{sum(NUMBERS.values())}d'
_values = attrgetter(*NUMBERS)


def numbers_of(event: ContactEventRecord) -> list[float]:
    """All numbers of an event, one behind the other."""
    flat: list[float] = []
    for value, width in zip(_values(event), NUMBERS.values(), strict=True):
        if width == 1:
            flat.append(value)
        else:
            flat.extend(value)
    return flat


def from_numbers(head: tuple, names: list[str], flat: tuple[float, ...]) -> ContactEventRecord:
    """The event with these numbers; head: stamp, id, phase, kind as plain integers."""
    stamp, key, phase, kind = head
    values, place = [], 0
    for width in NUMBERS.values():
        values.append(flat[place] if width == 1 else tuple(flat[place:place + width]))
        place += width
    return ContactEventRecord(stamp, key, Phase(phase), Kind(kind), *names, *values)
