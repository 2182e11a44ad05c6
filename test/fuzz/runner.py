# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Runs cases in worker processes under a watchdog, and reports: `python test/fuzz`."""
from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

from tqdm import tqdm

from .report import Report, repeat
from .worker import work

REGRESSIONS = Path(__file__).resolve().parents[1] / 'regressions'
KINDS = ('scene', 'messages', 'worlds', 'meshes', 'hands')
# share of the time that each kind gets
SHARES = dict(scene=0.55, messages=0.3, worlds=0.07, meshes=0.04, hands=0.04)
# s of processor time, or of waiting, without a sign of life: a case hangs.  A worker compiles before its first
HANGS, SILENT, STARTS = 10.0, 90.0, 400.0
LOOKS = 0.1
# s for making a failure small
SHRINKING = 20.0
TICKS_PER_SECOND = os.sysconf('SC_CLK_TCK')


class Job:
    """One worker process: `pulse` is (case under way or -1, signs of life)."""

    def __init__(self, context, kind: str, options, first: int) -> None:
        self.kind, self.options, self.context = kind, options, context
        self.begin(first)

    def begin(self, first: int) -> None:
        """Go on from a case."""
        self.reader, writer = self.context.Pipe(duplex=False)
        self.pulse = self.context.Array('q', [-1, 0], lock=False)
        o = self.options
        self.process = self.context.Process(target=work, daemon=True, args=(
            self.kind, o.seed, first, o.stride, o.gentle, self.pulse, writer))
        self.process.start()
        writer.close()
        self.seen, self.cpu, self.wall = (-2, -1), 0.0, time.monotonic()

    def hung(self) -> bool:
        """Whether it shows no sign of life for too long."""
        pulse, now = tuple(self.pulse), time.monotonic()
        with suppress(OSError, IndexError):
            cpu = processor_time(self.process.pid)
            if pulse != self.seen:
                self.seen, self.cpu, self.wall = pulse, cpu, now
            if pulse[0] < 0:
                return now - self.wall > STARTS
            return cpu - self.cpu > HANGS or now - self.wall > SILENT
        return False

    def stop(self) -> None:
        if self.process.is_alive():
            self.process.kill()
        self.process.join()


def processor_time(pid: int) -> float:
    """s that a process has used."""
    fields = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND


class Runner:
    """Runs one kind after another; `report` has what came of it."""

    def __init__(self, options) -> None:
        self.options, self.report = options, Report()
        self.context = multiprocessing.get_context('spawn')

    def run(self, kind: str, seconds: float, most: int, inputs: int) -> None:
        """Cases of a kind until the time, the cases or the inputs are used up."""
        o = self.options
        jobs = [Job(self.context, kind, o, o.case + k) for k in range(o.workers)]
        tally = self.report.of(kind)
        with tqdm(total=seconds, desc=f'{kind:8}', bar_format='{l_bar}{bar}| {elapsed} {postfix}',
                  disable=o.quiet) as bar:
            begin = None
            while jobs:
                time.sleep(LOOKS)
                if begin is None and any(job.pulse[0] >= 0 for job in jobs):
                    begin = time.monotonic()    # compiling does not count
                spent = time.monotonic() - begin if begin else 0.0
                bar.n = min(spent, seconds)
                bar.set_postfix_str(f'{tally.cases} cases, {tally.inputs} inputs, {len(tally.failures)} failures')
                for job in list(jobs):
                    if not self._look(job, tally):
                        jobs.remove(job)
                if spent > seconds or tally.cases >= most or tally.inputs >= inputs:
                    for job in jobs:
                        self._drain(job, tally)
                        job.stop()
                    jobs = []
        tally.wall = time.monotonic() - (begin or time.monotonic())

    def _drain(self, job: Job, tally) -> None:
        with suppress(EOFError):
            while job.reader.poll():
                tally.add(job.reader.recv(), job.process.pid)

    def _look(self, job: Job, tally) -> bool:
        """Take what a worker says; what died or hangs begins anew behind its case.  False: it cannot go on."""
        self._drain(job, tally)
        hung = job.hung()
        if job.process.is_alive() and not hung:
            return True
        number = job.pulse[0]
        job.stop()
        if number < 0:
            tally.fail(-1, 'worker does not start', f'exit code {job.process.exitcode}')
            return False
        code = job.process.exitcode
        tally.fail(number, 'hangs' if hung else f'died of {signal.Signals(-code).name if code < 0 else code}')
        job.begin(number + self.options.stride)
        return True


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog='python test/fuzz', description='Random inputs, judged from outside.')
    parser.add_argument('--seconds', type=float, default=600.0, help='for all kinds together (default 600)')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only', choices=KINDS, action='append', help='this kind only; may be given again')
    parser.add_argument('--cases', type=int, default=sys.maxsize, help='end a kind after so many cases')
    parser.add_argument('--inputs', type=float, default=sys.maxsize, help='end a kind after so many inputs')
    parser.add_argument('--case', type=int, default=0, help='the first case; with --cases 1: that one')
    parser.add_argument('--workers', type=int, default=2)
    parser.add_argument('--gentle', action='store_true', help='nothing that spins fast, no absurd types and stamps')
    parser.add_argument('--replay', type=Path, help='judge a case of a file')
    parser.add_argument('--keep', type=Path, default=REGRESSIONS, help='where failures are written, made small')
    parser.add_argument('--no-keep', action='store_true', help='write none')
    parser.add_argument('--quiet', action='store_true', help='no progress')
    options = parser.parse_args(arguments)
    options.workers = max(1, min(options.workers, options.cases))
    options.stride = options.workers
    return options


def main(arguments: list[str] | None = None) -> int:
    """0 where nothing failed."""
    options = parse(arguments)
    if options.replay:
        return replay(options.replay)
    sys.stdout.reconfigure(line_buffering=True)
    runner, kinds = Runner(options), options.only or list(KINDS)
    print(f'seed {options.seed}, {options.workers} workers, {", ".join(kinds)}')
    for kind in kinds:
        share = SHARES[kind] / sum(SHARES[k] for k in kinds)
        runner.run(kind, options.seconds * share, options.cases, int(options.inputs))
    print(runner.report.text(options))
    if not options.no_keep:
        keep(runner.report, options)
    return int(runner.report.failed)


def keep(report: Report, options) -> None:
    """Failures, one of each name, made small and written."""
    from . import apart, cases, shrink
    from .worker import warm
    found = [(kind, name, numbers[0]) for kind, tally in report.tallies.items()
             for name, numbers in tally.failures.items() if numbers[0] >= 0]
    if found:
        warm(tuple(dict.fromkeys(kind for kind, *_ in found)))
    for kind, name, number in found:
        case = cases.make(kind, options.seed, number, options.gentle)
        same = apart.fate(case)[0]
        if same:
            case = shrink.smaller(case, lambda trial, name=same: apart.fate(trial)[0] == name, SHRINKING)
        case = {'failure': same or name, 'from': repeat(kind, options.seed, number, options.gentle), **case}
        path = options.keep / f'{kind}-{re.sub("[^a-z0-9]+", "-", (same or name).lower()).strip("-")}.json'
        options.keep.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(case, indent=1 if kind == 'worlds' else None) + '\n')
        print(f'{"written" if same else "written, though it passes alone"}: {path}')


def replay(path: Path) -> int:
    """Judge a file's case in a process of its own."""
    from . import apart
    from .worker import warm
    case = json.loads(path.read_text())
    warm((case['kind'],))
    name, text = apart.fate(case)
    print(f'{path}: {name or "passes"}\n{text}'.strip())
    return int(bool(name))


