"""Tracked hands: stamped joint positions in, moving kinematic capsules out.

Every joint is tracked by itself.  Its velocity is the low-passed difference of successive samples over their stamps
(zero as soon as a pose repeats; of samples close together as for drones, by `least_base`).  From tick to tick a joint
moves at that velocity plus what closes its distance to the (boundedly extrapolated) sample within one sample interval,
so that it sweeps and never jumps, and a joint moving evenly has exactly its true velocity.  The speed is clamped: a
joint faster than the clamp lags behind its tracker and catches up, it does not skip what lies between.

A bone's capsule lies between its two joints with the mean of their radii; its velocities are those of its two ends
(twist about its own axis is not tracked: it would only matter to friction).  Joint orientations are not used.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from . import hand_kernels
from . import rotations as rot
from .hand_layouts import LAYOUTS, MOST_BONES, Layout
from .records import HandBones, Ledger, Verdict
from .rows import LIMITS, MOTION, NS, RESTARTED, SHORT_BASE, least_base
from .stamps import VERDICTS, StampGate
from .world_types import HandConfig, SceneParams

# m: radii of joints beyond these are no measurement; the layout's own count instead
RADII = (1e-4, 0.5)
# m: a capsule is rebuilt when its length or radius changed by more than this (tracker noise is a millimetre)
RESIZE = 5e-4
# samples at a new place, near each other, after which a jump was a move
MOVED_SAMPLES = 3


class Base(NamedTuple):
    """Joints (J,3) m that later ones may be differenced against, those that are valid (J,), and their stamp, ns."""

    stamp_ns: int
    joints: np.ndarray
    valid: np.ndarray


class Hand:
    """One hand: the newest sample (J joints), the tracked joints, and the bodies of its bones."""

    def __init__(self, config: HandConfig, bodies: np.ndarray, params: SceneParams, ledger: Ledger):
        self.config, self.bodies, self.params, self.ledger = config, bodies, params, ledger
        self.name = config.name
        self.clear()

    def clear(self) -> None:
        """As if no sample had ever come."""
        self.gate = StampGate(1, self.params)
        self.layout: Layout = LAYOUTS[1]
        self.shown = np.zeros(MOST_BONES, dtype=bool)
        self.built = np.full((MOST_BONES, 2), -1.0)     # radius, length of each body's capsule
        self.interval = 0.0
        self.strays, self.stray = 0, np.zeros((0, 3))
        self._start(LAYOUTS[1], np.full((1, 3), np.nan), np.zeros(1, dtype=bool), np.zeros(1), 0)

    def _start(self, layout: Layout, joints: np.ndarray, valid: np.ndarray, radii: np.ndarray, stamp_ns: int) -> None:
        """Begin at a sample, at rest."""
        self.older = self.newer = Base(stamp_ns, joints, valid)
        self.layout, self.sample, self.valid, self.radii = layout, joints.copy(), valid.copy(), radii
        self.velocity = np.zeros_like(joints)
        self.moving = np.zeros(len(joints), dtype=bool)     # has a velocity
        self.joints = joints.copy()                         # where the tracked joints are
        self.placed = np.zeros(len(joints), dtype=bool)     # takes part; others are put on their sample first

    def feed(self, stamp_ns: int, positions, radii, is_valid, now_ns: int | None) -> Verdict:
        """Judge and store one sample: positions (J,3) m world, radii (J,) m or None, is_valid (J,) or None."""
        joints = np.asarray(positions, dtype=float, order='C')
        layout = LAYOUTS.get(len(joints)) if joints.ndim == 2 and joints.shape[1] == 3 else None
        if layout is None:
            return self._refuse(Verdict.WRONG_SIZE, f'positions {joints.shape}; known joint counts: 1, 21, 25, 26')
        size = (layout.joints,)
        valid = np.ones(size, dtype=bool) if is_valid is None else np.asarray(is_valid, dtype=bool)
        sizes = layout.radii if radii is None or not len(radii) else np.asarray(radii, dtype=float)
        if valid.shape != size or sizes.shape != size:
            sizes_text = f'{len(joints)} joints, {sizes.shape} radii, {valid.shape} is_valid'
            return self._refuse(Verdict.WRONG_SIZE, sizes_text)
        # a joint without a position is a missing joint, whatever its flag says
        with np.errstate(invalid='ignore'):
            valid = valid & (np.abs(joints) <= LIMITS[0]).all(axis=1)
        if not valid.any():
            return self._refuse(Verdict.NOT_FINITE if is_valid is None else Verdict.MISSING_JOINTS, 'no valid joint')
        with np.errstate(invalid='ignore'):
            usable = (sizes >= RADII[0]) & (sizes <= RADII[1])
        radii = np.where(usable, sizes, layout.radii) * self.config.radius_scale
        verdict = self._take(stamp_ns, layout, np.where(valid[:, None], joints, np.nan), valid, radii, now_ns)
        if verdict.taken and not valid.all():
            missing = f'missing joints {np.flatnonzero(~valid).tolist()}'
            noted = self.ledger.note(Verdict.MISSING_JOINTS, self.name, missing)
            return noted if verdict is Verdict.ACCEPTED else verdict
        return verdict

    def _refuse(self, verdict: Verdict, value: str) -> Verdict:
        return self.ledger.note(verdict, self.name, value)

    def _take(self, stamp_ns, layout: Layout, joints, valid, radii, now_ns) -> Verdict:
        fresh, last = not self.gate.known[0], int(self.gate.newest[0])
        code = self.gate.judge(0, stamp_ns, now_ns)
        if code > RESTARTED:
            return self._refuse(VERDICTS[code], f'stamp {stamp_ns} ns')
        interval = (stamp_ns - last) / NS
        if fresh or code == RESTARTED or layout is not self.layout or interval > self.params.hand_timeout:
            self._start(layout, joints, valid, radii, stamp_ns)
            self.interval, self.strays = 0.0, 0
            return self.ledger.note(VERDICTS[code], self.name, f'stamp {stamp_ns} ns')
        if self._jumped(joints, self.sample + self.velocity * interval, valid & self.valid):
            return self._stray(joints, valid, radii, stamp_ns)
        self.strays = 0
        self._advance_sample(joints, valid, stamp_ns, interval)
        self.radii = radii
        return Verdict.ACCEPTED

    def _jumped(self, joints, expected, both) -> bool:
        with np.errstate(invalid='ignore'):
            return bool((rot.norm(joints - expected)[both] > self.params.hand_teleport_bound).any())

    def _stray(self, joints, valid, radii, stamp_ns: int) -> Verdict:
        """A jump: refused, until the hand stays where it jumped to."""
        near = self.strays > 0 and not self._jumped(joints, self.stray, valid & np.isfinite(self.stray).all(axis=1))
        self.strays = self.strays + 1 if near else 1
        self.stray = joints
        if self.strays < MOVED_SAMPLES:
            return self._refuse(Verdict.JUMPED, f'joint jump beyond {self.params.hand_teleport_bound:g} m')
        self._start(self.layout, joints, valid, radii, stamp_ns)
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

    def move(self, world, t0_ns: int, t1_ns: int) -> tuple[np.ndarray, np.ndarray] | None:
        """Move the joints from t0 to t1.  Returns the bodies (K,) of the bones and their motions (K,13) at t0."""
        h, age = (t1_ns - t0_ns) / NS, (t0_ns - int(self.gate.newest[0])) / NS
        bones, most = self.layout.bones, self.params.hand_max_extrapolation
        on = np.zeros(len(bones), dtype=bool)
        if not self.gate.known[0] or abs(age) > self.params.hand_timeout:
            self.placed[:] = False
            self._show(world, on)
            return None
        speed, motions, sizes = np.empty_like(self.joints), np.empty((len(bones), MOTION)), np.empty((len(bones), 2))
        hand_kernels.move_joints(self.sample, self.velocity, self.valid, self.placed, self.joints, speed,
                                 float(min(max(age, -most), most)), abs(age) <= most, max(h, self.interval),
                                 float(self.params.hand_max_speed))
        hand_kernels.move_bones(bones, self.valid, self.joints, speed, self.radii, h, motions, sizes, on)
        self._resize(world, sizes, on)
        self._show(world, on)
        return self.bodies[:len(bones)][on], motions[on]

    def _resize(self, world, sizes: np.ndarray, on: np.ndarray) -> None:
        changed = on & (np.abs(sizes - self.built[:len(sizes)]) > RESIZE).any(axis=1)
        for k in np.flatnonzero(changed):
            world.set_capsule(int(self.bodies[k]), float(sizes[k, 0]), float(sizes[k, 1]))
            self.built[k] = sizes[k]

    def _show(self, world, on: np.ndarray) -> None:
        wanted = np.zeros(MOST_BONES, dtype=bool)
        wanted[:len(on)] = on
        for k in np.flatnonzero(wanted != self.shown):
            world.set_enabled(int(self.bodies[k]), bool(wanted[k]))
        self.shown = wanted

    def bones(self, world) -> HandBones:
        """The capsules as they are in the engine."""
        count = len(self.layout.bones)
        rows = self.bodies[:count]
        return HandBones(self.name, self.layout.parts, world.pos[rows].copy(), rot.xyzw(world.quat[rows]),
                         self.built[:count, 0].copy(), self.built[:count, 1].copy(), self.shown[:count].copy())

    def part(self, slot: int) -> str:
        """Name of the bone in a body slot."""
        return self.layout.parts[slot] if slot < len(self.layout.parts) else ''


def make_hands(configs: Sequence[HandConfig], bodies: dict[str, np.ndarray], params: SceneParams,
               ledger: Ledger) -> dict[str, Hand]:
    """The hands of a world by name."""
    return {c.name: Hand(c, bodies[c.name], params, ledger) for c in configs}
