"""Tracked joints: stamped samples in, joint positions and velocities at a tick out.

Every joint is tracked by itself.  Its velocity is the low-passed difference of successive samples over their stamps
(zero as soon as a pose repeats; of samples close together as for drones, by `least_base`).  From tick to tick a joint
moves at that velocity plus what closes its distance to the (boundedly extrapolated) sample within one sample interval,
so that it sweeps and never jumps, and a joint moving evenly has exactly its true velocity.  The speed is clamped: a
joint faster than the clamp lags behind its tracker and catches up, it does not skip what lies between.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import rotations as rot
from . import tracking_kernels
from .hand_layouts import LAYOUTS, Layout
from .records import Ledger, Verdict
from .rows import NS, RESTARTED, SHORT_BASE, least_base
from .stamps import VERDICTS, StampGate
from .world_types import SceneParams

# samples at a new place, near each other, after which a jump was a move
MOVED_SAMPLES = 3


class Base(NamedTuple):
    """Joints (J,3) m that later ones may be differenced against, those that are valid (J,), and their stamp, ns."""

    stamp_ns: int
    joints: np.ndarray
    valid: np.ndarray


class Tracking:
    """The newest sample of one hand (J joints), and its joints moved from tick to tick.

    layout: that of the newest sample; joints (J,3) m world: where the tracked joints are, NaN where missing; valid
    (J,) bool: joints that the newest sample has.
    """

    def __init__(self, name: str, params: SceneParams, ledger: Ledger):
        self.name, self.params, self.ledger = name, params, ledger
        self.clear()

    def clear(self) -> None:
        """As if no sample had ever come."""
        self.gate = StampGate(1, self.params)
        self.layout: Layout = LAYOUTS[1]
        self.interval = 0.0
        self.strays, self.stray = 0, np.zeros((0, 3))
        self._start(LAYOUTS[1], np.full((1, 3), np.nan), np.zeros(1, dtype=bool), 0)

    def _start(self, layout: Layout, joints: np.ndarray, valid: np.ndarray, stamp_ns: int) -> None:
        """Begin at a sample, at rest."""
        self.older = self.newer = Base(stamp_ns, joints, valid)
        self.layout, self.sample, self.valid = layout, joints.copy(), valid.copy()
        self.velocity = np.zeros_like(joints)
        self.moving = np.zeros(len(joints), dtype=bool)     # has a velocity
        self.joints = joints.copy()                         # where the tracked joints are
        self.placed = np.zeros(len(joints), dtype=bool)     # takes part; others are put on their sample first

    def feed(self, stamp_ns: int, layout: Layout, joints: np.ndarray, valid: np.ndarray, now_ns: int | None) -> Verdict:
        """Judge and store one sample: joints (J,3) m world of a layout, NaN where not valid (J,) bool."""
        fresh, last = not self.gate.known[0], int(self.gate.newest[0])
        code = self.gate.judge(0, stamp_ns, now_ns)
        if code > RESTARTED:
            return self.ledger.note(VERDICTS[code], self.name, f'stamp {stamp_ns} ns')
        interval = (stamp_ns - last) / NS
        if fresh or code == RESTARTED or layout is not self.layout or interval > self.params.hand_timeout:
            self._start(layout, joints, valid, stamp_ns)
            self.interval, self.strays = 0.0, 0
            return self.ledger.note(VERDICTS[code], self.name, f'stamp {stamp_ns} ns')
        if self._jumped(joints, self.sample + self.velocity * interval, valid & self.valid):
            return self._stray(joints, valid, stamp_ns)
        self.strays = 0
        self._advance_sample(joints, valid, stamp_ns, interval)
        return Verdict.ACCEPTED

    def _jumped(self, joints, expected, both) -> bool:
        with np.errstate(invalid='ignore'):
            return bool((rot.norm(joints - expected)[both] > self.params.hand_teleport_bound).any())

    def _stray(self, joints, valid, stamp_ns: int) -> Verdict:
        """A jump: refused, until the hand stays where it jumped to."""
        near = self.strays > 0 and not self._jumped(joints, self.stray, valid & np.isfinite(self.stray).all(axis=1))
        self.strays = self.strays + 1 if near else 1
        self.stray = joints
        if self.strays < MOVED_SAMPLES:
            bound = f'joint jump beyond {self.params.hand_teleport_bound:g} m'
            return self.ledger.note(Verdict.JUMPED, self.name, bound)
        self._start(self.layout, joints, valid, stamp_ns)
        self.interval, self.strays = 0.0, 0
        return self.ledger.note(Verdict.TELEPORT, self.name, f'moved to {joints[np.flatnonzero(valid)[0]]}')

    def _advance_sample(self, joints, valid, stamp_ns: int, interval: float) -> None:
        if stamp_ns - self.newer.stamp_ns >= least_base(self.newer.stamp_ns - self.older.stamp_ns):
            self.older, self.newer = self.newer, Base(stamp_ns, joints, valid)
        span = stamp_ns - self.older.stamp_ns
        both = valid & self.valid & self.older.valid
        moved = both & ~(joints == self.sample).all(axis=1)
        known = span >= SHORT_BASE
        raw = np.where(moved[:, None], (joints - self.older.joints) / (span / NS) if known else self.velocity, 0.0)
        alpha = -np.expm1(-interval / self.params.hand_smoothing)
        smooth = np.where((self.moving & moved)[:, None], self.velocity + alpha * (raw - self.velocity), raw)
        self.velocity = np.where(both[:, None], smooth, 0.0)
        self.moving = moved & (self.moving | known)
        self.sample, self.valid, self.interval = joints, valid, span / NS
        self.placed &= valid

    def move(self, t0_ns: int, t1_ns: int) -> np.ndarray | None:
        """Speeds (J,3) m/s of the joints from t0 to t1, NaN of missing ones; None where the hand is not tracked at t0.
        Joints new to the scene are put on their sample; moving the joints on is the caller's."""
        h, age = (t1_ns - t0_ns) / NS, (t0_ns - int(self.gate.newest[0])) / NS
        if not self.gate.known[0] or abs(age) > self.params.hand_timeout:
            self.placed[:] = False
            return None
        most, speed = self.params.hand_max_extrapolation, np.empty_like(self.joints)
        tracking_kernels.move_joints(self.sample, self.velocity, self.valid, self.placed, self.joints, speed,
                                     float(min(max(age, -most), most)), abs(age) <= most, max(h, self.interval),
                                     float(self.params.hand_max_speed))
        return speed
