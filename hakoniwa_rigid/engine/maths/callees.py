# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Kernels that only other kernels call are compiled up to LLVM's code, each by itself, and no further.

numba links all that a function calls into it, optimises the whole, and makes machine code of it.  For a kernel without
a wrapper for Python that is done in vain: what runs is the copy in the entry above it.  With a thousand kernels, a
dozen storeys high, each was optimised again with every kernel above it.  Here an entry links all that it reaches, once,
and is optimised once.
"""
from types import ModuleType
from typing import ClassVar

from numba.core import ir, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, PassManager, _pass_registry, register_pass
from numba.core.postproc import PostProcessor
from numba.core.typed_passes import AnnotateTypes, IRLegalization, NativeLowering, NopythonRewrites
from numba.core.untyped_passes import InlineInlinables

from .jit import Kernel
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


@register_pass(mutates_CFG=True, analysis_only=False)
class _Inlining(InlineInlinables):
    """As numba's, where a function names another that is to be inlined (`jit.inline`)."""

    _name = 'inlining of what is named'

    def run_pass(self, state):
        return (any(map(_may_be_inlined, _named(state.func_ir.blocks)))
                and super().run_pass(state))


def _named(blocks):
    """Globals that code names, and what lies in modules among them."""
    for block in blocks.values():
        for assigned in block.find_insts(ir.Assign):
            if isinstance(assigned.value, ir.Global | ir.FreeVar):
                value = assigned.value.value
                yield from vars(value).values() if isinstance(value, ModuleType) else (value,)


def _may_be_inlined(value):
    return isinstance(value, Kernel) and value.is_inlined


@register_pass(mutates_CFG=True, analysis_only=False)
class _Rewrites(NopythonRewrites):
    """As numba's, where operations on whole arrays are to be made one."""

    _name = 'rewriting of what makes arrays'

    def run_pass(self, state):
        kinds = state.typemap
        return (any(isinstance(assigned.value, ir.Expr) and assigned.value.op in _OPERATIONS
                    and isinstance(kinds[assigned.target.name], types.Array)
                    for block in state.func_ir.blocks.values() for assigned in block.find_insts(ir.Assign))
                and super().run_pass(state))


_OPERATIONS = {'binop', 'call', 'inplace_binop', 'unary'}


class Passes(PassManager):
    """numba's, but that no event is told of each pass, nor its result checked: 1,000 kernels take 30 passes each."""

    def _runPass(self, _index, step, state):
        step.analysis = self._analysis
        changed = [run(state) for run in (step.run_initialization, step.run_pass, step.run_finalizer)]
        if any(changed) and _pass_registry.get(type(step)).mutates_CFG:
            PostProcessor(state.func_ir).run()


class _Compiler(CompilerBase):
    """numba's pipeline, but for the library, and passes of our own."""

    library: type
    passes = {NativeLowering: Lowering}
    _kept: ClassVar = {}

    def define_pipelines(self):
        """As CompilerBase wants it.  Passes know nothing of what they compile: numba's choice of them is kept for all
        that is compiled from Python, by the flags that it looks at."""
        flags = self.state.flags
        key = type(self), flags.no_rewrites, flags.enable_ssa, flags.auto_parallel.enabled
        if self.state.func_ir is not None:      # as of blocks that run in Python
            return [self._pipeline()]
        if key not in self._kept:
            self._kept[key] = self._pipeline()
        return [self._kept[key]]

    def _pipeline(self):
        numbas = DefaultPassBuilder.define_nopython_pipeline(self.state)
        numbas.add_pass_after(self.library, AnnotateTypes)
        made = Passes(numbas.pipeline_name)
        made.passes = [(self.passes.get(step, step), what) for step, what in numbas.passes]
        made.finalize()
        return made


class Callee(_Compiler):
    """Of what kernels call."""

    library = _ForCallers
    passes = {NativeLowering: Lowering, IRLegalization: Legalization, InlineInlinables: _Inlining,
              NopythonRewrites: _Rewrites}


class Entry(_Compiler):
    """Of what is called from outside: by Python, by address."""

    library = _ForPython
