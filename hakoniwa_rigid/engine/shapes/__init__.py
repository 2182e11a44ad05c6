# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Shapes: typed, frozen, validated descriptions in metres.  No poses, no arrays of the world, no kernels.

A file each: what it is in contacts, its bounds and mass, its word in world files and how it is drawn.
"""
from .box import Box, BoxShell
from .capsule import Capsule
from .compound import Compound, Part
from .cone import Cone
from .cylinder import Cylinder
from .ellipsoid import Ellipsoid, Superquadric
from .frustum import Frustum
from .half_space import HalfSpace
from .height_field import HeightField
from .hull import ConvexHull
from .mesh import TriangleMesh
from .point_mass import PointMass
from .shape import Primitive, Shape
from .sphere import HollowSphere, Sphere
from .tetrahedra import TetrahedralMesh, Tetrahedron

# the registry: all shapes, in the order in which world files list their words
SHAPES = (Sphere, Box, Capsule, Cylinder, Cone, Frustum, Ellipsoid, ConvexHull, Compound, HalfSpace, TriangleMesh,
          HeightField, HollowSphere, BoxShell, Superquadric, Tetrahedron, TetrahedralMesh, PointMass)

__all__ = ['Part', 'Primitive', 'SHAPES', 'Shape', *(shape.__name__ for shape in SHAPES)]
