# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The contact point by Newton's method, and its velocity by (15) of docs/smooth_floor.md."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.engine import CurvatureError, Ellipsoid, Sphere, Superquadric
from hakoniwa_rigid.smooth_motion import (
    CylinderFloor,
    MovingFloor,
    ParaboloidFloor,
    PlaneFloor,
    SineFloor,
    SphereFloor,
    SurfaceMotion,
    contact_point,
)

size = st.floats(0.02, 0.5)
number = st.floats(-1.0, 1.0)


def unit(values):
    v = np.array(values) + (0.0, 0.0, 1e-3, 0.0)[:len(values)]
    return v / np.linalg.norm(v)


@given(axes=st.tuples(size, size, size), q=st.tuples(number, number, number, number),
       n=st.tuples(number, number, number), gap=st.floats(-0.01, 2.0))
def test_ellipsoid_on_a_plane_is_the_closed_form(axes, q, n, gap):
    """x_c = x - A n / sqrt(n . A n), A = R diag(a^2) R^T."""
    q, n, x = unit(q), unit(n), np.array([0.3, -0.2, 0.1])
    R = Rotation.from_quat(q[[1, 2, 3, 0]]).as_matrix()
    A = R @ np.diag(np.square(axes)) @ R.T
    point = x - A @ n / np.sqrt(n @ A @ n)
    found, d = contact_point(PlaneFloor(n, n @ point - gap), Ellipsoid(axes), x, q)
    assert_allclose(found, point, atol=1e-12)
    assert d == pytest.approx(gap, abs=1e-14)


@pytest.mark.parametrize(('floor', 'centre', 'gap'), [
    (SphereFloor(1.0, (0, 0, -1)), (0.3, 0.4, 1.2), np.sqrt(0.25 + 2.2**2) - 1.1),
    (SphereFloor(1.0, inside=True), (0.3, 0.4, 0.0), 0.4), (CylinderFloor(0.5, (0, 1, 0)), (0.6, 9.0, 0.8), 0.4),
    (CylinderFloor(1.0, (0, 1, 0), inside=True), (0.3, 9.0, 0.4), 0.4), (PlaneFloor(), (1.0, 2.0, 0.05), -0.05)])
def test_a_ball_has_its_gap_along_the_line_to_its_centre(floor, centre, gap):
    point, d = contact_point(floor, Sphere(0.1), centre, (1, 0, 0, 0))
    assert d == pytest.approx(gap, abs=1e-14)
    n = floor.at(0.0, point)['gradient']
    assert_allclose(point, np.array(centre) - 0.1 * n, atol=1e-14)


@pytest.mark.parametrize('body', [Ellipsoid((0.3, 0.2, 0.15)), Superquadric((0.3, 0.2, 0.25), (0.8, 0.7))])
@pytest.mark.parametrize('floor', [ParaboloidFloor(0.4, -0.3), SineFloor(0.1, (1.0, 2.0)),
                                   SphereFloor(3.0, (0, 0, -3.0))])
def test_both_surfaces_hold_at_the_contact(floor, body):
    """(12): G = 0, H = 0, opposed normals; H and its gradient here in the body's own frame."""
    q = unit((0.7, 0.4, -0.3, 0.5))
    m = SurfaceMotion.resting(floor, body, mass=1.0, at=(0.2, 0.1, 0.4), quat=q)
    point = m.contact_point
    here = floor.at(0.0, point)
    assert abs(here['value']) <= 1e-15
    turn = Rotation.from_quat(q[[1, 2, 3, 0]])
    e1, e2 = getattr(body, 'exponents', (1.0, 1.0))
    own = turn.inv().apply(point - m.pos)
    u, v, w = np.abs(own) / body.semi_axes
    assert (u**(2 / e2) + v**(2 / e2))**(e2 / e1) + w**(2 / e1) == pytest.approx(1.0, abs=1e-13)
    ring = (u**(2 / e2) + v**(2 / e2))**(e2 / e1 - 1.0)
    gradient = np.sign(own) * (ring * u**(2 / e2 - 1.0), ring * v**(2 / e2 - 1.0), w**(2 / e1 - 1.0)) / body.semi_axes
    n = here['gradient'] / np.linalg.norm(here['gradient'])
    assert_allclose(turn.apply(gradient / np.linalg.norm(gradient)), -n, atol=1e-12)


MOVING = dict(velocity=(0.1, 0.0, 0.2), axis=(1.0, 0.3, 0.2), rate=0.4, tilt=0.1, tilt_rate=3.0, sway=(0, 0, 0.05),
              sway_rate=4.0)


@pytest.mark.parametrize('floor', [PlaneFloor(), ParaboloidFloor(0.4, 0.3), SphereFloor(2.0, (0, 0, -2.0)),
                                   SineFloor(0.05, (1.0, 2.0), rate=2.0),
                                   MovingFloor(ParaboloidFloor(0.4, 0.3), **MOVING),
                                   MovingFloor(SineFloor(0.05, (1.0, 2.0), rate=2.0), **MOVING)])
@pytest.mark.parametrize('mode', ['slide', 'roll'])
def test_the_contact_point_moves_as_15_says(floor, mode):
    """Against differences of the contact points of a path that is exact to 1e-12."""
    m = SurfaceMotion.resting(floor, Ellipsoid((0.3, 0.2, 0.15)), mass=1.0, mode=mode, at=(0.1, 0.1, 0.3), dt=1e-4,
                              linvel=(0.4, 0.2, 0.0), angvel=(1.0, 2.0, 1.0), unilateral=False)
    path = [m.contact_point]
    for _ in range(4):
        m.step(10)
        path.append(m.contact_point)
        if len(path) == 3:
            speed = m.contact_velocity
    slope = (8.0 * (path[3] - path[1]) - (path[4] - path[0])) / 12e-3
    assert_allclose(speed, slope, atol=1e-8)


@pytest.mark.parametrize(('floor', 'body', 'at', 'curvatures'), [
    (SphereFloor(0.5, inside=True), Sphere(1.0), (0, 0, 0.5), (1.0, 2.0)),
    (SphereFloor(0.5, inside=True), Sphere(0.5), (0, 0, 0), (2.0, 2.0)),
    (ParaboloidFloor(8.0, 1.0), Sphere(0.2), (0, 0, 0.2), (5.0, 8.0)),
    (PlaneFloor(), Superquadric((0.1, 0.1, 0.1), (0.5, 0.5)), (0, 0, 0.1), (0.0, 0.0))])
def test_a_floor_as_hollow_as_the_body_is_round_is_refused(floor, body, at, curvatures):
    with pytest.raises(CurvatureError) as error:
        SurfaceMotion(floor, body, mass=1.0, pos=at)
    assert_allclose((error.value.body, error.value.floor), curvatures, atol=1e-9)
