"""Recorded hand motion: the file format, and the generator that makes the demo's strike from a parametric hand.

The format is one ``.npz`` (numpy, ``allow_pickle=False``) with these arrays, T samples of J joints:

=============== =================== ==============================================================================
key             shape, type         meaning
=============== =================== ==============================================================================
``format``      () str              ``'hakoniwa_rigid.hand_motion/1'``
``hand``        () str              name of the hand, for example ``'right'``
``frame``       () str              frame of the poses, for example ``'world'`` (x forward, y left, z up)
``names``       (J,) str            joint names; WebXR's 25 for a WebXR recording
``times``       (T,) float64        capture time of each sample since the first, s, rising from 0
``positions``   (T,J,3) float32     joint positions in ``frame``, m
``orientations`` (T,J,4) float32    joint orientations in ``frame``, unit quaternions xyzw; axes as WebXR's:
                                    -z along the bone towards the tip, y out of the back of the hand
``radii``       (J,) float32        joint radii, m
``is_valid``    (T,J) bool          false where the tracker lost the joint
=============== =================== ==============================================================================

Run ``python -m hakoniwa_rigid.sims.hand_motion FILE`` to write the demo's strike again.
"""
from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

FORMAT = 'hakoniwa_rigid.hand_motion/1'
RATE_HZ = 60.0   # of the generated recording; Quest browsers deliver 30 to 60
FINGERS = ('thumb', 'index-finger', 'middle-finger', 'ring-finger', 'pinky-finger')
# WebXR Hand Input order: the wrist, four thumb joints, then five joints for each finger
WEBXR_NAMES = ('wrist', *(f'{finger}-{bone}' for finger in FINGERS for bone in
                          ('metacarpal', 'phalanx-proximal', 'phalanx-intermediate', 'phalanx-distal', 'tip')
                          if (finger, bone) != ('thumb', 'phalanx-intermediate')))
# fallback radii of a grown-up's hand, mm, the same order (shared/interfaces.md, measured with a Quest)
WEBXR_RADII_MM = (21.5, 19.4, 12.3, 9.8, 8.8, 21.2, 10.3, 8.5, 7.6, 6.6, 21.2, 11.2, 8.0, 7.6, 6.6,
                  19.1, 9.9, 7.6, 7.2, 6.2, 18.1, 8.5, 6.8, 6.4, 5.4)
# per finger: angle from the hand's forward axis (deg, + towards the thumb), then the joints' distances from the wrist
# (m)
FINGER_RAYS = ((38.0, (0.035, 0.075, 0.105, 0.128)),
               (9.0, (0.035, 0.095, 0.138, 0.162, 0.182)),
               (0.0, (0.035, 0.095, 0.142, 0.170, 0.192)),
               (-9.0, (0.033, 0.089, 0.132, 0.158, 0.178)),
               (-19.0, (0.031, 0.081, 0.114, 0.134, 0.152)))


@dataclass(frozen=True)
class HandMotion:
    """A hand recording; the fields are the arrays of the file format (module docstring)."""

    hand: str
    frame: str
    names: tuple[str, ...]
    times: np.ndarray
    positions: np.ndarray
    orientations: np.ndarray
    radii: np.ndarray
    is_valid: np.ndarray

    def __post_init__(self) -> None:
        t, j = len(self.times), len(self.names)
        shapes = {'positions': (t, j, 3), 'orientations': (t, j, 4), 'radii': (j,), 'is_valid': (t, j)}
        for name, shape in shapes.items():
            if getattr(self, name).shape != shape:
                raise ValueError(f'{name}: must have shape {shape}, got {getattr(self, name).shape}')
        if t < 2 or self.times[0] != 0.0 or not (np.diff(self.times) > 0.0).all():
            raise ValueError('times: must hold at least two samples and rise from 0')
        if not all(np.isfinite(a).all() for a in (self.positions, self.orientations, self.radii)):
            raise ValueError('positions, orientations, radii: must be finite')
        if not (self.radii > 0.0).all():
            raise ValueError('radii: must be > 0')

    @property
    def duration(self) -> float:
        """Time from the first to the last sample, s."""
        return float(self.times[-1])

    def index_at(self, t: float) -> int:
        """The newest sample captured at or before ``t`` s; the first before the start, the last after the end."""
        return int(np.clip(np.searchsorted(self.times, t + 1e-9, side='right') - 1, 0, len(self.times) - 1))


def write_motion(path: str | Path, motion: HandMotion) -> None:
    """Write a recording; equal motions give equal bytes."""
    with open(path, 'wb') as file:
        np.savez_compressed(
            file, format=np.array(FORMAT), hand=np.array(motion.hand), frame=np.array(motion.frame),
            names=np.array(motion.names), times=motion.times.astype(np.float64),
            positions=motion.positions.astype(np.float32), orientations=motion.orientations.astype(np.float32),
            radii=motion.radii.astype(np.float32), is_valid=motion.is_valid.astype(bool))


def read_motion(path: str | Path) -> HandMotion:
    """Read a recording; ValueError names the file and what is wrong with it, FileNotFoundError a missing file."""
    try:
        with np.load(path, allow_pickle=False) as data:
            if 'format' not in data or str(data['format']) != FORMAT:
                raise ValueError(f'format: must be {FORMAT!r}')
            arrays = {key: data[key] for key in ('times', 'positions', 'orientations', 'radii', 'is_valid')}
            return HandMotion(hand=str(data['hand']), frame=str(data['frame']),
                              names=tuple(map(str, data['names'])), **arrays)
    except FileNotFoundError:
        raise
    except (OSError, KeyError, ValueError) as error:
        raise ValueError(f'{path}: {error}') from error


def hand_pose(curl: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """A right hand at the origin: positions (25,3) m and orientations (25,4) xyzw, x to the fingertips, y to the
    thumb, z up out of the back of the hand. ``curl`` rad bends every phalanx joint towards the palm."""
    positions, rotations = [np.zeros(3)], [webxr_axes(0.0, 0.0)]
    for angle_deg, reaches in FINGER_RAYS:
        angle = np.radians(angle_deg)
        side = np.array([np.cos(angle), np.sin(angle), 0.0])
        point, bend, last = np.zeros(3), 0.0, 0.0
        for k, reach in enumerate(reaches):
            # the metacarpal lies in the palm; every joint after the knuckle bends
            bend += curl if k >= 2 else 0.0
            point = point + (reach - last) * (np.cos(bend) * side - np.sin(bend) * np.array([0.0, 0.0, 1.0]))
            last = reach
            positions.append(point)
            rotations.append(webxr_axes(angle, bend))
    return np.array(positions), np.array(rotations)


def webxr_axes(angle: float, bend: float) -> np.ndarray:
    """Quaternion xyzw of a joint whose -z points along its bone and y out of the back of the hand."""
    # columns: the joint's x (right), y (up) and z (backwards) in the hand's axes
    flat = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    return (Rotation.from_euler('ZY', [angle, bend]) * Rotation.from_matrix(flat)).as_quat()


def strike(target=(3.0, -2.5, 1.3), direction=(0.0, 1.0, 0.0), speed: float = 1.2, reach: float = 0.9,
           duration: float = 4.0, hand: str = 'right', rate: float = RATE_HZ) -> HandMotion:
    """A hand that waits ``reach`` m short of ``target`` (m, world), pushes a spot on its open palm through the target
    and back.

    ``speed`` is the largest speed (m/s) of the stroke; ``direction`` (world) is where the palm faces and goes. The
    stroke is a raised cosine along ``direction``: the hand starts and ends at rest at the same place, so it can be
    looped.
    """
    along = np.asarray(direction, dtype=float) / np.linalg.norm(direction)
    times = np.arange(int(round(duration * rate)) + 1) / rate
    joints, rotations = hand_pose(curl=np.radians(12.0))
    # the palm (-z of the hand) faces along, the fingers point up
    up = np.array([0.0, 0.0, 1.0])
    to_world = np.column_stack([up, np.cross(-along, up), -along])
    attitude = Rotation.from_matrix(to_world)
    palm_centre = np.array([0.09, 0.0, 0.0])
    # one stroke out and back; its amplitude follows from the largest speed of a raised cosine, v = pi * length /
    # duration
    stroke_time = np.pi * reach * 1.25 / speed
    if stroke_time > duration:
        raise ValueError(f'strike: a stroke of {reach * 1.25:.2f} m at {speed} m/s takes {stroke_time:.2f} s, '
                         f'longer than duration {duration}')
    phase = np.clip((times - 0.5 * (duration - stroke_time)) / stroke_time, 0.0, 1.0)
    travel = reach * 1.25 * 0.5 * (1.0 - np.cos(2.0 * np.pi * phase)) - reach
    origins = np.asarray(target, dtype=float) + travel[:, None] * along
    positions = origins[:, None, :] + attitude.apply(joints - palm_centre)[None, :, :]
    orientations = np.broadcast_to((attitude * Rotation.from_quat(rotations)).as_quat(), (len(times), len(joints), 4))
    return HandMotion(hand=hand, frame='world', names=WEBXR_NAMES, times=times,
                      positions=positions.astype(np.float32), orientations=orientations.astype(np.float32),
                      radii=(np.array(WEBXR_RADII_MM) * 1e-3).astype(np.float32),
                      is_valid=np.ones((len(times), len(joints)), dtype=bool))


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write_motion(sys.argv[1], strike())
