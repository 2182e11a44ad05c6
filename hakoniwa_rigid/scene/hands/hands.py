# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Tracked hands: stamped joint positions in, moving capsules and boxes out (how the joints move: hand_tracking).

A bone's capsule lies between its two joints with the mean of their radii; its velocities are those of its two ends,
and about its own axis, of which they tell nothing, it turns with the palm.  The palm is a box between wrist and
knuckles that stands for the bones inside it; where it cannot be placed, those bones are there.  Orientations are used
for a single pose with a box only.  The bodies are kinematic, or those of hand_coupling where the hand has a mass.
"""
from __future__ import annotations

import math

import numpy as np

from ... import rotations as rot
from ...codec.message_fields import NANOSECONDS
from ...codec.motion_columns import MOTION, OMEGA, QUAT, VEL
from ...engine import Box, Sphere
from ...engine.maths.matrices import dots
from ..drones.rows import MOST_COORDINATE, UNIT_TOLERANCE
from ..records import HandBones, HandBox, Ledger, Verdict
from ..world_files.world_types import HandConfig, SceneParams
from . import hand_box_kernels, hand_kernels
from .hand_coupling import Coupling
from .hand_layouts import AXIS, HAND_BODIES, LAYOUTS, MOST_BONES, POSED_BOX, Layout, layout_of
from .hand_tracking import Tracking
from .palm_way import PalmWay

# m: radii of joints beyond these are no measurement; the layout's own count instead
RADII = (1e-4, 0.5)
# m: a capsule or box is rebuilt when a size changed by more than this (tracker noise is a millimetre)
RESIZE = 5e-4
# m: the same of what presses on something, which would be let go of for a moment
RESIZE_TOUCHING = 4e-3
# m: a hand this far behind its track goes there faster than its samples show where nothing is in the way
BEHIND = 0.01
# m: how much farther than a hand is behind its track others are looked for, at most, whatever hand_max_speed; in all
FAR, FARTHEST = 10.0, 1e5
BOX, GRIP = MOST_BONES, HAND_BODIES     # place of the box among the bodies, and of what goes along with the palm
HERE = np.zeros((HAND_BODIES, 3))   # m, the parts of a hand that is where its tracker has it
# m: a hand that passes is back in contact where the others are farther than this, one that throws at more: what leaves
# with its own speed would be hit by its noise
FREE, FREE_OF_THROWN = 0.002, 0.03


class Hand:
    """One hand: its tracked joints (J), their radii, and its bodies: capsules (MOST_BONES), then a box."""

    def __init__(self, config: HandConfig, bodies: np.ndarray, params: SceneParams, gravity, ledger: Ledger):
        self.config, self.bodies, self.params, self.ledger = config, bodies, params, ledger
        self.name = config.name
        self.tracking = Tracking(config, params, ledger)
        self.way = PalmWay()                            # while it holds something
        mass = config.effective_mass
        self.coupling = None if math.isinf(mass) else Coupling(mass, params, gravity)
        self.clear()

    def clear(self) -> None:
        """As if no sample had ever come."""
        self.tracking.clear()
        self.radii = np.zeros(1)
        self.shown = np.zeros(HAND_BODIES, dtype=bool)
        self.built = np.full((HAND_BODIES, 3), -1.0)    # radius, length of each body's capsule; sides of the box
        self.there = np.zeros(MOST_BONES, dtype=bool)   # bones with both joints
        self.passes = False                             # through what holds it back
        self.holds = False                              # something, and is out of contact
        self.way.clear()
        self._room = FREE
        # motion (13,) of its box by its tracker at the beginning and the end of the last `move`
        self.palm: np.ndarray | None = None
        self.palm_after: np.ndarray | None = None
        if self.coupling:
            self.coupling.clear()

    def leave(self, world) -> None:
        """Out of the scene, as if no sample had ever come."""
        self._show(world, np.zeros(HAND_BODIES, dtype=bool))
        self.clear()

    def forget(self) -> None:
        """The next sample is a first one."""
        self.tracking.forget()

    def feed(self, stamp_ns: int, positions, orientations, radii, is_valid, now_ns: int | None,
             layout: str | None = None) -> Verdict:
        """Judge and store one sample: positions (J,3) m world, orientations (J,4) xyzw or None, radii (J,) m or None,
        is_valid (J,) or None; layout: the name of theirs, None for that of their number."""
        joints = np.asarray(positions, dtype=float, order='C')
        layout = layout_of(len(joints)) if layout is None and joints.ndim == 2 else LAYOUTS.get(layout)
        if layout is None or joints.shape != (layout.joints, 3):
            counts = ', '.join(map(str, sorted({known.joints for known in LAYOUTS.values()})))
            return self._refuse(Verdict.WRONG_SIZE, f'positions {joints.shape}; known joint counts: {counts}')
        size = (layout.joints,)
        valid = np.ones(size, dtype=bool) if is_valid is None else np.asarray(is_valid, dtype=bool)
        fallback = self._fallback(layout)
        sizes = fallback if radii is None or not np.size(radii) else np.asarray(radii, dtype=float)
        if valid.shape != size or sizes.shape != size:
            sizes_text = f'{len(joints)} joints, {sizes.shape} radii, {valid.shape} is_valid'
            return self._refuse(Verdict.WRONG_SIZE, sizes_text)
        # a joint without a position is a missing joint, whatever its flag says
        with np.errstate(invalid='ignore'):
            valid = valid & (np.abs(joints) <= MOST_COORDINATE).all(axis=1)
        if not valid.any():
            return self._refuse(Verdict.NOT_FINITE if is_valid is None else Verdict.MISSING_JOINTS, 'no valid joint')
        if layout.joints == 1 and isinstance(self.config.shape, Box):
            return self._feed_pose(stamp_ns, joints[0], orientations, now_ns)
        with np.errstate(invalid='ignore'):
            usable = (sizes >= RADII[0]) & (sizes <= RADII[1])
        radii = np.where(usable, sizes, fallback) * self.config.radius_scale
        verdict = self.tracking.feed(stamp_ns, layout, np.where(valid[:, None], joints, np.nan), valid, now_ns)
        if verdict.taken:
            self.radii = radii
            if self.holds:
                self.way.take(self.tracking, radii)
        if verdict.taken and not valid.all():
            missing = f'missing joints {np.flatnonzero(~valid).tolist()}'
            noted = self.ledger.note(Verdict.MISSING_JOINTS, self.name, missing)
            return noted if verdict is Verdict.ACCEPTED else verdict
        return verdict

    def _fallback(self, layout: Layout) -> np.ndarray:
        """Radii (J,) m for joints that have no measured one."""
        shape = self.config.shape
        return np.array([shape.radius]) if layout.joints == 1 and isinstance(shape, Sphere) else layout.radii

    def _feed_pose(self, stamp_ns: int, position: np.ndarray, orientations, now_ns: int | None) -> Verdict:
        """A pose with a box: its axes are tracked as if they were joints."""
        q = np.array([0.0, 0.0, 0.0, 1.0]) if orientations is None else np.asarray(orientations, dtype=float)
        if q.size != 4:
            return self._refuse(Verdict.WRONG_SIZE, f'1 joint, orientations {q.shape}')
        q = q.reshape(4)
        if not np.isfinite(q).all():
            return self._refuse(Verdict.NOT_FINITE, f'orientation {q}')
        if not abs(rot.norm(q) - 1.0) <= UNIT_TOLERANCE:
            return self._refuse(Verdict.NON_UNIT_QUATERNION, f'orientation {q}')
        axes = rot.rotate(rot.normalise(rot.wxyz(q)), AXIS * np.eye(3)[:2])
        verdict = self.tracking.feed(stamp_ns, POSED_BOX, np.vstack([position, position + axes]),
                                     np.ones(3, dtype=bool), now_ns)
        if verdict.taken:
            self.radii = POSED_BOX.radii
        return verdict

    def _refuse(self, verdict: Verdict, value: str) -> Verdict:
        return self.ledger.note(verdict, self.name, value)

    def move(self, world, t0_ns: int, t1_ns: int) -> tuple[np.ndarray, np.ndarray] | None:
        """Move the joints from t0 to t1.  Returns the bodies (K,) that take part and their motions (K,13) at t0."""
        tracked, on = self.tracking, np.zeros(HAND_BODIES, dtype=bool)
        if self.coupling:
            self._follow(world)
        speed = tracked.move(t0_ns, t1_ns, free=False)
        if speed is not None and tracked.behind > BEHIND:
            speed = self._hurry(world, t0_ns, t1_ns, speed)
        self.there[:] = False
        if speed is None:
            self._show(world, on)
            self.palm = self.palm_after = None
            return None
        bones, h, count = tracked.layout.bones, (t1_ns - t0_ns) / NANOSECONDS, len(tracked.layout.bones)
        motions, sizes = np.empty((HAND_BODIES, MOTION)), np.zeros((HAND_BODIES, 3))
        on[BOX] = self._move_box(speed, h, motions[BOX], sizes[BOX])
        spin = motions[BOX, OMEGA:] if on[BOX] else HERE[BOX]
        hand_kernels.move_bones(bones, tracked.valid, tracked.joints, speed, spin, self.radii, h, motions, sizes,
                                self.there[:count])
        on[:count] = self.there[:count]
        self.palm = motions[BOX].copy() if on[BOX] and tracked.layout.palm is not None else None
        if on[BOX] and tracked.layout.palm is not None:
            on[:count] &= ~tracked.layout.palm.inside
        if self.holds:
            on[:] = False
        self.palm_after = None if self.palm is None else _moved(self.palm, h)
        self._resize(world, sizes, on)
        self._show(world, on)
        bodies, motions = self.bodies[on], motions[on]
        if self.passes and len(bodies) and not self._is_through(world, bodies, motions):
            self._show(world, np.zeros(HAND_BODIES, dtype=bool))
            return None
        if self.coupling:
            self.coupling.pre_step(world, bodies, on, self._of_palm(), motions, h)
        return bodies, motions

    def _of_palm(self) -> np.ndarray:
        """Bodies (HAND_BODIES,) bool that move as one: the palm, the bones in it and those that go on from it; all of
        what is no hand."""
        palm, group = self.tracking.layout.palm, np.ones(HAND_BODIES, dtype=bool)
        if palm is not None:
            group[:len(palm.inside)] = palm.inside
            group[palm.beside] = True
        return group

    def _is_through(self, world, bodies: np.ndarray, motions: np.ndarray) -> bool:
        """Whether nothing is in the way of the bodies (K,) at motions (K,13) of a hand that passes."""
        world.set_motions(bodies, motions)
        self.passes = not self._alone(world, self._room)
        if not self.passes:
            self._room = FREE
        return not self.passes

    def take_hold(self, world) -> None:
        """Out of contact from now on."""
        self.holds = True
        self.way.clear()
        self._show(world, np.zeros(HAND_BODIES, dtype=bool))
        if self.coupling:
            self.coupling.clear()

    def let_go(self, thrown: bool) -> None:
        """In contact again as soon as nothing is in its way; what was thrown is given more room."""
        self.holds, self.passes, self._room = False, True, FREE_OF_THROWN if thrown else FREE

    def slots_of(self, *parts: str) -> list[int]:
        """Slots of the bones of these names that the layout has."""
        names = self.tracking.layout.parts
        return [names.index(part) for part in parts if part in names]

    def palm_side(self) -> np.ndarray:
        """Unit normal (3,) of the palm, out of the side to which the fingers bend."""
        bends, joints = self.tracking.layout.bends, self.tracking.joints
        normal = rot.rotate(self.palm[QUAT:VEL], np.array([0.0, 0.0, 1.0]))
        bent = np.nansum(joints[bends[:, 2]] - joints[bends[:, 0]], axis=0)
        return normal if float(dots(bent, normal)) >= 0.0 else -normal

    def _hurry(self, world, t0_ns: int, t1_ns: int, speed: np.ndarray) -> np.ndarray:
        """Speeds (J,3) m/s of a hand that is behind its track: larger ones where nothing is in the way, and at once
        where these are too slow."""
        tracked = self.tracking
        tick = min(self.params.hand_max_speed * (t1_ns - t0_ns) / NANOSECONDS, FAR)
        if not self._alone(world, min(tracked.behind + tick, FARTHEST)):
            return speed
        speed = tracked.move(t0_ns, t1_ns)
        if tracked.behind > BEHIND:
            tracked.catch_up()
            speed = tracked.move(t0_ns, t1_ns)
        return speed

    def _alone(self, world, reach: float) -> bool:
        """Whether nothing is within reach (m) of the hand: on its way over such a distance it touches nothing."""
        distances, _ = world.nearest(self.bodies[self.shown], 2.0 * reach)
        return bool((distances > reach).all())

    def _follow(self, world) -> None:
        """What contacts did to a hand of finite mass; one that begins anew, or passes, is where its tracker has it."""
        if self.tracking.placed.any():
            self.coupling.post_step(world)
            if self.coupling.is_held_back:
                self.passes = True
                self._refuse(Verdict.PASSES, f'held back by more than {self.params.hand_pass_distance:g} m')
        if self.passes or self.holds or not self.tracking.placed.any():
            self.coupling.clear()

    def _move_box(self, speed: np.ndarray, h: float, motion: np.ndarray, size: np.ndarray) -> bool:
        """Motion (13,) and sides (3,) of the box; False where there is none.  Before the joints are moved on."""
        tracked, palm = self.tracking, self.tracking.layout.palm
        if palm is not None:
            return hand_box_kernels.move_palm(palm.outline, palm.spanned, palm.beside, tracked.layout.bones,
                                              tracked.valid, tracked.joints, speed, self.radii, h, motion, size)
        if tracked.layout is not POSED_BOX:
            return False
        size[:] = self.config.shape.size
        return hand_box_kernels.move_pose(tracked.valid, tracked.joints, speed, h, motion)

    def _resize(self, world, sizes: np.ndarray, on: np.ndarray) -> None:
        least = np.full(HAND_BODIES, RESIZE)
        if self.coupling:
            least[self.coupling.touched] = RESIZE_TOUCHING
        changed = on & (np.abs(sizes - self.built).max(axis=1) > least)
        for k in np.flatnonzero(changed):
            if k == BOX:
                world.set_box(int(self.bodies[k]), tuple(sizes[k].tolist()))
            else:
                world.set_capsule(int(self.bodies[k]), float(sizes[k, 0]), float(sizes[k, 1]))
            self.built[k] = sizes[k]

    def _show(self, world, on: np.ndarray) -> None:
        for k in np.flatnonzero(on != self.shown):
            world.set_enabled(int(self.bodies[k]), bool(on[k]))
        self.shown = on

    def bones(self, world) -> HandBones:
        """The hand as it is now."""
        layout, offset = self.tracking.layout, HERE
        if self.coupling:
            self.coupling.post_step(world)
            offset = self.coupling.offset
        rows, there = np.empty((len(layout.bones), 9)), self.there[:len(layout.bones)].copy()
        hand_kernels.show_bones(layout.bones, there, self.tracking.joints, self.radii, offset, rows)
        box = None
        motion = world.motions(self.bodies[BOX:])[0] if self.shown[BOX] else None
        if self.holds or self.passes:
            motion = self.palm_after
        if motion is not None:
            box = HandBox(layout.box, motion[:QUAT], motion[[4, 5, 6, 3]], self.built[BOX].copy())
        return HandBones(self.name, layout.parts, rows[:, :3], rows[:, 3:7], rows[:, 7], rows[:, 8], there, box,
                         self.passes)

    def part(self, slot: int) -> str:
        """Name of the part in a body slot."""
        layout = self.tracking.layout
        return layout.box if slot in (BOX, GRIP) else layout.parts[slot] if slot < len(layout.parts) else ''


def _moved(motion: np.ndarray, h: float) -> np.ndarray:
    """A motion (13,) h s later."""
    after = motion.copy()
    after[:QUAT] += h * motion[VEL:OMEGA]
    after[QUAT:VEL] = rot.multiply(rot.from_vector(h * motion[OMEGA:]), motion[QUAT:VEL])
    return after
