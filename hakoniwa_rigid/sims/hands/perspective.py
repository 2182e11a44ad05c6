# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Where a hand of known size and shape is, from where its joints are seen: perspective-n-point by least squares.

Wanted are the rotation R and translation t that carry the shape's points X (m) to R X + t in the camera's optical axes
so that the sum of squared distances in the image is least. Depth comes from size: twice as far, half as large.

The search starts from the last frame's answer. Where there is none, or it no longer fits, it starts from closed forms:
the shape as it is, and the two poses of its main plane that weak perspective allows (the coplanar case of
D. Oberkampf, D. DeMenthon, L. Davis, "Iterative pose estimation using coplanar feature points", 1996; here by
singular values: the image of the plane's axes is A (2,2) = s R' with the third column of R' missing, so s is the larger
singular value of A and the missing column +-sqrt(s^2 - s2^2) along the other's left vector). A flat hand seen from afar
fits two mirror-image tilts nearly as well: of answers that fit alike, the one turned least is taken, because MediaPipe
gives its shapes in the camera's axes already.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy  # its parts are loaded where they are used: a hand from a file needs none

from hakoniwa_rigid.sims.hands.camera import Camera

LEAST_POINTS = 6      # 6 unknowns need 3 points; from 6 on one wrong point no longer decides
# fits are alike when the root mean square errors differ by less than a factor and a bit, px
ALIKE, ALIKE_PX = 1.5, 0.05
# the last answer is still good when it fits about as well as it did, px
WORSE, WORSE_PX = 2.0, 0.5


class Pose(NamedTuple):
    """R (3,3) and t (3,) m of the shape in the optical axes, and the root mean square distance in the image, px."""

    rotation: np.ndarray
    translation: np.ndarray
    error: float


def solve(camera: Camera, shape: np.ndarray, pixels: np.ndarray, last: Pose | None = None) -> Pose | None:
    """The pose of ``shape`` (N,3) m seen at ``pixels`` (N,2); None with fewer than LEAST_POINTS."""
    if len(shape) < LEAST_POINTS:
        return None
    if last is not None:
        pose = _refined(camera, shape, pixels, last.rotation, last.translation)
        if pose.error <= WORSE * last.error + WORSE_PX:
            return pose
    poses = [_refined(camera, shape, pixels, r, _translation(camera, shape, pixels, r))
             for r in (np.eye(3), *_plane_rotations(camera, shape, pixels))]
    limit = ALIKE * min(pose.error for pose in poses) + ALIKE_PX
    # the larger the trace, the smaller the angle
    return max((pose for pose in poses if pose.error <= limit), key=lambda pose: np.trace(pose.rotation))


def _refined(camera: Camera, shape, pixels, rotation, translation) -> Pose:
    """The nearest least-squares answer; turns are counted from ``rotation``."""
    def apart(x: np.ndarray) -> np.ndarray:
        points = shape @ (scipy.spatial.transform.Rotation.from_rotvec(x[:3]).as_matrix() @ rotation).T + x[3:]
        return (camera.pixels(points) - pixels).ravel()

    begin = np.concatenate([np.zeros(3), translation])
    found = scipy.optimize.least_squares(apart, begin, method='lm', xtol=1e-12, ftol=1e-12)
    turned = scipy.spatial.transform.Rotation.from_rotvec(found.x[:3]).as_matrix() @ rotation
    return Pose(turned, found.x[3:], float(np.sqrt(2.0 * found.cost / len(shape))))


def _translation(camera: Camera, shape, pixels, rotation) -> np.ndarray:
    """t for a known R: u (Z + t_z) = X + t_x is linear in t."""
    points, rays = shape @ rotation.T, camera.rays(pixels)
    rows = np.zeros((2, len(shape), 3))
    rows[0, :, 0] = rows[1, :, 1] = 1.0
    rows[:, :, 2] = -rays.T
    right = rays.T * points[:, 2] - points[:, :2].T
    t = np.linalg.lstsq(rows.reshape(-1, 3), right.ravel(), rcond=None)[0]
    # seen through noise a far hand may come out behind the lens
    return t if t[2] > 0.0 else np.array([0.0, 0.0, 1.0])


def _plane_rotations(camera: Camera, shape, pixels) -> list[np.ndarray]:
    """The two rotations under which the main plane of the shape looks as it does, by weak perspective along the line
    of sight to the hand."""
    rays = camera.rays(pixels)
    middle = np.append(rays.mean(axis=0), 1.0)
    to_axis = scipy.spatial.transform.Rotation.align_vectors([[0.0, 0.0, 1.0]], [middle])[0].as_matrix()
    turned = np.column_stack([rays, np.ones(len(rays))]) @ to_axis.T
    seen = turned[:, :2] / turned[:, 2:]
    centred = shape - shape.mean(axis=0)
    plane = np.linalg.svd(centred, full_matrices=False)[2][:2]                 # (2,3) its axes
    image = np.linalg.lstsq(centred @ plane.T, seen - seen.mean(axis=0), rcond=None)[0].T   # A
    left, sizes, _ = np.linalg.svd(image)
    missing = np.sqrt(max(sizes[0]**2 - sizes[1]**2, 0.0)) * left[:, 1]
    axes = np.vstack([plane, np.cross(*plane)])
    found = []
    for sign in (1.0, -1.0):
        rows = np.column_stack([image, sign * missing]) / sizes[0]
        found.append(to_axis.T @ np.vstack([rows, np.cross(*rows)]) @ axes)
    return found
