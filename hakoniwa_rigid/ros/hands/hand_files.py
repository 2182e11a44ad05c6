# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Recorded hands in any of the formats: ``.npz``, landmarks (``.jsonl``, ``.csv``, also ``.gz``), or a bag.

``hakoniwa-rigid hand`` tells what is in a file and converts it; hand_bridge plays it. Needs no ROS.
"""
from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.paths import config_file
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.sims.hands.camera import camera
from hakoniwa_rigid.sims.hands.landmark_tracker import LandmarkTracker, recorded, seen_by
from hakoniwa_rigid.sims.hands.landmarks import is_landmark_file, read_landmarks, write_landmarks
from hakoniwa_rigid.sims.hands.motion import HandFileError, HandMotion, read_motion, write_motion

if TYPE_CHECKING:
    from hakoniwa_rigid.replay.bag.hand_bag import HandTrack

# ns; bags made of recordings begin here, because a stamp of 0 means none
BAG_START = NANOSECONDS
STANDARD = 'strike_right.npz'


def hand_file(name: str) -> Path:
    """A recording by path, or by the name of a shipped one; the demo's strike for no name."""
    path = Path(name or STANDARD)
    return path if name and (path.exists() or len(path.parts) > 1) else config_file('hands', path.name)


def read(path: Path, tracker: LandmarkTracker) -> list[HandMotion]:
    """The hands of a file; landmarks are placed by ``tracker``. HandFileError, BagError or OSError name the file."""
    if path.suffix == '.npz':
        return [read_motion(path)]
    if is_landmark_file(path):
        return _naming(path, lambda: recorded(read_landmarks(path), tracker))
    from hakoniwa_rigid.replay.bag.hand_bag import read_hands  # late: bags take kernels, and numba
    tracks = read_hands(path)
    begin = min(int(track.stamps_ns[0]) for track in tracks)
    return [_naming(path, lambda track=track: _motion(track, begin)) for track in tracks]


def write(path: Path, motions: list[HandMotion], tracker: LandmarkTracker) -> None:
    """Write hands into a file of the format that its name tells; for landmarks, as the tracker's camera sees them."""
    if path.suffix == '.npz':
        if len(motions) != 1:
            raise HandFileError(f'{path}: holds one hand; choose one of them with --hand: '
                                f'{", ".join(motion.hand for motion in motions)}')
        write_motion(path, motions[0])
    elif is_landmark_file(path):
        _naming(path, lambda: write_landmarks(path, seen_by(tracker.camera, motions, tracker.swap_labels)))
    else:
        from hakoniwa_rigid.replay.bag.hand_bag import write_hands
        write_hands(path, [_track(motion) for motion in motions])


def _naming(path: Path, work):
    """``work()``, its errors with the file's name in front."""
    try:
        return work()
    except HandFileError as error:
        raise error if str(error).startswith(str(path)) else HandFileError(f'{path}: {error}') from error


def _motion(track: HandTrack, begin: int) -> HandMotion:
    return HandMotion(track.hand, track.frame, track.names, (track.stamps_ns - begin) / NANOSECONDS,
                      track.positions.astype(np.float32), track.orientations.astype(np.float32), track.radii,
                      track.is_valid)


def _track(motion: HandMotion) -> HandTrack:
    from hakoniwa_rigid.replay.bag.hand_bag import HandTrack
    return HandTrack(motion.hand, motion.frame, motion.names, motion.stamps + BAG_START,
                     motion.positions.astype(float), motion.orientations.astype(float), motion.radii, motion.is_valid)


def as_text(motion: HandMotion) -> str:
    """What is in a recording, in one line."""
    gaps, missing = np.diff(motion.times), 1.0 - motion.is_valid.mean()
    rate = 1.0 / np.median(gaps)
    lost = f', {missing:.1%} of the joints missing' if missing else ''
    return (f'hand {motion.hand!r} in frame {motion.frame!r}: {len(motion.times)} samples of '
            f'{motion.positions.shape[1]} joints in {motion.duration:.3f} s, {rate:.1f} Hz, longest gap '
            f'{gaps.max():.3f} s{lost}')


def run(options: argparse.Namespace) -> int:
    """``hakoniwa-rigid hand FILE [-o OUT]``: 0 and what is in it, or 1 and what is wrong."""
    try:
        view = camera(options.width, options.height, options.fov, fx=options.fx, fy=options.fy, cx=options.cx,
                      cy=options.cy, pose=options.camera_pose, mirrored=options.mirrored)
        tracker = LandmarkTracker(view, options.frame, options.palm_length, options.min_score, options.swap_labels)
        motions = read(hand_file(options.file), tracker)
        if options.hand:
            names = [motion.hand for motion in motions]
            motions = [motion for motion in motions if motion.hand == options.hand]
            if not motions:
                raise HandFileError(f'{options.file}: --hand {options.hand}: it has {", ".join(names)}')
        for motion in motions:
            print(as_text(motion))
        if options.out:
            write(options.out, motions, tracker)
            print(f'written: {options.out}')
    except (HandFileError, BagError, OSError, ValueError) as error:
        print(f'error: {error}', file=sys.stderr)
        return 1
    return 0
