# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A parametric hand: WebXR's 25 joints of a grown-up's hand, open, bent to a fist or pinching, right or left."""
from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

FINGERS = ('thumb', 'index-finger', 'middle-finger', 'ring-finger', 'pinky-finger')
# WebXR Hand Input order: the wrist, four thumb joints, then five joints for each finger
WEBXR_NAMES = ('wrist', *(f'{finger}-{bone}' for finger in FINGERS for bone in
                          ('metacarpal', 'phalanx-proximal', 'phalanx-intermediate', 'phalanx-distal', 'tip')
                          if (finger, bone) != ('thumb', 'phalanx-intermediate')))
# per finger: angle from the hand's forward axis (deg, + towards the thumb), then the joints' distances from the wrist
# (m)
FINGER_RAYS = ((38.0, (0.035, 0.075, 0.105, 0.128)),
               (9.0, (0.035, 0.095, 0.138, 0.162, 0.182)),
               (0.0, (0.035, 0.095, 0.142, 0.170, 0.192)),
               (-9.0, (0.033, 0.089, 0.132, 0.158, 0.178)),
               (-19.0, (0.031, 0.081, 0.114, 0.134, 0.152)))
PALM_CENTRE = np.array([0.09, 0.0, 0.0])   # m, in the hand's axes: the spot that pushes
PINCH = np.array([0.065, 0.022, -0.042])   # m, in the axes of a right hand: where the tips of a pinch meet
SIDES = ('right', 'left')


def hand_pose(curl: float = 0.0, side: str = 'right') -> tuple[np.ndarray, np.ndarray]:
    """A hand at the origin: positions (25,3) m and orientations (25,4) xyzw, x to the fingertips, z up out of the back
    of the hand, the thumb of a right hand on the side of y. ``curl`` rad bends every phalanx joint towards the palm."""
    positions, rotations = [np.zeros(3)], [webxr_axes(0.0, 0.0)]
    for angle_deg, reaches in FINGER_RAYS:
        angle = np.radians(angle_deg)
        along = np.array([np.cos(angle), np.sin(angle), 0.0])
        point, bend, last = np.zeros(3), 0.0, 0.0
        for k, reach in enumerate(reaches):
            # the metacarpal lies in the palm; every joint after the knuckle bends
            bend += curl if k >= 2 else 0.0
            point = point + (reach - last) * (np.cos(bend) * along - np.sin(bend) * np.array([0.0, 0.0, 1.0]))
            last = reach
            positions.append(point)
            rotations.append(webxr_axes(angle, bend))
    return _on_side(np.array(positions), np.array(rotations), side)


def pinch_pose(aperture: float, side: str = 'right') -> tuple[np.ndarray, np.ndarray]:
    """As ``hand_pose``: the tips of thumb and index finger ``aperture`` m apart (0 to 0.1) on either side of PINCH, the
    thumb's pointing along x, the finger's against it; the other fingers are straight."""
    positions, rotations = hand_pose()
    for first, towards, out in ((1, 1.0, (-1.0, 0.0, -0.3)), (6, -1.0, (1.0, 0.0, 0.5))):
        lengths = np.linalg.norm(np.diff(positions[first:first + 4], axis=0), axis=1)
        tip = PINCH - towards * np.array([0.5 * aperture, 0.0, 0.0])
        last = tip - towards * np.array([lengths[2], 0.0, 0.0])
        positions[first + 1:first + 4] = _bent(positions[first], last, *lengths[:2], np.array(out)), last, tip
        for k in range(first + 1, first + 4):
            rotations[k] = _axes_along(positions[k] - positions[k - 1])
    return _on_side(positions, rotations, side)


def _on_side(positions: np.ndarray, rotations: np.ndarray, side: str) -> tuple[np.ndarray, np.ndarray]:
    """A right hand as it is, or its mirror image in the plane y = 0."""
    if side == 'right':
        return positions, rotations
    # the joints' x is turned round to keep their axes right-handed
    mirror = np.diag([1.0, -1.0, 1.0])
    axes = mirror @ Rotation.from_quat(rotations).as_matrix() @ np.diag([-1.0, 1.0, 1.0])
    return positions @ mirror, Rotation.from_matrix(axes).as_quat()


def _bent(start: np.ndarray, end: np.ndarray, a: float, b: float, out: np.ndarray) -> np.ndarray:
    """The joint between bones of lengths a and b (m) from start to end, bent towards ``out``; ValueError where they do
    not reach."""
    way = end - start
    length = np.linalg.norm(way)
    if not abs(a - b) <= length <= a + b:
        raise ValueError(f'bones of {a:.3f} and {b:.3f} m do not reach over {length:.3f} m')
    along, share = way / length, (a * a + length * length - b * b) / (2.0 * length)
    out = out - np.dot(out, along) * along
    return start + share * along + np.sqrt(max(a * a - share * share, 0.0)) * out / np.linalg.norm(out)


def _axes_along(bone: np.ndarray) -> np.ndarray:
    """Quaternion xyzw of a joint whose -z points along a bone; its x is as near to the hand's right as may be."""
    along = bone / np.linalg.norm(bone)
    right = np.array([0.0, -1.0, 0.0]) + along[1] * along
    right /= np.linalg.norm(right)
    return Rotation.from_matrix(np.column_stack([right, np.cross(right, along), -along])).as_quat()


def webxr_axes(angle: float, bend: float) -> np.ndarray:
    """Quaternion xyzw of a joint whose -z points along its bone and y out of the back of the hand."""
    # columns: the joint's x (right), y (up) and z (backwards) in the hand's axes
    flat = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    return (Rotation.from_euler('ZY', [angle, bend]) * Rotation.from_matrix(flat)).as_quat()


def attitude(fingers, back) -> Rotation:
    """The hand's axes in the world, where its fingers point along ``fingers`` and its back faces ``back`` (3,)."""
    x = np.asarray(fingers, dtype=float) / np.linalg.norm(fingers)
    z = np.asarray(back, dtype=float) - np.dot(back, x) * x
    z /= np.linalg.norm(z)
    return Rotation.from_matrix(np.column_stack([x, np.cross(z, x), z]))
