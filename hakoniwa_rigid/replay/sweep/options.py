# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The options of ``hakoniwa-rigid sweep``.  Imports nothing that takes time."""
from __future__ import annotations

import argparse
from pathlib import Path

DESCRIPTION = (
    'bags through a world with every combination of a grid of values: contacts and impulses of each run, one row of a '
    'table each.  A run that fails is a row with its cause.  Ctrl-C writes the table with what is finished, the rest '
    "as 'not run'; if nothing is finished, nothing is written, and a table that was there stays.  Exit code: 0, 1 "
    'where a run failed or was not run, 2 for what cannot be swept or written.')
GRID = ('NAME=LOW:HIGH:COUNT or NAME=A,B,C; once for each axis.  NAME: restitution, friction, rolling_friction or '
        'torsional_friction (of all materials), the same of one as material.<name>.friction, dt, scene.<key> of the '
        'world file, or a parameter of the collision node (rate, world, drones.<name>.authority)')


def arguments(command: argparse.ArgumentParser) -> None:
    """Add them."""
    command.add_argument('bags', nargs='+', metavar='BAG', help='a rosbag2 folder, or a file .mcap or .db3')
    command.add_argument('--grid', action='append', required=True, metavar='AXIS', help=GRID)
    command.add_argument('-o', '--out', type=Path, required=True, metavar='TABLE', help='the table: FILE.parquet '
                         '(needs pyarrow) or FILE.csv')
    command.add_argument('--world', metavar='WORLD', help='a world file, or the name of one here or of a shipped one; '
                         'outranks the parameter world')
    command.add_argument('--params', metavar='FILE', help='parameters of the collision node (YAML)')
    where = command.add_mutually_exclusive_group()
    where.add_argument('--workers', type=int, metavar='N', help='processes; default: one for each core')
    where.add_argument('--scheduler', metavar='ADDRESS', help='run on the machines of this Dask scheduler '
                       '(tcp://host:8786), which see the same files under the same paths')
    command.add_argument('--report', type=Path, metavar='HTML', help='one HTML page: heat maps over pairs of axes, and '
                         'a table of the runs that a click sorts')
    command.add_argument('--plot', type=Path, metavar='PNG', help='contacts and largest impulse against each axis')
