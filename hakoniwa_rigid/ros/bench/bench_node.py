# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`bench node`: the collision node as it is used, in a process of its own, under load over DDS.

This process is the load (bench_load.py). Processor time and memory come from /proc, the clockwork's figures from the
node's own /diagnostics, latencies and losses from what arrives here.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import rclpy
import yaml
from rclpy.signals import SignalHandlerOptions
from tqdm import tqdm

from ...codec.message_fields import NANOSECONDS
from ..child_processes import Child, Children
from ..domain import free_domain
from ..errors import StartError
from ..leaving import leave
from ..timing import LATE
from .bench_load import Load, home
from .bench_machine import Stolen, lateness

__all__ = ['Case', 'Result', 'run', 'table', 'verdicts']

READY = 600.0  # s; covers compiling every kernel where nothing is cached yet
PERIOD_BAR = LATE  # s, error of the ticks' period at p99
LATENCY_BAR = 0.001  # s over one tick at p99
CPU_BAR = 100.0  # % of a core
PUNCTUAL = 50  # drones up to which the clockwork and the latency are promised
ALONE = 2.0  # s for which the machine is watched before a case, with nothing of ours running
INTERRUPTED = 130


@dataclass(frozen=True)
class Case:
    """What is measured: N drones whose poses come at `rate` Hz to a node of the same rate."""

    drones: int
    rate: float
    fleet: bool = False
    step: float = 0.001  # s, the engine's

    @property
    def title(self) -> str:
        """For people."""
        return f'{self.drones} drones, {self.rate:g} Hz, {"fleet/*" if self.fleet else "topics per drone"}'


# 10,000 drones: the engine's share grows with steps per second, so they are long
CASES = (Case(50, 200.0), Case(512, 50.0), Case(10_000, 20.0, True, 0.01))


@dataclass(frozen=True)
class Result:
    """One row of the table: messages/s in and out, s for times, MB, % of a core; counts over the measured time."""

    drones: int
    rate: float
    fleet: bool
    seconds: float
    topics_in: int
    topics_out: int
    sent_per_s: float
    in_lost: int
    out_per_s: float
    out_lost: int
    cpu_percent: float
    ticks: int
    missed: int
    overrun_steps: int
    off_time: float  # share of periods more than LATE off
    period_error_p50: float
    period_error_p99: float
    latency_p50: float
    latency_p99: float
    tick_time_p50: float
    tick_time_p99: float
    rss_begin: float
    rss_end: float
    machine_late: float  # p99 of how late a bare loop of this rate is woken here
    stolen: float  # share of the processors' time that the run's machine gave to others


class Bench:
    """One case: its world, its node and its load."""

    def __init__(self, case: Case, folder: Path, reliable: bool, priority: int) -> None:
        self.case, self.priority = case, priority
        names = [f'd{k:05d}' for k in range(case.drones)]
        self.world = folder / 'world.yaml'
        self.world.write_text(_world(case, names))
        self.children = Children(folder / 'logs', dict(os.environ))
        self.context = rclpy.Context()
        rclpy.init(context=self.context, signal_handler_options=SignalHandlerOptions.NO)
        self.node = rclpy.create_node('bench', context=self.context, start_parameter_services=False)
        self.load = Load(self.node, names, case.rate, case.fleet, reliable)
        self.machine_late = lateness(case.rate, ALONE)

    def close(self) -> None:
        """End the node, leave ROS."""
        self.children.stop()
        leave(self.node, self.context)

    def start(self) -> Child:
        """The node, once it ticks and every topic has its other end. Raises StartError."""
        values = {
            'world': self.world,
            'rate': self.case.rate,
            'per_drone_topics': not self.case.fleet,
            'realtime_priority': self.priority,
        }
        child = self.children.start('collision_node', 'hakoniwa_rigid.ros.collision.collision_node', values)
        end = time.monotonic() + READY
        while not self.load.matched() or not self.load.stamps:
            if child.ended() or time.monotonic() > end:
                raise StartError(f'the collision node did not start; it said:\n{child.tail()}')
            time.sleep(0.05)
            self.load.receive()
        return child

    def measure(self, child: Child, seconds: float, warmup: float, bar: tqdm) -> Result:
        """Run the load, first unmeasured; one row."""
        load = self.load
        load.run(warmup, bar.update)
        load.settle()
        before, rss = load.reports[-1], child.rss()
        cpu, begun, stolen = child.cpu_seconds(), time.time_ns(), Stolen()
        load.run(seconds, bar.update, lambda: _alive(child))
        cpu, ended, share = child.cpu_seconds() - cpu, time.time_ns(), stolen.share()
        load.settle()
        return self._result(before, (begun, ended), cpu, (rss, child.rss()), share)

    def _result(
        self, before: dict, span: tuple[int, int], cpu: float, rss: tuple[float, float], stolen: float
    ) -> Result:
        load, case = self.load, self.case
        after, elapsed = load.reports[-1], (span[1] - span[0]) / NANOSECONDS
        arrived = {stamp: count for stamp, count in load.stamps.items() if span[0] <= stamp <= span[1]}
        received, topics = sum(arrived.values()), 1 if case.fleet else case.drones
        ticks = len(arrived)

        def grown(key: str) -> float:
            return float(after[key]) - float(before[key])

        return Result(
            drones=case.drones,
            rate=case.rate,
            fleet=case.fleet,
            seconds=elapsed,
            topics_in=topics,
            topics_out=topics,
            sent_per_s=load.sent / elapsed,
            in_lost=round(load.sent - grown('received')),
            out_per_s=received * topics / load.watched / elapsed,
            out_lost=ticks * load.watched - received,
            cpu_percent=100.0 * cpu / elapsed,
            ticks=ticks,
            missed=round(grown('ticks_missed')),
            overrun_steps=round(grown('overrun_steps')),
            off_time=grown('off_time') / max(grown('periods'), 1.0),
            period_error_p50=float(after['period_error_p50 [s]']),
            period_error_p99=float(after['period_error_p99 [s]']),
            latency_p50=load.latencies.percentile(50.0),
            latency_p99=load.latencies.percentile(99.0),
            tick_time_p50=float(after['step_time_p50 [s]']),
            tick_time_p99=float(after['step_time_p99 [s]']),
            rss_begin=rss[0],
            rss_end=rss[1],
            machine_late=self.machine_late,
            stolen=stolen,
        )


def _alive(child: Child) -> None:
    if child.ended():
        raise StartError(f'the collision node ended; it said:\n{child.tail()}')


def _world(case: Case, names: list[str]) -> str:
    drones = [
        {'name': name, 'model': 'api-1', 'position': position}
        for name, position in zip(names, home(case.drones).tolist(), strict=True)
    ]
    floor = {'name': 'floor', 'type': 'plane'}
    return yaml.safe_dump({'name': 'bench', 'dt': case.step, 'walls': [floor], 'drones': drones})


# the table

COLUMNS = (
    ('drones', lambda r: f'{r.drones}'),
    ('by', lambda r: 'fleet/*' if r.fleet else 'topics'),
    ('topics in/out', lambda r: f'{r.topics_in}/{r.topics_out}'),
    ('rate Hz', lambda r: f'{r.rate:g}'),
    ('in msg/s', lambda r: f'{r.sent_per_s:.0f}'),
    ('out msg/s', lambda r: f'{r.out_per_s:.0f}'),
    ('lost in/out', lambda r: f'{r.in_lost}/{r.out_lost}'),
    ('CPU %', lambda r: f'{r.cpu_percent:.0f}'),
    ('period error p50/p99 ms', lambda r: _pair(r.period_error_p50, r.period_error_p99)),
    ('latency p50/p99 ms', lambda r: _pair(r.latency_p50, r.latency_p99)),
    ('tick p50/p99 ms', lambda r: _pair(r.tick_time_p50, r.tick_time_p99)),
    ('missed', lambda r: f'{r.missed}'),
    ('overrun steps', lambda r: f'{r.overrun_steps}'),
    ('machine: late p99 ms, stolen %', lambda r: f'{1e3 * r.machine_late:.2f}, {100.0 * r.stolen:.0f}'),
    ('RSS MB', lambda r: f'{r.rss_begin:.0f} -> {r.rss_end:.1f}'),
)


def _pair(p50: float, p99: float) -> str:
    return f'{p50 * 1e3:.2f} / {p99 * 1e3:.2f}'


def table(results: list[Result]) -> str:
    """The figures as a Markdown table, one case a row."""
    rows = [[title for title, _ in COLUMNS], *([show(r) for _, show in COLUMNS] for r in results)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(COLUMNS))]
    lines = ['| ' + ' | '.join(c.rjust(w) for c, w in zip(row, widths, strict=True)) + ' |' for row in rows]
    return '\n'.join([lines[0], '|' + '|'.join('-' * (w + 1) + ':' for w in widths) + '|', *lines[1:]])


def verdicts(result: Result) -> list[tuple[str, bool]]:
    """What the project promises of such a run, and whether this one kept it."""
    latest = 1.0 / result.rate + LATENCY_BAR
    bars = [(f'processor at most {CPU_BAR:g} % of a core: {result.cpu_percent:.0f} %', result.cpu_percent <= CPU_BAR)]
    punctual = [
        (
            f'period p99 within {PERIOD_BAR * 1e3:g} ms of nominal: {100 * result.off_time:.2f} % of all are not',
            result.off_time <= 0.01,
        ),
        (
            f'pose in to corrected out p99 at most {1e3 * latest:g} ms: {1e3 * result.latency_p99:.2f} ms',
            result.latency_p99 <= latest,
        ),
    ]
    if result.drones <= PUNCTUAL:
        bars += punctual
    return bars


# the commands


def run(options: argparse.Namespace) -> int:
    """`hakoniwa-rigid bench node` or `bench soak`; returns the exit code."""
    if options.kind == 'soak':
        from .soak import run as soak
        return soak(options)
    if options.kind == 'page':
        from .page_load import run as page
        return page(options)
    cases = (Case(options.drones, options.rate, options.fleet, options.step),) if options.drones else CASES
    return _run(options, cases)


def _run(options: argparse.Namespace, cases: tuple[Case, ...]) -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    results = []
    try:
        with free_domain(options.domain) as domain:
            os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
            os.environ['ROS_DOMAIN_ID'] = str(domain)
            for case in cases:
                results.append(_one(case, options))
    except (StartError, OSError) as error:
        print(f'error: {error}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print('interrupted: the node has been stopped', file=sys.stderr)
        return INTERRUPTED
    finally:
        if results:
            print(table(results))
            for result in results:
                _report(result)
            if options.json:
                options.json.write_text(json.dumps([_plain(r) for r in results], indent=1) + '\n')
    return 0


def _one(case: Case, options: argparse.Namespace) -> Result:
    total = math.ceil(options.warmup) + math.ceil(options.seconds)
    with tempfile.TemporaryDirectory() as folder, tqdm(total=total, unit='s', desc=case.title, disable=None) as bar:
        bench = Bench(case, Path(folder), not options.best_effort, options.priority)
        try:
            return bench.measure(bench.start(), options.seconds, options.warmup, bar)
        finally:
            bench.close()


def _report(result: Result) -> None:
    bars = verdicts(result)
    print(f'\n{result.drones} drones at {result.rate:g} Hz:')
    for text, good in bars:
        print(f'  {"kept  " if good else "BROKEN"}  {text}')
    if result.drones <= PUNCTUAL and result.machine_late > PERIOD_BAR:
        late = f'{1e3 * result.machine_late:.2g} ms late at p99'
        print(f'  the machine itself wakes a loop that does nothing {late}: nothing here can be on time within the bar')


def _plain(result: Result) -> dict:
    """JSON knows no NaN."""
    return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in asdict(result).items()}
