# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bodies made of tetrahedra: one, or a volume mesh."""
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..errors import VolumeError
from ..maths.matrices import dots, lengths
from .arrays import ArrayShape, flat, indices, points
from .kinds import HULL


def signed_volumes(corners):
    """Volumes (...) m^3 of tetrahedra with corners (..., 4, 3) m; negative for a left-handed order of the corners."""
    a, b, c = np.moveaxis(corners[..., 1:, :] - corners[..., :1, :], -2, 0)
    return dots(a, np.cross(b, c)) / 6.0


@dataclass(frozen=True, eq=False, repr=False)
class Tetrahedron(ArrayShape):
    """Corners a, b, c, d, each (3,) m, in any order.  VolumeError if they lie in a plane."""

    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    d: np.ndarray
    kind = HULL

    def __post_init__(self):
        for key in 'abcd':
            corner = points(f'Tetrahedron.{key}', [getattr(self, key)], 1)[0]
            object.__setattr__(self, key, corner)
        if flat(signed_volumes(self.vertices), self.vertices):
            raise VolumeError(f'Tetrahedron: must not lie in a plane, got {self.vertices.tolist()}')

    @cached_property
    def vertices(self):
        """(4, 3) m."""
        return np.array([self.a, self.b, self.c, self.d])

    def bounding_radius(self):
        return float(lengths(self.vertices).max())


@dataclass(frozen=True, eq=False, repr=False)
class TetrahedralMesh(ArrayShape):
    """vertices (V, 3) m; tetrahedra (T, 4) vertex indices, each in any order.

    lumped: the mass of each element sits at its centroid, instead of being spread over it.  VolumeError
    names a flat element.  Elements that overlap are not found: their mass counts twice.
    """

    vertices: np.ndarray
    tetrahedra: np.ndarray
    lumped: bool = False

    def __post_init__(self):
        object.__setattr__(self, 'vertices', points('TetrahedralMesh.vertices', self.vertices))
        object.__setattr__(self, 'tetrahedra', indices('TetrahedralMesh.tetrahedra', self.tetrahedra, 4,
                                                       len(self.vertices)))
        object.__setattr__(self, 'lumped', bool(self.lumped))
        corners = self.vertices[self.tetrahedra]
        bad = flat(signed_volumes(corners), corners)
        if bad.any():
            i = int(np.argmax(bad))
            raise VolumeError(f'TetrahedralMesh.tetrahedra[{i}]: has no volume, vertices {self.tetrahedra[i].tolist()} '
                              f'lie in a plane; drop it ({np.count_nonzero(bad)} such elements)')

    def bounding_radius(self):
        return float(lengths(self.vertices).max())
