# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Runs a node until Ctrl-C, SIGTERM or a shutdown, and always leaves cleanly.

EventsExecutor receives a message at 21-31 us of CPU where the default executor needs 60-130 us, and its cost does
not grow with the number of idle entities (docs/adr). Its spin() and its spin_once() without a timeout hang in the
wheels of PyPI, hence the loop.

A node that ticks is asked by this loop when its next tick is due (docs/adr/0003). A timer of ROS would have another
thread wake this one, and where two messages of /clock wait at a time it is called twice for one period and not at all
for the next.
"""

from __future__ import annotations

import faulthandler
import re
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Protocol, runtime_checkable

import rclpy
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.experimental import EventsExecutor
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import get_default_context, try_shutdown

from .errors import StartError
from .leaving import ends_all_the_same
from .punctual import be_prompt, be_punctual

__all__ = ['CRASHED', 'Ticking', 'run']

# s; an idle node looks this often whether it should end; work never waits for it
IDLE_TIMEOUT = 0.1
# callbacks served between two ticks of a node that is late
SERVED_WHEN_LATE = 4
# exit code of a node that an error of ours has ended: that of sysexits.h
CRASHED = 70


@runtime_checkable
class Ticking(Protocol):
    """A node with work at a fixed rate."""

    def rest(self) -> float | None:
        """s until the next tick, 0 where it is due; None where only a callback can bring it about."""

    def tick(self) -> None:
        """Do the work of a tick."""


class _Signals:
    """SIGINT and SIGTERM while `run` has a node: the first one shuts the node's context down, more change nothing.

    rclpy's own handlers would do so in a thread, at any moment. EventsExecutor calls abort() where that is while it
    takes up publishers, which it does as a node starts and as drones come: it makes a wait set for each, and none can
    be made any more. `with signals:` lets it wait.
    """

    def __init__(self) -> None:
        self.received: list[int] = []
        self._context, self._is_held, self._is_lost = None, False, False

    def listen(self) -> None:
        """Obey them from now on: KeyboardInterrupt where there is no node yet."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._receive)

    def end(self) -> None:
        """Ignore them from now on.  After one the context has ended, also without a node: another would destroy what is
        half made."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        if self.received:
            self._shut_down()

    def lose(self) -> None:
        """Its KeyboardInterrupt came to nothing: the next one raises another."""
        self._is_lost = True

    def watch(self, context) -> None:
        """There is a node now, of this context."""
        self._context = context
        if self.received:
            self._shut_down()

    def __enter__(self) -> None:
        """Hold them back, while an executor is made or goes over its entities."""
        self._is_held = True

    def __exit__(self, *_) -> None:
        self._is_held = False
        if self.received:
            self._shut_down()

    def _receive(self, number: int, _frame) -> None:
        self.received.append(number)
        if len(self.received) == 1 or self._is_lost:
            self._is_lost = False
            if self._context is None:
                raise KeyboardInterrupt
            if not self._is_held:
                self._shut_down()

    def _shut_down(self) -> None:
        # Context.shutdown() takes a lock, which what was interrupted may have
        handle = (self._context or get_default_context()).handle
        if handle is not None and handle.ok():
            handle.shutdown()


def _spin(node, kind: type[Executor], signals: _Signals) -> None:
    """Serve `node` until its context ends."""
    with signals:
        executor = kind(context=node.context)
        executor.add_node(node)
    serve = _serve_ticking if isinstance(node, Ticking) else _serve
    try:
        while node.context.ok():
            serve(executor, node, signals)
    finally:
        executor.remove_node(node)
        executor.shutdown()


def _serve(executor: EventsExecutor, node, signals: _Signals) -> None:
    with signals:
        executor.spin_once(timeout_sec=IDLE_TIMEOUT)


def _serve_ticking(executor: EventsExecutor, node: Ticking, signals: _Signals) -> None:
    """One callback at most, or the tick that is due."""
    rest = node.rest()
    if rest == 0:
        node.tick()
        rest = node.rest()
        for _ in range(SERVED_WHEN_LATE if rest == 0 else 0):
            with signals:
                executor.spin_once(timeout_sec=0.0)
    with signals:
        executor.spin_once(timeout_sec=IDLE_TIMEOUT if rest is None else min(rest, IDLE_TIMEOUT))


def _start_ros(args: list[str] | None) -> None:
    """Initialise ROS.  StartError for arguments and parameter files that it cannot read, without its lines of C."""
    try:
        rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    except RuntimeError as error:   # RCLError, UnknownROSArgsError
        raise StartError(re.sub(r', at \S+:\d+', '', str(error)).strip()) from None


def run(factory: Callable[[], object], args: list[str] | None = None, kind: type[Executor] = EventsExecutor) -> int:
    """Initialise ROS, build a node with `factory`, spin it; returns the exit code: 1 after StartError, which another
    start would not mend, CRASHED after any other error.

    EventsExecutor ends the process where a node destroys a subscription whose events it serves, and where a task
    raises: see Viewer.destroy_subscription, or take another `kind`.

    Under a launcher Ctrl-C reaches a node twice, and SIGTERM may: the second one is ignored while the first is obeyed.
    A crash of what is no Python, as of DDS, writes to stderr where all threads were.
    """
    if sys.__stderr__ is not None:
        faulthandler.enable(file=sys.__stderr__)
    # the threads of DDS, too: they are made later
    be_punctual()
    be_prompt()
    node, signals, code = None, _Signals(), 0

    def report(lost) -> None:
        # it came while C called Python, as where machine code is loaded: the node ends all the same, once it is there
        if signals.received and lost.exc_type is KeyboardInterrupt:
            signals.lose()
        else:
            sys.__unraisablehook__(lost)

    signals.listen()
    sys.unraisablehook = report
    try:
        _start_ros(args)
        try:
            node = factory()
            signals.watch(node.context)
            _spin(node, kind, signals)
        except (KeyboardInterrupt, ExternalShutdownException):
            pass
        except Exception as error:
            # a signal closes the handles under whatever is running, or KeyboardInterrupt comes out of C++ as another
            # error: what fails then is the end that was asked for
            if rclpy.ok() and not signals.received:
                if isinstance(error, StartError):
                    code = 1
                    sys.stderr.write(f'error: {error}\n')
                else:
                    code = CRASHED
                    traceback.print_exc()
    except KeyboardInterrupt:
        pass    # before there was a node
    except StartError as error:
        code = 1
        sys.stderr.write(f'error: {error}\n')
    finally:
        signals.end()
        with ends_all_the_same(code):
            if node is not None:
                node.destroy_node()
            # Kilted's rclpy.try_shutdown would put back what SIGTERM did before: end the process at once, with -15
            try_shutdown()
    return code
