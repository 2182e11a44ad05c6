# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The body of one uniform shape: which formula, which density."""
import numpy as np

from ..errors import MassError
from ..shapes import ConvexHull, PointMass, Primitive, TetrahedralMesh, Tetrahedron, TriangleMesh
from .body import Body, scaled
from .mesh_topology import mesh_body
from .polyhedron import polyhedron_body, surface_integrals
from .tetrahedra import tetrahedra_body

# bodies of unit density out of triangles and tetrahedra
_SUMS = {
    TriangleMesh: mesh_body,
    ConvexHull: lambda shape: polyhedron_body('ConvexHull', surface_integrals(shape.vertices, shape.faces)),
    Tetrahedron: lambda shape: tetrahedra_body(shape.vertices[None]),
    TetrahedralMesh: lambda shape: tetrahedra_body(shape.vertices[shape.tetrahedra], shape.lumped),
}


def uniform_body(shape, density=None, mass=None):
    """Body of a bounded shape other than a compound, in the shape's frame.

    Either mass (kg) or density (kg/m^3; kg/m^2 for a thin shell) is given, negative for a hole.  MassError if the shape
    has no volume to fill; errors of meshes as in mesh_body.
    """
    kind = type(shape)
    if kind is PointMass and mass is not None:
        return Body(mass, np.zeros(3), np.zeros((3, 3)))
    if isinstance(shape, Primitive):
        mass = density * shape.measure() if mass is None else mass
        return Body(mass, shape.centroid(), np.diag(shape.moments(mass)))
    if kind in _SUMS:
        body = _SUMS[kind](shape)
        return scaled(body, density if mass is None else mass / body.mass)
    if kind is PointMass:
        raise MassError('PointMass: has no volume: give its mass, not a density')
    raise MassError(f'{kind.__name__}: has no mass properties: it is not bounded, or not of this package')
