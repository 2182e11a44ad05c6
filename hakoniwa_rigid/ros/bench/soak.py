# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`bench soak`: everything at once, for hours. Drones by topics of which a share of the samples is lost, some on clocks
that step, drones that come and leave, two hands, clients of the page that come and go, a recording that is split, a
state file; samples of memory, handles, threads, latency and missed ticks by cause (soak_samples.py)."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import rclpy
import yaml
from rclpy.signals import SignalHandlerOptions
from tqdm import tqdm

from ..child_processes import Child, Children
from ..domain import free_domain
from ..errors import StartError
from ..leaving import leave
from .bench_load import Faults, Latencies, Load, home
from .page_load import address_of, clients
from .soak_newcomers import PARAMETERS, Newcomers, Turnover, turnover_of
from .soak_samples import Sample, draw, handles_of, missed_by, plain, since, table, threads_of, verdicts

__all__ = ['Soak', 'run']

READY = 600.0  # s
STEPPED, STEP, EVERY = 5, 2.0, 60.0  # drones on clocks that step, by s, every s
SPLIT, KEPT = 20.0, 3  # s of a file of the recording; complete files that stay
HANDS = {'right': 'wave_right.npz', 'left': 'strike_left.npz'}
PACKAGE = 'hakoniwa_rigid.ros'
INTERRUPTED = 130


class Soak:
    """The processes of one run, and its samples. StartError where one of them ends."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options, self.folder = options, folder
        self.names = [f'd{k:05d}' for k in range(options.drones)]
        self.world = folder / 'world.yaml'
        self.world.write_text(_world(self.names))
        self.children = Children(folder / 'logs', dict(os.environ))
        self.clients: list[subprocess.Popen] = []
        self.context = rclpy.Context()
        rclpy.init(context=self.context, signal_handler_options=SignalHandlerOptions.NO)
        self.ros = rclpy.create_node('bench', context=self.context, start_parameter_services=False)
        faults = Faults(options.loss, min(STEPPED, options.drones), STEP, EVERY)
        self.load = Load(self.ros, self.names, options.rate, False, True, faults)
        self.newcomers = Newcomers(self.context, 'collision_node')
        self.samples: list[Sample] = []
        self._missed: dict[str, int] = {}
        self._counted = {'ticks': 0, 'overrun_steps': 0}
        self._turnover = Turnover()
        self._begun = self._due = 0.0

    def close(self) -> None:
        """End all."""
        for process in self.clients:
            process.kill()
            process.wait()
        self.children.stop()
        self.newcomers.close()
        leave(self.ros, self.context)

    def start(self) -> None:
        """Everything, till the node ticks and the page is there."""
        stepped = {f'drones.{name}.stamp': 'synced' for name in self.names[-STEPPED:]}
        start, package = self.children.start, PACKAGE
        self.node: Child = start('collision_node', f'{package}.collision.collision_node', {
            'world': self.world, 'rate': self.options.rate, 'realtime_priority': self.options.priority,
            'record': self.folder / 'flight', 'record_split_time': SPLIT, 'record_keep': KEPT,
            'state_file': self.folder / 'node.state', **PARAMETERS, **stepped})
        self.viewer = start('viewer', f'{package}.viewer.viewer_node', {'world': self.world, 'port': 0})
        for hand, file in HANDS.items():
            start(f'hand_{hand}', f'{package}.hands.hand_bridge', {'file': file, 'hand': hand})
        end = time.monotonic() + READY
        while not self.load.matched() or not self.load.stamps:
            if self.node.ended() or time.monotonic() > end:
                raise StartError(f'the collision node did not start; it said:\n{self.node.tail()}')
            time.sleep(0.05)
            self.load.receive()
        if self.options.clients:
            port = address_of(self.viewer)
            self.clients.append(clients(port, 'visitors', self.options.clients, self.folder / 'clients.txt'))

    def measure(self, seconds: float, bar: tqdm) -> None:
        """Run, and sample."""
        self.load.run(3.0, lambda _: None)
        self.load.settle()
        self._look()
        self._begun, self._due = time.monotonic(), self.options.sample
        self.load.run(seconds, bar.update, self._check)
        self.load.settle()
        self._sample()

    def _check(self) -> None:
        """Every second."""
        for child in self.children.dead():
            raise StartError(f'{child.name} ended; it said:\n{child.tail()}')
        if time.monotonic() - self._begun >= self._due:
            self._due += self.options.sample
            self._sample()
        self.newcomers.step()

    def _look(self) -> tuple[dict[str, int], int, int, Turnover]:
        """What the newest report counts since the last look."""
        values = self.load.reports[-1]
        now = missed_by(values)
        missed, self._missed = since(now, self._missed), now
        counted = {key: round(float(values[key])) for key in self._counted}
        ticks, steps = (counted[key] - self._counted[key] for key in ('ticks', 'overrun_steps'))
        self._counted = counted
        turnover, before = turnover_of(self.newcomers.answered, values), self._turnover
        self._turnover = turnover
        self.load.reports[:] = self.load.reports[-1:]
        return missed, ticks, steps, Turnover(*(n - m for n, m in zip(turnover, before, strict=True)))

    def _sample(self) -> None:
        load = self.load
        missed, ticks, steps, turnover = self._look()
        latencies, load.latencies = load.latencies, Latencies()
        load.stamps.clear()
        node, viewer = self.node.process.pid, self.viewer.process.pid
        bags = sum(1 for _ in self.folder.rglob('*.mcap'))
        self.samples.append(Sample(
            time.monotonic() - self._begun, self.node.rss(), self.viewer.rss(), handles_of(node), handles_of(viewer),
            threads_of(node), threads_of(viewer), latencies.percentile(50.0), latencies.percentile(99.0), ticks, missed,
            steps, bags, *turnover))


def _world(names: list[str]) -> str:
    """The drones' grid; hands do not touch drones, whose places tell which samples they show, but balls."""
    drones = [{'name': name, 'model': 'api-1', 'position': position}
              for name, position in zip(names, home(len(names)).tolist(), strict=True)]
    balls = [{'name': f'ball{k}', 'shape': {'type': 'sphere', 'radius': 0.1}, 'mass': 0.2,
              'position': [0.3 * k, 0.2, 0.1]} for k in range(5)]
    return yaml.safe_dump({'name': 'soak', 'walls': [{'name': 'floor', 'type': 'plane'}], 'drones': drones,
                           'objects': balls, 'hands': [{'name': hand} for hand in HANDS],
                           'filters': {'drone_hand': False}})


def run(options: argparse.Namespace) -> int:
    """`hakoniwa-rigid bench soak`; returns the exit code: 1 where a promise was broken."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    seconds = options.hours * 3600.0 if options.hours else options.seconds
    samples: list[Sample] = []
    code = 0
    try:
        with free_domain(options.domain) as domain, tempfile.TemporaryDirectory() as folder:
            os.environ |= {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST', 'ROS_DOMAIN_ID': str(domain)}
            soak = Soak(options, Path(folder))
            samples = soak.samples
            try:
                soak.start()
                with tqdm(total=int(seconds), unit='s', desc='soak', disable=None) as bar:
                    soak.measure(seconds, bar)
            finally:
                soak.close()
    except (StartError, OSError) as error:
        sys.stderr.write(f'error: {error}\n')
        code = 1
    except KeyboardInterrupt:
        sys.stderr.write('interrupted: all nodes have been stopped\n')
        code = INTERRUPTED
    if samples:
        code = _report(samples, options.out) or code
    return code


def _report(samples: list[Sample], out: Path | None) -> int:
    """Say it; whether a promise was broken."""
    text, bars = table(samples), verdicts(samples)
    lines = [f'  {"kept  " if good else "BROKEN"}  {said}' for said, good in bars]
    sys.stdout.write('\n'.join([text, '', *lines, '']))
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        (out / 'soak.md').write_text(text + '\n')
        (out / 'soak.json').write_text(json.dumps(plain(samples), indent=1) + '\n')
        draw(samples, out / 'soak.png')
    return int(not all(good for _, good in bars))
