"""Shapes: typed, frozen, validated descriptions in metres.  No poses, no masses, no arrays of the world."""
from .compound import Compound, Part
from .definitions import (
    Box,
    BoxShell,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    HollowSphere,
    PointMass,
    Shape,
    Sphere,
    Superquadric,
)
from .height_field import HeightField
from .hull import ConvexHull
from .mesh import TriangleMesh
from .tetrahedra import TetrahedralMesh, Tetrahedron

__all__ = [
    'Box', 'BoxShell', 'Capsule', 'Compound', 'Cone', 'ConvexHull', 'Cylinder', 'Ellipsoid', 'HalfSpace', 'HeightField',
    'HollowSphere', 'Part', 'PointMass', 'Shape', 'Sphere', 'Superquadric', 'TetrahedralMesh', 'Tetrahedron',
    'TriangleMesh',
]
