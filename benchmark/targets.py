# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What issue 13 asks for, µs per step where MuJoCo takes `there`; on another machine the ratio of the two counts."""
from math import log
from typing import NamedTuple

from .report import grid, number


class Target(NamedTuple):
    """A case, the time asked for, and MuJoCo's time of the case `beside` on the machine of the plan (µs)."""

    case: str
    asked: float
    there: float
    beside: str

    @property
    def ratio(self):
        """Greatest time over that of MuJoCo."""
        return self.asked / self.there


TARGETS = (
    Target('1 spheres', 1.5, 2.5, '1 spheres'), Target('100 spheres', 3.0, 46.7, '100 spheres'),
    Target('1000 spheres', 10.0, 560.0, '1000 spheres'), Target('10000 spheres', 100.0, 9149.0, '10000 spheres'),
    Target('1000 spheres, step only', 6.0, 560.0, '1000 spheres'),
    Target('100 boxes', 8.0, 57.0, '100 boxes'), Target('1000 boxes', 60.0, 658.0, '1000 boxes'),
    # no time of MuJoCo's is known there for these: its spheres tell how fast that machine is
    Target('1000 compounds', 100.0, 560.0, '1000 spheres'),
    Target('pile of 200 boxes', 1.0, 1.0, 'pile of 200 boxes'))
# from 1000 spheres to 100,000 the time may grow as their number to this power
POWER, FEW, MANY = 1.1, '1000 spheres', '100000 spheres'
COLD_START = 1.0                        # s


def rows(times):
    """Texts of the table; times: (case, engine's name) -> µs."""
    for t in TARGETS:
        ours, theirs = times.get((t.case, 'hakoniwa_rigid')), times.get((t.beside, 'MuJoCo'))
        if ours is None or theirs is None:
            continue
        missed = ours / theirs / t.ratio
        there = ('no more than MuJoCo', '-') if t.asked == t.there else (number(t.asked), number(t.there))
        yield (t.case, *there, number(t.ratio), number(ours), number(theirs), number(ours / theirs),
               f'{_yes(missed <= 1.0)}: {number(missed)} of it')


def _yes(met):
    return 'met' if met else 'not met'


def growth(times):
    """How the time of ours grows with the number, as a power; None where not all is measured."""
    few, many = (times.get((case, 'hakoniwa_rigid')) for case in (FEW, MANY))
    return log(many / few) / log(100.0) if few and many else None


def lines(figures, cold):
    """Markdown: all targets beside what was measured; cold: s of a cold start."""
    times = {(f.case, f.engine): f.median for f in figures}
    head = ('µs per step', 'asked there', 'MuJoCo there', 'ratio asked', 'here', 'MuJoCo here', 'ratio here', 'target')
    power = growth(times)
    linear = [] if power is None else [
        f'Linear to 100,000: from 1000 spheres on the time grows as N to the power {power:.2f}, at most {POWER} asked: '
        f'{_yes(power <= POWER)}.', '']
    return [*grid(head, rows(times)), '', *linear,
            f'Cold start: {cold:.2f} s, at most {COLD_START:g} s asked: {_yes(cold <= COLD_START)}.']
