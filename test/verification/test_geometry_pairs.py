# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Shape x shape table: depth and normal of overlapping pairs as World reports them, against independent geometry."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles import geometry
from oracles.geometry import SHAPES, touching_pose
from oracles.rotations import random_quat

from hakoniwa_rigid.engine import Box, Capsule, HalfSpace, Sphere, WorldBuilder

MAKE = {'sphere': lambda s: Sphere(s[1]), 'box': lambda s: Box(s[1]), 'capsule': lambda s: Capsule(s[1], s[2])}
DEPTHS = [1e-3, 1e-6]
PAIRS = [(a, b) for a in SHAPES for b in SHAPES]


def rows_of(shape_a, pose_a, shape_b, pose_b, *, kind_a='dynamic'):
    """Contact points of two resting bodies after one step of 1 µs without gravity."""
    b = WorldBuilder(gravity=(0, 0, 0), dt=1e-6)
    b.add_body(shape_a, pos=pose_a[0], quat=pose_a[1], kind=kind_a, **({'mass': 1.0} if kind_a == 'dynamic' else {}))
    b.add_body(shape_b, pos=pose_b[0], quat=pose_b[1], mass=1.0)
    w = b.build()
    w.step(1)
    return w.contacts().copy()


def is_tied(kind_a, pose_a, kind_b, pose_b):
    """Two separating axes of two boxes within 2 % of the depth's scale: which one wins is rounding."""
    if (kind_a, kind_b) != ('box', 'box'):
        return False
    return geometry.box_box(SHAPES[kind_a][1], pose_a, SHAPES[kind_b][1], pose_b)[2] < 2e-3


@pytest.mark.parametrize('depth', DEPTHS)
@pytest.mark.parametrize(('kind_a', 'kind_b'), PAIRS)
def test_depth_and_normal(kind_a, kind_b, depth):
    """Deepest row: depth 1e-9 m, normal 1e-6; the point lies within the overlap of both surfaces."""
    rng = np.random.default_rng(11)
    shape_a, shape_b = SHAPES[kind_a], SHAPES[kind_b]
    done = 0
    while done < 12:
        pose_a, pose_b = touching_pose(rng, shape_a, shape_b, depth)
        if is_tied(kind_a, pose_a, kind_b, pose_b):
            continue
        done += 1
        distance, normal = geometry.signed_distance(shape_a, pose_a, shape_b, pose_b)
        assert_allclose(distance, -depth, atol=1e-11)
        rows = rows_of(MAKE[kind_a](shape_a), pose_a, MAKE[kind_b](shape_b), pose_b)
        assert len(rows) >= 1, f'case {done}: no contact reported'
        deepest = rows[rows['depth'].argmax()]
        assert_allclose(deepest['depth'], depth, atol=1e-9, err_msg=f'case {done}')
        assert_allclose(deepest['normal'], normal, atol=1e-6, err_msg=f'case {done}')
        for shape, pose in ((shape_a, pose_a), (shape_b, pose_b)):
            gap, _ = geometry.signed_distance(
                ('sphere', 1e-9), (deepest['position'], np.array([1.0, 0, 0, 0])), shape, pose
            )
            assert -depth - 1e-8 < gap < depth + 1e-8, f'case {done}: point {gap} off {shape}'


@pytest.mark.parametrize(('kind_a', 'kind_b'), PAIRS)
def test_apart_means_no_impulse(kind_a, kind_b):
    """1 mm apart: rows, if any, have depth 0 and no impulse."""
    rng = np.random.default_rng(12)
    for _ in range(5):
        pose_a, pose_b = touching_pose(rng, SHAPES[kind_a], SHAPES[kind_b], 1e-4)
        _, normal = geometry.signed_distance(SHAPES[kind_a], pose_a, SHAPES[kind_b], pose_b)
        pose_b = pose_b[0] + 1.1e-3 * normal, pose_b[1]
        rows = rows_of(MAKE[kind_a](SHAPES[kind_a]), pose_a, MAKE[kind_b](SHAPES[kind_b]), pose_b)
        assert np.all(rows['depth'] == 0.0)
        assert np.all(rows['impulse'] == 0.0)


@pytest.mark.parametrize('depth', DEPTHS)
@pytest.mark.parametrize('kind', SHAPES)
def test_depth_below_a_half_space(kind, depth):
    """Support point of the shape against the plane n·x = offset: box corner, sphere and capsule end less the radius."""
    rng = np.random.default_rng(13)
    shape = SHAPES[kind]
    for _ in range(10):
        n, quat, pos = rng.normal(size=3), random_quat(rng), rng.normal(size=3)
        n /= np.linalg.norm(n)
        points = {
            'sphere': lambda p=pos: p[None],
            'box': lambda p=pos, q=quat: geometry.box_corners(shape[1], p, q),
            'capsule': lambda p=pos, q=quat: geometry.segment_ends(shape[2], p, q),
        }[kind]()
        radius = 0.0 if kind == 'box' else shape[1]
        offset = (points @ n).min() - radius + depth
        rows = rows_of(
            HalfSpace(tuple(n), offset),
            (np.zeros(3), np.array([1.0, 0, 0, 0])),
            MAKE[kind](shape),
            (pos, quat),
            kind_a='static',
        )
        deepest = rows[rows['depth'].argmax()]
        assert_allclose(deepest['depth'], depth, atol=1e-12)
        assert_allclose(deepest['normal'], n, atol=1e-12)
        point = points[(points @ n).argmin()] - radius * n
        assert np.linalg.norm(deepest['position'] - point) <= depth + 1e-9


def test_half_space_follows_its_pose():
    """A half-space body that is turned and moved: plane through pos with normal R n, offset along it."""
    pose = np.array([0.3, 0, 0]), np.array([np.cos(np.pi / 4), 0, np.sin(np.pi / 4), 0])  # z -> x
    rows = rows_of(
        HalfSpace((0, 0, 1), 0.2),
        pose,
        Sphere(0.1),
        (np.array([0.599, 0, 0]), np.array([1.0, 0, 0, 0])),
        kind_a='static',
    )
    assert_allclose(rows['normal'][0], [1, 0, 0], atol=1e-12)
    assert_allclose(rows['depth'][0], 1e-3, atol=1e-12)


def test_flat_face_gives_four_corners():
    """A small box pressed 1 mm into a large one: four rows at the small one's corners."""
    rows = rows_of(
        Box((1, 1, 0.2)),
        (np.array([0, 0, -0.1]), np.array([1.0, 0, 0, 0])),
        Box((0.4, 0.3, 0.2)),
        (np.array([0.1, 0.05, 0.099]), np.array([1.0, 0, 0, 0])),
    )
    assert len(rows) == 4
    assert_allclose(rows['depth'], 1e-3, atol=1e-12)
    corners = sorted(map(tuple, np.round(rows['position'][:, :2], 9)))
    assert_allclose(corners, [(-0.1, -0.1), (-0.1, 0.2), (0.3, -0.1), (0.3, 0.2)], atol=1e-9)


@pytest.mark.parametrize(
    ('one', 'other'),
    [
        (Sphere(0.2), Sphere(0.2)),
        (Box((0.2,) * 3), Box((0.2,) * 3)),
        (Capsule(0.1, 0.2), Capsule(0.1, 0.2)),
        (Box((0.2,) * 3), Sphere(0.1)),
    ],
)
def test_same_centre_is_finite(one, other):
    """Fully coincident bodies have no unique normal, but no NaN either."""
    pose = np.zeros(3), np.array([1.0, 0, 0, 0])
    rows = rows_of(one, pose, other, pose)
    for row in rows:
        assert np.isfinite(row['depth'])
        assert_allclose(np.linalg.norm(row['normal']), 1.0, atol=1e-12)


def test_filters():
    """group & mask both ways, exclude() and set_enabled() each switch a pair off."""

    def world(masks=((1, -1), (1, -1)), exclude=False):
        b = WorldBuilder(gravity=(0, 0, 0), restitution_threshold=0.0)
        for x, (group, mask) in zip((0.0, 0.19), masks, strict=True):
            b.add_body(Sphere(0.1), mass=1.0, pos=(x, 0, 0), linvel=(1 - x / 0.095, 0, 0), group=group, mask=mask)
        if exclude:
            b.exclude(0, 1)
        return b.build()

    for make, touches in (
        (world(), True),
        (world(((1, 2), (2, 1))), True),
        (world(((1, 2), (2, 2))), False),
        (world(((1, 1), (2, 1))), False),
        (world(exclude=True), False),
    ):
        make.step(1)
        assert (len(make.contacts()) > 0) == touches
    w = world()
    w.set_enabled(1, False)
    w.step(1)
    assert len(w.contacts()) == 0
