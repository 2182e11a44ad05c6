# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a crowd's contacts are found by: the gap to a few ten thousandths of the size, at a third of the cost."""
import numpy as np
import pytest
from convex_door import cores, rows_between
from numpy.testing import assert_allclose
from oracles import convex
from oracles.convex import KINDS

from hakoniwa_rigid.engine.model.convex import HURRY

PAIRS = [(a, b) for i, a in enumerate(KINDS) for b in KINDS[i:]]
# m: gaps to which the pair is moved
WANTED = (0.1, 1e-3, 1e-5, -1e-5, -1e-4, -1e-3)
CASES = 18


@pytest.mark.parametrize(('kind_a', 'kind_b'), PAIRS)
def test_gap_is_nearly_the_exact_one(kind_a, kind_b):
    """It is the separation across a normal that was found, so never more than the exact one, but for rounding."""
    rng = np.random.default_rng([KINDS.index(kind_a), KINDS.index(kind_b)])
    for case in range(CASES):
        shapes = convex.random_shape(rng, kind_a, 0.1), convex.random_shape(rng, kind_b, 0.1)
        g, (a, b) = cores(*shapes)
        pose_a, pose_b = convex.random_pose(rng), convex.random_pose(rng, 1.5)
        pose_b = pose_b[0] + 2.0, pose_b[1]
        for _ in range(60):
            rows = rows_between(g, a, pose_a, b, pose_b)
            off = rows['gap'].min() - WANTED[case % len(WANTED)]
            if abs(off) < 1e-9:
                break
            pose_b = pose_b[0] - off * rows['normal'][0], pose_b[1]
        exact = rows['gap'].min()
        g.index[HURRY, 0] = 1
        rows = rows_between(g, a, pose_a, b, pose_b)
        again = rows_between(g, b, pose_b, a, pose_a)
        assert 1 <= len(rows['gap']) <= 4
        assert_allclose(np.linalg.norm(rows['normal'], axis=1), 1.0, atol=1e-14)
        assert -5e-4 <= rows['gap'].min() - exact <= 1e-6
        assert_allclose(again['gap'].min(), rows['gap'].min(), atol=1e-9)


def test_a_disc_that_all_but_lies_on_another_has_the_normal_of_its_face():
    """Tilted by 1e-4 rad, and in it by 50 um: four rows along the axis."""
    disc = ('cylinder', (0.076, 0.015))
    g, (a, b) = cores(disc, disc)
    g.index[HURRY, 0] = 1
    tilt = 1e-4
    quat = np.array([np.cos(tilt / 2), np.sin(tilt / 2), 0.0, 0.0])
    rows = rows_between(g, a, ((0, 0, 0), (1, 0, 0, 0)), b, ((0.03, 0.01, 0.03 - 5e-5), quat))
    assert len(rows['gap']) >= 3
    assert_allclose(np.abs(rows['normal'][:, 2]), 1.0, atol=1e-7)
    assert np.abs(rows['gap'] + 5e-5).max() < 2e-5
