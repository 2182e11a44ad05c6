# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The options of the demo, apart from it so that the command line needs no ROS to explain them."""
from __future__ import annotations

import argparse
import math
from pathlib import Path

from hakoniwa_rigid.brief import brief_path
from hakoniwa_rigid.files import is_file

AR_WORLD = 'ar_room'


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the demo."""
    parser.add_argument('--duration', type=positive, default=30.0, metavar='S', help='length of the run (default 30)')
    parser.add_argument('--until-complete', action='store_true', help='end as soon as all four kinds of contact have '
                        'occurred, with --duration as the longest')
    parser.add_argument('--out', type=Path, default=Path('out/demo'), metavar='DIR',
                        help='where bag, summary, picture and logs go (default out/demo)')
    parser.add_argument('--rate', type=positive, default=200.0, metavar='HZ',
                        help='rate of corrected states (default 200)')
    parser.add_argument('--no-corrections', action='store_true', help='the simulator gets no corrections')
    parser.add_argument('--ar', action='store_true', help='drones hover, hands come from the browser page (headset or '
                        'mouse), nothing is recorded; until Ctrl-C')
    parser.add_argument('--world', metavar='WORLD', help='with --ar: a YAML file, or the name of one here or of a '
                        f'shipped one (default {AR_WORLD}; drone_billiards is a game)')
    parser.add_argument('--lan', nargs='?', const='', metavar='ADDRESS', help='the page for a headset or any machine '
                        'in the network, by https with a token, its address also as a QR code; ADDRESS: one of several')
    parser.add_argument('--page-port', type=port, default=8765, metavar='N',
                        help='port of the page (default 8765, or a free one where that is taken)')
    parser.add_argument('--page-params', type=file, metavar='FILE', help='parameters of the viewer (as '
                        'config/viewer.yaml): for an address that other machines reach, with token and certificate')
    parser.add_argument('--no-page', action='store_true', help='without the browser page')
    parser.add_argument('--domain', type=int, metavar='ID',
                        help='ROS domain (default: one that no other run here uses)')


def file(value: str) -> Path:
    """A file that is there, for argparse."""
    if not is_file(Path(value)):
        raise argparse.ArgumentTypeError(f'no such file: {brief_path(value)}')
    return Path(value)


def port(value: str) -> int:
    """A TCP port, for argparse."""
    number = int(value)
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError(f'must be 0 to 65535, got {value}')
    return number


def positive(value: str) -> float:
    """A number above zero, for argparse."""
    number = float(value)
    if not 0.0 < number < math.inf:
        raise argparse.ArgumentTypeError(f'must be > 0, got {value}')
    return number
