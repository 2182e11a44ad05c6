# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Random programs, as compiled here, do what Python does: variables over branches and loops, tuples, calls of kernels
that are copied, called, or raise, and writes into arrays in between."""
import random

import numba
import numpy as np
import pytest
from kernels import entry

from hakoniwa_rigid.engine.maths.jit import kernel

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason='nothing is compiled')
# numbers stay below it, so that none wraps; one of them is refused
MODULUS, REFUSED = 97, 13
NAMES = 'v', 'w', 'x', 'y'
CELLS = 4

KERNELS = f"""
@kernel
def mixed(p, q):
    return (p * 3 + q) % {MODULUS}

@kernel
def turned(t, k):
    return t[1], (t[0] + k) % {MODULUS}

@kernel
def larger(p, q):
    if p > q:
        return p - q
    return q

@kernel
def unless_refused(p):
    if p == {REFUSED}:
        raise ValueError('refused')
    return (p + 1) % {MODULUS}

@kernel
def through(p):
    return mixed(unless_refused(p), 2)

@kernel
def put(a, i, p):
    a[i] = p

@kernel
def swapped(a, i, j):
    a[i], a[j] = a[j], a[i]
    return a[i]

@kernel
def rolled(a):
    a[1:] = a[:-1]
    return max(a[0], a[-1], 7)

@kernel
def last_of(rows, i):
    row = rows[i]
    row[0] = (row[0] + i) % {MODULUS}
    return row[-1]
"""


class Program:
    """Lines of Python, from a seed."""

    def __init__(self, seed):
        self._random, self._depth, self._loops = random.Random(seed), 0, 0
        body = [f'    {name} = {k} + n' for k, name in enumerate(NAMES)]
        body += ['    t = v, w', '    rows = a.reshape(2, 2)']
        self.lines = [*body, *self._block(9, '    '), f'    return {", ".join(NAMES)}, t']

    def text(self, decorator):
        """The whole module."""
        return '\n'.join([KERNELS, decorator, 'def program(n, a):', *self.lines])

    def _name(self):
        return self._random.choice(NAMES)

    def _number(self):
        return self._random.choice([self._name(), self._name(), str(self._random.randrange(-3, 4)), 't[0]', 't[-1]',
                                    f'a[{self._cell()}]'])

    def _cell(self):
        return self._random.choice([str(self._random.randrange(-CELLS, CELLS)), f'{self._name()} % {CELLS}'])

    def _statement(self):
        pick, name, p, q = self._random.randrange(12), self._name(), self._number(), self._number()
        return [
            f'{name} = mixed({p}, {q})', f'{name} = larger({p}, {q})', f'{name} = unless_refused({p})',
            f'{name} = through({p})', f'{name}, {self._name()} = {p}, {q}', f'{name} += min({p}, {q})',
            f't = turned(t, {p})', f't = ({p}, t[0]) if {q} > {p} else ({q}, {q})', f'put(a, {self._cell()}, {p})',
            f'{name} = swapped(a, {self._cell()}, {self._cell()})', f'{name} = rolled(a)',
            f'{name} = last_of(rows, {self._name()} % 2)'][pick]

    def _block(self, count, indent):
        lines = []
        for _ in range(count):
            kind = self._random.random()
            if self._depth < 3 and kind < 0.2:
                lines += [f'{indent}if {self._number()} > {self._number()}:', *self._inner(indent)]
                if kind < 0.12:
                    lines += [f'{indent}else:', *self._inner(indent)]
            elif self._depth < 3 and kind < 0.36:
                self._loops += 1
                lines += [f'{indent}for i{self._loops} in range({self._number()} % 5):', *self._inner(indent)]
                leave = self._random.choice(['continue', 'break', None])
                if leave:
                    lines += [f'{indent}    if {self._number()} > {self._number()}:', f'{indent}        {leave}',
                              *self._block(1, indent + '    ')]
            else:
                lines.append(indent + self._statement())
            # every number stays small
            lines.append(f'{indent}{self._name()} %= {MODULUS}')
        return lines

    def _inner(self, indent):
        self._depth += 1
        lines = self._block(self._random.randrange(1, 4), indent + '    ')
        self._depth -= 1
        return lines


def run(program, n):
    """What comes out, and what is in the array then."""
    a = np.arange(CELLS, dtype=np.int64) + n
    try:
        result = program(n, a)
    except ValueError as refused:
        result = str(refused)
    return result, a.tolist()


def made(file, text, **names):
    """The program of a module's text."""
    file.write_text(text)
    space = {'__name__': __name__, **names}
    exec(compile(text, str(file), 'exec'), space)
    return space['program']


@pytest.mark.parametrize('seed', range(30))
def test_a_program_does_what_python_does(seed, tmp_path):
    written = Program(seed)
    in_python = made(tmp_path / 'plain.py', written.text(''), kernel=lambda function: function)
    compiled = made(tmp_path / 'compiled.py', written.text('@entry'), kernel=kernel, entry=entry)
    for n in range(12):
        assert run(compiled, n) == run(in_python, n), written.text('')
