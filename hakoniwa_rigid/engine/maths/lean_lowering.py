# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Passes of numba's pipeline that write less code of LLVM's for a kernel, for the same results to the bit.

A kernel that neither makes nor returns an array counts no references, and has no variable that must be let go of.
`for i in range(n)` takes 45 instructions, not 107: numba writes the general case, with a step that may be zero, and its
state on the stack.  Half of the time that compiling takes goes with the number of instructions.
"""
import operator
from functools import partial

from llvmlite import ir as llvm
from numba.core import ir, types
from numba.core.analysis import must_use_alloca
from numba.core.cgutils import alloca_once
from numba.core.compiler_machinery import register_pass
from numba.core.errors import LoweringError, new_error_context
from numba.core.ir_utils import enforce_no_dels, enforce_no_phis
from numba.core.lowering import Lower
from numba.core.postproc import PostProcessor
from numba.core.typed_passes import IRLegalization, NativeLowering
from numba.cpython.builtins import do_minmax

from .lean_arrays import copies, is_natural
from .lean_builder import Builder
from .lean_calls import Lowered

# statements that have nothing to do with references
_PLAIN = ir.Branch, ir.Jump, ir.Return, ir.StaticRaise
# expressions that hand on what they are given: an array, or a part of one
_LENDING = {'cast', 'exhaust_iter', 'getattr', 'getitem', 'getiter', 'iternext', 'pair_first', 'static_getitem',
            'typed_getitem'}
# kinds whose parts are lent, not made, and the iterators over them
_LENDERS = (types.Array, types.BaseTuple, types.ArrayIterator, types.UniTupleIter)
_EXTREMES = {max: operator.gt, min: operator.lt}
# fields of the state of a range, and of its iterator, in LLVM's code
_START, _STOP, _STEP = range(3)
_AT, _, _, _LEFT = range(4)


def only_borrows(state):
    """Whether a function neither makes arrays, or is given new ones by what it calls, nor returns any: then whoever
    called it holds all that it reads, and no reference has to be counted.  state: of its compiler, typed.

    What is not known here to be so counts references, as with numba: copies of arrays, arrays as indices, numbers in an
    error.
    """
    models, kinds = state.targetctx.data_model_manager, state.typemap

    def counted(kind):
        return models[kind].contains_nrt_meminfo()

    def lends(value):
        if value.op not in _LENDING:
            return value.op == 'build_tuple'
        source, parts = kinds[value.value.name], value._kws
        index = parts.get('index_var') or parts.get('index')
        if isinstance(source, types.Pair):      # an iterator's next, and whether there was one
            source = source.first_type
        return ((not counted(source) or isinstance(source, _LENDERS))
                and (value.op != 'getattr' or not isinstance(source, types.Array) or value.attr == 'T')
                and not (isinstance(index, ir.Var) and counted(kinds[index.name])))

    def moves(statement):
        return (not isinstance(statement, ir.SetAttr) and not state.targetctx.enable_boundscheck
                and copies(*state.calltypes[statement].args))

    def borrows(statement):
        if isinstance(statement, ir.SetAttr | ir.SetItem | ir.StaticSetItem):
            return not counted(kinds[statement.value.name]) or moves(statement)
        if not isinstance(statement, ir.Assign):
            return isinstance(statement, _PLAIN)
        value = statement.value
        return not isinstance(value, ir.Expr) or not counted(kinds[statement.target.name]) or lends(value)
    return not state.func_ir.is_generator and not counted(state.return_type) and all(
        borrows(statement) for block in state.func_ir.blocks.values() for statement in block.body)


@register_pass(mutates_CFG=True, analysis_only=False)
class Legalization(IRLegalization):
    """As numba's; a function that only borrows lets go of nothing."""

    _name = 'legalization of what borrows'

    def run_pass(self, state):
        """As numba wants it."""
        if not only_borrows(state):
            return super().run_pass(state)
        state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        enforce_no_phis(state.func_ir)
        enforce_no_dels(state.func_ir)
        PostProcessor(state.func_ir).run()
        return True


class _Lower(Lower):
    """As numba's, but for loops over a range of int64 by ones, for variables and for calls of kernels."""

    def setup_function(self, fndesc):
        """With a builder of our own."""
        super().setup_function(fndesc)
        self.builder = Builder(self.entry_block)
        self.call_helper = self.call_conv.init_call_helper(self.builder)
        self._slots = {}

    def lower(self):
        """As numba's; what callers want to know is kept with the library."""
        super().lower()
        self.library.lowered = Lowered(self.function, self.builder, self.fnargs)

    def lower_block(self, block):
        """As numba's, which says for each statement what error it would make."""
        self.pre_block(block)
        for statement in block.body:
            self.loc = statement.loc
            try:
                self.lower_inst(statement)
            except Exception:
                with new_error_context('lowering "{inst}" at {loc}', inst=statement, loc=self.loc,
                                       errcls_=partial(LoweringError, loc=self.loc)):
                    raise
        self.post_block(block)

    def _find_singly_assigned_variable(self):
        """Variables that need no place on the stack: numba takes those of a single block.  Here it is all that are
        assigned in one place, which comes before every use."""
        if self.context.enable_nrt:
            super()._find_singly_assigned_variable()
            return
        before = self.func_ir.variable_lifetime.cfg.dominators()
        at, other = {}, set(must_use_alloca(self.blocks))
        for offset, block in sorted(self.blocks.items()):
            for statement in block.body:
                names = [variable.name for variable in statement.list_vars()]
                target = statement.target.name if isinstance(statement, ir.Assign) else None
                if target is not None:
                    names.remove(target)
                other.update(name for name in names if at.get(name) not in before[offset])
                if target in at:
                    other.add(target)
                at[target] = offset
        self._singly_assigned_vars = at.keys() - other - {None}
        self._blk_local_varmap = {}

    def storevar(self, value, name, argidx=None):
        """Store into a variable; what it held before is looked at where its references are counted."""
        if self.context.enable_nrt or argidx is not None or name in self._singly_assigned_vars:
            super().storevar(value, name, argidx)
            return
        self._alloca_var(name, self.typeof(name))
        self.builder.store(value, self.getvar(name))

    def lower_expr(self, resty, expr):
        """The value of an expression."""
        lower = {'call': self._call, 'getiter': self._begin, 'iternext': self._next, 'pair_first': self._first,
                 'pair_second': self._second}.get(expr.op)
        value = lower(expr) if lower is not None else None
        if value is None:
            return super().lower_expr(resty, expr)
        if expr.op != 'call':
            return value
        return self.context.cast(self.builder, value, self.fndesc.calltypes[expr].return_type, resty)

    def _call(self, expr):
        function = self.typeof(expr.func.name)
        if isinstance(function, types.Dispatcher):
            return self._kernel(function.dispatcher, expr)
        if isinstance(function, types.Function) and function.typing_key in _EXTREMES:
            return self._extreme(_EXTREMES[function.typing_key], expr)
        return self._range(expr)

    def _kernel(self, function, expr):
        """What a kernel returns that never raises."""
        signature = self.fndesc.calltypes[expr]
        compiled = function.overloads.get(signature.args)
        known = getattr(compiled.library, 'lowered', None) if compiled is not None else None
        if known is None or not known.never_raises:
            return None
        kind, builder = signature.return_type, self.builder
        arguments = self.fold_call_args(self.typeof(expr.func.name), signature, expr.args, expr.vararg, expr.kws)
        if known.body is not None:
            value = known.copied(builder, arguments)
        else:
            self.context.add_linking_libs((compiled.library,))
            callee = self.context.declare_function(builder.module, compiled.fndesc)
            slot = self._slot(self.call_conv.get_return_type(kind).pointee)
            flat = self.call_conv._get_arg_packer(compiled.fndesc.argtypes).as_arguments(builder, arguments)
            no_error = llvm.Constant(callee.args[1].type, None)
            builder.call(callee, [slot, no_error, *flat])
            value = builder.load(slot)
        return self.context.get_returned_value(builder, kind, value)

    def _slot(self, kind):
        """Where kernels put what they return, from where it is read at once."""
        if kind not in self._slots:
            with self.builder.goto_entry_block():
                self._slots[kind] = self.builder.alloca(kind)
        return self._slots[kind]

    def _extreme(self, compare, expr):
        """min and max of numbers, as numba compares them."""
        kinds = [types.unliteral(self.typeof(each.name)) for each in expr.args]
        if expr.vararg or expr.kws or not kinds[1:] or not all(
                isinstance(kind, types.Integer | types.Float) for kind in kinds):
            return None
        result = self.context.typing_context.unify_types(*kinds)
        values = [self._cast_var(each, kind) for each, kind in zip(expr.args, kinds, strict=True)]
        value = do_minmax(self.context, self.builder, kinds, values, compare)
        return self.context.cast(self.builder, value, result, self.fndesc.calltypes[expr].return_type)

    def _range(self, expr):
        function, signature = self.typeof(expr.func.name), self.fndesc.calltypes[expr]
        if not (isinstance(function, types.Function) and function.typing_key is range
                and signature.return_type == types.range_state64_type and len(expr.args) in (1, 2)):
            return None
        ends = [self._cast_var(end, types.int64) for end in expr.args]
        value = llvm.Constant(self.context.get_value_type(signature.return_type), llvm.Undefined)
        for field, end in ((_START, ends[-2] if ends[1:] else llvm.Constant(ends[0].type, 0)), (_STOP, ends[-1]),
                           (_STEP, llvm.Constant(ends[0].type, 1))):
            value = self.builder.insert_value(value, end, field)
        value.goes_by_ones = True
        return value

    def _begin(self, expr):
        signature = self.fndesc.calltypes[expr]
        state = self.loadvar(expr.value.name)
        if not getattr(state, 'goes_by_ones', False) or signature.return_type != types.range_iter64_type:
            return None
        builder, word = self.builder, state.type.elements[_START]
        start, stop = builder.extract_value(state, _START), builder.extract_value(state, _STOP)
        count = builder.sub(stop, start)
        left = builder.select(builder.icmp_signed('>', count, llvm.Constant(word, 0)), count, llvm.Constant(word, 0))
        places = [alloca_once(builder, word) for _ in range(2)]
        for place, number in zip(places, (start, left), strict=True):
            builder.store(number, place)
        value = llvm.Constant(self.context.get_value_type(signature.return_type), llvm.Undefined)
        for field, x in enumerate((places[0], stop, llvm.Constant(word, 1), places[1])):
            value = builder.insert_value(value, x, field)
        value.is_natural = is_natural(start)
        return value

    def _next(self, expr):
        signature = self.fndesc.calltypes[expr]
        if self.typeof(expr.value.name) != types.range_iter64_type:
            return None
        builder, iterator = self.builder, self.loadvar(expr.value.name)
        at, step, left = (builder.extract_value(iterator, field) for field in (_AT, _STEP, _LEFT))
        value, count = builder.load(at), builder.load(left)
        value.is_natural = getattr(iterator, 'is_natural', False)
        valid = builder.icmp_signed('>', count, llvm.Constant(count.type, 0))
        builder.store(builder.add(value, step), at)
        builder.store(builder.sub(count, llvm.Constant(count.type, 1)), left)
        pair = llvm.Constant(self.context.get_value_type(signature.return_type), llvm.Undefined)
        return builder.insert_value(builder.insert_value(pair, value, 0), valid, 1)

    def _first(self, expr):
        value = self.builder.extract_value(self.loadvar(expr.value.name), 0)
        self.incref(self.typeof(expr.value.name).first_type, value)
        return value

    def _second(self, expr):
        return self.builder.extract_value(self.loadvar(expr.value.name), 1)


@register_pass(mutates_CFG=True, analysis_only=False)
class Lowering(NativeLowering):
    """As numba's, by `_Lower`."""

    _name = 'lean lowering'

    @property
    def lowering_class(self):
        """What writes the code."""
        return _Lower
