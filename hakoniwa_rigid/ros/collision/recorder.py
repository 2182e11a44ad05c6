# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The parameter `record`: what the node receives, and what it asks of its scene, into a bag that `hakoniwa-rigid
replay` gives the same bits from (replay/rerun/recording.py).

A recording never stops the node: where it cannot be written it ends, with an error in the log and in /diagnostics.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic

import numpy as np
from rclpy.serialization import serialize_message

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.inputs.fixed_layouts import VEHICLE
from hakoniwa_rigid.scene.inputs.input_adapter import REFERENCE
from hakoniwa_rigid.scene.inputs.motors import ACTUATORS, DUTIES
from hakoniwa_rigid.scene.parameters.settings import Settings, Values
from hakoniwa_rigid.scene.records import Phase, Tick
from hakoniwa_rigid.scene.world_files import world_writer

from ..bulk import Taken
from ..errors import StartError

__all__ = ['NodeRecorder', 'Recorder', 'open_recorder']

# bytes that wait for the disk; more end the recording
MOST_QUEUED = 256 << 20
# calls between two ticks; more are written at once: while the node is not active, /tf may go on for hours
MOST_WAITING = 256
# letters of what others have said in these calls; more are written at once: an entry of the journal has an end
MOST_TEXT = 1 << 20
# types of drones that come later, of packages that need not be installed
OF_NEWCOMERS = (VEHICLE, REFERENCE, ACTUATORS, *(duty.type for duty in DUTIES))
# a job of the thread
SNAPSHOT = 'snapshot'


class Recorder:
    """Records nothing."""

    def close(self) -> None:
        """Complete the recording."""

    def begin(self, now: int) -> None:
        """A tick begins; `now`: the node's time, ns."""

    def take(self, piece: Taken, receptions: np.ndarray) -> None:
        """Messages that are about to be read, received at these times (K,), ns."""

    def transforms(self, msg, static: bool) -> None:
        """A TFMessage."""

    def add(self, name: str, *arguments) -> None:
        """Another call of the journal (replay/rerun/journal.py)."""

    def connect(self, name: str, values: Values, topics: list[list], output: str) -> None:
        """A drone or hand that came is read from topics of its own: see the journal."""

    def restored(self, state: bytes) -> None:
        """The scene was put into a saved state, that of this file (scene/saved_states)."""

    def saw(self, tick: Tick) -> None:
        """What the tick gave: a contact may ask for a snapshot."""

    def snapshot(self) -> tuple[bool, str]:
        """Write the last seconds; whether that was begun, and what to say."""
        return False, 'parameters record, record_snapshot: must be given, nothing is kept'

    def end(self) -> None:
        """The tick is over."""


class NodeRecorder(Recorder):
    """The recording of one configured node. StartError where it cannot begin.

    A thread of its own writes: so the tick never waits for the disk, and Ctrl-C, which may come between any two lines
    of the tick, never comes in the middle of a message.
    """

    def __init__(self, node, settings: Settings, inputs, parameters: Values) -> None:
        # imported where it is used: reading message definitions costs a third of a second
        from hakoniwa_rigid.replay.errors import BagError
        from hakoniwa_rigid.replay.rerun.recording import SHARED, Calls, ChannelNames

        self._node, self._ledger, self._values = node, inputs.adapter.ledger, settings.node
        header = _header(node, settings, inputs, parameters)
        self._channels, self._shared = ChannelNames(header), SHARED
        try:
            self._recording = _opened(node, settings, header, _definitions(inputs))
        except BagError as error:
            raise StartError(f'parameter record: {error}') from error
        self._new, self._now, self._on = Calls, 0, True
        self._calls = Calls()
        self._fault = ''
        self._asked, self._last_hit = False, None  # for a snapshot; ns, of the contact that asked for the last one
        self._said: SimpleQueue = SimpleQueue()  # of snapshots: (is it written, what to say), from the thread
        self._queue: SimpleQueue = SimpleQueue()
        # bytes; each counted by one thread
        self._queued = self._written = 0
        self._thread = Thread(target=self._write, name='recorder', daemon=True)
        self._thread.start()

    def _write(self) -> None:
        """What the thread does."""
        every, synced = self._values['record_sync'], monotonic()
        while (job := self._next(every)) is not None:
            if job is SNAPSHOT:
                self._save()
            elif job:
                now, calls = job[0], job[1].drain()
                self._try(self._recording.write, now, calls)
                self._written += sum(made.size for made in calls)
            if every and monotonic() - synced >= every:
                self._try(self._recording.sync)
                synced = monotonic()
        self._try(self._recording.close)
        if self._fault:
            self._recording.give_up()

    def _next(self, every: float):
        """The next job; () where none came in time, None at the end."""
        try:
            return self._queue.get(timeout=every or None)
        except Empty:
            return ()

    def _save(self) -> None:
        """A snapshot; that one fails is told, and the next is tried."""
        try:
            path = self._recording.save()
            self._said.put((True, f'snapshot: {path}' if path else 'snapshot: there is no tick yet'))
        except Exception as error:
            self._said.put((False, f'snapshot not written: {error}'))

    def _try(self, work, *args) -> None:
        """What fails ends the recording, whatever it is; the node goes on."""
        if not self._fault:
            try:
                work(*args)
            except Exception as error:
                self._fault = str(error) or repr(error)

    def close(self) -> None:
        """Complete the recording; waits for the disk."""
        if self._on:
            self._on = False
            # the last tick may have been interrupted after it was published
            self._queue.put((self._now, self._calls))
            if self._asked:
                self._queue.put(SNAPSHOT)
            self._queue.put(None)
            self._thread.join()
            self._report_snapshots()
            self._report()

    def begin(self, now: int) -> None:
        """See Recorder."""
        self._now = now

    def take(self, piece: Taken, receptions: np.ndarray) -> None:
        """See Recorder."""
        if self._on:
            self._calls.take(*piece[:4], receptions - self._now)

    def transforms(self, msg, static: bool) -> None:
        """See Recorder."""
        if self._on:
            self._calls.transforms(serialize_message(msg), static)
            if len(self._calls) > MOST_WAITING:
                self._hand_on()

    def _hand_on(self) -> None:
        """Between two ticks."""
        self.begin(self._node.get_clock().now().nanoseconds)
        self.end()

    def add(self, name: str, *arguments) -> None:
        """See Recorder."""
        if self._on:
            self._calls.add(name, *arguments)
            if self._calls.text > MOST_TEXT:
                self._hand_on()

    def connect(self, name: str, values: Values, topics: list[list], output: str) -> None:
        """See Recorder."""
        if not self._on:
            return
        recorded = self._channels.of(topics)
        self.add('connect', name, values, recorded, output)
        if recorded != topics:
            self._ledger.note('channels_shared', 'record', f'{name}: so many names of topics have come that its '
                              f'messages, and those of drones that come later, are recorded in {self._shared}/<type>')

    def restored(self, state: bytes) -> None:
        """See Recorder."""
        if self._on:
            self._calls.restored(state)

    def saw(self, tick: Tick) -> None:
        """See Recorder."""
        if not self._values['record_snapshot_on_contact'] or all(e.phase != Phase.BEGIN for e in tick.events):
            return
        span = self._values['record_snapshot'] * NANOSECONDS
        # snapshots of contacts do not overlap; a clock that was set back begins anew
        if span and (self._last_hit is None or not 0 <= tick.stamp_ns - self._last_hit < span):
            self._asked, self._last_hit = True, tick.stamp_ns

    def snapshot(self) -> tuple[bool, str]:
        """See Recorder."""
        if not self._values['record_snapshot']:
            return super().snapshot()
        if not self._on:
            return False, f'the recording has ended: {self._fault}'
        self._asked = True
        seconds, path = self._values['record_snapshot'], self._recording.path
        return True, f'the last {seconds:g} s are written to {path}, or with a number behind it: see the log'

    def end(self) -> None:
        """See Recorder."""
        if not self._on:
            return
        # handed on before it is let go: Ctrl-C in between hands it on once more, empty by then
        self._queue.put((self._now, self._calls))
        self._queued += self._calls.size
        self._calls = self._new()
        if self._asked:
            self._asked = False
            self._queue.put(SNAPSHOT)
        self._report_snapshots()
        if not self._fault and self._queued - self._written > MOST_QUEUED:
            self._fault = f'{self._recording.path}: the disk does not keep up: more than {MOST_QUEUED >> 20} MB wait'
        if self._fault:
            self._on = False
            self._queue.put(None)  # the thread may hang on the disk: it is not waited for
            self._report()

    def _report_snapshots(self) -> None:
        while not self._said.empty():
            is_written, text = self._said.get()
            if not is_written:
                self._ledger.note('snapshot_failed', 'record', text)
                self._error(text)
            elif self._node.context.ok():
                self._node.get_logger().info(text)

    def _report(self) -> None:
        """Say what went wrong, if anything did."""
        if not self._fault:
            return
        text = f'recording ended after {self._recording.ticks} ticks: {self._fault}; what was written is in '
        text += str(self._recording.part)
        self._ledger.note('recording_ended', 'record', text)
        self._error(text)

    def _error(self, text: str) -> None:
        if self._node.context.ok():
            self._node.get_logger().error(text)
        else:
            sys.stderr.write(f'error: {text}\n')


def _opened(node, settings: Settings, header, definitions: dict[str, str]):
    """What is written to: a Recording, or Snapshots. StartError where the parameters do not go together; BagError."""
    from hakoniwa_rigid.replay.bag.part import free_name, rename_left_over
    from hakoniwa_rigid.replay.bag.writer import check_target
    from hakoniwa_rigid.replay.rerun.recording import Limits, Recording
    from hakoniwa_rigid.replay.rerun.snapshots import Snapshots

    values, log = settings.node, node.get_logger()
    wanted = Path(values['record']).expanduser()
    check_target(wanted, is_record=True)
    for left in rename_left_over(wanted):
        log.warning(f'{left}: of a recording that was not ended; hakoniwa-rigid recover makes a whole bag of it')
    if values['record_snapshot']:
        log.info(f'keeping the last {values["record_snapshot"]:g} s; ~/snapshot writes them to {wanted}')
        return Snapshots(wanted, header, definitions, round(values['record_snapshot'] * NANOSECONDS),
                         values['record_keep'])
    limits = Limits(round(values['record_split_size'] * 1e6), round(values['record_split_time'] * NANOSECONDS),
                    values['record_keep'])
    if wanted.suffix == '.mcap' and any(limits):
        raise StartError('parameters record_split_size, record_split_time, record_keep: need a folder, got record: '
                         f'{wanted}, one file')
    made = Recording(free_name(wanted), header, definitions, limits)
    log.info(f'recording into {made.path}; until the node ends it is {made.part}')
    return made


def open_recorder(node, scene: CollisionScene, settings: Settings, inputs, parameters: Values) -> Recorder:
    """What the parameter `record` asks for; it gets all inputs. `parameters`: all of them by full names."""
    made = NodeRecorder(node, settings, inputs, parameters) if settings.node['record'] else Recorder()
    inputs.record(made)
    return made


def _header(node, settings: Settings, inputs, parameters: Values):
    from hakoniwa_rigid.replay.rerun.journal import Header, RecordedTopic
    from hakoniwa_rigid.replay.rerun.provenance import plain, versions

    topics = tuple(RecordedTopic(t.source.key, t.name, t.type, full)
                   for t, full in zip(inputs.adapter.topics, inputs.polled.names, strict=True))
    names = ['contact_events', 'constraint_events', 'fleet/states_corrected',
             *(v['topic_odom_corrected'] for v in settings.drones.values())]
    outputs = {name: node.resolve_topic_name(name) for name in names}
    return Header(topics, outputs, plain(parameters), world_writer.write(settings.world), versions())


def _definitions(inputs) -> dict[str, str]:
    """Of the types that replay does not know, from where they are installed."""
    from hakoniwa_rigid.replay.bag.types import definition_of

    found = {}
    for kind in {topic.type: None for topic in inputs.adapter.topics}:
        package, _, name = kind.split('/')
        if not definition_of(kind, ''):
            found[kind] = _installed(package, name)
    for kind in OF_NEWCOMERS:
        package, _, name = kind.split('/')
        if kind not in found and not definition_of(kind, ''):
            with suppress(StartError):      # without the package nothing of it is read
                found[kind] = _installed(package, name)
    return found


def _installed(package: str, name: str) -> str:
    from ament_index_python.packages import get_package_share_directory

    try:
        return Path(get_package_share_directory(package), 'msg', f'{name}.msg').read_text(encoding='utf8')
    except (LookupError, OSError) as error:
        raise StartError(f'parameter record: the definition of {package}/msg/{name} cannot be read: {error}') from error
