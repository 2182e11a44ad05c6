# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What is known of a kernel once it was lowered, so that others call it in fewer instructions.

numba asks after every call whether there was an error, in a dozen instructions; most kernels cannot raise any.  Small
ones without a branch, as of vectors, are written anew where they are called: LLVM inlines them in any case.
"""
from llvmlite import ir
from llvmlite.ir import instructions as code
from numba.core.cgutils import get_or_insert_function

from .lean_builder import Late, Parts

# instructions of a kernel that is written anew where it is called; LLVM's inliner takes about as many
MOST_COPIED = 48
# functions of the C library that need nothing but their name
_OF_C = {'sqrt'}
_COPIED = {code.Instruction, code.ICMPInstr, code.FCMPInstr, code.SelectInstr, code.CastInstr, code.LoadInstr,
           code.StoreInstr, code.GEPInstr, code.ExtractValue, code.CallInstr}


class Lowered:
    """What callers want to know of a kernel.

    never_raises: it always returns; body: its instructions, if it may be copied; leaves: of its arguments, as
    id(value) -> (argument, path in it); result: what it returns, None if nothing.
    """

    def __init__(self, function, builder, arguments):
        self.never_raises = all(_returns_well(block) and not _names(block, function.args[1])
                                for block in function.blocks)
        self.body, self.leaves, self.result = None, {}, None
        if self.never_raises and _is_straight(function, builder):
            for k, argument in enumerate(arguments):
                self._note(argument, k, ())
            body = function.blocks[1].instructions[:builder.before_result]
            known = {*self.leaves, *map(id, body)}
            if all(_may_be_copied(each, known) for each in body) and _is_known(builder.result, known):
                self.body, self.result = body, builder.result

    def _note(self, value, k, path):
        if type(value) is Parts:
            for i, part in enumerate(value.parts):
                self._note(part, k, (*path, i))
        elif value is not None:
            self.leaves[id(value)] = k, path

    def copied(self, builder, arguments):
        """The result, after the kernel's instructions were written for these arguments."""
        made = {}

        def here(value):
            if type(value) is Parts:
                return Parts(value.type, [part and here(part) for part in value.parts])
            if type(value) is ir.Constant:
                return value
            key = id(value)
            if key not in made:
                k, path = self.leaves[key]
                made[key] = builder.extract_value(arguments[k], path)
            return made[key]
        for each in self.body:
            made[id(each)] = _again(builder, each, here)
        return here(self.result)


def _returns_well(block):
    last = block.terminator
    return (not isinstance(last, code.Ret)
            or isinstance(last.return_value, ir.Constant) and last.return_value.constant == 0)


def _names(block, value):
    """Whether an instruction has a value as its operand."""
    return any(x is value for each in block.instructions for x in each.operands)


def _is_straight(function, builder):
    """Whether all is in one block, small, and nothing special is asked of the compiler."""
    entry, *others = function.blocks
    return (len(others) == 1 and builder.result is not None and builder.before_result <= MOST_COPIED
            and all(type(each) is not code.AllocaInstr for each in entry.instructions)
            and function.attributes <= {'alwaysinline'})


def _may_be_copied(instruction, known):
    """Whether `_again` writes the same once more."""
    kind, operands, extras = type(instruction), instruction.operands, instruction.metadata
    if kind is code.CallInstr:
        called, *operands = operands
        if not (isinstance(called, ir.Function) and (called.name.startswith('llvm.') or called.name in _OF_C)):
            return False
        extras = instruction.tail or instruction.cconv or instruction.arg_attributes or instruction.attributes or extras
    elif kind is code.CastInstr:
        extras = instruction.flags or extras
    elif kind is code.LoadInstr:
        extras = any(node.operands for node in extras.values())
    return kind in _COPIED and not extras and all(_is_known(x, known) for x in operands)


def _is_known(value, known):
    if type(value) is Parts:
        return all(part is None or type(part) is not Late and _is_known(part, known) for part in value.parts)
    return type(value) is ir.Constant or id(value) in known


def _again(builder, old, here):
    """An instruction, written once more with operands that are `here`."""
    kind = type(old)
    if kind is code.CallInstr:
        called, *operands = old.operands
        function = get_or_insert_function(builder.module, called.function_type, called.name)
        function.attributes.update(called.attributes)
        return builder.call(function, list(map(here, operands)), fastmath=old.fastmath)
    operands = list(map(here, old.operands))
    if kind is code.ExtractValue:
        return builder.extract_value(operands[0], old.indices)
    if kind is code.GEPInstr:
        return builder.gep(operands[0], operands[1:], inbounds=old.inbounds)
    if kind is code.StoreInstr:
        return builder.store(*operands, old.align)
    if kind is code.LoadInstr:
        new = builder.load(*operands, align=old.align)
        for name in old.metadata:
            new.set_metadata(name, builder.module.add_metadata([]))
        return new
    new = (kind(builder.block, old.type, old.opname, operands, flags=old.flags) if kind is code.Instruction
           else kind(builder.block, old.opname, *operands, old.type) if kind is code.CastInstr
           else kind(builder.block, *operands, flags=old.flags) if kind is code.SelectInstr
           else kind(builder.block, old.op, *operands, flags=old.flags))
    builder._insert(new)
    return new
