# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Wholes in parts are wholes to LLVM."""
import ctypes

import llvmlite.binding as llvm
import numba
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llvmlite import ir

from hakoniwa_rigid.engine.maths.lean_builder import Builder, Late, Parts, undefined

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason='nothing is compiled')
WORD = ir.IntType(64)
PAIR = ir.LiteralStructType([WORD, WORD])
WHOLE = ir.LiteralStructType([WORD, PAIR, ir.ArrayType(PAIR, 2)])
PATHS = (0,), (1, 0), (1, 1), (2, 0, 0), (2, 0, 1), (2, 1, 0), (2, 1, 1)


def function(result, *arguments, builder=Builder):
    """An empty function, and what writes into it."""
    module = ir.Module()
    made = ir.Function(module, ir.FunctionType(result, arguments), 'f')
    return made, builder(made.append_basic_block('entry'))


def instructions(made):
    """Names of what was written."""
    return [each.opname for block in made.blocks for each in block.instructions]


def called(made, *arguments):
    """What the machine makes of it, of int64."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    parsed = llvm.parse_assembly(str(made.module))
    parsed.verify()
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(parsed, machine)
    engine.finalize_object()
    kinds = [ctypes.c_int64] * (1 + len(arguments))
    return ctypes.CFUNCTYPE(*kinds)(engine.get_function_address('f'))(*arguments)


def test_what_was_put_in_is_taken_out_as_it_is():
    made, builder = function(WORD, WORD, WORD)
    x, y = made.args
    whole = builder.insert_value(undefined(WHOLE), x, 0)
    whole = builder.insert_value(whole, y, (2, 1, 0))
    assert builder.extract_value(whole, 0) is x
    assert builder.extract_value(whole, [2, 1, 0]) is y
    assert builder.extract_value(builder.extract_value(whole, 2), (1, 0)) is y
    assert builder.extract_value(whole, (1, 1)).constant is ir.Undefined
    assert instructions(made) == []


def test_a_whole_of_before_stays_as_it_was():
    made, builder = function(WORD, WORD, WORD)
    x, y = made.args
    before = builder.insert_value(undefined(PAIR), x, 0)
    after = builder.insert_value(before, y, 0)
    assert builder.extract_value(before, 0) is x and builder.extract_value(after, 0) is y


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(PATHS), min_size=1, max_size=8), st.data())
def test_a_whole_that_was_stored_has_its_parts(order, data):
    made, builder = function(WORD, WORD, WORD)
    x, y = made.args
    whole, parts = undefined(WHOLE), {}
    for path in order:
        value = data.draw(st.sampled_from([x, y, ir.Constant(WORD, 7)]))
        whole, parts[path] = builder.insert_value(whole, value, path), value
    place = builder.alloca(WHOLE)
    builder.store(whole, place)
    total = ir.Constant(WORD, 0)
    for path in parts:
        total = builder.add(builder.mul(total, ir.Constant(WORD, 10)),
                            builder.extract_value(builder.load(place), path))
    builder.ret(total)
    numbers = {id(x): 3, id(y): 5}
    expected = 0
    for value in parts.values():
        expected = 10 * expected + numbers.get(id(value), 7)
    assert called(made, 3, 5) == expected


def test_a_late_part_is_written_where_it_is_asked_for_once_a_block():
    made, builder = function(WORD, WORD)
    asked = []

    def make(builder):
        asked.append(builder.block)
        return builder.add(made.args[0], ir.Constant(WORD, 1))
    whole = Parts(PAIR, [Late(make), made.args[0]])
    assert builder.extract_value(whole, 1) is made.args[0] and not asked
    first = builder.extract_value(whole, 0)
    assert builder.extract_value(whole, 0) is first and len(asked) == 1
    builder.branch(other := made.append_basic_block('other'))
    builder.position_at_end(other)
    builder.ret(builder.add(builder.extract_value(whole, 0), first))
    assert len(asked) == 2
    assert called(made, 4) == 10


def test_branches_may_end_in_different_wholes():
    made, builder = function(WORD, WORD)
    x, = made.args
    blocks = [made.append_basic_block(name) for name in ('small', 'large', 'end')]
    builder.cbranch(builder.icmp_signed('<', x, ir.Constant(WORD, 10)), *blocks[:2])
    wholes = []
    for k, block in enumerate(blocks[:2]):
        builder.position_at_end(block)
        wholes.append(builder.insert_value(builder.insert_value(undefined(PAIR), x, 0), ir.Constant(WORD, k), 1))
        builder.branch(blocks[2])
    builder.position_at_end(blocks[2])
    whole = builder.phi(PAIR)
    for value, block in zip(wholes, blocks, strict=False):
        whole.add_incoming(value, block)
    builder.ret(builder.add(builder.extract_value(whole, 0), builder.extract_value(whole, 1)))
    assert called(made, 4) == 4 and called(made, 14) == 15


def test_a_wrong_part_is_refused():
    made, builder = function(WORD, WORD)
    with pytest.raises(TypeError, match='part 1'):
        builder.insert_value(undefined(WHOLE), made.args[0], 1)


def test_a_whole_that_was_not_written_is_no_operand():
    with pytest.raises(AssertionError, match='not written'):
        Parts(PAIR, [None, None]).get_reference()
