# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The oracle of the simulators' conventions against cases worked out by hand, and against itself backwards."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles import conventions
from oracles.conventions import NWU, State
from scipy.spatial.transform import Rotation

HALF = np.sqrt(0.5)
PAIRS = {
    'body twist': (conventions.body_twist, conventions.body_twist_state),
    'world twist': (conventions.world_twist, conventions.world_twist_state),
    'px4': (conventions.px4, conventions.px4_state),
    'px4 body': (lambda s: conventions.px4(s, 'body'), lambda s: conventions.px4_state(s, 'body')),
    'airsim ned': (conventions.airsim_ned, conventions.airsim_ned_state),
    'airsim enu': (conventions.airsim_enu, conventions.airsim_enu_state),
}


def same(one: State, two: State) -> None:
    for a, b in zip(one, two, strict=True):
        assert_allclose(a, b, atol=1e-13)


def climbing_north() -> State:
    """At east 1, north 2, up 3; nose to the north and 0.3 rad up; it climbs north and rolls to its right."""
    turn = (Rotation.from_euler('z', 90, degrees=True) * Rotation.from_euler('y', -0.3)).as_matrix()
    return State(np.array([1.0, 2.0, 3.0]), turn, np.array([0.0, 4.0, 5.0]), np.array([0.6, 0.0, 0.0]))


@pytest.mark.parametrize('name', PAIRS)
@pytest.mark.parametrize('seed', range(5))
def test_back_again(name, seed):
    say, mean = PAIRS[name]
    state = conventions.random_state(seed)
    same(mean(say(state)), state)


@pytest.mark.parametrize('seed', range(5))
def test_hakoniwa_back_again(seed):
    state = conventions.random_state(seed)
    same(conventions.hakoniwa_state(*conventions.hakoniwa(state)), conventions.turned(state, NWU))


def test_px4_by_hand():
    said = conventions.px4(climbing_north())
    assert_allclose(said.position, (2, 1, -3))
    # heading 0, pitch 0.3 up
    assert_allclose(np.abs(said.quaternion), (0, np.sin(0.15), 0, np.cos(0.15)), atol=1e-15)
    assert_allclose(said.linear, (4, 0, -5))
    assert_allclose(said.angular, (0.6, 0, 0))
    body = conventions.px4(climbing_north(), 'body').linear
    assert_allclose(body, (4 * np.cos(0.3) + 5 * np.sin(0.3), 0, 4 * np.sin(0.3) - 5 * np.cos(0.3)), atol=1e-15)


def test_airsim_enu_by_hand():
    """A level drone that looks north has the quaternion 1: its x is its right, which is east."""
    north = State(np.zeros(3), Rotation.from_euler('z', 90, degrees=True).as_matrix(), np.zeros(3), np.array([1, 2, 3]))
    said = conventions.airsim_enu(north)
    assert_allclose(np.abs(said.quaternion), (0, 0, 0, 1), atol=1e-15)
    assert_allclose(said.angular, (-2, 1, 3))  # about right, forward, up


def test_hakoniwa_by_hand():
    position, angles, linear, angular = conventions.hakoniwa(climbing_north())
    assert_allclose(position, (2, -1, 3))
    assert_allclose(angles, (0, -0.3, 0), atol=1e-15)
    assert_allclose(linear, (4 * np.cos(0.3) + 5 * np.sin(0.3), 0, 5 * np.cos(0.3) - 4 * np.sin(0.3)), atol=1e-15)
    assert_allclose(angular, (0.6, 0, 0))


def test_ardupilot_turns_its_quaternion_so():
    """AP_DDS_Client.cpp: (w, y, x, -z) of the attitude in NED, then a quarter of a turn about z."""
    state = conventions.random_state(7)
    x, y, z, w = conventions.px4(state).quaternion
    reported = Rotation.from_quat([y, x, -z, w]) * Rotation.from_quat([0, 0, HALF, HALF])
    assert_allclose(reported.as_matrix(), conventions.matrix(conventions.world_twist(state).quaternion), atol=1e-14)


def test_places_on_the_earth():
    """One minute of arc is a sea mile; sphere and ellipsoid agree to half a per cent; up is up."""
    zero = (35.68, 139.75, 40.0)
    for place in ((35.68 + 1 / 60, 139.75, 40.0), (35.68, 139.75 + 1 / 60, 55.0)):
        sphere, ellipsoid = conventions.px4_plane(*place, zero), conventions.wgs84_tangent(*place, zero)
        assert_allclose(sphere, ellipsoid, rtol=6e-3, atol=0.6)
    north = conventions.px4_plane(35.68 + 1 / 60, 139.75, 40.0, zero)
    assert_allclose(north, (0, 6371000 * np.pi / 180 / 60, 0), atol=1e-6)


@pytest.mark.parametrize(('arm', 'size'), [((0.2, 0, 0), 3.195), ((0.2, 0.1, 0), 1.9819251337)])
def test_the_impulse_of_the_article(arm, size):
    """The two cases with a wall that the Hakoniwa article on collisions gives: 0.71 kg at 3 m/s, e = 0.5."""
    body = {'mass': 0.71, 'tensor': np.diag((0.0061, 0.00653, 0.0116)), 'r': arm, 'v': (3, 0, 0), 'w': (0, 0, 0)}
    assert_allclose(conventions.impulse((1, 0, 0), 0.5, body, None), (-size, 0, 0), atol=1e-9)
    assert_allclose(conventions.impulse((-1, 0, 0), 0.5, body, None), (-size, 0, 0), atol=1e-9)
