# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""``hakoniwa-rigid sweep``: runs, writes, tells; everything it decides is its exit code."""
from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tqdm import tqdm

from hakoniwa_rigid.engine import EngineError
from hakoniwa_rigid.replay.picture_file import make_picture
from hakoniwa_rigid.replay.report_file import write_reports
from hakoniwa_rigid.replay.sweep import html_report, table, text
from hakoniwa_rigid.replay.sweep.grid import parse
from hakoniwa_rigid.replay.sweep.run import Request, Swept, sweep

GOOD, FAILED, UNUSABLE = range(3)


def run(options: argparse.Namespace) -> int:
    """The exit code; what happened is printed."""
    try:
        table.check_target(options.out)
        request = Request(tuple(options.bags), tuple(map(parse, options.grid)), options.world, options.params,
                          options.workers, options.scheduler)
        swept = _with_bar(request)
    except (ValueError, OSError, EngineError) as error:
        print(f'error: {error}', file=sys.stderr)
        return UNUSABLE
    except KeyboardInterrupt:   # before the first run
        print(f'\nerror: interrupted: {options.out} not written', file=sys.stderr)
        return UNUSABLE
    if not swept.finished:
        print(f'\nerror: interrupted before a run was finished: {options.out} not written', file=sys.stderr)
        return UNUSABLE
    try:
        table.write(swept, options.out)
    except OSError as error:
        print(f'error: {options.out}: not written: {error}', file=sys.stderr)
        return UNUSABLE
    print(text.as_text(swept))
    print(f'\ntable: {options.out}')
    drawn = _picture(swept, options.plot) if options.plot else True
    drawn &= write_reports([(options.report, lambda: html_report.as_html(swept))])
    code = GOOD if len(swept.good) == len(swept.rows) else FAILED
    return code if drawn else UNUSABLE


def _with_bar(request: Request) -> Swept:
    # disable=None: only where a person watches
    with tqdm(unit='run', desc='sweep', disable=None) as bar:
        def progress(n: int) -> None:
            if bar.total is None:
                bar.reset(total=n)
            else:
                bar.update(n)
        return sweep(request, progress)


def _picture(swept: Swept, path: Path) -> bool:
    def draw() -> None:
        from hakoniwa_rigid.replay.sweep import picture
        picture.draw(swept, path)
    return make_picture(draw, path)
