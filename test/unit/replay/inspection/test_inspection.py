# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""inspect: rates, gaps, clocks, frames and encounters that are known because the bags were made to have them."""
import json
import math

import numpy as np
import pytest
from bags import ODOMETRY, STORE, odometry, written_by_rosbags
from numpy.testing import assert_allclose

from hakoniwa_rigid import cli
from hakoniwa_rigid.codec.message_fields import NANOSECONDS as NS
from hakoniwa_rigid.codec.motion_packer import Motion, Packer
from hakoniwa_rigid.replay.bag.types import known_definition, typestore
from hakoniwa_rigid.replay.bag.writer import BagWriter
from hakoniwa_rigid.replay.inspection import report
from hakoniwa_rigid.replay.inspection.run import inspect, models_of
from hakoniwa_rigid.replay.inspection.topics import Thinned, TopicStamps, begins_with_header

T0 = 1_790_000_000 * NS
BALL = 0.1    # m, radius of the drones here
MODEL = f'{{mass: 1.0, inertia: [0.01, 0.01, 0.01], shape: {{type: sphere, radius: {BALL}}}}}'


@pytest.fixture(scope='module')
def models(tmp_path_factory):
    """Every drone is a ball, so that distances are known."""
    file = tmp_path_factory.mktemp('models') / 'ball.yaml'
    file.write_text(MODEL)
    return models_of(None, str(file))


def flight(path, position, names=('a', 'b'), seconds=4.0, rate=200, start=T0, lag=0):
    """A bag of odometry with the positions that ``position(name, t)`` gives; log times are ``lag`` ns late."""
    packers = {name: Packer('world', f'{name}/base_link') for name in names}
    with BagWriter(path) as bag:
        topics = {name: bag.topic(f'/{name}/odom', ODOMETRY) for name in names}
        for k in range(int(seconds * rate) + 1):
            t = k / rate
            for name in names:
                motion = Motion(start + k * NS // rate, tuple(map(float, position(name, t))), (0.0, 0.0, 0.0, 1.0),
                                (0.0,) * 3, (0.0,) * 3)
                bag.write(topics[name], motion.stamp_ns + lag, packers[name].pack(motion))
    return path


@pytest.mark.parametrize(('miss', 'speed'), [(0.3, 4.0), (0.25, 18.0), (0.1, 7.0)])
def test_a_pass_is_measured_to_the_instant(tmp_path, models, miss, speed):
    """b flies past a on a straight line ``miss`` m beside it: the nearest instant and distance follow by Pythagoras."""
    passing = 2.0 + 1 / 700    # between samples

    def position(name, t):
        return (0, 0, 2) if name == 'a' else (speed * (t - passing), miss, 2)
    found = inspect(flight(tmp_path / 'bag', position), *models, near=0.15)
    (encounter,) = found.encounters
    assert (encounter.a, encounter.b) == ('a', 'b')
    # FINE is 2 ms, so the nearest instant is missed by 1 ms at most
    nearest = math.hypot(miss, speed * 0.001) - 2 * BALL
    assert miss - 2 * BALL - 1e-9 <= encounter.distance <= nearest + 1e-9
    assert abs((encounter.at_ns - T0) / NS - passing) <= 0.0011
    assert_allclose(encounter.speed, speed, rtol=1e-6)
    assert abs(encounter.position[1] - miss / 2) < 0.01
    half = math.sqrt((0.15 + 2 * BALL) ** 2 - miss ** 2) / speed
    assert abs((encounter.end_ns - encounter.begin_ns) / NS - 2 * half) <= 2 * 0.02
    if miss < 2 * BALL:
        touch = 2 * math.sqrt((2 * BALL) ** 2 - miss ** 2) / speed
        assert abs(encounter.touching - touch) <= 0.02
    assert found.warnings == ()


def test_who_stays_away_is_not_mentioned_and_who_meets_twice_is_twice(tmp_path, models):
    def position(name, t):
        return {'a': (0, 0, 1), 'b': (0, 0.5 + 0.3 * math.cos(math.pi * t), 1), 'c': (5, 0, 1)}[name]
    found = inspect(flight(tmp_path / 'bag', position, names='abc'), *models, near=0.05)
    assert [(e.a, e.b) for e in found.encounters] == [('a', 'b')] * 2
    assert_allclose([(e.at_ns - T0) / NS for e in found.encounters], [1, 3], atol=0.002)
    assert_allclose([e.distance for e in found.encounters], 0.0, atol=1e-6)


def test_clocks_of_two_drones_are_brought_together(tmp_path, models):
    """b's header stamps are of another clock; the log times say that the drones met all the same."""
    with BagWriter(tmp_path / 'bag') as bag:
        for name, header in (('a', T0), ('b', 50 * NS)):
            packer, topic = Packer('world', name), bag.topic(f'/{name}/odom', ODOMETRY)
            for k in range(400):
                x = 0.0 if name == 'a' else 3.0 * (k - 200) / 100
                motion = Motion(header + k * NS // 100, (x, 0.3, 1.0), (0.0, 0.0, 0.0, 1.0), (0.0,) * 3, (0.0,) * 3)
                bag.write(topic, T0 + k * NS // 100, packer.pack(motion))
    found = inspect(tmp_path / 'bag', *models, near=0.15)
    (encounter,) = found.encounters
    assert encounter.distance <= 0.0
    assert abs(encounter.at_ns - T0 - 2 * NS) < 0.15 * NS
    assert [t.clock.first for t in found.topics] == [0.0, (T0 - 50 * NS) / NS]


def test_a_drone_that_pauses_meets_nobody_meanwhile(tmp_path, models):
    path = tmp_path / 'bag'
    messages = [('/a/odom', T0 + k * NS // 50, odometry(T0 + k * NS // 50, (0, 0, 1))) for k in range(200)]
    # b is on the left at 1 s and on the right at 3 s; in between no sample shows it pass through a
    messages += [('/b/odom', t, odometry(t, (x, 0, 1))) for t, x in ((T0 + NS, -2), (T0 + 3 * NS, 2))]
    found = inspect(written_by_rosbags(path, sorted(messages, key=lambda m: m[1])), *models, near=0.2)
    assert found.encounters == ()


def test_a_long_pause_of_everybody_takes_no_time(tmp_path, models):
    messages = [(f'/{name}/odom', start + k * NS // 50, odometry(start + k * NS // 50, (x, 0, 1)))
                for start in (5 * NS, T0) for k in range(50) for name, x in (('a', 0), ('b', 0.25))]
    found = inspect(written_by_rosbags(tmp_path / 'bag', messages), *models, near=0.2)
    assert [round((e.end_ns - e.begin_ns) / NS, 1) for e in found.encounters] == [1.0, 1.0]
    assert any('stamps of two clocks' in text for text in found.warnings)


def test_a_fleet_is_many_drones(tmp_path, models):
    store = typestore()
    types = store.types
    messages = []
    for k in range(100):
        stamp = types['builtin_interfaces/msg/Time'](sec=100 + k // 50, nanosec=k % 50 * 20_000_000)
        header = types['std_msgs/msg/Header'](stamp=stamp, frame_id='world')
        fleet = types['hakoniwa_rigid/msg/FleetState'](
            header=header, names=['x', 'y'], positions=np.array([0, 0, 3, 0.01 * (k - 50), 0, 3.0]),
            orientations=np.array([0, 0, 0, 1, 0, 0, 0, 1.0]), linear_velocities=np.zeros(6),
            angular_velocities=np.zeros(6), flags=np.zeros(2, np.uint8))
        messages.append((100 * NS + k * NS // 50, bytes(store.serialize_cdr(fleet, fleet.__msgtype__))))
    with BagWriter(tmp_path / 'bag') as bag:
        topic = bag.topic('/fleet/states', 'hakoniwa_rigid/msg/FleetState')
        for stamp, data in messages:
            bag.write(topic, stamp, data)
    found = inspect(tmp_path / 'bag', *models, near=0.1)
    assert list(found.drones) == ['x', 'y']
    (encounter,) = found.encounters
    assert encounter.distance == pytest.approx(-2 * BALL, abs=1e-3)


def test_outputs_count_only_where_there_are_no_inputs(tmp_path, models):
    one = odometry(NS, (0, 0, 1))
    both = written_by_rosbags(tmp_path / 'both', [('/a/odom', NS, one), ('/a/odom_corrected', NS, one)])
    found = inspect(both, *models, near=0.1)
    assert (found.drone_topics, found.are_corrected) == (('/a/odom',), False)
    found = inspect(written_by_rosbags(tmp_path / 'out', [('/a/odom_corrected', NS, one)]), *models, near=0.1)
    assert (found.drone_topics, found.are_corrected, list(found.drones)) == (('/a/odom_corrected',), True, ['a'])


@pytest.mark.parametrize(('heights', 'text'), [
    ((0.0, 3.0), 'z up'), ((-3.0, 0.0), 'z down (NED)'), ((0.0, 0.3), 'cannot tell'), ((-2.0, 2.0), 'cannot tell')])
def test_frames_are_guessed_from_heights(tmp_path, models, heights, text):
    messages = [('/a/odom', k * NS, odometry(k * NS, (0, 0, z), frame='odom')) for k, z in enumerate(heights)]
    found = inspect(written_by_rosbags(tmp_path / 'bag', messages), *models, near=0.1)
    assert found.frames['odom'].startswith(text)


def test_gravity_tells_the_axes_of_an_imu_and_hands_are_found(tmp_path, models):
    t = STORE.types
    header = t['std_msgs/msg/Header'](stamp=t['builtin_interfaces/msg/Time'](sec=1, nanosec=0), frame_id='x')
    vector, quaternion = t['geometry_msgs/msg/Vector3'], t['geometry_msgs/msg/Quaternion'](0.0, 0.0, 0.0, 1.0)
    point = t['geometry_msgs/msg/Point'](0.0, 0.0, 0.0)
    pose = t['geometry_msgs/msg/Pose'](position=point, orientation=quaternion)
    nine = np.zeros(9)
    with BagWriter(tmp_path / 'bag') as bag:
        for name, g in (('/up/imu', 9.7), ('/down/imu', -9.7)):
            still, down = vector(0.0, 0.0, 0.0), vector(0.0, 0.0, g)
            imu = t['sensor_msgs/msg/Imu'](header, quaternion, nine, still, nine, down, nine)
            bag.write(bag.topic(name, imu.__msgtype__), NS, bytes(STORE.serialize_cdr(imu, imu.__msgtype__)))
        hand = t['geometry_msgs/msg/PoseArray'](header=header, poses=[pose] * 25)
        bag.write(bag.topic('/tracker', hand.__msgtype__), NS, bytes(STORE.serialize_cdr(hand, hand.__msgtype__)))
        head = t['geometry_msgs/msg/PoseStamped'](header=header, pose=pose)
        bag.write(bag.topic('/hands/head', head.__msgtype__), NS, bytes(STORE.serialize_cdr(head, head.__msgtype__)))
        twist = t['geometry_msgs/msg/Twist'](vector(0.0, 0.0, 1.0), vector(0.0, 0.0, 0.0))
        for name in ('/pdu/Player1_left_hand/pos', '/cmd_vel'):
            bag.write(bag.topic(name, twist.__msgtype__), NS, bytes(STORE.serialize_cdr(twist, twist.__msgtype__)))
    found = inspect(tmp_path / 'bag', *models, near=0.1)
    assert found.bodies['/up/imu'].startswith('z up (FLU)')
    assert found.bodies['/down/imu'].startswith('z down (FRD)')
    assert found.hands == {'/tracker': '25 joints, /tracker', 'head': 'one sphere, /hands/head',
                           'Player1_left_hand': 'one pose, /pdu/Player1_left_hand/pos'}
    assert found.drones == {}


def stamps(log, header=None):
    found = TopicStamps(header is not None)
    for k, t in enumerate(log):
        found.add(t, b'' if header is None else b'\0\1\0\0' + np.array(divmod(header[k], NS), '<u4').tobytes())
    return found


def test_rate_and_gaps():
    times = [k * 5_000_000 for k in range(1000)]
    found = stamps(times[:400] + times[500:800] + times[810:])
    assert found.period == pytest.approx(0.005)
    assert [(gap.at_ns, gap.seconds) for gap in found.gaps()] == [(399 * 5_000_000, pytest.approx(0.505))]
    rare = stamps([0, 1, 2, 50 * NS, 51 * NS, 51 * NS + 1, 90 * NS])
    assert (rare.is_regular, rare.gaps()) == (False, [])
    assert stamps([]).rate == stamps([5]).rate == stamps([5, 5]).rate == 0.0


def test_offset_drift_and_steps_of_a_clock():
    """The header's clock starts 2 s early, runs 100 ppm slow, and is set back by 1.5 s after 60 s."""
    log = [T0 + k * NS // 10 for k in range(1000)]
    header = [round(t - 2 * NS - (t - T0) * 1e-4 - (1.5 * NS if k >= 600 else 0)) for k, t in enumerate(log)]
    clock = stamps(log, header).clock.result()
    assert clock.first == pytest.approx(2.0)
    assert clock.drift_ppm == pytest.approx(100.0, rel=1e-3)
    ((at, seconds),) = [tuple(step) for step in clock.steps]
    assert (at, clock.step_count, clock.backward_count) == (log[600], 1, 1)
    assert seconds == pytest.approx(-1.5, abs=1e-4)
    assert clock.most == pytest.approx(3.5 + 0.01, abs=1e-3)


def test_thinning_keeps_an_even_sample():
    thin = Thinned()
    for k in range(100_000):
        thin.add(k)
    assert 2000 < len(thin.values) <= 4096
    assert set(np.diff(thin.values)) == {thin.every}


@pytest.mark.parametrize(('definition', 'expected'), [
    ('std_msgs/Header header\nint32 a', True), ('# Header\n\nHeader header  # it\n', True),
    ('int32 X=3\nHeader h', True),
    ('int32 a\nstd_msgs/Header header', False), ('', False), ('=====\nMSG: std_msgs/Header\nHeader h', False)])
def test_which_types_begin_with_a_header(definition, expected):
    assert begins_with_header(definition) is expected
    assert begins_with_header(known_definition('hakoniwa_rigid/msg/FleetState'))


def test_messages_that_are_none_are_counted_with_the_first_reason(tmp_path, models):
    messages = [('/a/odom', k * NS, odometry(k * NS, (0, 0, math.nan if k == 2 else 1))) for k in range(4)]
    messages += [('/a/odom', 5 * NS, b'\0\1\0\0'), ('/a/odom', 6 * NS, messages[0][2][:90])]
    found = inspect(written_by_rosbags(tmp_path / 'bag', messages), *models, near=0.1)
    assert any('/a/odom: 3 messages are not usable: a: no pose: (0.0, 0.0, nan)' in text for text in found.warnings)
    assert any('/a/odom: 1 messages are too short for their header' in text for text in found.warnings)
    assert len(found.drones['a'].values) == 3


def test_the_command(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'ball.yaml').write_text(MODEL)
    path = flight(tmp_path / 'good', lambda name, t: (t - 2, 0.3 if name == 'a' else 0, 1), lag=2_000_000)
    assert cli.main(['inspect', str(path), '--model', 'ball.yaml', '--json', 'out.json', '--out', 'tracks.png']) == 0
    out = capsys.readouterr().out
    assert '/a/odom  nav_msgs/msg/Odometry       801    200.00     0            0.002' in out
    assert '0 contacts and 1 near misses (below 0.25 m) between drones; shapes: ball' in out
    content = json.loads((tmp_path / 'out.json').read_text())
    (encounter,) = content['encounters']
    assert (encounter['kind'], encounter['a'], encounter['b']) == ('near miss', 'a', 'b')
    assert encounter['distance'] == pytest.approx(0.1)
    assert (tmp_path / 'tracks.png').read_bytes()[:8] == b'\x89PNG\r\n\x1a\n'


def test_exit_codes(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    empty = written_by_rosbags(tmp_path / 'empty', [])
    assert cli.main(['inspect', str(empty)]) == 1
    assert 'warning: ' in capsys.readouterr().out
    (tmp_path / 'a.mcap').write_bytes(b'')
    for arguments, text in [(['none'], 'no such file'), (['a.mcap'], 'is empty'), (['empty', '--model', 'x'], 'x.yaml'),
                            (['empty', '--world', 'nowhere'], 'nowhere')]:
        assert cli.main(['inspect', *arguments]) == 2
        assert text in capsys.readouterr().err


def test_models_come_from_a_world(tmp_path):
    model, models = models_of('gym', 'crazyflie')
    assert model.name == 'crazyflie'
    assert set(models) and all(drone.mass > 0 for drone in models.values())


def test_text_of_much(tmp_path, models):
    """Long lists are cut, with how much was left out."""
    path = flight(tmp_path / 'bag', lambda name, t: (0.1 * int(name[1:]), 0, 1), names=[f'd{k}' for k in range(50)],
                  seconds=0.06, rate=50)
    text = report.as_text(inspect(path, *models, near=0.01))
    assert 'd0, d1, d10' in text
    assert 'and 38 more' in text
    assert 'and 57 more' in text
