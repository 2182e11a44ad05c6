# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The side of a simulator: one call per step, which sends the states of its drones and waits for the corrected ones.

    lockstep = Lockstep(link, ['d0', 'd1'], period_ns=5_000_000)
    states = lockstep.step(stamp_ns, positions, orientations, linear_velocities, angular_velocities)

A `Link` carries the messages: ros/lockstep.py has that of ROS.
"""
from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from ..codec.cdr import CdrError, Fleet, FleetReader
from ..codec.cdr_writers import FleetStateWriter
from ..codec.message_fields import NANOSECONDS
from .errors import LockstepError
from .states import WIDTHS, States, checked, checked_names

__all__ = ['Link', 'Lockstep']

# s without an answer after which a step is sent once more: the first one, which may have told of a new beginning; and
# any other, which may have got lost.  One that has come is refused when it comes again, and its drones are flagged
AGAIN_FIRST, AGAIN = 0.5, 3.0
# messages that are read and thrown away at most, when a simulator begins anew
MOST_OLD = 10_000


class Link(Protocol):
    """The way to the node and back."""

    def send(self, stamp_ns: int, data: bytes) -> None:
        """Send a FleetState as CDR."""

    def receive(self) -> bytes | None:
        """The next FleetState with corrected states, if one has come."""

    def rest(self) -> None:
        """Wait a little, at most for the time of a short step."""

    def fault(self) -> str:
        """What is known to be wrong with the way, '' where nothing is."""


class Lockstep:
    """Drones `names` (N) of one simulator, stepped together with a node."""

    def __init__(self, link: Link, names: Sequence[str], period_ns: int, timeout: float = 10.0, frame: str = 'world',
                 clock: Callable[[], float] = time.monotonic) -> None:
        """period_ns: of the node's ticks; timeout: s of `clock` that an answer may take; frame: of the positions."""
        self.names = checked_names(names)
        if period_ns <= 0 or not timeout > 0.0:
            raise LockstepError(f'period_ns, timeout: must be > 0, got {period_ns}, {timeout}')
        self._link, self._period, self._timeout, self._clock = link, int(period_ns), timeout, clock
        self._writer = FleetStateWriter(frame, self.names)
        self._reader = FleetReader(tuple(WIDTHS))
        self._rows: tuple[int, np.ndarray] | None = None    # key of a list of names, where ours are in it
        self._sent: int | None = None       # ns
        self._states: States | None = None  # the last answer

    def restart(self) -> None:
        """The simulator begins anew, at any stamp: what has come is forgotten."""
        self._sent = self._states = None
        for _ in range(MOST_OLD):
            if self._link.receive() is None:
                break

    def step(self, stamp_ns: int, positions, orientations_xyzw, linear_velocities, angular_velocities) -> States:
        """Tell the states at a stamp, ns, as in `States`; returns the corrected states of the node's newest tick that
        is not later.  Where no tick is due yet, those are the last ones, at once.

        LockstepError where the numbers are none, stamps do not rise, or no answer comes in time.
        """
        states = checked(self.names, stamp_ns, positions, orientations_xyzw, linear_velocities, angular_velocities)
        stamp = states.stamp_ns
        if self._sent is not None and stamp <= self._sent:
            raise LockstepError(f'stamp_ns: must rise, got {stamp} after {self._sent}; a new beginning needs restart()')
        data = self._writer.write(stamp, states)
        self._link.send(stamp, data)
        self._sent = stamp
        if self._states is None or stamp >= self._states.stamp_ns + self._period:
            self._states = self._await(stamp, data)
        return self._states

    def _await(self, stamp: int, data: bytes) -> States:
        begun = self._clock()
        wait = AGAIN_FIRST if self._states is None else AGAIN
        again, newest = begun + wait, None
        while True:
            while (answer := self._link.receive()) is not None:
                msg = self._parse(answer)
                newest = msg.header.stamp.sec * NANOSECONDS + msg.header.stamp.nanosec
                if stamp - self._period < newest <= stamp:
                    return self._states_of(msg, newest)
                if newest > stamp and self._states is not None:
                    raise LockstepError(f'the node has gone on to {newest} ns without {", ".join(self.names)}, whose '
                                        f'states of {stamp} ns came too late (its parameter lockstep_timeout)')
            now = self._clock()
            if now - begun > self._timeout:
                raise LockstepError(self._complaint(stamp, newest))
            if now > again:
                self._link.send(stamp, data)
                again = now + wait
            self._link.rest()

    def _complaint(self, stamp: int, newest: int | None) -> str:
        text = f'no corrected states of {stamp} ns within {self._timeout:g} s'
        if fault := self._link.fault():
            return f'{text}: {fault}'
        if newest is not None:
            return f'{text}, the last that came are of {newest} ns: is the node in lockstep, and on the same clock?'
        since = f', the last were of {self._states.stamp_ns} ns' if self._states is not None else ''
        return f'{text}{since}: the node takes {", ".join(self.names)} but does not go on; /diagnostics has why'

    def _parse(self, data: bytes) -> Fleet:
        try:
            return self._reader.read(data)
        except CdrError as error:
            raise LockstepError(f'what came is no FleetState: {error}') from error

    def _states_of(self, msg: Fleet, stamp: int) -> States:
        if self._rows is None or self._rows[0] != msg.key:
            missing = [name for name in self.names if name not in msg.names]
            if missing:
                raise LockstepError(f'the node has no drone {", ".join(missing)}: it serves {", ".join(msg.names)}')
            self._rows = msg.key, np.array([msg.names.index(name) for name in self.names])
        rows, n = self._rows[1], len(msg.names)
        arrays = [a.reshape(n, width)[rows] for a, width in zip(msg.arrays, WIDTHS.values(), strict=True)]
        # behind the last array: how many flags, and they
        flags = np.frombuffer(msg.data, np.uint8, n, msg.begins[-1] + msg.arrays[-1].nbytes + 4)[rows]
        return States(stamp, *arrays, flags)
