# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""``hakoniwa-rigid replay``: replays, tells, compares; everything it decides is its exit code."""
from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tqdm import tqdm

from hakoniwa_rigid.engine import EngineError
from hakoniwa_rigid.replay.diff import text
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
    asked = Options(options.bag, options.out, options.world, options.params, options.rate, options.first, options.last,
                    options.namespace, tuple(options.map), not options.no_input, options.states,
                    by_stamps=options.by_stamps)
    try:
        # what is wrong with the rest is found before the work, not after it
        tolerances = read_tolerances(options.tol) if options.tol else None
        golden = load_run(options.golden) if options.golden else None
        if options.picture and not options.picture.parent.is_dir():
            raise ValueError(f'{options.picture}: there is no folder {options.picture.parent} to draw it in')
        with tqdm(unit='s', desc=str(options.bag), disable=None, bar_format='{desc}: {n:.1f} s in {elapsed}') as bar:
            result = replay(asked, lambda at: bar.update(at - bar.n))
    except (ValueError, CompareError, OSError, EngineError) as error:
        print(f'error: {error}', file=sys.stderr)
        return UNUSABLE
    except KeyboardInterrupt:
        print(f'\nerror: interrupted: {options.out} not written', file=sys.stderr)
        return UNUSABLE
    print(summary.as_text(result))
    print(f'bag: {options.out}')
    drawn = _picture(result, options.picture) if options.picture else True
    code = _compare(golden, options.out, tolerances) if golden else GOOD
    return code if drawn else code or UNUSABLE


def _picture(result: Result, path: Path) -> bool:
    def draw() -> None:
        from hakoniwa_rigid.replay.rerun import picture
        picture.draw(result, path)
    return make_picture(draw, path)


def _compare(golden: Run, out: Path, tolerances: Tolerances | None) -> int:
    try:
        report = compare(golden, load_run(out), tolerances)
    except (ValueError, CompareError, OSError) as error:
        print(f'error: {error}', file=sys.stderr)
        return UNUSABLE
    print(text.as_text(report))
    return report.exit_code
