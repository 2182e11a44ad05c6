# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The RotorPy swarm: hover, tracking, recovery from a hit, agreement with RotorPy's own integrator, the wrench."""
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip('rotorpy', reason='RotorPy is not installed (extra demo)')
from hakoniwa_rigid.sims.courses import Course
from hakoniwa_rigid.sims.rotorpy_swarm import Swarm, Vehicle, VehicleParameters, mix, turned_by

HOVER = Course(np.array([0.0, 1.0]), np.array([[0.0, 0.0, 2.0], [0.0, 0.0, 2.0]]))
SHUTTLE = Course(np.array([0.0, 3.0, 6.0]), np.array([[0.0, 0.0, 2.0], [3.0, 0.0, 2.0], [0.0, 0.0, 2.0]]))
G = 9.81   # m/s^2, RotorPy's


def test_hover_stands_still():
    swarm = Swarm({'a': HOVER})
    for _ in range(200):
        swarm.step()
    state = swarm.state('a')
    assert_allclose(state.position, [0.0, 0.0, 2.0], atol=1e-9)
    assert_allclose(state.velocity, 0.0, atol=1e-9)


def test_wrench_in_hover_carries_the_weight():
    swarm = Swarm({'a': HOVER})
    force, torque = swarm.wrench('a')
    assert_allclose(force, [0.0, 0.0, VehicleParameters().mass * G], rtol=1e-12)
    assert_allclose(torque, 0.0, atol=1e-12)


def test_wrench_is_the_one_rotorpy_computes():
    swarm = Swarm({'a': HOVER})
    swarm.set_state('a', [0, 0, 2], [0.1, 0.2, 0.0, 0.97], [1, 0, 0], [1, -2, 0.5])
    for _ in range(10):
        swarm.step()
    raw = swarm.vehicles['a'].raw
    for mine, theirs in zip(swarm.wrench('a'), swarm.vehicles['a'].dynamics.compute_body_wrench(
            raw['w'], raw['rotor_speeds'], np.zeros(3)), strict=True):
        assert_allclose(mine, theirs, atol=1e-12)


def test_follows_its_course():
    swarm = Swarm({'a': SHUTTLE})
    worst = 0.0
    for k in range(600):
        swarm.step()
        worst = max(worst, np.linalg.norm(swarm.state('a').position - SHUTTLE.derivatives((k + 1) * 0.01)[0]))
    # the attitude lags by about kd/kp = 0.1 s, which at a peak jerk of 10 m/s^3 is a few centimetres
    assert worst < 0.12


@pytest.mark.parametrize(('velocity', 'rates'), [([1.5, 0, 0], [2, 6, 3]), ([-2, 1, -1], [0, -8, 0]),
                                                 ([3, 0, 0], [3, 12, 5]), ([0, 0, 2], [10, 0, 0])])
def test_recovers_from_a_hit_within_the_room(velocity, rates):
    swarm = Swarm({'a': HOVER})
    swarm.set_state('a', [0, 0, 2], [0, 0, 0, 1], velocity, rates)
    heights = []
    for _ in range(500):
        swarm.step()
        heights.append(swarm.state('a').position[2])
    assert min(heights) > 0.5
    assert_allclose(swarm.state('a').position, [0, 0, 2], atol=0.1)


def one_step_apart(dt):
    """Distance after 40 ms, in m, between our steps of dt and RotorPy's adaptive ones under equal commands."""
    ours, theirs = Vehicle(HOVER), Vehicle(HOVER)
    for vehicle in (ours, theirs):
        vehicle.raw |= {'w': np.array([3.0, 8.0, 2.0]), 'v': np.array([1.0, 0.0, 0.0])}
    ours.control(0.0)
    for _ in range(round(0.04 / dt)):
        ours.step(dt)
        theirs.raw = theirs.dynamics.step(theirs.raw, {'cmd_motor_speeds': ours.command}, dt)
    return np.linalg.norm(ours.raw['x'] - theirs.raw['x'])


def test_integration_agrees_with_rotorpy_and_converges():
    coarse, fine = one_step_apart(0.01), one_step_apart(0.0025)
    assert coarse < 1e-3
    assert fine < coarse / 4


def test_turned_by_is_the_exponential_map():
    q = turned_by(np.array([0.0, 0.0, 0.0, 1.0]), np.array([0.0, 0.0, np.pi]), 0.5)
    assert_allclose(q, [0.0, 0.0, np.sin(np.pi / 4), np.cos(np.pi / 4)], atol=1e-15)


def test_mixer_keeps_thrust_and_gives_up_yaw_first():
    vehicle = Vehicle(HOVER)
    weight = vehicle.parameters.mass * G
    speeds = mix(vehicle.controller, weight, np.array([0.2, -0.1, 50.0]))
    thrust, *torque = vehicle.dynamics.f_to_TM @ (vehicle.parameters.thrust_constant * speeds**2)
    assert_allclose([thrust, *torque[:2]], [weight, 0.2, -0.1], rtol=1e-9)
    assert 0.0 < torque[2] < 50.0
    assert ((speeds >= 0.0) & (speeds <= vehicle.parameters.speed_max)).all()


@pytest.mark.parametrize('thrust', [-100.0, 0.0, 1e6])
def test_mixer_stays_within_the_rotors_for_any_demand(thrust):
    vehicle = Vehicle(HOVER)
    speeds = mix(vehicle.controller, thrust, np.array([-30.0, 40.0, 5.0]))
    assert ((speeds >= 0.0) & (speeds <= vehicle.parameters.speed_max)).all()


def test_equal_runs_give_equal_bits():
    states = []
    for _ in range(2):
        swarm = Swarm({'a': SHUTTLE, 'b': HOVER})
        for _ in range(50):
            swarm.step()
        states.append(np.concatenate([swarm.state(n).position for n in swarm.names]))
    assert_array_equal(*states)


@pytest.mark.parametrize(('change', 'word'), [
    (([np.nan, 0, 0], [0, 0, 0, 1], [0, 0, 0], [0, 0, 0]), 'finite'),
    (([0, 0, 0], [0, 0, 0, 0], [0, 0, 0], [0, 0, 0]), 'quaternion'),
    (([0, 0], [0, 0, 0, 1], [0, 0, 0], [0, 0, 0]), 'position'),
])
def test_impossible_states_are_refused_and_change_nothing(change, word):
    swarm = Swarm({'a': HOVER})
    with pytest.raises(ValueError, match=word):
        swarm.set_state('a', *change)
    assert_allclose(swarm.state('a').position, [0, 0, 2])


def test_bad_parameters_are_refused():
    with pytest.raises(ValueError, match='cannot lift'):
        VehicleParameters(speed_max=50.0)
    with pytest.raises(ValueError, match='> 0'):
        VehicleParameters(mass=-1.0)
    with pytest.raises(ValueError, match='dt must be > 0'):
        Swarm({'a': HOVER}, dt=0.0)
    with pytest.raises(ValueError, match='at least one course'):
        Swarm({})
    with pytest.raises(ValueError, match='control_every'):
        Swarm({'a': HOVER}, control_every=0)
