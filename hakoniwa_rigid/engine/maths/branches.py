# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Branches that shall stay branches: LLVM computes both sides and chooses where it takes them for cheap, and to it a
square root and a division are."""
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

if config.DISABLE_JIT:
    def rarely(condition):
        """As the compiled one."""
        return condition
else:
    @intrinsic
    def rarely(_context, condition):
        """`condition`, said to be mostly False: what is done where it is True is not computed otherwise."""
        def codegen(_context, builder, _signature, values):
            bit = ir.IntType(1)
            expect = builder.module.declare_intrinsic('llvm.expect', (bit,), ir.FunctionType(bit, (bit, bit)))
            return builder.call(expect, (values[0], ir.Constant(bit, 0)))
        return types.boolean(condition), codegen
