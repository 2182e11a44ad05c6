# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Into Gazebo: EntityWrench whose time integral is the impulse, Contacts while bodies touch, SetEntityState."""

from __future__ import annotations

import foreign_packages
import harness
import numpy as np
import pytest
from flock import PERIOD, RELIABLE, Flock
from hakoniwa_rigid.msg import ContactEvent
from harness import NS, stamp_of
from numpy.testing import assert_allclose
from oracles import conventions
from oracles.conventions import State
from scipy.spatial.transform import Rotation
from speakers import SIMULATORS

pytestmark = pytest.mark.ros
INERTIA = np.array([0.0061, 0.00653, 0.0116])
# of the model, m, in its body
CENTRE = np.array([0.02, -0.01, 0.03])
WORLD = """
gravity: [0, 0, 0]
materials: {plain: {restitution: 0.5, friction: 0.0}}
models:
  brick:
    mass: 0.71
    inertia: [0.0061, 0.00653, 0.0116]
    com: [0.02, -0.01, 0.03]
    shape: {type: box, size: [0.4, 0.3, 0.2]}
    material: plain
walls:
  - {name: wall, type: plane, normal: [-1, 0, 0], offset: -3.0, material: plain}
drones:
  - {name: x500_0, model: brick, position: [0, 0, 1]}
  - {name: x500_1, model: brick, position: [0, 6, 1]}
"""
# s, the physics' step of the simulator
STEP = 0.004
WRENCH = '/world/default/wrench'
STATE = '/world/default/set_entity_state'


@pytest.fixture(scope='module')
def flock(tmp_path_factory):
    """x500_0 has a wrench topic, x500_1 a service for its state."""
    path = tmp_path_factory.mktemp('world') / 'world.yaml'
    path.write_text(WORLD)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('PYTHONPATH', str(foreign_packages.provide()), prepend=':')
        with harness.bench() as bench:
            yield Flock(bench, {'gz': (path, (
                'sim:=gazebo', 'default_authority:=observe', 'publish_contacts:=true', f'wrench_duration:={STEP}',
                f'drones.x500_0.topic_entity_wrench:={WRENCH}', f'drones.x500_1.topic_set_state:={STATE}',
            ))})


def vector(v) -> np.ndarray:
    return np.array((v.x, v.y, v.z))


def tilted(place, velocity) -> State:
    """A corner ahead, so that a hit on it turns the drone."""
    turn = Rotation.from_euler('ZYX', (0.5, 0.4, 0.3)).as_matrix()
    return State(np.array(place, float), turn, np.array(velocity, float), np.zeros(3))


def fly(flock: Flock, name: str, start: State, ticks: int) -> None:
    begin = flock.now
    for _ in range(ticks):
        ns = flock.now + PERIOD
        for message in SIMULATORS['gazebo'].speak(name, conventions.later(start, (ns - begin) / NS), ns):
            flock.send(*message)
        flock.tick()
    flock.bench.serve()


def begun(flock: Flock) -> list[ContactEvent]:
    return [e for e in flock['gz'].events if e.phase == ContactEvent.BEGIN]


def test_the_integral_of_the_wrenches_is_the_impulse(flock: Flock):
    """gz-sim's ApplyLinkWrench: what comes on /world/<name>/wrench holds for one step of the physics, in world axes;
    the force acts at the link's origin (gz/sim/components/ExternalWorldWrenchCmd.hh), which is not the centre of mass.
    """
    from ros_gz_interfaces.msg import EntityWrench

    inbox, known = flock.bench.inbox(EntityWrench, WRENCH, RELIABLE), len(begun(flock))
    start = tilted((2.5, 0, 1), (1.5, 0, 0))
    fly(flock, 'x500_0', start, 60)
    flock.tick(60)
    (event,) = begun(flock)[known:]
    assert inbox
    assert all(msg.entity.name.startswith('x500_0') for msg in inbox)
    force = sum(vector(msg.wrench.force) for msg in inbox)
    torque = sum(vector(msg.wrench.torque) for msg in inbox)
    assert (event.body_a, event.body_b) == ('wall', 'x500_0')
    assert_allclose(STEP * force, vector(event.impulse), atol=1e-9)
    assert_allclose(0.71 * vector(event.delta_v_b), vector(event.impulse), atol=1e-9)
    tensor = start.turn @ np.diag(INERTIA) @ start.turn.T
    spin = tensor @ vector(event.delta_omega_b)
    assert np.linalg.norm(spin) > 0.05
    # about the centre of mass: what the message says, and what its force makes that acts beside it
    about_centre = torque + np.cross(-start.turn @ CENTRE, force)
    assert_allclose(STEP * about_centre, spin, atol=1e-9)


def test_no_wrench_without_a_contact(flock: Flock):
    from ros_gz_interfaces.msg import EntityWrench

    inbox = flock.bench.inbox(EntityWrench, WRENCH, RELIABLE)
    fly(flock, 'x500_0', tilted((0, 0, 1), (0.5, 0, 0)), 60)
    assert not inbox


def test_contacts_while_they_touch_and_an_empty_one_at_the_end(flock: Flock):
    from ros_gz_interfaces.msg import Contacts

    inbox = flock.bench.inbox(Contacts, '/gz/contacts', RELIABLE)
    level = tilted((1.0, 0, 1), (0, 0, 0))._replace(turn=np.eye(3))
    fly(flock, 'x500_0', level, 40)
    assert not [msg for msg in inbox if msg.contacts]
    inbox.clear()
    entered = flock.now
    fly(flock, 'x500_0', level._replace(position=np.array([2.81, 0.0, 1.0])), 40)
    touching = len(inbox)
    assert touching >= 38
    for msg in inbox[2:]:
        assert msg.header.frame_id == 'world'
        for contact in msg.contacts:
            names = contact.collision1.name, contact.collision2.name
            assert any('x500_0' in name for name in names)
            assert any('wall' in name for name in names)
            assert len(contact.positions) == len(contact.normals) == len(contact.depths) > 0
            for place, normal in zip(contact.positions, contact.normals, strict=True):
                assert_allclose(np.abs(vector(normal)), (1, 0, 0), atol=1e-9)
                assert_allclose(place.x, 3.0, atol=0.02)
            assert_allclose(list(contact.depths), 0.01, atol=1e-6)
    assert all(stamp_of(msg) > entered for msg in inbox)
    fly(flock, 'x500_0', level, 60)
    flock.bench.serve()
    rest = inbox[touching:]
    empty = [k for k, msg in enumerate(rest) if not msg.contacts]
    assert empty == [len(rest) - 1], 'one empty message, and it is the last'
    assert len(rest) <= 3


def test_the_state_is_set_by_a_service_that_never_answers(flock: Flock):
    """The node asks and does not wait: 100 ticks pass while the simulator is silent."""
    from simulation_interfaces.srv import SetEntityState

    asked = []

    def never(request, response):
        asked.append(request)
        return response

    flock.bench.node.create_service(SetEntityState, STATE, never)
    flock.bench.meet('/gz/collision_node')
    known = len(begun(flock))
    fly(flock, 'x500_1', tilted((2.5, 6, 1), (1.5, 0, 0)), 60)
    flock.tick(40)
    flock.bench.serve()
    (event,) = begun(flock)[known:]
    assert asked
    first = asked[0]
    assert first.entity == 'x500_1'
    assert first.state.header.frame_id in ('', 'world')
    # what the impulse made of the velocity of its link, in the world: the centre's, and a turn about the centre
    turn = conventions.matrix([getattr(first.state.pose.orientation, k) for k in 'xyzw'])
    spin = vector(event.delta_omega_b)
    assert np.linalg.norm(spin) > 1.0
    speed = (1.5, 0, 0) + vector(event.delta_v_b) - np.cross(spin, turn @ CENTRE)
    assert_allclose(vector(first.state.twist.linear), speed, atol=1e-2)
    assert_allclose(vector(first.state.twist.angular), spin, atol=1e-2)
