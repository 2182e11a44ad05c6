# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The nodes of every launch line of the package, as the launch files start them, and what their policies must be.

    PYTHONPATH=.:test:test/ros python test/ros/policies.py      writes config/security/*.xml anew from the running nodes
"""

from __future__ import annotations

import os
import re
import socket
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import foreign_packages
import harness
import sockets
from harness import START, Bench

from hakoniwa_rigid.paths import world_file
from hakoniwa_rigid.ros.security.graph import uses_of
from hakoniwa_rigid.ros.security.policy import Use, write

FOLDER = Path(__file__).resolve().parents[2] / 'config' / 'security'
LICENCE = '<!-- Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0 -->'
COMMENT = 'Made by test/ros/policies.py from the running nodes of {}; docs/security.md says how it is used.'
# more than a page is offered; it may ask for all of them
CHANNELS = range(1, 100)
ROS = 'hakoniwa_rigid.ros'


class Started(NamedTuple):
    """A node of a line: its module, its parameters."""

    module: str
    parameters: tuple[str, ...] = ()


COLLISION, VIEWER = f'{ROS}.collision.collision_node', f'{ROS}.viewer.viewer_node'
# by launch file, the nodes by name; of collision.launch.py with viewer:=true, of the others with what they need
LINES = {
    'collision': {'collision_node': Started(COLLISION), 'viewer': Started(VIEWER, ('port:=0',))},
    'demo': {
        'collision_node': Started(COLLISION, ('world:=demo_room',)),
        'drone_sim': Started(f'{ROS}.simulators.drone_sim'),
        'hand_bridge': Started(f'{ROS}.hands.hand_bridge', ('file:=strike_right.npz',)),
        'correction_adapter': Started(f'{ROS}.simulators.correction_adapter'),
    },
    'ar_hand': {
        'collision_node': Started(COLLISION, ('world:=ar_room',)),
        'hand_bridge': Started(f'{ROS}.hands.hand_bridge', ('source:=mediapipe_file',)),
        'hover': Started(f'{ROS}.simulators.hover', (f'world:={world_file("ar_room")}',)),
    },
    'hakoniwa': {'collision_node': Started(COLLISION, (
        'sim:=hakoniwa', 'drones:=[Drone]', 'drones.Drone.authority:=observe', 'drones.Drone.impulse:=true'))},
    'px4_gazebo': {'collision_node': Started(COLLISION, ('sim:=px4', 'drones:=[px4_0]'))},
    'crazyswarm2': {'collision_node': Started(COLLISION, (
        'sim:=crazyswarm2', 'drones:=[cf231]', 'use_sim_time:=true'))},
    'replay': {'collision_node': Started(COLLISION, ('use_sim_time:=true',))},
}


def _drain(connection: socket.socket) -> None:
    """Read until it is closed."""
    connection.settimeout(None)
    with suppress(OSError):
        while connection.recv(1 << 16):
            pass


class Line:
    """The running nodes of a line; of the viewer a page that asks for everything."""

    def __init__(self, bench: Bench, name: str) -> None:
        self.bench, self.names = bench, {f'/{node}' for node in LINES[name]}
        self.processes = {node: bench.start(made.module, *made.parameters) for node, made in LINES[name].items()}
        self._page = None
        if 'viewer' in self.processes:
            viewer = self.processes['viewer']
            bench.until(lambda: 'socket:' in viewer.output or not viewer.alive, 'the viewer', START)
            port = int(re.search(r'page: https?://localhost:(\d+)/', viewer.output)[1])
            self._page = sockets.raw(port, sockets.GREETING, sockets.masked_subscription(*CHANNELS))
            # one that does not read is dropped, maybe before the nodes of an earlier test have left the graph: 20 s
            threading.Thread(target=_drain, args=(self._page,), daemon=True).start()

    def uses(self) -> dict[str, Use]:
        """What its nodes use now, as far as it is known here."""
        return uses_of(self.bench.node, lambda name: name in self.names)

    def dead(self) -> str:
        """What nodes that have ended said."""
        return '\n'.join(p.output for p in self.processes.values() if not p.alive)

    def close(self) -> None:
        """End."""
        if self._page is not None:
            with suppress(OSError):
                self._page.shutdown(socket.SHUT_RDWR)
            self._page.close()


def settled(line: Line, seconds: float) -> dict[str, Use]:
    """What is used once nothing has changed for so long and every node is there."""
    last, since = {}, time.monotonic()

    def still() -> bool:
        nonlocal last, since
        now = line.uses()
        if now != last or set(now) != line.names:
            last, since = now, time.monotonic()
        return bool(line.dead()) or time.monotonic() > since + seconds

    line.bench.until(still, 'a graph that stays as it is', START)
    assert not line.dead(), line.dead()
    return last


def main() -> None:
    """Write all of them."""
    os.environ['PYTHONPATH'] = os.pathsep.join([str(foreign_packages.provide()), os.environ.get('PYTHONPATH', '')])
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        os.environ['ROS_LOG_DIR'] = folder
        for name in LINES:
            with harness.bench() as bench:
                line = Line(bench, name)
                text = write(settled(line, 8.0), COMMENT.format(f'{name}.launch.py'))
                line.close()
            head, rest = text.split('\n', 1)
            (FOLDER / f'{name}.xml').write_text(f'{head}\n{LICENCE}\n{rest}')
            sys.stdout.write(f'{name}: {len(text.splitlines())} lines\n')


if __name__ == '__main__':
    main()
