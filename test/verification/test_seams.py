# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Floors of shapes side by side are one floor; steps, walls and gaps in them are met."""
import numpy as np
import pytest

from hakoniwa_rigid.engine import (
    Box,
    Compound,
    Cone,
    ConvexHull,
    Cylinder,
    Frustum,
    HalfSpace,
    Part,
    Sphere,
    WorldBuilder,
)

G = 9.80665
CUBE = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


def yaw(angle):
    return np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)


def turned(angle, x):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * x[0] - s * x[1], s * x[0] + c * x[1], x[2]])


def add_floor(b, kind, tile, count, height, top, angle, mu):
    """A square of 2 count x 2 count tiles of some kind, or one slab as large."""
    place, cells = {'kind': 'static', 'friction': mu}, np.arange(-count, count) + 0.5
    middle, size = np.array((0.0, 0.0, top - height / 2)), np.array((tile, tile, height))
    if kind == 'slab':
        b.add_body(Box((2 * count * tile, 2 * count * tile, height)), pos=middle, quat=yaw(angle), **place)
    elif kind == 'compound':
        parts = [Part(Box(tuple(size)), pos=(tile * i, tile * j, 0.0)) for i in cells for j in cells]
        b.add_body(Compound(parts), pos=middle, quat=yaw(angle), **place)
    else:
        shape = Box(tuple(size)) if kind == 'boxes' else ConvexHull(CUBE * size)
        for i in cells:
            for j in cells:
                b.add_body(shape, pos=middle + turned(angle, (tile * i, tile * j, 0.0)), quat=yaw(angle), **place)


def slide(seed, kind):
    """Path (steps, 3) m of a plate that slides flat over a random floor, and the largest horizontal part of a contact
    normal."""
    rng = np.random.default_rng(seed)
    tile, height, top = rng.uniform(0.08, 0.4), rng.uniform(0.02, 0.2), rng.uniform(-1.0, 1.0)
    angle, speed, ahead, mu = rng.uniform(0, 7), rng.uniform(0.5, 4.0), rng.uniform(0, 7), rng.uniform(0.0, 0.3)
    size = rng.uniform(0.1, 0.4, 3)
    size[2] = 0.1 * size[:2].min()      # no friction tips it
    b = WorldBuilder(gravity=(0, 0, -G))
    add_floor(b, kind, tile, int(np.ceil(1.2 / tile)), height, top, angle, mu)
    plate = b.add_body(Box(tuple(size)), mass=1.0, friction=mu, quat=yaw(rng.uniform(0, 7)),
                       pos=(*rng.uniform(-0.3, 0.3, 2), top + size[2] / 2 + rng.choice([0.0, 0.02])),
                       linvel=(speed * np.cos(ahead), speed * np.sin(ahead), 0.0))
    w, path, aslant = b.build(), [], 0.0
    for _ in range(int(1e3 * min(0.4, 0.8 / speed))):
        w.step()
        path.append(w.pos[plate].copy())
        aslant = max(aslant, np.abs(w.contacts()['normal'][:, :2]).max(initial=0.0))
    return np.array(path), aslant


@pytest.mark.parametrize('kind', ['boxes', 'hulls', 'compound'])
@pytest.mark.parametrize('first', range(0, 34, 17))
def test_slides_as_on_one_slab(kind, first):
    for seed in range(first, first + 17):
        path, aslant = slide(seed, kind)
        assert aslant < 1e-9, seed
        np.testing.assert_allclose(path, slide(seed, 'slab')[0], rtol=0, atol=1e-6, err_msg=str(seed))


@pytest.mark.parametrize('kind', [Box, lambda size: ConvexHull(CUBE * size)], ids=['box', 'hull'])
@pytest.mark.parametrize('step', [1e-7, 1e-4, 1e-3, 3e-3, 1e-2])
def test_steps_are_met(step, kind):
    """A box without friction at 1 m/s, 0.3 m before a step up between tiles: hit where and when it gets there."""
    b = WorldBuilder(gravity=(0, 0, -G))
    for k in range(-4, 4):
        b.add_body(kind((0.2, 1.0, 0.1)), kind='static', friction=0.0, pos=(0.2 * k + 0.1, 0.0, step * (k >= 0) - 0.05))
    i = b.add_body(Box((0.2, 0.2, 0.2)), mass=1.0, inertia=(1e3, 1e3, 1e3), pos=(-0.4, 0.0, 0.1), linvel=(1.0, 0, 0),
                   friction=0.0)
    w = b.build()
    w.step(299)
    assert w.linvel[i, 0] == pytest.approx(1.0, abs=1e-9)
    w.step(11)
    assert w.pos[i, 0] == pytest.approx(-0.1, abs=1e-6)
    assert abs(w.linvel[i, 0]) < 2e-5   # m/s: hit below its middle, it turns a little


def test_a_wall_on_a_floor():
    """Where they meet both push: a box is driven into the corner."""
    b = WorldBuilder(gravity=(0, 0, -G))
    b.add_body(Box((2.0, 2.0, 0.1)), kind='static', pos=(0.0, 0.0, -0.05))
    b.add_body(Box((0.1, 2.0, 1.0)), kind='static', pos=(0.55, 0.0, 0.5))
    i = b.add_body(Box((0.2, 0.2, 0.2)), mass=1.0, pos=(0.0, 0.0, 0.1), linvel=(2.0, 0.0, 0.0), friction=0.1)
    w = b.build()
    w.step(1000)
    assert w.pos[i, 0] < 0.4 + 1e-6
    assert w.linvel[i, 0] <= 1e-9 and w.pos[i, 2] == pytest.approx(0.1, abs=1e-6)


def test_a_box_set_into_the_ground():
    """Its sides below a half-space's plane are inside."""
    b = WorldBuilder(gravity=(0, 0, -G))
    b.add_body(HalfSpace(), kind='static', friction=0.0)
    b.add_body(Box((0.4, 0.4, 0.4)), kind='static', friction=0.0, pos=(0.6, 0.0, -0.2))
    i = b.add_body(Box((0.2, 0.2, 0.1)), mass=1.0, pos=(0.0, 0.0, 0.05), linvel=(2.0, 0.0, 0.0), friction=0.0)
    w = b.build()
    for _ in range(600):
        w.step()
        assert np.abs(w.contacts()['normal'][:, :2]).max(initial=0.0) < 1e-9
    assert w.pos[i, 0] == pytest.approx(1.2, abs=1e-6)


def test_parts_of_what_moves():
    """A ball rolls over the seams of a carriage of three boxes, and is not held up."""
    b = WorldBuilder(gravity=(0, 0, -G))
    b.add_body(HalfSpace(), kind='static', friction=0.0)
    parts = [Part(Box((0.2, 0.6, 0.1)), pos=(0.2 * k, 0.0, 0.0)) for k in (-1, 0, 1)]
    b.add_body(Compound(parts), mass=50.0, pos=(0.0, 0.0, 0.05), friction=0.0)
    ball = b.add_body(Sphere(0.05), mass=0.1, pos=(-0.25, 0.0, 0.15), linvel=(1.0, 0.0, 0.0), friction=0.0)
    w = b.build()
    w.step(480)
    assert w.linvel[ball] == pytest.approx((1.0, 0.0, 0.0), abs=1e-6)
    assert w.pos[ball] == pytest.approx((0.23, 0.0, 0.15), abs=1e-6)


@pytest.mark.parametrize('change', ['moved', 'disabled'])
def test_what_no_longer_hides(change):
    """A tile that is taken away uncovers the side of the next one, and puts it back."""
    b = WorldBuilder(gravity=(0, 0, 0))
    first = b.add_body(Box((0.2, 0.6, 0.1)), kind='static', pos=(-0.1, 0.0, -0.05))
    b.add_body(Box((0.2, 0.6, 0.1)), kind='static', pos=(0.1, 0.0, -0.05))
    ball = b.add_body(Sphere(0.05), mass=0.1, pos=(-0.3, 0.0, -0.02), linvel=(1.0, 0.0, 0.0))
    w = b.build()
    if change == 'moved':
        w.set_state(first, pos=(-0.1, 0.0, -0.5))
    else:
        w.set_enabled(first, False)
    w.step(500)
    assert w.pos[ball, 0] < -0.05 + 1e-6        # at the side of the second
    if change == 'moved':
        w.set_state(first, pos=(-0.1, 0.0, -0.05))
    else:
        w.set_enabled(first, True)
    w.set_state(ball, pos=(-0.1, 0.0, 0.05), linvel=(1.0, 0.0, 0.0), angvel=(0.0, 20.0, 0.0))
    w.step(200)
    assert w.linvel[ball, 0] == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize('seed', range(3))
@pytest.mark.parametrize('shape', [Cylinder(1.5, 0.3), Frustum(1.0, 1.5, 0.3), Cone(1.5, 0.3)],
                         ids=lambda shape: type(shape).__name__)
def test_a_wide_face_let_into_a_floor_is_of_one_floor(shape, seed):
    """A plate slides from a slab on to the flat end of what is let into it, as on one slab."""
    def path(tiles):
        rng = np.random.default_rng(seed)
        b, place = WorldBuilder(gravity=(0, 0, -G)), {'kind': 'static', 'friction': 0.2}
        b.add_body(Box((2 if tiles else 8, 4, 0.2)), pos=(-1.0 if tiles else 2.0, 0, -0.1), **place)
        if tiles:
            # the wide end up, at z = 0, 0.2 m over the edge of the slab; that of a cone is its base
            upside_down = (0.0, 1.0, 0.0, 0.0) if isinstance(shape, Cone) else (1.0, 0.0, 0.0, 0.0)
            b.add_body(shape, pos=(1.3, 0, -0.15), quat=upside_down, **place)
        plate = b.add_body(Box((*rng.uniform(0.1, 0.4, 2), 0.02)), mass=1.0, friction=0.2,
                           pos=(-0.3, rng.uniform(-0.3, 0.3), 0.01), quat=yaw(rng.uniform(0, 7)),
                           linvel=(rng.uniform(2, 4), rng.uniform(-0.5, 0.5), 0))
        w, found, aslant = b.build(), [], 0.0
        for _ in range(300):
            w.step()
            found.append(w.pos[plate].copy())
            aslant = max(aslant, np.abs(w.contacts()['normal'][:, :2]).max(initial=0.0))
        return np.array(found), aslant
    there, _ = path(tiles=False)
    found, aslant = path(tiles=True)
    assert there[-1, 0] > 0.2 and aslant < 1e-9
    np.testing.assert_allclose(found, there, rtol=0, atol=1e-9)
