# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Drones on a palm rest, are lifted, slide by Coulomb's law; hands of finite mass give what two bodies would."""
import math
from dataclasses import replace

import numpy as np
import pytest
from hand_worlds import flat_hand, half_thickness, held, run
from numpy.testing import assert_allclose
from scene_worlds import MS, UPRIGHT, ZERO, events_of

from hakoniwa_rigid.engine import Box, HalfSpace, Sphere
from hakoniwa_rigid.paths import config_file
from hakoniwa_rigid.rotations import from_rpy, rotate
from hakoniwa_rigid.scene import Phase, SceneParams
from hakoniwa_rigid.scene.world_files.shape_words import box_around
from hakoniwa_rigid.scene.world_files.world_file import load_drone_model
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig, DroneModel, HandConfig, MaterialConfig, WallConfig

G = 9.80665
MODELS = ('api-1', 'crazyflie', 'hummingbird', 'mujoco', 'unity')
MIDDLE = np.array((0.05, 0.0, 0.0))     # above the middle of the palm
HEIGHT = np.array((0.0, 0.0, 1.0))


def load(name):
    return load_drone_model(config_file('drones', f'{name}.yaml'))


def below(model):
    """m from base_link to the underside; of `mujoco` that of the base: the palm is between its legs."""
    return 0.015 if model.name == 'mujoco' else -float(box_around(model.shape)[0][2])


def speeds(ticks):
    return np.array([np.linalg.norm(t.states.linear_velocities[0]) for t in ticks])


def places(ticks):
    return np.array([t.states.positions[0] for t in ticks])


@pytest.mark.parametrize('authority', ['simulate', 'correct'])
@pytest.mark.parametrize('name', MODELS)
def test_a_drone_set_down_on_a_still_palm_rests(name, authority):
    """From 2 mm above it falls (simulate), or its plan presses 3 cm into the hand (correct): it lies on the palm."""
    model = load(name)
    scene = held(DroneConfig('d0', model, authority=authority))
    top = half_thickness() + below(model)
    start = MIDDLE + HEIGHT + (0, 0, top + 0.002)
    plan = None
    if authority == 'simulate':
        scene.feed_drone('d0', 0, start, UPRIGHT, ZERO, ZERO)
    else:
        def plan(t):
            return start - (0, 0, min(0.2 * t, 0.03))
    ticks = run(scene, 2000 * MS, lambda t: flat_hand() + HEIGHT, plan)
    assert speeds(ticks[200:]).max() < 1e-4
    x = places(ticks)
    assert np.ptp(x[200:], axis=0).max() < 1e-6
    assert_allclose(x[-1], MIDDLE + HEIGHT + (0, 0, top), atol=2e-4)


@pytest.mark.parametrize('joints', [21, 26])
def test_every_layout_has_a_palm_to_rest_on(joints):
    model = load('crazyflie')
    scene = held(DroneConfig('d0', model, authority='simulate'))
    top = half_thickness(joints) + below(model)
    scene.feed_drone('d0', 0, MIDDLE + HEIGHT + (0, 0, top + 0.002), UPRIGHT, ZERO, ZERO)
    ticks = run(scene, 1500 * MS, lambda t: flat_hand(joints) + HEIGHT)
    # the next bone of the thumb is as thick
    assert 'palm' in {e.part_b for e in events_of(ticks)} <= {'palm', 'thumb_mcp'}
    assert speeds(ticks[200:]).max() < 1e-4
    assert_allclose(places(ticks)[-1], MIDDLE + HEIGHT + (0, 0, top), atol=2e-4)


def lifted(t):
    """Height (m) of a palm that starts at 1 s, gains and loses 0.5 m/s at 2 m/s^2, and rises by 0.25 m in all."""
    up, even, down = np.clip(t - 1.0, 0.0, 0.25), np.clip(t - 1.25, 0.0, 0.25), np.clip(t - 1.5, 0.0, 0.25)
    return up * up + 0.5 * even + 0.5 * down - down * down


@pytest.mark.parametrize('mass', [math.inf, 1.0])
def test_a_lifted_palm_lifts_its_drone(mass):
    """The drone stays on it, goes along at 0.5 m/s, and rests as much higher as the palm is."""
    model = load('unity')
    scene = held(DroneConfig('d0', model, authority='simulate'), HandConfig('right', effective_mass=mass),
                 scene=SceneParams(hand_stiffness=400.0))
    top = half_thickness() + below(model)
    scene.feed_drone('d0', 0, MIDDLE + HEIGHT + (0, 0, top), UPRIGHT, ZERO, ZERO)
    ticks = run(scene, 2800 * MS, lambda t: flat_hand() + HEIGHT + (0, 0, lifted(t)))
    x, v = places(ticks), np.array([t.states.linear_velocities[0] for t in ticks])
    assert_allclose(v[265:300, 2].mean(), 0.5, rtol=0.05)
    gap = x[:, 2] - top - np.array([t.hands[0].box.position[2] for t in ticks])
    assert gap.min() > -1e-4 and gap.max() < 0.015
    assert_allclose(x[-1] - x[190], (0, 0, 0.25), atol=5e-4)
    assert speeds(ticks[-40:]).max() < 1e-3


@pytest.mark.parametrize('mass', [math.inf, 1.0])
def test_a_palm_that_starts_and_stops_at_once_throws_and_catches(mass):
    """0.5 m/s for 0.4 s: the drone hops and comes to rest 0.2 m higher."""
    model = load('unity')
    scene = held(DroneConfig('d0', model, authority='simulate'), HandConfig('right', effective_mass=mass),
                 scene=SceneParams(hand_stiffness=400.0))
    scene.feed_drone('d0', 0, MIDDLE + HEIGHT + (0, 0, half_thickness() + below(model)), UPRIGHT, ZERO, ZERO)
    ticks = run(scene, 3200 * MS, lambda t: flat_hand() + HEIGHT + (0, 0, 0.5 * np.clip(t - 1.0, 0.0, 0.4)))
    x = places(ticks)
    moved = x[-1] - x[190]
    assert_allclose(moved[2], 0.2, atol=1e-3)
    # palm and thumb of a finite mass are hit one after the other, which turns it a little
    assert np.abs(moved[:2]).max() < (1e-3 if math.isinf(mass) else 3e-3)
    assert speeds(ticks[-40:]).max() < 1e-3


def tilted(degrees, axis, friction=0.36):
    """A crazyflie (mu 0.5) on a palm that is tilted about its y ('pitch') or x ('roll'), friction of the pair
    sqrt(0.5 * friction); states down the slope and across, in the hand's axes."""
    model = load('crazyflie')
    scene = held(DroneConfig('d0', model, authority='simulate'), friction=friction)
    angle = np.radians(degrees)
    q = np.array(from_rpy((0.0, angle, 0.0) if axis == 'pitch' else (angle, 0.0, 0.0)))
    start = rotate(q, MIDDLE + (0, 0, half_thickness() + below(model))) + HEIGHT
    scene.feed_drone('d0', 0, start, tuple(q[[1, 2, 3, 0]]), ZERO, ZERO)
    ticks = run(scene, 250 * MS, lambda t: rotate(q, flat_hand()) + HEIGHT)
    down = rotate(q, np.array((1.0, 0.0, 0.0) if axis == 'pitch' else (0.0, -1.0, 0.0)))
    return places(ticks) - start, np.array([t.states.linear_velocities[0] for t in ticks]), down


@pytest.mark.parametrize('axis', ['pitch', 'roll'])
@pytest.mark.parametrize('degrees', [10.0, 20.0])
def test_below_the_friction_angle_it_stays(axis, degrees):
    """tan(20 deg) = 0.364 < mu = sqrt(0.5 * 0.36) = 0.424."""
    moved, v, _ = tilted(degrees, axis)
    assert np.abs(v[10:]).max() < 1e-4 and np.abs(moved).max() < 1e-5


@pytest.mark.parametrize('axis', ['pitch', 'roll'])
@pytest.mark.parametrize('degrees', [25.0, 35.0])
def test_above_the_friction_angle_it_slides_by_coulombs_law(axis, degrees):
    """dv/dt = g (sin - mu cos) down the slope, nothing across it."""
    _, v, down = tilted(degrees, axis)
    v = v[:28]      # then its middle comes to the edge
    angle, mu = np.radians(degrees), np.sqrt(0.5 * 0.36)
    along = v @ down
    accel = (along[24] - along[4]) / 0.1
    assert_allclose(accel, G * (np.sin(angle) - mu * np.cos(angle)), rtol=0.01)
    assert np.abs(v - along[:, None] * down).max() < 1e-3


BALL = DroneModel('ball', 0.7, (0.003,) * 3, Sphere(0.1), material=MaterialConfig('hull', 0.5, 0.0))
CUBE = DroneModel('cube', 0.7, (0.006,) * 3, Box((0.2, 0.2, 0.2)), material=MaterialConfig('hull', 0.5, 0.0))
PALM_UP = np.array(from_rpy((0.0, -np.pi / 2, 0.0)))    # fingers up: the palm's normal is along x


@pytest.mark.parametrize('speed', [1.0, 3.0])
@pytest.mark.parametrize('mass', [0.3, 0.7, 5.0])
@pytest.mark.parametrize(('model', 'joints'), [(BALL, 1), (CUBE, 25), (BALL, 25)])
def test_a_hand_of_finite_mass_gives_what_the_two_body_formula_says(model, joints, mass, speed):
    """dv = (1 + e) m_h / (m_h + m_d) v for a central impact, the hand loses the same momentum; then it is where its
    tracker is again."""
    hand = HandConfig('right', effective_mass=mass)
    scene = held(DroneConfig('d0', model, authority='simulate'), hand, friction=0.0, gravity=ZERO,
                 scene=SceneParams(hand_teleport_bound=1.0, hand_stiffness=mass / 0.05 ** 2))
    scene.feed_drone('d0', 0, (0, 0, 1), UPRIGHT, ZERO, ZERO)
    shape = flat_hand(joints) if joints == 1 else rotate(PALM_UP, flat_hand(joints) - MIDDLE)
    gap = 0.5 * speed + 0.1 + (0.05 if joints == 1 else half_thickness())

    def joints_at(t):
        return shape + HEIGHT + (speed * min(t, 0.55) - gap, 0, 0)

    ticks = run(scene, 1500 * MS, joints_at)
    begin = events_of(ticks)[0]
    assert begin.part_b == ('sphere' if joints == 1 else 'palm')
    # what tracking makes of an even motion is the speed of the hand to 1 %
    hit = begin.relative_velocity_before[0]
    assert_allclose(hit, speed, rtol=0.01)
    assert_allclose(begin.delta_v_a, (1.5 * mass / (mass + model.mass) * hit, 0, 0), rtol=1e-4, atol=1e-4)
    momentum = model.mass * np.array(begin.delta_v_a) + mass * np.array(begin.delta_v_b)
    assert np.abs(momentum).max() < 1e-9
    box, last = ticks[-1].hands[0], joints_at(9.0)
    assert_allclose(box.positions[0], last[0] if joints == 1 else last[[0, 1]].mean(axis=0), atol=1e-5)


def test_a_blow_off_the_middle_does_not_turn_a_hand_of_finite_mass():
    """The ball meets the palm 3 cm off its middle: the impulse is that of the central impact, so the hand's own turning
    takes no part."""
    scene = held(DroneConfig('d0', BALL, authority='simulate'), HandConfig('right', effective_mass=0.7), friction=0.0,
                 gravity=ZERO)
    scene.feed_drone('d0', 0, (0, 0, 1.03), UPRIGHT, ZERO, ZERO)
    shape, gap = rotate(PALM_UP, flat_hand() - MIDDLE), 0.3 + 0.1 + half_thickness()
    ticks = run(scene, 400 * MS, lambda t: shape + HEIGHT + (t - gap, 0, 0))
    begin = events_of(ticks)[0]
    assert_allclose(begin.position[2], 1.03, atol=1e-3)
    assert_allclose(begin.delta_v_a, (0.75 * begin.relative_velocity_before[0], 0, 0), rtol=1e-4, atol=1e-4)


def test_a_hand_of_finite_mass_gives_way_to_a_weight():
    """Its pull is a critically damped spring of rate k: it sinks by m_d g / k."""
    mass, stiffness, model = 2.0, 800.0, load('crazyflie')
    scene = held(DroneConfig('d0', model, authority='simulate'), HandConfig('right', effective_mass=mass),
                 scene=SceneParams(hand_stiffness=stiffness))
    top = half_thickness() + below(model)
    scene.feed_drone('d0', 0, MIDDLE + HEIGHT + (0, 0, top), UPRIGHT, ZERO, ZERO)
    ticks = run(scene, 1500 * MS, lambda t: flat_hand() + HEIGHT)
    assert speeds(ticks[200:]).max() < 1e-4
    # the spring is held for a tick of 5 ms, which makes it softer by a tenth
    assert_allclose(places(ticks)[-1, 2] - 1.0 - top, -model.mass * G / stiffness, rtol=0.12)


def test_a_hand_of_finite_mass_presses_a_drone_to_a_wall_and_does_not_crush_it():
    """Its tracker stops 6 cm too far: the palm stays on the drone and presses with k d; it comes back when the
    tracker does."""
    mass, too_far = 0.8, 0.06
    model = replace(CUBE, material=MaterialConfig('hull', 0.0, 0.0))
    wall = WallConfig('wall', HalfSpace((-1.0, 0.0, 0.0), -0.1), material=MaterialConfig('wall', 0.0, 0.0))
    scene = held(DroneConfig('d0', model, authority='simulate'), HandConfig('right', effective_mass=mass), friction=0.0,
                 gravity=ZERO, walls=(wall,))
    scene.feed_drone('d0', 0, (0, 0, 1), UPRIGHT, ZERO, ZERO)
    shape = rotate(PALM_UP, flat_hand() - MIDDLE)
    touch = -0.1 - half_thickness()

    def joints_at(t):
        return shape + HEIGHT + (touch + min(0.5 * t - 0.2, too_far) - max(0.0, 0.5 * t - 1.0), 0, 0)

    ticks = run(scene, 2400 * MS, joints_at)
    x, events = places(ticks), events_of(ticks)
    assert np.abs(x).max(axis=0)[0] < 1e-3 and speeds(ticks).max() < 0.6
    held_for = [e for e in events if e.body_b == 'right' and e.phase == Phase.PERSIST and 1.0e9 < e.stamp_ns < 1.95e9]
    # of all parts that touch
    force = sum(np.linalg.norm(e.impulse) for e in held_for) / 0.9
    assert_allclose(force, 300.0 * too_far, rtol=0.12)
    # it is back on its tracker
    assert_allclose(ticks[-1].hands[0].positions[0], joints_at(2.4)[[0, 1]].mean(axis=0), atol=2e-3)
