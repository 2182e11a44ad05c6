# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Two trajectories at the same times: exact where stamps coincide, else interpolated, never shifted or turned."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...engine.maths.pointwise import atan2
from .records import Resolution, Trajectory


class Samples(NamedTuple):
    """A trajectory at given stamps: positions (T,3) m, orientations (T,4) xyzw; exact (T,) bool where it has that very
    stamp, known where it has a pose at all, lost where it should have and has none (a hole, or beyond its end)."""

    positions: np.ndarray
    orientations: np.ndarray
    exact: np.ndarray
    known: np.ndarray
    lost: np.ndarray


class Slack(NamedTuple):
    """How far the samples may be off by the resolution of the run they come from: m and rad, (T,)."""

    translation: np.ndarray
    rotation: np.ndarray


def union(a: Trajectory, b: Trajectory) -> np.ndarray:
    """The stamps of both, (T,) ns: so that it does not matter which is the expected one."""
    return np.union1d(a.stamps, b.stamps)


def sample(t: Trajectory, stamps: np.ndarray, gap_ns: int, end_ns: int = 0) -> Samples:
    """`t` at `stamps`: interpolated between neighbours at most gap_ns apart (positions linearly, quaternions
    linearly and made unit); beyond its ends unknown, and lost by more than end_ns."""
    n = len(t.stamps)
    if n == 0:
        nothing = np.zeros(len(stamps), dtype=bool)
        return Samples(np.full((len(stamps), 3), np.nan), np.full((len(stamps), 4), np.nan), nothing, nothing, ~nothing)
    after = np.searchsorted(t.stamps, stamps)
    right, left = np.minimum(after, n - 1), np.maximum(after - 1, 0)
    exact = t.stamps[right] == stamps
    inside = (after > 0) & (after < n)
    width = t.stamps[right] - t.stamps[left]
    known = exact | (inside & (width <= gap_ns))
    beyond = np.maximum(t.stamps[0] - stamps, stamps - t.stamps[-1])
    lost = ~known & (inside | (beyond > end_ns))
    left = np.where(exact, right, left)
    share = np.where(exact, 0.0, (stamps - t.stamps[left]) / np.maximum(width, 1))[:, None]
    positions = t.positions[left] + share * (t.positions[right] - t.positions[left])
    positions[exact] = t.positions[right[exact]]
    return Samples(positions, _between(t.orientations[left], t.orientations[right], share, exact), exact, known, lost)


def _between(q_left: np.ndarray, q_right: np.ndarray, share: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Between two unit quaternions the short way round; bits are kept where exact."""
    near = np.where((q_left * q_right).sum(axis=1, keepdims=True) < 0.0, -q_right, q_right)
    mixed = (1.0 - share) * q_left + share * near
    with np.errstate(all='ignore'):
        mixed /= np.sqrt((mixed * mixed).sum(axis=1, keepdims=True))
    mixed[exact] = q_right[exact]
    return mixed


def slack(samples: Samples, resolution: Resolution) -> Slack:
    """What the resolution of a run allows its samples to be off."""
    return Slack(np.where(samples.exact, 0.0, resolution.translation) + resolution.vector,
                 np.where(samples.exact, 0.0, resolution.rotation) + resolution.angle)


def angle(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Angle between unit quaternions (T,4), rad in 0..pi; exactly 0 for equal ones."""
    minus, plus = np.linalg.norm(p - q, axis=-1), np.linalg.norm(p + q, axis=-1)
    return 4.0 * atan2(np.minimum(minus, plus), np.maximum(minus, plus))


def thinned(t: Trajectory, translation: float, rotation: float, gap_ns: int) -> np.ndarray:
    """Rows to keep, rising, so that `sample` of those rows is within `translation` (m) and `rotation` (rad) of every
    row and leaves no time above gap_ns without one, where there are samples.  Rows beside one that is no pose are
    kept, so that it does not spread."""
    n = len(t.stamps)
    if n == 0:
        return np.zeros(0, dtype=int)
    keep = np.zeros(n, dtype=bool)
    keep[[0, n - 1]] = True
    bad = ~t.finite
    keep |= bad | np.append(bad[1:], False) | np.append(False, bad[:-1])
    # one of every half gap, and both sides of a hole: the rest then lies between two that are at most a gap apart
    half = max(gap_ns // 2, 1)
    keep[1:] |= np.diff((t.stamps - t.stamps[0]) // half) > 0
    keep[:-1] |= np.diff(t.stamps) > half
    corners = np.flatnonzero(keep)
    spans = list(zip(corners[:-1].tolist(), corners[1:].tolist(), strict=True))
    while spans:
        first, last = spans.pop()
        worst = _worst(t, first, last, translation, rotation) if last > first + 1 else None
        if worst is not None:
            keep[worst] = True
            spans += [(first, worst), (worst, last)]
    return np.flatnonzero(keep)


def _worst(t: Trajectory, first: int, last: int, translation: float, rotation: float) -> int | None:
    """The row between two that their interpolation misses most, None where it misses none by too much."""
    rows = np.arange(first + 1, last)
    ends = [first, last]
    chord = Trajectory('', '', '', t.stamps[ends], t.positions[ends], t.orientations[ends])
    guess = sample(chord, t.stamps[rows], int(t.stamps[last] - t.stamps[first]))
    miss = np.maximum(np.linalg.norm(guess.positions - t.positions[rows], axis=1) / translation,
                      angle(guess.orientations, t.orientations[rows]) / rotation)
    worst = int(np.argmax(miss))
    return int(rows[worst]) if miss[worst] > 1.0 else None
