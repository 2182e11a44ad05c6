# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What is said of drones inside walls and of meshes wound inside out."""
import numpy as np
import pytest
from scene_worlds import MODEL, TICK, UPRIGHT, ZERO, make_config
from scipy.spatial import Delaunay

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
    Part,
    Sphere,
    TriangleMesh,
    WorldBuilder,
)
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.buried import holds, winding, winds
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig, Pose, WallConfig

trimesh = pytest.importorskip('trimesh')


def mesh_of(t, flip=False):
    return TriangleMesh(t.vertices, t.faces[:, ::-1] if flip else t.faces)


def room(flip=False, size=2.0):
    return mesh_of(trimesh.creation.box((size, size, size)), flip)


def scene_with(shape, place, pose=(0.0, 0.0, 0.0)):
    scene = CollisionScene.from_config(make_config(DroneConfig('d', MODEL, Pose(place)),
                                                   walls=(WallConfig('w', shape, Pose(pose)),)))
    scene.advance(0)
    scene.feed_drone('d', 0, place, UPRIGHT, ZERO, ZERO)
    for k in range(1, 4):
        scene.advance(k * TICK)
    return scene


@pytest.mark.parametrize('shape', [
    Box((2.0, 2.0, 2.0)), room(), Sphere(1.0), ConvexHull(trimesh.creation.box((2, 2, 2)).vertices),
    Compound([Part(Box((1.0, 1.0, 1.0)), pos=(0.2, 0.0, 0.0))]), Cylinder(1.0, 2.0)], ids=lambda s: type(s).__name__)
def test_a_drone_inside_a_wall_is_reported_once(shape):
    scene = scene_with(shape, (5.1, 0.0, 0.0), (5.0, 0.0, 0.0))
    assert scene.counters == {('buried', 'd'): 1}
    assert scene.last_rejected['buried', 'd'] == 'came in inside w'
    scene.reset()
    scene.feed_drone('d', 3 * TICK, (0.0, 0.0, 0.0), UPRIGHT, ZERO, ZERO)
    scene.advance(5 * TICK)
    assert scene.counters['buried', 'd'] == 1


@pytest.mark.parametrize(('height', 'reported'), [(-1.0, True), (-0.05, False), (0.5, False)])
def test_below_the_floor(height, reported):
    assert bool(scene_with(HalfSpace(), (0.0, 0.0, height)).counters) == reported


def test_rooms_are_fine():
    """A mesh wound inwards around the drones is meant."""
    assert not scene_with(room(flip=True), (0.3, 0.2, 0.1)).counters


def test_an_obstacle_wound_inwards():
    scene = scene_with(room(flip=True), (5.0, 0.0, 0.0))
    assert set(scene.counters) == {('inside_out', 'w'), ('buried', 'd')}
    assert 'turn them round' in scene.last_rejected['inside_out', 'w']


def test_an_obstacle_wound_outwards():
    assert not scene_with(room(), (5.0, 0.0, 0.0)).counters


@pytest.mark.parametrize('shape', [
    Sphere(0.7), Box((1.0, 1.4, 0.8)), Capsule(0.4, 0.9), Cylinder(0.6, 1.1), Cone(0.7, 1.3), Frustum(0.4, 0.7, 1.3),
    Ellipsoid((0.9, 0.5, 0.7)), ConvexHull(np.random.default_rng(1).normal(size=(30, 3)))],
    ids=lambda s: type(s).__name__)
def test_inside_as_a_fine_mesh_says(shape):
    """Against tetrahedra, and against distances of the engine."""
    rng = np.random.default_rng(2)
    p = rng.uniform(-1.5, 1.5, (400, 3))
    if isinstance(shape, ConvexHull):
        inside = Delaunay(shape.vertices).find_simplex(p) >= 0
    else:
        b = WorldBuilder(gravity=(0, 0, 0))
        b.add_body(shape, kind='static')
        b.add_body(Sphere(1e-6), mass=1.0)
        w = b.build()
        inside = np.empty(len(p), bool)
        for k, point in enumerate(p):
            w.set_state(1, pos=point)
            inside[k] = w.distance(0, 1).distance < 0.0
    np.testing.assert_array_equal([holds(shape, point, 0.0) for point in p], inside)


def test_winding_of_a_ring():
    """A ring is not convex; its polygons are within 1 cm of the circles."""
    solid = trimesh.creation.annulus(0.5, 1.0, 1.0, sections=64)
    p = np.random.default_rng(3).uniform(-1.2, 1.2, (500, 3))
    r = np.hypot(p[:, 0], p[:, 1])
    p, r = p[(abs(r - 0.5) > 0.01) & (abs(r - 1.0) > 0.01)], r[(abs(r - 0.5) > 0.01) & (abs(r - 1.0) > 0.01)]
    inside = (r > 0.5) & (r < 1.0) & (abs(p[:, 2]) < 0.5)
    for flip in (False, True):
        mesh = mesh_of(solid, flip)
        assert winds(mesh) == (-1 if flip else 1)
        turns = np.array([winding(mesh, point) for point in p])
        np.testing.assert_array_equal(turns, inside * (-1 if flip else 1))


def test_points_above_edges_and_corners():
    """The vertical through a corner of a grid of triangles is no special case."""
    mesh = mesh_of(trimesh.creation.box((2, 2, 2)).subdivide().subdivide())
    for x in np.linspace(-0.75, 0.75, 7):
        assert winding(mesh, np.array([x, 0.5, 0.0])) == 1
    assert winding(mesh, np.array([0.0, 0.0, 1.5])) == 0
