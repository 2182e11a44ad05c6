# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Manifolds of convex shapes: where the points lie and that they keep their names; degenerate poses; triangles."""
import numpy as np
import pytest
from convex_door import HALFSPACE, cores, manifold, rows_between
from numpy.testing import assert_allclose
from oracles.convex import KINDS, heights, random_shape
from oracles.rotations import matrix, random_quat

UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])
CUBE = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T * 0.5
ORIGIN = (np.zeros(3), UPRIGHT)
TABLE = ('box', (2.0, 2.0, 0.5))
EYE = np.eye(3)


def turn(axis, angle):
    """Quaternion of a rotation about a coordinate axis."""
    return np.array([np.cos(angle / 2), *(np.sin(angle / 2) * EYE[axis])])


def on_table(shape, height, quat=UPRIGHT, at=(0.3, 0.2)):
    return manifold(TABLE, ORIGIN, shape, (np.array([*at, 0.5 + height]), quat))


def sorted_points(rows, decimals=9):
    return sorted(map(tuple, np.round(rows['position'][:, :2], decimals) + 0.0))


@pytest.mark.parametrize('gap', [1e-3, 1e-9, 0.0, -1e-9, -1e-3])
@pytest.mark.parametrize('shape', [('box', (0.5, 0.5, 0.5)), ('hull', CUBE)], ids=['box', 'hull'])
def test_cube_stands_on_its_corners(shape, gap):
    rows = on_table(shape, 0.5 + gap)
    assert_allclose(rows['gap'], gap, atol=1e-15)
    assert_allclose(rows['normal'], [(0, 0, 1)] * 4, atol=1e-15)
    assert_allclose(rows['position'][:, 2], 0.5 + 0.5 * gap, atol=1e-15)
    assert sorted_points(rows) == [(-0.2, -0.3), (-0.2, 0.7), (0.8, -0.3), (0.8, 0.7)]
    assert len(set(rows['feature'])) == 4


@pytest.mark.parametrize('kind', ['cylinder', 'cone'])
@pytest.mark.parametrize('gap', [1e-9, -1e-9, -1e-3])
def test_disc_stands_on_points_fixed_in_the_body(kind, gap):
    """Flat on its base, turned by 0.4 rad: four points of the rim that turn with it."""
    rows = on_table((kind, (0.3, 0.4)), 0.4 + gap, turn(2, 0.4))
    angles = 0.4 + np.arange(4) * np.pi / 2
    wanted = sorted(map(tuple, np.round(np.c_[0.3 + 0.3 * np.cos(angles), 0.2 + 0.3 * np.sin(angles)], 9)))
    assert_allclose(sorted_points(rows), wanted, atol=1e-9)
    assert_allclose(rows['gap'], gap, atol=1e-12)


def test_tilted_disc_touches_at_its_lowest_point():
    """Cylinder tilted by 0.1 rad about x: lowest rim point exact, the others with their own gaps above it."""
    angle, r, h = 0.1, 0.3, 0.4
    height = h * np.cos(angle) + r * np.sin(angle)
    rows = on_table(('cylinder', (r, h)), height - 1e-9, turn(0, angle))
    k = rows['gap'].argmin()
    assert_allclose(rows['gap'][k], -1e-9, atol=1e-14)
    # local point (0, -r, -h) is the lowest
    assert_allclose(rows['position'][k, :2], [0.3, 0.2 - r * np.cos(angle) + h * np.sin(angle)], atol=1e-12)
    assert len(rows['gap']) == 4
    assert_allclose(np.sort(rows['gap'])[-1], 2 * r * np.sin(angle), atol=1e-3)


@pytest.mark.parametrize(('shape', 'quat', 'height', 'x'), [
    (('cylinder', (0.1, 0.4)), turn(1, np.pi / 2), 0.1, (-0.1, 0.7)),
    (('capsule', (0.1, 0.4)), turn(1, np.pi / 2), 0.1, (-0.1, 0.7)),
], ids=['cylinder', 'capsule'])
def test_lying_shape_has_two_points(shape, quat, height, x):
    rows = on_table(shape, height + 1e-9, quat)
    assert_allclose(sorted_points(rows), [(x[0], 0.2), (x[1], 0.2)], atol=1e-9)
    assert_allclose(rows['gap'], 1e-9, atol=1e-14)


def test_cone_on_its_side():
    """Apex and one point of the rim."""
    r, h = 0.3, 0.4
    tilt = np.pi / 2 + np.arctan(r / (2 * h))
    low = h * np.sin(np.arctan(r / (2 * h)))
    rows = on_table(('cone', (r, h)), low, turn(1, tilt))
    assert len(rows['gap']) == 2
    assert_allclose(rows['gap'], 0.0, atol=1e-12)
    assert_allclose(np.ptp(rows['position'][:, 0]), np.hypot(r, 2 * h), atol=1e-12)


def test_crossed_edges_give_one_point():
    """Two boxes standing on edge, crossed at a right angle."""
    low, high = turn(0, np.pi / 4), turn(1, np.pi / 4)
    rows = manifold(('box', (1, 0.5, 0.5)), (np.zeros(3), low), ('box', (0.5, 1, 0.5)),
                    (np.array([0.1, 0.2, np.sqrt(2) * 0.5 * 2 - 1e-6]), high))
    assert len(rows['gap']) == 1
    assert_allclose(rows['gap'], -1e-6, atol=1e-14)
    assert_allclose(rows['normal'][0], [0, 0, 1], atol=1e-12)
    assert_allclose(rows['position'][0], [0.1, 0.0, np.sqrt(0.5) - 5e-7], atol=1e-9)


def test_overhanging_box_has_points_at_the_edge_of_the_table():
    rows = on_table(('box', (0.5, 0.5, 0.5)), 0.5, at=(1.8, 0.0))
    assert sorted_points(rows) == [(1.3, -0.5), (1.3, 0.5), (2.0, -0.5), (2.0, 0.5)]


def test_stacked_cylinders_support_each_other_in_the_lens():
    """Radii 0.3, axes 0.1 apart: all points lie in both caps, the crossings of the rims among them."""
    rows = manifold(('cylinder', (0.3, 0.5)), ORIGIN, ('cylinder', (0.3, 0.5)), (np.array([0.1, 0.0, 1.0]), UPRIGHT))
    points = rows['position'][:, :2]
    assert len(points) == 4
    assert np.all(np.linalg.norm(points, axis=1) < 0.3 + 1e-8)
    assert np.all(np.linalg.norm(points - [0.1, 0.0], axis=1) < 0.3 + 1e-8)
    assert_allclose(np.ptp(points[:, 1]), 2 * np.sqrt(0.09 - 0.0025), atol=1e-9)


@pytest.mark.parametrize('kind', [k for k in KINDS if k != 'triangle'])
def test_half_space(kind):
    """Gap from the support function; both orders; points on the plane's side."""
    rng = np.random.default_rng(3)
    for _ in range(40):
        shape = random_shape(rng, kind)
        g, (a, b) = cores(shape, HALFSPACE)
        pose, plane = (rng.normal(size=3), random_quat(rng)), (rng.normal(size=3), random_quat(rng))
        n = matrix(plane[1])[:, 2]
        gap = n @ (pose[0] - plane[0]) - heights(shape, -(n @ matrix(pose[1]))[None])[0]
        rows, other = rows_between(g, a, pose, b, plane), rows_between(g, b, plane, a, pose)
        assert_allclose(rows['gap'].min(), gap, atol=1e-13)
        assert_allclose(rows['normal'], [-n] * len(rows['gap']), atol=1e-14)
        assert_allclose(other['normal'], -rows['normal'], atol=1e-15)
        assert_allclose(other['gap'], rows['gap'], atol=1e-15)
        # midway between surface and plane
        assert_allclose((rows['position'] - plane[0]) @ n, 0.5 * rows['gap'], atol=1e-12)


@pytest.mark.parametrize('kind_a', KINDS)
@pytest.mark.parametrize('kind_b', KINDS)
def test_same_pose_is_finite_and_repeats(kind_a, kind_b):
    """Coincident bodies: unit normal, finite depth, the same every time."""
    rng = np.random.default_rng(5)
    g, (a, b) = cores(random_shape(rng, kind_a), random_shape(rng, kind_b))
    pose = np.array([0.1, -0.2, 0.3]), random_quat(rng)
    rows, again = (rows_between(g, a, pose, b, pose) for _ in range(2))
    for key, column in rows.items():
        assert np.isfinite(column).all(), key
        np.testing.assert_array_equal(column, again[key])
    assert_allclose(np.linalg.norm(rows['normal'], axis=1), 1.0, atol=1e-14)
    assert rows['gap'].min() < 1e-12 or (kind_a, kind_b) == ('triangle', 'triangle')


@pytest.mark.parametrize('shape', [('box', (0.3, 0.2, 0.1)), ('hull', CUBE * 0.3), ('cylinder', (0.2, 0.1)),
                                   ('cone', (0.2, 0.1))], ids=lambda s: s[0])
def test_names_persist_under_small_motion(shape):
    """A body at rest on a table that shifts and turns by 1e-7 keeps its ids."""
    rng = np.random.default_rng(6)
    height = {'box': 0.1, 'hull': 0.15, 'cylinder': 0.1, 'cone': 0.1}[shape[0]]
    first = on_table(shape, height - 1e-8)
    for _ in range(20):
        q = np.array([1.0, 0, 0, *rng.normal(size=1) * 1e-7])
        at = np.array([0.3, 0.2]) + 1e-7 * rng.normal(size=2)
        rows = on_table(shape, height - 1e-8, q / np.linalg.norm(q), at=at)
        assert set(rows['feature']) == set(first['feature'])


def test_gap_is_continuous_through_contact():
    """A cylinder falls edge first through a box's face: the gap is linear to 1e-13 from +1e-3 to -1e-3."""
    q = random_quat(np.random.default_rng(8))
    rows = [on_table(('cylinder', (0.2, 0.3)), z, q)['gap'].min() for z in 0.35 + np.linspace(-1e-3, 1e-3, 81)]
    assert_allclose(np.diff(rows), 2e-3 / 80, atol=1e-13)


def beside_triangle(shape, pose, limits):
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    g, (triangle, other) = cores(('triangle', points), shape)
    return rows_between(g, (*triangle[:1], limits, *triangle[2:]), ORIGIN, other, pose)


def test_triangle_pushes_out_through_its_front():
    """A ball with its centre below the plane is pushed up, not down; one wholly below is left alone."""
    rows = beside_triangle(('sphere', (0.2,)), (np.array([0.3, 0.3, -0.05]), UPRIGHT), (0.0, 0.0, 0.0))
    assert_allclose(rows['normal'][0], [0, 0, 1], atol=1e-14)
    assert_allclose(rows['gap'], -0.25, atol=1e-14)
    assert len(beside_triangle(('sphere', (0.2,)), (np.array([0.3, 0.3, -0.3]), UPRIGHT), (0.0,) * 3)['gap']) == 0


def test_box_does_not_stumble_over_an_inner_edge():
    """A box 1e-8 deep in a flat mesh, its side 1e-9 beyond the edge of one triangle: up with flat neighbours, sideways
    at a free rim."""
    box, pose = ('box', (0.1, 0.1, 0.1)), (np.array([0.4, -0.1 + 1e-9, 0.1 - 1e-8]), UPRIGHT)
    inner = beside_triangle(box, pose, (0.0, 0.0, 0.0))
    assert_allclose(inner['normal'], [[0, 0, 1]] * len(inner['gap']), atol=1e-14)
    assert_allclose(inner['gap'].min(), -1e-8, atol=1e-15)
    rim = beside_triangle(box, pose, (np.pi / 2,) * 3)
    assert_allclose(rim['normal'], [[0, -1, 0]] * len(rim['gap']), atol=1e-14)
    assert_allclose(rim['gap'].min(), -1e-9, atol=1e-15)


def test_far_from_the_origin_nothing_is_lost():
    """The same pair 1e5 m away: gaps to the rounding of the coordinates, 2e-11 m."""
    shift = np.array([1e5, -1e5, 5e4])
    rows = manifold(TABLE, (shift, UPRIGHT), ('cylinder', (0.3, 0.4)), (shift + [0.3, 0.2, 0.9], turn(2, 0.3)))
    assert_allclose(rows['gap'], 0.0, atol=2e-11)
    assert len(rows['gap']) == 4
