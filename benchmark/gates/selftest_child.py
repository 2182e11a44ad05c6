"""The parts of `hakoniwa-rigid selftest` in a process that `selftest_matrix` starts: hashes as lines of JSON.

    python benchmark/gates/selftest_child.py BEGINNING [--brief]

First comes a line of what the process runs on, then one of each part: its name, the hash of the first BEGINNING arrays
and events that it gives, and that of all; with --brief it stops after the beginning.  Needs nothing but the package in
PYTHONPATH, and compiles only what the parts call.
"""
import hashlib
import json
import os
import platform
import sys
from itertools import islice

import numba
import numpy as np
import scipy
from numba import config
from numba.core.registry import cpu_target

from hakoniwa_rigid import selftest

# parts that need no minutes as plain Python
BRIEF = ('shapes land', 'a closed room', 'tumbling', 'a smooth floor', 'drones that are corrected')


def facts():
    """What bits could depend on."""
    triple, processor, features = cpu_target.target_context.codegen().magic_tuple()
    on = [word for word in ('avx', 'avx2', 'fma', 'avx512f', 'neon', 'sve') if f'+{word}' in features.split(',')]
    return {'python': platform.python_version(), 'numba': numba.__version__, 'numpy': np.__version__,
            'scipy': scipy.__version__, 'C library': os.confstr('CS_GNU_LIBC_VERSION'), 'machine': platform.machine(),
            'processor': 'not compiled' if config.DISABLE_JIT else ' '.join([processor, *on]), 'triple': triple}


def hashes(part, beginning, brief):
    """(hash of the first items, hash of all or None)."""
    items, sha = part(), hashlib.sha256()
    for data in islice(items, beginning):
        sha.update(data)
    first = sha.hexdigest()[:32]
    if brief:
        return first, None
    for data in items:
        sha.update(data)
    return first, sha.hexdigest()[:32]


if __name__ == '__main__':
    print(json.dumps(facts()), flush=True)
    for name in BRIEF if '--brief' in sys.argv else selftest.PARTS:
        print(json.dumps([name, *hashes(selftest.PARTS[name], int(sys.argv[1]), '--brief' in sys.argv)]), flush=True)
