# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bad input over DDS: the node stays up, the other drones stay right, each fault is one count with cause and key."""

from __future__ import annotations

from pathlib import Path

import harness
import numpy as np
import pytest
from geometry_msgs.msg import Pose, WrenchStamped
from hakoniwa_rigid.msg import FleetState, HandJoints
from harness import NS, START, interrupt, odometry, stamp_of, stamped, values
from numpy.testing import assert_allclose
from rig import WORLD, Rig

pytestmark = pytest.mark.ros
PLACES = {'a': (-1, 0, 1), 'b': (1, 0, 1), 'c': (0, 5, 1)}
SOURCE = str(Path(__file__).with_name('source.py'))


def hover(rig: Rig, ticks: int = 1, but: str = '') -> None:
    """All drones hold still at their places, but one says nothing."""
    for _ in range(ticks):
        for name, position in PLACES.items():
            if name != but:
                rig.bench.send(f'{name}/odom', odometry(rig.time.now, position))
        rig.time.tick()


def hand(rig: Rig, joints: int = 25, x: float = -2.0) -> HandJoints:
    msg = stamped(HandJoints(hand='right', radii=[0.01] * joints), rig.time.now)
    for z in np.linspace(2.0, 2.1, joints):
        pose = Pose()
        pose.position.x, pose.position.z = x, float(z)
        msg.poses.append(pose)
    return msg


def bad_nan(rig: Rig) -> None:
    rig.bench.send('a/odom', odometry(rig.time.now, (np.nan, 0, 1)))


def bad_quaternion(rig: Rig) -> None:
    rig.bench.send('a/odom', odometry(rig.time.now, (-1, 0, 1), (0, 0, 0, 0)))


def bad_twist(rig: Rig) -> None:
    rig.bench.send('a/odom', odometry(rig.time.now, (-1, 0, 1), linear=(np.inf, 0, 0)))


def bad_frame(rig: Rig) -> None:
    rig.bench.send('a/odom', stamped(odometry(0, (-1, 0, 1)), rig.time.now, 'camera'))


def bad_stamp(rig: Rig) -> None:
    rig.bench.send('a/odom', odometry(rig.time.now - NS // 10, (-1, 0, 1)))


def bad_old(rig: Rig) -> None:
    rig.bench.send('b/odom', odometry(rig.time.now - 5 * NS, (1, 0, 1)))


def bad_wrench_frame(rig: Rig) -> None:
    rig.bench.send('a/wrench', stamped(WrenchStamped(), rig.time.now, 'world'))


def bad_wrench(rig: Rig) -> None:
    msg = stamped(WrenchStamped(), rig.time.now, '')
    msg.wrench.force.z = np.nan
    rig.bench.send('a/wrench', msg)


def bad_stranger(rig: Rig) -> None:
    msg = stamped(FleetState(names=['ghost']), rig.time.now)
    msg.positions, msg.orientations = [0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]
    msg.linear_velocities = msg.angular_velocities = [0.0, 0.0, 0.0]
    rig.bench.send('fleet/states', msg)


def bad_joints(rig: Rig) -> None:
    rig.bench.send('hands/right', hand(rig, joints=24))


def bad_untracked(rig: Rig) -> None:
    msg = hand(rig)
    msg.is_valid = [False] * 3 + [True] * 22
    rig.bench.send('hands/right', msg)


def bad_hand(rig: Rig) -> None:
    msg = hand(rig)
    msg.hand = 'third'
    rig.bench.send('hands/right', msg)


def bad_radii(rig: Rig) -> None:
    msg = hand(rig)
    msg.radii = [0.01] * 3
    rig.bench.send('hands/right', msg)


FAULTS = [
    (bad_nan, 'not_finite/a'),
    (bad_quaternion, 'non_unit_quaternion/a'),
    (bad_twist, 'not_finite/a'),
    (bad_frame, 'wrong_frame/a'),
    (bad_stamp, 'stamp_backwards/a'),
    (bad_wrench_frame, 'wrong_frame/a'),
    (bad_wrench, 'not_finite/a'),
    (bad_stranger, 'unknown_name/ghost'),
    (bad_joints, 'wrong_size/right'),
    (bad_untracked, 'missing_joints/right'),
    (bad_hand, 'unknown_name/third'),
    (bad_radii, 'wrong_size/right'),
]


@pytest.fixture(scope='module')
def calm(tmp_path_factory):
    """One node for all faults: counts are compared before and after."""
    path = tmp_path_factory.mktemp('world') / 'world.yaml'
    path.write_text(WORLD)
    with harness.bench() as bench:
        rig = Rig(bench, path)
        rig.bench.send('hands/right', hand(rig))
        rig.bench.send('a/wrench', stamped(WrenchStamped(), rig.time.now, ''))
        yield rig


@pytest.mark.parametrize(('fault', 'entry'), FAULTS, ids=[f.__name__ for f, _ in FAULTS])
def test_one_bad_message_is_one_count_and_harms_nobody(calm: Rig, fault, entry):
    rig = calm
    hover(rig, 5)
    before = rig.counters()
    hover(rig, 4)
    fault(rig)
    # the victim of a bad sample is fed on by the next ticks
    hover(rig, 4, but='a')
    hover(rig, 30)
    after = rig.counters()
    assert {k: n - before.get(k, 0) for k, n in after.items() if n != before.get(k, 0)} == {entry: 1}
    assert values(rig.diagnostics, 'inputs')[f'{entry} last']
    assert rig.process.alive
    for name, position in PLACES.items():
        state = rig.state(name)
        assert_allclose(state['p'], position, atol=1e-9)
        assert_allclose(state['v'], 0, atol=1e-9)
        assert not state['flags'] & (FleetState.STALE | FleetState.REJECTED)


def test_refusals_are_logged_with_key_and_value_and_not_repeated(calm: Rig):
    rig = calm
    for _ in range(50):
        bad_frame(rig)
        hover(rig, 1)
    rig.bench.until(lambda: 'wrong_frame' in rig.process.output, 'the refusal in the log')
    said = [line for line in rig.process.lines if 'wrong_frame' in line]
    assert "'camera'" in said[0]
    assert 'accepted_frames' in said[0]
    # 50 refusals over 0.25 s: at most the one of an earlier test and one more
    assert len(said) <= 2


def test_zero_stamps_are_taken_as_received_with_one_warning(bench, world):
    rig = Rig(bench, world)
    for _ in range(20):
        bench.send('a/odom', odometry(0, (-1, 0, 1), linear=(0.5, 0, 0)))
        rig.time.tick()
    assert_allclose(rig.state('a')['v'], (0.5, 0, 0), atol=1e-9)
    bench.until(lambda: 'header stamps are zero' in rig.process.output, 'the warning')
    assert sum('header stamps are zero' in line for line in rig.process.lines) == 1
    assert not rig.state('a')['flags'] & FleetState.STALE


def test_diagnostics_say_what_the_contacts_cost(rig: Rig):
    hover(rig, 50)
    rig.report()
    scene = values(rig.diagnostics, 'scene')
    assert [scene[key] for key in ('asleep', 'crowded', 'crowd_steps', 'crowd_residual [m/s]')] == ['0', '0', '0', '0']
    assert int(scene['contact_work']) >= 0


def test_the_clock_set_back_starts_the_scene_anew(rig: Rig):
    hover(rig, 50)
    rig.time.set_back(5 * NS)
    hover(rig, 50)
    rig.report()
    assert values(rig.diagnostics, 'timing')['clock_jumps_back'] == '1'
    hover(rig, 50)
    assert not rig.state('c')['flags'] & FleetState.STALE
    assert_allclose(rig.state('c')['p'], (0, 5, 1), atol=1e-9)
    stamps = [stamp_of(m) for m in rig.ticks]
    assert sum(b < a for a, b in zip(stamps, stamps[1:], strict=False)) == 1


def test_a_source_killed_and_restarted_is_taken_back(bench, world):
    """Over the machine's clock: two simulators in processes of their own, one is killed with -9."""
    node = bench.start('hakoniwa_rigid.ros.collision.collision_node', f'world:={world}', 'diagnostics_rate:=10.0')
    ticks = bench.inbox(FleetState, 'fleet/states_corrected')
    first = bench.start(SOURCE, arguments=('a', '-1', '0', '1'))
    bench.start(SOURCE, arguments=('b', '1', '0', '1'))

    def state(name: str):
        if not ticks:
            return None, None
        i = list(ticks[-1].names).index(name)
        return ticks[-1].flags[i], list(ticks[-1].positions[3 * i : 3 * i + 3])

    def live(name: str) -> bool:
        return state(name)[0] == 0

    bench.until(lambda: live('a') and live('b'), 'both sources', START)
    first.kill()
    bench.until(lambda: state('a')[0] == FleetState.STALE and live('b'), 'a stale, b live')
    bench.start(SOURCE, arguments=('a', '-1.5', '0', '1'))
    bench.until(lambda: live('a') and live('b'), 'a back')
    assert_allclose(state('a')[1], (-1.5, 0, 1), atol=1e-9)
    assert_allclose(state('b')[1], (1, 0, 1), atol=1e-9)
    assert node.alive
    assert interrupt(node) == 0
