# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Structs and arrays of LLVM's that are not built, only remembered part by part, until something needs the whole.

numba takes every array, tuple and pair apart to hand it on, and puts it together again: two of five instructions that
it wrote for a kernel.  Here a part that was put in is taken out as it is, without an instruction; a whole is written
where it is stored.
"""
from llvmlite import ir
from llvmlite.ir import IRBuilder, PhiInstr


class Late:
    """A part that is written where it is first needed in a block, if at all.  make: from a builder to its value."""

    def __init__(self, make):
        self._make, self._known = make, (None, None)

    def at(self, builder):
        """Its value here."""
        block, value = self._known
        if block is not builder.block:
            value = self._make(builder)
            self._known = builder.block, value
        return value


class Parts(ir.Value):
    """A struct or an array by its parts: values, None for what is undefined, or Late ones."""

    def __init__(self, kind, parts):
        self.type, self.parts = kind, parts

    def get_reference(self):
        """No instruction has it as an operand: Builder writes the whole before."""
        raise AssertionError(f'{self.type}: was not written')

    def part(self, builder, k):
        """One of them, as a value."""
        part = self.parts[k]
        if part is None:
            return undefined(self.type.elements[k])
        return part.at(builder) if type(part) is Late else part


def undefined(kind):
    """A value of which nothing is known."""
    return ir.Constant(kind, ir.Undefined)


def is_undefined(value):
    """Whether nothing is known of a value."""
    return isinstance(value, ir.Constant) and value.constant is ir.Undefined


def written(builder, value):
    """The value as an instruction may use it.  builder: of any kind."""
    return _filled(builder, undefined(value.type), value, ()) if type(value) is Parts else value


def _filled(builder, whole, value, path):
    for k, part in enumerate(value.parts):
        if part is None:
            continue
        part = value.part(builder, k)
        whole = (_filled(builder, whole, part, (*path, k)) if type(part) is Parts
                 else IRBuilder.insert_value(builder, whole, part, (*path, k)))
    return whole


class _Phi(PhiInstr):
    """One whose values are written at the end of the blocks that they come from."""

    def __init__(self, builder, kind, name, flags):
        super().__init__(builder.block, kind, name, flags)
        self._builder = builder

    def add_incoming(self, value, block):
        """As PhiInstr's."""
        if type(value) is Parts:
            with self._builder.goto_block(block):
                value = written(self._builder, value)
        super().add_incoming(value, block)


class Builder(IRBuilder):
    """llvmlite's, for which wholes are Parts."""

    def __init__(self, block):
        super().__init__(block)
        # what was stored for the caller, and the number of instructions in its block before that
        self.result = self.before_result = None
        # numbers of tables that were read in a block
        self.words = {}

    def extract_value(self, agg, idx, name=''):
        """As IRBuilder's."""
        path = idx if isinstance(idx, tuple | list) else (idx,)
        while path:
            if type(agg) is Parts:
                agg = agg.part(self, path[0])
            elif is_undefined(agg):
                agg = undefined(agg.type.elements[path[0]])
            else:
                break
            path = path[1:]
        return super().extract_value(agg, path, name) if path else agg

    def insert_value(self, agg, value, idx, name=''):
        """As IRBuilder's."""
        first, *rest = idx if isinstance(idx, tuple | list) else (idx,)
        if type(agg) is Parts:
            parts = [*agg.parts]
        elif is_undefined(agg):
            parts = [None] * len(agg.type.elements)
        else:
            return super().insert_value(agg, written(self, value), (first, *rest), name)
        whole = Parts(agg.type, parts)
        if rest:
            value = self.insert_value(whole.part(self, first), value, rest)
        if value.type != agg.type.elements[first]:
            raise TypeError(f'part {first} of {agg.type}: got {value.type}')
        parts[first] = value
        return whole

    def store(self, value, ptr, *more, **options):
        """As IRBuilder's."""
        if ptr is self.function.args[0]:
            self.result, self.before_result = value, len(self.block.instructions)
        return super().store(written(self, value), ptr, *more, **options)

    def phi(self, typ, name='', flags=()):
        """As IRBuilder's."""
        made = _Phi(self, typ, name, flags)
        self._insert(made)
        return made

    def ret(self, value):
        """As IRBuilder's."""
        return super().ret(written(self, value))

    def _insert(self, instr):
        if any(type(x) is Parts for x in instr.operands):
            instr.operands = [written(self, x) for x in instr.operands]
        super()._insert(instr)
