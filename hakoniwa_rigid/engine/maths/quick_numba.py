# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What numba looks up again and again while it compiles a thousand kernels, remembered.

A third of its time goes into the same few questions: which function adds two numbers, whether two sets of flags are
equal, which variables a statement has.  The answers are numba's own, or equal to them (docs/adr/0037).
"""
from contextlib import contextmanager

from numba.core import analysis, base, event, ir, postproc, targetconfig, transforms, types

# answers that are remembered: a first start has some 10,000
MOST_KNOWN = 50_000


def _remember_call_types():
    """What a function of numba's is for arguments of some types, in code that is compiled by some flags: it tries one
    template after the other, anew for every `a + b` of every kernel."""
    look_up, known, flags_now = types.BaseFunction.get_call_type, {}, targetconfig.ConfigStack.top_or_none

    def get_call_type(self, context, args, kws):
        if kws or not all(kind.is_precise() for kind in args):
            return look_up(self, context, args, kws)
        flags = flags_now()
        key = context, self, args if type(args) is tuple else tuple(args), flags
        found = known.get(key)
        if found is None:
            signature = look_up(self, context, args, kws)
            if len(known) >= MOST_KNOWN:
                known.clear()
            # flags are changed in place
            known[(*key[:3], None if flags is None else flags.copy())] = signature, self._impl_keys[signature.args]
            return signature
        signature, self._impl_keys[found[0].args] = found
        return signature
    types.BaseFunction.get_call_type = get_call_type


def _compare_flags():
    """Flags that have the same options set to the same are equal, whatever the defaults of all others."""
    config = targetconfig.TargetConfig
    equal, hashes = config.__eq__, {}

    def is_equal(self, other):
        if type(self) is type(other) and self._values == other._values:
            return True
        return equal(self, other)

    def of_names(self):     # numba's is of the names of the options, too
        kind = type(self)
        if kind not in hashes:
            hashes[kind] = hash(tuple(sorted(self.options)))
        return hashes[kind]
    config.__eq__, config.__hash__ = is_equal, of_names


def _list_variables():
    """The variables of a statement, without asking each of its parts for all that it may be."""
    variable, instruction, plain = ir.Var, ir.Inst, ir.Inst._rec_list_vars

    def collect(value, found):
        kind = type(value)
        if kind is variable:
            found.append(value)
        elif kind is list or kind is tuple:
            for part in value:
                collect(part, found)
        elif kind is dict:
            for part in value.values():
                collect(part, found)
        elif issubclass(kind, instruction):
            found.extend(value.list_vars())
        elif issubclass(kind, (variable, list, tuple, dict)):
            found.extend(plain(instruction(), value))

    def of_all(self, value):
        found = []
        collect(value, found)
        return found
    ir.Inst._rec_list_vars = of_all


class _EntryVariables(dict):
    """The variables that are alive at the entry of a block, once one asks: nothing of what we compile does.  A copy of
    the code has none: numba finds them anew before it needs them."""

    def __init__(self, blocks, lifetime):
        super().__init__()
        self._blocks, self._lifetime = blocks, lifetime

    def __missing__(self, block):
        blocks, known = self._blocks, self._lifetime
        found = analysis.compute_live_variables(known.cfg, blocks, known.usedefs.defmap, known.deadmaps.combined)
        self.update((each, found[offset]) for offset, each in blocks.items())
        return dict(self)[block]


def _flow(blocks):
    """From which block one comes to which."""
    return [(offset, tuple(block.terminator.get_targets())) for offset, block in blocks.items()]


def _look_at_lifetimes_late():
    """After every pass numba finds which variables are alive at each entry, which only objects and generators need, and
    whether loops have one end each, which few passes change."""
    processor = postproc.PostProcessor
    run = processor.run

    def run_late(self, emit_dels=False, extend_lifetimes=False):
        code = self.func_ir
        if code.is_generator:
            run(self, emit_dels, extend_lifetimes)
            return
        if getattr(code, 'canonical', None) != _flow(code.blocks):
            code.blocks = transforms.canonicalize_cfg(code.blocks)
            code.canonical = _flow(code.blocks)
        code.variable_lifetime = postproc.VariableLifetime(code.blocks)
        code.block_entry_vars = _EntryVariables(dict(code.blocks), code.variable_lifetime)
        code.generator_info = None
        if emit_dels:
            self._insert_var_dels(extend_lifetimes=extend_lifetimes)
    processor.run = run_late


def _measure_sizes_once():
    """Sizes of LLVM's types, for each of which a module is written and parsed."""
    context, known = base.BaseContext, {}
    measure = context.get_abi_sizeof

    def get_abi_sizeof(self, kind):
        key = self.target_name, str(kind)
        if key not in known:
            known[key] = measure(self, kind)
        return known[key]
    context.get_abi_sizeof = get_abi_sizeof


def _time_once():
    """How long numba's locks are held, which every kernel is told of that is being compiled, a dozen storeys of them:
    now the outermost."""
    install_timer, running = event.install_timer, set()

    @contextmanager
    def outermost(kind, callback):
        if kind in running:
            yield None
            return
        if kind in ('numba:compiler_lock', 'numba:llvm_lock'):
            running.add(kind)
        try:
            with install_timer(kind, callback) as timer:
                yield timer
        finally:
            running.discard(kind)
    event.install_timer = outermost


def install():
    """For this process."""
    _look_at_lifetimes_late()
    _measure_sizes_once()
    _time_once()
    _remember_call_types()
    _compare_flags()
    _list_variables()
