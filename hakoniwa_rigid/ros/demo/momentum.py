# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a hit did to a drone by the states that were published, not by its event: the change of velocity over the tick
of the hit, less the plan's own.

A corrected drone follows the samples of its simulator: where a new one came in the tick of a hit, its velocity has
changed by that, too, and by the acceleration a with which it returns to its plan, the same all over a tick
(docs/authority.md).  Which samples were in use, the published places say.  With x, v the corrected state before and
after the tick from t0, the hit at t0 + s, T = s + r, and p, u a sample moved on to t0:

    x1 = x0 + (p_new - p_old) + (v0 + u_new - u_old) s + v1 r + a (s^2 - r^2) / 2

The pair of samples that fulfils it best is taken; u_new - u_old + a T is the plan's own change.  Where no pair fulfils
it, something else moved the drone, too: a contact that events do not tell apart, a pull at its bound, samples that were
older or lost.  Where pairs of different changes fulfil it, the places do not say which.  Then nothing is known.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hakoniwa_rigid.scene.world_files.world_types import SceneParams

__all__ = ['NO_PLAN', 'Plan', 'contact_change']

# s: samples that may have been in use in a tick are no older
OLDEST = 0.08
# s, two periods: a tick that came later than this after the last has steps that were dropped, or samples in between
LONGEST_TICK = 0.0101
# m: how well places have to fit; what fits misses by 0.1 um in runs beside a busy machine, all else by 10 um or more
FIT = 1e-6
# share of the change by the hit within which all that fits agrees
AGREE = 5e-3
# s: a hit this near to the end of a tick may be the first thing in the next one
ON_THE_GRID = 1e-9


class Plan(NamedTuple):
    """The samples of a drone's simulator: times (S,) s since the first state, places (S,3) m and velocities (S,3) m/s,
    world."""

    times: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray


NO_PLAN = Plan(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3)))


def contact_change(times: np.ndarray, positions: np.ndarray, velocities: np.ndarray, plan: Plan, t: float,
                   offset_time_constant: float = SceneParams.offset_time_constant) -> np.ndarray:
    """Change of a drone's velocity (3,) m/s by the hit at t s; its corrected states are at times (T,).  NaN where the
    tick of the hit is not whole, or too long, or where the plan's own change cannot be told.
    offset_time_constant: s, of its return to the plan."""
    k = int(np.searchsorted(times, t - ON_THE_GRID))
    ticks = [k, k + 1] if k < len(times) and abs(times[k] - t) <= ON_THE_GRID else [k]
    changes = [_change(k, times, positions, velocities, plan, t, offset_time_constant) for k in ticks]
    return max(changes, key=lambda change: float(np.nan_to_num(change @ change, nan=-1.0)))


def _change(k: int, times, positions, velocities, plan: Plan, t: float, tau: float) -> np.ndarray:
    """The same in the tick that ends at times[k]."""
    if not 0 < k < len(times) or times[k] - times[k - 1] > LONGEST_TICK:
        return np.full(3, np.nan)
    change, begun, h = velocities[k] - velocities[k - 1], times[k - 1], times[k] - times[k - 1]
    first, last = np.searchsorted(plan.times, (begun - OLDEST, times[k]))
    if last - first < 2:
        return change
    u = plan.velocities[first:last]
    p = plan.positions[first:last] + u * (begun - plan.times[first:last, None])
    # every pair of samples, and none: the plan's own change from each to each later one, and the return to it
    old, new = np.triu_indices(len(u))
    pull = _pull(positions[k - 1] - p[old], velocities[k - 1] - u[old], tau, h)
    own = u[new] - u[old]
    before, after = t - begun, times[k] - t
    reached = (positions[k - 1] + p[new] - p[old] + (velocities[k - 1] + own) * before + velocities[k] * after
               + pull * (before ** 2 - after ** 2) / 2.0)
    misfit = np.linalg.norm(reached - positions[k], axis=1)
    changes = (change - own - pull * h)[misfit <= FIT]
    if not len(changes):
        return np.full(3, np.nan)
    told = changes[int(np.argmin(misfit[misfit <= FIT]))]
    return told if np.linalg.norm(np.ptp(changes, axis=0)) <= AGREE * np.linalg.norm(told) else np.full(3, np.nan)


def _pull(d: np.ndarray, rate: np.ndarray, tau: float, h: float) -> np.ndarray:
    """Constant acceleration that takes the velocity of critically damped offsets d m, rate m/s over h s exactly.

    As tick_kernels.pull, but for its kernels, which the demo's own process does not load."""
    at_end = (rate - (rate + d / tau) * (h / tau)) * np.exp(-h / tau)
    return (at_end - rate) / h
