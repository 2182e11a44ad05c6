# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""/diagnostics: is the node on time, which inputs were refused and why, what does the scene hold, how is each drone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.scene.parameters.settings import Settings
from hakoniwa_rigid.scene.records import MOST_VALUE, Tick, shortened

from .. import convert
from ..qos import STATES, advertise
from ..throttle import QUIET, Throttle
from .drone_reports import OF_MOTION, SHOWN, Clearances, DroneReports

if TYPE_CHECKING:   # the viewer reports too, and holds neither
    from hakoniwa_rigid.engine.world.world import Stats
    from hakoniwa_rigid.scene import CollisionScene
    from hakoniwa_rigid.scene.inputs.input_adapter import InputAdapter

__all__ = ['QUIET', 'Health', 'Report', 'Reporter', 'Throttle', 'summed']

Counts = dict[tuple[str, str], int]
# of what is refused or corrected: keys and values in one message, and letters of all of them
MOST_PAIRS, MOST_LETTERS = 256, 65536
# causes that are no input's fault: something of ours failed, and what it should have given is lost
BROKEN = ('failed', 'recording_ended', 'snapshot_failed', 'state_not_saved')
# shares of ticks missed since the last report: a WARN, an ERROR
TOO_FEW, FAR_TOO_FEW = 0.05, 0.5
# hands of which the age of samples is told
MOST_HANDS = 16


@dataclass(frozen=True)
class Health:
    """What there is to tell: times in s, period in ns, counters by (cause, key), energy in J; hand_ages: s, how old a
    hand's samples are when they come."""

    timing: dict[str, float]
    period: int
    missed: int
    missed_by: dict[str, int]
    overrun_steps: int
    clock_jumps: int
    received: int
    counters: Counts
    last: dict[tuple[str, str], str]
    drones: int
    hands: int
    hand_ages: dict[str, float]
    events: int
    energy: float
    engine: Stats
    paused: bool
    hangs: int
    longest_hang: float
    saved: dict[str, object]


def summed(counters: Counts, cause: str) -> int:
    """All counts of one cause over its keys."""
    return sum(n for (c, _), n in counters.items() if c == cause)


class Report:
    """One DiagnosticStatus under construction; values keep their order."""

    def __init__(self, name: str, hardware_id: str) -> None:
        self.status = DiagnosticStatus(name=name, hardware_id=hardware_id, level=DiagnosticStatus.OK, message='ok')
        self.letters = 0  # of keys and values so far

    def add(self, key: str, value: object) -> None:
        """One key and value; floats with six digits, whole ones with all of theirs: they may be counts of hours."""
        if isinstance(value, float):
            text = f'{value:.0f}' if value.is_integer() else f'{value:.6g}'
        else:
            text = shortened(str(value), MOST_VALUE)
        self.status.values.append(KeyValue(key=key, value=text))
        self.letters += len(key) + len(text)

    def warn(self, message: str, is_error: bool = False) -> None:
        """Raise the level to WARN, or to ERROR; what is worse keeps its message."""
        level = DiagnosticStatus.ERROR if is_error else DiagnosticStatus.WARN
        if level > self.status.level:
            self.status.level, self.status.message = level, message


class Reporter:
    """Builds and publishes the array when one is due; logs every new cause of refused inputs, throttled."""

    def __init__(self, node, scene: CollisionScene, settings: Settings, inputs: InputAdapter) -> None:
        self._node = node
        self._period = int(NANOSECONDS / settings.node['diagnostics_rate'])
        self._publisher = advertise(node, DiagnosticArray, '/diagnostics', STATES)
        self._name = node.get_fully_qualified_name().lstrip('/')
        self._drones = DroneReports(self._name, scene, settings, inputs)
        ticks = int(settings.node['rate'] / settings.node['diagnostics_rate'])
        self._clearances = Clearances(scene, ticks)
        self._throttle = Throttle()
        self._oldest = settings.world.scene.hand_max_extrapolation  # s
        self._seen: Counts = {}
        # as of the last report
        self._overruns = self._hangs = self._missed = 0
        self._ticks = 0.0
        self._last: int | None = None

    def close(self) -> None:
        """Destroy the publisher."""
        self._node.destroy_publisher(self._publisher)

    def due(self, stamp: int, proximity: float) -> bool:
        """After every tick: whether a report is due at `stamp` (ns of ROS time). `proximity`: m, how far to look."""
        self._clearances.look(proximity)
        if self._last is not None and 0 <= stamp - self._last < self._period:
            return False
        self._last = stamp
        return True

    def publish(self, tick: Tick, state: Health) -> None:
        """Report."""
        stamp = tick.stamp_ns
        drones = self._drones.statuses(tick, state.counters, state.last, self._clearances)
        head = [self._timing(state), self._inputs(stamp, state), self._scene(state)]
        msg = DiagnosticArray(status=head + drones)
        convert.set_stamp(msg.header.stamp, stamp)
        self._publisher.publish(msg)

    def _report(self, what: str) -> Report:
        return Report(f'{self._name}: {what}', 'hakoniwa_rigid')

    def _timing(self, state) -> DiagnosticStatus:
        report = self._report('timing')
        for key, value in state.timing.items():
            report.add(f'{key} [s]' if key.endswith(('_p50', '_p99')) else key, value)
        report.add('period [s]', state.period / NANOSECONDS)
        report.add('ticks_missed', state.missed)
        for cause, count in state.missed_by.items():
            report.add(f'ticks_missed {cause}', count)
        report.add('overrun_steps', state.overrun_steps)
        report.add('clock_jumps_back', state.clock_jumps)
        report.add('hangs', state.hangs)
        if state.hangs > self._hangs:
            report.warn(f'a tick hung, {state.longest_hang:.1f} s at most', is_error=True)
        missed, done = state.missed - self._missed, state.timing['ticks'] - self._ticks
        share = missed / max(missed + done, 1.0)
        if share > TOO_FEW:
            report.warn(f'{share:.0%} of the ticks missed since the last report', is_error=share > FAR_TOO_FEW)
        if state.overrun_steps > self._overruns:
            report.warn(f'{state.overrun_steps - self._overruns} engine steps dropped since the last report')
        self._overruns, self._hangs = state.overrun_steps, state.hangs
        self._missed, self._ticks = state.missed, state.timing['ticks']
        return report.status

    def _inputs(self, stamp: int, state) -> DiagnosticStatus:
        report = self._report('inputs')
        report.add('received', state.received)
        fresh = [entry for entry, count in state.counters.items() if count > self._seen.get(entry, 0)]
        self._list(report, state, fresh)
        if broken := [entry for entry in fresh if entry[0] in BROKEN]:
            report.warn('; '.join(f'{cause} {key}: {state.last.get((cause, key), "")}' for cause, key in broken[:4]),
                        is_error=True)
        if fresh:
            report.warn('refused or corrected: ' + ', '.join(f'{cause} {key}' for cause, key in fresh[:8]))
            self._log(stamp, fresh, state)
        self._seen = dict(state.counters)
        return report.status

    def _list(self, report: Report, state, fresh: list[tuple[str, str]]) -> None:
        """All counters with their last values; of too many those that are new, then the oldest."""
        entries = list(state.counters)
        if 2 * len(entries) > MOST_PAIRS:
            entries = list(dict.fromkeys(fresh + entries))
        for k, (cause, key) in enumerate(entries):
            if len(report.status.values) >= MOST_PAIRS or report.letters > MOST_LETTERS:
                report.add('not shown', f'{len(entries) - k} more counters')
                break
            report.add(f'{cause}/{key}', state.counters[cause, key])
            if state.last.get((cause, key)):
                report.add(f'{cause}/{key} last', state.last[cause, key])

    def _log(self, stamp: int, fresh: list[tuple[str, str]], state) -> None:
        """One line for each cause, throttled; of what drones do, for each drone."""
        reported: dict[str, list[str]] = {}
        for cause, key in fresh:
            if self._throttle.passes(f'{cause} {key}' if cause in OF_MOTION else cause, stamp):
                reported.setdefault(cause, []).append(key)
        for cause, keys in reported.items():
            value, total = state.last.get((cause, keys[0]), ''), summed(state.counters, cause)
            others = f'; also {shortened(", ".join(keys[1:]), MOST_VALUE)}' if keys[1:] else ''
            self._node.get_logger().warning(
                f'{keys[0]}: {cause}: {value}{others} ({total} in all; /diagnostics has each)')

    def _scene(self, state) -> DiagnosticStatus:
        report = self._report('scene')
        report.add('drones', state.drones)
        if state.drones > SHOWN:
            report.add('drones shown', f'{SHOWN}: those in trouble, then the nearest to something')
        report.add('hands', state.hands)
        for name, age in list(state.hand_ages.items())[:MOST_HANDS]:
            report.add(f'hand {name} sample age [s]', age)
            if age > self._oldest:
                report.warn(f'hand {name}: its samples are {age:.3g} s old when they come, and it moves on for '
                            f'{self._oldest:g} s (hand_max_extrapolation): is its clock right?')
        report.add('events', state.events)
        report.add('energy [J]', state.energy)
        report.add('paused', state.paused)
        for key, value in state.saved.items():
            report.add(key, value)
        engine = state.engine
        report.add('asleep', engine.asleep)
        report.add('crowded', engine.crowded)
        report.add('crowd_steps', engine.crowds)
        report.add('crowd_residual [m/s]', engine.crowd_residual)
        report.add('contact_work', engine.work)
        return report.status
