# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Motions of the parametric hand: what the recordings that come with the package show (recordings.py)."""
from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.scene.hands.hand_layouts import FALLBACK_RADII
from hakoniwa_rigid.sims.hands.figure import PALM_CENTRE, WEBXR_NAMES, attitude, hand_pose
from hakoniwa_rigid.sims.hands.motion import HandMotion

RATE_HZ = 60.0   # Quest browsers deliver 30 to 60
UP = np.array([0.0, 0.0, 1.0])
FIST = np.radians(75.0)    # curl of every phalanx joint
RELAXED = np.radians(12.0)


def moved(hand: str, times, centres, attitudes: Rotation, curl: float = RELAXED) -> HandMotion:
    """A stiff hand carried along: centres of the palm (T,3) m and attitudes (T), world, at times (T,) s.

    A hand whose name holds ``left`` is a left one.
    """
    joints, rotations = hand_pose(curl, 'left' if 'left' in hand else 'right')
    arms = joints - PALM_CENTRE
    positions = np.asarray(centres)[:, None, :] + np.stack([attitudes.apply(arm) for arm in arms], axis=1)
    orientations = np.stack([(attitudes * Rotation.from_quat(q)).as_quat() for q in rotations], axis=1)
    shape = positions.shape[:2]
    return HandMotion(hand=hand, frame='world', names=WEBXR_NAMES, times=np.asarray(times),
                      positions=positions.astype(np.float32), orientations=orientations.astype(np.float32),
                      radii=FALLBACK_RADII.astype(np.float32), is_valid=np.ones(shape, dtype=bool))


def sampled(duration: float, rate: float = RATE_HZ) -> np.ndarray:
    """Sample times from 0 to ``duration`` s."""
    return np.arange(int(round(duration * rate)) + 1) / rate


def there_and_back(times: np.ndarray, length: float, speed: float) -> np.ndarray:
    """Travel (T,) m out to ``length`` and back in the middle of ``times``: a raised cosine with largest speed
    ``speed`` m/s, at rest before and after, so that it can be looped."""
    # v = pi length / duration
    stroke, duration = np.pi * length / speed, times[-1]
    if stroke > duration:
        raise ValueError(f'a stroke of {length:.2f} m at {speed} m/s takes {stroke:.2f} s, '
                         f'longer than duration {duration:g}')
    phase = np.clip((times - 0.5 * (duration - stroke)) / stroke, 0.0, 1.0)
    return length * 0.5 * (1.0 - np.cos(2.0 * np.pi * phase))


def eased(times: np.ndarray, begin: float, end: float) -> np.ndarray:
    """0 before ``begin`` s, 1 behind ``end``, with rest at both."""
    return 0.5 * (1.0 - np.cos(np.pi * np.clip((times - begin) / (end - begin), 0.0, 1.0)))


def strike(target=(3.0, -2.5, 1.3), direction=(0.0, 1.0, 0.0), speed: float = 1.2, reach: float = 0.9,
           duration: float = 4.0, hand: str = 'right', rate: float = RATE_HZ) -> HandMotion:
    """A hand that waits ``reach`` m short of ``target`` (m, world), pushes the middle of its open palm through it and
    comes back.

    ``speed`` is the largest speed (m/s) of the stroke; ``direction`` (world) is where the palm faces and goes; the
    fingers point up.
    """
    along = np.asarray(direction, dtype=float) / np.linalg.norm(direction)
    times = sampled(duration, rate)
    travel = there_and_back(times, 1.25 * reach, speed) - reach
    return moved(hand, times, np.asarray(target, dtype=float) + travel[:, None] * along,
                 _still(attitude(UP, -along), times))


def punch(target=(0.7, 0.0, 1.2), direction=(1.0, 0.0, 0.0), speed: float = 3.0, length: float = 0.7,
          duration: float = 2.0, hand: str = 'right', rate: float = RATE_HZ) -> HandMotion:
    """A fist, knuckles first and palm down, at its fastest (``speed`` m/s) where it reaches ``target``: the middle of
    a stroke of ``length`` m."""
    along = np.asarray(direction, dtype=float) / np.linalg.norm(direction)
    times = sampled(duration, rate)
    travel = there_and_back(times, length, speed) - 0.5 * length
    return moved(hand, times, np.asarray(target, dtype=float) + travel[:, None] * along,
                 _still(attitude(along, UP), times), FIST)


def lift(place=(1.0, 0.0, 0.9), height: float = 0.5, tilt: float = np.radians(25.0), forward=(1.0, 0.0, 0.0),
         hand: str = 'right', rate: float = RATE_HZ) -> HandMotion:
    """A palm, face up, that goes ``height`` m straight up from ``place``, tilts by ``tilt`` rad towards its fingers,
    straightens and sinks back; 6 s."""
    times = sampled(6.0, rate)
    raised = eased(times, 0.5, 1.75) - eased(times, 4.75, 5.75)
    tilted = eased(times, 2.25, 3.0) - eased(times, 3.75, 4.5)
    flat = attitude(forward, -UP)
    # about the hand's own y: the fingers sink where its back faces down
    steps = Rotation.from_rotvec(np.outer(-tilt * tilted, (0.0, 1.0, 0.0)))
    centres = np.asarray(place, dtype=float) + height * raised[:, None] * UP
    return moved(hand, times, centres, flat * steps, 0.0)


def wave(place=(0.6, 0.3, 1.3), swing: float = np.radians(35.0), rate: float = 30.0, seed: int = 3,
         hand: str = 'right') -> HandMotion:
    """A waving hand as a poor tracker sees it: 4 s at ``rate`` Hz, gone for 0.3 s and for 0.8 s, with fingers missing
    now and then."""
    times = sampled(4.0, rate)
    upright = attitude(UP, (-1.0, 0.0, 0.0))
    turns = Rotation.from_rotvec(np.outer(swing * np.sin(2.0 * np.pi * times), (1.0, 0.0, 0.0)))
    forearm = 0.25    # m, from the elbow, about which it swings
    centres = np.asarray(place, dtype=float) + turns.apply(forearm * UP)
    motion = moved(hand, times, centres, turns * upright)
    is_valid = motion.is_valid.copy()
    random = np.random.default_rng(seed)
    for first in range(0, len(times), 10):
        # a finger is hidden for a third of a second
        finger = random.integers(0, 10)
        if 1 <= finger <= 4:
            is_valid[first:first + 10, 5 * finger + 1:5 * finger + 5] = False
    kept = ~(((times > 1.2) & (times < 1.5)) | ((times > 2.4) & (times < 3.2)))
    return HandMotion(motion.hand, motion.frame, motion.names, motion.times[kept], motion.positions[kept],
                      motion.orientations[kept], motion.radii, is_valid[kept])


def _still(one: Rotation, times: np.ndarray) -> Rotation:
    """The same attitude at every time."""
    return Rotation.from_quat(np.tile(one.as_quat(), (len(times), 1)))
