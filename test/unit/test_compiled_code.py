"""The machine code of the kernels calls no mathematics of others and lets nothing be contracted or reordered.

What is walked is what lies in the cache: every kernel that has been compiled from these sources.
"""
import pickle
import re
from pathlib import Path

import llvmlite.binding as llvm
import pytest
from numba import config

import hakoniwa_rigid
from hakoniwa_rigid import kernel_cache
from hakoniwa_rigid.engine.maths.shared_cache import stamp

PACKAGE = Path(hakoniwa_rigid.__file__).parent
# exact by definition, whoever computes them: one result is right
EXACT = {'sqrt', 'fabs', 'copysign', 'floor', 'ceil', 'trunc', 'rint', 'nearbyint', 'roundeven', 'frexp', 'ldexp'}
MATHEMATICS = re.compile(r'(llvm\.|numba_|__svml_|_ZGV\w+?_)?(a?(sin|cos|tan)h?|sincos|atan2|exp(2|10|m1)?|'
                         r'log(2|10|1p)?|powi?|hypot|cbrt|t?gamma|lgamma|erfc?|fma|fmuladd|fmod)(\.\w+|f|_\w+|\d*)?$')
RELAXED = re.compile(r'= (f(add|sub|mul|div|rem|neg|cmp)|call|select|phi) (\w+ )*?'
                     r'(fast|nnan|ninf|nsz|arcp|contract|afn|reassoc) ')
# digits of a whole number in the text of an error
ELSEWHERE = {'llvm.log10.f64'}

pytestmark = pytest.mark.skipif(config.DISABLE_JIT or config.BOUNDSCHECK or bool(config.CACHE_DIR),
                                reason='no kernels of the ordinary build beside the sources')


def compiled():
    """(name, module in LLVM's words) of every kernel in the cache."""
    for index in sorted(PACKAGE.rglob('__pycache__/*.nbi')):
        source = index.parent.parent / (index.name.split('.')[0] + '.py')
        with open(index, 'rb') as file:
            pickle.load(file)
            made_from, overloads = pickle.loads(file.read())
        if not source.exists() or made_from != stamp(str(source)):
            continue
        for data in overloads.values():
            library, *_ = pickle.loads((index.parent / data).read_bytes())
            yield f'{source.stem}: {data}', llvm.parse_bitcode(library[2][1])


def test_kernels_call_no_mathematics_of_others():
    if not kernel_cache.is_filled():
        pytest.skip('the step is not compiled yet')
    found, count = set(), 0
    for name, module in compiled():
        count += 1
        found |= {(name, f.name) for f in module.functions if f.is_declaration and f.name not in ELSEWHERE
                  and MATHEMATICS.match(f.name) and f.name not in EXACT}
    assert count > 30
    assert not found


def test_nothing_may_be_contracted_or_reordered():
    if not kernel_cache.is_filled():
        pytest.skip('the step is not compiled yet')
    assert not {(name, line.strip()) for name, module in compiled() for line in str(module).splitlines()
                if RELAXED.search(line)}


@pytest.mark.parametrize('name', ['sin', 'llvm.cos.f64', 'llvm.exp2.f64', 'hypot', 'llvm.fmuladd.f64', 'llvm.fma.v8f64',
                                  'pow', 'llvm.pow.f64', '__svml_sin4', 'expm1', 'atan2', 'tan', 'sinf'])
def test_the_walk_knows_mathematics(name):
    assert MATHEMATICS.match(name)
