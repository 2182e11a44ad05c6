# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Collision nodes beside one another, each with a preset and a namespace of its own, in one simulated time.

They start together, which takes hardly longer than one. Simulators speak on their own absolute topics, with their own
quality of service; what the nodes say is in their namespaces.
"""

from __future__ import annotations

import time
from pathlib import Path

import yaml
from hakoniwa_rigid.msg import ContactEventArray, FleetState
from harness import AGAIN, NS, START, WAIT, Bench, Process, stamp_of, state_in
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from std_srvs.srv import Trigger

from hakoniwa_rigid import scene

NODE = 'hakoniwa_rigid.ros.collision.collision_node'
PERIOD = 5_000_000
RELIABLE = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
BEST_EFFORT = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)
# PX4's uxrce_dds_client: best effort, transient local
PX4 = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Member:
    """One node: its process, what it said last, and its contact events."""

    def __init__(self, bench: Bench, name: str, world: Path, parameters: tuple[str, ...] | dict) -> None:
        self.name = name
        more: tuple[str, ...] = ()
        if isinstance(parameters, dict):
            # the command line takes no name with a hyphen, a file does
            file = world.with_name(f'{name}_parameters.yaml')
            file.write_text(yaml.safe_dump({'/**': {'ros__parameters': parameters}}))
            parameters, more = (), ('--params-file', str(file))
        self.process: Process = bench.start(
            NODE, f'world:={world}', 'use_sim_time:=true', *parameters,
            arguments=('--ros-args', '-r', f'__ns:=/{name}', *more, '--'),
        )
        self.ticks: list[FleetState] = []
        self.arrays: list[ContactEventArray] = []

    def receive(self, bench: Bench) -> None:
        """Subscribe to what it says; AssertionError where it has ended."""
        topic = f'/{self.name}/fleet/states_corrected'
        bench.until(lambda: bench.node.count_publishers(topic) or not self.process.alive, topic, START)
        assert self.process.alive, self.process.output
        self.ticks = bench.inbox(FleetState, topic)
        self.arrays = bench.inbox(ContactEventArray, f'/{self.name}/contact_events')
        # made after all its readers, which are known once this is
        bench.client(Trigger, f'/{self.name}/collision_node/save_world')

    def at(self, now: int) -> bool:
        """Whether its tick of a time has come."""
        return bool(self.ticks) and stamp_of(self.ticks[-1]) >= now

    @property
    def events(self) -> list:
        """All contact events so far."""
        return [event for array in self.arrays for event in array.events]

    def drone(self, name: str) -> dict:
        """Newest p, q (x, y, z, w), v in the world, w in the body, flags of a drone, and the tick's stamp t in ns."""
        msg = self.ticks[-1]
        return state_in(msg, name) | {'t': stamp_of(msg)}


class Flock:
    """The nodes and /clock; `nodes`: namespace -> (world file, parameters, name:=value or a dict)."""

    def __init__(self, bench: Bench, nodes: dict[str, tuple[Path, tuple[str, ...] | dict]], now: int = 10 * NS) -> None:
        self.bench, self.now = bench, now
        # kernels that are not compiled yet are compiled once, not by every node at the same time
        scene.warmup()
        self.members = {name: Member(bench, name, *given) for name, given in nodes.items()}
        for member in self.members.values():
            member.receive(bench)
        self.tick()

    def __getitem__(self, name: str) -> Member:
        return self.members[name]

    def send(self, topic: str, msg, qos: QoSProfile = RELIABLE) -> None:
        """Publish, once every reader knows the writer."""
        self.bench.send(topic, msg, qos)

    def tick(self, count: int = 1) -> None:
        """Move on by whole output periods; wait for every node after each."""
        for _ in range(count):
            self.now += PERIOD
            patience = time.monotonic() + WAIT
            while not self._all():
                if time.monotonic() > patience:
                    said = '\n--\n'.join(m.process.output for m in self.members.values() if not m.at(self.now))
                    raise AssertionError(f'no tick at {self.now} ns\nprocesses said:\n{said}')
                self._report()
                again = time.monotonic() + AGAIN  # /clock is best effort
                self.bench.until(lambda again=again: self._all() or time.monotonic() > again, 'ticks')

    def _all(self) -> bool:
        return all(member.at(self.now) for member in self.members.values())

    def _report(self) -> None:
        msg = Clock()
        msg.clock.sec, msg.clock.nanosec = divmod(self.now, NS)
        self.bench.send('/clock', msg)
