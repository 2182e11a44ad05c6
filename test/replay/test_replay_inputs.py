# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Every type of input, written by rosbags alone, through a replay: contacts against closed forms."""
from __future__ import annotations

import numpy as np
import pytest
from foreign_bags import NS, Said, T, header, odom, pose, said, transforms, twist, vector, write
from numpy.testing import assert_allclose

from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.replay.rerun.summary import as_text
from hakoniwa_rigid.testing import replay_bag

MS = 1_000_000
START = 50 * NS
POSE = 'geometry_msgs/msg/PoseStamped'
MASS, E = 0.5, 0.5
WORLD = """
name: lane
gravity: [0, 0, {gravity}]
materials: {{hard: {{restitution: 0.5, friction: 0.0}}}}
models:
  cube:
    mass: 0.5
    inertia: [0.002, 0.002, 0.002]
    shape: {{type: box, size: [0.2, 0.2, 0.2]}}
    material: hard
    rotors:
      - {{position: [0.1, 0.1, 0], thrust_coefficient: 2.0e-6, spin: ccw}}
      - {{position: [-0.1, 0.1, 0], thrust_coefficient: 2.0e-6, spin: cw}}
      - {{position: [-0.1, -0.1, 0], thrust_coefficient: 2.0e-6, spin: ccw}}
      - {{position: [0.1, -0.1, 0], thrust_coefficient: 2.0e-6, spin: cw}}
walls:
  - {{name: end, type: plane, normal: [-1, 0, 0], offset: -2.0, material: hard}}
  - {{name: lid, type: plane, normal: [0, 0, -1], offset: -3.0, material: hard}}
drones:
  - {{name: d0, model: cube, authority: {authority}}}
  - {{name: d1, model: cube, position: [0, 5, 0], authority: {authority}}}
hands: [{{name: right, material: hard, effective_mass: .inf}}]
"""


@pytest.fixture
def world(tmp_path):
    """A function that writes the world and gives its path."""
    def written(gravity=0.0, authority='correct'):
        path = tmp_path / 'lane.yaml'
        path.write_text(WORLD.format(gravity=gravity, authority=authority))
        return path
    return written


def stamps(seconds, rate):
    return [START + round(k * NS / rate) for k in range(int(seconds * rate) + 1)]


def since(stamp):
    return (stamp - START) / NS


def yaw(angle):
    return np.array([0.0, 0.0, np.sin(angle / 2), np.cos(angle / 2)])


def turned(angle, v):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]])


def only(run, a, b):
    found, = run.contacts_of(a, b)
    return found


# poses and twists

def test_poses_with_twists_in_the_body(world, tmp_path):
    """d0 looks along -y and flies along x, to its left.  Poses come at 20 Hz only, so the velocity counts."""
    speed, bag = 1.5, []
    for t in stamps(1.3, 20):
        place = pose((speed * since(t), 0, 1), yaw(-np.pi / 2))
        bag.append(said('/d0/pose', t, POSE, pose=place))
        bag.append(said('/d0/twist', t, 'geometry_msgs/msg/TwistStamped', frame='d0/base_link',
                        twist=twist((0, speed, 0))))
    run = replay_bag(write(tmp_path / 'bag', bag), world(), params={'drones.d0.source': 'pose'})
    assert run.result.refused == {}
    hit = only(run, 'd0', 'end')
    assert_allclose(hit.begin, (2.0 - 0.1) / speed, atol=2e-3)
    assert_allclose(hit.impulse, MASS * (1 + E) * speed, rtol=2e-3)


def test_poses_alone(world, tmp_path):
    speed = 1.5
    bag = [said('/d0/pose', t, POSE, pose=pose((speed * since(t), 0, 1))) for t in stamps(1.3, 100)]
    run = replay_bag(write(tmp_path / 'bag', bag, 'sqlite3', 8), world(), params={'drones.d0.source': 'pose'})
    hit = only(run, 'd0', 'end')
    assert_allclose(hit.begin, (2.0 - 0.1) / speed, atol=2e-3)
    assert_allclose(hit.impulse, MASS * (1 + E) * speed, rtol=2e-3)


def test_a_fleet(world, tmp_path):
    """d1 follows d0 and catches it before the wall; both go on as planned, so d0 is hit from behind at 1 m/s."""
    bag = []
    for t in stamps(0.6, 100):
        x0, x1 = 0.5 + 0.5 * since(t), -0.1 + 1.5 * since(t)
        bag.append(said('/fleet/states', t, 'hakoniwa_rigid/msg/FleetState', names=['d1', 'd0'],
                        positions=np.array([x1, 0, 1, x0, 0, 1.0]), orientations=np.array([0, 0, 0, 1.0] * 2),
                        linear_velocities=np.array([1.5, 0, 0, 0.5, 0, 0]), angular_velocities=np.zeros(6),
                        flags=np.zeros(0, np.uint8)))
    run = replay_bag(write(tmp_path / 'bag', bag), world())
    hit = run.contacts_of('d0', 'd1')[0]
    assert_allclose(hit.begin, (0.6 - 0.2) / 1.0, atol=1e-3)
    assert_allclose(hit.impulse, MASS / 2 * (1 + E) * 1.0, rtol=1e-3)
    assert_allclose(hit.normal, (-1, 0, 0), atol=1e-9)    # from d0 to d1


# frames

def chained(speed, at, path_turn=0.5):
    """Transforms of a drone that flies along world's x, by way of map (fixed, turned) and a sled that slides."""
    bag = [transforms('/tf_static', START + at, ('site', 'field', (1.0, 2.0, 0.3), yaw(0.7)))]
    for t in stamps(1.3, 100):
        s = since(t)
        goal = np.array([speed * s, 0, 1])                      # in the world
        site = turned(-path_turn, goal - (0.4, -0.2, 0.0))      # frames.site
        field = turned(-0.7, site - (1.0, 2.0, 0.3))
        sled = np.array([0.2 * s, -0.1, 0.5])                   # slides in the field, not turned
        bag.append(transforms('/tf', t, ('field', 'sled', sled, (0, 0, 0, 1)),
                              ('sled', 'd0/base_link', field - sled, yaw(-0.7 - path_turn))))
    return bag


SITE = {'drones.d0.source': 'tf', 'frames': ['site'],
        'frames.site': [0.4, -0.2, 0.0, *yaw(0.5).tolist()]}


def test_a_drone_on_tf_alone(world, tmp_path):
    bag = sorted(chained(1.5, 0), key=lambda m: m.stamp)
    run = replay_bag(write(tmp_path / 'bag', bag), world(), params=SITE)
    hit = only(run, 'd0', 'end')
    assert_allclose(hit.begin, (2.0 - 0.1) / 1.5, atol=2e-3)
    assert_allclose(hit.impulse, MASS * (1 + E) * 1.5, rtol=2e-3)
    assert_allclose(hit.position[0], 2.0, atol=1e-6)


def test_a_static_transform_that_comes_late(world, tmp_path):
    """Until the middle of the flight nothing says where the field is: then d0 is there, and hits as before."""
    late = sorted(chained(1.5, 600 * MS), key=lambda m: m.stamp)
    run = replay_bag(write(tmp_path / 'bag', late), world(), params=SITE)
    x = run.result.tracks.positions[:, 0, 0]
    seen = (run.result.tracks.stamps - START) / NS > 0.61
    assert_allclose(x[seen][0], 1.5 * 0.61, atol=0.02)
    assert np.abs(x[~seen][:-5]).max() == 0.0     # where the world file has it
    hit = only(run, 'd0', 'end')
    assert_allclose(hit.begin, (2.0 - 0.1) / 1.5, atol=2e-3)
    assert_allclose(hit.impulse, MASS * (1 + E) * 1.5, rtol=2e-3)


def test_a_frame_that_nobody_knows_is_counted_and_harms_nobody(world, tmp_path):
    bag = []
    for t in stamps(1.3, 100):
        bag.append(odom('/d0/odom', t, (1.5 * since(t), 0, 1), (1.5, 0, 0)))
        bag.append(odom('/d1/odom', t, (1.5 * since(t), 5, 1), (1.5, 0, 0), frame='mars'))
    run = replay_bag(write(tmp_path / 'bag', bag), world())
    assert run.result.refused == {('wrong_frame', 'd1'): len(stamps(1.3, 100))}
    assert 'mars' in run.result.last_refused[('wrong_frame', 'd1')]
    run.assert_contact('d0', 'end', count=1)
    assert not run.contacts_of('d1')
    with pytest.raises(AssertionError, match=r'd1 was never in the scene(.|\n)*refused: wrong_frame d1: 131'):
        run.assert_no_contact('d1')


@pytest.mark.parametrize('tf', ['other', 'none'])
def test_a_drone_that_tf_never_places_is_noted(world, tmp_path, tf):
    """Its frame is not in the tree that /tf tells of, or there is no /tf at all; d0 flies on."""
    bag = [odom('/d0/odom', t, (1.5 * since(t), 0, 1), (1.5, 0, 0)) for t in stamps(1.3, 100)]
    if tf == 'other':
        bag += [transforms('/tf', t, ('map', 'sled', (1, 2, 3), (0, 0, 0, 1))) for t in stamps(1.3, 100)]
    run = replay_bag(write(tmp_path / 'bag', sorted(bag, key=lambda m: m.stamp)), world(),
                     params={'drones.d1.source': 'tf'})
    assert run.result.absent == ('d1', 'right')
    notes = [note for note in run.result.notes if note.startswith('d1: ')]
    assert len(notes) == 1 and 'd1/base_link' in notes[0] and 'wrench' not in notes[0]
    assert ('has no /tf' in notes[0]) == (tf == 'none')
    assert 'note: never in the scene, as no usable message of them came: d1, right' in as_text(run.result)
    run.assert_contact('d0', 'end', count=1)
    for ask in (run.assert_contact, run.assert_no_contact):
        with pytest.raises(AssertionError, match=r'd1 was never in the scene(.|\n)*d1/base_link'):
            ask('d0', 'd1')


def test_a_bag_whose_tf_places_nobody_is_an_error(world, tmp_path):
    bag = [transforms('/tf', t, ('map', 'sled', (1, 2, 3), (0, 0, 0, 1))) for t in stamps(0.5, 100)]
    source = {f'drones.{name}.source': 'tf' for name in ('d0', 'd1')}
    with pytest.raises(BagError, match=r'no drone was received\n(.|\n)*d0: (.|\n)*d0/base_link(.|\n)*d1: '):
        replay_bag(write(tmp_path / 'bag', bag), world(), params=source, out=tmp_path / 'out')
    assert not (tmp_path / 'out').exists()


def test_a_drone_whose_topics_are_not_in_the_bag_passes_no_assertion(world, tmp_path):
    bag = [odom('/d0/odom', t, (1.5 * since(t), 0, 1), (1.5, 0, 0)) for t in stamps(1.3, 100)]
    run = replay_bag(write(tmp_path / 'bag', bag), world())
    assert run.result.absent == ('d1', 'right')
    for names in (('d1',), ('d1', 'd0'), ('d0', 'right')):
        for ask in (run.assert_contact, run.assert_no_contact):
            with pytest.raises(AssertionError, match=r'(d1|right) was never in the scene(.|\n)*none of its topics'):
                ask(*names)
    run.assert_no_contact('d0', 'lid')


def test_a_log_that_begins_at_zero_has_no_wrong_stamps(world, tmp_path):
    begun = [odom('/d0/odom', k * 10 * MS, (0.015 * k, 0, 1), (1.5, 0, 0)) for k in range(50)]
    assert not any('zero' in n for n in replay_bag(write(tmp_path / 'a', begun), world()).result.notes)
    late = [odom('/d0/odom', 0, (0, 0, 1), log=NS + k * 10 * MS) for k in range(5)]
    assert any('header stamps are zero' in n for n in replay_bag(write(tmp_path / 'b', late), world()).result.notes)


# hands

# joints: index of the fingertip, and its fallback radius
LAYOUTS = {26: (10, 0.0066), 25: (9, 0.0066), 21: (8, 0.0066)}


def pointing(joints, tip, x):
    """(J,3): all joints 0.3 m behind and spread 0.5 m to the sides, one fingertip at x: it alone can touch."""
    places = np.zeros((joints, 3))
    places[:, 0], places[:, 1], places[:, 2] = x - 0.3, 0.5, 1.0
    finger = slice(tip - 3, tip + 1)
    places[finger, 0] = x - np.array([0.3, 0.2, 0.1, 0.0])
    places[finger, 1] = 0.0
    return places


def hand_messages(kind, joints, tip, speed):
    """A hand that comes along x, 0.5 m before the drone's face at first, at 60 Hz."""
    for t in stamps(0.7, 60):
        places = pointing(joints, tip, -0.6 + speed * since(t))
        poses = [pose(p) for p in places]
        if kind == 'hand_joints':
            yield said('/hands/right', t, 'hakoniwa_rigid/msg/HandJoints', hand='right', names=[], poses=poses,
                       radii=np.full(joints, 0.02, np.float32), is_valid=np.ones(joints, bool))
        else:
            yield said('/hands/right', t, 'geometry_msgs/msg/PoseArray', poses=poses)


def resting_drone(seconds=0.7):
    return [odom('/d0/odom', t, (0, 0, 1)) for t in stamps(seconds, 100)]


def merged(*streams):
    return sorted((m for s in streams for m in s), key=lambda m: m.stamp)


@pytest.mark.parametrize(('kind', 'joints'), [('hand_joints', 26), ('hand_joints', 25), ('hand_joints', 21),
                                              ('pose_array', 26), ('pose_array', 25), ('pose_array', 21)])
def test_a_fingertip_strikes_along_its_motion(world, tmp_path, kind, joints):
    """An infinite mass at speed v gives a resting drone m (1 + e) v, when the tip's surface reaches its face."""
    speed, (tip, radius) = 1.0, LAYOUTS[joints]
    radius = 0.02 if kind == 'hand_joints' else radius
    bag = write(tmp_path / 'bag', merged(resting_drone(), hand_messages(kind, joints, tip, speed)))
    run = replay_bag(bag, world(), params={'hands.right.type': kind})
    hit = run.contacts_of('d0', 'right')[0]
    assert_allclose(hit.begin, (0.5 - radius) / speed, atol=3e-3)
    assert_allclose(hit.impulse, MASS * (1 + E) * speed, rtol=0.01)
    assert_allclose(hit.normal, (-1, 0, 0), atol=1e-6)    # from the drone to the hand
    assert_allclose(hit.position, (-0.1, 0, 1), atol=5e-3)


def test_a_sphere_strikes_along_its_motion(world, tmp_path):
    ball = (said('/hands/right', t, POSE, pose=pose((-0.6 + since(t), 0, 1))) for t in stamps(0.7, 60))
    run = replay_bag(write(tmp_path / 'bag', merged(resting_drone(), ball)), world(),
                     params={'hands.right.type': 'pose', 'hands.right.radius': 0.07})
    hit = run.contacts_of('d0', 'right')[0]
    assert_allclose(hit.begin, 0.5 - 0.07, atol=3e-3)
    assert_allclose(hit.impulse, MASS * (1 + E), rtol=0.01)


@pytest.mark.parametrize('north', [False, True])
def test_a_twist_that_is_a_pose_strikes_along_its_motion(world, tmp_path, north):
    """Hakoniwa's hand has no stamp and counts from north: its x is our y where frame_yaw says so."""
    bag = []
    for t in stamps(0.7, 60):
        place = (-0.6 + since(t), 0, 1)
        x, y, z = turned(-np.pi / 2, place) if north else place
        bag.append(Said(t, '/Player1_right_hand', 'geometry_msgs/msg/Twist', twist((x, y, z), (0.1, 0.2, 0.3))))
    # the world's own frame is not turned
    drone = [odom('/d0/odom', t, (0, 0, 1), frame='enu' if north else 'world') for t in stamps(0.7, 100)]
    params = {'hands.right.type': 'twist_pose', 'hands.right.topic': 'Player1_right_hand', 'hands.right.radius': 0.07}
    if north:
        params |= {'frame_yaw': np.pi / 2, 'world_frame': 'enu'}
    run = replay_bag(write(tmp_path / 'bag', merged(drone, bag)), world(), params=params)
    assert run.result.refused == {}
    hit = run.contacts_of('d0', 'right')[0]
    assert_allclose(hit.begin, 0.5 - 0.07, atol=5e-3)
    assert_allclose(hit.impulse, MASS * (1 + E), rtol=0.02)
    assert_allclose(hit.normal, (-1, 0, 0), atol=1e-6)


def test_a_head_with_a_box_is_there_and_strikes(world, tmp_path):
    """Its face, 0.15 m ahead of it, meets the drone's; turned by 180 degrees it is the same box."""
    path = world()
    path.write_text(path.read_text().replace('{name: right, material: hard, ', '{name: right, material: hard, '
                                             'shape: {type: box, size: [0.3, 0.2, 0.2]}, '))
    head = [said('/hands/right', t, POSE, pose=pose((-0.6 + since(t), 0, 1), yaw(np.pi))) for t in stamps(0.7, 60)]
    run = replay_bag(write(tmp_path / 'bag', merged(resting_drone(), head)), path,
                     params={'hands.right.type': 'pose'})
    assert run.result.absent == ('d1',)
    hit = run.contacts_of('d0', 'right')[0]
    assert_allclose(hit.begin, 0.5 - 0.15, atol=3e-3)
    assert_allclose(hit.impulse, MASS * (1 + E), rtol=0.01)


@pytest.mark.parametrize('joints', [0, 2, 22])
def test_a_hand_of_another_number_of_joints_is_refused(world, tmp_path, joints):
    odd = (said('/hands/right', t, 'geometry_msgs/msg/PoseArray', poses=[pose((-0.6 + since(t), 0, 1))] * joints)
           for t in stamps(0.7, 60))
    run = replay_bag(write(tmp_path / 'bag', merged(resting_drone(), odd)), world(),
                     params={'hands.right.type': 'pose_array'})
    assert sum(n for (_, who), n in run.result.refused.items() if who == 'right') == len(stamps(0.7, 60))
    run.assert_no_contact('d0')


# thrust

def wrench(force):
    return T['geometry_msgs/msg/Wrench'](vector(force), vector((0, 0, 0)))


def test_a_constant_force_is_a_parabola(world, tmp_path):
    """x = F t^2 / 2 m from rest: the wall, 1.9 m ahead of the face, at sqrt(2 m 1.9 / F), at F t / m."""
    force = 1.5
    bag = [said('/d0/wrench', t, 'geometry_msgs/msg/WrenchStamped', frame='', wrench=wrench((force, 0, 0)))
           for t in stamps(1.3, 200)]
    run = replay_bag(write(tmp_path / 'bag', bag), world(authority='simulate'))
    when = np.sqrt(2 * MASS * 1.9 / force)
    hit = run.contacts_of('d0', 'end')[0]
    assert_allclose(hit.begin, when, atol=6e-3)
    assert_allclose(hit.impulse, MASS * (1 + E) * force * when / MASS, rtol=6e-3)
    assert not run.contacts_of('d1')


def test_a_fleet_of_forces(world, tmp_path):
    bag = [said('/fleet/wrenches', t, 'hakoniwa_rigid/msg/FleetWrench', frame='', names=['d0', 'd1'],
                forces=np.array([1.5, 0, 0, 3.0, 0, 0]), torques=np.zeros(6)) for t in stamps(1.3, 200)]
    run = replay_bag(write(tmp_path / 'bag', bag, 'sqlite3'), world(authority='simulate'))
    for name, force in (('d0', 1.5), ('d1', 3.0)):
        hit = run.contacts_of(name, 'end')[0]
        assert_allclose(hit.begin, np.sqrt(2 * MASS * 1.9 / force), atol=6e-3)
        assert_allclose(hit.impulse, (1 + E) * np.sqrt(2 * MASS * 1.9 * force), rtol=6e-3)


def test_motor_speeds_lift_by_the_rotor_table(world, tmp_path):
    """Four rotors at w: T = 4 k w^2 against m g, up to the lid 2.9 m above the upper face."""
    w, g = 1000.0, 9.80665
    climb = 4 * 2.0e-6 * w * w / MASS - g
    bag = [said('/d0/motors', t, 'actuator_msgs/msg/Actuators', position=np.zeros(0), velocity=np.full(4, w),
                normalized=np.zeros(0)) for t in stamps(1.2, 200)]
    run = replay_bag(write(tmp_path / 'bag', bag), world(gravity=-g, authority='simulate'),
                     params={'drones.d0.topic_motor_speed': 'd0/motors'})
    when = np.sqrt(2 * 2.9 / climb)
    hit = run.contacts_of('d0', 'lid')[0]
    assert_allclose(hit.begin, when, atol=6e-3)
    assert_allclose(hit.impulse, MASS * (1 + E) * climb * when, rtol=0.01)


def test_too_few_motor_speeds_are_refused(world, tmp_path):
    bag = [said('/d0/motors', t, 'actuator_msgs/msg/Actuators', position=np.zeros(0), velocity=np.full(3, 900.0),
                normalized=np.zeros(0)) for t in stamps(0.3, 100)]
    with pytest.raises(BagError, match='refused'):
        replay_bag(write(tmp_path / 'bag', bag), world(authority='simulate'),
                   params={'drones.d0.topic_motor_speed': 'd0/motors'})


def test_a_type_that_only_resembles_is_named(world, tmp_path):
    """PoseWithCovarianceStamped where a PoseStamped is looked for."""
    kind = 'geometry_msgs/msg/PoseWithCovarianceStamped'
    full = T['geometry_msgs/msg/PoseWithCovariance'](pose((0, 0, 1)), np.zeros(36))
    bag = [Said(t, '/d0/pose', kind, T[kind](header(t), full)) for t in stamps(0.1, 100)]
    with pytest.raises(BagError, match=f'/d0/pose is {kind}, geometry_msgs/msg/PoseStamped was expected'):
        replay_bag(write(tmp_path / 'bag', bag), world(), params={'drones.d0.source': 'pose'})
