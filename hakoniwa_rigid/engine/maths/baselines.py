# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Processors for which machine code comes with a package, and which of them this machine's processor can run.

A baseline is a level of the x86-64 psABI: a set of instructions that every processor of that level has.  Its machine
code lies in `<package>/kernels/<baseline>`, in folders like those of the sources, is never written to, and is looked at
before the user's cache (`shared_cache`).  Results are the same bits on all of them (docs/determinism.md).
"""
from llvmlite import binding as llvm
from numba import config

__all__ = ['BASELINES', 'runnable']

_V2 = frozenset({'cx16', 'popcnt', 'sahf', 'sse3', 'sse4.1', 'sse4.2', 'ssse3'})
_V3 = _V2 | {'avx', 'avx2', 'bmi', 'bmi2', 'f16c', 'fma', 'lzcnt', 'movbe', 'xsave'}
_V4 = _V3 | {'avx512bw', 'avx512cd', 'avx512dq', 'avx512f', 'avx512vl'}
# as LLVM calls them, the best first: the instructions that their code may use
BASELINES = {'x86-64-v4': _V4, 'x86-64-v3': _V3}


def runnable():
    """Names of the baselines whose code runs here, the best first.

    Whoever has numba compile for another processor (NUMBA_CPU_NAME) gets the code of exactly that one, or none.
    """
    if config.CPU_NAME is not None or config.CPU_FEATURES is not None:
        return tuple(name for name in BASELINES if (name, '') == (config.CPU_NAME, config.CPU_FEATURES))
    try:
        # what the system does not let programs use is not among them
        there = {name for name, usable in llvm.get_host_cpu_features().items() if usable}
    except RuntimeError:    # LLVM does not know this processor
        return ()
    return tuple(name for name, needs in BASELINES.items() if needs <= there)
