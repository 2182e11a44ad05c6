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
from rclpy.utilities import try_shutdown

from .errors import StartError
from .leaving import ends_all_the_same
from .punctual import be_prompt, be_punctual

__all__ = ['CRASHED', 'Ticking', 'run', 'spin']

# s; an idle node looks this often whether it should end; work never waits for it
IDLE_TIMEOUT = 0.5
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


def spin(node, kind: type[Executor] = EventsExecutor) -> None:
    """Serve `node` until its context ends."""
    executor = kind(context=node.context)
    executor.add_node(node)
    serve = _serve_ticking if isinstance(node, Ticking) else _serve
    try:
        while node.context.ok():
            serve(executor, node)
    finally:
        executor.remove_node(node)
        executor.shutdown()


def _serve(executor: EventsExecutor, node) -> None:
    executor.spin_once(timeout_sec=IDLE_TIMEOUT)


def _serve_ticking(executor: EventsExecutor, node: Ticking) -> None:
    """One callback at most, or the tick that is due."""
    rest = node.rest()
    if rest == 0:
        node.tick()
        rest = node.rest()
        for _ in range(SERVED_WHEN_LATE if rest == 0 else 0):
            executor.spin_once(timeout_sec=0.0)
    executor.spin_once(timeout_sec=IDLE_TIMEOUT if rest is None else min(rest, IDLE_TIMEOUT))


def _start_ros(args: list[str] | None) -> None:
    """Initialise ROS.  StartError for arguments and parameter files that it cannot read, without its lines of C."""
    try:
        rclpy.init(args=args)
    except RuntimeError as error:   # RCLError, UnknownROSArgsError
        raise StartError(re.sub(r', at \S+:\d+', '', str(error)).strip()) from None


def run(factory: Callable[[], object], args: list[str] | None = None, kind: type[Executor] = EventsExecutor) -> int:
    """Initialise ROS, build a node with `factory`, spin it; returns the exit code: 1 after StartError, which another
    start would not mend, CRASHED after any other error.

    EventsExecutor ends the process where a node it serves has destroyed a subscription: such nodes need another `kind`.

    Under a launcher Ctrl-C reaches a node twice, and SIGTERM may: the second one is ignored while the first is obeyed.
    A crash of what is no Python, as of DDS, writes to stderr where all threads were.
    """
    if sys.__stderr__ is not None:
        faulthandler.enable(file=sys.__stderr__)
    # the threads of DDS, too: they are made later
    be_punctual()
    be_prompt()
    node, signals, code = None, [], 0

    def interrupt(number: int, _frame) -> None:
        signals.append(number)
        # a node that is there ends as by SIGTERM: rclpy, which has heard of it too, ends its context
        if len(signals) == 1 and node is None:
            raise KeyboardInterrupt

    def report(lost) -> None:
        # it came while C called Python, as where machine code is loaded: the context has ended all the same
        if not (signals and lost.exc_type is KeyboardInterrupt):
            sys.__unraisablehook__(lost)

    if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
        sys.unraisablehook = report
    try:
        _start_ros(args)
        try:
            node = factory()
            spin(node, kind)
        except (KeyboardInterrupt, ExternalShutdownException):
            pass
        except Exception as error:
            # a signal closes the handles under whatever is running, or KeyboardInterrupt comes out of C++ as another
            # error: what fails then is the end that was asked for
            if rclpy.ok() and not signals:
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
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        with ends_all_the_same(code):
            if node is not None:
                node.destroy_node()
            # Kilted's rclpy.try_shutdown would put back what SIGTERM did before: end the process at once, with -15
            try_shutdown()
    return code
