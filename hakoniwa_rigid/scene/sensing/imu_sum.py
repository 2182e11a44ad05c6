# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What contacts add to the samples of a simulator's own IMU.

    f_out = R_turn^T f_in + J / interval        w_out = R_turn^T w_in + dw        q_out = q_in q_turn

The simulator's samples and the ticks come at different times.  So what ticks have to add is summed in the world (J),
and given to the samples that come next: evenly over the time from the sample before to the last of them.  So nothing is
lost, whatever the two rates are, and the sum of f dt over samples has all of it.  Where nothing differs from what the
simulator says, its samples are what comes out, unchanged.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ... import rotations as rot
from ...codec.message_fields import NANOSECONDS
from ..records import ImuRecord, Vec

__all__ = ['ImuSample', 'ImuSum']

# s: samples of an IMU are not closer together
SHORTEST = 1e-6


class ImuSample(NamedTuple):
    """A sample of an IMU: ns, orientation x, y, z, w, rad/s and m/s^2 in the body."""

    stamp_ns: int
    orientation_xyzw: tuple[float, float, float, float]
    angular_velocity: Vec
    linear_acceleration: Vec


class ImuSum:
    """Of one drone."""

    def __init__(self) -> None:
        self._now: ImuRecord | None = None
        self._given, self._seconds = np.zeros(3), 0.0   # m/s, world, and the time of the ticks in which it was
        self._last_ns: int | None = None

    def add(self, measured: ImuRecord | None) -> None:
        """A tick is over; None where no step ran, or the drone takes no part."""
        self._now = measured
        if measured is None:
            return
        q, self._seconds = _wxyz(measured.orientation_xyzw), self._seconds + measured.seconds
        if measured.led:
            given = np.array(measured.added_velocity) if measured.beside else np.zeros(3)
        else:
            given = np.array(measured.contact) * measured.seconds
        self._given = self._given + rot.rotate(q, given)

    def samples(self, heard: Sequence[ImuSample]) -> list[ImuSample]:
        """The samples that came since, with what the ticks add; one that nothing is added to is the same object."""
        if not heard:
            return []
        interval = self._interval(heard[-1].stamp_ns)
        self._last_ns = heard[-1].stamp_ns
        given, self._given, self._seconds = self._given, np.zeros(3), 0.0
        now = self._now
        if now is None or (now.led and not now.beside and not given.any()):
            return list(heard)
        more = rot.rotate_inverse(_wxyz(now.orientation_xyzw), given) / interval
        return [_combined(sample, now, more) for sample in heard]

    def _interval(self, stamp_ns: int) -> float:
        """s over which what was summed is given."""
        seconds = 0.0 if self._last_ns is None else (stamp_ns - self._last_ns) / NANOSECONDS
        if seconds <= SHORTEST:     # the first one, or a clock that went back
            seconds = self._seconds
        return max(seconds, SHORTEST)


def _combined(sample: ImuSample, now: ImuRecord, more: np.ndarray) -> ImuSample:
    """A sample with more (3,) m/s^2, body."""
    if not now.led:
        free = np.subtract(now.linear_acceleration, now.contact)
        return ImuSample(sample.stamp_ns, now.orientation_xyzw, now.angular_velocity, _vec(free + more))
    turn = _wxyz(now.turn_xyzw)
    force, spin = (rot.rotate_inverse(turn, np.array(v)) for v in (sample.linear_acceleration, sample.angular_velocity))
    q = rot.xyzw(rot.multiply(_wxyz(sample.orientation_xyzw), turn))
    return ImuSample(sample.stamp_ns, _vec(q), _vec(spin + now.added_rate), _vec(force + more))


def _wxyz(xyzw: tuple[float, float, float, float]) -> np.ndarray:
    return rot.wxyz(np.array(xyzw))


def _vec(values: np.ndarray) -> tuple[float, ...]:
    return tuple(values.tolist())
