"""No regression of speed: `make bench-check`.

The time of a step beside that of MuJoCo in the same run is compared with benchmark/expected.json, where it may be 20 %
more.  Both run the same stretch several times, by turns, and of each round the least time counts; what seems slower
gets two more tries.  On a processor that the file has no ratios of, they are printed and nothing fails.  `--write`
writes them, and the counts of `work`, which are the same everywhere and compared by `make test`.
"""
import argparse
import sys

import numpy as np

from . import expected, report, scenes
from .engines.hakoniwa import Hakoniwa
from .engines.mujoco import MuJoCo
from .timing import clock, stay
from .work import SCENES, work

RUN_IN, SETTLE = 100, 2         # steps; the second after every restore, to have all at hand again
LAPS, ROUNDS, ATTEMPTS = 5, 6, 3
# scene, steps of a round
CASES = {'1 spheres': (lambda: scenes.room(1), 2000), '100 spheres': (lambda: scenes.room(100), 300),
         '1000 spheres': (lambda: scenes.room(1000), 40), '100 boxes': (lambda: scenes.room(100, 'boxes'), 100),
         '1000 boxes': (lambda: scenes.room(1000, 'boxes'), 30),
         '100 compounds': (lambda: scenes.room(100, 'compounds'), 50),
         '50 boxes at rest': (lambda: scenes.resting(50), 50)}


class Race:
    """This engine and MuJoCo over one stretch, again and again; least times of every round."""

    def __init__(self, scene, steps):
        self.subjects, self.steps = [Hakoniwa(scene), MuJoCo(scene)], steps
        for s in self.subjects:
            s.exchange(RUN_IN)
        self.starts = [s.save() for s in self.subjects]
        self.least = np.full((2, ROUNDS), np.inf)

    def run(self, laps):
        """So many laps more; returns the ratio found up to now."""
        for _ in range(laps):
            for s, start in zip(self.subjects, self.starts, strict=True):
                s.restore(start)
                s.exchange(SETTLE)
            for k in range(ROUNDS):
                for row, s in zip(self.least, self.subjects, strict=True):
                    row[k] = min(row[k], clock(s.exchange, self.steps))
        ours, theirs = self.least.mean(axis=1)
        return ours / theirs

    def text(self):
        """Both means, µs."""
        ours, theirs = self.least.mean(axis=1)
        return f'{report.number(ours)} µs, MuJoCo {report.number(theirs)} µs, ratio {ours / theirs:.3f}'


def compare(known):
    """Ratios of all cases; `known`, if not None: what they should be, worse ones are tried again."""
    found, again = {}, {}
    for case, (make, steps) in CASES.items():
        race = Race(make(), steps)
        found[case] = race.run(LAPS)
        print(f'{case}: {race.text()}' + (f', expected {known[case]:.3f}' if known else ''), flush=True)
        if known and expected.worse({case: found[case]}, known):
            again[case] = race
    for _ in range(ATTEMPTS - 1):
        for case in expected.worse(found, known) if known else ():
            found[case] = again[case].run(LAPS)
            print(f'again {case}: {again[case].text()}', flush=True)
    return found


def main():
    """Exit status 1 where something is worse."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--write', action='store_true', help='take what is measured now as what is expected')
    write = parser.parse_args().write
    stay()
    print(f'{report.machine()}, MuJoCo {report.version("mujoco")}')
    if write:
        counts = {case: work(case) for case in SCENES}
        print('\n'.join(f'{case}: {figures}' for case, figures in counts.items()))
        expected.write(counts, compare(None))
        return 0
    known = expected.ratios()
    found = compare(known)
    if known is None:
        print(f'benchmark/expected.json has no ratios for {expected.here()} with MuJoCo {expected.mujoco()}: nothing '
              'is compared.  make bench-check CHECK_ARGS=--write adds them.')
        return 0
    slower = expected.worse(found, known)
    print('\n'.join(f'{case}: {found[case] / known[case] - 1.0:.0%} slower than expected' for case in slower)
          or 'no slower than expected')
    return 1 if slower else 0


if __name__ == '__main__':
    sys.exit(main())
