# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A hand as a page sends it: a JSON object, checked and made arrays.

    {"stamp_ns": "1700000000000000000", "frame_id": "world", "names": [...], "positions": [[x, y, z], ...],
     "orientations_xyzw": [[x, y, z, w], ...], "radii": [...], "is_valid": [...]}

Lengths in m; the stamp is the time of capture on the node's clock, a string because JavaScript's numbers do not hold
it.  names, orientations_xyzw, radii and is_valid may be left out or empty.  A joint that is not valid may have null for
its numbers.
"""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .errors import RefusedError
from .json_text import read_json

# more joints than any tracker has
MOST_JOINTS = 64
MOST_LETTERS = 64
# m; beyond this it is no room
FARTHEST = 1e4
# ns; a display's predicted time lies some frames ahead, and a clock's offset is known to milliseconds
AHEAD = 200_000_000
# ns; older samples are of a motion that is over
BEHIND = 1_000_000_000
TOO_OLD = 'hand_too_old'      # the cause by which they are refused


class HandSample(NamedTuple):
    """J joints: stamp in ns on the node's clock; positions (J,3) m and orientations (J,4) xyzw in the frame; radii (J,)
    m or empty; is_valid (J,)."""

    stamp_ns: int
    frame: str
    names: tuple[str, ...]
    positions: np.ndarray
    orientations: np.ndarray
    radii: np.ndarray
    is_valid: np.ndarray


def read_hand(payload: bytes, now_ns: int) -> HandSample:
    """The sample in a message.  RefusedError names the key and the value."""
    try:
        content = read_json(payload)
    except ValueError as error:
        raise RefusedError('malformed_hand', f'must be JSON: {error}') from error
    if not isinstance(content, dict):
        raise RefusedError('malformed_hand', 'must be a JSON object')
    stamp = _stamp(content.get('stamp_ns'), now_ns)
    positions = _table(content, 'positions', 3)
    joints = len(positions)
    if not 1 <= joints <= MOST_JOINTS:
        raise RefusedError('malformed_hand', f'positions: must have 1 to {MOST_JOINTS} joints, got {joints}')
    is_valid = _flags(content.get('is_valid') or [True] * joints, joints)
    with np.errstate(invalid='ignore'):
        if not (np.abs(positions[is_valid]) <= FARTHEST).all():
            raise RefusedError('malformed_hand', f'positions: must be finite and within {FARTHEST:g} m where is_valid')
    return HandSample(stamp, _text(content, 'frame_id'), _names(content, joints), np.nan_to_num(positions),
                      _orientations(content, joints, is_valid), _radii(content, joints), is_valid)


def _stamp(value: Any, now_ns: int) -> int:
    if not isinstance(value, str) or not value.isascii() or not value.isdecimal() or len(value) > 19:
        raise RefusedError('malformed_hand', f'stamp_ns: must be a string of digits, ns, got {str(value)[:40]!r}')
    if now_ns <= 0:
        raise RefusedError('no_time', 'the node does not know the time yet: nothing publishes /clock')
    stamp = int(value)
    if stamp - now_ns > AHEAD:
        raise RefusedError('hand_from_future', f'stamp_ns: {(stamp - now_ns) / 1e9:.3f} s ahead of the node, '
                                          f'at most {AHEAD / 1e9:g}; probe the clock')
    if now_ns - stamp > BEHIND:
        raise RefusedError(TOO_OLD, f'stamp_ns: {(now_ns - stamp) / 1e9:.3f} s behind the node, '
                                    f'at most {BEHIND / 1e9:g}; probe the clock')
    return stamp


def _table(content: dict, key: str, width: int) -> np.ndarray:
    """(J, width) float64, NaN for null; (0, width) for nothing."""
    value = content.get(key) or np.zeros((0, width))
    try:
        table = np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:     # JSON's whole numbers have no end
        raise RefusedError('malformed_hand', f'{key}: must be rows of {width} numbers') from error
    if table.ndim != 2 or table.shape[1] != width:
        raise RefusedError('malformed_hand', f'{key}: must be rows of {width} numbers, got the shape {table.shape}')
    return table


def _orientations(content: dict, joints: int, is_valid: np.ndarray) -> np.ndarray:
    """Unit quaternions; the identity where there is none, as in a message that leaves them out."""
    table = _table(content, 'orientations_xyzw', 4)
    result = np.tile((0.0, 0.0, 0.0, 1.0), (joints, 1))
    if not len(table):
        return result
    _same('orientations_xyzw', table, joints)
    size = np.linalg.norm(table, axis=1)
    usable = np.isfinite(size) & (size > 1e-6) & np.isfinite(table).all(axis=1)
    if not usable[is_valid].all():
        raise RefusedError('malformed_hand', 'orientations_xyzw: must be finite and not zero where is_valid')
    result[usable] = table[usable] / size[usable, None]
    return result


def _radii(content: dict, joints: int) -> np.ndarray:
    value = content.get('radii') or []
    try:
        radii = np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        raise RefusedError('malformed_hand', 'radii: must be numbers, m') from error
    if radii.ndim != 1:
        raise RefusedError('malformed_hand', 'radii: must be numbers, m')
    if len(radii):
        _same('radii', radii, joints)
    # what is no radius is left to the node, which has a fallback for each joint
    return np.nan_to_num(radii, nan=0.0, posinf=0.0, neginf=0.0)


def _flags(value: Any, joints: int) -> np.ndarray:
    if not isinstance(value, list) or not all(isinstance(flag, bool) for flag in value):
        raise RefusedError('malformed_hand', 'is_valid: must be true or false for each joint')
    _same('is_valid', value, joints)
    return np.array(value, dtype=bool)


def _names(content: dict, joints: int) -> tuple[str, ...]:
    names = content.get('names') or []
    if not isinstance(names, list) or not all(_is_word(n) for n in names):
        raise RefusedError('malformed_hand', f'names: must be words of at most {MOST_LETTERS} printable letters')
    if names:
        _same('names', names, joints)
    return tuple(names)


def _text(content: dict, key: str) -> str:
    value = content.get(key, '')
    if not _is_word(value):
        raise RefusedError('malformed_hand', f'{key}: must be a word of at most {MOST_LETTERS} printable letters')
    return value


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MOST_LETTERS and value.isprintable()


def _same(key: str, values: Any, joints: int) -> None:
    if len(values) != joints:
        raise RefusedError('malformed_hand', f'{key}: must be {joints}, as many as positions, got {len(values)}')
