# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""No regression of speed: `make bench-check`.

The package of the parent commit and that of this tree run the same stretches by turns, in two processes on one core;
processor time is measured, and of each round of a stretch the least counts.  A step or tick may take 20 % more; what
seems slower gets two more tries.  Exit status 0: nothing is slower; 1: something is; 2: it could not be compared.
"""
import argparse
import sys
from pathlib import Path

import numpy as np

from benchmark import expected, report

from . import reference
from .talk import Child, ChildError

CASES = Path(__file__).with_name('bench_cases.py')
FINE, SLOWER, NOT_COMPARED = 0, 1, 2
ATTEMPTS = 3
WHO = 'the parent', 'this tree'


class CaseError(Exception):
    """A case that a package cannot run; whose."""

    def __init__(self, label, error):
        super().__init__(f'{label} says {error}')
        self.label = label


class Race:
    """The parent's package and ours over one stretch, again and again; least times of every round, µs a step."""

    def __init__(self, trees, cases, case):
        self._trees, self._cases, self._case = trees, cases, case
        self._least = [np.inf, np.inf]

    def run(self, laps):
        """So many laps more, in new processes: how memory happens to lie in one makes some per cent.  Returns our time
        over the parent's, found up to now."""
        with Child(self._trees[0], self._cases, self._case) as theirs, \
                Child(self._trees[1], self._cases, self._case) as ours:
            children = theirs, ours
            for child, label in zip(children, WHO, strict=True):
                _good(child.read(), label)
            for lap in range(laps):
                # by turns, and by turns who begins
                for k in (1, 0) if lap % 2 else (0, 1):
                    self._least[k] = np.minimum(self._least[k], _good(children[k].ask(), WHO[k])['times'])
        return self.means[1] / self.means[0]

    @property
    def means(self):
        """µs per step: the parent's, ours."""
        return [float(np.mean(least)) for least in self._least]

    def text(self):
        """For the terminal."""
        theirs, ours = self.means
        return (f'{self._case}: {report.number(ours)} µs, parent {report.number(theirs)} µs, '
                f'ratio {ours / theirs:.3f}')


def _good(answer, label):
    if 'error' in answer:
        raise CaseError(label, answer['error'])
    return answer


def is_slower(ratio):
    """Whether a ratio is beyond what is allowed; one that is no number is."""
    return not ratio <= expected.ALLOWED


def measure(trees, cases, case, laps):
    """Our time over the parent's; what seems slower is tried again."""
    race = Race(trees, cases, case)
    ratio = race.run(laps)
    for _ in range(ATTEMPTS - 1):
        if not is_slower(ratio):
            break
        print(f'{race.text()}, once more', flush=True)
        ratio = race.run(laps)
    print(race.text(), flush=True)
    return ratio


def compare(trees, cases, only=''):
    """case -> ratio, None for one that the parent cannot run.  CaseError for one that this tree cannot run."""
    with Child(trees[1], cases, '') as child:
        laps, found = child.read(), {}
        child.wait()
    for case, count in laps.items():
        if only not in case:
            continue
        try:
            found[case] = measure(trees, cases, case, count)
        except CaseError as error:
            if error.label != WHO[0]:
                raise
            print(f'{case}: new, {error}', flush=True)
            found[case] = None
    return found


def verdict(found):
    """Exit status and a line that says why."""
    ratios = {case: ratio for case, ratio in found.items() if ratio is not None}
    if not ratios:
        return NOT_COMPARED, 'not compared: no case runs on the parent'
    slower = [f'{case}: {ratio - 1.0:.0%} slower than the parent' for case, ratio in ratios.items() if is_slower(ratio)]
    return (SLOWER, '\n'.join(slower)) if slower else (FINE, f'{len(ratios)} cases, no slower than the parent')


def main(arguments=None, root=reference.ROOT, cases=CASES):
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--only', default='', help='cases with this in their names')
    only = parser.parse_args(arguments).only
    try:
        sha = reference.parent(root)
        print(f'{report.machine()}\nparent: {reference.title(sha, root)}\n{reference.PATIENCE}', flush=True)
        status, text = verdict(compare((reference.tree(sha, root), root), cases, only))
    except (reference.NoReferenceError, ChildError, CaseError, OSError) as error:
        status, text = NOT_COMPARED, f'not compared: {error}'
    print(text)
    return status


if __name__ == '__main__':
    sys.exit(main())
