# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Plays recordings as a tracker would send them: every sample at its own capture time.

The motion begins at once, or with ``wait_for_start`` at a stamp given later, and again every ``period``. Before it and
between strokes the hand holds its first or last pose at the recording's rate. A gap in the recording stays a gap:
nothing is sent in it. With a latency samples come so much later than they were captured, as those of a tracker do.
"""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.sims.hands.motion import HandMotion
from hakoniwa_rigid.sims.hands.sample import HandSample


class Track:
    """One hand of the recordings, and what was sent last."""

    def __init__(self, motion: HandMotion, name: str) -> None:
        self.motion, self.name = motion, name
        self.stamps = motion.stamps
        self.interval = int(np.median(np.diff(self.stamps)))
        self.last: int | None = None

    def newest(self, now: int, origin: int, start: int | None, period: int) -> tuple[int, int, int]:
        """(sample, its stamp, the stamp of the one behind it) that is the newest at ``now``, ns."""
        if start is None or now < start:
            begin, end = origin, start
        else:
            begin = start + ((now - start) // period * period if period else 0)
            end = begin + period if period else None
            k = int(np.searchsorted(self.stamps, now - begin, side='right')) - 1
            if 0 <= k < len(self.stamps) - 1:
                return k, begin + int(self.stamps[k]), begin + int(self.stamps[k + 1])
            if k >= 0:
                return k, *self._held(now, begin + int(self.stamps[-1]), end)
            end = begin + int(self.stamps[0])
        return 0, *self._held(now, begin, end)

    def _held(self, now: int, begin: int, end: int | None) -> tuple[int, int]:
        """The newest of the stamps that a pose held since ``begin`` is sent with, and the next, at most ``end``."""
        stamp = begin + (now - begin) // self.interval * self.interval
        following = stamp + self.interval
        return stamp, following if end is None else min(following, end)

    def sample(self, k: int, stamp: int) -> HandSample:
        """Sample k of the recording, captured at ``stamp``."""
        m = self.motion
        return HandSample(self.name, m.frame, stamp, m.names, m.positions[k], m.orientations[k], m.radii, m.is_valid[k])


class Player:
    """A Source of one or several recorded hands that share their time."""

    refused = ()

    def __init__(self, motions: Sequence[HandMotion], period: float = 0.0, wait_for_start: bool = False,
                 hand: str = '', latency: float = 0.0) -> None:
        """``period`` s from one beginning to the next, 0: once. ``hand``: another name for the one hand, or the only
        one of several that is wanted. ``latency`` s from a capture until its sample is sent. ValueError names what
        does not fit."""
        if hand and len(motions) > 1:
            motions = [m for m in motions if m.hand == hand]
            if not motions:
                raise ValueError(f'hand: none of the recorded hands is called {hand!r}')
        longest = max(motion.duration for motion in motions)
        if 0.0 < period < longest:
            raise ValueError(f'period: must be 0 or at least the {longest:g} s of the motion, got {period:g}')
        self.tracks = [Track(motion, hand or motion.hand) for motion in motions]
        self.period, self.waiting = round(period * NANOSECONDS), wait_for_start
        self.latency = round(latency * NANOSECONDS)
        self.origin: int | None = None
        self.began: int | None = None
        self.now = 0

    def start(self, stamp_ns: int) -> None:
        """The motion begins at a stamp."""
        self.began = stamp_ns

    def due(self, now: int) -> int:
        """When the next sample is sent."""
        seen = now - self.latency
        if seen < 0:
            return self.latency
        return now if self._begins(seen) else self.latency + min(self._due(track, seen) for track in self.tracks)

    def _due(self, track: Track, now: int) -> int:
        _, stamp, following = track.newest(now, self.origin, self.began, self.period)
        return now if track.last is None or stamp > track.last else following

    def _begins(self, now: int) -> bool:
        """At the first call, or behind a simulated clock that was set back."""
        return self.origin is None or now < self.now - NANOSECONDS

    def samples(self, now: int) -> list[HandSample]:
        """The newest sample of each hand that has not been sent; a late caller leaves samples out, as trackers do."""
        now -= self.latency
        if now < 0:
            return []
        if self._begins(now):
            self.origin = now
            for track in self.tracks:
                track.last = None
            if not self.waiting and self.began is None:
                self.began = now
        self.now = now
        found = []
        for track in self.tracks:
            k, stamp, _ = track.newest(now, self.origin, self.began, self.period)
            if track.last is None or stamp > track.last:
                track.last = stamp
                found.append(track.sample(k, stamp))
        return found

    def close(self) -> None:
        """Nothing is held."""
