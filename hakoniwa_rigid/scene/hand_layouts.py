"""Which joints a tracked hand has and which pairs of them are bones: WebXR (25), OpenXR (26), MediaPipe (21), a single
sphere (1).

Joint orders: WebXR hand input (wrist, then thumb 4, index 5, middle 5, ring 5, little 5); OpenXR XR_EXT_hand_tracking,
the same behind a palm joint; MediaPipe hand landmarks (wrist, then 4 per finger, no metacarpals).
"""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

FINGERS = ('thumb', 'index', 'middle', 'ring', 'little')

# m, WebXR order: fallback radii of interfaces.md, for trackers that report none
FALLBACK_RADII = 1e-3 * np.array([
    21.5, 19.4, 12.3, 9.8, 8.8,
    21.2, 10.3, 8.5, 7.6, 6.6,
    21.2, 11.2, 8.0, 7.6, 6.6,
    19.1, 9.9, 7.6, 7.2, 6.2,
    18.1, 8.5, 6.8, 6.4, 5.4])
# m, radius of the OpenXR palm joint and of a lone sphere (half of Hakoniwa's 0.1 m cube on a hand anchor)
PALM_RADIUS = 0.02
SPHERE_RADIUS = 0.05
# m, shape of a bone's body until its first sample
NOMINAL_RADIUS = 0.01
NOMINAL_LENGTH = 0.03


@dataclass(frozen=True)
class Layout:
    """joints: their number; bones (B,2) joint indices; parts (B) bone names, the name of the outer joint; radii (J,)
    m."""

    name: str
    joints: int
    bones: np.ndarray
    parts: tuple[str, ...]
    radii: np.ndarray


_XR_JOINTS = {'thumb': ('metacarpal', 'proximal', 'distal', 'tip')}
_XR_FINGER = ('metacarpal', 'proximal', 'intermediate', 'distal', 'tip')
_MEDIAPIPE = {'thumb': ('cmc', 'mcp', 'ip', 'tip')}
_MEDIAPIPE_FINGER = ('mcp', 'pip', 'dip', 'tip')


def _chains(names: dict[str, tuple[str, ...]], rest: tuple[str, ...], first: int, wrist: int) -> tuple[list, list]:
    """Bones from the wrist along every finger; joint numbers start at `first`."""
    bones, parts, joint = [], [], first
    for finger in FINGERS:
        inner = wrist
        for part in names.get(finger, rest):
            bones.append((inner, joint))
            parts.append(f'{finger}_{part}')
            inner, joint = joint, joint + 1
    return bones, parts


def _webxr() -> Layout:
    bones, parts = _chains(_XR_JOINTS, _XR_FINGER, 1, 0)
    return Layout('webxr', 25, np.array(bones), tuple(parts), FALLBACK_RADII)


def _openxr() -> Layout:
    bones, parts = _chains(_XR_JOINTS, _XR_FINGER, 2, 1)
    # the palm joint lies in the middle of the middle metacarpal
    radii = np.concatenate([[PALM_RADIUS], FALLBACK_RADII])
    return Layout('openxr', 26, np.array([(1, 0), *bones]), ('palm', *parts), radii)


def _mediapipe() -> Layout:
    bones, parts = _chains(_MEDIAPIPE, _MEDIAPIPE_FINGER, 1, 0)
    # the knuckles 5, 9, 13, 17 close the palm
    across = [((5, 9), 'palm_index_middle'), ((9, 13), 'palm_middle_ring'), ((13, 17), 'palm_ring_little')]
    # the same joints in WebXR: wrist, four of the thumb, four of each finger without its metacarpal
    radii = FALLBACK_RADII[[0, 1, 2, 3, 4, *range(6, 10), *range(11, 15), *range(16, 20), *range(21, 25)]]
    bones, parts = bones + [b for b, _ in across], parts + [p for _, p in across]
    return Layout('mediapipe', 21, np.array(bones), tuple(parts), radii)


def _sphere() -> Layout:
    return Layout('sphere', 1, np.array([(0, 0)]), ('sphere',), np.array([SPHERE_RADIUS]))


LAYOUTS = {layout.joints: layout for layout in (_webxr(), _openxr(), _mediapipe(), _sphere())}
MOST_BONES = max(len(layout.bones) for layout in LAYOUTS.values())
