# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Hands as bones: from the scene's capsules, or from the joints of a message."""
from __future__ import annotations

import numpy as np

from hakoniwa_rigid.rotations import rotate_rows_xyzw
from hakoniwa_rigid.scene.hands.hand_layouts import layout_of
from hakoniwa_rigid.scene.records import HandBones
from hakoniwa_rigid.static_page.flight import Bones

# bones of a hand that are drawn
MOST_BONES = 64
# m, radius of a bone of which none is told, and the largest that is drawn
UNKNOWN, THICKEST = 0.01, 0.5


def of_scene(hand: HandBones) -> Bones:
    """The capsules of a hand; of one that is a box only, a ball as large as its shortest side."""
    if not len(hand.radii) and hand.box is not None:
        ends = np.tile(hand.box.position, 2).reshape(1, 6)
        return Bones(ends, np.array([0.5 * float(np.min(hand.box.size))]))
    on = hand.enabled.astype(bool)
    ends = np.full((len(on), 6), np.nan)
    axis = rotate_rows_xyzw(hand.orientations_xyzw[on], np.tile((0.0, 0.0, 1.0), (int(on.sum()), 1)))
    reach = 0.5 * hand.lengths[on][:, None] * axis
    ends[on] = np.hstack((hand.positions[on] - reach, hand.positions[on] + reach))
    return Bones(ends[:MOST_BONES], np.nan_to_num(hand.radii, nan=UNKNOWN)[:MOST_BONES])


def of_joints(positions: np.ndarray, radii: np.ndarray, valid: np.ndarray) -> Bones | None:
    """The bones of J joints: positions (J,3) m world, radii (J,) m or none, valid (J,) bool or none.  None where no
    tracker has so many joints."""
    layout = layout_of(len(positions))
    if layout is None:
        return None
    radii = layout.radii if len(radii) != len(positions) else radii
    there = np.isfinite(positions).all(axis=1)
    if len(valid) == len(positions):
        there &= valid
    shown = np.where(there[:, None], positions, np.nan)
    inner, outer = layout.bones.T
    thick = np.nan_to_num(radii, nan=UNKNOWN, posinf=UNKNOWN, neginf=UNKNOWN).clip(0.0, THICKEST)
    return Bones(np.hstack((shown[inner], shown[outer])), 0.5 * (thick[inner] + thick[outer]))
