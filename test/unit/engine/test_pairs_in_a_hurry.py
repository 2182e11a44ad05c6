# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a crowd's contacts are found by: the gap to a few ten thousandths of the size, at a third of the cost."""
import numpy as np
import pytest
from convex_door import cores, rows_between
from numpy.testing import assert_allclose
from oracles import convex
from oracles.convex import KINDS

from hakoniwa_rigid.engine.detect.manifold import DEEPER
from hakoniwa_rigid.engine.model.convex import HURRY, OLD_NORMAL

PAIRS = [(a, b) for i, a in enumerate(KINDS) for b in KINDS[i:]]
# m: gaps to which the pair is moved
WANTED = (0.1, 1e-3, 1e-5, -1e-5, -1e-4, -1e-3)
CASES = 18


def random_pairs(rng, kind_a, kind_b):
    """Pairs of two kinds, each moved to one of the WANTED gaps: its number, cores and poses, and their exact rows."""
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
        yield case, g, a, pose_a, b, pose_b, rows


@pytest.mark.parametrize(('kind_a', 'kind_b'), PAIRS)
def test_gap_is_nearly_the_exact_one(kind_a, kind_b):
    """It is the separation across a normal that was found, so never more than the exact one, but for rounding."""
    rng = np.random.default_rng([KINDS.index(kind_a), KINDS.index(kind_b)])
    for _, g, a, pose_a, b, pose_b, rows in random_pairs(rng, kind_a, kind_b):
        exact = rows['gap'].min()
        g.index[HURRY, 0] = 1
        rows = rows_between(g, a, pose_a, b, pose_b)
        again = rows_between(g, b, pose_b, a, pose_a)
        assert 1 <= len(rows['gap']) <= 4
        assert_allclose(np.linalg.norm(rows['normal'], axis=1), 1.0, atol=1e-14)
        assert -5e-4 <= rows['gap'].min() - exact <= 1e-6
        assert_allclose(again['gap'].min(), rows['gap'].min(), atol=1e-9)


def turned_by(rng, normal, angle):
    """A unit vector `angle` (rad) away from another."""
    across = np.cross(normal, rng.normal(size=3))
    return np.cos(angle) * normal + np.sin(angle) * across / np.linalg.norm(across)


@pytest.mark.parametrize(('kind_a', 'kind_b'), PAIRS)
def test_an_old_normal_changes_the_gap_by_no_more(kind_a, kind_b):
    """The true one, one of some steps ago, one of a tumbling body, and one that says nothing.

    Of more than four rows, those that are left need not have the deepest (`reduce_steadily`)."""
    rng = np.random.default_rng([3, KINDS.index(kind_a), KINDS.index(kind_b)])
    for case, g, a, pose_a, b, pose_b, rows in random_pairs(rng, kind_a, kind_b):
        exact, normal = rows['gap'].min(), rows['normal'][0].copy()
        g.index[HURRY, 0] = 1
        for angle in (0.0, 0.01, 0.3, 1.5, 3.0):
            old = turned_by(rng, normal, angle)
            g.work[OLD_NORMAL, :3] = old
            rows = rows_between(g, a, pose_a, b, pose_b)
            assert -5e-4 <= rows['gap'].min() - exact <= 1e-6 + DEEPER, (angle, case)
            g.work[OLD_NORMAL, :3] = -old
            again = rows_between(g, b, pose_b, a, pose_a)
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


@pytest.mark.parametrize('post', [('cylinder', (0.2, 1.5)), ('capsule', (0.2, 1.5)), ('cone', (0.3, 1.5)),
                                  ('box', (0.2, 0.2, 1.5))], ids=lambda post: post[0])
def test_a_disc_beside_a_post_meets_it_at_its_own_height(post):
    """However the normal that was found errs: the post's end is 1.5 m away, and was half the contact point."""
    rng, disc = np.random.default_rng(8), ('cylinder', (0.08, 0.015))
    g, (a, b) = cores(disc, post)
    for case in range(40):
        turn, height, tilt = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(-1.2, 0.8), rng.uniform(-1e-3, 1e-3)
        out = np.array([np.cos(turn), np.sin(turn), 0.0])
        quat, at = np.array([np.cos(tilt / 2), np.sin(tilt / 2), 0.0, 0.0]), 0.6 * out + (0.0, 0.0, height)
        g.index[HURRY, 0] = 0
        for _ in range(20):
            exact = rows_between(g, a, (at, quat), b, ((0, 0, 0), (1, 0, 0, 0)))
            at = at + (exact['gap'].min() - 1e-4) * exact['normal'][0]
        g.index[HURRY, 0] = 1
        for angle in (None, 0.0, 1e-3, 0.05):
            g.work[OLD_NORMAL, :3] = 0.0 if angle is None else turned_by(rng, exact['normal'][0], angle)
            rows = rows_between(g, a, (at, quat), b, ((0, 0, 0), (1, 0, 0, 0)))
            near = rows['gap'] < rows['gap'].min() + 1e-3
            assert np.abs(rows['position'][near, 2] - at[2]).max() < 0.02, (case, angle)
            least = exact['position'][exact['gap'].argmin()]
            assert np.linalg.norm(rows['position'][near, :2] - least[:2], axis=1).max() < 0.02, (case, angle)
            assert abs(rows['gap'].min() - 1e-4) < 5e-4


ROD, BEAM = ('capsule', (0.02, 1.5)), ('box', (0.02, 0.02, 1.5))


@pytest.mark.parametrize(('first', 'post'), [(ROD, ROD), (BEAM, ('cylinder', (0.02, 1.5))), (BEAM, BEAM),
                                             (BEAM, ('box', (0.02, 0.02, 0.2)))])
def test_posts_that_cross_just_beside_the_end_of_one_meet_there(first, post):
    """Their segments cross as seen along the true normal, and miss each other as seen along one that was found."""
    rng = np.random.default_rng(9)
    g, (a, b) = cores(first, post)
    for case in range(60):
        askew, end = rng.uniform(0.1, 1.5), (0.0, 0.0, post[1][-1] - 0.01 * rng.uniform(0.0, 1.0))
        share = rng.uniform(-1.4, 1.4) if case % 2 else rng.choice([-1.5, 1.5])
        quat = np.array([np.cos(askew / 2), np.sin(askew / 2), 0.0, 0.0])
        axis = np.array([0.0, -np.sin(askew), np.cos(askew)])
        at = np.array([1.0, 0.0, 0.0]) + end - share * axis
        g.index[HURRY, 0] = 0
        for _ in range(40):
            exact = rows_between(g, a, (at, quat), b, ((0, 0, 0), (1, 0, 0, 0)))
            at = at + (exact['gap'].min() - 1e-4) * exact['normal'][0]
        g.index[HURRY, 0] = 1
        least = exact['position'][exact['gap'] < exact['gap'].min() + 1e-3]
        for angle in (None, 0.0, 1e-3, 0.05):
            g.work[OLD_NORMAL, :3] = 0.0 if angle is None else turned_by(rng, exact['normal'][0], angle)
            rows = rows_between(g, a, (at, quat), b, ((0, 0, 0), (1, 0, 0, 0)))
            found = rows['position'][rows['gap'].argmin()]
            assert np.linalg.norm(least - found, axis=1).min() < 0.05, (case, angle)
