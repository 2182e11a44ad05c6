# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Hakoniwa through hakoniwa-pdu-ros: `pos` and `velocity` in, ImpulseCollision out.

What a plant makes of a message is the formula of the Hakoniwa article on collisions on the message's own fields and its
own state; it has to be the impulse of the contact event. All without friction, as the formula is."""

from __future__ import annotations

import foreign_packages
import harness
import numpy as np
import pytest
from flock import PERIOD, RELIABLE, Flock
from geometry_msgs.msg import PoseStamped
from hakoniwa_rigid.msg import ContactEvent
from harness import NS, stamped
from numpy.testing import assert_allclose
from oracles import conventions
from oracles.conventions import NWU, State
from scipy.spatial.transform import Rotation
from speakers import HOVER_DUTY, QUAD, SIMULATORS, xyz

pytestmark = pytest.mark.ros
HASH = '1314714ce4f05ca0cadd1b3a79622244eaa2c49728b16ed5ec3c850f26bb46de'
BALL = {'mass': 1.0, 'inertia': np.full(3, 0.016)}
BRICK = {'mass': 0.71, 'inertia': np.array([0.0061, 0.00653, 0.0116])}
# north 3 m: a wall; north 1.6 to 3 m and west 20 m: a lane between two walls; the drones keep far from each other
WORLD = """
gravity: [0, 0, 0]
materials: {plain: {restitution: 0.5, friction: 0.0}}
models:{QUAD}  ball: {mass: 1.0, inertia: [0.016, 0.016, 0.016], shape: {type: sphere, radius: 0.2}, material: plain}
  brick: {mass: 0.71, inertia: [0.0061, 0.00653, 0.0116], shape: {type: box, size: [0.4, 0.3, 0.2]}, material: plain}
walls:
  - {name: wall, type: plane, normal: [-1, 0, 0], offset: -3.0, material: plain}
  - {name: back, type: box, size: [0.2, 4, 4], position: [1.0, 20, 1], material: plain}
drones:
  - {name: Drone-1, model: brick, position: [0, 0, 1]}
  - {name: Drone-2, model: brick, position: [0, 3, 1]}
  - {name: Drone-3, model: ball, position: [0, 20, 1]}
  - {name: Drone-4, model: ball, position: [0, -6, 1]}
  - {name: Drone-5, model: ball, position: [0, -12, 1]}
  - {name: Drone-6, model: quad, position: [0, -30, 1], authority: simulate}
hands:
  - {name: right, material: plain, effective_mass: .inf}
""".replace('{QUAD}', QUAD)
NAMES = [f'Drone-{k}' for k in range(1, 6)]


class Plant:
    """The flock, and the impulses that arrived per robot."""

    def __init__(self, flock: Flock) -> None:
        from hako_msgs.msg import ImpulseCollision

        self.flock = flock
        self.inbox = {
            name: flock.bench.inbox(ImpulseCollision, f'/{name.replace("-", "_")}/impulse', RELIABLE) for name in NAMES
        }

    def fly(self, ticks: int, states, also=lambda now: None) -> None:
        """Say states(seconds) -> {name: State in Hakoniwa's world} every period."""
        begin = self.flock.now
        for _ in range(ticks):
            for name, state in states((self.flock.now - begin) / NS).items():
                for message in SIMULATORS['hakoniwa'].speak(name, conventions.turned(state, NWU.T), self.flock.now):
                    self.flock.send(*message)
            also(self.flock.now)
            self.flock.tick()
        self.flock.bench.serve()

    def count(self) -> dict[str, int]:
        """Messages so far, also those on their way."""
        self.flock.tick(3)
        self.flock.bench.serve()
        return {name: len(inbox) for name, inbox in self.inbox.items()}

    def events(self, node: str = 'nwu') -> list[ContactEvent]:
        """All that began, of a node."""
        return [e for e in self.flock[node].events if e.phase == ContactEvent.BEGIN]


@pytest.fixture(scope='module')
def plant(tmp_path_factory):
    """Two nodes get the same: one takes Hakoniwa's world as it is, the other turns it to east-north-up."""
    path = tmp_path_factory.mktemp('world') / 'world.yaml'
    path.write_text(WORLD)
    common = {'sim': 'hakoniwa', 'hands.right.type': 'pose', 'hands.right.radius': 0.05}
    for name in NAMES:
        common |= {f'drones.{name}.authority': 'observe', f'drones.{name}.impulse': True}
    turned = {f'drones.{name}.topic_impulse': f'/enu/{name.replace("-", "_")}/impulse' for name in NAMES}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('PYTHONPATH', str(foreign_packages.provide()), prepend=':')
        with harness.bench() as bench:
            yield Plant(Flock(bench, {
                'nwu': (path, common),
                'enu': (path, {**common, **turned, 'frame_yaw': 0.5 * np.pi}),
            }))


def vector(v) -> np.ndarray:
    return np.array((v.x, v.y, v.z))


def ball(place, velocity=(0.0, 0.0, 0.0)) -> State:
    """Level, not turning."""
    return State(np.array(place, float), np.eye(3), np.array(velocity, float), np.zeros(3))


def tensor(inertia: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """(3, 3) in the world."""
    return turn @ np.diag(inertia) @ turn.T


def made(msg, model: dict, state: State) -> np.ndarray:
    """J (3,) on the drone that gets the message, in the axes of the message and of its own state.

    Of a static target the plant uses the velocity, which is that of the touched point (hakoniwa-drone-core,
    include/physics/body_physics.hpp, the second impulse_by_collision).
    """
    one = {'mass': model['mass'], 'tensor': tensor(model['inertia'], state.turn), 'v': state.velocity,
           'r': vector(msg.self_contact_vector), 'w': state.turn @ state.rate}
    two = {'mass': np.inf, 'tensor': None, 'r': np.zeros(3), 'v': vector(msg.target_velocity), 'w': np.zeros(3)}
    if not msg.is_target_static:
        turn = Rotation.from_euler('ZYX', vector(msg.target_euler)[::-1]).as_matrix()
        two |= {'mass': msg.target_mass, 'tensor': tensor(vector(msg.target_inertia), turn),
                'r': vector(msg.target_contact_vector), 'w': vector(msg.target_angular_velocity)}
    return conventions.impulse(vector(msg.normal), msg.restitution_coefficient, one, two)


def test_the_message_is_hakoniwas_own(plant: Plant):
    """A bridge that was built with Hakoniwa's definition takes it: the hash of the type is the same on the wire."""
    (info,) = plant.flock.bench.node.get_publishers_info_by_topic('/Drone_1/impulse')
    assert info.topic_type == 'hako_msgs/msg/ImpulseCollision'
    assert HASH in str(info.topic_type_hash)
    assert info.qos_profile.reliability == RELIABLE.reliability


def test_nobody_speaks_over_hakoniwa(plant: Plant):
    """Its own topics have no writer but the test."""
    for topic in ('/Drone_1/pos', '/Drone_1/velocity', '/Drone_1/motor'):
        assert plant.flock.bench.node.count_publishers(topic) == 0


def test_a_wall_once_and_what_the_plant_makes_of_it(plant: Plant):
    """It ignores us and flies on into the wall: one message, not one per tick."""
    before, known = plant.count(), len(plant.events())
    start = ball((2.5, -6, 1), (1.5, 0.4, -0.2))
    plant.fly(60, lambda t: {'Drone-4': conventions.later(start, t)})
    (event,) = plant.events()[known:]
    assert (event.body_a, event.body_b) == ('Drone-4', 'wall')
    assert {name: n - before[name] for name, n in plant.count().items() if n > before[name]} == {'Drone-4': 1}
    msg = plant.inbox['Drone-4'][-1]
    assert msg.collision
    assert msg.is_target_static
    assert msg.restitution_coefficient == event.restitution == 0.5
    assert_allclose(np.abs(vector(msg.normal)), (1, 0, 0), atol=1e-12)
    assert_allclose(vector(msg.self_contact_vector), (0.2, 0, 0), atol=1e-6)
    assert_allclose(vector(msg.target_velocity), 0, atol=0)
    assert_allclose(made(msg, BALL, start), -vector(event.impulse), atol=1e-9)
    assert_allclose(vector(event.impulse), (2.25, 0, 0), atol=1e-9)


def test_none_while_it_rests_or_leaves(plant: Plant):
    """Touching at rest; a little inside at rest; inside and leaving; along the wall."""
    plant.fly(20, lambda t: {'Drone-4': ball((1.5, -6, 1))})
    before = plant.count()
    rests = ball((2.8, -6, 1)), ball((2.85, -6, 1))
    for start in (*rests, ball((2.85, -6, 1), (-1, 0, 0)), ball((2.8, -6, 1), (0, 1, 0))):
        plant.fly(30, lambda t, start=start: {'Drone-4': conventions.later(start, t)})
    assert plant.count() == before


def test_two_bounces_are_two_messages(plant: Plant):
    """A plant that takes its impulses flies to and fro between two walls, losing half its speed each time."""
    before, known = plant.count()['Drone-3'], len(plant.events())
    state = {'p': np.array([2.0, 20.0, 1.0]), 'v': np.array([2.0, 0.0, 0.0])}
    seen = [before]

    def step(_) -> dict:
        new = plant.inbox['Drone-3'][seen[0]:]
        seen[0] += len(new)
        for msg in new:
            state['v'] = state['v'] + made(msg, BALL, ball(state['p'], state['v'])) / BALL['mass']
        state['p'] = state['p'] + state['v'] * PERIOD / NS
        return {'Drone-3': ball(state['p'], state['v'])}

    plant.fly(420, step)
    events = plant.events()[known:]
    assert [event.body_b if event.body_a == 'Drone-3' else event.body_a for event in events] == ['wall', 'back']
    assert plant.count()['Drone-3'] - before == 2
    assert_allclose(state['v'], (0.5, 0, 0), atol=1e-9)
    for msg, event in zip(plant.inbox['Drone-3'][before:], events, strict=True):
        assert_allclose(np.linalg.norm(vector(event.impulse)), 1.5 * abs(vector(event.relative_velocity_before)[0]))
        assert msg.is_target_static


def test_one_that_comes_again_is_reported_again(plant: Plant):
    """It ignores us, but turns back by itself and comes once more: a new contact."""
    before = plant.count()['Drone-4']
    for speed in (1.0, -1.0, 1.0):
        start = ball((2.6 if speed > 0 else 2.95, -6, 1), (speed, 0, 0))
        plant.fly(70, lambda t, start=start: {'Drone-4': conventions.later(start, t)})
    assert plant.count()['Drone-4'] - before == 2


def meet() -> tuple[State, State]:
    """Two bricks that meet with a corner of one on a face of the other; the second one spins."""
    one = State(np.array([0.0, 0.0, 1.0]), Rotation.from_euler('ZYX', (0.7, 0.5, 0.3)).as_matrix(),
                np.array([1.0, 0.2, 0.0]), np.zeros(3))
    two = State(np.array([1.0, 0.1, 1.05]), Rotation.from_euler('ZYX', (-0.2, 0.1, -0.3)).as_matrix(),
                np.array([-0.8, 0.1, 0.1]), np.array([0.5, -0.4, 1.1]))
    return one, two


@pytest.mark.parametrize('node', ['nwu', 'enu'])
def test_drone_and_drone_one_each_and_momentum_stays(plant: Plant, node):
    """Each gets the other's velocity from before; both formulas give one impulse, with opposite signs, in Hakoniwa's
    axes whatever axes our world has.
    """
    from hako_msgs.msg import ImpulseCollision

    prefix = '' if node == 'nwu' else '/enu'
    inbox = [plant.flock.bench.inbox(ImpulseCollision, f'{prefix}/Drone_{k}/impulse', RELIABLE) for k in (1, 2)]
    one, two = meet()
    # apart, so that the contact is new
    plant.fly(10, lambda t: {'Drone-1': ball((-3, 0, 1)), 'Drone-2': ball((-3, 3, 1))})
    before = [len(box) for box in inbox]
    known = len(plant.events(node))
    for _ in range(30):
        plant.fly(8, lambda t, a=one, b=two: {'Drone-1': conventions.later(a, t), 'Drone-2': conventions.later(b, t)})
        one, two = (conventions.later(state, 8 * PERIOD / NS) for state in (one, two))
        if len(plant.events(node)) > known:
            break
    (event,) = plant.events(node)[known:]
    assert [len(box) - n for box, n in zip(inbox, before, strict=True)] == [1, 1]
    first, second = (box[-1] for box in inbox)
    assert not first.is_target_static
    assert not second.is_target_static
    # the event is in our world
    axes = np.eye(3) if node == 'nwu' else NWU.T
    j = axes @ vector(event.impulse)
    assert_allclose(vector(first.target_velocity), two.velocity, atol=1e-9)
    assert_allclose(vector(second.target_velocity), one.velocity, atol=1e-9)
    assert_allclose(vector(second.target_angular_velocity), 0, atol=1e-9)
    assert_allclose(first.target_mass, 0.71)
    assert_allclose(made(first, BRICK, one), -j, atol=1e-9)
    # the second has turned on, and as it is free its rate has changed a little: they are what is reported to the first
    turn = Rotation.from_euler('ZYX', vector(first.target_euler)[::-1]).as_matrix()
    then = two._replace(turn=turn, rate=turn.T @ vector(first.target_angular_velocity))
    assert_allclose(then.rate, two.rate, atol=1e-2)
    assert np.linalg.norm(Rotation.from_matrix(then.turn.T @ two.turn).as_rotvec()) < 0.1
    assert_allclose(made(second, BRICK, then), j, atol=1e-9)
    # both speak of one point of the world
    arm = vector(first.self_contact_vector)
    assert_allclose(arm, vector(second.target_contact_vector), atol=1e-12)
    assert_allclose(vector(second.self_contact_vector), vector(first.target_contact_vector), atol=1e-12)
    assert np.linalg.norm(np.cross(arm, j)) > 1e-2


def test_a_hand_and_its_velocity(plant: Plant):
    """A tracked sphere flies against a drone that stands: 1.2 m/s, of infinite mass."""
    before, known = plant.count()['Drone-5'], len(plant.events())
    begin = plant.flock.now

    def wave(now: int) -> None:
        msg = stamped(PoseStamped(), now)
        xyz(msg.pose.position, (-0.6 + 1.2 * (now - begin) / NS, -12.0, 1.05))
        msg.pose.orientation.w = 1.0
        plant.flock.send('/nwu/hands/right', msg)

    still = ball((0, -12, 1))
    plant.fly(90, lambda t: {'Drone-5': still}, wave)
    (event,) = [e for e in plant.events()[known:] if e.kind == ContactEvent.DRONE_HAND]
    assert plant.count()['Drone-5'] - before == 1
    msg = plant.inbox['Drone-5'][before]
    assert_allclose(vector(msg.target_velocity), (1.2, 0, 0), atol=1e-2)
    assert_allclose(made(msg, BALL, still), -vector(event.impulse), atol=1e-9)
    assert made(msg, BALL, still)[0] > 1.0


def test_motor_duty_carries_a_drone(plant: Plant):
    """HakoHilActuatorControls: at hover duty the thrust is the weight that it has with 10 m/s^2; none falls here."""
    from hako_mavlink_msgs.msg import HakoHilActuatorControls

    flock = plant.flock
    speed = []
    for duty in (0.0, HOVER_DUTY):
        for k in range(30):
            msg = HakoHilActuatorControls(time_usec=(flock.now // 1000) % 10**6, controls=np.zeros(16, np.float32))
            msg.controls[:4] = np.float32(duty)
            flock.send('/pdu/Drone_6/motor', msg)
            flock.tick()
            speed += [flock['nwu'].drone('Drone-6')['v']] if k in (9, 29) else []
    speed = np.array(speed)
    assert_allclose(speed[:2], 0, atol=1e-12)
    assert_allclose(speed[3] - speed[2], (0, 0, 10 * 20 * PERIOD / NS), rtol=1e-6, atol=1e-9)
