"""Tracked hands: stamped joint positions in, moving kinematic capsules out (how the joints move: hand_tracking).

A bone's capsule lies between its two joints with the mean of their radii; its velocities are those of its two ends
(twist about its own axis is not tracked: it would only matter to friction).  Joint orientations are not used.
"""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import hand_kernels
from . import rotations as rot
from .hand_layouts import LAYOUTS, MOST_BONES
from .hand_tracking import Tracking
from .records import HandBones, Ledger, Verdict
from .rows import LIMITS, MOTION, NS
from .world_types import HandConfig, SceneParams

# m: radii of joints beyond these are no measurement; the layout's own count instead
RADII = (1e-4, 0.5)
# m: a capsule is rebuilt when its length or radius changed by more than this (tracker noise is a millimetre)
RESIZE = 5e-4


class Hand:
    """One hand: its tracked joints (J), their radii, and the bodies of its bones."""

    def __init__(self, config: HandConfig, bodies: np.ndarray, params: SceneParams, ledger: Ledger):
        self.config, self.bodies, self.params, self.ledger = config, bodies, params, ledger
        self.name = config.name
        self.tracking = Tracking(config, params, ledger)
        self.clear()

    def clear(self) -> None:
        """As if no sample had ever come."""
        self.tracking.clear()
        self.radii = np.zeros(1)
        self.shown = np.zeros(MOST_BONES, dtype=bool)
        self.built = np.full((MOST_BONES, 2), -1.0)     # radius, length of each body's capsule

    def forget(self) -> None:
        """The next sample is a first one."""
        self.tracking.forget()

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
        verdict = self.tracking.feed(stamp_ns, layout, np.where(valid[:, None], joints, np.nan), valid, now_ns)
        if verdict.taken:
            self.radii = radii
        if verdict.taken and not valid.all():
            missing = f'missing joints {np.flatnonzero(~valid).tolist()}'
            noted = self.ledger.note(Verdict.MISSING_JOINTS, self.name, missing)
            return noted if verdict is Verdict.ACCEPTED else verdict
        return verdict

    def _refuse(self, verdict: Verdict, value: str) -> Verdict:
        return self.ledger.note(verdict, self.name, value)

    def move(self, world, t0_ns: int, t1_ns: int) -> tuple[np.ndarray, np.ndarray] | None:
        """Move the joints from t0 to t1.  Returns the bodies (K,) of the bones and their motions (K,13) at t0."""
        tracked, bones = self.tracking, self.tracking.layout.bones
        on, speed = np.zeros(len(bones), dtype=bool), tracked.move(t0_ns, t1_ns)
        if speed is None:
            self._show(world, on)
            return None
        motions, sizes = np.empty((len(bones), MOTION)), np.empty((len(bones), 2))
        hand_kernels.move_bones(bones, tracked.valid, tracked.joints, speed, self.radii, (t1_ns - t0_ns) / NS, motions,
                                sizes, on)
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
        layout = self.tracking.layout
        count = len(layout.bones)
        rows = self.bodies[:count]
        return HandBones(self.name, layout.parts, world.pos[rows].copy(), rot.xyzw(world.quat[rows]),
                         self.built[:count, 0].copy(), self.built[:count, 1].copy(), self.shown[:count].copy())

    def part(self, slot: int) -> str:
        """Name of the bone in a body slot."""
        parts = self.tracking.layout.parts
        return parts[slot] if slot < len(parts) else ''


def make_hands(configs: Sequence[HandConfig], bodies: dict[str, np.ndarray], params: SceneParams,
               ledger: Ledger) -> dict[str, Hand]:
    """The hands of a world by name."""
    return {c.name: Hand(c, bodies[c.name], params, ledger) for c in configs}
