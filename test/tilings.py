# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Random floors of shapes side by side, many more than a test has time for: `.venv/bin/python test/tilings.py`.

Runs the generator of test/verification/test_seams.py from a seed on, kind after kind, and names each path that is not
that on one slab (1e-6 m) or that met a normal with a horizontal part.  Exit status 1 where there are any.
"""
import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent / 'verification'))
from test_seams import slide

KINDS = 'boxes', 'hulls', 'compound'


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--runs', type=int, default=1000, help='of each kind')
    parser.add_argument('--first', type=int, default=0, help='first seed')
    args = parser.parse_args()
    others, worst = 0, 0.0
    for seed in range(args.first, args.first + args.runs):
        slab = slide(seed, 'slab')[0]
        for kind in KINDS:
            path, aslant = slide(seed, kind)
            off = np.abs(path - slab).max()
            worst = max(worst, off)
            if off > 1e-6 or aslant > 1e-9:
                others += 1
                print(f'seed {seed}, {kind}: {off:.3g} m off, horizontal part of a normal {aslant:.3g}', flush=True)
    print(f'{others} of {len(KINDS) * args.runs} differ; at most {worst:.3g} m')
    return others > 0


if __name__ == '__main__':
    sys.exit(main())
