# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Notices a tick that hangs, from outside of it.

Two watch, because a compiled kernel lets no other thread of Python go on. A thread says on /diagnostics and in the log
which part hangs, where Python goes on. The system's own timer needs nobody: its signal writes where all threads are
to the log, and with `watchdog_ends` it ends the process, so that whoever supervises it starts it anew.
"""

from __future__ import annotations

import faulthandler
import signal
import sys
from threading import Event, Thread
from time import monotonic

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.scene.parameters.settings import Settings

from .. import convert
from ..qos import STATES, advertise
from ..systemd import Notifier
from .guard import Guard

__all__ = ['Watchdog']


class Watchdog:
    """That of one configured node. `hangs`, `longest` (s): of ticks that took longer than the limit, so far."""

    def __init__(self, node, settings: Settings, guard: Guard, notifier: Notifier) -> None:
        values = settings.node
        self._node, self._guard, self._notifier = node, guard, notifier
        self._limit, self._ends = values['watchdog'], values['watchdog_ends']
        self._name = node.get_fully_qualified_name().lstrip('/')
        self._publisher = advertise(node, DiagnosticArray, '/diagnostics', STATES) if self._limit else None
        self._beaten, self._is_told, self._on = monotonic(), False, False
        self._end, self._thread = Event(), None
        self.hangs, self.longest = 0, 0.0

    def start(self) -> None:
        """The node begins to tick."""
        if not self._limit or self._on:
            return
        self._on = True
        self._beaten = monotonic()
        # its handler is C and runs whatever holds Python; the one before it, which it goes on to, ends the process
        faulthandler.register(signal.SIGALRM, file=sys.__stderr__, all_threads=True, chain=self._ends)
        signal.setitimer(signal.ITIMER_REAL, self._limit)
        self._end.clear()
        self._thread = Thread(target=self._watch, name='watchdog', daemon=True)
        self._thread.start()

    def beat(self) -> None:
        """The node's loop goes round: between any two ticks."""
        self._notifier.alive()
        if not self._on:
            return
        now = monotonic()
        if (hung := now - self._beaten) > self._limit:
            self.hangs, self.longest = self.hangs + 1, max(self.longest, hung)
            self._node.get_logger().error(f'the node goes on after {hung:.1f} s')
        self._beaten, self._is_told = now, False
        signal.setitimer(signal.ITIMER_REAL, self._limit)

    def stop(self) -> None:
        """It ticks no more."""
        if self._on:
            self._on = False
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            faulthandler.unregister(signal.SIGALRM)
            self._end.set()
            self._thread.join()

    def close(self) -> None:
        """End."""
        self.stop()
        if self._publisher is not None:
            self._node.destroy_publisher(self._publisher)
            self._publisher = None

    def _watch(self) -> None:
        """What the thread does."""
        while not self._end.wait(0.25 * self._limit):
            hung = monotonic() - self._beaten
            # said before the signal ends it
            if hung > 0.5 * self._limit and not self._is_told and self._node.context.ok():
                self._is_told = True
                self._tell(hung)

    def _tell(self, hung: float) -> None:
        text = f'the tick hangs: {hung:.1f} s in part {self._guard.part!r}'
        self._node.get_logger().error(text)
        values = [KeyValue(key='watchdog [s]', value=f'{self._limit:g}'), KeyValue(key='part', value=self._guard.part)]
        status = DiagnosticStatus(name=f'{self._name}: timing', hardware_id='hakoniwa_rigid', message=text,
                                  level=DiagnosticStatus.ERROR, values=values)
        msg = DiagnosticArray(status=[status])
        now = self._node.get_clock().now().nanoseconds
        convert.set_stamp(msg.header.stamp, max(now, 0) % (NANOSECONDS << 31))
        self._publisher.publish(msg)
