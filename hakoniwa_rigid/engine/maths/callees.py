# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Kernels that only other kernels call are compiled up to LLVM's code, each by itself, and no further.

numba links all that a function calls into it, optimises the whole, and makes machine code of it.  For a kernel without
a wrapper for Python that is done in vain: what runs is the copy in the entry above it.  With a thousand kernels, a
dozen storeys high, each was optimised again with every kernel above it.  Here an entry links all that it reaches, once,
and is optimised once.
"""
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.typed_passes import AnnotateTypes, IRLegalization, NativeLowering

from .lean_lowering import Legalization, Lowering


class _Codegen:
    """That of the process, for a library without machine code; environments are set by who links it in (`set_all`)."""

    def __init__(self, codegen):
        self._codegen = codegen

    def __getattr__(self, name):
        return getattr(self._codegen, name)

    def set_env(self, env_name, env):
        """Nothing to set it in."""


class _Library(JITCodeLibrary):
    """What is linked into others: as it was lowered, without what it calls."""

    _whole = None

    @property
    def codegen(self):
        """As CodeLibrary has it."""
        return _Codegen(self._codegen)

    def _optimize_functions(self, ll_module):
        """The whole is optimised: there is little to clean up before."""
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self):
        """Nothing is linked into it."""
        self._raise_if_finalized()
        self._finalize_dynamic_globals()
        self._finalized = True

    def alone(self):
        """Its own module, to be linked many times."""
        return super()._get_module_for_linking()

    def _get_module_for_linking(self):
        """For those who link what they call themselves: with all that it calls."""
        if self._whole is None:
            self._whole = self.alone().clone()
            for library in reached(self._linking_libraries):
                self._whole.link_in(library._get_module_for_linking(), preserve=True)
        return self._whole


class _Alone:
    """A library as what links it sees it: without what it calls."""

    def __init__(self, library):
        # numba 0.60 and 0.61 have no list of what is to be run when code is loaded
        self._reload_init = getattr(library, '_reload_init', ())
        self._get_module_for_linking = library.alone


def reached(libraries):
    """All that libraries call, each once, those of kernels without what they call.  Callers come before what they call:
    what nothing refers to yet is not linked."""
    found, seen = [], set()

    def visit(library):
        if library not in seen:
            seen.add(library)
            for called in library._linking_libraries if isinstance(library, _Library) else ():
                visit(called)
            found.append(_Alone(library) if isinstance(library, _Library) else library)
    for library in libraries:
        visit(library)
    return found[::-1]


class _Linked(JITCodeLibrary):
    """What is machine code in the end."""

    def finalize(self):
        """As JITCodeLibrary does, with all that is reached."""
        self._linking_libraries = reached(self._linking_libraries)
        super().finalize()


class _TakeLibrary(AnalysisPass):
    """The library that code is put into."""

    kind: type

    def __init__(self):
        AnalysisPass.__init__(self)

    def run_pass(self, state):
        state.library = self.kind(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return False


@register_pass(mutates_CFG=False, analysis_only=True)
class _ForCallers(_TakeLibrary):
    _name, kind = 'library without machine code', _Library


@register_pass(mutates_CFG=False, analysis_only=True)
class _ForPython(_TakeLibrary):
    _name, kind = 'library with all that is called', _Linked


def set_all(compiled):
    """Set the environments of a function that was compiled, and of all that was linked into it: what numba hands to
    Python where an error has arguments.  numba does the same for a function that it loads."""
    compiled.library._ensure_finalized()
    for env in compiled._find_referenced_environments():
        compiled.library.codegen.set_env(env.env_name, env)


class _Compiler(CompilerBase):
    """numba's pipeline, but for the library, and passes of our own."""

    library: type
    passes = {NativeLowering: Lowering}

    def define_pipelines(self):
        """As CompilerBase wants it."""
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.add_pass_after(self.library, AnnotateTypes)
        pipeline.passes = [(self.passes.get(step, step), what) for step, what in pipeline.passes]
        pipeline.finalize()
        return [pipeline]


class Callee(_Compiler):
    """Of what kernels call."""

    library, passes = _ForCallers, {NativeLowering: Lowering, IRLegalization: Legalization}


class Entry(_Compiler):
    """Of what is called from outside: by Python, by address."""

    library = _ForPython
