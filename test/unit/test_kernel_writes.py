# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Kernels say in their docstrings which of their arguments they write, and say it truly."""
from __future__ import annotations

import ast
from pathlib import Path

import kernel_writes
from kernel_writes import Kernel, Module, _Reader

SOURCE = """
@kernel
def put(row, k, x):
    row[k] = x


@kernel
def first(s):
    r, other = s.work[0], s.row[1]
    return r, other


@kernel
def through(s, out, q):
    a, b = first(s)
    put(b, 0, 1.0)
    y = s.still[3]
    y.force = q
    for row in out:
        row[0] += 1.0
    mine = out[0].copy()
    mine[0] = 2.0
    return a[0] + s.count[2] + q[1]
"""


def test_every_kernel_says_what_it_writes():
    wrong = [f'{kernel.path.relative_to(kernel_writes.ROOT)}:{kernel.node.lineno}: {kernel.node.name}: '
             f'says {kernel.said()!r}, writes {kernel.says()!r}'
             for kernel in kernel_writes.kernels() if kernel.said() != kernel.says()]
    assert not wrong, '\n'.join(['python test/kernel_writes.py puts these right:', *wrong])


def test_the_reader_itself(tmp_path):
    """Views through tuples, calls and loops are followed; copies and values are none."""
    path = tmp_path / 'sample.py'
    path.write_text(SOURCE)
    module = Module(path)
    for _ in range(3):
        for kernel in module.kernels.values():
            reader = _Reader({Path('sample'): module}, module, kernel)
            for statement in kernel.node.body:
                reader.visit(statement)
    assert {name: kernel.says() for name, kernel in module.kernels.items()} == {
        'put': 'row', 'first': '', 'through': 's.row, s.still, out'}


def test_a_statement_is_put_in(tmp_path):
    path = tmp_path / 'sample.py'
    path.write_text('@kernel\ndef put(row, k):\n    row[k] = 0.0\n\n\n@kernel\ndef two(row):\n    """Two of them."""\n'
                    '    row[1] = row[2] = 0.0\n')
    tree = ast.parse(path.read_text())
    kernels = [Kernel(path, node) for node in tree.body]
    for kernel in kernels:
        kernel.writes.add(('row', None))
    kernel_writes.mend(path, kernels)
    assert path.read_text() == (
        '@kernel\ndef put(row, k):\n    """Writes: row."""\n    row[k] = 0.0\n\n\n@kernel\ndef two(row):\n'
        '    """Two of them.  Writes: row."""\n    row[1] = row[2] = 0.0\n')
