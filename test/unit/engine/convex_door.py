# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The narrow phase as a test calls it: oracle shapes in, rows out.  Compiled once per test process."""
import numpy as np
from kernels import from_python

from hakoniwa_rigid.engine.detect import general, queries
from hakoniwa_rigid.engine.model import convex
from hakoniwa_rigid.engine.model import layout as L
from hakoniwa_rigid.engine.shapes import kinds
from hakoniwa_rigid.engine.shapes.hull_tables import hull_tables

collide = from_python(general.collide_general)
distance = from_python(queries.distance_between)
ray = from_python(queries.ray_cast)
CODES = {name.lower(): getattr(kinds, name) for name in ('SPHERE', 'CAPSULE', 'BOX', 'CYLINDER', 'CONE', 'FRUSTUM',
                                                         'ELLIPSOID', 'HULL', 'TRIANGLE', 'HALFSPACE')}
# triangles whose edges do not hold back any normal, not even one through the back
FREE = (2 * np.pi,) * 3
HALFSPACE = ('halfspace', (0.0, 0.0, 1.0))


def cores(*shapes):
    """Convex and the core of each shape (oracles.convex, or HALFSPACE)."""
    hulls = [hull_tables(data) for kind, data in shapes if kind == 'hull']
    triangles = [data for kind, data in shapes if kind == 'triangle']
    g, rows = convex.make_convex(hulls, np.array(triangles) if triangles else None)
    first = sum(len(h.vertex) for h in hulls)
    out = []
    for kind, data in shapes:
        if kind == 'hull':
            out.append((CODES[kind], (0.0, 0.0, 0.0), *rows.pop(0)))
        elif kind == 'triangle':
            out.append((CODES[kind], FREE, first, 3))
            first += 3
        else:
            out.append((CODES[kind], tuple(float(x) for x in (*data, 0.0, 0.0)[:3]), 0, 0))
    return g, out


def pose_of(pose):
    return tuple(float(x) for x in pose[0]), tuple(float(x) for x in pose[1])


def rows_between(g, a, pose_a, b, pose_b):
    """Manifold rows as dicts of arrays: position, normal, gap, feature."""
    m = np.full((16, L.MANIFOLD), np.nan)
    n = collide(g, m, a, *pose_of(pose_a), b, *pose_of(pose_b))
    m = m[:n]
    return {'position': m[:, :3], 'normal': m[:, 3:6], 'gap': m[:, 6], 'feature': m[:, 7]}


def manifold(shape_a, pose_a, shape_b, pose_b):
    """Rows of two shapes."""
    g, (a, b) = cores(shape_a, shape_b)
    return rows_between(g, a, pose_a, b, pose_b)
