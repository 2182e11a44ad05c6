# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Terrain on a regular grid."""
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..checks import array
from ..constants import MAX_COORDINATE, MAX_SIZE, MIN_SIZE
from ..errors import EngineError
from ..maths.matrices import lengths
from .arrays import ArrayShape
from .kinds import MESH


@dataclass(frozen=True, eq=False, repr=False)
class HeightField(ArrayShape):
    """heights (nx, ny) m at the points of a grid with spacing (dx, dy) m, centred on the origin; solid below; static.

    heights[i, j] stands at x = (i - (nx - 1) / 2) dx, y = (j - (ny - 1) / 2) dy.  Every cell is two triangles, cut from
    its lower left to its upper right corner.
    """

    heights: np.ndarray
    spacing: tuple = (1.0, 1.0)
    kind = MESH
    word, drawn_as = 'height_field', 'heightfield'
    static = True

    def __post_init__(self):
        try:
            shape = np.shape(self.heights)
        except ValueError:
            raise EngineError('HeightField.heights: must have shape (nx, ny), got rows of different lengths') from None
        if len(shape) != 2 or min(shape) < 2:
            raise EngineError(f'HeightField.heights: must have shape (nx, ny), both 2 or more, got {shape}')
        heights = array('HeightField.heights', self.heights, shape, limit=MAX_COORDINATE)
        heights.setflags(write=False)
        spacing = array('HeightField.spacing', self.spacing, (2,), limit=MAX_SIZE)
        if spacing.min() < MIN_SIZE:
            raise EngineError(f'HeightField.spacing: must be at least {MIN_SIZE:g} m, got {spacing.tolist()}')
        object.__setattr__(self, 'heights', heights)
        object.__setattr__(self, 'spacing', tuple(spacing.tolist()))

    @cached_property
    def vertices(self):
        """(nx ny, 3) m."""
        nx, ny = self.heights.shape
        x = (np.arange(nx) - 0.5 * (nx - 1)) * self.spacing[0]
        y = (np.arange(ny) - 0.5 * (ny - 1)) * self.spacing[1]
        return np.stack([*np.meshgrid(x, y, indexing='ij'), self.heights], axis=-1).reshape(-1, 3)

    @cached_property
    def faces(self):
        """(2 (nx - 1) (ny - 1), 3) vertex indices, counter-clockwise as seen from above."""
        nx, ny = self.heights.shape
        k = (np.arange(nx - 1)[:, None] * ny + np.arange(ny - 1)).ravel()
        lower = np.stack([k, k + ny, k + ny + 1], axis=1)
        upper = np.stack([k, k + ny + 1, k + 1], axis=1)
        return np.concatenate([lower, upper])

    def bounding_radius(self):
        return float(lengths(self.vertices).max())
