# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The options of ``hakoniwa-rigid diff``.  Imports nothing that takes time."""
from __future__ import annotations

import argparse
from pathlib import Path

DESCRIPTION = ('compare the contacts and corrected trajectories of two runs: bags, or golden files (.yaml).  Exit '
               'code: 0 equal, 1 different, 2 cannot be compared.')


def arguments(command: argparse.ArgumentParser) -> None:
    """Add them."""
    command.add_argument('expected', type=Path, metavar='EXPECTED', help='bag folder, .mcap, .db3, or golden .yaml')
    command.add_argument('actual', type=Path, metavar='ACTUAL', nargs='?', help='the same; not needed with '
                         '--write-golden')
    how = command.add_mutually_exclusive_group()
    how.add_argument('--tol', type=Path, metavar='FILE', help='tolerances (YAML); see docs/golden.md')
    how.add_argument('--exact', action='store_true', help='every message the same, byte for byte')
    command.add_argument('--topic', action='append', default=[], metavar='NAME', help='take states also from this '
                         'topic (Odometry or FleetState); may be given again')
    command.add_argument('--report', type=Path, metavar='HTML', help='write the report as one HTML page, pictures '
                         'included')
    command.add_argument('--json', type=Path, metavar='FILE', help='write the report as JSON')
    command.add_argument('--junit', type=Path, metavar='FILE', help='write the report as JUnit XML')
    command.add_argument('--plot', type=Path, metavar='PNG', help='draw what is around the first difference')
    golden = command.add_argument_group('golden files')
    golden.add_argument('--write-golden', type=Path, metavar='FILE', help='write EXPECTED as a golden file')
    golden.add_argument('--golden-error', type=positive, default=0.01, metavar='M', help='how far an omitted pose may '
                        'be from the interpolated one, m, and turned, rad: twice that; default 0.01')
    golden.add_argument('--decimals', type=int, choices=range(1, 13), default=6, metavar='N', help='decimals of '
                        'numbers in it, 1 to 12; default 6')


def positive(text: str) -> float:
    """A finite number above 0."""
    value = float(text)
    if not 0.0 < value < 1e6:
        raise argparse.ArgumentTypeError(f'must be > 0, got {text}')
    return value
