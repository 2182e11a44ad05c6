"""Where the time of a step goes: `make profile` prints ns per body of every stage, and what the machine could do.

Stages are timed one by one, over and over on one state; `contacts` is what the whole step takes beyond them.
"""
import os
import time

import numpy as np
from numba import njit

from hakoniwa_rigid.engine.detect.broadphase import rebuild
from hakoniwa_rigid.engine.detect.near import find_near_pairs
from hakoniwa_rigid.engine.detect.survey import survey
from hakoniwa_rigid.engine.handle import arrays_at, table_of
from hakoniwa_rigid.engine.integrate.free_flight import fly_free_bodies
from hakoniwa_rigid.engine.maths.unit import link

from . import report, scenes
from .engines.hakoniwa import Hakoniwa

RUN_IN, STEPS, ROUNDS = 200, 100, 7
NUMBERS = {'spheres': (1, 100, 1000, 10_000), 'boxes': (1, 100, 1000)}
STAGES = ('survey', 'list', 'near pairs', 'free flight', 'contacts', 'step', 'forces in', 'poses out')


@njit(error_model='numpy')
def _survey(table, h, times):
    s = arrays_at(table)
    for _ in range(times):
        survey(s, h)


@njit(error_model='numpy')
def _list(table, h, times):
    s = arrays_at(table)
    for _ in range(times):
        rebuild(s)


@njit(error_model='numpy')
def _near(table, h, times):
    s = arrays_at(table)
    far = survey(s, h)[2]
    for _ in range(times):
        find_near_pairs(s, h, far)


@njit(error_model='numpy')
def _fly(table, h, times):
    s = arrays_at(table)
    for _ in range(times):
        fly_free_bodies(s, 0.0)


def seconds(call, times):
    """Least processor time of one of `times` calls, over the rounds."""
    best = np.inf
    for _ in range(ROUNDS):
        start = time.process_time()
        call(times)
        best = min(best, (time.process_time() - start) / times)
    return best


def repeat(call):
    """A function that makes any number of calls."""
    def times(n):
        for _ in range(n):
            call()
    return times


def profile(kind, n):
    """ns per body of every stage, as in STAGES, of S(n)."""
    scene = scenes.room(n, kind)
    e = Hakoniwa(scene)
    e.exchange(RUN_IN)
    w, before = e.world, e.world.stats().list_rebuilds
    e.exchange(STEPS)
    rebuilds = (w.stats().list_rebuilds - before) / STEPS
    step = seconds(e.steps, max(STEPS, 2000 // n))
    saved, times, found = w.save(), max(20_000 // n, 3), []
    for stage in (_survey, _near, _list, _fly):
        w.restore(saved)
        arrays = w._s
        table = table_of(arrays)
        stage(table, 1e-3, 1)
        found.append(seconds(lambda k, stage=stage, table=table: stage(table, 1e-3, k), times))
    w.restore(saved)
    survey_s, near_s, list_s, fly_s = found

    def set_forces():
        w.force = e.thrust
    list_s *= rebuilds
    rest = max(step - survey_s - near_s - list_s - fly_s, 0.0)
    given, read = seconds(repeat(set_forces), times), seconds(repeat(lambda: (w.pos, w.quat)), times)
    return [1e9 * t / n for t in (survey_s, list_s, near_s, fly_s, rest, step, given, read)]


@njit(error_model='numpy')
def _multiply_add(lanes, times):
    for _ in range(times):
        for k in range(64):
            lanes[k] = lanes[k] * 0.999 + 1e-3


def limits():
    """GB/s of a copy beyond the caches, and GFLOP/s of products and sums in registers."""
    a = np.zeros(1 << 25)
    b = np.ones_like(a)
    copy = seconds(repeat(lambda: np.copyto(b, a)), 3)
    lanes = np.ones(64)
    _multiply_add(lanes, 1)
    return 2e-9 * a.nbytes / copy, 128e-9 / seconds(lambda k: _multiply_add(lanes, k), 1_000_000)


def main():
    """Print the table."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    link()
    print(report.machine())
    print('copies {:.1f} GB/s, products and sums {:.1f} GFLOP/s'.format(*limits()))
    print('\n'.join(['| ns per body | ' + ' | '.join(STAGES) + ' |', '|---' * (len(STAGES) + 1) + '|']))
    for kind, numbers in NUMBERS.items():
        for n in numbers:
            print(f'| {n} {kind} | ' + ' | '.join(map(report.number, profile(kind, n))) + ' |', flush=True)


if __name__ == '__main__':
    main()
