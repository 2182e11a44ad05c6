"""No regression of speed: `make bench-check`.

Two things are compared with benchmark/expected.json: the work of a fixed number of steps, counted, which is the same on
every machine; and the least time of a step beside that of MuJoCo in the same run, rounds alternating.  Either may be
20 % above what is written there.  `--write` writes it anew.
"""
import argparse
import json
import os
import sys
from pathlib import Path

from . import report, scenes
from .engines.hakoniwa import Hakoniwa, world
from .engines.mujoco import MuJoCo
from .side_by_side import clock

EXPECTED = Path(__file__).with_name('expected.json')
ALLOWED = 1.2
RUN_IN, ROUNDS, WORK_STEPS = 100, 15, 200
# steps of a round
CASES = {'1 spheres': ('spheres', 1, 2000), '100 spheres': ('spheres', 100, 300), '1000 spheres': ('spheres', 1000, 30),
         '100 boxes': ('boxes', 100, 100), '1000 boxes': ('boxes', 1000, 20)}


def work(kind, n):
    """What the engine did in WORK_STEPS steps of S(n), per step: counts that no clock touches."""
    scene = scenes.room(n, kind)
    w, near = world(scene), 0
    w.force[:n] = scene.force
    for _ in range(WORK_STEPS):
        w.step()
        near += int(w.stats().near_pairs)
    s = w.stats()
    return {'near pairs': near / WORK_STEPS, 'list rebuilds': s.list_rebuilds / WORK_STEPS,
            'impact events': s.impact_events / WORK_STEPS}


def ratio(kind, n, steps):
    """Least time of a step over that of MuJoCo."""
    scene = scenes.room(n, kind)
    subjects, least = [Hakoniwa(scene), MuJoCo(scene)], [float('inf')] * 2
    for s in subjects:
        s.exchange(RUN_IN)
    for _ in range(ROUNDS):
        for k, s in enumerate(subjects):
            least[k] = min(least[k], clock(s.exchange, steps))
    return least[0] / least[1]


def measure():
    """case -> figures."""
    found = {}
    for case, (kind, n, steps) in CASES.items():
        found[case] = {'beside MuJoCo': ratio(kind, n, steps), **work(kind, n)}
        print(case, {k: report.number(v) for k, v in found[case].items()}, flush=True)
    return found


def worse(found, expected):
    """Lines that say what has grown too much."""
    return [f'{case}: {key}: {got:.3g}, expected {expected[case][key]:.3g}' for case, figures in found.items()
            for key, got in figures.items() if got > ALLOWED * expected[case][key] + 1e-9]


def main():
    """Exit status 1 where something is worse."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--write', action='store_true', help='take what is measured now as what is expected')
    write = parser.parse_args().write
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    found = measure()
    if write:
        rounded = {c: {k: float(f'{v:.3g}') for k, v in f.items()} for c, f in found.items()}
        EXPECTED.write_text(json.dumps(rounded, indent=1) + '\n')
        return 0
    lines = worse(found, json.loads(EXPECTED.read_text()))
    print('\n'.join(lines) or 'no worse than expected')
    return 1 if lines else 0


if __name__ == '__main__':
    sys.exit(main())
