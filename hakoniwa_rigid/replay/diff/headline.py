# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The verdict in one sentence, the cause first: the same in the terminal, the HTML report and JUnit."""
from __future__ import annotations

from math import inf

from hakoniwa_rigid.brief import MOST_VALUE, cut
from hakoniwa_rigid.codec.message_fields import NANOSECONDS

from .contacts import apart, long
from .records import SIDES, Vec
from .report import Difference, Match, PairResult, Report

LARGEST_PERCENT = 1000.0    # beyond it both numbers say more


def headline(report: Report) -> str:
    """'materials.hard.restitution differs (expected 0.5, actual 0.2); first divergence: d0 - end at 0.600 s, impulse
    -20 %; what follows is its consequence'."""
    if report.first is None:
        return '; '.join([_equal(report), *_cause(report)])
    after = ['what follows is its consequence'] if len(report.differences) > 1 else []
    return '; '.join([*_cause(report), f'first divergence: {divergence(report)}', *after])


def divergence(report: Report) -> str:
    """'d0 - end at 0.600 s, impulse -20 %'; '' where nothing differs."""
    first = report.first
    if first is None:
        return ''
    pair, match = first_contact(report)
    where = cut(pair.name if pair else first.where, MOST_VALUE)
    return f'{where} at {(first.at_ns - report.origin_ns) / NANOSECONDS:.3f} s, {_what(first, pair, match)}'


def first_contact(report: Report) -> tuple[PairResult | None, Match | None]:
    """The pair of bodies that differs first, and its contact where it is in both runs; None where it is something else
    that does."""
    first = report.first
    for pair in report.pairs:
        if any(d is first for d in pair.differences):
            return pair, next((m for m in pair.matches if any(d is first for d in m.differences)), None)
    return None, None


def bodies_of(report: Report) -> tuple[str, ...]:
    """Names of the bodies that the first difference is about."""
    first, (pair, _) = report.first, first_contact(report)
    if pair:
        return pair.body_a, pair.body_b
    return tuple(t.drone for t in report.trajectories if any(d is first for d in t.differences))


def _equal(report: Report) -> str:
    contacts = sum(len(p.matches) for p in report.pairs)
    events = sum(c.in_both for c in report.constraints)
    more = f', {events} events of constraints' if events else ''
    how = 'to the bit' if report.exact else 'within tolerances'
    return f'equal {how}: {len(report.trajectories)} trajectories, {contacts} contacts{more}'


def _cause(report: Report) -> list[str]:
    """What is not the same before the first tick: the law, or the key that matters most."""
    if report.other_law:
        return [f'made by another version of the law (expected {report.laws[0]}, actual {report.laws[1]})']
    if not report.changes:
        return []
    change, *rest = report.changes
    return [f'{change} and {len(rest)} more' if rest else str(change)]


def _what(first: Difference, pair: PairResult | None, match: Match | None) -> str:
    """What differs, in a few words, with its sign where it has one."""
    if match is None:
        if pair is not None and first.quantity == f'only in {SIDES[0]}':
            return 'contact missing'
        if pair is not None:
            return 'contact not expected'
        # 'APE translation 0.02 m, allowed 0.001; at most 0.1 m'
        return cut(first.text.partition(', allowed ')[0], MOST_VALUE)
    a, b = match.expected, match.actual
    if first.quantity == 'begin':
        return _later(b.begin_ns - a.begin_ns)
    if first.quantity == 'end' and a.end_ns is not None and b.end_ns is not None:
        return f'ends {_later(b.end_ns - a.end_ns)}'
    if first.quantity in ('impulse', 'whole impulse'):
        vectors = (a.impulse, b.impulse) if first.quantity == 'impulse' else (a.total, b.total)
        return _impulse(first, *vectors)
    units = {'normal': 'rad', 'position': 'm'}
    if first.quantity in units and first.error < inf:
        return f'{first.quantity} {first.error:.3g} {units[first.quantity]} away'
    return f'{first.quantity} differs'


def _later(by_ns: int) -> str:
    return f'{abs(by_ns) / 1e6:.3g} ms {"later" if by_ns > 0 else "earlier"}'


def _impulse(first: Difference, one: Vec, two: Vec) -> str:
    """In per cent of the expected length, where it is the length that differs."""
    before, after, off = long(one), long(two), apart(one, two)
    if not (0.0 < before < inf and after < inf and off < inf):
        return f'{first.quantity} differs'
    percent = 100.0 * (after - before) / before
    if abs(after - before) < 0.5 * off or not abs(percent) < LARGEST_PERCENT:
        return f'{first.quantity} off by {off:.3g} N s'
    return f'{first.quantity} {percent:+.2g} %' if abs(percent) < 10.0 else f'{first.quantity} {percent:+.0f} %'
