# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""hakoniwa-rigid replay: bags whose contacts are known in closed form, the scene driven by hand, bad bags."""
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import bags
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from hakoniwa_rigid.cli import main
from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.bag.writer import BagWriter
from hakoniwa_rigid.replay.csv_import import csv_import
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.replay.rerun.outcome import Options
from hakoniwa_rigid.replay.rerun.run import replay
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.errors import SettingsError
from hakoniwa_rigid.scene.records import Phase
from hakoniwa_rigid.testing import replay_bag

MS = 1_000_000
WORLD = """
name: lane
gravity: [0, 0, 0]
materials: {hard: {restitution: 0.5, friction: 0.0}}
models:
  cube: {mass: 0.5, inertia: [0.002, 0.002, 0.002], shape: {type: box, size: [0.2, 0.2, 0.2]}, material: hard}
walls: [{name: end, type: plane, normal: [-1, 0, 0], offset: -2.0, material: hard}]
drones:
  - {name: d0, model: cube}
  - {name: d1, model: cube}
"""
# m/s, s: d0 flies along x and would pass the wall; d1 stands still far off
SPEED, STEP = 1.5, 0.01


@pytest.fixture(scope='module')
def world(tmp_path_factory):
    path = tmp_path_factory.mktemp('world') / 'lane.yaml'
    path.write_text(WORLD)
    return str(path)


def messages(number=180, begin=1000 * MS):
    """(topic, stamp, data): both drones every 10 ms, received 1 ms later."""
    found = []
    for k in range(number):
        stamp = begin + k * 10 * MS
        for name, x, v in (('d0', SPEED * k * STEP, SPEED), ('d1', -5.0, 0.0)):
            data = bags.odometry(stamp, (x, 0, 1), velocity=(v, 0, 0))
            found.append((f'/{name}/odom', stamp + MS, data))
    return found


@pytest.fixture(scope='module')
def flight(tmp_path_factory):
    return bags.written_by_rosbags(tmp_path_factory.mktemp('flight') / 'bag', messages())


def contents(path):
    with Bag(path) as bag:
        return list(bag.messages())


def files(path):
    return {p.name: p.read_bytes() for p in Path(path).iterdir()}


def test_an_imported_flight_hits_the_wall_when_and_as_hard_as_computed(world, tmp_path):
    table = tmp_path / 'd0.csv'
    rows = [f'{k * STEP:.2f},{SPEED * k * STEP:.6f},0,1,0,0,0,1,{SPEED},0,0,0,0,0' for k in range(180)]
    table.write_text('t,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz\n' + '\n'.join(rows) + '\n')
    csv_import.run([table], tmp_path / 'bag', csv_import.Options((), 'enu', None, 'world'))
    run = replay_bag(tmp_path / 'bag', world)
    # the front face, half a side ahead, reaches the wall at x = 2
    when = (2.0 - 0.1) / SPEED
    hit, = run.assert_contact('d0', 'end', after=when - 0.01, before=when + 0.01, count=1)
    assert_allclose(hit.begin, when, atol=1e-3)
    # a plane never moves: J = m (1 + e) v
    assert_allclose(hit.impulse, 0.5 * 1.5 * SPEED, rtol=1e-3)
    assert hit.normal == (1.0, 0.0, 0.0) or hit.normal == (-1.0, 0.0, 0.0)


def test_the_scene_driven_by_hand_gives_the_same_bits(world, flight, tmp_path):
    out = tmp_path / 'out'
    result = replay(Options(flight, out, world))
    scene, states = CollisionScene.from_yaml(world), []
    events, start, waiting = [], 1001 * MS, list(messages())
    for k in range(result.ticks):
        now = start + k * 5 * MS
        while waiting and waiting[0][1] <= now:
            topic, stamp, _ = waiting.pop(0)
            name, t = topic.split('/')[1], (stamp - MS - 1000 * MS) // (10 * MS)
            x, v = (SPEED * t * STEP, SPEED) if name == 'd0' else (-5.0, 0.0)
            scene.feed_drone(name, stamp - MS, (x, 0, 1), (0, 0, 0, 1), (v, 0, 0), (0, 0, 0))
        tick = scene.advance(now)
        states.append((tick.states.positions, tick.states.linear_velocities))
        events += tick.events
    assert not waiting
    assert scene.state_hash() == result.state_hash
    assert tuple(events) == result.events
    assert Phase.BEGIN in [e.phase for e in events]
    with Bag(out) as bag:
        found = [bag.decode(m) for m in bag.messages(['/fleet/states_corrected'])]
        assert bag.metadata['hakoniwa_rigid.state_hash'] == result.state_hash
        assert 'name: lane' in bag.metadata['hakoniwa_rigid.world']
    assert len(found) == len(states)
    for message, (positions, velocities) in zip(found, states, strict=True):
        assert message.positions.tobytes() == positions.tobytes()
        assert message.linear_velocities.tobytes() == velocities.tobytes()


def test_inputs_are_copied_byte_for_byte_and_ticks_lie_on_the_grid(world, flight, tmp_path):
    replay(Options(flight, tmp_path / 'out', world, states='both'))
    written = contents(tmp_path / 'out')
    copied = [m for m in written if m.topic.endswith('/odom')]
    assert [m[:4] for m in copied] == [m[:4] for m in contents(flight)]
    for topic in ('/fleet/states_corrected', '/d0/odom_corrected', '/d1/odom_corrected'):
        stamps = [m.stamp_ns for m in written if m.topic == topic]
        assert stamps == [1001 * MS + k * 5 * MS for k in range(len(stamps))]
        assert stamps[-1] >= copied[-1].stamp_ns > stamps[-2]
    replay(Options(flight, tmp_path / 'bare', world, inputs=False))
    assert {m.topic for m in contents(tmp_path / 'bare')} == {'/fleet/states_corrected', '/contact_events'}


def test_other_threads_and_hash_seeds_give_the_same_bytes(world, flight, tmp_path):
    made = []
    for threads, seed in (('1', '1'), ('2', '77')):
        out = tmp_path / f'out{seed}'
        env = {**os.environ, 'OMP_NUM_THREADS': threads, 'NUMBA_NUM_THREADS': threads, 'PYTHONHASHSEED': seed}
        words = ['replay', str(flight), '-o', str(out), '--world', world, '--states', 'both']
        command = [sys.executable, '-m', 'hakoniwa_rigid.cli', *words]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        made.append(files(out))
    assert made[0] == made[1]


@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_the_order_of_equal_stamps_does_not_matter(world, tmp_path_factory, chance):
    folder = tmp_path_factory.mktemp('order')
    stored, outs = messages(60), []
    pairs = [stored[k:k + 2] for k in range(0, len(stored), 2)]
    for name, order in (('a', pairs), ('b', [chance.sample(pair, 2) for pair in pairs])):
        with BagWriter(folder / name) as bag:
            topics = {t: bag.topic(t, bags.ODOMETRY) for t in ('/d0/odom', '/d1/odom')}
            for topic, stamp, data in (m for pair in order for m in pair):
                bag.write(topics[topic], stamp, data)
        replay(Options(folder / name, folder / f'{name}_out', world, states='both'))
        outs.append(files(folder / f'{name}_out'))
    assert outs[0] == outs[1]


def test_a_stretch_is_replayed_from_and_to(world, flight, tmp_path):
    result = replay(Options(flight, tmp_path / 'out', world, first=0.5, last=0.7))
    assert result.start_ns == 1501 * MS
    assert_allclose(result.span, 0.2, atol=1e-9)
    assert result.received == 42


@pytest.mark.parametrize(('words', 'said'), [
    (('--map', 'd0/odom=x'), 'must be NAME:=OTHER'),
    (('--map', 'd7/odom:=x'), 'nothing is called /d7/odom here'),
    (('--namespace', 'sim'), 'looked for: /sim/fleet/states'),
    (('--from', '9'), 'in the stretch to replay; the bag goes from 0 to 1.790 s'),
    (('--from', '2', '--to', '1'), '--to 1 lies before --from 2'),
    (('--rate', '300'), 'got 300 Hz; try'),
    (('--world', 'nowhere'), 'parameter world:'),
    (('--params', 'nowhere.yaml'), 'parameters cannot be read'),
    (('--tol', 'nowhere.yaml'), 'nowhere.yaml'),
])
def test_what_cannot_be_replayed_is_code_2_and_leaves_nothing(world, flight, tmp_path, capsys, words, said):
    out = tmp_path / 'out'
    assert main(['replay', str(flight), '-o', str(out), '--world', world, *words]) == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_bag_of_a_namespace_says_so_and_a_map_helps(world, tmp_path, capsys):
    spaced = bags.written_by_rosbags(tmp_path / 'bag', [(f'/sim{t}', s, d) for t, s, d in messages(30)])
    assert main(['replay', str(spaced), '-o', str(tmp_path / 'out'), '--world', world]) == 2
    said = capsys.readouterr().err
    assert '/sim/d0/odom (nav_msgs/msg/Odometry)' in said
    assert 'did you mean --namespace /sim ?' in said
    whole = replay(Options(spaced, tmp_path / 'out', world, namespace='sim'))
    assert {m.topic for m in contents(tmp_path / 'out')} >= {'/sim/d0/odom', '/sim/fleet/states_corrected'}
    one = replay(Options(spaced, None, world, maps=('d0/odom:=/sim/d0/odom',)))
    assert (whole.received, one.received) == (60, 30)
    assert [n for n in one.notes if n.startswith('d1: none of its topics is in the bag')]


def damaged(kind, folder, flight):
    path = folder / 'bad.mcap'
    with BagWriter(path) as bag:
        topic = bag.topic('/d0/odom', bags.ODOMETRY)
        for _, stamp, data in messages()[::2]:
            bag.write(topic, stamp, data)
    raw = path.read_bytes()
    path.unlink()
    if kind == 'empty bag':
        with BagWriter(path):
            return path
    if kind == 'two clocks':
        data = bags.odometry(5, (0, 0, 1))
        return bags.written_by_rosbags(folder / 'bad', [('/d0/odom', 5, data), ('/d0/odom', 17 * 10**17, data)])
    if kind == 'two days':
        data = bags.odometry(5, (0, 0, 1))
        return bags.written_by_rosbags(folder / 'bad', [('/d0/odom', 5, data), ('/d0/odom', 2 * 10**14, data)])
    if kind == 'rubbish inside':
        return bags.written_by_rosbags(folder / 'bad', [('/d0/odom', k, b'\0\1\0\0rubbish') for k in range(9)])
    path.write_bytes({'empty file': b'', 'text': b'hello', 'corrupt': raw[:9000] + bytes(300) + raw[9300:]}[kind])
    return path


@pytest.mark.parametrize(('kind', 'said'), [
    ('empty bag', 'holds no messages'), ('two clocks', 'two clocks'),
    ('two days', 'two recordings, or two clocks?'),
    ('rubbish inside', 'all or nearly all of 9 messages were refused: malformed d0: 9'),
    ('empty file', ''), ('text', ''), ('corrupt', ''),
])
def test_bad_bags_are_code_2_and_leave_nothing(world, flight, tmp_path, capsys, kind, said):
    path, out = damaged(kind, tmp_path, flight), tmp_path / 'out'
    before = set(tmp_path.iterdir())
    assert main(['replay', str(path), '-o', str(out), '--world', world]) == 2
    err = capsys.readouterr().err
    assert 'bad' in err
    assert said in err
    assert set(tmp_path.iterdir()) == before


def test_a_truncated_bag_is_replayed_up_to_there_and_says_so(world, tmp_path):
    path = tmp_path / 'cut.mcap'
    with BagWriter(path) as bag:
        topic = bag.topic('/d1/odom', bags.ODOMETRY)
        for _, stamp, data in messages(3000)[1::2]:
            bag.write(topic, stamp, data)
    path.write_bytes(path.read_bytes()[:1_500_000])     # in the second chunk
    result = replay(Options(path, tmp_path / 'out', world, rate=10.0))
    assert 1000 < result.received < 2000
    assert any('cut.mcap' in note for note in result.notes)


def test_headers_on_another_clock_are_reported_and_synced(world, tmp_path):
    shifted = [(t, s + 500 * 1000 * MS, d) for t, s, d in messages(60)]
    path = bags.written_by_rosbags(tmp_path / 'bag', shifted)
    with pytest.raises(BagError, match=r'(?s)stale d0: 59.*headers are 500.001 s behind the log times'):
        replay(Options(path, None, world))
    good = replay(Options(path, None, world, values={'stamp': 'synced'}))
    assert good.refused == {}


def test_the_output_is_never_the_input(world, flight):
    with pytest.raises(BagError, match='is the bag to be replayed'):
        replay(Options(flight, flight, world))
    assert contents(flight)


def test_unknown_parameters_and_wrong_types_are_errors(world, flight, tmp_path):
    with pytest.raises(SettingsError, match='parameter drones.d0.sorce; did you mean drones.d0.source'):
        replay(Options(flight, None, world, values={'drones.d0.sorce': 'pose'}))
    with pytest.raises(BagError, match='/d0/odom is nav_msgs/msg/Odometry, geometry_msgs/msg/PoseStamped was expected'):
        replay(Options(flight, None, world, values={'drones.d0.source': 'pose', 'drones.d0.topic_pose': 'd0/odom'}))


def test_a_golden_run_is_the_verdict(world, flight, tmp_path, capsys):
    words = ['replay', str(flight), '--world', world, '--no-input']
    assert main([*words, '-o', str(tmp_path / 'a')]) == 0
    golden = tmp_path / 'golden.yaml'
    assert main(['diff', str(tmp_path / 'a'), '--write-golden', str(golden)]) == 0
    assert main([*words, '-o', str(tmp_path / 'b'), '--golden', str(golden)]) == 0
    soft = tmp_path / 'soft.yaml'
    soft.write_text(WORLD.replace('restitution: 0.5', 'restitution: 0.1'))
    words[words.index(world)] = str(soft)
    capsys.readouterr()
    picture = tmp_path / 'p.png'
    pytest.importorskip('matplotlib')
    assert main([*words, '-o', str(tmp_path / 'c'), '--golden', str(golden), '--picture', str(picture)]) == 1
    reported = capsys.readouterr().out
    assert 'd0 - end' in reported
    assert 'DIFFERENT' in reported
    assert picture.read_bytes().startswith(b'\x89PNG')


def test_a_changed_restitution_is_the_first_line_of_every_report(world, flight, tmp_path, capsys):
    """No OUT is needed, and none is left; what cannot be replayed is in the reports, too."""
    golden, soft, page, junit = (tmp_path / name for name in ('golden.yaml', 'soft.yaml', 'r.html', 'r.xml'))
    assert main(['replay', str(flight), '--world', world, '-o', str(tmp_path / 'a')]) == 0
    assert main(['diff', str(tmp_path / 'a'), '--write-golden', str(golden)]) == 0
    soft.write_text(WORLD.replace('restitution: 0.5', 'restitution: 0.1'))
    words = ['replay', str(flight), '--golden', str(golden), '--report', str(page), '--junit', str(junit), '--world']
    assert main([*words, world]) == 0 and '<h1 class="good">equal within tolerances' in page.read_text()
    before = sorted(tmp_path.iterdir())
    assert main([*words, str(soft)]) == 1
    told = 'restitution differs (expected 0.5, actual 0.1); first divergence: d0 - end at '
    assert 'DIFFERENT: ' in capsys.readouterr().out
    assert told in page.read_text().replace('\xa0', ' ').partition('<h1>')[2].partition('</h1>')[0]
    first = ElementTree.parse(junit).getroot()[0].find('testcase').find('failure')
    assert told in first.get('message') and told in first.text.splitlines()[0]
    assert sorted(tmp_path.iterdir()) == before
    assert main(['replay', str(tmp_path / 'nowhere'), *words[2:], world]) == 2
    assert 'cannot be compared: ' in page.read_text() and ElementTree.parse(junit).getroot()[0].get('errors') == '1'


@pytest.mark.parametrize('words', [[], ['--report', 'r.html'], ['-o', 'out', '--junit', 'r.xml']])
def test_a_replay_for_nothing_is_refused(words, capsys):
    assert main(['replay', 'flight', *words]) == 2
    assert '--golden' in capsys.readouterr().err


def test_assertions_say_what_there_was(world, flight):
    run = replay_bag(flight, world, params={'rate': 100})
    assert run.result.ticks == 180
    run.assert_no_contact('d1')
    run.assert_contact('d0', 'end', impulse=(1.0, 1.2))
    with pytest.raises(AssertionError, match=r'no contact of d0 expected, \d+ found:\n  1\.26'):
        run.assert_no_contact('d0')
    with pytest.raises(AssertionError, match=r'a contact of d1 and end expected, 0 found; d1 touched nothing'):
        run.assert_contact('d1', 'end')
    with pytest.raises(AssertionError, match=r'from 5 to 6 N s expected, 0 found; of d0 there were'):
        run.assert_contact('d0', impulse=(5.0, 6.0))
    with pytest.raises(AssertionError, match=r"no body is called 'd9' in this world; there is d0, d1, end"):
        run.assert_no_contact('d9')


def test_nothing_of_ros_is_needed():
    code = 'import sys, hakoniwa_rigid.testing; sys.exit(any(m.split(".")[0] == "rclpy" for m in sys.modules))'
    assert subprocess.run([sys.executable, '-c', code], check=False).returncode == 0


def test_tracks_are_thinned_not_cut(world, flight):
    result = replay(Options(flight, None, world))
    assert result.tracks.positions.shape == (result.ticks, 2, 3)
    assert np.isfinite(result.tracks.positions).all()
