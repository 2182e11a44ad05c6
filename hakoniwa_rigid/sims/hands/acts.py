# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Hands that do something with a drone, as a headset sees them: they pinch it, carry it, tilt it, let it go, throw it,
catch it, clap round it, pass it on.  What the recordings of the package show (recordings.py), each at any rate.

Unless said otherwise the drone is that of ar_room: it hovers at (1, 0, 1.2), half of it is 0.25 m.
"""
from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.scene.hands.hand_layouts import FALLBACK_RADII
from hakoniwa_rigid.sims.hands.figure import PALM_CENTRE, PINCH, WEBXR_NAMES, attitude, hand_pose, pinch_pose
from hakoniwa_rigid.sims.hands.motion import HandMotion
from hakoniwa_rigid.sims.hands.moves import UP, eased, sampled

Pose = Callable[[float], tuple[np.ndarray, np.ndarray]]

DRONE = np.array([1.0, 0.0, 1.2])
HALF = 0.25                  # m, from its middle to its side
BESIDE = 0.025               # m, from its side to where a pinch closes: near enough to take hold, and nothing touches
WIDE, TIGHT = 0.08, 0.012    # m between the tips of a pinch that is open, closed
CLOSED = np.radians(55.0)    # curl of every phalanx joint round a drone
AHEAD = np.array([1.0, 0.0, 0.0])
NOISE = 0.001                # m, standard deviation of every coordinate of a headset's joints
LOST = 0.02                  # share of its samples that never come
GRID = 2.0 ** -11            # m, to which its positions are rounded: small files


def posed(hand: str, times: np.ndarray, points, attitudes: Rotation, poses: list, at: np.ndarray) -> HandMotion:
    """A hand whose posture changes: its point ``at`` (axes of a right hand, m) is at points (T,3), its axes in the
    world are attitudes (T), its joints and their axes are poses (T) of figure.py, at times (T,) s."""
    centre = at * (1.0, -1.0 if 'left' in hand else 1.0, 1.0)
    positions = np.stack([point + turn.apply(joints - centre)
                          for point, turn, (joints, _) in zip(points, attitudes, poses, strict=True)])
    orientations = np.stack([(turn * Rotation.from_quat(axes)).as_quat()
                             for turn, (_, axes) in zip(attitudes, poses, strict=True)])
    return HandMotion(hand=hand, frame='world', names=WEBXR_NAMES, times=times,
                      positions=positions.astype(np.float32), orientations=orientations.astype(np.float32),
                      radii=FALLBACK_RADII.astype(np.float32), is_valid=np.ones(positions.shape[:2], dtype=bool))


def by_headset(motion: HandMotion, seed: int | None, noise: float = NOISE, lost: float = LOST) -> HandMotion:
    """What a headset makes of a motion: every joint noisy by itself, some samples lost, but not the first and the last.
    Without a seed, the motion as it is.

    Its delay is not in a recording: times are those of capture, and who plays it says how late it comes."""
    if seed is None:
        return motion
    random = np.random.default_rng(seed)
    noisy = motion.positions + noise * random.normal(size=motion.positions.shape)
    kept = random.random(len(motion.times)) >= lost
    kept[[0, -1]] = True
    return HandMotion(motion.hand, motion.frame, motion.names, motion.times[kept],
                      (np.round(noisy[kept] / GRID) * GRID).astype(np.float32), motion.orientations[kept], motion.radii,
                      motion.is_valid[kept])


def _pinching(times: np.ndarray, at, apertures, side: str = 'right') -> list:
    """Poses of a pinch whose aperture goes evenly through (s, m)."""
    return [pinch_pose(a, side) for a in np.interp(times, at, apertures)]


def _closing(times: np.ndarray, at, shares, side: str = 'right') -> list:
    """Poses of a hand closed by shares of CLOSED, which go evenly through (s, share)."""
    return [hand_pose(CLOSED * share, side) for share in np.interp(times, at, shares)]


def _along(times: np.ndarray, start, *legs) -> np.ndarray:
    """Points (T,3) from ``start`` by legs (way (3,) m, begin, end s), each from rest to rest."""
    return start + sum(np.outer(eased(times, begin, end), way) for way, begin, end in legs)


def grip(rate: float = 60.0, seed: int | None = 11) -> HandMotion:
    """A pinch closes beside the drone at 1.2 s, carries it 1 m to the left (2 to 3.8 s), tilts it by 90 degrees about
    the way it came, and lets it go at 5.8 s; 6.4 s."""
    times = sampled(6.4, rate)
    edge = DRONE - (HALF + BESIDE) * AHEAD
    points = _along(times, edge - 0.3 * AHEAD, (0.3 * AHEAD, 0.2, 1.0), ((0.0, 1.0, 0.0), 2.0, 3.8))
    turns = Rotation.from_rotvec(np.outer(0.5 * np.pi * eased(times, 4.0, 5.2), AHEAD))
    poses = _pinching(times, (1.1, 1.3, 5.7, 5.9), (WIDE, TIGHT, TIGHT, WIDE))
    return by_headset(posed('right', times, points, turns * attitude(UP, -AHEAD), poses, PINCH), seed)


def hand_over(hand: str = 'right', rate: float = 60.0, seed: int | None = 15) -> HandMotion:
    """One of two hands: the right one pinches the drone at 1.2 s and carries it 0.4 m to the left (1.8 to 2.8 s), where
    the left one pinches its left side at 3.4 s; the right one lets go at 4 s and goes, the left one carries on by 0.3 m
    (4.5 to 5.3 s) and lets go at 5.8 s; 6.4 s."""
    left, times, aside = 'left' in hand, sampled(6.4, rate), np.array([0.0, 1.0, 0.0])
    if left:
        out, legs, at = aside, ((0.3 * aside, 4.5, 5.3),), (3.3, 3.5, 5.7, 5.9)
        edge = DRONE + (0.4 + HALF + BESIDE) * aside
        legs += (-0.3 * out, 2.4, 3.2),
    else:
        out, legs, at = -AHEAD, ((0.4 * aside, 1.8, 2.8), (-0.3 * AHEAD, 4.3, 5.1)), (1.1, 1.3, 3.9, 4.1)
        edge = DRONE - (HALF + BESIDE) * AHEAD
        legs += (0.3 * AHEAD, 0.2, 1.0),
    points = _along(times, edge + 0.3 * out, *legs)
    flat = Rotation.from_quat(np.tile(attitude(UP, out).as_quat(), (len(times), 1)))
    poses = _pinching(times, at, (WIDE, TIGHT, TIGHT, WIDE), 'left' if left else 'right')
    return by_headset(posed(hand, times, points, flat, poses, PINCH), None if seed is None else seed + left)


def throw(rate: float = 72.0, speed: float = 2.0, seed: int | None = 12) -> HandMotion:
    """A pinch takes the drone at 1.2 s, draws it back by 0.4 m, goes ahead at ``speed`` m/s and opens at 3.3 s, 0.15 s
    after it has reached its speed; 4 s."""
    times = sampled(4.0, rate)
    edge = DRONE - (HALF + BESIDE) * AHEAD
    # m/s, m: faster over 0.5 s, even for 0.4 s, slower over 0.4 s
    gone = speed * (_ramp(times, 2.65, 0.5) - _ramp(times, 3.55, 0.4))
    points = _along(times, edge - 0.3 * AHEAD, (0.3 * AHEAD, 0.2, 1.0), (-0.4 * AHEAD, 1.6, 2.5))
    poses = _pinching(times, (1.1, 1.3, 3.3, 3.4), (WIDE, TIGHT, TIGHT, WIDE))
    flat = Rotation.from_quat(np.tile(attitude(UP, -AHEAD).as_quat(), (len(times), 1)))
    return by_headset(posed('right', times, points + np.outer(gone, AHEAD), flat, poses, PINCH), seed)


def _ramp(times: np.ndarray, begin: float, seconds: float) -> np.ndarray:
    """Integral (T,) s of a raised cosine from 0 to 1 that begins at ``begin`` s and lasts ``seconds``."""
    u = np.clip(times - begin, 0.0, seconds)
    return 0.5 * (u - seconds / np.pi * np.sin(np.pi * u / seconds)) + np.maximum(times - begin - seconds, 0.0)


def catch(place=(0.4, 0.0, 1.2), rate: float = 60.0, seed: int | None = 13) -> HandMotion:
    """A palm that waits for what comes along -x: its fingers close from 1.9 s on round what touches it at 2 s, and open
    at 4 s; 4.5 s."""
    times = sampled(4.5, rate)
    points = _along(times, np.array(place) + (-0.1, 0.0, 0.0), ((0.1, 0.0, 0.0), 0.2, 1.0))
    poses = _closing(times, (1.9, 2.1, 4.0, 4.15), (0.1, 1.0, 1.0, 0.1))
    flat = Rotation.from_quat(np.tile(attitude(UP, -AHEAD).as_quat(), (len(times), 1)))
    return by_headset(posed('right', times, points, flat, poses, PALM_CENTRE), seed)


def clap(hand: str = 'right', rate: float = 30.0, speed: float = 1.5, seed: int | None = 14) -> HandMotion:
    """One of two hands that meet round the drone, fingers ahead, at most ``speed`` m/s, 3 cm inside its sides, and part
    again; 3 s."""
    left = 'left' in hand
    times, side = sampled(3.0, rate), np.array([0.0, 1.0 if left else -1.0, 0.0])
    # raised cosines there and back: it meets the drone at half of its largest speed
    length = 0.5
    half = np.pi * length / (2.0 * speed)
    swing = eased(times, 1.0, 1.0 + half) - eased(times, 1.8, 1.8 + 2.0 * half)
    points = DRONE + np.outer(HALF - 0.03 + 0.016 + length * (1.0 - swing), side)
    poses = _closing(times, (0.0, 1.0), (0.0, 0.0), 'left' if left else 'right')
    flat = Rotation.from_quat(np.tile(attitude(AHEAD, side).as_quat(), (len(times), 1)))
    own = None if seed is None else seed + left
    return by_headset(posed(hand, times, points, flat, poses, PALM_CENTRE), own)
