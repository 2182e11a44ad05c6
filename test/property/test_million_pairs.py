# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A million random pairs of convex shapes through the general narrow phase, forwards and with the two exchanged.

All of it in one kernel.  No NaN, unit normals; the gap of b-a is that of a-b to 1e-9 of the size, and where it is
apart, so that the normal is unique, the normal is turned round.
"""
import math
import os

import numpy as np
import pytest
from numba import config, njit
from numpy.testing import assert_allclose

from hakoniwa_rigid.engine.detect.general import collide_general
from hakoniwa_rigid.engine.maths.unit import link
from hakoniwa_rigid.engine.model import convex
from hakoniwa_rigid.engine.model import layout as L
from hakoniwa_rigid.engine.shapes.hull_tables import hull_tables
from hakoniwa_rigid.engine.shapes.kinds import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, SPHERE

PAIRS = int(os.environ.get('HAKONIWA_MILLION', '300' if config.DISABLE_JIT else '1000000'))
KINDS = [SPHERE, CAPSULE, BOX, CYLINDER, CONE, ELLIPSOID, HULL]
HULLS = 40
# columns of the results: NaN or not 1 to 4 rows; | |n| - 1 |; difference of the gaps, relative; angle between the
# normals, apart; size and gap of the pair; rows of the worst pairs are kept to say which they were
BAD, LENGTH, SKEW, TURN, SIZE, GAP, RESULT = 0, 1, 2, 3, 4, 5, 6


@njit(error_model='numpy')
def least(m, n):
    k = 0
    for i in range(1, n):
        if m[i, L.M_GAP] < m[k, L.M_GAP]:
            k = i
    return k


@njit(error_model='numpy')
def longest(m, n):
    """Largest | |normal| - 1 | of the rows, NaN if anything is."""
    worst = 0.0
    for k in range(n):
        total = 0.0
        for f in range(L.MANIFOLD):
            total += m[k, f]
        x, y, z = m[k, L.M_N], m[k, L.M_N + 1], m[k, L.M_N + 2]
        off = abs(math.sqrt(x * x + y * y + z * z) - 1.0)
        if not off <= worst:
            worst = off
        if math.isnan(total):
            worst = math.nan
    return worst


@njit(error_model='numpy')
def fuzz(g, m, other, kinds, sizes, hulls, poses, out):
    """Every pair twice; fills `out` (pairs, RESULT)."""
    for i in range(len(poses)):
        s, p, h = sizes[i], poses[i], hulls[i]
        a = (kinds[i, 0], (s[0], s[1], s[2]), h[0], h[1])
        b = (kinds[i, 1], (s[3], s[4], s[5]), h[2], h[3])
        xa, qa = (p[0], p[1], p[2]), (p[3], p[4], p[5], p[6])
        xb, qb = (p[7], p[8], p[9]), (p[10], p[11], p[12], p[13])
        n = collide_general(g, m, a, xa, qa, b, xb, qb)
        k = collide_general(g, other, b, xb, qb, a, xa, qa)
        out[i, BAD] = 0.0 if 1 <= n <= 4 and 1 <= k <= 4 else 1.0
        out[i, LENGTH] = max(longest(m, n), longest(other, k))
        one, two = m[least(m, n)], other[least(other, k)]
        out[i, GAP] = one[L.M_GAP]
        out[i, SKEW] = abs(one[L.M_GAP] - two[L.M_GAP])
        turn = 0.0
        for f in range(3):
            turn += (one[L.M_N + f] + two[L.M_N + f]) ** 2
        out[i, TURN] = math.sqrt(turn)


def hull_table(rng):
    """Convex with HULLS hulls of radius 1, some flat to 1:1000, and (first, count) of each."""
    tables = []
    for k in range(HULLS):
        points = rng.normal(size=(rng.integers(4, 40), 3))
        points /= np.linalg.norm(points, axis=1)[:, None]
        tables.append(hull_tables(points * ([1.0, 1.0, 1.0] if k % 2 else 10.0 ** rng.uniform(-3, 0, size=3))))
    return convex.make_convex(tables)


def cases(rng, count, rows):
    """Kinds, sizes, hulls and poses of `count` pairs: aspects up to 1:1000, sizes 1e-3 to 1e2 m, from deep to far."""
    kinds = rng.choice(KINDS, size=(count, 2))
    scale = 10.0 ** rng.uniform(-3.0, 2.0, size=(count, 2))
    # a hull has its own size, about 1 m: its partner comes near that
    scale[(kinds == HULL).any(axis=1)] = 10.0 ** rng.uniform(-1.0, 1.0, size=2)
    aspect = np.where(rng.random((count, 1)) < 0.5, rng.uniform(-0.5, 0.0, size=(count, 6)),
                      rng.uniform(-3.0, 0.0, size=(count, 6)))
    sizes = 10.0 ** aspect * np.repeat(scale, 3, axis=1)
    hulls = np.array(rows, np.int64)[rng.integers(len(rows), size=(count, 2))].reshape(count, 4)
    hulls[:, :2] *= (kinds[:, :1] == HULL)
    hulls[:, 2:] *= (kinds[:, 1:] == HULL)
    way = rng.normal(size=(count, 3))
    way /= np.linalg.norm(way, axis=1)[:, None]
    total = np.where(kinds == HULL, 1.0, scale).sum(axis=1)
    poses = rng.normal(size=(count, 14))
    poses[:, :3] *= total[:, None]
    deep = rng.random((count, 1)) < 0.3
    far = 10.0 ** np.where(deep, rng.uniform(-3.0, -0.5, (count, 1)), rng.uniform(-0.5, 1.0, (count, 1)))
    poses[:, 7:10] = poses[:, :3] + way * far * total[:, None]
    for q in (poses[:, 3:7], poses[:, 10:14]):
        q /= np.linalg.norm(q, axis=1)[:, None]
    return kinds, sizes, hulls, poses, total


@pytest.fixture(scope='module')
def results():
    link()
    rng = np.random.default_rng(20)
    g, rows = hull_table(rng)
    m, other = np.zeros((16, L.MANIFOLD)), np.zeros((16, L.MANIFOLD))
    kinds, sizes, hulls, poses, total = cases(rng, PAIRS, rows)
    out = np.full((PAIRS, RESULT), np.nan)
    fuzz(g, m, other, kinds, sizes, hulls, poses, out)
    out[:, SIZE] = total
    return out


def test_always_an_answer(results):
    assert np.isfinite(results).all()
    assert not results[:, BAD].any()
    assert_allclose(results[:, LENGTH], 0.0, atol=1e-12)


def test_both_ways_have_one_gap(results, record_property):
    """To 1e-9 of the size of the pair."""
    skew = results[:, SKEW] / results[:, SIZE]
    record_property('skew', [float(x) for x in np.quantile(skew, [0.5, 0.99, 0.9999, 1.0])])
    assert_allclose(skew, 0.0, atol=1e-9)


def test_both_ways_have_one_normal(results, record_property):
    """Apart by more than a thousandth of the size: to 1e-6, as far as rounding of the gap determines it."""
    turn = results[results[:, GAP] > 1e-3 * results[:, SIZE], TURN]
    record_property('turn', [float(x) for x in np.quantile(turn, [0.5, 0.99, 0.9999, 1.0])])
    assert len(turn) > 0.2 * len(results)
    assert_allclose(turn, 0.0, atol=1e-6)
