# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Where the time of a step goes: `make profile` prints ns per body of every stage beside what the machine could do.

Stages are timed one by one, over and over on one state; `contacts` is what the whole step takes beyond them.  Bytes and
operations are counted (see `tally`), the limits measured (see `roofline`).  All of it also goes into
docs/performance.md, between two lines there, and docs/images/roofline.png.
"""
from pathlib import Path
from typing import NamedTuple

from numba import njit

from hakoniwa_rigid.engine.detect.broadphase import rebuild
from hakoniwa_rigid.engine.detect.contact_pairs import find_contact_pairs
from hakoniwa_rigid.engine.detect.hit_reach import pairs_in_reach
from hakoniwa_rigid.engine.detect.motion_bounds import motion_bounds
from hakoniwa_rigid.engine.integrate.free_flight import fly_free_bodies
from hakoniwa_rigid.engine.maths.unit import link
from hakoniwa_rigid.engine.model.handle import arrays_at, table_of

from . import report, roofline, scenes
from .engines.hakoniwa import Hakoniwa
from .report import number
from .tally import counts
from .timing import repeat, seconds, stay

RUN_IN, STEPS = 200, 100
NUMBERS = {'spheres': (1, 100, 1000, 10_000, 100_000), 'boxes': (1, 100, 1000, 10_000), 'compounds': (1, 100, 1000)}
STAGES = ('bounds', 'list', 'contact pairs', 'free flight', 'contacts')
# numbers that are held against the limits; the first of a kind is what is counted, the same for all per body
HELD = {'spheres': (1000, 10_000), 'boxes': (1000,), 'compounds': (1000,)}
DOCS = Path(__file__).resolve().parents[1] / 'docs'
BEGIN, END = '<!-- make profile: begin -->', '<!-- make profile: end -->'


class Profile(NamedTuple):
    """ns per body: of the stages in the order of STAGES, the step, all forces set, all poses read; list rebuilds a
    step."""

    stages: tuple
    step: float
    given: float
    read: float
    rebuilds: float


@njit(error_model='numpy')
def _bounds(table, h, times):
    s = arrays_at(table)
    for _ in range(times):
        motion_bounds(s, h, 0, len(s.block))


@njit(error_model='numpy')
def _list(table, h, times):
    s = arrays_at(table)
    motion_bounds(s, h, 0, len(s.block))   # free flight has left other things where reaches were
    for _ in range(times):
        rebuild(s)


@njit(error_model='numpy')
def _near(table, h, times):
    s = arrays_at(table)
    far = motion_bounds(s, h, 0, len(s.block))[2]
    for _ in range(times):
        find_contact_pairs(s, h, pairs_in_reach(s, h, far)[0])


@njit(error_model='numpy')
def _fly(table, h, times):
    s = arrays_at(table)
    for _ in range(times):
        fly_free_bodies(s, h, 0, len(s.block))


def profile(e):
    """Profile of an engine that has run in."""
    w, before, n = e.world, e.world.stats().list_rebuilds, e.n
    e.exchange(STEPS)
    rebuilds = (w.stats().list_rebuilds - before) / STEPS
    saved, times, found = w.save(), max(20_000 // n, 3), {}
    for name, stage in zip(STAGES, (_bounds, _list, _near, _fly), strict=False):
        w.restore(saved)
        arrays = w._s
        table = table_of(arrays)
        stage(table, 1e-3, 1)
        found[name] = seconds(lambda k, stage=stage, table=table: stage(table, 1e-3, k), times)
    w.restore(saved)
    found['list'] *= rebuilds
    step = seconds(e.steps, max(STEPS, 2000 // n), 3)

    def set_forces():
        w.force = e.thrust
    given, read = seconds(repeat(set_forces), times), seconds(repeat(lambda: w.pose), times)
    stages = (*found.values(), max(step - sum(found.values()), 0.0))
    return Profile(tuple(1e9 * t / n for t in stages), *(1e9 * t / n for t in (step, given, read)), rebuilds)


def stage_table(profiles):
    """Markdown lines; profiles: (kind, n) -> Profile."""
    head = ('ns per body', *STAGES, 'step', 'forces in', 'poses out', 'steps per list')
    rows = [(f'{n} {kind}', *map(number, (*p.stages, p.step, p.given, p.read)),
             number(1.0 / p.rebuilds) if p.rebuilds > 0.0 else '-') for (kind, n), p in profiles.items()]
    return report.grid(head, rows)


def size_of(world):
    """Bytes of all arrays of a world that a step goes through from end to end."""
    s, live = world._s, int(world._s.count[0])
    return s.block.nbytes + s.todo.nbytes + s.load.nbytes // 2 + live * (s.pairs.itemsize * 2 + s.clear.itemsize * 4)


def limit_rows(kind, n, p, size, count, limit):
    """Rows of the table of limits for one Profile; its points in the picture, by stage."""
    rows, points = [], {}
    for stage, measured in zip(STAGES, p.stages, strict=True):
        c = count[stage]
        share = p.rebuilds if stage == 'list' else 1.0
        if c.flops * share < 1.0 or measured == 0.0:    # hardly ever happens: its cost is that of asking
            continue
        memory, arithmetic = (share * t for t in limit.least(c, size))
        rows.append((f'{stage}, {n} {kind}', *map(number, (
            share * c.read, share * c.written, share * c.flops, share * c.slow, memory, arithmetic, measured,
            measured / max(memory, arithmetic)))))
        points[stage] = (c.flops / (c.read + c.written), share * c.flops / measured)
    return rows, points


def main():
    """Measure, print, write."""
    stay()
    link()
    limit, profiles, rows, points = roofline.limits(), {}, [], {}
    for kind, numbers in NUMBERS.items():
        count = None
        for n in numbers:
            scene = scenes.room(n, kind)
            e = Hakoniwa(scene)
            e.exchange(RUN_IN if n <= 10_000 else STEPS)
            if n in HELD[kind]:
                count = count or counts(kind, scene, e.world)
            p = profiles[kind, n] = profile(e)
            print(f'{n} {kind}:', ', '.join(f'{s} {number(t)}' for s, t in zip(STAGES, p.stages, strict=True)),
                  f'step {number(p.step)} ns per body', flush=True)
            if n in HELD[kind]:
                new, points[f'{n} {kind}'] = limit_rows(kind, n, p, size_of(e.world), count, limit)
                rows += new
    head = ('per body and step', 'bytes read', 'written', 'operations', 'divisions, roots', 'ns by memory',
            'ns by arithmetic', 'ns measured', 'times the limit')
    lines = [f'Machine: {report.machine()}.', '', *stage_table(profiles), '', *roofline.machine_lines(limit), '',
             *report.grid(head, rows), '', '![roofline](images/roofline.png)']
    print('\n'.join(lines))
    report.put_between(DOCS / 'performance.md', BEGIN, END, lines)
    roofline.picture(limit, points, DOCS / 'images' / 'roofline.png')


if __name__ == '__main__':
    main()
