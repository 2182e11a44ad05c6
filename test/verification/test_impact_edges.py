# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A spinning cube flies in corner or edge first: the law at the time of impact that a search of its own finds, 1e-6."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles import impact, impact_long
from oracles.rotations import from_rotvec, matrix, multiply
from scenes import impact_times, impacts
from scipy.optimize import brentq

from hakoniwa_rigid.engine import Box, HalfSpace, WorldBuilder

SIDE, MASS = 0.3, 0.8
CORNERS = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T * SIDE / 2
EDGE = from_rotvec([np.pi / 4, 0, 0])  # an edge along x points down
CORNER = from_rotvec(np.arctan(np.sqrt(2)) * np.array([1, -1, 0]) / np.sqrt(2))
WALL = impact.Body(math.inf, np.eye(3), np.zeros(3), (1, 0, 0, 0), np.zeros(3), np.zeros(3))


def flight(seed, tilt, height):
    """A cube at random about `tilt`: attitude, spin (constant, for it is isotropic), velocity, place(t)."""
    rng = np.random.default_rng(seed)
    quat = multiply(from_rotvec(0.1 * rng.normal(size=3)), tilt)
    spin, v = 4 * rng.normal(size=3), np.append(0.3 * rng.normal(size=2), -3.0)

    def place(t):
        return np.array([0.0, 0, height]) + v * t, multiply(from_rotvec(spin * t), quat)

    return quat, spin, v, place


def fly(flown, toi, shape, **pose):
    """Steps a world of the cube and a static shape past the impact: row, its time, (impulse, linvel, angvel)."""
    quat, spin, v, place = flown
    b = WorldBuilder(gravity=(0, 0, 0), dt=1e-3, restitution_threshold=0.0)
    b.add_body(shape, kind='static', friction=0.2, **pose)
    i = b.add_body(Box((SIDE,) * 3), mass=MASS, pos=place(0)[0], quat=quat, linvel=v, angvel=spin, restitution=0.6,
                   friction=0.2)  # fmt: skip
    w = b.build()
    w.step(int(toi / 1e-3) + 1)
    rows = impacts(w)
    return rows[0], impact_times(w, rows)[0], (rows[0]['impulse'], w.linvel[i], w.angvel[i])


def law(flown, toi, point, n, e):
    """(impulse, linvel, angvel) of the cube by the two-body law at the searched time."""
    _, spin, v, place = flown
    cube = impact.Body(MASS, MASS * SIDE**2 / 6 * np.eye(3), *place(toi), v, spin)
    j, _ = impact_long.impulse(WALL, cube, point, n, e, 0.2)
    return [x.astype(float) for x in (j, *impact_long.after(WALL, cube, point, j)[2:])]


def agree(got, want):
    for mine, theirs in zip(got, want, strict=True):
        assert_allclose(mine, theirs, rtol=0, atol=1e-6 * np.linalg.norm(theirs))


@pytest.mark.parametrize('seed', range(6))
def test_corner_on_a_plane(seed):
    """Time of impact 1e-6 s; impulse, velocity and spin 1e-6 relative."""
    flown = flight(seed, CORNER, 0.32)

    def corners(t):
        pos, q = flown[3](t)
        return pos + CORNERS @ matrix(q).T

    toi = brentq(lambda t: corners(t)[:, 2].min(), 0.0, 0.1, xtol=1e-16)
    point = corners(toi)[corners(toi)[:, 2].argmin()]
    row, time, got = fly(flown, toi, HalfSpace())
    assert_allclose(time, toi, rtol=0, atol=1e-6)
    agree(got, law(flown, toi, point, np.array([0.0, 0, 1]), row['restitution']))


def crossing(place, t):
    """Signed gap of the cube's lowest edge over the ridge along y through 0, the contact point on it, the normal."""
    pos, q = place(t)
    r = matrix(q)
    start = pos + r @ np.array([0, -SIDE / 2, -SIDE / 2])
    n = np.cross(r[:, 0], [0.0, 1, 0])
    n *= np.sign(n[2]) / np.linalg.norm(n)
    along = np.linalg.solve(np.column_stack([[0.0, 1, 0], -r[:, 0], n]), start)[0]
    return start @ n, along * np.array([0.0, 1, 0]), n


@pytest.mark.parametrize('seed', range(6))
def test_edge_across_a_ridge(seed):
    """The lowest edge of the cube meets the ridge of a roof: time 1e-6 s, the rest 1e-6 relative."""
    flown = flight(seed, EDGE, 0.3)
    toi = brentq(lambda t: crossing(flown[3], t)[0], 0.0, 0.1, xtol=1e-16)
    _, point, n = crossing(flown[3], toi)
    row, time, got = fly(flown, toi, Box((1.0, 4.0, 1.0)), pos=(0, 0, -np.sqrt(0.5)), quat=EDGE_Y)
    assert_allclose(time, toi, rtol=0, atol=1e-6)
    agree(got, law(flown, toi, point, n, row['restitution']))


EDGE_Y = from_rotvec([0, np.pi / 4, 0])
