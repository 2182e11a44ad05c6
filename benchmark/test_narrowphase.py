# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Cost of one query of the general narrow phase, pair by pair: apart (GJK), just touching (1e-9 m), 1 cm deep.

A loop inside a kernel, as in a step.  Beside it coal's distance, where installed: called from Python, no manifold.
"""
import time

import numpy as np
import pytest
from numba import njit
from transforms3d.quaternions import quat2mat

from hakoniwa_rigid.engine.detect.general import collide_general
from hakoniwa_rigid.engine.maths.unit import link
from hakoniwa_rigid.engine.model import convex
from hakoniwa_rigid.engine.model import layout as L
from hakoniwa_rigid.engine.shapes.hull_tables import hull_tables

pytestmark = pytest.mark.benchmark(timer=time.process_time)

QUERIES = 400
NOTHING = (0.0, 0.0, 0.0)
POINTS = np.random.default_rng(1).normal(size=(30, 3)) * 0.2
SHAPES = {'sphere': (convex.SPHERE, (0.3, 0.0, 0.0)), 'capsule': (convex.CAPSULE, (0.2, 0.2, 0.0)),
          'box': (convex.BOX, (0.3, 0.2, 0.25)), 'cylinder': (convex.CYLINDER, (0.2, 0.3, 0.0)),
          'cone': (convex.CONE, (0.2, 0.3, 0.0)), 'ellipsoid': (convex.ELLIPSOID, (0.3, 0.2, 0.25)),
          'hull': (convex.HULL, NOTHING)}
PAIRS = [(a, b) for i, a in enumerate(SHAPES) for b in list(SHAPES)[i:]]
GAPS = {'apart': 0.3, 'touching': -1e-9, 'deep': -1e-2}     # m


@njit(error_model='numpy')
def collide(g, m, a, b, poses):
    """Rows found in all queries; a at the origin, poses (k, 7) of b."""
    rows = 0
    for k in range(len(poses)):
        p = poses[k]
        rows += collide_general(g, m, a, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0),
                               b, (p[0], p[1], p[2]), (p[3], p[4], p[5], p[6]))
    return rows


def cores(*kinds):
    tables = [hull_tables(POINTS) for kind in kinds if kind == 'hull']
    g, rows = convex.make_convex(tables)
    return g, [(*SHAPES[k], *(rows[0] if k == 'hull' else (0, 0))) for k in kinds]


def poses_at(g, m, a, b, gap):
    """Random attitudes of b, moved along the normal to the gap."""
    rng = np.random.default_rng(2)
    poses = rng.normal(size=(QUERIES, 7))
    poses[:, :3] *= 1.5 / np.linalg.norm(poses[:, :3], axis=1)[:, None]
    poses[:, 3:] /= np.linalg.norm(poses[:, 3:], axis=1)[:, None]
    for p in poses:
        for _ in range(20):
            collide(g, m, a, b, p[None])
            p[:3] -= (m[:, L.M_GAP][0] - gap) * m[0, L.M_N:L.M_N + 3]
    return poses


def coal_shape(coal, kind):
    code, size = SHAPES[kind]
    if kind == 'hull':
        points = coal.StdVec_Vec3s()
        for p in POINTS:
            points.append(p)
        return coal.Convex.convexHull(points, True, '')
    make = {'sphere': lambda: coal.Sphere(size[0]), 'capsule': lambda: coal.Capsule(size[0], 2 * size[1]),
            'box': lambda: coal.Box(*(2 * s for s in size)), 'cylinder': lambda: coal.Cylinder(size[0], 2 * size[1]),
            'cone': lambda: coal.Cone(size[0], 2 * size[1]), 'ellipsoid': lambda: coal.Ellipsoid(*size)}
    return make[kind]()


def coal_distances(coal, pair, poses):
    """A function that asks coal for all distances."""
    a, b = (coal_shape(coal, kind) for kind in pair)
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance = True
    origin = coal.Transform3s.Identity()
    placed = [coal.Transform3s(quat2mat(p[3:]), p[:3]) for p in poses]

    def ask():
        for pose in placed:
            result.clear()
            coal.distance(a, origin, b, pose, request, result)
    return ask


@pytest.mark.parametrize('setting', GAPS)
@pytest.mark.parametrize('pair', PAIRS, ids='-'.join)
def test_query(measure, pair, setting):
    """Ours, then coal on the same poses."""
    link()
    g, (a, b) = cores(*pair)
    m = np.zeros((16, L.MANIFOLD))
    poses = poses_at(g, m, a, b, GAPS[setting])
    case = f'{pair[0]}-{pair[1]}, {setting}'
    assert measure(case, 'ours', lambda: collide(g, m, a, b, poses), QUERIES, None) >= QUERIES


@pytest.mark.parametrize('setting', GAPS)
@pytest.mark.parametrize('pair', PAIRS, ids='-'.join)
def test_coal(measure, pair, setting):
    coal = pytest.importorskip('coal', reason='coal is not installed: no side by side')
    g, (a, b) = cores(*pair)
    link()
    poses = poses_at(g, np.zeros((16, L.MANIFOLD)), a, b, GAPS[setting])
    measure(f'{pair[0]}-{pair[1]}, {setting}', 'coal', coal_distances(coal, pair, poses), QUERIES, None)
