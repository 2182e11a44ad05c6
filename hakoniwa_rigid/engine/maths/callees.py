# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Kernels that only other kernels call are compiled up to LLVM's optimised code, and no further.

numba makes machine code of every function that it compiles, though nobody can call one that has no wrapper for Python:
what runs is the copy in the entry above it.
"""
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.typed_passes import AnnotateTypes


class _Codegen:
    """That of the process, for a library without machine code; environments are set by who links it in (`set_all`)."""

    def __init__(self, codegen):
        self._codegen = codegen

    def __getattr__(self, name):
        return getattr(self._codegen, name)

    def set_env(self, env_name, env):
        """Nothing to set it in."""


class _Library(JITCodeLibrary):
    """What is linked into others."""

    @property
    def codegen(self):
        """As CodeLibrary has it."""
        return _Codegen(self._codegen)

    def _finalize_final_module(self):
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


@register_pass(mutates_CFG=False, analysis_only=True)
class _TakeLibrary(AnalysisPass):
    _name = 'library without machine code'

    def __init__(self):
        AnalysisPass.__init__(self)

    def run_pass(self, state):
        state.library = _Library(state.targetctx.codegen(), state.func_id.func_qualname)
        return False


def set_all(compiled):
    """Set the environments of a function that was compiled, and of all that was linked into it: what numba hands to
    Python where an error has arguments.  numba does the same for a function that it loads."""
    compiled.library._ensure_finalized()
    for env in compiled._find_referenced_environments():
        compiled.library.codegen.set_env(env.env_name, env)


class Callee(CompilerBase):
    """numba's pipeline, but for the library."""

    def define_pipelines(self):
        """As CompilerBase wants it."""
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.add_pass_after(_TakeLibrary, AnnotateTypes)
        pipeline.finalize()
        return [pipeline]
