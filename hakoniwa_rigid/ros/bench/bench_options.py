# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The options of `bench`, apart from it so that the command line needs no ROS to explain them."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..demo.demo_options import positive

__all__ = ['node_arguments', 'page_arguments', 'soak_arguments']


def node_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `bench node`."""
    parser.add_argument('--drones', type=count, metavar='N', help='one case of N drones, not the three usual ones')
    parser.add_argument('--rate', type=positive, default=200.0, metavar='HZ', help='of poses and of the node (200)')
    parser.add_argument('--fleet', action='store_true', help='that case through fleet/* instead of topics per drone')
    parser.add_argument('--step', type=positive, default=0.001, metavar='S', help="the engine's step (0.001)")
    parser.add_argument('--seconds', type=positive, default=10.0, metavar='S', help='measured time of a case (10)')
    parser.add_argument('--warmup', type=positive, default=3.0, metavar='S', help='time before that (3)')
    _common(parser)


def soak_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `bench soak`."""
    parser.add_argument('--drones', type=count, default=50, metavar='N', help='(50)')
    parser.add_argument('--rate', type=positive, default=200.0, metavar='HZ', help='of poses and of the node (200)')
    parser.add_argument('--hours', type=positive, metavar='H', help='measured time')
    parser.add_argument('--seconds', type=positive, default=600.0, metavar='S', help='the same in seconds (600)')
    parser.add_argument('--sample', type=positive, default=10.0, metavar='S', help='time between two samples (10)')
    parser.add_argument('--loss', type=float, default=0.05, metavar='P', help='share of the poses that is lost (0.05)')
    parser.add_argument('--clients', type=int, default=4, metavar='N', help='of the page, which come and go (4)')
    parser.add_argument('-o', '--out', type=Path, metavar='DIR', help='where table, samples and picture go '
                        '(default: only the terminal)')
    parser.add_argument('--priority', type=int, default=0, metavar='P', help="the node's realtime_priority (0)")
    parser.add_argument('--domain', type=int, metavar='ID', help='ROS domain (default: one not in use here)')


def page_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `bench page`."""
    parser.add_argument('--pushes', type=int, default=200, metavar='N',
                        help='pushes that are timed in a browser (200); 0: none')
    parser.add_argument('--drones', type=count, default=50, metavar='N', help='drones meanwhile (50)')
    parser.add_argument('--rate', type=positive, default=62.5, metavar='HZ', help='of their states (62.5: a '
                        'whole number of steps of 1 ms, and a screen of 60 Hz has one for each picture)')
    parser.add_argument('--clients', type=count, default=5, metavar='N', help='that watch, the browser with them (5)')
    parser.add_argument('--watch', type=float, default=0.0, metavar='S', help='after the pushes, look at what the page '
                        'and the nodes hold for so long (0)')
    parser.add_argument('--chromium', metavar='FILE',
                        help='the browser (default: CHROMIUM, or the one that is installed)')
    parser.add_argument('--json', type=Path, metavar='FILE', help='write the figures of the pushes')
    parser.add_argument('--hostile', type=int, default=16, metavar='N', help='clients that flood the socket (16); '
                        '0: that is not measured')
    parser.add_argument('--seconds', type=positive, default=20.0, metavar='S', help='measured time of the floods (20)')
    parser.add_argument('--domain', type=int, metavar='ID', help='ROS domain (default: one not in use here)')


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument('--priority', type=int, default=0, metavar='P', help="the node's realtime_priority (0)")
    parser.add_argument('--best-effort', action='store_true', help='listen best effort; the default is reliable')
    parser.add_argument('--json', type=Path, metavar='FILE', help='write the figures')
    parser.add_argument('--domain', type=int, metavar='ID', help='ROS domain (default: one not in use here)')


def count(value: str) -> int:
    """A number of drones, for argparse."""
    number = int(value)
    if number < 1:
        raise argparse.ArgumentTypeError(f'must be at least 1, got {value}')
    return number
