# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Random pairs of all convex shapes: proof of every gap by an independent bound from each side.

The separation across the reported normal is a lower bound of the signed distance.  Apart, the two reported points are
an upper bound where they lie in the shapes.  Overlapping, the search over directions finds nothing better.
"""
import os

import numpy as np
import pytest
from convex_door import cores, rows_between
from numpy.testing import assert_allclose
from oracles import convex
from oracles.convex import KINDS, POLYTOPES

PAIRS = [(a, b) for i, a in enumerate(KINDS) for b in KINDS[i:]]
CASES = int(os.environ.get('HAKONIWA_FUZZ_PAIRS', '24'))     # per pair of kinds and setting
WANTED = (None, 1e-4, 1e-9, -1e-9, -1e-5, -1e-2)             # m, gap to move the pair to; None: as it falls
CURVED = {'cylinder', 'cone', 'ellipsoid'}


def place(g, a, b, shapes, pose_a, pose_b, wanted):
    """Move b along the normal until the gap is as wanted."""
    for _ in range(60):
        rows = rows_between(g, a, pose_a, b, pose_b)
        off = rows['gap'].min() - wanted
        if abs(off) < 1e-13:
            break
        pose_b = pose_b[0] - off * rows['normal'][0], pose_b[1]
    return pose_b


def check(shapes, g, a, b, pose_a, pose_b, rng):
    """All that must hold for one pair; returns the gap."""
    size = max(np.abs(convex.heights(s, np.vstack([np.eye(3), -np.eye(3)]))).max() for s in shapes)
    rows = rows_between(g, a, pose_a, b, pose_b)
    assert all(np.isfinite(column).all() for column in rows.values())
    assert 1 <= len(rows['gap']) <= 4
    k = rows['gap'].argmin()
    gap, normal, x = rows['gap'][k], rows['normal'][k], rows['position'][k]
    assert_allclose(np.linalg.norm(rows['normal'], axis=1), 1.0, atol=1e-14)
    bound = convex.separations(shapes[0], pose_a, shapes[1], pose_b, normal[None])[0]
    assert_allclose(bound, gap, atol=1e-12 * (1.0 + size))
    # a flat curved surface turns a depth found to 2e-7 m into a point found to its root
    curved = gap < -5e-8 and any(s[0] in CURVED for s in shapes)
    room = 1e-7 + 1e-2 * max(-gap, 0.0) + (1e-3 * size if curved else 0.0)
    for shape, pose, side in ((shapes[0], pose_a, -0.5), (shapes[1], pose_b, 0.5)):
        assert convex.outside(shape, pose, x + side * gap * normal) < room
    if gap < 0.0:
        found = convex.deepest(shapes[0], pose_a, shapes[1], pose_b, rng)
        assert found <= gap + 1e-6, f'a direction is better by {found - gap}'
    other = rows_between(g, b, pose_b, a, pose_a)
    assert_allclose(other['gap'].min(), gap, atol=5e-7 if gap < 0.0 else 1e-11)
    return gap


@pytest.mark.parametrize('low', [0.1, 1e-3], ids=['compact', 'thin'])
@pytest.mark.parametrize(('kind_a', 'kind_b'), PAIRS)
def test_gap_is_proved(kind_a, kind_b, low):
    """Sizes low..1 m each, so aspect ratios up to 1:1000 in the second setting."""
    rng = np.random.default_rng([KINDS.index(kind_a), KINDS.index(kind_b), int(low * 1e3)])
    for case in range(CASES):
        shapes = convex.random_shape(rng, kind_a, low), convex.random_shape(rng, kind_b, low)
        g, (a, b) = cores(*shapes)
        pose_a, pose_b = convex.random_pose(rng), convex.random_pose(rng, 1.5)
        wanted = WANTED[case % len(WANTED)]
        if wanted is not None:
            pose_b = place(g, a, b, shapes, pose_a, (pose_b[0] + 2.0, pose_b[1]), wanted)
        gap = check(shapes, g, a, b, pose_a, pose_b, rng)
        if wanted is not None and wanted > 0.0:
            assert_allclose(gap, wanted, atol=1e-12)


@pytest.mark.parametrize(('kind_a', 'kind_b'), [p for p in PAIRS if not {'triangle', 'frustum'} & set(p)])
def test_agrees_with_coal(kind_a, kind_b):
    """To 1e-6 m.  Where ellipsoids or deep curved shapes are in it, coal stops early: then ours must be the larger one.

    The larger of two separations is nearer to the truth.
    """
    rng = np.random.default_rng([7, KINDS.index(kind_a), KINDS.index(kind_b)])
    for _ in range(CASES):
        shapes = convex.random_shape(rng, kind_a), convex.random_shape(rng, kind_b)
        g, (a, b) = cores(*shapes)
        pose_a, pose_b = convex.random_pose(rng), convex.random_pose(rng, 1.5)
        gap = rows_between(g, a, pose_a, b, pose_b)['gap'].min()
        theirs = convex.coal_distance(convex.coal_geometry(shapes[0]), pose_a, convex.coal_geometry(shapes[1]), pose_b)
        if {kind_a, kind_b} <= POLYTOPES:
            assert_allclose(gap, theirs, atol=1e-9)
        elif abs(theirs) < 1e3 and gap > 1e-6 and 'ellipsoid' not in (kind_a, kind_b):
            assert_allclose(gap, theirs, atol=1e-6)
        elif abs(theirs) < 1e3 and gap * theirs > 1e-6:
            assert gap >= theirs - 1e-6


@pytest.mark.parametrize('scale', [1e-3, 1e3])
@pytest.mark.parametrize(('kind_a', 'kind_b'), PAIRS)
def test_sizes_do_not_matter(kind_a, kind_b, scale):
    """The same pair a thousand times smaller or larger has a gap that scales to 1e-9 of the size."""
    rng = np.random.default_rng([11, KINDS.index(kind_a), KINDS.index(kind_b)])
    for _ in range(6):
        shapes = [convex.random_shape(rng, k) for k in (kind_a, kind_b)]
        pose_a, pose_b = convex.random_pose(rng), convex.random_pose(rng, 1.5)
        g, (a, b) = cores(*shapes)
        gap = rows_between(g, a, pose_a, b, pose_b)['gap'].min()
        g, (a, b) = cores(*((kind, np.asarray(data) * scale) for kind, data in shapes))
        scaled = rows_between(g, a, (pose_a[0] * scale, pose_a[1]), b, (pose_b[0] * scale, pose_b[1]))['gap'].min()
        assert_allclose(scaled / scale, gap, atol=1e-9 if gap > 0.0 else 5e-7)
