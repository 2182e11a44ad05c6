# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""How far a shape reaches: a box, a ball or the corners of a hull, in the shape's own frame."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy  # its parts are loaded where they are used

from ... import rotations as rot
from ...engine import Box, Compound, ConvexHull, Shape, TriangleMesh
from ..records import HandBones
from ..world_files.shape_words import box_around

__all__ = ['BOX', 'EMPTY', 'HULL', 'KINDS', 'SPHERE', 'Bounds', 'bounds_of', 'box_of_hand', 'corners']

# what bounds are: nothing bounded; points are the high and the low corner; centre and (radius, 0, 0); corners
EMPTY, BOX, SPHERE, HULL = 'empty', 'box', 'sphere', 'convex_hull'
KINDS = (BOX, SPHERE, HULL)
# corners of a hull; one with more is given as its box
MOST_CORNERS = 1000
# m: a box thinner than this has no corners of a hull, only one of its sides
THIN = 1e-9


class Bounds(NamedTuple):
    """kind: EMPTY, BOX, SPHERE or HULL; points (K,3) m: none; high and low corner; centre and (radius, 0, 0); all
    corners."""

    kind: str
    points: np.ndarray


UNBOUNDED = Bounds(EMPTY, np.zeros((0, 3)))


def bounds_of(shape: Shape, kind: str) -> Bounds:
    """Bounds of that kind.  The box is exact.  The ball is the smallest for spheres, boxes, capsules, cylinders and
    ellipsoids, the hull exact for what has corners; else they hold the shape.  EMPTY for a half-space, which has
    none."""
    if not shape.bounded:
        return UNBOUNDED
    low, high = box_around(shape)
    if kind == SPHERE:
        return _smaller(_ball(low, high), shape)
    return _hull(shape) if kind == HULL else Bounds(BOX, np.array([high, low]))


def box_of_hand(bones: HandBones, position: np.ndarray, orientation_xyzw: np.ndarray, kind: str) -> Bounds:
    """Bounds of a hand that is there, in its frame at a pose: of the box around its capsules and its box."""
    turn, lows, highs = rot.wxyz(orientation_xyzw), [], []
    for k in np.flatnonzero(bones.enabled):
        half = 0.5 * bones.lengths[k] * rot.rotate(rot.wxyz(bones.orientations_xyzw[k]), np.array((0.0, 0.0, 1.0)))
        ends = rot.rotate_inverse(turn, np.array([bones.positions[k] - half, bones.positions[k] + half]) - position)
        lows.append(ends.min(axis=0) - bones.radii[k])
        highs.append(ends.max(axis=0) + bones.radii[k])
    if bones.box is not None:
        own = rot.rotate(rot.wxyz(bones.box.orientation_xyzw), corners(-0.5 * bones.box.size, 0.5 * bones.box.size))
        own = rot.rotate_inverse(turn, own + bones.box.position - position)
        lows.append(own.min(axis=0))
        highs.append(own.max(axis=0))
    low, high = np.min(lows, axis=0), np.max(highs, axis=0)
    if kind == SPHERE:
        return _ball(low, high)
    return Bounds(HULL, corners(low, high)) if kind == HULL else Bounds(BOX, np.array([high, low]))


def corners(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The eight corners (8,3) of a box."""
    signs = np.array([[k >> axis & 1 for axis in range(3)] for k in range(8)], dtype=bool)
    return np.where(signs, high, low)


def _ball(low: np.ndarray, high: np.ndarray) -> Bounds:
    """The ball around a box."""
    return Bounds(SPHERE, np.array([0.5 * (low + high), (rot.norm(0.5 * (high - low)), 0.0, 0.0)]))


def _smaller(around_box: Bounds, shape: Shape) -> Bounds:
    """The smaller of two balls: that around the box, or around its corners where the shape has some, and that about the
    shape's origin."""
    centre, radius = around_box.points[0], around_box.points[1, 0]
    if isinstance(shape, ConvexHull | TriangleMesh):
        radius = min(radius, float(rot.norm(shape.vertices - centre).max()))
    if shape.bounding_radius() <= radius:
        centre, radius = np.zeros(3), shape.bounding_radius()
    return Bounds(SPHERE, np.array([centre, (radius, 0.0, 0.0)]))


def _hull(shape: Shape) -> Bounds:
    points = _points(shape)
    try:
        points = points[np.sort(scipy.spatial.ConvexHull(points).vertices)]
    except scipy.spatial.QhullError:    # in one plane
        points = corners(*box_around(shape))
    if len(points) > MOST_CORNERS:
        points = corners(*box_around(shape))
    return Bounds(HULL, points)


def _points(shape: Shape) -> np.ndarray:
    """Points (K,3) whose hull holds the shape, and is no larger where it has corners."""
    if isinstance(shape, Compound):
        return np.concatenate([rot.rotate(np.array(part.quat), _points(part.shape)) + np.array(part.pos)
                               for part in shape.parts])
    if isinstance(shape, ConvexHull | TriangleMesh):
        return shape.vertices
    return corners(*((-0.5 * np.array(shape.size), 0.5 * np.array(shape.size)) if isinstance(shape, Box)
                     else box_around(shape)))
