# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What goes in and comes out of a scene: verdicts on inputs, and the records of a tick.  Plain values, world frame,
SI."""
from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np

from ..codec.constraint_event import CONSTRAINT_EVENT, ConstraintEventRecord
from ..codec.constraint_event import ConstraintKind as ConstraintKind
from ..codec.constraint_event import ConstraintPhase as ConstraintPhase
from ..codec.contact_event import CONTACT_EVENT, ContactEventRecord, Vec
from ..codec.contact_event import Kind as Kind
from ..codec.contact_event import Phase as Phase

# bits of FleetArrays.flags
IN_CONTACT = 1   # touches something, or did within the end hysteresis
DEFLECTED = 2    # the corrected state differs from the reference
STALE = 4        # no fresh input: standing still, later out of contact
REJECTED = 8     # an input was refused since the last tick
LIMITED = 16     # its state or load left the range of the engine and was held in it
FROZEN = 32      # what it is in contact with could not be computed: it stands still, out of contact, for a while


EventRecord = ContactEventRecord | ConstraintEventRecord
# first of the plain values of a constraint event
_OF_CONSTRAINT = 'constraint'


def plain_event(event: EventRecord) -> list:
    """As plain values for JSON."""
    if isinstance(event, ContactEventRecord):
        return CONTACT_EVENT.plain(event)
    return [_OF_CONSTRAINT, *CONSTRAINT_EVENT.plain(event)]


def event_of(values: list) -> EventRecord:
    """The event of such values.  ValueError where they are none."""
    if values[:1] == [_OF_CONSTRAINT]:
        return CONSTRAINT_EVENT.event_of(values[1:])
    return CONTACT_EVENT.event_of(values)


class Verdict(str, Enum):
    """What became of an input.  The first four were taken, the rest refused; all but ACCEPTED are counted."""

    ACCEPTED = 'accepted'
    TELEPORT = 'teleport'                    # a jump beyond the bound: taken as a reset
    RESTARTED = 'restarted'                  # the source began anew: taken as a reset
    MISSING_JOINTS = 'missing_joints'        # hand taken, bones of the missing joints left out
    UNKNOWN_NAME = 'unknown_name'
    NOT_FINITE = 'not_finite'
    NON_UNIT_QUATERNION = 'non_unit_quaternion'
    WRONG_SIZE = 'wrong_size'
    STAMP_BACKWARDS = 'stamp_backwards'
    STAMP_REPEATED = 'stamp_repeated'
    STALE = 'stale'                          # older than the stale timeout on arrival
    NO_ROTORS = 'no_rotors'                  # motor speeds for a model without a rotor table
    JUMPED = 'jumped'                        # a hand's jump beyond the bound, or faster than hands start
    SWAPPED = 'swapped'                      # a hand's joints are suddenly another hand's
    MIRRORED = 'mirrored'                    # those of the other handedness from the start: a left-handed frame?
    OUT_OF_RANGE = 'out_of_range'            # finite but absurd: beyond any drone
    LIMITED = 'limited'                      # no input: a body's state or load was held within its range
    FROZEN = 'frozen'                        # no input: a body whose island failed stands still for a while
    DROPPED = 'dropped'                      # its newest inputs were taken back, since the scene failed with them
    FAILED = 'failed'                        # no input: what the scene could not compute, and why
    BURIED = 'buried'                        # no input: a drone came in wholly inside a wall
    UNANSWERED = 'unanswered'                # no input: an observed drone did not follow an impulse, and pushes on
    WENT_THROUGH = 'went_through'            # no input: the centre of an observed drone went into what it touches
    ROTOR_STOPPED = 'rotor_stopped'          # no input: a rotor was hit, and gives no thrust until a reset
    PASSES = 'passes'                        # no input: a hand that is held back goes through what it touches
    INSIDE_OUT = 'inside_out'                # no input: a closed mesh of which the outside is solid

    def __str__(self) -> str:
        return self.value

    @property
    def taken(self) -> bool:
        """Whether the input was used."""
        return self in (Verdict.ACCEPTED, Verdict.TELEPORT, Verdict.RESTARTED, Verdict.MISSING_JOINTS)


@dataclass(frozen=True)
class ImpactRecord:
    """An impact of a drone as its simulator has to know it to apply it: just before, `time` s after t0_ns.  Arms (m)
    from the centre of mass of each of the two to the point; normal unit, from the other to the drone; velocities m/s
    and rad/s of the other.  other_mass inf: immovable, and other_velocity is that of its matter at the point,
    other_angular_velocity zero; other_orientation (wxyz): the axes of the moments other_inertia (kg m^2).  impulse
    (N s) and angular_impulse (N m s, about its centre of mass): what the drone got, with friction; orientation (wxyz):
    its own."""

    drone: str
    other: str
    t0_ns: int
    time: float
    restitution: float
    normal: Vec
    point: Vec
    arm: Vec
    other_arm: Vec
    other_velocity: Vec
    other_angular_velocity: Vec
    other_mass: float
    other_inertia: Vec
    other_orientation: tuple[float, float, float, float]
    impulse: Vec
    angular_impulse: Vec
    orientation: tuple[float, float, float, float]


@dataclass(frozen=True)
class Touch:
    """What two parts do to each other at present; the fields of ContactEventRecord.  force (N) on b: the mean over the
    steps of the tick in which they touched."""

    body_a: str
    body_b: str
    part_a: str
    part_b: str
    position: Vec
    normal: Vec
    depth: float
    force: Vec


class FleetArrays(NamedTuple):     # made every tick: a frozen dataclass takes 1 us more
    """States of all drones at base_link: names (N), positions (N,3) m and orientations (N,4) xyzw in the world, linear
    velocities (N,3) m/s in the world, angular velocities (N,3) rad/s in the body, flags (N,) uint8.  Own copies: safe
    to keep."""

    names: tuple[str, ...]
    positions: np.ndarray
    orientations_xyzw: np.ndarray
    linear_velocities: np.ndarray
    angular_velocities: np.ndarray
    flags: np.ndarray


@dataclass(frozen=True)
class HandBox:
    """The box of a hand, its palm or a head: name of the part, centre (3,) m, orientation (4,) xyzw, full sides (3,)
    m.  Of a palm x points to the knuckles and z is across it."""

    part: str
    position: np.ndarray
    orientation_xyzw: np.ndarray
    size: np.ndarray


@dataclass(frozen=True)
class HandBones:
    """A hand for viewers.  Its capsules: centre (B,3) m, orientation (B,4) xyzw with z along the bone, radius and
    length between cap centres (B,) m, enabled (B,): both joints are there, all else is NaN; parts (B) are the
    bones' names.  box: None where there is none; where it is a palm, it takes the contacts of the bones inside it.
    passes: it is out of contact, since something held it back for too far, until nothing is in its way."""

    name: str
    parts: tuple[str, ...]
    positions: np.ndarray
    orientations_xyzw: np.ndarray
    radii: np.ndarray
    lengths: np.ndarray
    enabled: np.ndarray
    box: HandBox | None = None
    passes: bool = False

    @property
    def present(self) -> bool:
        """Whether anything of it is there."""
        return self.box is not None or bool(self.enabled.any())


@dataclass(frozen=True)
class Proximity:
    """Near misses: clearances (N,) m from each drone to the nearest body that it may touch, negative where they
    overlap, inf where none is within the limit or the drone takes no part; others (N) names of those bodies, '' for
    none."""

    clearances: np.ndarray
    others: tuple[str, ...]


class ConstraintLoads(NamedTuple):
    """What constraints did to the K drones on which some acted in a tick: rows (K,) of FleetArrays; mean force (K,3) N
    and torque (K,3) N m at and about the origin of base_link, body FLU, over the steps of the tick."""

    rows: np.ndarray
    forces: np.ndarray
    torques: np.ndarray


class ImuRecord(NamedTuple):
    """What the inertial measurement unit of a drone measures in a tick of `seconds`; body FLU.  orientation_xyzw: at
    the end of the tick, body to world; angular_velocity rad/s; linear_acceleration m/s^2: the specific force, gravity
    in it (at rest g upwards); contact m/s^2: the part of it that contacts and constraints give.

    For the IMU of a simulator, where the drone is `led` by one: beside: something differs from what it says; turn_xyzw:
    from its body to the drone's; then what is added to its sample, in the drone's body: added_velocity m/s, the added
    specific force times seconds, and added_rate rad/s.  Of a drone that is not led the latter two are all there is."""

    drone: str
    seconds: float
    orientation_xyzw: tuple[float, float, float, float]
    angular_velocity: Vec
    linear_acceleration: Vec
    contact: Vec
    beside: bool
    led: bool
    turn_xyzw: tuple[float, float, float, float]
    added_velocity: Vec
    added_rate: Vec


class RotorStop(NamedTuple):
    """A rotor of a `simulate` drone was hit and gives no thrust from stamp_ns on: its number in the rotor table, the
    part of the shape, the impulse on it, N s."""

    stamp_ns: int
    drone: str
    rotor: int
    part: str
    impulse: float


class Tick(NamedTuple):
    """The result of CollisionScene.advance: the scene at stamp_ns after `steps` engine steps; overrun_steps were due
    and dropped.  proximity: at stamp_ns, None where the scene's `proximity` is 0.  impacts: of the drones that were
    asked for (report_impacts), in order of the engine's calls.  constraint_loads: None where no constraint acted on a
    drone.  imus: of the drones that were asked for (watch_imus) and take part, where steps ran.
    rotor_stops: rotors that were hit too hard (`rotor_strike` of world files)."""

    stamp_ns: int
    steps: int
    overrun_steps: int
    states: FleetArrays
    events: tuple[ContactEventRecord, ...]
    hands: tuple[HandBones, ...]
    proximity: Proximity | None = None
    impacts: tuple[ImpactRecord, ...] = ()
    constraint_events: tuple[ConstraintEventRecord, ...] = ()
    constraint_loads: ConstraintLoads | None = None
    imus: tuple[ImuRecord, ...] = ()
    rotor_stops: tuple[RotorStop, ...] = ()


# causes whose keys are names that came in, not ours: of these so many are distinguished, the rest is counted as OTHERS;
# letters of such a name, and of the value behind any counter
UNKNOWN_CAUSES = frozenset({Verdict.UNKNOWN_NAME.value, 'duplicate_name', 'wrong_transform', 'no_place', 'name_in_use',
                            'wrong_type', 'not_opened'})
MOST_UNKNOWN, OTHERS, MOST_KEY, MOST_VALUE = 64, '<others>', 64, 400
# stands for all that came and left
LEFT = '<left>'


def shortened(text: str, most: int) -> str:
    """A text of at most so many letters."""
    return text if len(text) <= most else f'{text[:most - 3]}...'


class Ledger:
    """Counts inputs that were not plainly accepted, by (verdict, key), in order of first occurrence.  What comes in
    cannot make it grow without end: keys are ours, but for those of MOST_UNKNOWN names for each of UNKNOWN_CAUSES."""

    def __init__(self) -> None:
        self.counters: dict[tuple[str, str], int] = {}
        self.last: dict[tuple[str, str], str] = {}
        self._unknown: dict[str, int] = {}    # how many are distinguished, by cause

    def note(self, verdict: Verdict, key: str, value: object = '', times: int = 1) -> Verdict:
        """Count a verdict on an input of `key` with the offending value; returns the verdict."""
        if verdict is not Verdict.ACCEPTED:
            entry = (str(verdict), key)
            if entry[0] in UNKNOWN_CAUSES:
                entry = self._strange(entry[0], key)
            self.counters[entry] = self.counters.get(entry, 0) + times
            self.last[entry] = shortened(str(value), MOST_VALUE)
        return verdict

    def forget(self, key: str) -> None:
        """What had this key has left for good: its counts are those of LEFT from now on."""
        for entry in [entry for entry in self.counters if entry[1] == key and entry[0] not in UNKNOWN_CAUSES]:
            left = entry[0], LEFT
            self.counters[left] = self.counters.get(left, 0) + self.counters.pop(entry)
            self.last[left] = self.last.pop(entry)

    def _strange(self, cause: str, name: str) -> tuple[str, str]:
        """The entry of a name that came in."""
        entry = (cause, shortened(name, MOST_KEY))
        if entry not in self.counters and name != OTHERS:
            if self._unknown.get(cause, 0) >= MOST_UNKNOWN:
                return cause, OTHERS
            self._unknown[cause] = self._unknown.get(cause, 0) + 1
        return entry
