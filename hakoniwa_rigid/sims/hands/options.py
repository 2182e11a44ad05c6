# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The options of ``hakoniwa-rigid hand``; apart, so that ``--help`` is quick."""
from __future__ import annotations

import argparse
from pathlib import Path


def arguments(command: argparse.ArgumentParser) -> None:
    """Files, and the camera for landmarks: the same names, defaults and meaning as the parameters of hand_bridge."""
    command.add_argument('file', metavar='FILE', help='a recording .npz, landmarks .jsonl or .csv (also .gz), a bag '
                         'with HandJoints, or the name of a shipped one')
    command.add_argument('-o', '--out', type=Path, metavar='OUT', help='write it in the format that the name tells: '
                         '.npz, .jsonl, .csv, .gz behind these, .mcap or a folder for a bag')
    command.add_argument('--hand', default='', metavar='NAME', help='only this hand')
    view = command.add_argument_group('the camera that landmarks are seen by')
    view.add_argument('--width', type=int, default=640, metavar='PX')
    view.add_argument('--height', type=int, default=480, metavar='PX')
    view.add_argument('--fov', type=float, default=60.0, metavar='DEG', help='horizontal field of view')
    for name in ('fx', 'fy', 'cx', 'cy'):
        view.add_argument(f'--{name}', type=float, default=0.0, metavar='PX', help='of a calibration; 0: from --fov '
                          'and the size')
    view.add_argument('--camera-pose', type=float, nargs=7, default=(0.0, 0.0, 1.2, -0.5, 0.5, -0.5, 0.5),
                      metavar=('X', 'Y', 'Z', 'QX', 'QY', 'QZ', 'QW'), help='of the optical axes (x right, y down, z '
                      'ahead) in the frame; default: 1.2 m up, looking along x')
    view.add_argument('--frame', default='world', metavar='ID')
    view.add_argument('--mirrored', action='store_true', help='the images are flipped left to right')
    view.add_argument('--swap-labels', action='store_true', help='Left and Right are the wrong way round')
    view.add_argument('--palm-length', type=float, default=0.095, metavar='M', help='wrist to middle knuckle: the '
                      'measure of depth; 0 takes world landmarks at their own size')
    view.add_argument('--min-score', type=float, default=0.5, metavar='S')
