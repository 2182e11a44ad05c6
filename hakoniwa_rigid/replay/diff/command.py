# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""``hakoniwa-rigid diff``: loads, compares, writes; everything it decides is its exit code."""
from __future__ import annotations

import argparse
import sys
from pathlib import Path

from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.replay.picture_file import make_picture
from hakoniwa_rigid.replay.report_file import write, write_reports

from . import html_report, report_files, text
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
    if options.actual is None and not options.write_golden:
        print('error: diff needs two runs, EXPECTED and ACTUAL; or EXPECTED and --write-golden FILE', file=sys.stderr)
        return INCOMPARABLE
    code = _write_golden(options) if options.write_golden else EQUAL
    return _diff(options) if options.actual is not None and code == EQUAL else code


def _write_golden(options: argparse.Namespace) -> int:
    error = options.golden_error
    try:
        golden = as_golden(load_run(options.expected, options.topic),
                           GoldenOptions(options.decimals, error, ROTATION_PER_METRE * error))
        write(options.write_golden, golden)
    except UNUSABLE as problem:
        print(f'error: {problem}', file=sys.stderr)
        return INCOMPARABLE
    print(f'golden file: {options.write_golden} ({len(golden.encode()) / 1000:.1f} kB)')
    return EQUAL


def _diff(options: argparse.Namespace) -> int:
    try:
        tolerances = exact() if options.exact else read_tolerances(options.tol) if options.tol else Tolerances()
        a, b = (load_run(path, options.topic) for path in (options.expected, options.actual))
        report = compare(a, b, tolerances)
    except UNUSABLE as problem:
        print(f'error: {problem}', file=sys.stderr)
        write_failure(str(options.expected), str(options.actual), str(problem), report=options.report,
                      junit=options.junit, json=options.json)
        return INCOMPARABLE
    print(text.as_text(report))
    written = write_verdict(report, a, b, report=options.report, junit=options.junit, json=options.json)
    drawn = _plot(report, a, b, options.plot) if options.plot else True
    # a verdict that CI cannot read is no success
    return report.exit_code or (EQUAL if written and drawn else INCOMPARABLE)


def write_verdict(verdict: Report, expected: Run, actual: Run, *, report: Path | None, junit: Path | None,
                  json: Path | None = None) -> bool:
    """Write the reports that are asked for; False where one could not be written."""
    return write_reports(((json, lambda: report_files.as_json(verdict)),
                          (junit, lambda: report_files.as_junit(verdict)),
                          (report, lambda: html_report.as_html(verdict, expected, actual))))


def write_failure(expected: str, actual: str, problem: str, *, report: Path | None, junit: Path | None,
                  json: Path | None = None) -> bool:
    """The same where nothing could be compared."""
    names = expected, actual, problem
    return write_reports(((json, lambda: report_files.failure_json(*names)),
                          (junit, lambda: report_files.failure_junit(*names)),
                          (report, lambda: html_report.failure_html(*names))))


def _plot(report: Report, a: Run, b: Run, path: Path) -> bool:
    def draw() -> bool:
        from . import picture
        return bool(picture.draw(report, a, b, path))
    return make_picture(draw, path)
