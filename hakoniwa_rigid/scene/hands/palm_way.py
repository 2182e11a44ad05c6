# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""How the palm of a hand that holds something has gone: what it throws leaves with the velocity of the palm before the
fingers began to open.

It is measured over places of the track at the stamps of samples.  Samples that come late, several at once, as from a
busy page or over a radio link, tell of the same motion as those in time; the hand as it is shown from tick to tick
waits for them, and then leaps.
"""
from __future__ import annotations

from collections import deque

import numpy as np

from ... import rotations as rot
from ...codec.message_fields import NANOSECONDS
from ...codec.motion_columns import MOTION, QUAT, VEL
from . import hand_box_kernels
from .gestures import LASTS, Fingers, measured
from .hand_tracking import Tracking

# samples that are kept: 1 s of a quick tracker's
MOST = 256
# s before the opening over which the motion is measured, and those just before it in which a track takes fingers that
# open for a hand that turns
THROWN, UNSURE = 0.1, 0.06
# of the way to the end of a gesture: from here on it is being opened
BEGUN = 0.25

__all__ = ['PalmWay']


class PalmWay:
    """Of one hand, at most MOST samples: stamps, ns, poses (7,) of the palm, m and wxyz, aperture and curl."""

    def __init__(self) -> None:
        self._kept: deque[tuple[int, np.ndarray, tuple[float, float]]] = deque(maxlen=MOST)

    def clear(self) -> None:
        """Nothing has been seen yet."""
        self._kept.clear()

    def take(self, tracking: Tracking, radii: np.ndarray) -> None:
        """The newest sample of a hand, of joints with radii (J,) m; one that is a repetition is no news."""
        stamp = tracking.stamp_ns if tracking.still else tracking.news_ns
        palm = tracking.layout.palm
        before = self._kept[-1][0] if self._kept else stamp - 1
        if stamp < before:      # its clock was set back
            self.clear()
        if palm is None or stamp == before:
            return
        joints, motion = tracking.on_track(), np.empty(MOTION)
        if hand_box_kernels.move_palm(palm.outline, palm.spanned, palm.beside, tracking.layout.bones, tracking.valid,
                                      joints, np.zeros_like(joints), radii, 0.0, motion, np.empty(3)):
            self._kept.append((stamp, motion[:VEL], measured(tracking.layout, tracking.sample)))

    def before_opening(self, gesture: str) -> tuple[int, np.ndarray, np.ndarray] | None:
        """Mean velocity (3,) m/s and rate (3,) rad/s before a gesture was undone, by least squares, and the mean time
        of what they come from, ns; None of a hand of which fewer than two samples are known."""
        kept = self._closed(gesture)
        if len(kept) < 2:
            return None
        end = kept[-1][0]
        ages = [(stamp - end) / NANOSECONDS for stamp, _, _ in kept]
        sure = [k for k, age in enumerate(ages) if -THROWN - UNSURE <= age <= -UNSURE]
        if len(sure) <= 2:
            sure = [k for k, age in enumerate(ages) if age >= -THROWN - UNSURE]
        if len(sure) < 2:
            sure = [len(kept) - 2, len(kept) - 1]
        mean = sum(ages[k] for k in sure) / len(sure)
        poses = [kept[k][1] for k in sure]
        middle = rot.conjugate(poses[len(poses) // 2][QUAT:])
        # in order, not by a library whose sums depend on the processor
        speed, rate, squares = np.zeros(3), np.zeros(3), 0.0
        for k, pose in zip(sure, poses, strict=True):
            off = ages[k] - mean
            speed = speed + off * pose[:QUAT]
            rate = rate + off * rot.to_vector(rot.multiply(pose[QUAT:], middle))
            squares += off * off
        return end + round(mean * NANOSECONDS), speed / squares, rate / squares

    def _closed(self, gesture: str) -> list[tuple[int, np.ndarray, tuple[float, float]]]:
        """What was seen before the opening of a gesture that is over; of one that took long, until it was over."""
        kept, fingers, undone = list(self._kept), Fingers(), []
        for k, (stamp, _, (aperture, curl)) in enumerate(kept):
            fingers.take(aperture, curl, (stamp - kept[k - 1][0]) / NANOSECONDS if k else 0.0)
            undone.append(fingers.undone(gesture))
        over = len(kept)
        while over > 0 and undone[over - 1] >= 1.0:
            over -= 1
        begun = over
        while begun > 0 and undone[begun - 1] > BEGUN:
            begun -= 1
        lasts = begun > 0 and (kept[min(over, len(kept) - 1)][0] - kept[begun - 1][0]) / NANOSECONDS > LASTS
        return kept[:over if lasts else begun]
