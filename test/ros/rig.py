"""The collision node on the bench in simulated time, with a small world whose impacts have closed forms."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import harness
from diagnostic_msgs.msg import DiagnosticArray
from hakoniwa_rigid.msg import ContactEventArray, FleetState
from harness import START, Bench, Process, SimTime, stamp_of, state_in

STATES = 'fleet/states_corrected'
__all__ = ['NODE', 'WORLD', 'Rig']

NODE = 'hakoniwa_rigid.ros.collision.collision_node'
# s that a tick may take to arrive
PATIENCE = 1.0

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
        self.bench.until(lambda: bench.node.count_subscribers('/clock'), 'the node on /clock', START)
        self._patience = time.monotonic() + PATIENCE
        self.time.publish()
        self.bench.until(self._first, 'the first tick', START)

    def _first(self) -> bool:
        """The node may tick before its writer knows of our reader; that tick is lost, and time has to move on."""
        if time.monotonic() > self._patience:
            self.time.now += 5_000_000
            self._patience = time.monotonic() + PATIENCE
        self.time.publish()
        return bool(self.ticks)

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

    def connect(self, topic: str, good: Callable[[], object]) -> None:
        """Send harmless messages until one has arrived.

        A writer knows of its reader before the reader knows of it, and what is sent in between is lost (best effort).
        """
        before = self.received()
        for _ in range(100):
            self.bench.send(topic, good())
            if self.received() > before:
                return
        raise AssertionError(f'nothing arrives on {topic}\n{self.process.output}')

    def newest(self, inbox: list):
        """The message of the newest tick in an inbox; ticks until there is one."""
        for _ in range(200):
            self.time.tick()
            self.bench.serve()
            if inbox and stamp_of(inbox[-1]) == self.time.now:
                return inbox[-1]
        raise AssertionError('no message of the newest tick')

    def state(self, name: str) -> dict[str, list[float]]:
        """The newest corrected state of a drone: p, q, v in the world, w in the body, flags."""
        return state_in(self.ticks[-1], name)
