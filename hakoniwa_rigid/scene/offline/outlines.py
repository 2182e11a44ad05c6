"""Triangles of any shape, for pictures: round ones as the hull of points on their surface."""
from __future__ import annotations

from itertools import product

import numpy as np

from ... import rotations as rot
from ...engine import Box, Capsule, Compound, Cone, ConvexHull, Cylinder, Ellipsoid, HalfSpace, Shape, Sphere

AROUND, RINGS = 24, 12      # points around a round shape, and rings from pole to pole


def triangles(shape: Shape, reach: float = 1.0) -> np.ndarray:
    """(F, 3, 3) m corners in the shape's frame, counter-clockwise as seen from outside.  A half-space is a square of
    2 `reach` m, cut in small squares."""
    if isinstance(shape, Compound):
        return np.concatenate([_placed(triangles(part.shape), np.array(part.quat), np.array(part.pos))
                               for part in shape.parts])
    if isinstance(shape, HalfSpace):
        return _plane(shape, reach)
    if not hasattr(shape, 'faces'):
        shape = ConvexHull(_points(shape))
    return shape.vertices[shape.faces]


def _placed(corners: np.ndarray, quat: np.ndarray, pos: np.ndarray) -> np.ndarray:
    return rot.rotate(quat, corners) + pos


def _points(shape: Shape) -> np.ndarray:
    """Points (n, 3) m on the surface of a convex shape."""
    if isinstance(shape, Box):
        return 0.5 * np.array(shape.size) * np.array(list(product((-1, 1), repeat=3)))
    if isinstance(shape, Sphere):
        return shape.radius * _ball()
    if isinstance(shape, Ellipsoid):
        return np.array(shape.semi_axes) * _ball()
    if isinstance(shape, Capsule):
        ball, half = shape.radius * _ball(), (0.0, 0.0, 0.5 * shape.length)
        return np.concatenate([ball[ball[:, 2] >= -1e-12] + half, ball[ball[:, 2] <= 1e-12] - half])
    if isinstance(shape, Cylinder | Cone):
        rim, half = np.pad(shape.radius * _circle(), ((0, 0), (0, 1))), (0.0, 0.0, 0.5 * shape.height)
        top = rim + half if isinstance(shape, Cylinder) else np.array([half])
        return np.concatenate([rim - half, top])
    raise TypeError(f'no outline of a {type(shape).__name__}')


def _circle() -> np.ndarray:
    angle = 2.0 * np.pi * np.arange(AROUND) / AROUND
    return np.column_stack([np.cos(angle), np.sin(angle)])


def _ball() -> np.ndarray:
    """Points of the unit sphere; an odd number of rings and two poles."""
    slope = np.pi * (np.arange(1, RINGS) / RINGS - 0.5)
    rings = [np.column_stack([np.cos(s) * _circle(), np.full(AROUND, np.sin(s))]) for s in slope]
    return np.concatenate([*rings, [(0.0, 0.0, -1.0), (0.0, 0.0, 1.0)]])


def _plane(plane: HalfSpace, reach: float, cells: int = 8) -> np.ndarray:
    line = np.linspace(-reach, reach, cells + 1)
    x, y = np.meshgrid(line, line, indexing='ij')
    grid = np.stack([x, y, np.zeros_like(x)], axis=-1)
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    corners = np.concatenate([np.stack(three, axis=2).reshape(-1, 3, 3) for three in ([a, b, c], [a, c, d])])
    normal = np.array(plane.normal)
    return _placed(corners, rot.between_z(normal), plane.offset * normal)
