# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What the joints of a hand say of taking hold and letting go: two gestures, from tick to tick.

PINCH: the tips of thumb and index come together; with hysteresis, so that noise is no gesture.  FIST: the fingers
close: the mean curl of middle, ring and little finger has risen; the index finger may pinch by itself.  A hand that
comes in closed has made no gesture.

Gestures are made by the track, which is at the tick.  They are undone only where the newest sample shows it too: while
samples are late a track goes on with fingers that close, and comes back when they have stopped, which is no opening.
"""
from __future__ import annotations

import math

import numpy as np

from ... import rotations as rot
from .hand_layouts import Layout

PINCH, FIST = 'pinch', 'fist'
# m between the tips of thumb and index: a pinch begins, and ends
CLOSED, OPENED = 0.025, 0.04
# of a finger 0 is straight, 0.5 about closed: risen by so much a hand is closing; fallen by such a share of what it
# was, and by so much, it opens
CLOSING, OPENING, LEAST_OPENING = 0.05, 0.5, 0.06
# s in which a lower curl is forgotten, and a higher one, and in which a gesture has to find something to hold
FORGETS, SETTLES, LASTS = 0.15, 0.4, 0.25

__all__ = ['FIST', 'PINCH', 'Gestures', 'curl_of']


def curl_of(layout: Layout, joints: np.ndarray) -> float:
    """Mean curl of middle, ring and little finger, of joints (J,3) m that are there; NaN where none is."""
    knuckles, middles, tips = (joints[layout.bends[1:, k]] for k in range(3))
    along = rot.norm(middles - knuckles) + rot.norm(tips - middles)
    curls = [1.0 - across / way for across, way in zip(rot.norm(tips - knuckles).tolist(), along.tolist(), strict=True)
             if way > 0.0 and math.isfinite(across)]
    return sum(curls) / len(curls) if curls else math.nan


def measured(layout: Layout, joints: np.ndarray) -> tuple[float, float]:
    """Aperture, m between the tips of thumb and index, and curl of joints (J,3) m; NaN where they do not show it."""
    at = layout.names.index
    return float(rot.norm(joints[at('thumb_tip')] - joints[at('index_tip')])), curl_of(layout, joints)


class Fingers:
    """How far the fingers of one hand are closed, from look to look.  aperture: m between the tips of thumb and index;
    curl: see `curl_of`; both NaN until they were seen."""

    def __init__(self) -> None:
        self.aperture = self.curl = self.high = math.nan

    def take(self, aperture: float, curl: float, h: float) -> None:
        """What was seen, NaN of what was not, h s after the last look."""
        if math.isfinite(aperture):
            self.aperture = aperture
        if math.isfinite(curl):
            self.curl = curl
            if math.isnan(self.high):
                self.high = curl
            # a track overshoots where fingers stop; no exponentials: those of a C library have bits of their own
            self.high = max(curl, curl + SETTLES / (SETTLES + h) * (self.high - curl))

    def undone(self, gesture: str) -> float:
        """How far a gesture is undone: from 1 on it is over."""
        if gesture == PINCH:
            return (self.aperture - CLOSED) / (OPENED - CLOSED)
        return (self.high - self.curl) / max(OPENING * self.high, LEAST_OPENING)


class Gestures:
    """Of one hand.  ages: s since each gesture was made, inf of one that was not, or is over."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Nothing has been seen yet."""
        self.pinched: bool | None = None
        self._low = math.nan
        self._tracked, self._sampled = Fingers(), Fingers()
        self._sample, self._in_sample = np.empty(0), (math.nan, math.nan)
        self.ages = {PINCH: math.inf, FIST: math.inf}

    def look(self, layout: Layout, joints: np.ndarray, sample: np.ndarray, h: float) -> None:
        """The joints (J,3) m of a hand as tracked, and as its newest sample has them (kept, not copied), NaN of missing
        ones; h s after the last look."""
        if sample is not self._sample:      # it comes less often than ticks
            self._sample, self._in_sample = sample, measured(layout, sample)
        self._sampled.take(*self._in_sample, h)
        aperture, curl = measured(layout, joints)
        self._tracked.take(aperture, curl, h)
        self.ages = {name: age + h for name, age in self.ages.items()}
        if math.isfinite(aperture):
            before = self.pinched
            self.pinched = aperture < (OPENED if before else CLOSED)
            if self.pinched and before is False:
                self.ages[PINCH] = 0.0
            elif not self.pinched:
                self.ages[PINCH] = math.inf
        if math.isfinite(curl):
            if math.isnan(self._low):
                self._low = curl
            self._low = min(curl, curl + FORGETS / (FORGETS + h) * (self._low - curl))
            if curl - self._low > CLOSING:
                self.ages[FIST] = 0.0

    def hold(self) -> None:
        """What is opened later is measured from now on."""
        for fingers in (self._tracked, self._sampled):
            fingers.high = fingers.curl

    def opening(self, gesture: str) -> float:
        """How far the track has undone a gesture that holds something."""
        return self._tracked.undone(gesture)

    def opened(self, gesture: str) -> bool:
        """Whether a gesture that holds something is over: by the track, and by the newest sample."""
        return self.opening(gesture) >= 1.0 and self._sampled.undone(gesture) >= 1.0

    @property
    def is_closing(self) -> bool:
        """Whether the fingers are closing at present."""
        return self.ages[FIST] == 0.0

    def is_made(self, gesture: str) -> bool:
        """Whether it was made, and a moment ago."""
        return self.ages[gesture] <= LASTS
