"""Recorded hand motion and its file.

The format is one ``.npz`` (numpy, ``allow_pickle=False``) with these arrays, T samples of J joints:

=============== =================== ==============================================================================
key             shape, type         meaning
=============== =================== ==============================================================================
``format``      () str              ``'hakoniwa_rigid.hand_motion/1'``
``hand``        () str              name of the hand, for example ``'right'``
``frame``       () str              frame of the poses, for example ``'world'`` (x forward, y left, z up)
``names``       (J,) or (0,) str    joint names; WebXR's 25 for a WebXR recording; none: the order follows J
``times``       (T,) float64        capture time of each sample, s, rising from 0 or later; a gap is a dropout
``positions``   (T,J,3) float32     joint positions in ``frame``, m; finite where the joint is valid
``orientations`` (T,J,4) float32    joint orientations in ``frame``, unit quaternions xyzw; axes as WebXR's:
                                    -z along the bone towards the tip, y out of the back of the hand
``radii``       (J,) or (0,) float32  joint radii, m; none: the reader's fallback
``is_valid``    (T,J) bool          false where the tracker lost the joint
=============== =================== ==============================================================================
"""
from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

FORMAT = 'hakoniwa_rigid.hand_motion/1'
ARRAYS = {'names': 'U', 'times': 'f', 'positions': 'f', 'orientations': 'f', 'radii': 'f', 'is_valid': 'b'}
NANOSECONDS = 1_000_000_000


class HandFileError(ValueError):
    """A recorded hand that cannot be read or written; names the file, the key and what is wrong."""


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
        t, j = len(self.times), self.positions.shape[1] if self.positions.ndim == 3 else -1
        shapes = {'positions': (t, j, 3), 'orientations': (t, j, 4), 'is_valid': (t, j), 'radii': (j,), 'names': (j,)}
        for key, shape in shapes.items():
            found = np.shape(getattr(self, key))
            if found != shape and not (key in ('radii', 'names') and found == (0,)):
                raise HandFileError(f'{key}: must have shape {shape}, got {found}')
        if t < 2 or not self.times[0] >= 0.0 or not (np.diff(self.times) > 0.0).all():
            raise HandFileError('times: must hold at least two samples and rise from 0 or later')
        for key in ('positions', 'orientations'):
            bad = self.is_valid & ~np.isfinite(getattr(self, key)).all(axis=2)
            if bad.any():
                sample, joint = np.argwhere(bad)[0].tolist()
                raise HandFileError(f'{key}[{sample}, {joint}]: must be finite where is_valid says so, '
                                    f'got {getattr(self, key)[sample, joint].tolist()}')
        if not (self.radii > 0.0).all():
            raise HandFileError(f'radii: must be > 0, got {self.radii.tolist()}')

    @property
    def duration(self) -> float:
        """Time of the last sample, s."""
        return float(self.times[-1])

    @property
    def stamps(self) -> np.ndarray:
        """``times`` (T,) in whole ns."""
        return np.round(self.times * NANOSECONDS).astype(np.int64)

    def index_at(self, t: float) -> int:
        """The newest sample captured at or before ``t`` s; the first before the start, the last after the end."""
        return int(np.clip(np.searchsorted(self.times, t + 1e-9, side='right') - 1, 0, len(self.times) - 1))


def write_motion(path: str | Path, motion: HandMotion) -> None:
    """Write a recording; equal motions give equal bytes."""
    with open(path, 'wb') as file:
        np.savez_compressed(
            file, format=np.array(FORMAT), hand=np.array(motion.hand), frame=np.array(motion.frame),
            names=np.array(motion.names, dtype=str), times=motion.times.astype(np.float64),
            positions=motion.positions.astype(np.float32), orientations=motion.orientations.astype(np.float32),
            radii=motion.radii.astype(np.float32), is_valid=motion.is_valid.astype(bool))


def read_motion(path: str | Path) -> HandMotion:
    """Read a recording; HandFileError names the file and the key that is wrong, FileNotFoundError a missing file."""
    try:
        with np.load(path, allow_pickle=False) as data:
            if 'format' not in data or str(data['format']) != FORMAT:
                raise HandFileError(f'format: must be {FORMAT!r}')
            arrays = {key: _array(data, key, kind) for key, kind in ARRAYS.items()}
            names = tuple(map(str, arrays.pop('names')))
            return HandMotion(hand=str(_array(data, 'hand', 'U')), frame=str(_array(data, 'frame', 'U')), names=names,
                              **arrays)
    except FileNotFoundError:
        raise
    except (OSError, ValueError, TypeError, AttributeError, EOFError, zipfile.BadZipFile) as error:
        raise HandFileError(f'{path}: {error}') from error


def _array(data, key: str, kind: str) -> np.ndarray:
    """An array of the file, of a NumPy kind (empty lists of names have none)."""
    if key not in data:
        raise HandFileError(f'{key}: missing')
    array = data[key]
    if array.dtype.kind != kind and array.size:
        raise HandFileError(f'{key}: must be of kind {kind!r}, got {array.dtype}')
    return array
