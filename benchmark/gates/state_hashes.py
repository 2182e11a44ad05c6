# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""No change of bits unnoticed: `make state-hashes`.

Every scene of `hash_scenes` runs with the package of the parent commit and with that of this tree, on this machine.
Where a bit of a state or an event differs, the scene is listed with the first step (or tick) at which it does, and the
largest difference of any number of its state.  Exit status 0: nothing has changed; 1: something has; 2: it could not
be compared.  A scene that the parent cannot run is new, and listed as such.
"""
import argparse
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np

from . import reference
from .talk import Child, ChildError

SCENES = Path(__file__).with_name('hash_scenes.py')
SAME, CHANGED, NOT_COMPARED = 0, 1, 2
# letters of a name in the list, and of a digest
NAME, DIGEST = 40, 12


class Change(NamedTuple):
    """first step or tick that differs; what does, 'state', 'events' or both; largest: difference of a number of state,
    inf where one is no number or there are others."""

    first: int
    what: str
    largest: float


def change(old, new):
    """The Change between two traces (states, events) that are not equal."""
    if old['states'].shape[1:] != new['states'].shape[1:]:
        return Change(0, 'the numbers of the state are others', np.inf)
    n = min(len(old['states']), len(new['states']))
    a, b = (t['states'][:n].reshape(n, -1) for t in (old, new))
    moved = (a.view(np.int64) != b.view(np.int64)).any(axis=1)
    reported = (old['events'][:n] != new['events'][:n]).any(axis=1)
    differs = np.flatnonzero(moved | reported)
    if not len(differs):
        return Change(n, 'one run is longer', np.inf)
    first = int(differs[0])
    what = ' and '.join(word for word, bits in (('state', moved), ('events', reported)) if bits[first])
    return Change(first, what, largest(a, b))


def largest(a, b):
    """The largest |a - b|; inf where one is no number and the other is, or another."""
    equal = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid='ignore'):
        gap = np.where(equal, 0.0, np.abs(a - b))
    return float(np.where(np.isfinite(gap), gap, np.inf).max(initial=0.0))


def follow(tree, who, scenes, bags, out, only):
    """name -> what a child said of each scene with the package of a tree; a line on the terminal for each."""
    out.mkdir()
    found = {}
    with Child(tree, scenes, 'run', bags, out, only) as child:
        for reported in child.lines():
            found[reported['name']] = reported
            print(f'  {who:8} {reported["name"]}', file=sys.stderr, flush=True)
        child.wait()
    return found


def run_both(trees, scenes, only):
    """What both packages gave, scene by scene, as (parent's, this tree's, Change or None)."""
    with tempfile.TemporaryDirectory(prefix='state_hashes_') as folder:
        bags, outs = Path(folder, 'bags'), [Path(folder, who) for who in ('parent', 'here')]
        bags.mkdir()
        with Child(trees[1], scenes, 'bags', bags) as child:
            child.wait()
        with ThreadPoolExecutor(2) as pool:
            old, new = pool.map(lambda tree, who, out: follow(tree, who, scenes, bags, out, only), trees,
                                ('parent', 'here'), outs)
        found = []
        for name, mine in new.items():
            theirs = old.get(name, {'error': 'not run'})
            different = None
            if 'digest' in mine and 'digest' in theirs and mine['digest'] != theirs['digest']:
                with np.load(theirs['file']) as a, np.load(mine['file']) as b:
                    different = change(a, b)
            found.append((theirs, mine, different))
        return found


def verdict(found):
    """Exit status and the lines that say why, of what run_both gave."""
    lines, broken, new, changed = [], 0, 0, 0
    for theirs, mine, different in found:
        name = f'{mine["name"]:{NAME}}'
        if 'error' in mine:
            broken += 1
            lines.append(f'FAILS     {name} {mine["error"]}')
        elif 'error' in theirs:
            new += 1
            lines.append(f'new       {name} {mine["digest"][:DIGEST]}, the parent says {theirs["error"]}')
        elif different is not None:
            changed += 1
            lines.append(f'CHANGED   {name} first at {different.first} of {mine["steps"]} ({different.what}), largest '
                         f'difference of state {different.largest:.3g}')
        else:
            lines.append(f'unchanged {name} {mine["digest"][:DIGEST]}, {mine["steps"]} steps')
    lines.append(f'{len(found) - broken - new - changed} scenes unchanged, {changed} changed, {new} new, {broken} fail')
    if broken or new == len(found):
        return NOT_COMPARED, [*lines, 'not compared: ' + ('a scene fails' if broken else 'no scene runs on the parent')]
    return (CHANGED if changed else SAME), lines


def main(arguments=None, root=reference.ROOT, scenes=SCENES):
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--only', default='', help='scenes with this in their names')
    only = parser.parse_args(arguments).only
    try:
        sha = reference.parent(root)
        print(f'parent: {reference.title(sha, root)}\n{reference.PATIENCE}', flush=True)
        status, lines = verdict(run_both((reference.tree(sha, root), root), scenes, only))
    except (reference.NoReferenceError, ChildError, OSError) as error:
        status, lines = NOT_COMPARED, [f'not compared: {error}']
    print('\n'.join(lines))
    return status


if __name__ == '__main__':
    sys.exit(main())
