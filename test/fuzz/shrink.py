# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Makes a failing case small: leaves out operations while the failure keeps its name."""
from __future__ import annotations

import time
from collections.abc import Callable

Still = Callable[[dict], bool]


def smaller(case: dict, still: Still, seconds: float) -> dict:
    """The case with as few operations, and items of them, as keep `still` true within the time."""
    end = time.monotonic() + seconds
    for key in ('ops', 'lines'):
        if key in case:
            case = _fewer(case, key, still, end)
    if 'ops' in case:
        case = _thinner(case, still, end)
    if 'world' in case and isinstance(case['world'], dict):
        case = _plainer(case, still, end)
    return case


def _fewer(case: dict, key: str, still: Still, end: float) -> dict:
    """Without pieces of a list, large ones first."""
    size = max(len(case[key]) // 2, 1)
    while True:
        at = 0
        while at < len(case[key]) and time.monotonic() < end:
            less = {**case, key: case[key][:at] + case[key][at + size:]}
            if still(less):
                case = less
            else:
                at += size
        if size == 1 or time.monotonic() > end:
            return case
        size = size // 2


def _thinner(case: dict, still: Still, end: float) -> dict:
    """Batches with fewer rows."""
    for k, op in enumerate(case['ops']):
        if op[0] not in ('motions', 'take') or time.monotonic() > end:
            continue
        at = 0
        while len(case['ops'][k][1]) > 1 and at < len(case['ops'][k][1]) and time.monotonic() < end:
            less = [part[:at] + part[at + 1:] if isinstance(part, list) else part for part in case['ops'][k]]
            trial = {**case, 'ops': [*case['ops'][:k], less, *case['ops'][k + 1:]]}
            if still(trial):
                case = trial
            else:
                at += 1
    return case


def _plainer(case: dict, still: Still, end: float) -> dict:
    """A world with fewer things."""
    for key in ('walls', 'objects', 'hands'):
        for item in list(case['world'].get(key, ())):
            less = {**case, 'world': {**case['world'], key: [x for x in case['world'][key] if x != item]}}
            if time.monotonic() < end and still(less):
                case = less
    for key, usual in (('contact', None), ('solver', 'sequential'), ('integrator', 'exact'), ('proximity', 0.0),
                       ('mass', None), ('gravity', False)):
        less = {**case, 'world': {**case['world'], key: usual}}
        if key in case['world'] and case['world'][key] != usual and time.monotonic() < end and still(less):
            case = less
    return case
