"""Rigid transforms on plain floats, for inputs that come one at a time: no array is made for three numbers.

Positions m; quaternions x, y, z, w of unit length (as in messages).  A transform takes coordinates in frame b to
coordinates in frame a: p_a = position + R(orientation) p_b.
"""
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from . import rotations as rot

Three = tuple[float, float, float]
Four = tuple[float, float, float, float]
# a quaternion this far from unit length is a mistake, not rounding
UNIT_TOLERANCE = 1e-2

__all__ = ['IDENTITY', 'Rigid', 'multiply', 'rotate', 'slerp', 'yaw']


def rotate(q: Four, v: Three) -> Three:
    """R(q) v: v + 2w (u x v) + 2 u x (u x v)."""
    x, y, z, w = q
    a, b, c = v
    tx, ty, tz = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz, c + w * tz + x * ty - y * tx


def multiply(p: Four, q: Four) -> Four:
    """p q: first q, then p."""
    a, b, c, d = p
    x, y, z, w = q
    return (d * x + a * w + b * z - c * y, d * y - a * z + b * w + c * x,
            d * z + a * y - b * x + c * w, d * w - a * x - b * y - c * z)


def slerp(p: Four, q: Four, share: float) -> Four:
    """From p (share 0) to q (share 1) the shorter way, at constant angular speed."""
    cosine = sum(a * b for a, b in zip(p, q, strict=True))
    if cosine < 0.0:
        cosine, q = -cosine, (-q[0], -q[1], -q[2], -q[3])
    angle = math.acos(min(cosine, 1.0))
    # below 1e-6 rad the straight line is the arc, to 1e-13
    a, b = (1.0 - share, share) if angle < 1e-6 else (
        math.sin((1.0 - share) * angle) / math.sin(angle), math.sin(share * angle) / math.sin(angle))
    mixed = tuple(a * x + b * y for x, y in zip(p, q, strict=True))
    length = math.sqrt(sum(x * x for x in mixed))
    return tuple(x / length for x in mixed)


class Rigid(NamedTuple):
    """A transform; see the module."""

    position: Three = (0.0, 0.0, 0.0)
    orientation: Four = (0.0, 0.0, 0.0, 1.0)

    @classmethod
    def checked(cls, position, orientation) -> Rigid:
        """Of finite numbers and a quaternion that is normalised; ValueError says what is wrong with it."""
        p, q = tuple(map(float, position)), tuple(map(float, orientation))
        if not all(map(math.isfinite, p + q)):
            raise ValueError(f'must be finite, got {[*p, *q]}')
        length = math.sqrt(sum(x * x for x in q))
        if abs(length - 1.0) > UNIT_TOLERANCE:
            raise ValueError(f'its quaternion x, y, z, w must have length 1, got {list(q)} of length {length:.6g}')
        return cls(p, tuple(x / length for x in q))

    def point(self, p: Three) -> Three:
        """A position."""
        x, y, z = rotate(self.orientation, p)
        a, b, c = self.position
        return a + x, b + y, c + z

    def vector(self, v: Three | None) -> Three | None:
        """A velocity; None stays None."""
        return None if v is None else rotate(self.orientation, v)

    def motion(self, position: Three, orientation: Four, linear: Three | None, angular: Three | None):
        """Pose and velocities of a body; this frame stands still."""
        if self is IDENTITY:
            return position, orientation, linear, angular
        return (self.point(position), multiply(self.orientation, orientation), self.vector(linear),
                self.vector(angular))

    def after(self, other: Rigid) -> Rigid:
        """First `other`, then this one."""
        return Rigid(self.point(other.position), multiply(self.orientation, other.orientation))

    def inverse(self) -> Rigid:
        """The way back."""
        x, y, z, w = self.orientation
        back = (-x, -y, -z, w)
        a, b, c = rotate(back, self.position)
        return Rigid((-a, -b, -c), back)

    def points(self, p: np.ndarray) -> np.ndarray:
        """Positions (N,3)."""
        if self is IDENTITY:
            return p
        return self.vectors(p) + np.array(self.position)

    def vectors(self, v: np.ndarray) -> np.ndarray:
        """Velocities (N,3)."""
        return rot.rotate(rot.wxyz(np.array(self.orientation)), np.asarray(v, dtype=float))

    def orientations(self, q: np.ndarray) -> np.ndarray:
        """Quaternions (N,4) x, y, z, w."""
        return rot.xyzw(rot.multiply(rot.wxyz(np.array(self.orientation)), rot.wxyz(q)))


IDENTITY = Rigid()


def yaw(angle: float) -> Rigid:
    """A turn by `angle` rad about z."""
    return Rigid(orientation=(0.0, 0.0, math.sin(0.5 * angle), math.cos(0.5 * angle)))
