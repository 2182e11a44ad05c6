# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A drone that had come by ~/spawn is there again, with topics of its own, when a killed node resumes from its file."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from hakoniwa_rigid.srv import Remove, Spawn
from harness import START, odometry
from nav_msgs.msg import Odometry
from rig import NODE, Rig

pytestmark = pytest.mark.ros
WORLD = """
name: hangar
models: {ball: {mass: 1.0, inertia: [0.016, 0.016, 0.016], shape: {type: sphere, radius: 0.2}}}
drones: [{name: a, model: ball, position: [0, 0, 2]}]
spare: {drones: 2}
"""


def show(rig: Rig, z: float) -> None:
    """The drone is read from its topic, and its corrected state published on its own."""
    rig.bench.until(lambda: rig.bench.node.count_subscribers('late/odom') or rig.go(), 'its topics')
    corrected = rig.bench.inbox(Odometry, 'late/odom_corrected')

    def is_shown() -> bool:
        rig.bench.send('late/odom', odometry(rig.time.now, (5, 0, z)))
        rig.go()
        return any(state.pose.pose.position.z == z for state in corrected)

    rig.bench.until(is_shown, f'its state at {z}')
    assert rig.state('late')['p'] == [5.0, 0.0, z]


def test_a_restored_drone_has_topics_of_its_own(bench, tmp_path: Path):
    world, file = tmp_path / 'hangar.yaml', tmp_path / 'node.state'
    world.write_text(WORLD)
    parameters = (f'state_file:={file}', 'state_period:=0.1')
    rig = Rig(bench, world, *parameters)
    entry = json.dumps({'name': 'late', 'model': 'ball', 'position': [5, 0, 1]})
    assert bench.call(Spawn, 'collision_node/spawn', Spawn.Request(kind='drone', entry=entry)).success
    show(rig, 1.25)
    file.unlink(missing_ok=True)    # what is written from now on knows the drone
    bench.until(lambda: file.exists() or rig.go(), 'a state')
    rig.process.signal(signal.SIGKILL)
    rig.process.wait()
    bench.until(lambda: not bench.node.count_publishers('fleet/states_corrected'), 'the node gone')

    process = bench.start(NODE, f'world:={world}', 'use_sim_time:=true', *parameters)
    bench.until(lambda: 'ready:' in process.output or not process.alive, 'the node', START)
    bench.meet('/collision_node')
    rig.go()
    assert list(rig.ticks[-1].names) == ['a', 'late']
    show(rig, 1.5)
    assert bench.call(Remove, 'collision_node/remove', Remove.Request(name='late')).success
    rig.go()
    bench.until(lambda: not bench.node.count_publishers('late/odom_corrected'), 'they are closed')
