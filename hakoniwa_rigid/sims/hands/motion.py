# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
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

import math
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hakoniwa_rigid.brief import brief, brief_path, cut
from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.files import size_of

FORMAT = 'hakoniwa_rigid.hand_motion/1'
ARRAYS = {'names': 'U', 'times': 'f', 'positions': 'f', 'orientations': 'f', 'radii': 'f', 'is_valid': 'b'}
# bytes of a file, and of all its arrays unpacked: ten hours of a hand of 25 joints at 60 Hz
MOST_BYTES, MOST_UNPACKED = 512 << 20, 2 << 30
# what an array may be packed by: deflate cannot do better
MOST_PACKED = 1032
# bytes of the list of members, and of what may stand behind it
MOST_LISTED, MOST_TAIL = 1 << 16, (1 << 16) + 22
# letters of what a reader says of a broken file
MOST_WORDS = 160


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
            raise HandFileError(f'radii: must be > 0, got {brief(self.radii.tolist())}')

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
    where = brief_path(path)
    try:
        _check_size(path)
        with np.load(path, allow_pickle=False) as data:
            if not isinstance(data, np.lib.npyio.NpzFile):
                raise HandFileError(f'must be a .npz archive of arrays, format {FORMAT!r}')
            if 'format' not in data or str(data['format']) != FORMAT:
                raise HandFileError(f'format: must be {FORMAT!r}')
            arrays = {key: _array(data, key, kind) for key, kind in ARRAYS.items()}
            names = tuple(map(str, arrays.pop('names')))
            return HandMotion(hand=str(_array(data, 'hand', 'U')), frame=str(_array(data, 'frame', 'U')), names=names,
                              **arrays)
    except FileNotFoundError:
        raise
    except HandFileError as error:
        raise HandFileError(f'{where}: {error}') from error
    except OSError as error:
        raise HandFileError(f'{where}: {error.strerror or error}') from error
    except Exception as error:  # whatever a broken archive does to the readers: zip, zlib, tokens, structures, keys
        raise HandFileError(f'{where}: cannot be read, it may be cut short or damaged: {type(error).__name__}: '
                            f'{cut(str(error), MOST_WORDS)}') from error


def _check_size(path: str | Path) -> None:
    """The sizes that an archive promises; HandFileError, OSError."""
    size = size_of(path, MOST_BYTES)
    if zipfile.is_zipfile(path):
        _check_directory(path, size)
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
        if methods := {member.compress_type for member in members} - {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise HandFileError(f'is packed by method {methods.pop()} of zip: stored or deflated are read')
        promised = sum(member.file_size for member in members)
        if promised > min(MOST_UNPACKED, MOST_PACKED * size):
            raise HandFileError(f'is too large: it promises {promised} bytes in {size}, at most {MOST_UNPACKED} are '
                                'unpacked')


def _check_directory(path: str | Path, size: int) -> None:
    """The list of members, which zipfile reads as a whole: HandFileError where it is longer than that of an archive of
    arrays can be."""
    with open(path, 'rb') as file:
        file.seek(max(0, size - MOST_TAIL))
        tail = file.read()
    end = tail.rfind(b'PK\5\6')
    listed = int.from_bytes(tail[end + 12:end + 16], 'little')
    if end < 0 or listed > MOST_LISTED or b'PK\6\7' in tail:
        raise HandFileError('is no archive of NumPy: its list of members is too long')


def _array(data, key: str, kind: str) -> np.ndarray:
    """An array of the file, of a NumPy kind (empty lists of names have none)."""
    if key not in data:
        raise HandFileError(f'{key}: missing')
    _check_promise(data, key)
    array = data[key]
    if array.dtype.kind != kind and array.size:
        raise HandFileError(f'{key}: must be of kind {kind!r}, got {array.dtype}')
    return array


def _check_promise(data, key: str) -> None:
    """The head of an array asks for no more memory than the archive has for it."""
    name = key if key in data.zip.namelist() else f'{key}.npy'
    with data.zip.open(name) as member:
        version = np.lib.format.read_magic(member)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(member)
    if math.prod(shape) * dtype.itemsize > data.zip.getinfo(name).file_size:
        raise HandFileError(f'{key}: promises an array of shape {brief(shape)}, but is cut short')
