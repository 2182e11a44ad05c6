# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Absolute and relative pose errors of two trajectories.

APE of a time is the distance and the angle between both poses, in the world as they are: nothing is aligned first.  RPE
of a time is the same between the movements of both over the last `rpe_step`, each seen from its own pose: a constant
offset does not count, a drift does (the usual definitions: Sturm et al., IROS 2012, eq. 1 and 2; there RPE bears the
time at which the movement begins: here the one at which it ends, so that nothing differs before it does).
"""
from __future__ import annotations

import numpy as np

from hakoniwa_rigid import rotations as rot
from hakoniwa_rigid.codec.message_fields import NANOSECONDS

from .alignment import Samples, Slack, angle, sample, slack, union
from .records import SIDES, Resolution, Trajectory, seconds
from .report import Difference, ErrorStats, TrajectoryResult
from .tolerances import TrajectoryTolerance

UNITS = {'translation': 'm', 'rotation': 'rad'}
# s. A partner this part of rpe_step later than asked for is still taken, where no sample is exactly there.
LATE_PART = 0.1


class _Series:
    """An error over time: stamps (T,) ns, values and what resolution excuses (T,)."""

    def __init__(self, stamps: np.ndarray, values: np.ndarray, excused: np.ndarray):
        self.stamps, self.values, self.excused = stamps, values, excused

    def stats(self, limit: float) -> ErrorStats:
        if not len(self.values):
            return ErrorStats(limit=limit)
        worst = int(np.argmax(self.values))
        return ErrorStats(len(self.values), _rms(self.values), float(self.values[worst]), int(self.stamps[worst]),
                          limit)

    def differences(self, where: str, name: str, limit: float, limit_rmse: float) -> list[Difference]:
        """The first value beyond the limit, and the root mean square where that is beyond its own."""
        found, unit = [], UNITS[name.split()[1]]
        beyond = np.flatnonzero(~(self.values <= limit + self.excused))
        if len(beyond):
            first, worst = beyond[0], int(np.argmax(self.values))
            allowed = float(limit + self.excused[first])
            text = f'{name} {_amount(self.values[first], unit)}, allowed {allowed:.3g}'
            if worst != first:
                text += f'; at most {_amount(self.values[worst], unit)}'
            found.append(Difference(int(self.stamps[first]), where, name, float(self.values[first]), allowed, text))
        rmse, allowed = _rms(self.values), limit_rmse + _rms(self.excused)
        if len(self.values) and not rmse <= allowed:
            worst = int(np.argmax(self.values))
            found.append(Difference(int(self.stamps[worst]), where, f'{name} rmse', rmse, allowed,
                                    f'{name}, root mean square {_amount(rmse, unit)}, allowed {allowed:.3g}'))
        return found


def compare_trajectories(a: Trajectory, b: Trajectory, tolerance: TrajectoryTolerance,
                         resolutions: tuple[Resolution, Resolution], origin_ns: int,
                         name: str = '') -> TrajectoryResult:
    """Errors of one drone; the same for (a, b) and (b, a).  name: what to call it, default the drone's name."""
    where = name or a.drone
    stamps, gap_ns = union(a, b), round(tolerance.gap * NANOSECONDS)
    one, two = (sample(t, stamps, max(gap_ns, r.gap_ns), gap_ns) for t, r in zip((a, b), resolutions, strict=True))
    excused = [slack(s, r) for s, r in zip((one, two), resolutions, strict=True)]
    both = np.flatnonzero(one.known & two.known)
    series = pose_errors(stamps, one, two, excused, both, round(tolerance.rpe_step * NANOSECONDS))
    found = [d for key, s in series.items() for d in s.differences(where, key, *_limits(tolerance, key))]
    found += _holes(where, stamps, one.lost, 0, origin_ns) + _holes(where, stamps, two.lost, 1, origin_ns)
    found += _frames(a, b, where)
    stats = {key.replace(' ', '_').lower(): s.stats(_limits(tolerance, key)[0]) for key, s in series.items()}
    interpolated = int((~(one.exact & two.exact))[both].sum())
    topic = a.topic if a.topic == b.topic else ' / '.join(sorted((a.topic, b.topic)))
    return TrajectoryResult(where, a.drone, topic, len(both), interpolated, **stats,
                            differences=tuple(sorted(found, key=lambda d: d.at_ns)))


def pose_errors(stamps: np.ndarray, one: Samples, two: Samples, excused: list[Slack], both: np.ndarray,
                step_ns: int) -> dict[str, _Series]:
    """APE and RPE over the rows `both` of two samplings."""
    t, (p, q), (x, y) = stamps[both], _poses(one, both), _poses(two, both)
    far, turn = (sum(e[k][both] for e in excused) for k in (0, 1))
    same, odd = _finite(p, q), _finite(x, y)
    out = {'APE translation': _Series(t, _judged(np.linalg.norm(p - x, axis=1), same, odd), far),
           'APE rotation': _Series(t, _judged(angle(q, y), same, odd), turn)}
    i, j = partners(t, step_ns)
    same, odd = same[i] & same[j], odd[i] & odd[j]
    (d, r), (e, s) = _movement(p, q, i, j), _movement(x, y, i, j)
    reach = np.nan_to_num(np.maximum(np.linalg.norm(d, axis=1), np.linalg.norm(e, axis=1)))
    out['RPE translation'] = _Series(t[j], _judged(np.linalg.norm(d - e, axis=1), same, odd),
                                     far[i] + far[j] + turn[i] * reach)
    out['RPE rotation'] = _Series(t[j], _judged(angle(r, s), same, odd), turn[i] + turn[j])
    return out


def partners(t: np.ndarray, step_ns: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows (i, j) with t[j] one step after t[i]: the first that is not earlier, and not much later."""
    j = np.searchsorted(t, t + step_ns)
    i = np.flatnonzero(j < len(t))
    i = i[t[j[i]] - t[i] - step_ns <= LATE_PART * step_ns]
    return i, j[i]


def _poses(samples: Samples, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return samples.positions[rows], samples.orientations[rows]


def _finite(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    return np.isfinite(p).all(axis=1) & np.isfinite(q).all(axis=1)


def _judged(values: np.ndarray, one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """No pose on both sides is equal, on one side is as different as can be."""
    return np.where(one & two, values, np.where(one | two, np.inf, 0.0))


def _movement(p: np.ndarray, q: np.ndarray, i: np.ndarray, j: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """From pose i to pose j, in the axes of pose i: m and quaternion wxyz."""
    w = rot.wxyz(q)
    return rot.rotate_inverse(w[i], p[j] - p[i]), rot.multiply(rot.conjugate(w[i]), w[j])


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(values * values))) if len(values) else 0.0


def _limits(tolerance: TrajectoryTolerance, name: str) -> tuple[float, float]:
    key = name.replace(' ', '_').lower()
    return getattr(tolerance, key), getattr(tolerance, f'{key}_rmse')


def _amount(value: float, unit: str) -> str:
    return f'{value:.4g} {unit}' if np.isfinite(value) else 'unknown (NaN or no rotation on one side)'


def _holes(where: str, stamps: np.ndarray, lost: np.ndarray, side: int, origin_ns: int) -> list[Difference]:
    """One difference per stretch without samples."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], lost.astype(np.int8), [0]])))
    found = []
    for first, end in zip(edges[::2], edges[1::2], strict=True):
        begin, last = int(stamps[first]), int(stamps[end - 1])
        found.append(Difference(begin, where, f'samples only in {SIDES[1 - side]}', np.inf, 0.0,
                                f'{SIDES[side]} has no samples from {seconds(begin, origin_ns)} to '
                                f'{seconds(last, origin_ns)} s, the other has {end - first}'))
    return found


def _frames(a: Trajectory, b: Trajectory, where: str) -> list[Difference]:
    if a.frame == b.frame:
        return []
    return [Difference(int(min(a.stamps[0], b.stamps[0])) if len(a.stamps) and len(b.stamps) else 0, where, 'frame',
                       np.inf, 0.0, f'poses are in {a.frame!r} expected, in {b.frame!r} actual')]
