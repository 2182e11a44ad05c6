# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Where the time goes when the step is compiled: `python -m benchmark.compile_time`, minutes, tables for
docs/performance.md.

The step with all that it calls by address, in one process with an empty cache, in s of processor time: by what numba
and LLVM do, and by module.  What runs while a kernel's callees are compiled counts for these.
"""
import os
import sys
import tempfile
import time
from collections import Counter

MODULES = 15


class Clock:
    """s of processor time of calls, less those of other clocked calls within them."""

    def __init__(self):
        self.seconds, self.calls, self._inner = Counter(), Counter(), [0.0]

    def wrap(self, owner, name, label):
        """Clock a method under label(self, *its arguments)."""
        plain = getattr(owner, name)

        def clocked(*args, **keywords):
            start = time.process_time()
            self._inner.append(0.0)
            try:
                return plain(*args, **keywords)
            finally:
                spent, what = time.process_time() - start, label(*args)
                self.seconds[what] += spent - self._inner.pop()
                self.calls[what] += 1
                self._inner[-1] += spent
        setattr(owner, name, clocked)


def table(head, rows):
    """Lines of Markdown."""
    return '\n'.join([f'| {head} | s | calls |', '|---|--:|--:|', *(f'| {a} | {b:.1f} | {c} |' for a, b, c in rows)])


def main():
    """Print both tables."""
    import llvmlite.binding as llvm
    from numba.core import codegen, compiler, compiler_machinery

    from hakoniwa_rigid import kernel_cache
    from hakoniwa_rigid.engine.maths import callees

    work, modules = Clock(), Clock()
    for owner, name, label in (
            (codegen.CPUCodeLibrary, '_optimize_functions', 'LLVM: functions one by one'),
            (codegen.CPUCodeLibrary, '_optimize_final_module', 'LLVM: all that an entry reaches'),
            (codegen.JITCodeLibrary, '_finalize_specific', 'LLVM: machine code'),
            (llvm.ModuleRef, 'link_in', 'LLVM: linking')):
        work.wrap(owner, name, lambda *_, what=label: what)
    for passes in (compiler_machinery.PassManager, callees.Passes):
        work.wrap(passes, '_runPass', lambda _self, _index, step, *_: f'numba: {step.name()}')
    modules.wrap(compiler.CompilerBase, '_compile_core', lambda self: self.state.func_id.modname)
    start = time.process_time()
    kernel_cache.compile_step()
    kernel_cache.unit.link()
    total = time.process_time() - start
    least = 0.01 * total
    rows = [(what, s, work.calls[what]) for what, s in work.seconds.most_common() if s > least]
    rest = total - sum(s for _, s, _ in rows)
    print(table('step', [*rows, ('everything else', rest, ''), ('together', total, sum(modules.calls.values()))]), '\n')
    print(table('module', [(what.removeprefix('hakoniwa_rigid.'), s, modules.calls[what])
                           for what, s in modules.seconds.most_common(MODULES)]))


if __name__ == '__main__':
    if 'NUMBA_CACHE_DIR' in os.environ:
        main()
    else:
        with tempfile.TemporaryDirectory() as empty:
            sys.exit(os.spawnve(os.P_WAIT, sys.executable, [sys.executable, '-m', 'benchmark.compile_time'],
                                {**os.environ, 'NUMBA_CACHE_DIR': empty}))
