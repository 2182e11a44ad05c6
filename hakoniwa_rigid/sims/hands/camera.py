# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A camera without distortion: focal lengths and centre in pixels, and where it stands.

Its own axes are the optical ones: x to the right of the image, y down, z out of the lens.
"""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy  # its parts are loaded where they are used

# looks along the world's x, 1.2 m up
FORWARD = (0.0, 0.0, 1.2, -0.5, 0.5, -0.5, 0.5)
NEAREST = 0.02    # m; nothing is projected that lies nearer to the lens


@dataclass(frozen=True)
class Camera:
    """``width``, ``height``, ``fx``, ``fy``, ``cx``, ``cy`` in px; ``pose``: x, y, z (m), qx, qy, qz, qw of the optical
    axes in the frame that hands are wanted in; ``mirrored``: its images are flipped left to right, as selfie cameras
    give them."""

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float
    pose: tuple[float, ...] = FORWARD
    mirrored: bool = False

    def __post_init__(self) -> None:
        for key in ('width', 'height', 'fx', 'fy'):
            if not 0.0 < getattr(self, key) < math.inf:
                raise ValueError(f'{key}: must be > 0, got {getattr(self, key)}')
        if len(self.pose) != 7 or not all(map(math.isfinite, self.pose)):
            raise ValueError(f'camera_pose: must be 7 finite numbers, got {list(self.pose)}')
        length = math.hypot(*self.pose[3:])
        if abs(length - 1.0) > 1e-3:
            raise ValueError(f'camera_pose: qx, qy, qz, qw must have length 1, got {length:g}')

    @property
    def rotation(self) -> scipy.spatial.transform.Rotation:
        """Of the optical axes."""
        return scipy.spatial.transform.Rotation.from_quat(self.pose[3:])

    def to_world(self, points: np.ndarray) -> np.ndarray:
        """Points (N,3) m from the optical axes into the frame that hands are wanted in."""
        return self.rotation.apply(points) + self.pose[:3]

    def from_world(self, points: np.ndarray) -> np.ndarray:
        """The reverse of ``to_world``."""
        return self.rotation.inv().apply(np.asarray(points) - self.pose[:3])

    def pixels(self, points: np.ndarray) -> np.ndarray:
        """Where points (N,3) m in the optical axes are seen, px (N,2), in an image that is not mirrored."""
        z = np.maximum(points[:, 2], NEAREST)
        return np.column_stack([self.fx * points[:, 0] / z + self.cx, self.fy * points[:, 1] / z + self.cy])

    def rays(self, pixels: np.ndarray) -> np.ndarray:
        """x and y (N,2) at z = 1 of the rays to pixels (N,2)."""
        return (np.asarray(pixels) - (self.cx, self.cy)) / (self.fx, self.fy)

    def sees(self, pixels: np.ndarray) -> np.ndarray:
        """Whether pixels (N,2) are finite and lie in the image (N)."""
        with np.errstate(invalid='ignore'):
            return ((pixels >= 0.0) & (pixels <= (self.width, self.height))).all(axis=1)


def camera(width: int = 640, height: int = 480, fov: float = 60.0, *, fx: float = 0.0, fy: float = 0.0,
           cx: float = 0.0, cy: float = 0.0, pose=FORWARD, mirrored: bool = False) -> Camera:
    """A camera from its horizontal field of view, deg; of fx, fy, cx, cy those count that are not 0."""
    if not 0.0 < fov < 180.0:
        raise ValueError(f'fov: must be between 0 and 180 degrees, got {fov:g}')
    focal = fx or 0.5 * width / math.tan(0.5 * math.radians(fov))
    return Camera(width, height, focal, fy or focal, cx or 0.5 * width, cy or 0.5 * height, tuple(pose), mirrored)
