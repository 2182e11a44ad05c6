# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Triangles for pictures: closed, outward, and as large as the shape."""
import numpy as np
import pytest
from numpy.testing import assert_allclose

from hakoniwa_rigid.engine import (
    Box,
    Capsule,
    Compound,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    Frustum,
    HalfSpace,
    HeightField,
    Part,
    Sphere,
    mass_properties,
)
from hakoniwa_rigid.scene.offline.outlines import triangles

TURN = (0.8, 0.0, 0.6, 0.0)
SHAPES = [Sphere(0.3), Box((0.1, 0.2, 0.3)), Capsule(0.1, 0.4), Capsule(0.1, 0.0), Cylinder(0.2, 0.5), Cone(0.2, 0.5),
          Frustum(0.1, 0.2, 0.5),
          Ellipsoid((0.1, 0.2, 0.3)), ConvexHull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]),
          Compound((Part(Sphere(0.2), pos=(1.0, 0.0, 0.0)), Part(Box((0.1, 0.2, 0.3)), quat=TURN)))]


@pytest.mark.parametrize('shape', SHAPES, ids=lambda s: type(s).__name__)
def test_volume_and_middle(shape):
    corners = triangles(shape)
    volumes = np.linalg.det(corners) / 6
    true = mass_properties(shape, density=1.0)
    # 24 corners in place of a circle: 1.1 % less area, and the same across
    assert 0.95 * true.mass <= volumes.sum() <= true.mass * (1 + 1e-12)
    middle = (volumes[:, None] * corners.sum(axis=1) / 4).sum(axis=0) / volumes.sum()
    assert_allclose(middle, true.com, atol=0.02)


def test_half_spaces_are_squares_that_face_out():
    plane = HalfSpace((0.0, 0.6, 0.8), 2.0)
    corners = triangles(plane, 3.0)
    assert_allclose(corners @ plane.normal, 2.0, atol=1e-12)
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert_allclose(0.5 * np.linalg.norm(across, axis=1).sum(), 36.0)
    assert (across @ plane.normal > 0).all()


def test_height_fields_are_their_own_triangles():
    field = HeightField(np.eye(3), (0.5, 0.5))
    assert np.array_equal(triangles(field), field.vertices[field.faces])
