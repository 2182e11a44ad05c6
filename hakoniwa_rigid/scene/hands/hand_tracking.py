# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Tracked joints: stamped samples in, joint positions and velocities at a tick out.

**Filter.**  Every joint has a position, a velocity and an acceleration, corrected by what a sample says beyond its
prediction.  This innovation is split over the hand: the rigid motion that comes closest to it (three of shift, three of
turning: the noise of single joints averages out) and the rest of each joint's motion (fingers).  Both modes have a gain
of their own, from a Kalman filter whose process noise is not known: four strengths of the hand's acceleration, from
rest to the stroke of a fist, are weighed by likelihood at every sample (Ackerson and Fu 1970; departure: estimates are
merged after every sample, one for all joints, and the strengths are four fixed numbers).  Two models run beside each
other and are mixed by evidence: even motion, and an acceleration that fades (Singer 1970).  So a still hand is smoothed
over seconds and a stroke is followed within a sample or two, and even motion is followed without lag.  The tracker's
noise is learnt from third differences of its samples.  docs/hand_tracking.md: measurements, what else was tried.

**Sweep.**  From tick to tick a joint moves at its velocity plus what closes its distance to the (boundedly
extrapolated) track, so that it sweeps and never jumps: what is within the track's own uncertainty slowly, the rest
within one sample interval.

**Clamp.**  Velocities of impulses are those of the sweep, both clamped: near other bodies a joint faster than the
clamp lags behind its tracker and catches up.  It cannot be otherwise: a drone hit at the clamped speed leaves slower
than such a hand goes on, which would pass through it.  Where nothing is within what it lags behind (`behind`), the hand
is put on its track.

**What is refused.**  A hand that jumps beyond the bound, faster than hands accelerate, or onto its back stays where it
was until the next samples show that it went on moving (then all are taken, and swept) or stands elsewhere (then it is
put there, at rest); a shape of the other handedness is never taken.  A single joint that jumps is left out.

A pose that repeats to the bit is no news: the hand stands at once, unless its tracker has sent the last two poses as
often, as one does that is asked more often than it looks.  After RESENT it has been at rest; before that the next new
pose counts from the first of the equal ones, else such a tracker would move at double speed.
"""
from __future__ import annotations

import numpy as np

from ... import rotations as rot
from ...codec.message_fields import NANOSECONDS
from ...engine.maths.matrices import dots, length
from ..drones.rows import RESTARTED
from ..drones.stamps import VERDICTS, StampGate
from ..records import Ledger, Verdict
from ..world_files.world_types import HandConfig, SceneParams
from . import handedness, tracking_kernels
from .hand_layouts import LAYOUTS, Layout
from .handedness import UNKNOWN, WORDS
from .tracking_kernels import Track

# samples at a new place, near each other, after which a jump was a move
MOVED_SAMPLES = 3
# m/s^2 and m: a hand does not get faster than this from sample to sample, noise aside; fists reach some 100 m/s^2.
# Smaller, and strokes come a sample late; larger, and a hand 0.2 m away is taken for this one.
SUDDEN, SUDDEN_ROOM = 150.0, 0.03
# s: longer between samples, a hand may have turned onto its back
TURNING_TIME = 0.05
# s: poses equal for longer are rest, for less a tracker that repeats itself
RESENT = 0.07


class Tracking:
    """The track of one hand (J joints), and its joints moved from tick to tick.

    layout: that of the newest sample; joints (J,3) m world: where the tracked joints are, NaN where missing; valid
    (J,) bool: joints that the newest sample has.
    """

    def __init__(self, config: HandConfig, params: SceneParams, ledger: Ledger):
        self.name, self.params, self.ledger = config.name, params, ledger
        self.expected = handedness.expected(config)
        self.clear()

    def clear(self) -> None:
        """As if no sample had ever come."""
        self.gate = StampGate(1, self.params)
        self.side = UNKNOWN                 # as seen since the hand came in
        self.stamp_ns: int | None = None    # of the newest sample taken
        self._start(LAYOUTS['sphere'], np.full((1, 3), np.nan), np.zeros(1, dtype=bool), 0)
        self.stamp_ns = None

    def forget(self) -> None:
        """The next sample is a first one."""
        self.gate.forget()
        self.stamp_ns = None

    def _start(self, layout: Layout, joints: np.ndarray, valid: np.ndarray, stamp_ns: int) -> None:
        """Begin at a sample, at rest."""
        j = layout.joints
        self.track = tuple(Track(np.empty((2, j, 9)), np.empty(j, dtype=bool), np.empty((2, 2, 6)), np.empty((2, 2, 4)),
                                 np.empty(2), np.empty(2), np.empty(1, dtype=np.int64), np.empty((4, j, 3)),
                                 np.empty(4, dtype=np.int64), np.empty(j)))
        tracking_kernels.begin(self.track, joints, valid, stamp_ns, float(self.params.hand_noise))
        self.layout, self.sample, self.valid = layout, joints, valid
        self.stamp_ns = self.news_ns = stamp_ns     # of the newest sample, and of the newest that moved
        self.interval, self.alone, self.still = 0.0, True, False
        self.repeats, self.earlier, self.resent = 0, 0, 0   # of this pose, of the one before, and to be expected
        self.strays, self.stray, self.stray_cause = 0, joints, Verdict.JUMPED
        self.joints = joints.copy()                 # where the tracked joints are
        self.placed = np.zeros(j, dtype=bool)       # takes part; others are put on their track first
        self.behind = 0.0                           # m, of joints that the clamp, or what samples show, holds up

    def feed(self, stamp_ns: int, layout: Layout, joints: np.ndarray, valid: np.ndarray, now_ns: int | None) -> Verdict:
        """Judge and store one sample: joints (J,3) m world of a layout, NaN where not valid (J,) bool."""
        code = self.gate.judge(0, stamp_ns, now_ns)
        if code > RESTARTED:
            return self._note(VERDICTS[code], f'stamp {stamp_ns} ns')
        side = int(handedness.side_of(joints, valid, layout.bends))
        if self.expected and side == -self.expected:
            cause = Verdict.SWAPPED if self.side == self.expected else Verdict.MIRRORED
            return self._note(cause, f'the joints are those of a {WORDS[side]} hand')
        # a restart may have been refused: then its successors are older than what was taken
        fresh = self.stamp_ns is None or layout is not self.layout or stamp_ns <= self.stamp_ns
        if fresh or (stamp_ns - self.stamp_ns) / NANOSECONDS > self.params.hand_timeout:
            self._start(layout, joints, valid, stamp_ns)
            self.side = side
            return self._note(VERDICTS[code], f'stamp {stamp_ns} ns')
        return self._go_on(stamp_ns, joints, valid, side)

    def _note(self, verdict: Verdict, value: str) -> Verdict:
        return self.ledger.note(verdict, self.name, value)

    def _go_on(self, stamp_ns: int, joints, valid, side: int) -> Verdict:
        """A sample of a hand that is being tracked."""
        both = valid & self.valid
        if self._same(joints, valid):
            self.repeats += 1
            self.still = self.repeats > self.resent or stamp_ns - self.news_ns > RESENT * NANOSECONDS
            self.stamp_ns, self.alone, self.strays = stamp_ns, False, 0
            return Verdict.ACCEPTED
        if stamp_ns - self.news_ns > RESENT * NANOSECONDS and self.still:
            tracking_kernels.rest(self.track)
            self.news_ns = self.stamp_ns
        interval = (stamp_ns - self.news_ns) / NANOSECONDS
        expected = np.empty_like(joints)
        tracking_kernels.predict(self.track, interval, expected)
        far = both & self._beyond(joints, expected)
        cause = self._doubt(stamp_ns, joints, both, far, expected, side)
        if cause is not None:
            return self._stray(cause, joints, valid, stamp_ns, side)
        if far.any():
            valid = valid & ~far
            joints = np.where(valid[:, None], joints, np.nan)
        self._take(joints, valid, stamp_ns)
        self.side = side or self.side
        if not far.any():
            return Verdict.ACCEPTED
        return self._note(Verdict.MISSING_JOINTS, f'joints {np.flatnonzero(far).tolist()} jumped')

    def _same(self, joints, valid) -> bool:
        return bool((valid == self.valid).all() and (joints[valid] == self.sample[valid]).all())

    def _beyond(self, joints, expected) -> np.ndarray:
        """Joints (J,) beyond the bound from where they are expected."""
        with np.errstate(invalid='ignore'):
            return rot.norm(joints - expected) > self.params.hand_teleport_bound

    def _doubt(self, stamp_ns: int, joints, both, far, expected, side: int) -> Verdict | None:
        """Why this cannot be the hand as it moves on; None where it can."""
        if side and side == -self.side:
            return Verdict.SWAPPED
        count, interval = int(both.sum()), (stamp_ns - self.stamp_ns) / NANOSECONDS
        if count and 2 * int(far.sum()) > count:
            return Verdict.JUMPED
        # what was refused last stays so, however much time there has been by now
        if self.strays and np.nansum((joints - self.stray)[both] ** 2) < ((joints - expected)[both] ** 2).sum():
            return self.stray_cause
        if interval < TURNING_TIME and handedness.flipped(expected, joints, both, self.layout.bends):
            return Verdict.SWAPPED
        both = both & ~far
        # the first two samples have no speed to be compared with
        if not both.any() or self.alone:
            return None
        reach = length((expected - self.sample)[both].mean(axis=0)) + SUDDEN * (interval * interval) + SUDDEN_ROOM
        return Verdict.JUMPED if length((joints - self.sample)[both].mean(axis=0)) > reach else None

    def _stray(self, cause: Verdict, joints, valid, stamp_ns: int, side: int) -> Verdict:
        """A jump: refused, until the hand goes on from there, or stays there."""
        before, self.stray = self.stray, joints
        seen = valid & np.isfinite(before).all(axis=1)
        if self.strays and seen.any():
            first = np.nanmean(before - self.sample, axis=0)
            onward = (joints - before)[seen].mean(axis=0)
            size, bound = float(dots(first, first)), self.params.hand_teleport_bound
            if cause is Verdict.JUMPED and size < bound * bound and dots(onward, first) > 0.5 * size:
                return self._believe(before, joints, valid, stamp_ns)
        near = self.strays > 0 and seen.any() and not self._beyond(joints, before)[seen].any()
        self.strays, self.stray_ns, self.stray_cause = self.strays + 1 if near else 1, stamp_ns, cause
        if self.strays < MOVED_SAMPLES:
            return self._note(cause, f'{np.nanmean(joints, axis=0)} after {np.nanmean(self.sample, axis=0)} m')
        self._start(self.layout, joints, valid, stamp_ns)
        self.side = side
        return self._note(Verdict.TELEPORT, f'moved to {joints[np.flatnonzero(valid)[0]]}')

    def _believe(self, before, joints, valid, stamp_ns: int) -> Verdict:
        """The stray was a sudden start, since the hand goes on: take both samples, in order."""
        self._take(before, np.isfinite(before).all(axis=1), self.stray_ns)
        self._take(joints, valid, stamp_ns)
        return Verdict.ACCEPTED

    def _take(self, joints, valid, stamp_ns: int) -> None:
        self.interval = (stamp_ns - self.news_ns) / NANOSECONDS
        tracking_kernels.absorb(self.track, joints, valid, stamp_ns, self.interval, float(self.params.hand_max_speed))
        self.sample, self.valid = joints, valid
        self.stamp_ns = self.news_ns = stamp_ns
        self.alone, self.still, self.strays = False, False, 0
        self.resent, self.earlier, self.repeats = min(self.repeats, self.earlier), self.repeats, 0
        self.placed &= valid

    def on_track(self) -> np.ndarray:
        """Joints (J,3) m as the track has them at the newest sample that moved, NaN of those it does not know."""
        joints = np.empty_like(self.joints)
        tracking_kernels.predict(self.track, 0.0, joints)
        return joints

    def catch_up(self) -> None:
        """The next `move` puts the joints on their track."""
        self.placed[:] = False

    def move(self, t0_ns: int, t1_ns: int, *, free: bool = True) -> np.ndarray | None:
        """Speeds (J,3) m/s of the joints from t0 to t1, NaN of missing ones; None where the hand is not tracked at t0.
        free: nothing is in the way, so that what is behind catches up at any speed; else at those that samples show.
        Joints new to the scene are put on their track; moving the joints on is the caller's."""
        if self.stamp_ns is None or abs(t0_ns - self.stamp_ns) / NANOSECONDS > self.params.hand_timeout:
            self.placed[:] = False
            return None
        h, age = (t1_ns - t0_ns) / NANOSECONDS, (t0_ns - self.news_ns) / NANOSECONDS
        most = self.params.hand_max_extrapolation
        speed, moving = np.empty_like(self.joints), abs(age) <= most
        self.behind = tracking_kernels.move_joints(
            self.track, self.placed, self.joints, speed, float(min(max(age, -most), most)), moving, self.still,
            0.0 if moving and not self.still else abs(age), h, self.interval, float(self.params.hand_max_speed), free)
        return speed
