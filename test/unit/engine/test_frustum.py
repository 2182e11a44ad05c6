# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Frustums: bad lengths, rays onto every face, a slide down a slope."""
import numpy as np
import pytest
from numpy.testing import assert_allclose

from hakoniwa_rigid.engine import EngineError, Frustum, HalfSpace, WorldBuilder

SHAPES = [Frustum(0.3, 0.1, 0.5), Frustum(0.1, 0.3, 0.5), Frustum(0.4, 0.39, 0.05), Frustum(0.3, 0.01, 0.02)]


def radius(shape, z):
    return shape.radius + (shape.top_radius - shape.radius) * (z / shape.height + 0.5)


@pytest.mark.parametrize(('values', 'words'), [
    ((0.2, 0.0, 0.5), r'Frustum.top_radius: must be > 0, got 0.0; that would be a Cone'),
    ((0.0, 0.2, 0.5), r'Frustum.radius: must be > 0, got 0.0; that would be a Cone upside down'),
    ((0.2, 0.1, -1.0), r'Frustum.height: must be in .*, got -1.0'),
    ((0.2, float('nan'), 1.0), r'Frustum.top_radius: must be finite, got nan'),
    (('wide', 0.1, 1.0), r"Frustum.radius: must be a number, got 'wide'")])
def test_bad_lengths_are_named(values, words):
    with pytest.raises(EngineError, match=words):
        Frustum(*values)


@pytest.mark.parametrize('shape', SHAPES, ids=str)
def test_rays_enter_where_the_surface_is(shape):
    """Aimed at known points of the side and of both faces."""
    world = WorldBuilder()
    world.add_body(shape, kind='static')
    world, rng = world.build(), np.random.default_rng(7)
    slope = np.array([shape.height, shape.radius - shape.top_radius]) / np.hypot(
        shape.height, shape.radius - shape.top_radius)
    for _ in range(30):
        angle, z = rng.uniform(0, 2 * np.pi), rng.uniform(-0.49, 0.49) * shape.height
        out = np.array([np.cos(angle), np.sin(angle), 0.0])
        faces = ((radius(shape, z) * out + [0, 0, z], slope[0] * out + [0, 0, slope[1]]),
                 (0.9 * shape.top_radius * out + [0, 0, 0.5 * shape.height], np.array([0, 0, 1.0])),
                 (0.9 * shape.radius * out - [0, 0, 0.5 * shape.height], np.array([0, 0, -1.0])))
        for point, normal in faces:
            way = -normal + 0.3 * rng.uniform(-1, 1, size=3)
            way /= np.linalg.norm(way)
            hit = world.ray_cast(point - 1e-3 * way, way, 10.0)
            assert_allclose(hit.distance, 1e-3, atol=1e-10)
            assert_allclose(hit.normal, normal, atol=1e-8)


def test_it_slides_down_a_slope_on_its_face():
    """Block on a slope: a = g (sin - mu cos)."""
    tilt, mu, steps = 0.5, 0.2, 100
    n = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    shape = Frustum(0.2, 0.15, 0.1)
    world = WorldBuilder(dt=1e-3, combine_friction='min')
    world.add_body(HalfSpace(tuple(n)), kind='static', friction=mu)
    body = world.add_body(shape, mass=2.0, friction=mu, pos=tuple((0.05 + shape.centroid()[2]) * n),
                          quat=(np.cos(tilt / 2), 0, np.sin(tilt / 2), 0))
    world = world.build()
    for _ in range(steps):
        world.step()
    speed = 9.80665 * (np.sin(tilt) - mu * np.cos(tilt)) * steps * 1e-3
    assert_allclose(np.linalg.norm(world.linvel[body]), speed, rtol=1e-6)
    assert_allclose(world.linvel[body] @ n, 0.0, atol=1e-9)
