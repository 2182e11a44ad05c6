# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Numbers that become whole ones: what has no room in 64 bits, or is no number, is the same on every processor.

Of those a processor makes what it likes: x86 the least int64, ARM the nearest one, or 0 of what is no number.
"""
import ast
import math

import pytest
from kernel_writes import DECORATORS, PACKAGE
from kernels import compiled

from hakoniwa_rigid.engine.maths import elementary

MOST = 2**63 - 1


@compiled
def whole(x):
    return elementary.whole(x)


@pytest.mark.parametrize(('x', 'value'), [
    (0.0, 0), (-0.0, 0), (2.9, 2), (-2.9, -2), (2.0**53 + 2.0, 2**53 + 2), (2.0**62, 2**62), (2.0**63, MOST),
    (-2.0**63, -MOST - 1), (1e300, MOST), (-1e300, -MOST - 1), (math.inf, MOST), (-math.inf, -MOST - 1), (math.nan, 0)])
def test_whole(x, value):
    assert whole(x) == value


def unsafe(function):
    """Lines of a kernel where a float that was computed there becomes whole as the processor likes: int() of a result,
    and the functions of math that give whole numbers."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            computed = node.args and isinstance(node.args[0], (ast.BinOp, ast.UnaryOp, ast.Call))
            if name in ('math.floor', 'math.ceil', 'math.trunc', 'round') or (name == 'int' and computed):
                yield node.lineno


def kernels(source):
    """The compiled functions of a source file."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            names = {ast.unparse(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list}
            if names & {*DECORATORS, 'unit'}:
                yield node


def test_kernels_compute_no_whole_numbers_without_bounds():
    """int() is for columns that hold whole numbers; `elementary` bounds its own."""
    sources = [p for p in PACKAGE.rglob('*.py') if 'node_modules' not in p.parts and p.name != 'elementary.py']
    found = [(file, function) for file in sources for function in kernels(file.read_text(encoding='utf8'))]
    assert len(found) > 500
    assert not [f'{file.name}:{line}' for file, function in found for line in unsafe(function)]


def test_the_walk_finds_what_it_is_for():
    source = '@kernel\ndef f(x, row):\n    a = int(row[3])\n    b = int(x / 2.0)\n    return a + math.floor(x) + b\n'
    assert [line for function in kernels(source) for line in unsafe(function)] in ([4, 5], [5, 4])
