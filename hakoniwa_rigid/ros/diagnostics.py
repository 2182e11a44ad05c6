"""/diagnostics: is the node on time, which inputs were refused and why, what does the scene hold."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from . import convert
from .qos import STATES
from .timing import NANOSECONDS

__all__ = ['Report', 'Reporter', 'Throttle', 'summed']

Counts = dict[tuple[str, str], int]
# ns between two warnings of one cause in the log
QUIET = 5 * NANOSECONDS


def summed(counters: Counts, cause: str) -> int:
    """All counts of one cause over its keys."""
    return sum(n for (c, _), n in counters.items() if c == cause)


class Throttle:
    """Lets a cause through once per QUIET ns of the node's clock."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}

    def passes(self, cause: str, now: int) -> bool:
        """Whether a message about `cause` may be logged at `now` (ns)."""
        last = self._last.get(cause)
        if last is not None and 0 <= now - last < QUIET:
            return False
        self._last[cause] = now
        return True


class Report:
    """One DiagnosticStatus under construction; values keep their order."""

    def __init__(self, name: str, hardware_id: str) -> None:
        self.status = DiagnosticStatus(name=name, hardware_id=hardware_id, level=DiagnosticStatus.OK, message='ok')

    def add(self, key: str, value: object) -> None:
        """One key and value; floats with six digits."""
        text = f'{value:.6g}' if isinstance(value, float) else str(value)
        self.status.values.append(KeyValue(key=key, value=text))

    def warn(self, message: str) -> None:
        """Raise the level to WARN."""
        self.status.level = DiagnosticStatus.WARN
        self.status.message = message


class Reporter:
    """Builds and publishes the array when one is due; logs every new cause of refused inputs, throttled."""

    def __init__(self, node, rate: float) -> None:
        self._node = node
        self._period = int(NANOSECONDS / rate)
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', STATES)
        self._throttle = Throttle()
        self._seen: Counts = {}
        self._overruns = 0
        self._last: int | None = None

    def close(self) -> None:
        """Destroy the publisher."""
        self._node.destroy_publisher(self._publisher)

    def due(self, stamp: int) -> bool:
        """Whether a report is due at `stamp` (ns of ROS time)."""
        if self._last is not None and 0 <= stamp - self._last < self._period:
            return False
        self._last = stamp
        return True

    def publish(self, stamp: int, state) -> None:
        """Report `state`: see CollisionNode.health for its fields."""
        msg = DiagnosticArray(status=[self._timing(state), self._inputs(stamp, state), self._scene(state)])
        convert.set_stamp(msg.header.stamp, stamp)
        self._publisher.publish(msg)

    def _report(self, what: str) -> Report:
        name = self._node.get_fully_qualified_name().lstrip('/')
        return Report(f'{name}: {what}', 'hakoniwa_rigid')

    def _timing(self, state) -> DiagnosticStatus:
        report = self._report('timing')
        for key, value in state.timing.items():
            report.add(f'{key} [s]' if key != 'ticks' else key, value)
        report.add('period [s]', state.period / NANOSECONDS)
        report.add('overrun_steps', state.overrun_steps)
        report.add('clock_jumps_back', state.clock_jumps)
        if state.overrun_steps > self._overruns:
            report.warn(f'{state.overrun_steps - self._overruns} engine steps dropped since the last report')
        self._overruns = state.overrun_steps
        return report.status

    def _inputs(self, stamp: int, state) -> DiagnosticStatus:
        report = self._report('inputs')
        report.add('received', state.received)
        fresh = []
        for entry, count in state.counters.items():
            cause, key = entry
            report.add(f'{cause}/{key}', count)
            if state.last.get(entry):
                report.add(f'{cause}/{key} last', state.last[entry])
            if count > self._seen.get(entry, 0):
                fresh.append(entry)
        if fresh:
            report.warn('refused or corrected: ' + ', '.join(f'{cause} {key}' for cause, key in fresh[:8]))
            self._log(stamp, fresh, state)
        self._seen = dict(state.counters)
        return report.status

    def _log(self, stamp: int, fresh: list[tuple[str, str]], state) -> None:
        for cause, key in fresh:
            if self._throttle.passes(cause, stamp):
                value = state.last.get((cause, key), '')
                total = summed(state.counters, cause)
                self._node.get_logger().warning(f'{key}: {cause}: {value} ({total} in all; /diagnostics has each)')

    def _scene(self, state) -> DiagnosticStatus:
        report = self._report('scene')
        report.add('drones', state.drones)
        report.add('hands', state.hands)
        report.add('events', state.events)
        report.add('energy [J]', state.energy)
        return report.status
