# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What happened to constraints in two runs: the k-th event of a phase of a constraint against the k-th of the other."""
from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import zip_longest
from math import inf

from ...codec.message_fields import NANOSECONDS
from .contacts import apart, long
from .records import SIDES, ConstraintChange, Resolution, seconds
from .report import ConstraintResult, Difference
from .tolerances import ContactTolerance, Tolerances

__all__ = ['compare_constraints']


def compare_constraints(a: tuple[ConstraintChange, ...], b: tuple[ConstraintChange, ...], tolerances: Tolerances,
                        slack: Resolution, origin_ns: int) -> tuple[ConstraintResult, ...]:
    """One result per name of a constraint, sorted; slack: both resolutions together."""
    groups: dict[str, tuple[dict, dict]] = defaultdict(lambda: (defaultdict(list), defaultdict(list)))
    for side, changes in enumerate((a, b)):
        for change in changes:
            groups[change.name][side][change.phase].append(change)
    return tuple(_result(name, *groups[name], tolerances, slack, origin_ns) for name in sorted(groups))


def _result(name: str, a: dict, b: dict, tolerances: Tolerances, slack: Resolution, origin_ns: int) -> ConstraintResult:
    both, only, found = 0, [0, 0], []
    for phase in sorted({*a, *b}):
        for one, two in zip_longest(a.get(phase, ()), b.get(phase, ())):
            if one is not None and two is not None:
                both += 1
                tolerance = tolerances.of_pair(one.body_a, one.body_b)
                found += _differences(one, two, tolerance, slack, origin_ns)
                continue
            side, there = (0, one) if two is None else (1, two)
            only[side] += 1
            found.append(Difference(there.at_ns, name, f'only in {SIDES[side]}', inf, 0.0,
                                    f'only in {SIDES[side]}: {there.phase}'))
    return ConstraintResult(name, both, *only, tuple(sorted(found, key=lambda d: d.at_ns)))


def _differences(a: ConstraintChange, b: ConstraintChange, tolerance: ContactTolerance, slack: Resolution,
                 origin_ns: int) -> Iterator[Difference]:
    at = min(a.at_ns, b.at_ns)
    late = abs(a.at_ns - b.at_ns) / NANOSECONDS
    if not late <= tolerance.time:
        yield Difference(at, a.name, a.phase, late, tolerance.time,
                         f'{a.phase} differs by {late:.4g} s, allowed {tolerance.time:.3g}: '
                         f'expected {seconds(a.at_ns, origin_ns)}, actual {seconds(b.at_ns, origin_ns)}')
    for key in ('impulse', 'force'):
        x, y = getattr(a, key), getattr(b, key)
        limit = tolerance.impulse + slack.vector + tolerance.impulse_relative * max(
            k for k in (0.0, long(x), long(y)) if k < inf)
        error = apart(x, y)
        if not error <= limit:
            what = f'{key} of {a.phase}'
            yield Difference(at, a.name, what, error, limit,
                             f'{what} differs by {error:.4g}, allowed {limit:.3g}: expected {x}, actual {y}')
    for key in ('kind', 'body_a', 'body_b'):
        x, y = getattr(a, key), getattr(b, key)
        if x != y:
            yield Difference(at, a.name, key, inf, 0.0, f'{key} differs: expected {x}, actual {y}')
