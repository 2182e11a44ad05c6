# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""``hakoniwa-rigid replay``: replays, tells, compares; everything it decides is its exit code."""
from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from tqdm import tqdm

from hakoniwa_rigid.engine import EngineError
from hakoniwa_rigid.replay.diff import text
from hakoniwa_rigid.replay.diff.command import write_failure, write_verdict
from hakoniwa_rigid.replay.diff.compare import compare
from hakoniwa_rigid.replay.diff.load import load_run
from hakoniwa_rigid.replay.diff.records import CompareError, Run
from hakoniwa_rigid.replay.diff.tolerance_file import read_tolerances
from hakoniwa_rigid.replay.diff.tolerances import Tolerances
from hakoniwa_rigid.replay.picture_file import make_picture
from hakoniwa_rigid.replay.rerun import summary
from hakoniwa_rigid.replay.rerun.outcome import Options, Result
from hakoniwa_rigid.replay.rerun.run import replay

GOOD, DIFFERENT, UNUSABLE = range(3)


def run(options: argparse.Namespace) -> int:
    """The exit code; what happened is printed."""
    if options.golden is None and (options.out is None or options.report or options.junit):
        print('error: replay needs -o OUT, or --golden FILE; --report and --junit need --golden', file=sys.stderr)
        return UNUSABLE
    if options.out is not None:
        return _run(options, options.out, str(options.out))
    with TemporaryDirectory(prefix='hakoniwa_replay_') as folder:
        return _run(options, Path(folder) / 'replayed', f'replay of {options.bag}')


def _run(options: argparse.Namespace, out: Path, name: str) -> int:
    """The same, with the bag in `out`, which the reports call `name`."""
    asked = Options(options.bag, out, options.world, options.params, options.rate, options.first, options.last,
                    options.namespace, tuple(options.map), not options.no_input and options.out is not None,
                    options.states, by_stamps=options.by_stamps)
    try:
        # what is wrong with the rest is found before the work, not after it
        tolerances = read_tolerances(options.tol) if options.tol else None
        golden = load_run(options.golden) if options.golden else None
        for path in (options.picture, options.report, options.junit):
            if path and not path.parent.is_dir():
                raise ValueError(f'{path}: there is no folder {path.parent} to write it in')
        with tqdm(unit='s', desc=str(options.bag), disable=None, bar_format='{desc}: {n:.1f} s in {elapsed}') as bar:
            result = replay(asked, lambda at: bar.update(at - bar.n))
    except (ValueError, CompareError, OSError, EngineError) as error:
        print(f'error: {error}', file=sys.stderr)
        _write_failure(options, name, error)
        return UNUSABLE
    except KeyboardInterrupt:
        print(f'\nerror: interrupted: {name} not written', file=sys.stderr)
        return UNUSABLE
    print(summary.as_text(result))
    if options.out is not None:
        print(f'bag: {out}')
    drawn = _picture(result, options.picture) if options.picture else True
    code = _compare(options, golden, out, name, tolerances) if golden else GOOD
    return code if drawn else code or UNUSABLE


def _picture(result: Result, path: Path) -> bool:
    def draw() -> None:
        from hakoniwa_rigid.replay.rerun import picture
        picture.draw(result, path)
    return make_picture(draw, path)


def _compare(options: argparse.Namespace, golden: Run, out: Path, name: str, tolerances: Tolerances | None) -> int:
    try:
        actual = replace(load_run(out), name=name)
        verdict = compare(golden, actual, tolerances)
    except (ValueError, CompareError, OSError) as error:
        print(f'error: {error}', file=sys.stderr)
        _write_failure(options, name, error)
        return UNUSABLE
    print(text.as_text(verdict))
    written = write_verdict(verdict, golden, actual, report=options.report, junit=options.junit)
    # a verdict that CI cannot read is no success
    return verdict.exit_code or (GOOD if written else UNUSABLE)


def _write_failure(options: argparse.Namespace, name: str, error: Exception) -> None:
    write_failure(str(options.golden), name, str(error), report=options.report, junit=options.junit)
