# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Layouts of tracked hands: which joints there are, which pairs of them are bones, which make the palm, where fingers
bend.  WebXR, OpenXR, MediaPipe, a single sphere, a single pose with a box.  Another tracker is another Layout.

Joint orders: WebXR hand input (wrist, then thumb 4, index 5, middle 5, ring 5, little 5); OpenXR XR_EXT_hand_tracking,
the same behind a palm joint; MediaPipe hand landmarks (wrist, then 4 per finger, no metacarpals).
"""
from __future__ import annotations

from dataclasses import dataclass, field

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
# m, shapes of the bodies until the first sample
NOMINAL_RADIUS = 0.01
NOMINAL_LENGTH = 0.03
NOMINAL_PALM = (0.1, 0.08, 0.03)


# m, how far off the axes of a pose are tracked: 5 m/s, the clamp of a joint, is 50 rad/s then
AXIS = 0.1


@dataclass(frozen=True)
class Palm:
    """outline (5,): the joints that place the palm, wrist and knuckles from index to little; spanned (S,): the joints
    in it; inside (B,) bool: the bones that it stands for; beside (N,): those that go on from it."""

    outline: np.ndarray
    spanned: np.ndarray
    inside: np.ndarray
    beside: np.ndarray


@dataclass(frozen=True)
class Layout:
    """title: what users call it; names (J) of the joints; bones (B,2) joint indices; parts (B) bone names, the name of
    the outer joint; radii (J,) m; palm: of a hand; box: name of the part that is a box; bends (4,3) joints of the
    fingers from index to little: knuckle, middle joint, tip; (0,3) where left and right cannot be distinguished."""

    name: str
    title: str
    names: tuple[str, ...]
    bones: np.ndarray
    parts: tuple[str, ...]
    radii: np.ndarray
    palm: Palm | None = None
    box: str = ''
    bends: np.ndarray = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int64))

    @property
    def joints(self) -> int:
        """Their number."""
        return len(self.names)


_XR_JOINTS = {'thumb': ('metacarpal', 'proximal', 'distal', 'tip')}
_XR_FINGER = ('metacarpal', 'proximal', 'intermediate', 'distal', 'tip')
_MEDIAPIPE = {'thumb': ('cmc', 'mcp', 'ip', 'tip')}
_MEDIAPIPE_FINGER = ('mcp', 'pip', 'dip', 'tip')
_WEBXR_BENDS = np.array([(6, 7, 9), (11, 12, 14), (16, 17, 19), (21, 22, 24)])


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


def _palm(names: tuple[str, ...], bones: list, knuckle: str) -> Palm:
    """Of a hand whose fingers bend at the joints called `knuckle`; the thumb's first joint lies in the palm."""
    fingers, at = FINGERS[1:], names.index
    outline = [at('wrist'), *(at(f'{finger}_{knuckle}') for finger in fingers)]
    deep = [k for k, name in enumerate(names) if name.endswith(('_metacarpal', '_cmc')) or name == 'palm']
    spanned = set(outline + deep)
    ends = np.array([(i in spanned, j in spanned) for i, j in bones])
    return Palm(np.array(outline), np.array(sorted(spanned)), ends.all(axis=1), np.flatnonzero(ends.sum(axis=1) == 1))


def _webxr() -> Layout:
    bones, parts = _chains(_XR_JOINTS, _XR_FINGER, 1, 0)
    names = ('wrist', *parts)
    return Layout('webxr', 'WebXR', names, np.array(bones), tuple(parts), FALLBACK_RADII,
                  _palm(names, bones, 'proximal'), 'palm', _WEBXR_BENDS)


def _openxr() -> Layout:
    bones, parts = _chains(_XR_JOINTS, _XR_FINGER, 2, 1)
    names, bones = ('palm', 'wrist', *parts), [(1, 0), *bones]
    # the palm joint lies in the middle of the middle metacarpal
    radii = np.concatenate([[PALM_RADIUS], FALLBACK_RADII])
    return Layout('openxr', 'OpenXR', names, np.array(bones), ('palm_centre', *parts), radii,
                  _palm(names, bones, 'proximal'), 'palm', _WEBXR_BENDS + 1)


def _mediapipe() -> Layout:
    bones, parts = _chains(_MEDIAPIPE, _MEDIAPIPE_FINGER, 1, 0)
    names = ('wrist', *parts)
    # the knuckles 5, 9, 13, 17 close the hand where there is no palm
    across = [((5, 9), 'palm_index_middle'), ((9, 13), 'palm_middle_ring'), ((13, 17), 'palm_ring_little')]
    # the same joints in WebXR: wrist, four of the thumb, four of each finger without its metacarpal
    radii = FALLBACK_RADII[[0, 1, 2, 3, 4, *range(6, 10), *range(11, 15), *range(16, 20), *range(21, 25)]]
    bones, parts = bones + [b for b, _ in across], parts + [p for _, p in across]
    return Layout('mediapipe', 'MediaPipe', names, np.array(bones), tuple(parts), radii, _palm(names, bones, 'mcp'),
                  'palm', np.array([(5, 6, 8), (9, 10, 12), (13, 14, 16), (17, 18, 20)]))


def _sphere() -> Layout:
    return Layout('sphere', 'a sphere', ('sphere',), np.array([(0, 0)]), ('sphere',), np.array([SPHERE_RADIUS]))


# by name; of two with as many joints, lists without names and layout are of the first
LAYOUTS = {layout.name: layout for layout in (_webxr(), _openxr(), _mediapipe(), _sphere())}
# a single pose that turns: its position and the ends of two of its axes, AXIS m off, are tracked as joints are
POSED_BOX = Layout('box', 'a box', ('centre', 'x', 'y'), np.zeros((0, 2), dtype=np.int64), (),
                   np.full(3, SPHERE_RADIUS), None, 'box')
MOST_BONES = max(len(layout.bones) for layout in LAYOUTS.values())
# bodies of a hand: a capsule for each bone, then a box
HAND_BODIES = MOST_BONES + 1


def layout_of(count: int) -> Layout | None:
    """The layout of a list of so many joints that does not say which; None: there is none."""
    return next((layout for layout in LAYOUTS.values() if layout.joints == count), None)
