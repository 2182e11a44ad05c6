# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Buffers that have become too small for a step are doubled; the step is then taken again."""
import numpy as np

from ..errors import CapacityError
from . import layout as L
from .arrays import near_buffers

# numbers in one buffer (400 MB): a scene that needs more has its bodies in one place
MAX_BUFFER = 50_000_000
# rows of the log of constraints at first
FIRST_EVENTS = 64


def grow(s, status):
    """Arrays s with more room, for what a step asked for by its status; CapacityError beyond MAX_BUFFER."""
    if status == L.GROW_PAIRS:
        change = dict(pairs=np.zeros((2, 2 * len(s.clear), 2), np.int64),
                      clear=np.zeros((2 * len(s.clear), L.CLEAR)))
    elif status == L.GROW_CONTACT_PAIRS:
        m = 2 * len(s.pair_i)
        last = np.zeros((L.POINTS * m, L.LAST))
        last[:len(s.last)] = s.last
        rest = np.zeros((2 * L.POINTS * m, L.REST))
        rest[:len(s.rest)] = s.rest
        cache = np.zeros((2, m, L.CACHE))
        cache[:, :s.cache.shape[1]] = s.cache
        change = dict(near_buffers(m, len(s.body)), cache=cache, last=last, rest=rest)
    elif status == L.GROW_PROFILES:
        change = dict(profile=np.concatenate([s.profile, np.zeros_like(s.profile)]))
    elif status == L.GROW_JOINT_LOG:
        more = np.zeros((len(s.joint_log) + FIRST_EVENTS, L.JOINT_LOG))
        if s.joint_log.size + more.size > MAX_BUFFER:
            _forget_oldest(s, s.joint_log, L.N_JOINT_ROWS, L.JL_STEP, 'events of constraints')
            return s
        change = dict(joint_log=np.concatenate([s.joint_log, more]))
    elif 2 * s.out.size > MAX_BUFFER:
        _forget_oldest(s, s.out, L.N_OUT, L.O_STEP, 'contact points')
        return s
    else:
        change = dict(out=np.concatenate([s.out, np.zeros_like(s.out)]))
    if max(a.size for a in change.values()) > MAX_BUFFER:
        raise CapacityError(f'a buffer would exceed {MAX_BUFFER} numbers: {", ".join(change)}; '
                            'are all bodies in one place?')
    return s._replace(**change)


def _forget_oldest(s, log, counter, step, what):
    """Drop the older half of a log, whole steps; they are counted.  counter: of its rows; step: their column."""
    n = int(s.count[counter])
    first = int(np.searchsorted(log[:n, step], log[n // 2, step]))
    if first == 0:
        raise CapacityError(f'one step may have more than {len(log) - n + n // 2} {what}; are all bodies in one place?')
    log[:n - first] = log[first:n].copy()
    s.count[counter], s.count[L.N_LOST] = n - first, s.count[L.N_LOST] + first
