# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What is compared: the trajectories and contacts of a run, from a bag, a golden file or memory.  World frame, SI."""
from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from hakoniwa_rigid.codec.message_fields import NANOSECONDS

from .setup import Setup

SIDES = 'expected', 'actual'               # the two runs, everywhere in this order and by these words
LETTERS = 'BPE'                           # of the phases 0, 1, 2 of msg/ContactEvent
# of msg/ConstraintEvent, and its kinds
PHASES = ('attached', 'detached', 'taut', 'slack', 'broken', 'grasped', 'released')
CONSTRAINTS = ('fixed', 'ball', 'hinge', 'distance', 'cable', 'spring')
KINDS = ('drone_drone', 'drone_wall', 'drone_hand', 'drone_object', 'object_object', 'object_wall', 'object_hand')
SHORTEST_QUATERNION = 1e-3                # of this length and below a quaternion names no rotation

Vec = tuple[float, float, float]


class CompareError(ValueError):
    """Two runs cannot be compared, or a file for it cannot be read; the message says what would be right."""


@dataclass(frozen=True)
class Resolution:
    """How far the numbers of a run may lie from what was recorded.  Zero for bags.

    rounding: half a unit of the last decimal; translation (m) and rotation (rad): between two samples, of what is
    interpolated; gap_ns: over how long a time interpolation keeps to that.
    """

    rounding: float = 0.0
    translation: float = 0.0
    rotation: float = 0.0
    gap_ns: int = 0

    @property
    def vector(self) -> float:
        """How far a rounded vector of three may be off, in its own unit."""
        return 1.001 * 3.0**0.5 * self.rounding    # one part in a thousand more: decimals are rounded in binary

    @property
    def angle(self) -> float:
        """How far a rounded unit vector or quaternion may have turned, rad: of a quaternion twice its distance."""
        return 1.001 * 4.0 * self.rounding


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Poses of a drone's base_link: stamps (T,) int64 ns, rising; positions (T,3) m; orientations (T,4) xyzw, unit.
    Rows that are no pose are NaN."""

    drone: str
    topic: str
    frame: str
    stamps: np.ndarray
    positions: np.ndarray
    orientations: np.ndarray

    @property
    def finite(self) -> np.ndarray:
        """Which rows are poses, (T,) bool."""
        return np.isfinite(self.positions).all(axis=1) & np.isfinite(self.orientations).all(axis=1)


@dataclass(frozen=True)
class Contact:
    """One contact of a part of body_a with a part of body_b, from its first event to its last.

    position (m), normal (unit, a to b) and impulse (N s, on b) are those of the first event; total (N s) is the
    impulse since the first event; phases has a letter per event, B(egin), P(ersist), E(nd); end_ns is None where no
    END was recorded.
    """

    body_a: str
    body_b: str
    part_a: str
    part_b: str
    kind: int
    phases: str
    begin_ns: int
    end_ns: int | None
    position: Vec
    normal: Vec
    impulse: Vec
    total: Vec

    @property
    def pair(self) -> tuple[str, str]:
        """The two bodies."""
        return self.body_a, self.body_b


@dataclass(frozen=True)
class ConstraintChange:
    """What happened to a constraint: phase and kind as the words of msg/ConstraintEvent, small; impulse (N s) and force
    (N) on body_b."""

    name: str
    phase: str
    kind: str
    body_a: str
    body_b: str
    at_ns: int
    impulse: Vec
    force: Vec


@dataclass(frozen=True, eq=False)
class TopicBytes:
    """The messages of one topic, to compare byte for byte: stamps (N,) int64 ns, digests (N,16) uint8."""

    topic: str
    stamps: np.ndarray
    digests: np.ndarray


@dataclass(frozen=True, eq=False)
class Run:
    """What a run left: `contacts` is None where contacts were not recorded, which is not the same as none.

    name: for messages; notes: what was odd while reading; bytes: by topic, empty where there are none to compare; law:
    version of the law that made it (`hakoniwa_rigid.law`), None where that is not told; setup: what made it.
    """

    name: str
    trajectories: tuple[Trajectory, ...]
    contacts: tuple[Contact, ...] | None
    notes: tuple[str, ...] = ()
    bytes: tuple[TopicBytes, ...] = ()
    resolution: Resolution = Resolution()
    law: int | None = None
    constraints: tuple[ConstraintChange, ...] = ()
    setup: Setup = Setup()

    @property
    def span(self) -> tuple[int, int] | None:
        """First and last stamp, ns; None where there is nothing."""
        stamps = [s for t in self.trajectories for s in (t.stamps[:1], t.stamps[-1:])]
        stamps += [np.array([c.begin_ns]) for c in self.contacts or ()]
        stamps += [np.array([c.at_ns]) for c in self.constraints]
        joined = np.concatenate(stamps) if stamps else np.zeros(0)
        return (int(joined.min()), int(joined.max())) if joined.size else None

    @property
    def drones(self) -> tuple[str, ...]:
        """Names of the drones, sorted."""
        return tuple(sorted({t.drone for t in self.trajectories}))


def trajectory(drone: str, stamps, positions, orientations, topic: str = '', frame: str = '') -> Trajectory:
    """A Trajectory from rows in any order: sorted by stamp, the last of equal stamps kept, quaternions made unit.

    stamps (T,) ns, positions (T,3) m, orientations (T,4) xyzw.
    """
    stamps = np.asarray(stamps, dtype=np.int64).reshape(-1)
    positions = np.asarray(positions, dtype=float).reshape(len(stamps), 3)
    orientations = np.asarray(orientations, dtype=float).reshape(len(stamps), 4)
    order = np.argsort(stamps, kind='stable')
    last = np.append(np.diff(stamps[order]) > 0, True)[:len(order)]
    order = order[last]
    return Trajectory(drone, topic, frame, stamps[order], *_poses(positions[order], orientations[order]))


def run_of_fleet(name: str, drones: Sequence[str], stamps, positions, orientations, events: Iterable,
                 topic: str = '/fleet/states_corrected', frame: str = 'world') -> Run:
    """A run in memory: N drones at T ticks and the ContactEventRecords of all ticks in order.

    stamps (T,) ns, positions (T,N,3) m, orientations (T,N,4) xyzw.
    """
    x = np.asarray(positions, dtype=float).reshape(len(stamps), len(drones), 3)
    q = np.asarray(orientations, dtype=float).reshape(len(stamps), len(drones), 4)
    flights = [trajectory(drone, stamps, x[:, k], q[:, k], topic, frame) for k, drone in enumerate(drones)]
    return Run(name, tuple(sorted(flights, key=lambda t: t.drone)), contacts_of(events))


def _poses(positions: np.ndarray, orientations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    with np.errstate(all='ignore'):
        length = np.sqrt((orientations * orientations).sum(axis=1))
        bad = ~(np.isfinite(positions).all(axis=1) & np.isfinite(length) & (length > SHORTEST_QUATERNION))
        orientations = orientations / length[:, None]
    return np.where(bad[:, None], np.nan, positions), np.where(bad[:, None], np.nan, orientations)


def contacts_of(events: Iterable) -> tuple[Contact, ...]:
    """Contacts from their events, in order of time: anything with the fields of ContactEventRecord that Contact has."""
    open_: dict[tuple, list] = {}
    closed: list[list] = []
    for event in events:
        key = (event.id, event.body_a, event.body_b, event.part_a, event.part_b)
        if event.phase == 0 and key in open_:   # a run that began anew counts its ids anew
            closed.append(open_.pop(key))
        open_.setdefault(key, []).append(event)
        if event.phase == 2:
            closed.append(open_.pop(key))
    found = [_contact(group) for group in [*closed, *open_.values()]]
    return tuple(sorted(found, key=lambda c: (c.begin_ns, c.pair, c.part_a, c.part_b, c.phases, c.position)))


def _contact(events: list) -> Contact:
    first, last = events[0], events[-1]
    ended = last.phase == 2
    total = last.impulse if ended else np.array([e.impulse for e in events]).sum(axis=0)
    return Contact(first.body_a, first.body_b, first.part_a, first.part_b, int(first.kind),
                   ''.join(LETTERS[e.phase] for e in events), int(first.stamp_ns),
                   int(last.stamp_ns) if ended else None, _vec(first.position), _vec(first.normal),
                   _vec(first.impulse), _vec(total))


def change_of(name: str, phase: int, kind: int, body_a: str, body_b: str, at_ns: int, impulse: Iterable[float],
              force: Iterable[float]) -> ConstraintChange:
    """By the numbers of msg/ConstraintEvent; those that are not known stay numbers."""
    words = [known[n] if 0 <= n < len(known) else str(n) for n, known in ((phase, PHASES), (kind, CONSTRAINTS))]
    return ConstraintChange(name, *words, body_a, body_b, at_ns, _vec(impulse), _vec(force))


def _vec(values) -> Vec:
    x, y, z = values
    return float(x), float(y), float(z)


def phases_text(phases: str) -> str:
    """'B 12P E' of a B, twelve P and an E; short ones as they are."""
    return re.sub('P{4,}', lambda found: f' {len(found[0])}P ', phases).strip()


def seconds(stamp_ns: int, origin_ns: int = 0) -> str:
    """A stamp in s since the origin, every digit of it: '12.345'."""
    ns = stamp_ns - origin_ns
    text = f'{abs(ns) // NANOSECONDS}.{abs(ns) % NANOSECONDS:09d}'.rstrip('0').rstrip('.')
    return f'-{text}' if ns < 0 else text
