# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Several PX4 vehicles that each count from where they started, beside a node that is given their origins and one that
finds them from latitude, longitude and altitude; fields that say nothing; motors.
"""

from __future__ import annotations

import foreign_packages
import harness
import numpy as np
import pytest
from flock import PERIOD, PX4, Flock
from hakoniwa_rigid.msg import ContactEvent, FleetState
from harness import NS
from numpy.testing import assert_allclose
from oracles import conventions
from oracles.conventions import State
from scipy.spatial.transform import Rotation
from speakers import BODY_FRD, BOOT, HOVER_DUTY, NED, QUAD, SIMULATORS, vehicle_odometry

pytestmark = pytest.mark.ros
# PX4's POSE_FRAME_FRD and VELOCITY_FRAME_FRD
FRD = 2
NAN = np.full(3, np.nan)
# where the world's zero is: degrees, m above sea level
ZERO = (47.397742, 8.545594, 488.25)
# of px4_1 to px4_3: degrees, m; altitudes as a float32 has them
PLACES = {
    'px4_1': (47.397742, 8.545594, 488.25), 'px4_2': (47.397822, 8.545714, 489.5), 'px4_3': (47.3972, 8.5462, 488.0)
}
# pose of px4_2's own zero in the world of the first node: 12 m east, 3 m north, 1 m up, turned by 30 degrees
HOME, TURN = np.array([12.0, 3.0, 1.0]), Rotation.from_euler('z', 30, degrees=True)
WORLD = """
gravity: [0, 0, -10]
materials: {plain: {restitution: 0.5, friction: 0.0}}
models:
{QUAD}  ball: {mass: 1.0, inertia: [0.016, 0.016, 0.016], shape: {type: sphere, radius: 0.2}, material: plain}
drones:
  - {name: px4_1, model: ball, position: [0, 0, 5]}
  - {name: px4_2, model: ball, position: [20, 0, 5]}
  - {name: px4_3, model: ball, position: [40, 0, 5]}
  - {name: x500_0, model: ball, position: [80, 0, 5]}
  - {name: solo, model: ball, position: [100, 0, 5]}
  - {name: px4_4, model: quad, position: [60, 0, 5], authority: simulate}
""".replace('{QUAD}', QUAD)
DRONES = ('px4_1', 'px4_2', 'px4_3')
# both are PX4's instance 0, which has no namespace
ALONE = ('solo', 'x500_0')


@pytest.fixture(scope='module')
def flock(tmp_path_factory):
    """`given` knows origins by parameter, `found` by the reference of each vehicle; both take the same topics."""
    path = tmp_path_factory.mktemp('world') / 'world.yaml'
    path.write_text(WORLD)
    home = ', '.join(map(str, (*HOME, *TURN.as_quat())))
    common = ('sim:=px4', *(f'drones.{name}.authority:=observe' for name in (*DRONES, *ALONE)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('PYTHONPATH', str(foreign_packages.provide()), prepend=':')
        with harness.bench() as bench:
            yield Flock(bench, {
                'given': (path, (*common, f'drones.px4_2.origin:=[{home}]',
                                'drones.px4_3.origin:=[60.0, -45.0, 0.0, 0.0, 0.0, 0.0, 1.0]')),
                'found': (path, (*common, f'reference:=[{", ".join(map(str, ZERO))}]', *(
                    f'drones.{name}.topic_px4_reference:=/{name}/fmu/out/vehicle_local_position' for name in DRONES
                ))),
            })


def at_rest(place, yaw: float = 0.0) -> State:
    """Level, in the vehicle's own ENU."""
    turn = Rotation.from_euler('z', yaw).as_matrix()
    return State(np.array(place, float), turn, np.zeros(3), np.zeros(3))


def send(flock: Flock, name: str, state: State, **fields) -> None:
    for topic, msg, qos in SIMULATORS['px4'].speak(name, state, flock.now, **fields):
        flock.send(topic, msg, qos)


def refer(flock: Flock, **fields) -> None:
    """Where each vehicle's zero is, as its estimator says."""
    from px4_msgs.msg import VehicleLocalPosition

    for name, (lat, lon, alt) in PLACES.items():
        msg = VehicleLocalPosition(timestamp=(flock.now - BOOT) // 1000, ref_timestamp=1, xy_global=True, z_global=True,
                                   xy_valid=True, z_valid=True, ref_lat=lat, ref_lon=lon, ref_alt=alt, **fields)
        flock.send(f'/{name}/fmu/out/vehicle_local_position', msg, PX4)


def rest(flock: Flock, states: dict[str, State], ticks: int = 12, **fields) -> None:
    """Say the same for some time."""
    for _ in range(ticks):
        for name, state in states.items():
            send(flock, name, state, **fields)
        flock.tick()


def known(flock: Flock) -> None:
    """Until `found` has a state of all."""
    for _ in range(40):
        refer(flock)
        rest(flock, {name: at_rest((0, 0, 5)) for name in DRONES}, 1)
        if not any(flock['found'].drone(name)['flags'] & FleetState.STALE for name in DRONES):
            return
    raise AssertionError(flock['found'].process.output)


def offset(name: str, place) -> np.ndarray:
    """Where `found` has to put a vehicle's zero: one of the two ways to lay the earth flat."""
    ways = [flat(*PLACES[name], ZERO) for flat in (conventions.px4_plane, conventions.wgs84_tangent)]
    return min(ways, key=lambda way: np.linalg.norm(way - place))


def begins(flock: Flock, node: str) -> list[ContactEvent]:
    return [e for e in flock[node].events if e.phase == ContactEvent.BEGIN]


def test_before_its_reference_a_vehicle_is_nowhere(flock: Flock):
    rest(flock, {'px4_1': at_rest((0, 0, 5))})
    assert flock['found'].drone('px4_1')['flags'] & FleetState.STALE
    assert not flock['given'].drone('px4_1')['flags'] & FleetState.STALE


def test_a_reference_that_is_not_valid_says_nothing(flock: Flock):
    for _ in range(5):
        for fields in ({'xy_global': False}, {'z_global': False}):
            from px4_msgs.msg import VehicleLocalPosition

            msg = VehicleLocalPosition(timestamp=1, ref_lat=0.0, ref_lon=0.0, ref_alt=0.0, **fields)
            flock.send('/px4_1/fmu/out/vehicle_local_position', msg, PX4)
        rest(flock, {'px4_1': at_rest((0, 0, 5))}, 1)
    assert flock['found'].drone('px4_1')['flags'] & FleetState.STALE


def test_equal_numbers_of_two_vehicles_are_two_places(flock: Flock):
    known(flock)
    state = conventions.still(conventions.random_state(41, (0.0, 0.0, 5.0)))
    count = [len(begins(flock, node)) for node in ('given', 'found')]
    rest(flock, dict.fromkeys(DRONES[:2], state))
    assert [len(begins(flock, node)) for node in ('given', 'found')] == count
    placed = conventions.placed(state, HOME, TURN.as_matrix())
    for node, name, wanted in (
        ('given', 'px4_1', state),
        ('given', 'px4_2', placed),
        ('found', 'px4_1', state),
        ('found', 'px4_2', state._replace(position=state.position + offset('px4_2', HOME))),
    ):
        drone = flock[node].drone(name)
        # single precision of 5 m, and of the altitude
        assert_allclose(drone['p'], wanted.position, atol=2e-5 if node == 'found' else 1e-6, err_msg=f'{node} {name}')
        assert_allclose(conventions.matrix(drone['q']), wanted.turn, atol=1e-6)


def test_a_place_on_the_earth_is_right_to_millimetres(flock: Flock):
    """px4_3 is 75 m from the world's zero: sphere and ellipsoid differ by decimetres there, both are allowed."""
    known(flock)
    rest(flock, {'px4_3': at_rest((0, 0, 0))})
    got = np.array(flock['found'].drone('px4_3')['p'])
    assert_allclose(got, offset('px4_3', got), atol=1e-3)
    assert np.linalg.norm(got[:2]) > 60.0
    assert_allclose(got[2], -0.25, atol=1e-2)


@pytest.mark.parametrize('node', ['given', 'found'])
def test_two_vehicles_meet_where_they_do(flock: Flock, node):
    """Each flies 1 m/s towards the same point of the world, in its own coordinates; e = 0.5, 1 kg each."""
    known(flock)
    meeting, speed = np.array([5.0, 2.0, 7.0]), np.array([1.0, 0.0, 0.0])
    home, turn = (HOME, TURN.as_matrix()) if node == 'given' else (offset('px4_2', HOME), np.eye(3))
    if node == 'found':
        home = np.array(flock['found'].drone('px4_2')['p']) - (0, 0, 5)
    own = {'px4_1': (np.zeros(3), np.eye(3), -1.0), 'px4_2': (home, turn, 1.0)}
    count = len(begins(flock, node))
    for k in range(90):
        t = k * PERIOD / NS
        for name, (zero, axes, side) in own.items():
            world = State(meeting + side * (0.4 - t) * speed, np.eye(3), -side * speed, np.zeros(3))
            # what it calls that: back by its origin
            mine = State(axes.T @ (world.position - zero), axes.T, axes.T @ world.velocity, world.rate)
            send(flock, name, mine)
        flock.tick()
    (event,) = begins(flock, node)[count:]
    assert (event.body_a, event.body_b) == ('px4_1', 'px4_2')
    p, j, n = event.position, event.impulse, event.normal
    # each may be a period late
    assert_allclose((p.x, p.y, p.z), meeting, atol=8e-3)
    assert_allclose((n.x, n.y, n.z), (1, 0, 0), atol=2e-2)
    assert_allclose(np.linalg.norm((j.x, j.y, j.z)), 1.5, atol=1e-3)


@pytest.mark.parametrize('name', ALONE)
def test_the_first_instance_has_no_namespace(flock: Flock, name):
    """One vehicle alone, or number 0 of several, as a model of Gazebo is called."""
    state = at_rest((0.0, 200.0, 50.0), 0.3)
    for _ in range(8):
        flock.send('/fmu/out/vehicle_odometry', vehicle_odometry(state, (flock.now - BOOT) // 1000), PX4)
        flock.tick()
    assert not flock['given'].drone(name)['flags'] & FleetState.STALE
    assert_allclose(flock['given'].drone(name)['p'], state.position, atol=1e-4)


@pytest.mark.parametrize('frame', [NED, BODY_FRD])
def test_velocities_in_the_world_and_in_the_body(flock: Flock, frame):
    state = conventions.random_state(43, (0.0, 0.0, 5.0))
    rest(flock, {'px4_1': state}, velocity_frame=frame)
    drone = flock['given'].drone('px4_1')
    assert_allclose(drone['v'], state.velocity, atol=1e-6)
    assert_allclose(drone['w'], state.rate, atol=1e-6)


def test_a_frame_of_any_heading_is_one_for_all(flock: Flock):
    """FRD of PX4's estimator: z is down, x any heading. Whichever we take it for, pose and velocity have the same."""
    state = conventions.random_state(44, (0.0, 0.0, 5.0))
    for _ in range(12):
        send(flock, 'px4_1', state, pose_frame=FRD, velocity_frame=FRD)
        flock.tick()
    drone = flock['given'].drone('px4_1')
    assert not drone['flags'] & (FleetState.STALE | FleetState.REJECTED)
    turn = conventions.matrix(drone['q']) @ state.turn.T
    assert_allclose(turn[2], (0, 0, 1), atol=1e-2)
    assert_allclose(drone['v'], turn @ state.velocity, atol=2e-2)
    # between the sample and the tick it moves by a period at most
    assert_allclose(drone['p'], turn @ state.position, atol=2e-2)


@pytest.mark.parametrize('fields', [
    {'position': NAN},
    {'position': (0.0, 0.0, np.nan)},
    {'q': (np.nan, 0.0, 0.0, 0.0)},
    {'q': (0.0, 0.0, 0.0, 0.0)},
    {'pose_frame': 0},
], ids=['position', 'height', 'attitude', 'no attitude', 'unknown frame'])
def test_a_sample_without_a_pose_is_refused_and_leaves_no_trace(flock: Flock, fields):
    before = at_rest((0.0, 1.0, 5.0), 0.4)
    rest(flock, {'px4_1': before})
    away = at_rest((0.5, 1.0, 5.0), 0.1)
    rejected = 0
    for _ in range(6):
        send(flock, 'px4_1', away, **fields)
        flock.tick()
        rejected += bool(flock['given'].drone('px4_1')['flags'] & FleetState.REJECTED)
    assert rejected
    assert_allclose(flock['given'].drone('px4_1')['p'], before.position, atol=1e-6)
    rest(flock, {'px4_1': before})
    assert not flock['given'].drone('px4_1')['flags'] & (FleetState.REJECTED | FleetState.STALE)


@pytest.mark.parametrize('fields', [
    {'velocity': NAN, 'angular_velocity': NAN}, {'velocity': NAN}, {'angular_velocity': NAN}, {'velocity_frame': 0},
], ids=['neither', 'no velocity', 'no rate', 'unknown frame'])
def test_velocities_that_are_not_known_are_found_from_the_poses(flock: Flock, fields):
    start = conventions.random_state(45, (0.0, 1.0, 5.0))._replace(rate=np.array([0.2, -0.1, 0.3]))
    begin = flock.now
    for _ in range(60):
        send(flock, 'px4_1', conventions.later(start, (flock.now - begin) / NS), **fields)
        flock.tick()
    drone = flock['given'].drone('px4_1')
    # differences over 5 ms of what has 24 bits, and of times that are learnt
    assert_allclose(drone['v'], start.velocity, atol=0.02)
    assert_allclose(drone['w'], start.rate, atol=0.02)
    assert not drone['flags'] & FleetState.REJECTED


def test_a_clock_since_boot_or_since_1970_or_of_nobody(flock: Flock):
    """Microseconds since boot; as ROS time; since 1970 in simulated time; a reboot: all are learnt, none is stale."""
    state = at_rest((0.3, 1.0, 5.0))
    for start in (0, BOOT // 1000, 1_790_000_000_000_000, 4_000_000):
        begin = flock.now
        for _ in range(130):
            us = start + (flock.now - begin) // 1000
            flock.send('/px4_1/fmu/out/vehicle_odometry', vehicle_odometry(state, us), PX4)
            flock.tick()
        drone = flock['given'].drone('px4_1')
        assert not drone['flags'] & FleetState.STALE, start
        assert_allclose(drone['p'], state.position, atol=1e-6)


def climb(flock: Flock, control, ticks: int = 30) -> np.ndarray:
    """Acceleration (3,) of px4_4 in the world under motor controls, m/s^2, and that it was not turned round first."""
    from px4_msgs.msg import ActuatorMotors

    def push(count: int) -> np.ndarray:
        for _ in range(count):
            msg = ActuatorMotors(timestamp=(flock.now - BOOT) // 1000, control=np.full(12, np.nan, np.float32))
            msg.control[:4] = np.asarray(control, np.float32)
            flock.send('/px4_4/fmu/out/actuator_motors', msg, PX4)
            flock.tick()
        return np.array(flock['given'].drone('px4_4')['v'])

    for _ in range(8):
        # a jump beyond the teleport bound: it is put there, at rest
        send(flock, 'px4_4', at_rest((0, 0, 5 if _ < 4 else 25)))
        flock.tick()
    first = push(5)
    return (push(ticks) - first) / (ticks * PERIOD / NS)


def test_hover_duty_carries_the_weight(flock: Flock):
    """Motors at the speed whose thrust is the weight, by the rotor table; others by the square of the speed."""
    assert_allclose(climb(flock, [HOVER_DUTY] * 4), 0, atol=1e-4)
    assert_allclose(climb(flock, [1.2 * HOVER_DUTY] * 4), (0, 0, 10 * (1.2**2 - 1)), atol=1e-4)


def test_a_motor_that_is_nan_is_off(flock: Flock):
    assert_allclose(climb(flock, [np.nan] * 4), (0, 0, -10), atol=1e-6)
    # two that are opposite carry half, and their reactions turn it about z only
    assert_allclose(climb(flock, [HOVER_DUTY, HOVER_DUTY, np.nan, np.nan]), (0, 0, -5), atol=1e-4)


def test_a_duty_that_is_too_high_is_full(flock: Flock):
    """A little over 1 occurs; it is no more than 1 or taken by its value, and never refused."""
    full = climb(flock, [1.0] * 4)[2]
    assert_allclose(full, 10 * (1 / HOVER_DUTY**2 - 1), rtol=1e-5)
    over = climb(flock, [1.03] * 4)[2]
    assert full - 1e-3 <= over <= 10 * (1.03**2 / HOVER_DUTY**2 - 1) + 1e-3
