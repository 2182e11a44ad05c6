# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bags that hold poses alone: replayed as they are, with a note; what was given, or is there, is not changed."""
import numpy as np
import pytest
from foreign_bags import NS, odom, pose, said, write

from hakoniwa_rigid import cli
from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.testing import replay_bag

SPEED, START = 3.0, 50 * NS
POSE = 'geometry_msgs/msg/PoseStamped'
WORLD = """
name: lane
gravity: [0, 0, 0]
walls: [{name: end, type: plane, normal: [-1, 0, 0], offset: -2.0}]
drones:
  - {name: d0, model: unity, authority: observe}
  - {name: d1, model: unity, position: [0, 5, 0], authority: observe}
"""
REACHED = (2.0 - 0.1) / SPEED    # s, until the front is at the wall


@pytest.fixture
def world(tmp_path):
    path = tmp_path / 'lane.yaml'
    path.write_text(WORLD)
    return path


def poses(topic='/d0/pose', y=0.0, jitter=0.0):
    """A flight along x at 100 Hz; stamps and log times off by up to `jitter` intervals."""
    rng = np.random.default_rng(7)
    for k in range(100):
        stamp = START + round((k + rng.uniform(-jitter, jitter)) * NS / 100)
        yield said(topic, stamp, POSE, pose=pose((SPEED * k / 100, y, 1)))


def hit_of(run, drone='d0'):
    found, = run.contacts_of(drone, 'end')
    return found


def test_an_imported_table_without_velocities_is_replayed(world, tmp_path, capsys):
    table = tmp_path / 'd0.csv'
    table.write_text('t,x,y,z,qx,qy,qz,qw\n' + ''.join(
        f'{k / 100},{SPEED * k / 100},0,1,0,0,0,1\n' for k in range(100)))
    bag, out = tmp_path / 'bag', tmp_path / 'out'
    assert cli.main(['import', str(table), '-o', str(bag)]) == 0
    assert cli.main(['replay', str(bag), '-o', str(out), '--world', str(world)]) == 0
    recorded = capsys.readouterr().out
    assert 'd0: no Odometry in the bag, /d0/pose is read (as with drones.d0.source: pose)' in recorded
    assert 'd0 - end' in recorded
    with Bag(out) as bag:
        assert 'drones.d0.source: pose\n' in bag.metadata['hakoniwa_rigid.parameters']


def test_it_is_the_run_that_the_parameter_gives(world, tmp_path):
    bag = write(tmp_path / 'bag', poses())
    run, asked = replay_bag(bag, world), replay_bag(bag, world, params={'drones.d0.source': 'pose'})
    assert run.result.state_hash == asked.result.state_hash
    assert hit_of(run).begin == pytest.approx(REACHED, abs=2e-3)


@pytest.mark.parametrize('jitter', [0.0, 0.45])
def test_impact_has_the_speed_of_the_flight(world, tmp_path, jitter):
    """At uneven stamps, too: impulse (1 + e) m v, e 0.7 of the unity drone."""
    bag = write(tmp_path / 'bag', sorted(poses(jitter=jitter), key=lambda m: m.stamp))
    assert hit_of(replay_bag(bag, world)).impulse == pytest.approx(1.7 * 0.71 * SPEED, rel=0.1)


def test_a_drone_with_odometry_keeps_it_and_the_other_has_its_poses(world, tmp_path):
    far = [odom('/d0/odom', m.stamp, (-5, 0, 1)) for m in poses()]
    messages = sorted([*far, *poses(), *poses('/d1/pose', 5.0)], key=lambda m: m.stamp)
    run = replay_bag(write(tmp_path / 'bag', messages), world)
    run.assert_no_contact('d0', 'end')
    assert hit_of(run, 'd1').begin == pytest.approx(REACHED, abs=2e-3)
    assert [note.partition(':')[0] for note in run.result.notes] == ['d1']


def test_a_source_that_was_given_is_kept(world, tmp_path):
    with pytest.raises(BagError, match='looked for: .*/d0/odom'):
        replay_bag(write(tmp_path / 'bag', poses()), world, params={'drones.d0.source': 'odom'})


def test_poses_of_another_name_by_map(world, tmp_path, capsys):
    bag, out = write(tmp_path / 'bag', poses('/mocap/one')), tmp_path / 'out'
    assert cli.main(['replay', str(bag), '-o', str(out), '--world', str(world), '--map',
                     'd0/pose:=/mocap/one']) == 0
    assert cli.main(['replay', str(bag), '-o', str(out), '--world', str(world)]) == 2
    assert 'poses: --map d0/pose:=/mocap/one' in capsys.readouterr().err
