# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Numbers of the kinds of convex cores, of half-spaces and of meshes, by which kernels tell them apart.

The order counts: pairs of shapes are looked at in it, curved cores without a radius stand from CYLINDER to ELLIPSOID,
and those with vertices of their own from HULL on.
"""
SPHERE, CAPSULE, BOX, HALFSPACE, CYLINDER, CONE, FRUSTUM, ELLIPSOID, HULL, TRIANGLE, MESH = range(11)
# radius (m) given to shapes without bounds
UNBOUNDED = 1e30
