# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""sensor_msgs/Imu and rotors that are hit, over DDS, against closed forms: two balls of 1 kg, e = 0.5 at 1
m/s each, so dv = 1.5 m/s."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped
from hakoniwa_rigid.msg import ContactEventArray
from harness import NS, odometry, stamp_of, stamped
from numpy.testing import assert_allclose
from rclpy.serialization import serialize_message
from rig import Rig
from scene_worlds import MODEL
from scipy.spatial.transform import Rotation
from sensor_msgs.msg import Imu

from hakoniwa_rigid.ros.collision.imu_topics import ImuTopics
from hakoniwa_rigid.ros.errors import StartError
from hakoniwa_rigid.scene import WorldConfig
from hakoniwa_rigid.scene.parameters.params import DRONE, NODE, default_of
from hakoniwa_rigid.scene.parameters.settings import Settings
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig

G = 9.80665
ALL = ('default_authority:=observe', 'drones.a.topic_imu:=a/imu', 'drones.a.imu_position:=[0.1,0.0,0.0]',
       'drones.b.topic_imu:=b/imu', 'drones.b.topic_imu_in:=b/imu_raw')
COVARIANCE = [float(k) for k in range(9)]


def three(v) -> tuple:
    return v.x, v.y, v.z


def raw_imu(ns: int, upward: float = G) -> Imu:
    """What the simulator of a drone that flies on says."""
    msg = stamped(Imu(), ns, 'b/imu_link')
    msg.orientation.w, msg.linear_acceleration.z = 1.0, upward
    msg.linear_acceleration_covariance = COVARIANCE
    return msg


def test_an_impact_is_felt_by_itself_and_in_a_simulators_imu(bench, world):
    rig = Rig(bench, world, *ALL)
    alone, summed = bench.inbox(Imu, 'a/imu'), bench.inbox(Imu, 'b/imu')
    start, sent = rig.time.now, []
    for k in range(160):
        t = (rig.time.now - start) / NS
        for name, x, speed in (('a', t - 0.5, 1.0), ('b', 0.5 - t, -1.0)):
            bench.send(f'{name}/odom', odometry(rig.time.now, (x, 0, 1), linear=(speed, 0, 0)))
        if k % 4 == 0:      # at 50 Hz
            sent.append(raw_imu(rig.time.now))
            bench.send('b/imu_raw', sent[-1])
        rig.time.tick()
    bench.until(lambda: len(summed) == len(sent) and stamp_of(alone[-1]) == rig.time.now, 'all Imu')
    told = [event for event in rig.events if event.phase == event.BEGIN]
    assert [event.delta_v_a.x for event in told] == pytest.approx([-1.5])

    # at the tick's rate, in the drone's frame, as specific force; the impact is head on
    assert {msg.header.frame_id for msg in alone} == {'a/base_link'}
    felt = np.array([three(msg.linear_acceleration) for msg in alone])
    assert_allclose(felt[:, 0].sum() * 5e-3, -1.5, atol=1e-9)
    assert (np.abs(felt[:, 0]) > 1.0).sum() == 1
    assert_allclose(felt[:, 2], G, atol=1e-6)

    # the other's comes with its simulator's samples, which are as they were but for the one after the impact
    changed = [msg for msg, before in zip(summed, sent, strict=True)
               if serialize_message(msg) != serialize_message(before)]
    assert len(changed) == 1
    assert_allclose(changed[0].linear_acceleration.x, 1.5 / 20e-3, atol=1e-6)
    assert changed[0].header.frame_id == 'b/imu_link'
    assert changed[0].linear_acceleration_covariance.tolist() == COVARIANCE

    # what cannot be used is counted
    bench.send('b/imu_raw', raw_imu(rig.time.now, float('nan')))
    rig.go()
    assert rig.counters()['not_finite/b'] == 1
    assert len(summed) == len(sent)


def values(**given) -> dict:
    return {spec.name: default_of(spec, 'd') for spec in DRONE} | given


@pytest.mark.parametrize(('given', 'reason'), [
    ({'topic_imu_in': 'raw'}, 'parameter drones.d.topic_imu_in: needs topic_imu'),
    ({'topic_imu': 'raw', 'topic_imu_in': 'raw'}, 'parameter drones.d.topic_imu: must be another than topic_imu_in'),
    ({'topic_imu': 'imu', 'imu_position': (0.0, 500.0, 0.0)}, 'parameter drones.d.imu_position: must be at most 100 m'),
])
def test_wrong_parameters_are_told(given, reason):
    node = {spec.name: default_of(spec, '') for spec in NODE}
    settings = Settings(node, {'d': values(**given)}, {}, WorldConfig(drones=(DroneConfig('d', MODEL),)), {})
    with pytest.raises(StartError, match=reason):
        ImuTopics(SimpleNamespace(polled=set()), None, settings, None)


CEILING = """
walls:
  - {name: block, type: box, size: [0.05, 0.05, 0.1], position: [-0.12020815, -0.12020815, 1.1025]}
drones:
  - {name: h, model: hummingbird_rotors, position: [0, 0, 1], authority: simulate, rotor_strike: {stop_above: 0.001}}
  - {name: box, model: hummingbird, position: [0, 9, 1]}
"""


def test_a_rotor_that_is_hit_is_told_on_its_topic_and_in_the_log(bench, tmp_path):
    """The drone is thrown up under a block over its third rotor."""
    path = tmp_path / 'ceiling.yaml'
    path.write_text(CEILING)
    rig = Rig(bench, path)
    strikes = bench.inbox(ContactEventArray, 'h/rotor_strikes')
    assert not bench.node.count_publishers('box/rotor_strikes')     # it has no discs
    bench.send('h/odom', odometry(rig.time.now, (0, 0, 1), linear=(0, 0, 1.0)))
    rig.time.tick()
    for _ in range(20):
        wrench = stamped(WrenchStamped(), rig.time.now, 'h/base_link')
        bench.send('h/wrench', wrench)
        rig.time.tick()
    bench.until(lambda: strikes and 'rotor 2' in rig.process.output, 'the strike, and its line in the log')
    (event,) = strikes[0].events
    assert (event.body_a, event.body_b, event.part_b, event.phase) == ('block', 'h', 'rotor_2', event.BEGIN)
    assert event.impulse.z < -0.001
    assert rig.counters()['rotor_stopped/h'] == 1


ROOM = """
walls:
  - {name: floor, type: plane}
  - {name: post, type: box, size: [0.2, 2.0, 4.0], position: [1.0, 0.0, 2.0]}
drones:
  - {name: d, model: unity, position: [-1, 0, 1.5]}
"""
CRASH = 3.0 * G


def flown(rig: Rig, swarm, felt: list, cuts: bool) -> int | None:
    """RotorPy flies its course into the post for 3 s and takes the corrected state after an impulse, as simulators do;
    its own IMU knows nothing of contacts. The tick at which the controller cuts the motors, None: it does not."""
    vehicle, cut, known = swarm.vehicles['d'], None, 0
    before = swarm.state('d').velocity
    for k in range(600):
        if k % 2 == 0:      # at 100 Hz
            if cut is None:
                swarm.step()
            else:
                vehicle.command = np.zeros(4)
                vehicle.step(swarm.dt)
            state = swarm.state('d')
            turn = Rotation.from_quat(state.orientation)
            force = turn.inv().apply((state.velocity - before) / swarm.dt + (0.0, 0.0, G))
            before = state.velocity
            bench_odometry = odometry(rig.time.now, state.position, state.orientation,
                                      turn.inv().apply(state.velocity), state.body_rates)
            rig.bench.send('d/odom', bench_odometry)
            imu = stamped(Imu(), rig.time.now, 'd/imu_link')
            (imu.orientation.x, imu.orientation.y, imu.orientation.z, imu.orientation.w) = state.orientation.tolist()
            imu.linear_acceleration.x, imu.linear_acceleration.y, imu.linear_acceleration.z = force.tolist()
            rig.bench.send('d/imu_raw', imu)
        rig.time.tick()
        rig.bench.serve()
        hit = [e for e in rig.events[known:] if e.phase != e.END and np.any(three(e.impulse))]
        known = len(rig.events)
        if hit:
            now = rig.state('d')
            swarm.set_state('d', now['p'], now['q'], now['v'], now['w'])
            before = np.array(now['v'])
        # all that the controller knows of a crash
        if cuts and cut is None and any(np.linalg.norm(three(msg.linear_acceleration)) > CRASH for msg in felt):
            cut = k
    return cut


@pytest.mark.parametrize('cuts', [True, False])
def test_a_rotorpy_controller_that_hears_the_imu_cuts_its_motors(bench, tmp_path, cuts):
    pytest.importorskip('rotorpy', reason='RotorPy is not installed (extra demo)')
    from hakoniwa_rigid.sims.courses import Course
    from hakoniwa_rigid.sims.rotorpy_swarm import Swarm

    path = tmp_path / 'room.yaml'
    path.write_text(ROOM)
    rig = Rig(bench, path, 'drones.d.topic_imu:=d/imu', 'drones.d.topic_imu_in:=d/imu_raw')
    felt = bench.inbox(Imu, 'd/imu')
    there, back = (3.0, 0.0, 1.5), (-1.0, 0.0, 1.5)
    swarm = Swarm({'d': Course(np.array([0.0, 2.0, 20.0, 22.0]), np.array([back, there, there, back]))})
    cut = flown(rig, swarm, felt, cuts)
    begun = [e for e in rig.events if e.phase == e.BEGIN and 'post' in (e.body_a, e.body_b)]
    assert begun
    end = rig.state('d')
    if cuts:
        assert cut is not None and end['p'][2] < 0.2    # it lies on the floor, motors off
        peak = max(np.linalg.norm(three(msg.linear_acceleration)) for msg in felt)
        assert peak > CRASH
    else:
        assert end['p'][2] > 0.5    # it hovers before the post, and pushes on
