# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bodies bounded by triangles."""
from dataclasses import dataclass

import numpy as np

from ..maths.matrices import lengths
from .arrays import ArrayShape, indices, points
from .kinds import MESH


@dataclass(frozen=True, eq=False, repr=False)
class TriangleMesh(ArrayShape):
    """vertices (V, 3) m; faces (F, 3) vertex indices, counter-clockwise as seen from outside.

    Here only the arrays are checked (MeshError).  Whether the surface is closed and wound outward matters for the mass
    and is checked by mass_properties.  Cavities are inner shells wound the other way.
    """

    vertices: np.ndarray
    faces: np.ndarray
    kind = MESH
    word = drawn_as = 'mesh'
    static = True

    def __post_init__(self):
        object.__setattr__(self, 'vertices', points('TriangleMesh.vertices', self.vertices))
        object.__setattr__(self, 'faces', indices('TriangleMesh.faces', self.faces, 3, len(self.vertices)))

    def bounding_radius(self):
        return float(lengths(self.vertices).max())
