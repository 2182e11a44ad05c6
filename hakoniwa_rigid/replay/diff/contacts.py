# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Contacts of two runs: which are the same, and how far they are apart."""
from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from math import inf

import numpy as np
from scipy.optimize import linear_sum_assignment

from ...codec.message_fields import NANOSECONDS
from ...engine.maths.matrices import length
from ...engine.maths.pointwise import atan2
from .records import KINDS, SIDES, Contact, Resolution, Vec, phases_text, seconds
from .report import Difference, Match, PairResult
from .tolerances import ContactTolerance, Tolerances

# unitless cost of a pair that may not be; more than any number of allowed ones that a block can hold, each at most 4
FORBIDDEN = 1e7
# contacts of both runs in one assignment; its matrices then take about 100 MB. A minute of contacts that begin anew
# fifty times a second has more
LARGEST_BLOCK = 3000


def compare_contacts(a: tuple[Contact, ...], b: tuple[Contact, ...], tolerances: Tolerances, slack: Resolution,
                     origin_ns: int) -> tuple[PairResult, ...]:
    """One result per pair of bodies, sorted; slack: both resolutions together."""
    groups: dict[tuple[str, str], tuple[list, list]] = defaultdict(lambda: ([], []))
    for side, contacts in enumerate((a, b)):
        for contact in contacts:
            groups[contact.pair][side].append(contact)
    return tuple(_pair(pair, *groups[pair], tolerances.of_pair(*pair), slack, origin_ns) for pair in sorted(groups))


def _pair(pair: tuple[str, str], a: list[Contact], b: list[Contact], tolerance: ContactTolerance, slack: Resolution,
          origin_ns: int) -> PairResult:
    matched = assign(a, b, tolerance)
    matches = tuple(Match(a[i], b[j], tuple(_differences(a[i], b[j], tolerance, slack, origin_ns)))
                    for i, j in matched)
    found_a, found_b = {i for i, _ in matched}, {j for _, j in matched}
    missing = tuple(c for i, c in enumerate(a) if i not in found_a)
    extra = tuple(c for j, c in enumerate(b) if j not in found_b)
    found = [d for m in matches for d in m.differences]
    found += [_alone(c, SIDES[0], tolerance) for c in missing if not long(c.total) < tolerance.negligible]
    found += [_alone(c, SIDES[1], tolerance) for c in extra if not long(c.total) < tolerance.negligible]
    return PairResult(*pair, matches, missing, extra, tuple(sorted(found, key=lambda d: d.at_ns)))


def assign(a: list[Contact], b: list[Contact], tolerance: ContactTolerance) -> list[tuple[int, int]]:
    """Indices of the same contacts, one to one: as many as possible, among those choices the one with the least sum of
    differences in time, impulse, normal and place."""
    if repr(b) < repr(a):     # of choices that are equally good, the same one whichever run is the expected one
        return sorted((i, j) for j, i in assign(b, a, tolerance))
    found = []
    for rows, columns in _blocks(a, b, round(tolerance.window * NANOSECONDS)):
        if not rows or not columns:
            continue
        cost = _costs([a[i] for i in rows], [b[j] for j in columns], tolerance)
        chosen = zip(*linear_sum_assignment(cost), strict=True)
        found += [(rows[r], columns[c]) for r, c in chosen if cost[r, c] < FORBIDDEN]
    return sorted(found)


def _blocks(a: list[Contact], b: list[Contact], window_ns: int) -> Iterator[tuple[list[int], list[int]]]:
    """Contacts of both that lie together in time, (indices of a, indices of b): none outside can match one inside."""
    events = sorted([(c.begin_ns, 0, i) for i, c in enumerate(a)] + [(c.begin_ns, 1, j) for j, c in enumerate(b)])
    begins = np.array([e[0] for e in events], dtype=np.int64)
    cuts = [0, *(np.flatnonzero(np.diff(begins) > window_ns) + 1).tolist(), len(events)]
    for first, end in pairwise(cuts):
        for low, high in _small(begins, first, end):
            yield tuple([index for _, side, index in events[low:high] if side == k] for k in (0, 1))


def _small(begins: np.ndarray, first: int, end: int) -> Iterator[tuple[int, int]]:
    """A block that would take too much memory is cut at the longest pause in its middle half."""
    size = end - first
    if size <= LARGEST_BLOCK:
        yield first, end
        return
    middle = slice(first + size // 4, end - size // 4)
    cut = middle.start + 1 + int(np.argmax(np.diff(begins[middle])))
    yield from _small(begins, first, cut)
    yield from _small(begins, cut, end)


def _costs(a: list[Contact], b: list[Contact], tolerance: ContactTolerance) -> np.ndarray:
    """(len(a), len(b)); each of four terms is between 0 and 1."""
    begins = [np.array([c.begin_ns for c in side], dtype=np.int64) for side in (a, b)]
    late = np.abs(begins[0][:, None] - begins[1]) / (tolerance.window * NANOSECONDS)
    cost = late.copy()
    for key in ('impulse', 'normal', 'position'):
        x, y = (np.array([getattr(c, key) for c in side]) for side in (a, b))
        same = (x[:, None] == y) | (np.isnan(x[:, None]) & np.isnan(y))     # NaN is like NaN only
        apart = np.linalg.norm(np.where(same, 0.0, x[:, None] - y), axis=-1)
        size = 1.0 if key == 'position' else np.linalg.norm(x, axis=1)[:, None] + np.linalg.norm(y, axis=1)
        cost += np.where(apart == 0.0, 0.0, np.nan_to_num(apart / np.fmax(size, apart), nan=1.0))
    forbidden = late > 1.0
    if tolerance.parts:
        for key in ('part_a', 'part_b'):
            x, y = (np.array([getattr(c, key) for c in side], dtype=object) for side in (a, b))
            forbidden |= (x[:, None] != y) & (x[:, None] != '') & (y != '')
    cost[forbidden] = FORBIDDEN
    return cost


def _differences(a: Contact, b: Contact, tolerance: ContactTolerance, slack: Resolution, origin_ns: int):
    """What is beyond tolerance between the same contact in both runs, causes first: when and where, then how hard, then
    what came of it."""
    def say(quantity: str, error: float, limit: float, unit: str, x: str, y: str):
        # NaN on one side only is beyond every limit, on both sides it is equal: see apart
        if not error <= limit:
            by = f' by {error:.4g} {unit}, allowed {limit:.3g}' if error < inf else ''
            yield Difference(min(a.begin_ns, b.begin_ns), title(a), quantity, error, limit,
                             f'{quantity} differs{by}: expected {x}, actual {y}')

    def both(key: str) -> tuple[Vec, Vec]:
        return getattr(a, key), getattr(b, key)

    yield from say('begin', abs(a.begin_ns - b.begin_ns) / NANOSECONDS, tolerance.time, 's',
                   seconds(a.begin_ns, origin_ns), seconds(b.begin_ns, origin_ns))
    x, y = both('normal')
    yield from say('normal', _angle(x, y), tolerance.normal + slack.angle, 'rad', _say(x), _say(y))
    x, y = both('position')
    yield from say('position', apart(x, y), tolerance.position + slack.vector, 'm', _say(x), _say(y))
    for key, name in (('impulse', 'impulse'), ('total', 'whole impulse')):
        x, y = both(key)
        size = max(k for k in (0.0, long(x), long(y)) if k < inf)
        limit = tolerance.impulse + slack.vector + tolerance.impulse_relative * size
        yield from say(name, apart(x, y), limit, 'N s', _say(x), _say(y))
    if a.end_ns is not None and b.end_ns is not None:
        yield from say('end', abs(a.end_ns - b.end_ns) / NANOSECONDS, tolerance.time, 's', seconds(a.end_ns, origin_ns),
                       seconds(b.end_ns, origin_ns))
    if a.phases.replace('P', '') != b.phases.replace('P', ''):
        yield from say('phases', inf, 0.0, '', phases_text(a.phases), phases_text(b.phases))
    else:
        yield from say('persists', float(abs(a.phases.count('P') - b.phases.count('P'))), tolerance.persists, 'events',
                       phases_text(a.phases), phases_text(b.phases))
    if a.kind != b.kind:
        yield from say('kind', inf, 0.0, '', kind_name(a.kind), kind_name(b.kind))


def _alone(contact: Contact, side: str, tolerance: ContactTolerance) -> Difference:
    return Difference(contact.begin_ns, title(contact), f'only in {side}', inf, tolerance.negligible,
                      f'only in {side}: {phases_text(contact.phases)}, whole impulse {long(contact.total):.4g} N s, '
                      f'normal {_say(contact.normal)}')


def title(contact: Contact) -> str:
    """'d0 - wall (rotor_1 - face)'; a part without a name is left out."""
    named = ' - '.join(part for part in (contact.part_a, contact.part_b) if part)
    parts = f' ({named})' if named else ''
    return f'{contact.body_a} - {contact.body_b}{parts}'


def kind_name(kind: int) -> str:
    """'drone_wall'; a number that is not known stays a number."""
    return KINDS[kind] if 0 <= kind < len(KINDS) else str(kind)


def long(v: Vec) -> float:
    """Length of a vector, of absurd numbers, too."""
    largest = max(map(abs, v))
    # squares of absurd numbers are none
    return largest * length([x / largest for x in v]) if 0.0 < largest < inf else largest


def apart(x: Vec, y: Vec) -> float:
    """Distance; components that are equal, NaN or infinite on both sides count 0, on one side inf."""
    d = [0.0 if p == q or (p != p and q != q) else abs(p - q) for p, q in zip(x, y, strict=True)]
    return inf if any(k != k for k in d) else long(d)


def _angle(x: Vec, y: Vec) -> float:
    """Between two vectors, rad, exactly 0 for equal ones; zero vectors have no direction, so only equal ones agree."""
    if apart(x, y) == 0.0:
        return 0.0
    sizes = long(x), long(y)
    if not (0.0 < sizes[0] < inf and 0.0 < sizes[1] < inf):
        return inf
    p, q = np.array(x) / sizes[0], np.array(y) / sizes[1]
    return 2.0 * atan2(length(p - q), length(p + q))


def _say(v: Vec) -> str:
    return '(' + ', '.join(f'{x:.6g}' for x in v) + ')'
