# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What goes into simulators over DDS, against closed forms: two balls of 1 kg, r = 0.2 m, e = 0.5 at 1 m/s each."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from hakoniwa_rigid.msg import ContactEvent
from harness import NS, odometry, stamp_of
from numpy.testing import assert_allclose
from oracles.rotations import random_quat
from plants import euler_matrix
from rig import Rig
from scene_worlds import MODEL

from hakoniwa_rigid.ros.collision import sim_outputs
from hakoniwa_rigid.ros.collision.sim_messages import IMMOVABLE, fill_entity_wrench, fill_impulse
from hakoniwa_rigid.ros.collision.sim_outputs import SimOutputs
from hakoniwa_rigid.ros.errors import StartError
from hakoniwa_rigid.rotations import IDENTITY, Rigid, rotate_xyzw, to_rpy
from hakoniwa_rigid.scene import ImpactRecord, SceneParams, WorldConfig
from hakoniwa_rigid.scene.parameters.params import DRONE, NODE, default_of
from hakoniwa_rigid.scene.parameters.settings import Settings
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig, Pose

ALL = (
    'default_authority:=observe',
    'drones.a.impulse:=true', 'drones.b.impulse:=true', 'drones.c.impulse:=true', 'drones.b.topic_impulse:=sim/hit',
    'drones.a.topic_entity_wrench:=gazebo/wrench', 'drones.b.topic_entity_wrench:=gazebo/wrench',
    'drones.b.entity:=x3', 'wrench_duration:=0.002',
    'drones.a.topic_set_state:=set_entity_state', 'drones.c.topic_set_state:=set_entity_state',
    'publish_contacts:=true',
)


def three(v) -> tuple:
    return v.x, v.y, v.z


def fly(rig: Rig, seconds: float) -> None:
    """a and b through each other as if nothing were reported, c by itself."""
    start = rig.time.now
    for _ in range(round(seconds * 200)):
        t = (rig.time.now - start) / NS
        for name, position, speed in (('a', (t - 0.5, 0, 1), 1.0), ('b', (0.5 - t, 0, 1), -1.0), ('c', (0, 5, 1), 0.0)):
            rig.bench.send(f'{name}/odom', odometry(rig.time.now, position, linear=(speed, 0, 0)))
        rig.time.tick()


def test_everything_into_simulators(foreign, bench, world):
    from hako_msgs.msg import ImpulseCollision
    from ros_gz_interfaces.msg import Contacts, Entity, EntityWrench
    from simulation_interfaces.srv import SetEntityState

    requests = []

    def on_request(request, response):
        requests.append(request)
        response.result.result = response.result.RESULT_OK
        return response

    bench.node.create_service(SetEntityState, 'set_entity_state', on_request)
    rig = Rig(bench, world, *ALL)
    hits = {name: bench.inbox(ImpulseCollision, topic)
            for name, topic in (('a', 'a/impulse'), ('b', 'sim/hit'), ('c', 'c/impulse'))}
    wrenches, contacts = bench.inbox(EntityWrench, 'gazebo/wrench'), bench.inbox(Contacts, 'contacts')
    fly(rig, 0.9)
    bench.until(lambda: requests, 'a call of the service')
    assert not contacts[-1].contacts

    # one for each of the two, though they fly on through each other for 0.4 s
    assert {name: len(got) for name, got in hits.items()} == {'a': 1, 'b': 1, 'c': 0}
    for name, side in (('a', 1.0), ('b', -1.0)):
        (hit,) = hits[name]
        assert hit.collision and not hit.is_target_static
        assert_allclose(three(hit.self_contact_vector), (side * 0.2, 0, 0), atol=1e-9)
        assert_allclose(three(hit.target_contact_vector), (-side * 0.2, 0, 0), atol=1e-9)
        assert_allclose(three(hit.normal), (-side, 0, 0), atol=1e-9)
        assert_allclose(three(hit.target_velocity), (-side, 0, 0), atol=1e-9)
        assert_allclose(three(hit.target_angular_velocity), 0, atol=1e-9)
        assert_allclose(three(hit.target_inertia), 0.016)
        assert (hit.restitution_coefficient, hit.target_mass) == (0.5, 1.0)

    # J = (1 + e) v_rel / (1/m + 1/m) within 2 ms
    assert {w.entity.name: round(w.wrench.force.x) for w in wrenches} == {'a': -750, 'x3': 750}
    assert len(wrenches) == 2 and all(w.entity.type == Entity.MODEL for w in wrenches)
    for wrench in wrenches:
        assert_allclose(abs(wrench.wrench.force.x), 750, rtol=1e-9)
        assert_allclose([*three(wrench.wrench.torque), wrench.wrench.force.y, wrench.wrench.force.z], 0, atol=1e-6)

    # the state at the tick of the impact: 0.4 m between the centres after 0.3 s
    (request,) = requests
    begin = next(e for e in rig.events if e.phase == ContactEvent.BEGIN)
    assert request.entity == 'a' and request.set_pose and request.set_twist and not request.set_acceleration
    late = (stamp_of(request.state) - stamp_of(begin)) / NS
    assert 0.0 <= late <= 0.005
    assert_allclose(three(request.state.pose.position), (-0.2 + late, 0, 1), atol=1e-6)
    assert request.state.pose.orientation.w == 1.0
    assert_allclose(three(request.state.twist.linear), (-0.5, 0, 0), atol=1e-9)

    touching = [c for c in contacts if c.contacts]
    assert len(touching) > 20
    assert contacts[:-1] == touching  # one empty one, at the end
    stamps = [stamp_of(c) for c in touching]
    assert np.ptp(np.diff(stamps)) == 0
    (first,) = touching[0].contacts
    assert (first.collision1.name, first.collision2.name) == ('a::body', 'b::body')
    assert first.collision1.type == Entity.COLLISION
    assert_allclose(three(first.normals[0]), (1, 0, 0), atol=1e-9)
    assert_allclose(three(first.positions[0]), (0, 0, 1), atol=1e-6)
    # the mean over the one step of 1 ms in which they touched
    assert_allclose(first.wrenches[0].body_2_wrench.force.x, 1500, rtol=1e-6)
    assert_allclose(first.wrenches[0].body_1_wrench.force.x, -1500, rtol=1e-6)

    # neither follows, and both are gone through: said of each, with its name
    fly(rig, 1.2)
    for cause in ('unanswered: does not follow its impulses and pushes on into', 'went_through: its centre went into'):
        bench.until(lambda cause=cause: all(f'{name}: {cause}' in rig.process.output or '; also b' in rig.process.output
                                            for name in 'ab'), f'{cause} in the log')


def test_a_service_that_is_not_there_or_says_no_stops_nothing(foreign, bench, world):
    """Once in the log, however often; the impulses of the others go out."""
    from simulation_interfaces.srv import SetEntityState

    def on_request(request, response):
        response.result.result, response.result.error_message = response.result.RESULT_NOT_FOUND, 'no a here'
        return response

    bench.node.create_service(SetEntityState, 'refusing', on_request)
    rig = Rig(bench, world, 'default_authority:=observe', 'drones.a.topic_set_state:=refusing',
              'drones.b.topic_set_state:=nowhere')
    for _ in range(2):
        fly(rig, 0.5)
        rig.bench.send('a/odom', odometry(rig.time.now, (-3, 0, 1)))
        fly(rig, 0.01)
    texts = 'refusing: result 2 no a here', 'nowhere: there is no such service'
    bench.until(lambda: all(text in rig.process.output for text in texts), 'both in the log')
    assert [rig.process.output.count(text) for text in texts] == [1, 1]


# -- without DDS

ROLES = {
    'impulse': ({'impulse': True}, {}, 'drones.d0.impulse', 'hako_msgs'),
    'wrench': ({'topic_entity_wrench': 'w'}, {}, 'drones.d0.topic_entity_wrench', 'ros_gz_interfaces'),
    'state': ({'topic_set_state': 's'}, {}, 'drones.d0.topic_set_state', 'simulation_interfaces'),
    'contacts': ({}, {'publish_contacts': True}, 'publish_contacts', 'ros_gz_interfaces'),
}


def settings_of(drone=None, node=None, origin=None, **world) -> Settings:
    """Settings of one drone, d0, with defaults but for what is given."""
    config = WorldConfig(drones=(DroneConfig('d0', MODEL, origin=origin or Pose()),), scene=SceneParams(), **world)
    values = {p.name: default_of(p, 'd0') for p in DRONE}
    return Settings({**{p.name: p.default for p in NODE}, **(node or {})}, {'d0': {**values, **(drone or {})}}, {},
                    config, {})


def scene_stub():
    return SimpleNamespace(drone_names=('d0',), report_impacts=lambda names: None)


@pytest.mark.parametrize('role', ROLES)
def test_a_package_that_is_missing_is_named(monkeypatch, role):
    drone, node, parameter, package = ROLES[role]
    for kind in ('msg', 'srv'):
        monkeypatch.setitem(sys.modules, f'{package}.{kind}', None)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(StartError, match=f'parameter {parameter}: needs the package {package}, which is not installed'):
        SimOutputs(None, scene_stub(), settings_of(drone, node))


def test_nothing_is_asked_for_by_default():
    asked = []
    outputs = SimOutputs(None, SimpleNamespace(drone_names=('d0',), report_impacts=asked.extend), settings_of())
    assert not outputs.asked and asked == []


def test_the_penalty_solver_has_no_impacts(monkeypatch):
    monkeypatch.setattr(sim_outputs, 'ImpulseOutput', lambda *args: SimpleNamespace(close=lambda: None))
    with pytest.raises(StartError, match='solver penalty'):
        SimOutputs(None, scene_stub(), settings_of({'impulse': True}, solver='penalty'))


IMPACT = ImpactRecord(
    'd0', 'd1', 10**9, 0.0025, 0.5, normal=(0.6, 0.0, -0.8), point=(1.0, 2.0, 3.0), arm=(0.1, 0.2, 0.3),
    other_arm=(0.4, 0.5, 0.6), other_velocity=(1.0, -2.0, 3.0), other_angular_velocity=(0.7, 0.8, -0.9),
    other_mass=2.0, other_inertia=(0.01, 0.02, 0.025), other_orientation=(0.5, 0.5, -0.5, 0.5),
    impulse=(0.3, -0.2, 0.1), angular_impulse=(0.01, 0.02, 0.03), orientation=(1.0, 0.0, 0.0, 0.0))


@pytest.mark.parametrize(('node', 'origin', 'drone'), [
    ({'frame_yaw': 0.5 * np.pi}, None, {}),
    ({}, Pose((1.0, 2.0, 3.0), (0.8, 0.0, 0.6, 0.0)), {}),
    ({'frame_yaw': 0.3}, Pose((1.0, 2.0, 3.0), (0.8, 0.0, 0.6, 0.0)), {}),
    ({}, Pose((1.0, 2.0, 3.0), (0.8, 0.0, 0.6, 0.0)), {'frame': 'lab'}),
])
def test_an_impulse_is_reported_in_the_axes_in_which_the_drone_tells(foreign, node, origin, drone):
    """The way of its samples into the world, and the message back."""
    from hako_msgs.msg import ImpulseCollision
    lab = Rigid.checked((1.0, 0.0, 0.0), (0.0, 0.6, 0.0, 0.8))
    settings = settings_of(drone, node, origin)
    settings.fixed_frames['lab'] = lab
    turn, w, x, y, z = 0.5 * node.get('frame_yaw', 0.0), *(origin or Pose()).quat
    into_world = lab if drone else Rigid((0, 0, 0), (x, y, z, w)).after(
        Rigid((0, 0, 0), (0.0, 0.0, np.sin(turn), np.cos(turn))))
    msg = ImpulseCollision()
    fill_impulse(msg, IMPACT, sim_outputs._axes('d0', settings.drones['d0'], settings, settings.world.drones[0]))
    for reported, meant in ((msg.self_contact_vector, IMPACT.arm), (msg.target_contact_vector, IMPACT.other_arm),
                        (msg.normal, IMPACT.normal), (msg.target_velocity, IMPACT.other_velocity),
                        (msg.target_angular_velocity, IMPACT.other_angular_velocity)):
        assert_allclose(into_world.vector(three(reported)), meant, atol=1e-12)
    reported = euler_matrix(*three(msg.target_euler))
    axes = [rotate_xyzw(into_world.orientation, tuple(axis)) for axis in reported.T]
    w, x, y, z = IMPACT.other_orientation
    assert_allclose(axes, [rotate_xyzw((x, y, z, w), axis) for axis in np.eye(3)], atol=1e-12)


def test_an_immovable_one(foreign):
    from hako_msgs.msg import ImpulseCollision
    msg = ImpulseCollision()
    heavy = {**IMPACT.__dict__, 'other_mass': np.inf, 'other_inertia': (np.inf,) * 3}
    fill_impulse(msg, ImpactRecord(**heavy), IDENTITY)
    assert msg.is_target_static
    assert (msg.target_mass, *three(msg.target_inertia)) == (IMMOVABLE,) * 4


def test_an_entity_wrench_at_the_links_origin(foreign):
    """Force and torque that give the impulse and the angular impulse about the centre of mass, which is elsewhere."""
    from ros_gz_interfaces.msg import EntityWrench
    msg, com = EntityWrench(), np.array((0.01, -0.02, 0.05))
    fill_entity_wrench(msg, IMPACT, IDENTITY, tuple(com), 0.004)
    force, torque = np.array(three(msg.wrench.force)), np.array(three(msg.wrench.torque))
    assert_allclose(0.004 * force, IMPACT.impulse)
    assert_allclose(0.004 * (torque + np.cross(-com, force)), IMPACT.angular_impulse)
    assert stamp_of(msg) == 10**9 + 2_500_000


def test_roll_pitch_yaw():
    rng = np.random.default_rng(3)
    attitudes = [random_quat(rng) for _ in range(50)]
    # straight up and down, where roll and yaw are one
    attitudes += [np.array((np.sqrt(0.5), 0, s * np.sqrt(0.5), 0)) for s in (1, -1)]
    attitudes += [np.array((0.5, 0.5, 0.5, -0.5)), np.array((0.0, 1.0, 0.0, 0.0)), np.array((0.5, 0.5, 0.5, 0.5))]
    for w, x, y, z in attitudes:
        meant = np.array([rotate_xyzw((x, y, z, w), axis) for axis in np.eye(3)]).T
        assert_allclose(euler_matrix(*to_rpy((x, y, z, w))), meant, atol=1e-8)
