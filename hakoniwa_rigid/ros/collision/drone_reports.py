# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What /diagnostics says of each drone: do its messages come, is it fresh, whose clock, what is nearest, and why not
otherwise.

The messages are built once and filled again. With many drones only SHOWN are listed: those in trouble first, then the
nearest to something. Clearances cost more than all else here, so a few drones are asked about at a time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.scene.drones.authority import CODES
from hakoniwa_rigid.scene.parameters.settings import Settings
from hakoniwa_rigid.scene.records import DEFLECTED, FROZEN, IN_CONTACT, LIMITED, REJECTED, STALE, Tick

if TYPE_CHECKING:
    from hakoniwa_rigid.scene import CollisionScene
    from hakoniwa_rigid.scene.inputs.input_adapter import InputAdapter
    from hakoniwa_rigid.scene.inputs.sources import Source

__all__ = ['Clearances', 'DroneReports', 'clock_fault']

# statuses of drones in one message
SHOWN = 50
# drones asked about in one tick, and such ticks per report: 16 take about 1 ms, as long as the rest of a tick
GROUP, CALLS = 16, 8
# drones; above, even one look at the neighbours takes as long as several ticks
MOST_ASKED = 1000
# s; a clock ahead of ours by more is not a rounding of stamps: its drone would not be seen to stop
AHEAD = 0.1
WORDS = (
    (IN_CONTACT, 'in contact'),
    (DEFLECTED, 'deflected'),
    (STALE, 'stale'),
    (REJECTED, 'refused an input'),
    (LIMITED, 'held within its limits'),
    (FROZEN, 'frozen, out of contact'),
)
KEYS = (
    'authority',
    'state',
    'source',
    'messages',
    'sample age [s]',
    'clock',
    'refused or corrected',
    'clearance [m]',
    'nearest',
)
# the causes of scene.records.Verdict and of this package, in words
CAUSES = {
    'teleport': 'jumped, taken as a reset',
    'restarted': 'its source began anew',
    'not_finite': 'not finite',
    'non_unit_quaternion': 'a quaternion not of length 1',
    'wrong_size': 'wrong number of values',
    'wrong_frame': 'a frame that cannot be used',
    'wrong_transform': 'a transform that cannot be used',
    'stamp_backwards': 'stamps went back',
    'stamp_repeated': 'a stamp came twice',
    'stale': 'too old on arrival',
    'missing': 'not there in time for a tick in lockstep',
    'no_reference': 'where its coordinates start is not known',
    'no_rotors': 'motor speeds for a model without rotors',
    'out_of_range': 'beyond any drone, or no time',
    'too_large': 'larger than any simulator sends',
    'failed': 'an input failed, see the log',
    'limited': 'beyond what can be computed',
    'frozen': 'what it touches cannot be computed',
    'dropped': 'its newest input was taken back',
    'unanswered': 'does not follow the impulse reported to it',
    'went_through': 'went through',
    'rotor_stopped': 'a rotor was hit and stands still',
    'not_opened': 'some topics of its own could not be opened',
}
# causes that are no fault of an input, but what a drone does, or is done to it
OF_MOTION = ('unanswered', 'went_through', 'rotor_stopped')
# stands for fleet/states where a drone's name could stand; no drone is called so
FLEET = ''
Counts = dict[tuple[str, str], int]
Texts = dict[tuple[str, str], str]
NAMES = {code: name for name, code in CODES.items()}


class Clearances:
    """The nearest body of every drone, asked for a few drones at a time; as old as one round."""

    def __init__(self, scene: CollisionScene, ticks_per_report: int) -> None:
        self._scene = scene
        count = len(scene.drone_names)
        self.on = count <= MOST_ASKED
        self.metres = np.full(count, np.inf)
        self.others = [''] * count
        calls = min(-(-count // GROUP), CALLS)
        self._every = max(ticks_per_report // max(calls, 1), 1)
        self._ticks = self._next = 0

    def look(self, limit: float) -> None:
        """After every tick; `limit` m."""
        self._ticks += 1
        if self._ticks % self._every or not limit or not self.on or not self.others:
            return
        rows = range(self._next, min(self._next + GROUP, len(self.others)))
        near = self._scene.clearances(limit, np.array(rows))
        self.metres[rows.start : rows.stop] = near.clearances
        self.others[rows.start : rows.stop] = near.others
        self._next = rows.stop % len(self.others)

    def words(self, row: int) -> tuple[str, str]:
        """Clearance and nearest body of a drone for people."""
        near = self.metres[row]
        if not self.on:
            return f'not asked for more than {MOST_ASKED} drones', ''
        return (f'{near:.4f}' if math.isfinite(near) else 'none in reach'), self.others[row]


def clock_fault(source: Source, now: int, fresh: bool, stale_after: float) -> str:
    """What is wrong with the clock of a source that stamps its own messages, and the cure; '' where nothing is.

    `now` ns of ROS time; `fresh`: messages of it came since the last report; `stale_after` s.
    """
    if source.stamp != 'header' or not fresh or not source.newest:
        return ''
    behind = (now - source.newest) / NANOSECONDS
    if -AHEAD <= behind <= stale_after:
        return ''
    where = f'{behind:.3g} s behind' if behind > 0.0 else f'{-behind:.3g} s ahead of'
    what = 'so they are refused as stale' if behind > 0.0 else 'so it would not be seen to stop'
    return f"its stamps are {where} ROS time, {what}; where its clock is not ours, set its parameter stamp to 'synced'"


@dataclass
class Look:
    """One drone at a report. Entries sort by what a user wants to see first."""

    fine: bool
    clearance: float  # m
    row: int
    name: str
    fault: str
    age: float  # s, of its newest sample; inf without


class DroneReports:
    """See the module."""

    def __init__(self, node_name: str, scene: CollisionScene, settings: Settings, inputs: InputAdapter) -> None:
        self._scene, self._settings, self._inputs = scene, settings, inputs
        self._prefix = f'{node_name}: drone '
        self._rows: dict[str, int] = {}
        self._received_before = {FLEET: 0}
        self._counted: dict[tuple[str, str], int] = {}
        self._causes: dict[str, str] = {}  # by name, the newest
        self._pool: list[DiagnosticStatus] = []
        self._find_drones(())

    def _find_drones(self, counters: Iterable[tuple[str, str]]) -> None:
        """Of those that came, or left for good, nothing is known; counters: those that there are."""
        self._rows = dict(sorted(((name, source.index) for name, source in self._inputs.drones.items()),
                                 key=lambda pair: pair[1]))
        self._received_before = {name: self._received_before.get(name, 0) for name in (*self._rows, FLEET)}
        self._causes = {name: cause for name, cause in self._causes.items() if name in self._rows}
        self._counted = {entry: self._counted[entry] for entry in counters if entry in self._counted}
        self._pool = [
            DiagnosticStatus(hardware_id='hakoniwa_rigid', values=[KeyValue(key=key) for key in KEYS])
            for _ in range(min(SHOWN, len(self._rows)))
        ]

    def statuses(self, tick: Tick, counters: Counts, last: Texts, clearances: Clearances) -> list[DiagnosticStatus]:
        """One status per drone shown; valid until the next call."""
        if self._rows.keys() != self._inputs.drones.keys():
            self._find_drones(counters)
        fresh, totals = self._new_causes(counters, last), _by_name(counters)
        stamps, authorities, flags = self._scene.sample_stamps(), self._scene.authorities(), tick.states.flags
        fleet_received = self._is_received(FLEET, self._inputs.fleet)
        looks = []
        for name, row in self._rows.items():
            age = (tick.stamp_ns - int(stamps[row])) / NANOSECONDS if stamps[row] >= 0 else math.inf
            fault = self._fault(name, tick.stamp_ns, fresh, fleet_received)
            if not fault and flags[row] & STALE:
                fault = self._silence(name, age)
            looks.append(Look(not fault, clearances.metres[row], row, name, fault, age))
        if len(looks) > SHOWN:
            looks = sorted(looks, key=lambda look: (look.fine, look.clearance, look.row))[:SHOWN]
        for status, look in zip(self._pool, looks, strict=True):
            state = ', '.join(word for bit, word in WORDS if flags[look.row] & bit) or 'free'
            status.name = self._prefix + look.name
            status.level = _level(look, int(flags[look.row]))
            status.message = look.fault or state
            values = (
                NAMES[int(authorities[look.row])],
                state,
                *self._of_source(look),
                f'{totals[look.name]}, last {self._causes[look.name]}' if look.name in totals else '0',
                *clearances.words(look.row),
            )
            for pair, value in zip(status.values, values, strict=True):
                pair.value = value
        return self._pool

    def _is_received(self, name: str, source: Source) -> bool:
        """Whether there were messages since the last report."""
        is_new, self._received_before[name] = source.received > self._received_before[name], source.received
        return is_new

    def _new_causes(self, counters: Counts, last: Texts) -> dict[str, str]:
        """Names with refusals since the last report, and how to call that; their causes are remembered."""
        fresh = {}
        if len(self._counted) > len(counters):  # of names that have left, which the fleet's topic alone may have had
            self._counted = {entry: count for entry, count in self._counted.items() if entry in counters}
        for entry, count in counters.items():
            if count > self._counted.get(entry, 0):
                cause, name = entry
                self._counted[entry] = count
                if name not in self._rows:
                    continue
                self._causes[name] = f'{CAUSES.get(cause, cause)}: {last.get(entry, "")}'
                fresh[name] = '' if cause in OF_MOTION else 'refused or corrected: '
        return fresh

    def _fault(self, name: str, now: int, fresh: dict[str, str], fleet_received: bool) -> str:
        """The cause of trouble in words, the first that explains the rest; '' where there is none but silence."""
        source = self._inputs.drones[name]
        is_new = self._is_received(name, source)
        if source.trouble:
            return source.trouble
        stale_after = self._settings.world.scene.stale_timeout
        timed = self._inputs.fleet if fleet_received and not is_new else source
        fault = clock_fault(timed, now, is_new or fleet_received, stale_after)
        return fault or (f'{fresh[name]}{self._causes[name]}' if name in fresh else '')

    def _silence(self, name: str, age: float) -> str:
        where = self._source_of(name)
        return f'no sample for {age:.3g} s from {where}' if math.isfinite(age) else f'no sample yet from {where}'

    def _source_of(self, name: str) -> str:
        values = self._inputs.drones[name].values
        by_tf = f'/tf: {values["tf_frame"] or values["body_frame"]}'
        if values['source'] == 'tf':
            return by_tf
        if values['source'] == 'fleet' or not self._settings.node['per_drone_topics']:
            return 'fleet/states'
        if values['source'] == 'pose_or_tf':
            topic = values['topic_pose']
            return topic if self._inputs.drones[name].has_own_message else f'{topic} or {by_tf}'
        return values['topic_pos' if values['source'] == 'twist_pose' else f'topic_{values["source"]}']

    def _of_source(self, look: Look) -> tuple[str, str, str, str]:
        source = self._inputs.drones[look.name]
        age = f'{look.age:.3f}' if math.isfinite(look.age) else 'none yet'
        return self._source_of(look.name), str(source.received), age, _clock_of(source)


def _level(look: Look, flags: int) -> bytes:
    """ERROR: it cannot be computed; STALE: nothing comes of it; WARN: something is wrong with what comes."""
    if flags & FROZEN:
        return DiagnosticStatus.ERROR
    if flags & STALE:
        return DiagnosticStatus.STALE
    return DiagnosticStatus.OK if look.fine else DiagnosticStatus.WARN


def _clock_of(source: Source) -> str:
    clock = source.clock
    if source.stamp != 'synced' or clock.offset is None:
        return source.stamp
    return (
        f'synced: offset {clock.offset / NANOSECONDS:.6f} s, drift {clock.drift * 1e6:.0f} ppm, '
        f'set {clock.steps} times, newest {clock.excess / 1e6:.2f} ms above the least delay'
    )


def _by_name(counters: Counts) -> dict[str, int]:
    """All that was counted of every name."""
    totals: dict[str, int] = {}
    for (_, name), count in counters.items():
        totals[name] = totals.get(name, 0) + count
    return totals
