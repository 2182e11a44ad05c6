# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""``hakoniwa-rigid diff``: loads, compares, writes; everything it decides is its exit code."""
from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.replay.picture_file import make_picture

from . import report_files, text
from .compare import compare
from .golden import GoldenOptions, as_golden
from .load import load_run
from .records import CompareError, Run
from .report import EQUAL, INCOMPARABLE, Report
from .tolerance_file import read_tolerances
from .tolerances import Tolerances, exact

UNUSABLE = (BagError, CompareError, OSError)
ROTATION_PER_METRE = 2.0    # rad/m, of --golden-error: 0.01 m goes with 0.02 rad


def run(options: argparse.Namespace) -> int:
    """The exit code; what it is about is printed."""
    if options.b is None and not options.write_golden:
        print('error: diff needs two runs, A and B; or A and --write-golden FILE', file=sys.stderr)
        return INCOMPARABLE
    code = _write_golden(options) if options.write_golden else EQUAL
    return _diff(options) if options.b is not None and code == EQUAL else code


def _write_golden(options: argparse.Namespace) -> int:
    error = options.golden_error
    try:
        golden = as_golden(load_run(options.a, options.topic),
                           GoldenOptions(options.decimals, error, ROTATION_PER_METRE * error))
        report_files.write(options.write_golden, golden)
    except UNUSABLE as problem:
        print(f'error: {problem}', file=sys.stderr)
        return INCOMPARABLE
    print(f'golden file: {options.write_golden} ({len(golden.encode()) / 1000:.1f} kB)')
    return EQUAL


def _diff(options: argparse.Namespace) -> int:
    try:
        tolerances = exact() if options.exact else read_tolerances(options.tol) if options.tol else Tolerances()
        a, b = (load_run(path, options.topic) for path in (options.a, options.b))
        report = compare(a, b, tolerances)
    except UNUSABLE as problem:
        print(f'error: {problem}', file=sys.stderr)
        names = str(options.a), str(options.b), str(problem)
        _files(options, lambda: report_files.failure_json(*names), lambda: report_files.failure_junit(*names))
        return INCOMPARABLE
    print(text.as_text(report))
    written = _files(options, lambda: report_files.as_json(report), lambda: report_files.as_junit(report))
    drawn = _plot(report, a, b, options.plot) if options.plot else True
    # a verdict that CI cannot read is no success
    return report.exit_code or (EQUAL if written and drawn else INCOMPARABLE)


def _files(options: argparse.Namespace, json: Callable[[], str], junit: Callable[[], str]) -> bool:
    """Write the reports that are asked for; False where one could not be written."""
    fine = True
    for path, content in ((options.json, json), (options.junit, junit)):
        try:
            if path:
                report_files.write(path, content())
        except OSError as error:
            print(f'error: {path}: report not written: {error}', file=sys.stderr)
            fine = False
    return fine


def _plot(report: Report, a: Run, b: Run, path: Path) -> bool:
    def draw() -> bool:
        from . import picture
        return bool(picture.draw(report, a, b, path))
    return make_picture(draw, path)
