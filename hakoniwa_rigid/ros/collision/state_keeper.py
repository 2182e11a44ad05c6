# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The parameter `state_file`: the scene's state in a file, from which a node that was killed goes on when it is started
again (scene/saved_states).

The tick copies the state, which takes it half a millisecond; a thread writes it.  Events are put down before they are
published.  A node that ends as it was asked to leaves no state: its next start is a fresh one.
"""
from __future__ import annotations

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.errors import StateError
from hakoniwa_rigid.scene.parameters.settings import Settings, Values
from hakoniwa_rigid.scene.records import Tick
from hakoniwa_rigid.scene.saved_states import state_file
from hakoniwa_rigid.scene.saved_states.reported_events import ReportedEvents, files_of, read_reported
from hakoniwa_rigid.scene.saved_states.scene_state import Awaited, SceneState

from ..errors import StartError
from ..throttle import Throttle

__all__ = ['NodeStateKeeper', 'StateKeeper', 'open_state_keeper']

# starts from one state; a node that has died so often before it saved another may die of it
MOST_TRIES = 3
# s of ROS time that a scene stands still for drones of which nothing comes
PATIENCE = 5.0


class StateKeeper:
    """Keeps nothing."""

    def close(self) -> None:
        """End."""

    def remove(self) -> None:
        """The scene ends as it was asked to: leave no state."""

    def restore(self) -> bytes:
        """At an activation: put the scene into the state that is there, of a node that died; it as a file, b'' for
        none."""
        return b''

    def waits(self, stamp: int) -> bool:
        """Whether the scene has to stand still at `stamp` (ns): it has just been restored, and drones are awaited."""
        return False

    def report(self, tick: Tick) -> None:
        """The events of a tick are going to be reported."""

    def saw(self, stamp: int) -> None:
        """A tick is over: save, where it is time."""

    def hurry(self) -> None:
        """Save at the next tick."""

    def summary(self) -> dict[str, object]:
        """What /diagnostics has of it."""
        return {}


class NodeStateKeeper(StateKeeper):
    """That of one configured node; StartError where the file cannot be written.  `pace`: whether it is paused is
    kept, too."""

    def __init__(self, node, scene: CollisionScene, settings: Settings, parameters: Values, ledger, pace) -> None:
        values = settings.node
        self._node, self._scene, self._ledger, self._pace = node, scene, ledger, pace
        self.path = Path(values['state_file']).expanduser()
        self._header = state_file.Identity(settings.world, parameters).header()
        self._period, self._most_age = round(values['state_period'] * NANOSECONDS), values['state_max_age']
        self._lock = _locked(self.path)
        self._reported = ReportedEvents(self.path)
        self._generation, self._due, self._is_first = 0, None, True
        self._awaited: Awaited | None = None
        self._awaited_until = 0
        self._throttle = Throttle()
        self._busy, self._fault, self._saved = False, '', 0
        self._begun = 'afresh'
        self._queue: SimpleQueue = SimpleQueue()
        self._thread = Thread(target=self._write, name='state', daemon=True)
        self._thread.start()

    def _write(self) -> None:
        """What the thread does."""
        while (job := self._queue.get()) is not None:
            if isinstance(job, Event):
                job.set()
                continue
            try:
                state_file.write(self.path, self._packed(*job))
                self._fault, self._saved = '', self._saved + 1
            except Exception as error:  # whatever it is, the next one is tried
                self._fault = str(error) or repr(error)
            self._busy = False

    def _packed(self, state: SceneState, paused: bool, generation: int, tries: int, saved_ns: int) -> bytes:
        more = {'generation': generation, 'tries': tries, 'saved_ns': saved_ns, 'paused': paused}
        return state_file.pack(self._header, state, **more)

    def close(self) -> None:
        """End; what is being written is waited for."""
        if self._lock >= 0:
            self._queue.put(None)
            self._thread.join()
            self._reported.close()
            os.close(self._lock)
            self._lock = -1

    def remove(self) -> None:
        """See StateKeeper."""
        if self._lock >= 0:
            self._queue.put(idle := Event())
            idle.wait()
            self._unlink(self.path, *files_of(self.path))

    @staticmethod
    def _unlink(*paths: Path) -> None:
        for path in paths:
            with suppress(OSError):
                path.unlink()

    def restore(self) -> bytes:
        """See StateKeeper."""
        if not self._is_first:
            self._due = None
            self._generation += 1
            self._begin()
            return b''
        self._is_first = False
        log = self._node.get_logger()
        data = b''
        try:
            data = self._go_on()
        except FileNotFoundError:
            log.info(f'{self.path}: no state yet, the scene begins afresh')
        except StateError as error:
            self._begun = f'afresh: the state {error}'
            log.warning(f'{self.path}: {error}; the scene begins afresh')
        self._due = None
        if not data:
            self._unlink(*files_of(self.path))  # of other runs
        self._begin()
        return data

    def _go_on(self) -> bytes:
        state, header = state_file.read(self.path, self._header)
        numbers = [header.get(key) for key in ('generation', 'tries', 'saved_ns')]
        if not all(isinstance(n, int) and 0 <= n < 1 << 62 for n in numbers):
            raise StateError(f'generation, tries, saved_ns: must be whole numbers, got {numbers}')
        generation, tries, saved_ns = numbers
        age = (time.time_ns() - saved_ns) / NANOSECONDS
        if self._most_age and not age <= self._most_age:
            raise StateError(f'is {age:.0f} s old, more than state_max_age, {self._most_age:g} s')
        if tries >= MOST_TRIES:
            raise StateError(f'was gone on from {tries} times, and the node died each time before it saved another')
        reported = read_reported(self.path, generation)
        self._awaited = self._scene.restore(state, reported)
        self._awaited_until = 0
        self._pace.paused = header.get('paused') is True
        # nothing is lost where the node dies once more before it saves: the same scene, and one start more
        self._generation = generation + 2
        data = self._packed(self._scene.saved(), self._pace.paused, self._generation, tries + 1, saved_ns)
        try:
            state_file.write(self.path, data)
        except OSError as error:
            self._fault = str(error)
        self._begun = f'from the state of {age:.1f} s ago, start {tries + 1}'
        running = len(state.values['contacts'])
        self._node.get_logger().warning(
            f'{self.path}: going on from the state of {age:.1f} s ago: {running} contacts, '
            f'{len(reported)} events after it')
        return data

    def _begin(self) -> None:
        """Put down what is reported from now on."""
        try:
            self._reported.begin(self._generation)
        except OSError as error:
            self._fault = str(error)

    def waits(self, stamp: int) -> bool:
        """See StateKeeper."""
        if self._awaited is None:
            return False
        if not self._awaited_until:     # the first tick takes the scene's time to the present
            self._awaited_until = stamp + round(PATIENCE * NANOSECONDS)
            return True
        if self._awaited.any() and stamp < self._awaited_until:
            return True
        self._awaited = None
        return False

    def report(self, tick: Tick) -> None:
        """See StateKeeper."""
        if (tick.events or tick.constraint_events) and self._lock >= 0:
            self._reported.add((*tick.events, *tick.constraint_events))

    def saw(self, stamp: int) -> None:
        """See StateKeeper."""
        if self._fault:
            self._ledger.note('state_not_saved', 'state_file', self._fault)
            if self._throttle.passes('state', stamp):
                self._node.get_logger().error(f'{self.path}: the state is not saved: {self._fault}')
            self._fault = ''
        if self._busy or self._awaited is not None or self._lock < 0:
            return
        # a clock that was set back does not stop it
        if self._due is not None and 0 < self._due - stamp <= self._period:
            return
        self._due = stamp + self._period
        state = self._scene.saved()
        self._generation += 1
        self._begin()
        self._busy = True
        self._queue.put((state, self._pace.paused, self._generation, 0, time.time_ns()))

    def hurry(self) -> None:
        """See StateKeeper."""
        self._due = None

    def summary(self) -> dict[str, object]:
        """See StateKeeper."""
        return {'state_begun': self._begun, 'states_saved': self._saved}


def _locked(path: Path) -> int:
    """A lock that lasts as long as this process; StartError where another has it, or none can be had."""
    number = -1
    try:
        number = os.open(path.with_name(f'{path.name}.lock'), os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(number)
        raise StartError(f'parameter state_file: {path} is in use by another node') from None
    except OSError as error:
        if number >= 0:
            os.close(number)
        raise StartError(f'parameter state_file: {path}: {error.strerror}') from error
    return number


def open_state_keeper(node, scene: CollisionScene, settings: Settings, parameters: Values, ledger, pace) -> StateKeeper:
    """What the parameter `state_file` asks for."""
    if not settings.node['state_file']:
        return StateKeeper()
    return NodeStateKeeper(node, scene, settings, parameters, ledger, pace)
