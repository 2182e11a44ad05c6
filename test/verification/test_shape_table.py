# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The table of docs/shape_pairs.md: for every two shapes that may meet, the largest errors found, or "raises".

Every shape is known to the oracle as a union of convex pieces (a mesh and a height field too).  The true distance is
that of the nearest pieces.  Write the page anew with `PYTHONPATH=test python test/verification/test_shape_table.py`.
"""
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from oracles import convex, meshes
from oracles.distance import signed_distance
from oracles.rotations import matrix, multiply, random_quat

from hakoniwa_rigid.engine import (
    Box,
    Capsule,
    Compound,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    EngineError,
    Frustum,
    HalfSpace,
    HeightField,
    Sphere,
    TriangleMesh,
    WorldBuilder,
)

PAGE = Path(__file__).parents[2] / 'docs' / 'shape_pairs.md'
MOVING = ['sphere', 'capsule', 'box', 'cylinder', 'cone', 'frustum', 'ellipsoid', 'hull', 'compound']
FIXED = ['halfspace', 'mesh', 'field']
PAIRS = [(a, b) for i, a in enumerate(MOVING) for b in MOVING[i:] + FIXED]
REFUSED = [(a, b) for i, a in enumerate(FIXED) for b in FIXED[i:]]
CASES = ['random', 'touching', 'near', 'shallow', 'deep', 'parallel', 'thin', 'tiny']
REPEATS = 3
LARGEST = 1e-6      # m, of distance and depth; 1, of normals; m, of points
UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])
MAKE = {'sphere': lambda s: Sphere(s[0]), 'capsule': lambda s: Capsule(s[0], 2 * s[1]),
        'box': lambda s: Box(tuple(2 * x for x in s)), 'cylinder': lambda s: Cylinder(s[0], 2 * s[1]),
        'cone': lambda s: Cone(s[0], 2 * s[1]), 'frustum': lambda s: Frustum(s[0], s[2], 2 * s[1]),
        'ellipsoid': Ellipsoid, 'hull': ConvexHull}


def measured(shape_a, pose_a, shape_b, pose_b):
    """World.distance of two engine shapes at their poses: (distance, point_a, point_b, normal)."""
    b = WorldBuilder(gravity=(0, 0, 0))
    for shape, pose in ((shape_a, pose_a), (shape_b, pose_b)):
        fixed = isinstance(shape, (HalfSpace, TriangleMesh, HeightField))
        b.add_body(shape, pos=pose[0], quat=pose[1], **({'kind': 'static'} if fixed else
                   {'mass': 1.0, 'inertia': (1.0, 1.0, 1.0), 'com': (0.0, 0.0, 0.0)}))
    return b.build().distance(0, 1)


def prisms(field):
    """Hulls of the triangles of a height field and their shadows 1 m below."""
    corners = field.vertices[field.faces]
    return [('hull', np.vstack([c, c - [0, 0, 1.0]])) for c in corners]


def draw(rng, kind, low, high):
    """(engine shape, its convex pieces [(oracle shape, position, attitude)]), sizes from low to high (m)."""
    here = np.zeros(3), UPRIGHT
    if kind == 'compound':
        parts = [(convex.random_shape(rng, k, low, high), high * rng.normal(size=3), random_quat(rng))
                 for k in ('box', 'cylinder', 'capsule')]
        return Compound([(MAKE[s[0]](s[1]), x, q) for s, x, q in parts]), parts
    if kind == 'halfspace':
        return HalfSpace(), []
    if kind == 'mesh':
        vertices, faces = meshes.l_prism()
        boxes = [(('box', (1.0, 0.5, 0.5)), np.array([1.0, 0.5, 0.5]), UPRIGHT),
                 (('box', (0.5, 1.0, 0.5)), np.array([0.5, 1.0, 0.5]), UPRIGHT)]
        return TriangleMesh(vertices, faces), boxes
    if kind == 'field':
        field = HeightField(rng.uniform(-0.1, 0.1, size=(4, 4)), (0.7, 0.8))
        return field, [(s, *here) for s in prisms(field)]
    shape = convex.random_shape(rng, kind, low, high)
    return MAKE[kind](shape[1]), [(shape, *here)]


def placed(pieces, pose):
    return [(s, (pose[0] + matrix(pose[1]) @ x, multiply(pose[1], q))) for s, x, q in pieces]


def truth(a, b, rng, hint):
    """Signed distance and normal (or None) of two unions of placed pieces; the half-space z <= 0 has none.

    The normal is None, too, where two pairs of pieces are about as near.
    """
    if not b:
        down = np.array([[0.0, 0.0, -1.0]])
        return min(x[2] - convex.heights(s, down @ matrix(q))[0] for s, (x, q) in a), down[0]
    found = sorted((signed_distance(sa, pa, sb, pb, rng, hint) for sa, pa in a for sb, pb in b), key=lambda r: r[0])
    tied = len(found) > 1 and found[1][0] - found[0][0] < 1e-9
    return found[0][0], None if tied else found[0][1]


def off(pieces, point):
    """How far (m) a point lies outside a union of placed pieces."""
    return max(0.0, min(convex.outside(s, pose, point) for s, pose in pieces)) if pieces else max(0.0, point[2])


def poses(rng, case, kind_b, size):
    """Attitudes, and a start of a that is apart from b at the origin, or deep in it."""
    quat_a = UPRIGHT if case == 'parallel' else random_quat(rng)
    quat_b = UPRIGHT if case == 'parallel' or kind_b in FIXED else random_quat(rng)
    if kind_b in ('mesh', 'field'):
        aim = rng.uniform(-0.7, 0.7, size=2) + (1.0 if kind_b == 'mesh' else 0.0)
        return (np.array([*aim, 1.3 + 4.0 * size]), quat_a), (np.zeros(3), quat_b)
    way = rng.normal(size=3)
    way[2] = abs(way[2]) + (2.0 if case == 'parallel' else 0.0)
    far = 0.2 if case == 'deep' else 6.0
    return (way / np.linalg.norm(way) * far * size, quat_a), (np.zeros(3), quat_b)


def one(rng, kind_a, kind_b, case):
    """Errors of distance, normal, points of one case, nan where no unique value is known; None if it does not fit."""
    low, high = {'thin': (1e-3, 1.0), 'tiny': (1e-4, 1e-3)}.get(case, (0.1, 1.0))
    (a, pieces_a), (b, pieces_b) = draw(rng, kind_a, low, high), draw(rng, kind_b, low, high)
    pose_a, pose_b = poses(rng, case, kind_b, high)
    gap = {'touching': 0.0, 'near': 1e-3, 'parallel': 1e-3, 'shallow': -1e-5}.get(case)
    if case == 'deep' and kind_b in ('mesh', 'field'):
        return None     # a mesh is a surface: depth is that of the nearest patch
    solid = placed(pieces_b, pose_b)
    known = None
    if gap is not None:
        # along the shortest vector the pair keeps its normal until it touches, and has just the wanted gap; twice, so
        # that the rounding of the normal does not count for the way
        for stop in (0.03 * high, gap):
            d, known = truth(placed(pieces_a, pose_a), solid, rng, None)
            if known is None:
                return None
            pose_a = pose_a[0] + (d - stop) * known, pose_a[1]
    moved = placed(pieces_a, pose_a)
    got = measured(a, pose_a, b, pose_b)
    if gap is not None and gap >= 0.0:
        # at rest on each other, corners have many normals
        want, normal = gap, known if gap > 0.0 else None
    elif case == 'shallow' and kind_b in ('mesh', 'field'):
        # a corner pressed into an edge has a shorter way out than along the old normal: never more than the overlap
        return (max(0.0, -got.distance + gap), np.nan, abs(got.distance - (got.point_b - got.point_a) @ got.normal))
    else:
        want, normal = truth(moved, solid, rng, got.normal)
    points = max(off(moved, got.point_a), off(solid, got.point_b),
                 np.linalg.norm(got.point_b - got.point_a - got.distance * got.normal))
    turned = np.nan if normal is None else np.linalg.norm(got.normal - normal)
    return abs(got.distance - want), turned, points


@cache
def errors(kind_a, kind_b):
    """{case: largest errors (distance, normal, points)} of a pair."""
    rng = np.random.default_rng([(MOVING + FIXED).index(k) for k in (kind_a, kind_b)])
    found = {}
    for case in CASES:
        rows = [one(rng, kind_a, kind_b, case) for _ in range(REPEATS)]
        rows = [r for r in rows if r is not None]
        if rows:
            found[case] = np.fmax.reduce(np.array(rows))
    return found


@pytest.mark.parametrize(('kind_a', 'kind_b'), PAIRS, ids=['-'.join(p) for p in PAIRS])
def test_errors_stay_below_a_micrometre(kind_a, kind_b):
    """Of every case; distances and points are always known."""
    for case, found in errors(kind_a, kind_b).items():
        assert np.isfinite(found[[0, 2]]).all(), case
        for what, error in zip(('distance', 'normal', 'points'), found, strict=True):
            assert not error > LARGEST, f'{case}: {what}: {error}'


@pytest.mark.parametrize(('kind_a', 'kind_b'), REFUSED, ids=['-'.join(p) for p in REFUSED])
def test_shapes_without_a_distance_raise(kind_a, kind_b):
    rng = np.random.default_rng(1)
    a, b = draw(rng, kind_a, 0.1, 1.0)[0], draw(rng, kind_b, 0.1, 1.0)[0]
    with pytest.raises(EngineError):
        measured(a, (np.zeros(3), UPRIGHT), b, (np.ones(3), UPRIGHT))


@pytest.mark.parametrize('kind', FIXED)
def test_static_shapes_do_not_move(kind):
    with pytest.raises(EngineError, match='static'):
        WorldBuilder().add_body(draw(np.random.default_rng(1), kind, 0.1, 1.0)[0], mass=1.0)


def power(error):
    """An error as a power of ten above it, so that the page changes only where something does."""
    return '-' if np.isnan(error) else f'< 1e{max(-12, int(np.floor(np.log10(max(error, 1e-300)))) + 1)}'


def page():
    """The text of docs/shape_pairs.md."""
    lines = [*INTRODUCTION.splitlines(), '| shapes | distance, depth (m) | normal | points (m) |', '|---|---|---|---|']
    for pair in PAIRS:
        worst = np.fmax.reduce(list(errors(*pair).values()))
        lines.append(f'| {" - ".join(pair)} | {" | ".join(power(x) for x in worst)} |')
    lines += [f'| {" - ".join(pair)} | raises | raises | raises |' for pair in REFUSED]
    return '\n'.join(lines) + '\n'


INTRODUCTION = f"""# Shape by shape: errors of distance, normal and points

This page lists, for every two shapes that may meet, the largest errors of distance, contact normal and contact points.

```python
from hakoniwa_rigid.engine import Box, Sphere, WorldBuilder

b = WorldBuilder()
b.add_body(Box((1, 1, 1)), mass=1.0)
b.add_body(Sphere(0.5), mass=1.0, pos=(2, 0, 0))
print(b.build().distance(0, 1))         # distance 1 m, a point on each, the normal from the box to the sphere
```

`test/verification/test_shape_table.py` writes this page and checks every number against 1e-6. The errors are those of
`World.distance` over {len(CASES)} kinds of poses, {REPEATS} of each: {', '.join(CASES)}.

- `thin` shapes have an aspect of up to 1:1000, `tiny` ones measure 0.1 to 1 mm.
- `compound` is a box, a cylinder and a capsule; `mesh` an L-shaped building; `field` a height field.
- `halfspace`, `mesh` and `field` are static and never meet each other: "raises" is an `EngineError`.

**The oracle** (`test/oracles/distance.py`) is an independent computation. It finds the shortest vector by support
points and least squares. The depth of polytopes comes from the hull of all differences of their corners. For curved
shapes it searches for a direction that would be better. A mesh and a height field are unions of convex pieces to it.

**Normals** count where they are unique and known to the oracle, which knows those of curved shapes to 1e-6.

**Points** count by how far they lie outside their shapes, and by how far they are from being one distance apart along
the normal.

"""


def test_page_has_every_pair():
    rows = [line.split('|')[1].strip() for line in PAGE.read_text().splitlines() if line.startswith('| ')][1:]
    assert rows == [' - '.join(pair) for pair in PAIRS + REFUSED]


if __name__ == '__main__':
    PAGE.write_text(page())
