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


class CaseError(Exception):
    """A case that a package cannot run."""


class Race:
    """The parent's package and ours over one stretch, again and again; least times of every round, µs a step."""

    def __init__(self, children, case):
        self._children, self._case, self._laps = children, case, 0
        self._least = [np.inf, np.inf]
        for child in children:
            _asked(child, {'make': case})

    def run(self, laps):
        """So many laps more; returns our time over the parent's, found up to now."""
        for _ in range(laps):
            # by turns, and by turns who begins
            self._laps += 1
            for k in (0, 1) if self._laps % 2 else (1, 0):
                times = _asked(self._children[k], {'lap': self._case})['times']
                self._least[k] = np.minimum(self._least[k], times)
        theirs, ours = (float(np.mean(least)) for least in self._least)
        return ours / theirs

    def text(self):
        """Both means, µs."""
        theirs, ours = (float(np.mean(least)) for least in self._least)
        return f'{report.number(ours)} µs, parent {report.number(theirs)} µs, ratio {ours / theirs:.3f}'


def _asked(child, word):
    answer = child.ask(word)
    if 'error' in answer:
        raise CaseError(answer['error'])
    return answer


def is_slower(ratio):
    """Whether a ratio is beyond what is allowed; one that is no number is."""
    return not ratio <= expected.ALLOWED


def measure(children, case, laps):
    """Our time over the parent's; what seems slower is tried again."""
    race = Race(children, case)
    ratio = race.run(laps)
    for _ in range(ATTEMPTS - 1):
        if not is_slower(ratio):
            break
        print(f'{case}: {race.text()}, again', flush=True)
        ratio = race.run(laps)
    print(f'{case}: {race.text()}', flush=True)
    return ratio


def compare(children, only=''):
    """case -> ratio, None for one that the parent cannot run.  CaseError for one that this tree cannot run."""
    laps, found = [child.hear() for child in children][1], {}
    for case, count in laps.items():
        if only not in case:
            continue
        try:
            found[case] = measure(children, case, count)
        except CaseError as error:
            # is it the parent alone that cannot?
            for verb in ('make', 'lap'):
                _asked(children[1], {verb: case})
            print(f'{case}: new, the parent says {error}', flush=True)
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
        print(f'{report.machine()}\nparent: {reference.title(sha, root)}; a new parent compiles its kernels first, some '
              'minutes', flush=True)
        with Child(reference.tree(sha, root), cases) as theirs, Child(root, cases) as ours:
            status, text = verdict(compare((theirs, ours), only))
    except (reference.NoReferenceError, ChildError, CaseError, OSError) as error:
        status, text = NOT_COMPARED, f'not compared: {error}'
    print(text)
    return status


if __name__ == '__main__':
    sys.exit(main())
