# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The collision node on the bench in simulated time, with a small world whose impacts have closed forms."""

from __future__ import annotations

import time
from pathlib import Path

import harness
from diagnostic_msgs.msg import DiagnosticArray
from hakoniwa_rigid.msg import ContactEventArray, FleetState
from harness import AGAIN, START, Bench, Process, SimTime, stamp_of, state_in

STATES = 'fleet/states_corrected'
__all__ = ['NODE', 'WORLD', 'Rig']

NODE = 'hakoniwa_rigid.ros.collision.collision_node'

# three balls of 1 kg, r = 0.2 m, e = 0.5 without friction: impacts have closed forms; c is far from all the others
WORLD = """
name: test
walls:
  - {name: floor, type: plane}
  - {name: wall, type: plane, normal: [-1, 0, 0], offset: -3.0}  # solid at x >= 3
materials:
  plain: {restitution: 0.5, friction: 0.0}
  skin: {restitution: 0.0, friction: 0.0}
models:
  ball:
    mass: 1.0
    inertia: [0.016, 0.016, 0.016]
    shape: {type: sphere, radius: 0.2}
    material: plain
drones:
  - {name: a, model: ball, position: [-1, 0, 1]}
  - {name: b, model: ball, position: [1, 0, 1]}
  - {name: c, model: ball, position: [0, 5, 1]}
hands:
  - {name: right, material: skin}
"""


class Rig:
    """The collision node in simulated time, its outputs in inboxes, and the clock."""

    def __init__(self, bench: Bench, world: Path, *parameters: str) -> None:
        self.bench = bench
        self.process: Process = bench.start(
            NODE, f'world:={world}', 'use_sim_time:=true', 'diagnostics_rate:=10.0', *parameters
        )
        bench.until(lambda: bench.node.count_publishers(STATES) or not self.process.alive, 'the node', START)
        assert self.process.alive, self.process.output
        self.ticks: list[FleetState] = bench.inbox(FleetState, STATES)
        self.arrays: list[ContactEventArray] = bench.inbox(ContactEventArray, 'contact_events')
        self.diagnostics: list[DiagnosticArray] = bench.inbox(DiagnosticArray, '/diagnostics')
        self.time = SimTime(bench, self.ticks)
        self.time.tick(0)

    @property
    def events(self) -> list:
        """All contact events so far."""
        return [event for array in self.arrays for event in array.events]

    def counters(self) -> dict[str, int]:
        """The counters of refused inputs after the next report."""
        self.report()
        return harness.counters(self.diagnostics)

    def report(self) -> None:
        """Tick until a report has come that was made after this call."""
        asked = self.time.now
        while not self.diagnostics or stamp_of(self.diagnostics[-1]) <= asked:
            self.go()

    def go(self) -> None:
        """One tick."""
        self.time.tick()

    def received(self) -> int:
        """Messages the node has received, after the next report."""
        self.report()
        return int(harness.values(self.diagnostics, 'inputs')['received'])

    def newest(self, inbox: list):
        """The message of the newest tick in an inbox; ticks until there is one."""
        for _ in range(200):
            self.time.tick()
            # what is published after the states comes after them; or not at all, until the node has seen its reader
            end = time.monotonic() + AGAIN
            self.bench.until(lambda end=end: self._current(inbox) or time.monotonic() > end, 'a message')
            if self._current(inbox):
                return inbox[-1]
        raise AssertionError('no message of the newest tick')

    def _current(self, inbox: list) -> bool:
        return bool(inbox) and stamp_of(inbox[-1]) == self.time.now

    def state(self, name: str) -> dict[str, list[float]]:
        """The newest corrected state of a drone: p, q, v in the world, w in the body, flags."""
        return state_in(self.ticks[-1], name)
