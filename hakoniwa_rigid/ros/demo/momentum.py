# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a hit did to a drone by the states that were published, not by its event: the change of velocity over the tick
of the hit, less the plan's own.

A corrected drone follows the samples of its simulator: where a new one came in the tick of a hit, its velocity has
changed by that, too.  Which samples were in use, the published places say.  With x, v the corrected state before and
after the tick from t0, the hit at t0 + s, and p, u a sample moved on to t0:

    x1 = x0 + (p_new - p_old) + (v0 + u_new - u_old) s + v1 (T - s)

The pair of samples that fulfils it best is taken; u_new - u_old is the plan's own change.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ['NO_PLAN', 'Plan', 'contact_change']

# s: samples that may have been in use in a tick are no older
OLDEST = 0.08
# s, two periods: a tick that came later than this after the last has steps that were dropped, or samples in between
LONGEST_TICK = 0.0101
# s: a hit this near to the end of a tick may be the first thing in the next one
ON_THE_GRID = 1e-9


class Plan(NamedTuple):
    """The samples of a drone's simulator: times (S,) s since the first state, places (S,3) m and velocities (S,3) m/s,
    world."""

    times: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray


NO_PLAN = Plan(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3)))


def contact_change(times: np.ndarray, positions: np.ndarray, velocities: np.ndarray, plan: Plan,
                   t: float) -> np.ndarray:
    """Change of a drone's velocity (3,) m/s by the hit at t s; its corrected states are at times (T,).  NaN where the
    tick of the hit is not whole, or too long."""
    k = int(np.searchsorted(times, t - ON_THE_GRID))
    ticks = [k, k + 1] if k < len(times) and abs(times[k] - t) <= ON_THE_GRID else [k]
    changes = [_change(k, times, positions, velocities, plan, t) for k in ticks]
    return max(changes, key=lambda change: float(np.nan_to_num(change @ change, nan=-1.0)))


def _change(k: int, times, positions, velocities, plan: Plan, t: float) -> np.ndarray:
    """The same in the tick that ends at times[k]."""
    if not 0 < k < len(times) or times[k] - times[k - 1] > LONGEST_TICK:
        return np.full(3, np.nan)
    change, begun = velocities[k] - velocities[k - 1], times[k - 1]
    first, last = np.searchsorted(plan.times, (begun - OLDEST, times[k]))
    if last - first < 2:
        return change
    u = plan.velocities[first:last]
    p = plan.positions[first:last] + u * (begun - plan.times[first:last, None])
    # every pair of samples, and none: the plan's own change from each to each later one
    old, new = np.triu_indices(len(u))
    own = u[new] - u[old]
    reached = (positions[k - 1] + p[new] - p[old] + (velocities[k - 1] + own) * (t - begun)
               + velocities[k] * (times[k] - t))
    return change - own[int(np.argmin(np.linalg.norm(reached - positions[k], axis=1)))]
