"""``hakoniwa-rigid replay``: replays, tells, compares; everything it decides is its exit code."""
from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tqdm import tqdm

from hakoniwa_rigid.engine import EngineError
from hakoniwa_rigid.replay import summary
from hakoniwa_rigid.replay.diff import text
from hakoniwa_rigid.replay.diff.compare import compare
from hakoniwa_rigid.replay.diff.load import load_run
from hakoniwa_rigid.replay.diff.records import CompareError
from hakoniwa_rigid.replay.diff.tolerance_file import read_tolerances
from hakoniwa_rigid.replay.outcome import Options, Result
from hakoniwa_rigid.replay.picture_file import make_picture
from hakoniwa_rigid.replay.run import replay

GOOD, DIFFERENT, UNUSABLE = range(3)


def run(options: argparse.Namespace, no_picture: str) -> int:
    """The exit code; what happened is printed.  no_picture: what to say without matplotlib."""
    asked = Options(options.bag, options.out, options.world, options.params, options.rate, options.first, options.last,
                    options.namespace, tuple(options.map), not options.no_input, options.states)
    try:
        # wrong tolerances are found before the work, not after it
        tolerances = read_tolerances(options.tol) if options.tol else None
        with tqdm(unit='s', desc=str(options.bag), disable=None, bar_format='{desc}: {n:.1f} s in {elapsed}') as bar:
            result = replay(asked, lambda at: bar.update(at - bar.n))
    except (ValueError, OSError, EngineError) as error:
        print(f'error: {error}', file=sys.stderr)
        return UNUSABLE
    except KeyboardInterrupt:
        print(f'\nerror: interrupted: {options.out} not written', file=sys.stderr)
        return UNUSABLE
    print(summary.as_text(result))
    print(f'bag: {options.out}')
    drawn = _picture(result, options.picture, no_picture) if options.picture else True
    code = _compare(options, tolerances) if options.golden else GOOD
    return code if drawn else code or UNUSABLE


def _picture(result: Result, path: Path, no_picture: str) -> bool:
    def draw() -> None:
        from hakoniwa_rigid.replay import picture
        picture.draw(result, path)
    return make_picture(draw, path, no_picture)


def _compare(options: argparse.Namespace, tolerances) -> int:
    try:
        report = compare(load_run(options.golden), load_run(options.out), tolerances)
    except (ValueError, CompareError, OSError) as error:
        print(f'error: {error}', file=sys.stderr)
        return UNUSABLE
    print(text.as_text(report))
    return report.exit_code
