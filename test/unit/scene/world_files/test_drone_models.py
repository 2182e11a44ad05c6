# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Shipped drone models against the numbers of the files that they cite, and Hakoniwa's flight log against `mujoco`."""
import math
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

from hakoniwa_rigid.engine import HalfSpace
from hakoniwa_rigid.paths import config_file, share_dir
from hakoniwa_rigid.rotations import from_rpy, rotate
from hakoniwa_rigid.scene import CollisionScene, WorldConfig
from hakoniwa_rigid.scene.world_files.shape_words import box_around
from hakoniwa_rigid.scene.world_files.world_file import load_drone_model
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig, WallConfig

FILES = sorted((share_dir() / 'config' / 'drones').glob('*.yaml'))
MS = 1_000_000
G = 9.80665
# drone.xml: (half sides or radius and half height (m), place, rpy, density (kg/m^3)) of every geom
EAST, NORTH_EAST, NORTH_WEST = (0, math.pi / 2, 0), (0, math.pi / 2, math.pi / 4), (0, math.pi / 2, -math.pi / 4)
CORNERS = [(x, y) for x in (1, -1) for y in (1, -1)]
GEOMS = [((0.07, 0.07, 0.015), (0, 0, 0), (0, 0, 0), 810),
         *(((0.008, 0.13), (0, y, -0.18), EAST, 500) for y in (0.13, -0.13))]
for _x, _y in CORNERS:
    GEOMS += [((0.008, 0.077), (0.13 * _x, 0.13 * _y, 0), NORTH_EAST if _x * _y > 0 else NORTH_WEST, 500),
              ((0.076, 0.0025), (0.18 * _x, 0.18 * _y, 0.02), (0, 0, 0), 200),
              ((0.007, 0.007, 0.007), (0.18 * _x, 0.18 * _y, 0.02), (0, 0, 0), 500),
              ((0.008, 0.077), (0.1 * _x, 0.1 * _y, -0.1), (math.radians(20) * _y, 0, 0), 500)]
# drone_log0/drone_dynamics.csv: altitude (m) and speed (m/s) downward from 0.420 s on, each ms, and collided_counts
LOG = [(0.199632, 2.951863, 0), (0.196676, 2.956456, 0), (0.193715, 2.961040, 0), (0.190749, 2.965614, 0),
       (0.187779, 2.970179, 0), (0.185118, 2.661402, 2), (0.182742, 2.375727, 2), (0.180628, 2.113708, 2),
       (0.178755, 1.873556, 2), (0.177101, 1.653613, 2), (0.175649, 1.452341, 2)]


def load(name):
    return load_drone_model(config_file('drones', f'{name}.yaml'))


def lowest(model):
    return float(box_around(model.shape)[0][2])


def weighed(pieces):
    """Mass, centre and inertia (3,3) about it of (mass, place, own inertia (3,3))."""
    mass = sum(m for m, _, _ in pieces)
    com = sum(m * np.array(x, float) for m, x, _ in pieces) / mass
    inertia = np.zeros((3, 3))
    for m, x, own in pieces:
        r = np.array(x) - com
        inertia += own + m * (r @ r * np.eye(3) - np.outer(r, r))
    return mass, com, inertia


def piece(sizes, place, rpy, density):
    """A solid box or cylinder, by the formulas of any textbook."""
    if len(sizes) == 3:
        a, b, c = sizes
        mass = 8 * a * b * c * density
        own = np.array([b * b + c * c, a * a + c * c, a * a + b * b]) * mass / 3
    else:
        r, h = sizes
        mass = 2 * math.pi * r * r * h * density
        own = mass * np.array([r * r / 4 + h * h / 3] * 2 + [r * r / 2])
    turn = np.array([rotate(np.array(from_rpy(rpy)), axis) for axis in np.eye(3)]).T
    return mass, place, turn @ np.diag(own) @ turn.T


@pytest.mark.parametrize('path', FILES, ids=lambda p: p.stem)
def test_every_model_cites_file_and_line(path):
    text = path.read_text()
    assert re.search(r'^source: .*\.(json|py|xml|sdf|prefab)\S*(:\d|;)', text, re.MULTILINE)
    assert re.search(r'\blines?\s(#\s)?\d+', text)


def test_mujoco_weighs_what_its_geoms_do_and_what_hovers():
    model = load('mujoco')
    mass, com, inertia = weighed([piece(*geom) for geom in GEOMS])
    assert_allclose(model.mass, mass, rtol=1e-6)
    assert_allclose(model.com, com, atol=1e-7)
    assert_allclose(inertia, np.diag(np.diag(inertia)), atol=1e-12)
    assert_allclose(model.inertia, np.diag(inertia), rtol=1e-6)
    assert pytest.approx(model.mass, rel=1e-3) == 4 * 1.12e-4 * 126.5057**2 / 9.81    # the rotors at the end of the log


def test_mujoco_touches_the_ground_when_hakoniwas_log_does():
    """Two contacts, the skids, between the samples of 0.424 and 0.425 s; the legs are not yet down."""
    drone = DroneConfig('d0', load('mujoco'), authority='observe')
    scene = CollisionScene.from_config(WorldConfig(drones=(drone,), walls=(WallConfig('floor', HalfSpace()),)))
    scene.advance(419 * MS)
    begun = []
    for k, (z, v, _) in enumerate(LOG):
        now = (420 + k) * MS
        scene.feed_drone('d0', now, (0, 0, z), (0, 0, 0, 1), (0, 0, -v), (0, 0, 0))
        begun += [(now // MS, e.part_a) for e in scene.advance(now).events if e.phase == 0]
    assert sorted(part for _, part in begun) == ['skid_left', 'skid_right'] and len(begun) == LOG[-1][2]
    assert {ms for ms, _ in begun} == {424}


@pytest.mark.parametrize(('name', 'height'), [
    ('mujoco', 0.188), ('x500', 0.227), ('crazyflie_sim', 0.0), ('api-1', 0.05), ('unity', 0.025)])
def test_ground_is_where_the_simulator_has_it(name, height):
    assert lowest(load(name)) == pytest.approx(-height, abs=1e-9)


def test_x500_is_weighed_from_its_links():
    rotor = 0.016076923076923075
    spinning = np.diag([(3.8464910483993325e-07 + 2.6115851691700804e-05) / 2] * 2 + [2.649858234714004e-05])
    mass, com, inertia = weighed([(2.0, (0, 0, 0), np.diag([0.02166666666666667] * 2 + [0.04])),
                                  *((rotor, (0.174 * x, 0.174 * y, 0.06), spinning) for x, y in CORNERS)])
    model = load('x500')
    assert_allclose(model.mass, mass, rtol=1e-7)
    assert_allclose(model.com, com, atol=1e-7)
    assert_allclose(model.inertia, np.diag(inertia), rtol=1e-5)


def test_crazyflie_that_stands_where_its_simulator_says_is_left_there():
    model = load('crazyflie_sim')
    assert (model.mass, model.com) == (0.034, (0, 0, 0))
    scene = CollisionScene.from_config(WorldConfig(drones=(DroneConfig('cf', model),),
                                                   walls=(WallConfig('floor', HalfSpace()),)))
    scene.advance(0)
    for now in range(0, 1000 * MS, 10 * MS):
        scene.feed_drone('cf', now, (0, 0, 0), (0, 0, 0, 1), (0, 0, 0), (0, 0, 0))
        tick = scene.advance(now + 10 * MS)
    assert_allclose(tick.states.positions[0], 0.0, atol=1e-6)
    assert not [e for e in tick.events if np.linalg.norm(e.impulse) > model.mass * G]
