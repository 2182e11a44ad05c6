# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The candidate list against all pairs tried one by one: mixed sizes, clusters, statics, half-spaces."""
import numpy as np
import pytest
from kernels import compiled, from_python

from hakoniwa_rigid.engine import HalfSpace, Sphere, WorldBuilder
from hakoniwa_rigid.engine.detect import broadphase
from hakoniwa_rigid.engine.model import layout as L
from hakoniwa_rigid.engine.model.handle import arrays_at, table_of


def _rebuild(table):
    return broadphase.rebuild(arrays_at(table))


rebuild = from_python(compiled(_rebuild))


def candidates(world):
    """Pairs (a, b) that the grid finds, in its order."""
    s = world._s
    while (n := rebuild(table_of(s))) > s.pairs.shape[1]:
        s = s._replace(pairs=np.zeros((2, n, 2), np.int64), clear=np.zeros((n, L.CLEAR)))
    return [tuple(p) for p in s.pairs[0, :s.count[L.N_PAIRS]].tolist()], s


def one_by_one(world, s):
    x, r = world.pos, s.anchor[:, L.A_RADIUS] + s.anchor[:, L.A_SKIN]
    still = np.array([k == 'static' for k in world.kinds])
    near = (np.square(x[:, None] - x[None]).sum(axis=2) <= np.square(r[:, None] + r[None])) & ~(still[:, None] & still)
    return [(int(a), int(b)) for a, b in zip(*np.nonzero(np.triu(near, 1)), strict=True)]


def spheres(rng, n, radii, spread, still=0.3):
    b = WorldBuilder()
    for _ in range(n):
        kind = 'static' if rng.random() < still else 'dynamic'
        mass = None if kind == 'static' else 1.0
        b.add_body(Sphere(radii(rng)), mass=mass, kind=kind, pos=rng.normal(size=3) * spread)
    return b.build()


@pytest.mark.parametrize('seed', range(6))
@pytest.mark.parametrize(('radii', 'spread'), [
    (lambda rng: 0.25, 2.0),                            # drones
    (lambda rng: 10.0 ** rng.uniform(-3, 2), 30.0),     # from a coin to a stadium
    (lambda rng: 0.25, 0.01),                           # all in one place
    (lambda rng: 0.1, 1e5),                             # all far apart
])
def test_finds_what_trying_all_finds(radii, spread, seed):
    world = spheres(np.random.default_rng(seed), 120, radii, spread)
    found, s = candidates(world)
    assert found == one_by_one(world, s)


def test_half_spaces_meet_those_near_them():
    b = WorldBuilder()
    b.add_body(HalfSpace(), kind='static')
    for k in range(40):
        b.add_body(Sphere(0.2), mass=1.0, pos=(k, 0, 0.1 * k))
    found, s = candidates(b.build())
    reach = s.anchor[:, L.A_RADIUS] + s.anchor[:, L.A_SKIN]
    assert found == [(0, k + 1) for k in range(40) if 0.1 * k <= reach[k + 1]]


def test_work_grows_with_the_bodies_not_their_square():
    """Buckets hold few bodies each, whatever their number."""
    world = spheres(np.random.default_rng(1), 4000, lambda rng: 0.25, 20.0)
    _, s = candidates(world)
    fill = np.diff(s.bucket[:len(s.bucket) - 2 * 64])
    assert fill.sum() == 4000
    assert (fill.astype(float) ** 2).sum() < 4 * 4000
