# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Triangles of any shape, for pictures and viewers: round ones as the hull of points on their surface."""
from __future__ import annotations

import numpy as np

from ... import rotations as rot
from ...engine import Compound, ConvexHull, HalfSpace, Shape


def triangles(shape: Shape, reach: float = 1.0) -> np.ndarray:
    """(F, 3, 3) m corners in the shape's frame, counter-clockwise as seen from outside.  A half-space is a square of
    2 `reach` m, cut in small squares."""
    if isinstance(shape, Compound):
        return np.concatenate([_placed(triangles(part.shape), np.array(part.quat), np.array(part.pos))
                               for part in shape.parts])
    if isinstance(shape, HalfSpace):
        return _plane(shape, reach)
    if not hasattr(shape, 'faces'):
        shape = ConvexHull(shape.outline())
    return shape.vertices[shape.faces]


def _placed(corners: np.ndarray, quat: np.ndarray, pos: np.ndarray) -> np.ndarray:
    return rot.rotate(quat, corners) + pos


def _plane(plane: HalfSpace, reach: float, cells: int = 8) -> np.ndarray:
    line = np.linspace(-reach, reach, cells + 1)
    x, y = np.meshgrid(line, line, indexing='ij')
    grid = np.stack([x, y, np.zeros_like(x)], axis=-1)
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    corners = np.concatenate([np.stack(three, axis=2).reshape(-1, 3, 3) for three in ([a, b, c], [a, c, d])])
    normal = np.array(plane.normal)
    return _placed(corners, rot.between_z(normal), plane.offset * normal)
