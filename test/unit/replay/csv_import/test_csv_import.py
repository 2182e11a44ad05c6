# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Tables to bags: values, stamps and axes against truth (rotation matrices); every bad row is named."""
import math

import numpy as np
import pytest
from bags import STORE, odometry
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from hakoniwa_rigid import cli
from hakoniwa_rigid.codec.motion_packer import ODOMETRY, POSE, Motion, Packer
from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.csv_import import axes
from hakoniwa_rigid.replay.csv_import.csv_import import BagError, Options, drone_names, run
from hakoniwa_rigid.rotations import from_rpy

POSES = 't,x,y,z,qx,qy,qz,qw'
ALL = POSES + ',vx,vy,vz,wx,wy,wz'
HAKONIWA = 'timestamp,X,Y,Z,Rx,Ry,Rz,Vx,Vy,Vz,VRx,VRy,VRz,collided_counts'
# columns: the axes of NED and FRD in the axes of the targets
NED_IN = {'enu': np.array([[0, 1, 0], [1, 0, 0], [0, 0, -1.0]]), 'nwu': np.diag([1.0, -1, -1])}
FRD_IN_FLU = np.diag([1.0, -1, -1])
numbers = st.floats(-10, 10)


def write(path, *lines):
    path.write_text('\n'.join(lines) + '\n')
    return path


def imported(path, tmp_path, options=Options()):  # noqa: B008
    files = path if isinstance(path, list) else [path]
    what, warnings = run(files, tmp_path / 'bag', options)
    with Bag(tmp_path / 'bag') as bag:
        assert bag.warnings == []
        return [(m, bag.decode(m)) for m in bag.messages()], what, warnings


def xyz(v):
    return np.array([v.x, v.y, v.z])


def rotation(q):
    return Rotation.from_quat([q.x, q.y, q.z, q.w]).as_matrix()


@given(st.integers(0, 2**31 * 10**9 - 1), st.lists(numbers, min_size=16, max_size=16), st.text('äbc/', max_size=9))
def test_packed_bytes_are_those_of_rosbags(stamp, values, frame):
    q = np.array(values[3:7]) + (0, 0, 0, 11)
    q /= np.linalg.norm(q)
    motion = Motion(stamp, tuple(values[:3]), tuple(q), tuple(values[7:10]), tuple(values[10:13]))
    packed = Packer(frame, f'{frame}/base').pack(motion)
    linear = Rotation.from_quat(q).as_matrix().T @ values[7:10]
    message = STORE.deserialize_cdr(packed, ODOMETRY)
    assert_allclose(xyz(message.twist.twist.linear), linear, atol=1e-12)
    expected = odometry(stamp, values[:3], orientation=q, velocity=xyz(message.twist.twist.linear), spin=values[10:13],
                        frame=frame, child=f'{frame}/base')
    assert packed == expected
    pose = STORE.deserialize_cdr(Packer(frame, None).pack(motion), POSE)
    assert (pose.header.stamp.sec * 10**9 + pose.header.stamp.nanosec, pose.header.frame_id) == (stamp, frame)
    assert_allclose(xyz(pose.pose.position), values[:3])


@pytest.mark.parametrize('target', ['enu', 'nwu'])
@given(values=st.lists(numbers, min_size=9, max_size=9), angles=st.tuples(*3 * [st.floats(-1.5, 1.5)]))
def test_ned_becomes_what_rotation_matrices_say(target, values, angles):
    roll, pitch, yaw = angles
    w, x, y, z = from_rpy((roll, pitch, yaw))
    q = x, y, z, w
    R = Rotation.from_euler('ZYX', [yaw, pitch, roll]).as_matrix()
    assert_allclose(Rotation.from_quat(q).as_matrix(), R, atol=1e-14)
    turned = axes.from_ned(Motion(0, tuple(values[:3]), q, tuple(values[3:6]), tuple(values[6:])), target)
    world = NED_IN[target]
    assert_allclose(turned.position, world @ values[:3], atol=1e-14)
    assert_allclose(turned.linear, world @ values[3:6], atol=1e-14)
    assert_allclose(turned.angular, FRD_IN_FLU @ values[6:], atol=1e-14)
    assert_allclose(Rotation.from_quat(turned.orientation).as_matrix(), world @ R @ FRD_IN_FLU.T, atol=1e-14)


def test_body_rates_are_those_of_the_turning_body():
    """R^T dR/dt is the cross product matrix of the body's angular velocity."""
    angles, rates, h = np.array([0.3, -0.7, 2.0]), np.array([0.5, -1.1, 0.9]), 1e-6

    def R(a):
        return Rotation.from_euler('ZYX', a[::-1]).as_matrix()
    W = R(angles).T @ (R(angles + h * rates) - R(angles - h * rates)) / (2 * h)
    assert_allclose(axes.body_rates(angles[0], angles[1], tuple(rates)), [W[2, 1], W[0, 2], W[1, 0]], atol=1e-8)


@pytest.mark.parametrize('header', [True, False])
def test_a_table_with_velocities_becomes_odometry(tmp_path, header):
    s = math.sqrt(0.5)
    rows = [f'{1790000000 + k}.123456789,{k},2,3,0,0,{s},{s},1,0,0,0.1,0.2,0.3' for k in range(3)]
    path = write(tmp_path / 'alpha-1.csv', *([ALL] if header else []), *rows)
    messages, (what,), _ = imported(path, tmp_path)
    assert (what.topic, what.type, what.count) == ('/alpha_1/odom', ODOMETRY, 3)
    for k, (raw, message) in enumerate(messages):
        assert raw.stamp_ns == (1790000000 + k) * 10**9 + 123456789
        assert (message.header.stamp.sec, message.header.stamp.nanosec) == (1790000000 + k, 123456789)
        assert (message.header.frame_id, message.child_frame_id) == ('world', 'alpha_1/base_link')
        assert_allclose(xyz(message.pose.pose.position), [k, 2, 3])
        # the nose points along world y, so what moves along world x moves to the right of the nose
        assert_allclose(xyz(message.twist.twist.linear), [0, -1, 0], atol=1e-15)
        assert_allclose(xyz(message.twist.twist.angular), [0.1, 0.2, 0.3])


def test_columns_go_by_name(tmp_path):
    rows = 'hello,1,0,0,0,3,2,1,0.5', '', 'again,1,0,0,0,3,2,1,0.5'
    path = write(tmp_path / 'a.csv', 'comment,qw,qx,qy,qz,z,y,x,t', *rows)
    messages, (what,), warnings = imported(path, tmp_path, Options(frame='map'))
    assert (what.topic, what.type, what.count, warnings) == ('/a/pose', POSE, 2, [])
    assert_allclose(xyz(messages[0][1].pose.position), [1, 2, 3])
    assert (messages[0][0].stamp_ns, messages[0][1].header.frame_id) == (500_000_000, 'map')
    path = write(tmp_path / 'b.csv', POSES + ',vx,vy', '0,0,0,0,0,0,0,1,0,0')
    assert 'velocities are left out: vx,vy alone are not enough' in imported(path, tmp_path)[2][0]


@pytest.mark.parametrize('rates', ['VRx,VRy,VRz', 'p,q,r'])
def test_drone_dynamics_is_read_as_hakoniwa_means_it(tmp_path, rates):
    """Time in us, NED, Euler angles; a drone 2 m up that flies north-west, nose east, rolled and pitched."""
    folder = tmp_path / 'drone_log3'
    folder.mkdir()
    angles, rate = (0.2, -0.1, 1.5), (0.3, 0.4, 0.5)
    row = f'1500000,1,-4,-2,{",".join(map(str, angles))},3,-5,0,{",".join(map(str, rate))},6'
    path = write(folder / 'drone_dynamics.csv', HAKONIWA.replace('VRx,VRy,VRz', rates), row, row)
    R = Rotation.from_euler('ZYX', angles[::-1]).as_matrix()
    for target in ('nwu', 'enu'):
        ((raw, message), _), (what,), _ = imported(path, tmp_path, Options(target=None if target == 'nwu' else target))
        world = NED_IN[target]
        assert (raw.topic, raw.stamp_ns, what.axes) == ('/drone_log3/odom', 1_500_000_000, f'NED to {target.upper()}')
        position = xyz(message.pose.pose.position)
        assert_allclose(position, [1, 4, 2] if target == 'nwu' else [-4, 1, 2])
        turned = rotation(message.pose.pose.orientation)
        assert_allclose(turned, world @ R @ FRD_IN_FLU.T, atol=1e-14)
        assert_allclose(turned @ xyz(message.twist.twist.linear), world @ [3, -5, 0], atol=1e-14)
        body = rate if rates == 'p,q,r' else axes.body_rates(*angles[:2], rate)
        assert_allclose(xyz(message.twist.twist.angular), FRD_IN_FLU @ body, atol=1e-15)


def test_old_drone_dynamics_has_no_velocities(tmp_path):
    path = write(tmp_path / 'x.csv', 'timestamp,X,Y,Z,Rx,Ry,Rz', '1703734736850013,0,0,-1,0,0,1.570796')
    ((raw, message),), (what,), _ = imported(path, tmp_path)
    assert (what.type, raw.stamp_ns) == (POSE, 1703734736850013000)
    assert_allclose(xyz(message.pose.position), [0, 0, 1])
    assert_allclose(rotation(message.pose.orientation) @ [1, 0, 0], [0, -1, 0], atol=1e-6)    # east is minus west


def test_ned_tables_there_and_back(tmp_path):
    path = write(tmp_path / 'a.csv', POSES, '0,1,2,3,0.1,0.2,0.3,0.927361849549570')
    ((_, message),), _, _ = imported(path, tmp_path, Options(axes='ned'))
    assert_allclose(xyz(message.pose.position), [2, 1, -3])
    back = NED_IN['enu'].T @ rotation(message.pose.orientation) @ FRD_IN_FLU
    assert_allclose(back, Rotation.from_quat([0.1, 0.2, 0.3, 0.92736184954957]).as_matrix(), atol=1e-12)


def test_several_files_are_several_drones_in_order_of_stamps(tmp_path):
    files = [write(tmp_path / f'{name}.csv', POSES, *(f'{t},0,0,0,0,0,0,1' for t in times))
             for name, times in (('b', (0, 2, 4)), ('a', (1, 2, 3)))]
    messages, what, _ = imported(files, tmp_path, Options(names=('lead',)))
    assert [w.topic for w in what] == ['/lead/pose', '/a/pose']
    assert [(m.topic, m.stamp_ns // 10**9) for m, _ in messages] == [
        ('/lead/pose', 0), ('/a/pose', 1), ('/a/pose', 2), ('/lead/pose', 2), ('/a/pose', 3), ('/lead/pose', 4)]


@pytest.mark.parametrize(('lines', 'text'), [
    ((), 'is empty; it must have rows t,x,y,z'),
    ((POSES,), 'has no rows'),
    (('t,x,y,z', '0,0,0,0'), r'line 1: no column qx; has t,x,y,z, must have t,x,y,z,qx'),
    (('t,t,x,y,z,qx,qy,qz,qw', ''), 'line 1: column t is there twice'),
    (('1,2,3', ''), 'line 1: 3 columns and no header; without one there must be 8'),
    ((POSES, '0,0,0,0,0,0,0,1', '1,0,0,0,0,0,0', '2,0'), 'line 3: 7 columns, the first line has 8'),
    ((POSES, '0,0,abc,0,0,0,0,1', ''), "line 2: y: must be a finite number, got 'abc'"),
    ((POSES, '0,0,0,0,0,0,0,1', '1,0,0,nan,0,0,0,1'), "line 3: z: must be a finite number, got 'nan'"),
    ((POSES, '0,0,0,0,0,0,,1', ''), "line 2: qz: must be a finite number, got ''"),
    ((POSES, 'x,0,0,0,0,0,0,1', ''), "line 2: t: must be a number from 0 to 2147483648 s, got 'x'"),
    ((POSES, '-1,0,0,0,0,0,0,1', ''), "line 2: t: must be a number from 0 to 2147483648 s, got '-1'"),
    ((POSES, 'inf,0,0,0,0,0,0,1', ''), "t: must be a number .* got 'inf'"),
    ((POSES, '0,0,0,0,0,0,0,2', ''), r'line 2: qx,qy,qz,qw: must have length 1, got \[0.0, .*2.0\] of length 2'),
    ((POSES, '5,0,0,0,0,0,0,1', '4,0,0,0,0,0,0,1'), 'line 3: t: goes back, from 5.0 s to 4.0 s; was the sim'),
    (('timestamp,X,Y,Z,Rx,Ry', ''), 'line 1: no column Rz'),
    ((HAKONIWA, '1.0,0,0,0,0,0,0,0,0,0,0,0,bad,0', ''), "line 2: VRz: must be a finite number, got 'bad'")])
def test_what_is_wrong_is_named(tmp_path, lines, text):
    path = tmp_path / 'a.csv'
    path.write_text('\n'.join(lines) + '\n' if lines else '')
    with pytest.raises(BagError, match=text) as caught:
        run([path], tmp_path / 'bag', Options())
    assert str(path) in str(caught.value)
    assert [p.name for p in tmp_path.iterdir()] == ['a.csv']


def test_a_last_line_that_is_cut_off_is_left_out(tmp_path):
    for end in ('2', '2,0,0', '2,0,0,0,0,0,0,', '2,0,0,0,0,0,0,-', '2,0,0,-,0,0,0,1'):
        (tmp_path / 'a.csv').write_text(f'{POSES}\n0,0,0,0,0,0,0,1\n1,0,0,0,0,0,0,1\n{end}')
        messages, _, (warning,) = imported(tmp_path / 'a.csv', tmp_path)
        assert len(messages) == 2
        assert f"line 4: the last line is cut off ('{end}'); left out" in warning


def test_files_that_cannot_be_read(tmp_path):
    (tmp_path / 'a.csv').write_bytes(POSES.encode() + b'\n0,0,\xff')
    for name, text in (('a.csv', 'cannot be read'), ('none.csv', 'cannot be read')):
        with pytest.raises(BagError, match=f'{name}: {text}'):
            run([tmp_path / name], tmp_path / 'bag', Options())


def test_names_of_drones(tmp_path):
    files = [tmp_path / 'Drone-1.csv', tmp_path / '2.csv', tmp_path / 'drone_log0' / 'drone_dynamics.csv']
    assert drone_names(files) == ['Drone_1', 'd2', 'drone_log0']
    for chosen, names, text in [([files[0], files[0]], (), 'two drones would be called Drone_1'),
                                (files[:1], ('a-b',), "'a-b' is no legal ROS name"),
                                (files[:1], ('a', 'b'), '2 names for 1 files')]:
        with pytest.raises(BagError, match=text):
            drone_names(chosen, names)


def test_the_command(tmp_path, capsys):
    path = write(tmp_path / 'a.csv', POSES, '0,0,0,0,0,0,0,1')
    assert cli.main(['import', str(path), '-o', str(tmp_path / 'bag'), '--name', 'x']) == 0
    out = capsys.readouterr().out
    assert 'a.csv: 1 rows, 0.000 s to 0.000 s, axes as they are -> /x/pose (geometry_msgs/msg/PoseStamped)' in out
    assert cli.main(['import', str(path), '-o', str(tmp_path / 'bag'), '--to', 'nwu']) == 1
    assert '--to nwu: needs --axes ned' in capsys.readouterr().err


VICON = '#timestamp [ns],p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m],q_RS_w [],q_RS_x [],q_RS_y [],q_RS_z []'
EUROC = VICON.replace(' [ns]', '').replace(',', ', ') + ', v_RS_R_x [m s^-1], v_RS_R_y [m s^-1], v_RS_R_z [m s^-1]'
TUM = '# timestamp tx ty tz qx qy qz qw'


@pytest.mark.parametrize('lines', [
    pytest.param((EUROC, '1403715524907143168,1,2,3,0.5,-0.5,0.5,0.5,0.1,0.2,0.3',
                  '1403715524912143104,1,2,4,0.6,0.8,0,0,0.1,0.2,0.3'), id='EuRoC'),
    pytest.param((VICON, '1403715524907143168,1,2,3,0.5,-0.5,0.5,0.5',
                  '1403715524912143104,1,2,4,0.6,0.8,0,0'), id='EuRoC, poses'),
    pytest.param(('# ground truth trajectory', "# file: 'x, y.bag'", TUM, '1403715524.907143168 1 2 3 -0.5 0.5 0.5 0.5',
                  '1403715524.912143104  1 2 4 0.8 0 0 0.6 '), id='TUM'),
    pytest.param(('# t x y z qw qx qy qz', '1403715524.907143168 1 2 3 0.5 -0.5 0.5 0.5',
                  '1403715524.912143104 1 2 4 0.6 0.8 0 0'), id='names in a comment'),
    pytest.param(('1403715524.907143168 1 2 3 -0.5 0.5 0.5 0.5', '# lost', '1403715524.912143104\t1 2 4 0.8 0 0 0.6'),
                 id='TUM without a header'),
])
def test_public_formats_are_known_by_their_header(tmp_path, lines):
    found, what, warnings = imported(write(tmp_path / 'data.csv', *lines), tmp_path)
    assert not warnings and (what[0].topic, what[0].type, what[0].count) == ('/data/pose', POSE, 2)
    assert [m.stamp_ns for m, _ in found] == [1403715524907143168, 1403715524912143104]
    assert [xyz(p.pose.position).tolist() for _, p in found] == [[1, 2, 3], [1, 2, 4]]
    turned = [p.pose.orientation for _, p in found]
    assert_allclose([(q.x, q.y, q.z, q.w) for q in turned], [(-0.5, 0.5, 0.5, 0.5), (0.8, 0, 0, 0.6)], atol=1e-15)


@pytest.mark.parametrize(('lines', 'said'), [
    ((EUROC, '1.5e30,1,2,3,1,0,0,0,0,0,0'), r'line 2: timestamp: must be a number from 0 to \d+ ns'),
    ((EUROC, '5,1,2,3,1,0,0,0'), 'line 2: 8 columns, the first line has 11'),
    ((TUM, '5.0 1 nan 3 0 0 0 1'), "line 2: ty: must be a finite number, got 'nan'"),
    ((TUM, '5.0 1 2 3 0 0 0 0.5'), 'line 2: qx,qy,qz,qw: must have length 1'),
    (('# a', '# b', '1 2 3'), 'line 3: 3 columns and no header'),
    (('# a', '# b'), 'is empty'),
    (('# time,px,py,pz,qw,qx,qy,qz', '5,1,2,3,1,0,0,0'), 'no column t; has time,px'),
])
def test_bad_rows_of_public_formats_are_named(tmp_path, lines, said):
    with pytest.raises(BagError, match=said):
        imported(write(tmp_path / 'data.csv', *lines), tmp_path)
