# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The options of ``hakoniwa-rigid page``; apart, so that ``--help`` is quick."""
from __future__ import annotations

import argparse
from pathlib import Path

DESCRIPTION = ('A folder that plays a recording in a browser, from any web host or the disk: no server code, nothing '
               'is fetched from elsewhere.  A recording of the node, and a bag without corrected states, is replayed '
               'first.  Exit code: 0, 2 for what cannot be shown.')
# frames per s that are kept, and their bounds
RATE, LEAST_RATE, MOST_RATE = 60.0, 1.0, 240.0


def arguments(command: argparse.ArgumentParser) -> None:
    """Of ``hakoniwa-rigid page``."""
    command.add_argument('bag', type=Path, metavar='RECORDING', help='a rosbag2 folder, or a file .mcap or .db3')
    command.add_argument('-o', '--out', type=Path, required=True, metavar='DIR', help='the folder; it must be new or '
                         'empty')
    command.add_argument('--world', metavar='WORLD', help='a world file, or the name of one here or of a shipped one; '
                         'default: the one that the recording carries')
    command.add_argument('--params', type=Path, metavar='FILE', help='parameters of the collision node (YAML), where '
                         'the bag is replayed')
    command.add_argument('--model', default='api-1', metavar='NAME', help='model of drones that are in no world; '
                         'default api-1')
    command.add_argument('--from', type=float, dest='first', metavar='S', help='s since the beginning of the recording')
    command.add_argument('--to', type=float, dest='last', metavar='S', help='the same')
    command.add_argument('--rate', type=float, default=RATE, metavar='HZ', help='frames per s that are kept; default '
                         f'{RATE:g}')
    command.add_argument('--namespace', default='/', metavar='NS', help='of relative topic names; default /')
    command.add_argument('--map', action='append', default=[], metavar='TOPIC:=OTHER', help='take OTHER of the bag for '
                         'TOPIC of the node; may be given again')
    command.add_argument('--title', metavar='TEXT', help='what the page is called; default: the name of RECORDING')
