# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The recordings that come with the package (config/hands), made anew: equal bytes wherever zlib is the same.

``python -m hakoniwa_rigid.sims.hands.recordings FOLDER`` writes them.
"""
from __future__ import annotations

import sys
from collections.abc import Callable
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


# right after the demo's strike, all happen in config/worlds/ar_room.yaml: a drone at (1, 0, 1.2)
RECORDINGS: dict[str, Callable[[], HandMotion | list[Landmarks]]] = {
    'strike_right.npz': moves.strike,
    'strike_left.npz': lambda: moves.strike(target=(1.0, 0.0, 1.2), direction=(0.0, -1.0, 0.0), speed=1.5, hand='left'),
    'punch_right.npz': moves.punch,
    'lift_right.npz': moves.lift,
    'wave_right.npz': moves.wave,
    'push_right.jsonl.gz': push,
    'grip_right.npz': acts.grip,
    'throw_right.npz': acts.throw,
    'catch_right.npz': acts.catch,
    'clap_right.npz': acts.clap,
    'clap_left.npz': lambda: acts.clap('left'),
}


def write_all(folder: str | Path) -> list[Path]:
    """Write every recording into a folder; returns the files."""
    files = []
    for name, make in RECORDINGS.items():
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
