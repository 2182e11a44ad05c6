# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The recordings that come with the package (config/hands), made anew: equal bytes wherever zlib is the same.

``python -m hakoniwa_rigid.sims.hands.recordings FOLDER`` writes them.
"""
from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import numpy as np

from hakoniwa_rigid.sims.hands import acts, moves
from hakoniwa_rigid.sims.hands.camera import camera
from hakoniwa_rigid.sims.hands.landmark_tracker import seen_by
from hakoniwa_rigid.sims.hands.landmarks import Landmarks, write_landmarks
from hakoniwa_rigid.sims.hands.motion import HandMotion, write_motion

PUSH_RATE = 30.0    # Hz, of the camera that sees the push
PIXEL = 0.5         # px, standard deviation of the landmarks it finds
TREMOR = 0.0005     # m, of its world landmarks


def push(seed: int = 5) -> list[Landmarks]:
    """An open right hand that pushes away from the default camera, as MediaPipe would see it."""
    view = camera()
    motion = moves.strike(target=(0.75, 0.0, 1.2), direction=(1.0, 0.0, 0.0), speed=0.8, reach=0.25, duration=3.0,
                          rate=PUSH_RATE)
    random, hands = np.random.default_rng(seed), []
    for hand in seen_by(view, [motion]):
        image = hand.image.copy()
        image[:, :2] += random.normal(size=(len(image), 2)) * PIXEL / (view.width, view.height)
        hands.append(hand._replace(score=0.97, image=image, world=hand.world + TREMOR * random.normal(size=(21, 3))))
    return hands


# what a headset sees of hands that hold, each at the rate of its file, and at the others in files of their own
ACTS: dict[str, tuple[Callable[..., HandMotion], float]] = {
    'grip_right': (acts.grip, 60.0),
    'throw_right': (acts.throw, 72.0),
    'catch_right': (acts.catch, 60.0),
    'clap_right': (acts.clap, 30.0),
    'clap_left': (partial(acts.clap, 'left'), 30.0),
    'hand_over_right': (acts.hand_over, 60.0),
    'hand_over_left': (partial(acts.hand_over, 'left'), 60.0),
}
RATES = (30.0, 60.0, 72.0)    # Hz, of headsets


def _files() -> dict[str, Callable[[], HandMotion]]:
    """grip_right.npz is at the rate of its act, grip_right_30hz.npz at 30 Hz."""
    return {f'{name}.npz' if rate == own else f'{name}_{rate:g}hz.npz': partial(make, rate=rate)
            for name, (make, own) in ACTS.items() for rate in RATES}


# right after the demo's strike, all happen in config/worlds/ar_room.yaml: a drone at (1, 0, 1.2)
RECORDINGS: dict[str, Callable[[], HandMotion | list[Landmarks]]] = {
    'strike_right.npz': moves.strike,
    'strike_left.npz': lambda: moves.strike(target=(1.0, 0.0, 1.2), direction=(0.0, -1.0, 0.0), speed=1.5, hand='left'),
    'punch_right.npz': moves.punch,
    'lift_right.npz': moves.lift,
    'wave_right.npz': moves.wave,
    'push_right.jsonl.gz': push,
    **_files(),
}


def write_all(folder: str | Path, recordings: Mapping[str, Callable] = RECORDINGS) -> list[Path]:
    """Write recordings into a folder; returns the files."""
    files = []
    for name, make in recordings.items():
        files.append(Path(folder) / name)
        made = make()
        if isinstance(made, HandMotion):
            write_motion(files[-1], made)
        else:
            write_landmarks(files[-1], made)
    return files


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write_all(sys.argv[1])
