# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Machine code of the kernels for another machine, made on this one: `selftest_matrix` runs it under an emulator.

    python benchmark/gates/selftest_cross.py TRIPLE CACHE

Under an emulator LLVM would take hours; it makes the same code for a target wherever it runs.  CACHE holds kernels for
this machine: each of them is compiled for TRIPLE, with the same types of arguments, into NUMBA_CACHE_DIR.  Versions of
Python, numba and LLVM are to be those of the emulated root.  NUMBA_CPU_NAME is the processor.  No kernel is run here.
"""
import pickle
import sys
from pathlib import Path

import llvmlite.binding as llvm

TRIPLE = sys.argv[1]
# numba asks these for the machine that it runs on
llvm.get_process_triple = lambda: TRIPLE
llvm.Target.from_default_triple = lambda: llvm.Target.from_triple(TRIPLE)
llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()

import selftest_child  # noqa: E402, F401 -- imports all that is compiled
from numba.core.dispatcher import Dispatcher  # noqa: E402

from hakoniwa_rigid.engine.maths import unit  # noqa: E402
from hakoniwa_rigid.engine.maths.shared_cache import SharedCache  # noqa: E402


def entries():
    """All that Python calls and the cache keeps."""
    found = {value for module in list(sys.modules.values()) if module.__name__.startswith('hakoniwa_rigid')
             for value in vars(module).values() if isinstance(value, Dispatcher)}
    return [entry for entry in found if isinstance(entry._cache, SharedCache)]


def signatures(folder: Path, entry) -> set:
    """Types of arguments that an entry has in a cache, of whatever version of Python."""
    found, name = set(), entry._cache._impl.filename_base.rpartition('.')[0]
    for index in folder.rglob(f'{name}.*.nbi'):
        with open(index, 'rb') as file:
            pickle.load(file)
            _, overloads = pickle.loads(file.read())
        found |= {signature for signature, _, _ in overloads}
    return found


if __name__ == '__main__':
    unit.link()
    for entry in entries():
        for signature in signatures(Path(sys.argv[2]), entry):
            print(entry.py_func.__name__, flush=True)
            entry.compile(signature)
