# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The machine code of the kernels calls no mathematics of others and lets nothing be contracted or reordered.

What is walked is what lies in the cache: every kernel that has been compiled from these sources.
"""
import os
import pickle
import re
import shutil
import subprocess
import sys
import zlib
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
# in the text of a disassembler, of x86 and ARM: products and sums that are rounded once
FUSED = re.compile(r'\t(vfn?m(add|sub)\w*|fn?m(add|sub)|fml[as]\w*|fcmla)\b')
# digits of a whole number in the text of an error
ELSEWHERE = {'llvm.log10.f64'}

pytestmark = pytest.mark.skipif(config.DISABLE_JIT or config.BOUNDSCHECK or bool(config.CACHE_DIR),
                                reason='no kernels of the ordinary build beside the sources')


def cached():
    """(name, machine code as an object file, LLVM's bitcode) of every kernel in the cache."""
    for index in sorted(PACKAGE.rglob('__pycache__/*.nbi')):
        source = index.parent.parent / (index.name.split('.')[0] + '.py')
        with open(index, 'rb') as file:
            pickle.load(file)
            made_from, overloads = pickle.loads(file.read())
        if not source.exists() or made_from != stamp(str(source)):
            continue
        for data in overloads.values():
            bitcode, (library, *_) = pickle.loads((index.parent / data).read_bytes())
            yield f'{source.stem}: {data}', library[2][0], zlib.decompress(bitcode)


def compiled():
    """(name, module in LLVM's words) of every kernel in the cache."""
    for name, _, bitcode in cached():
        yield name, llvm.parse_bitcode(bitcode)


def fused(machine_code, file):
    """The instructions in an object file, written to `file`, that multiply and add with one rounding."""
    file.write_bytes(machine_code)
    listed = subprocess.run(['objdump', '--disassemble', '--no-show-raw-insn', file], text=True, capture_output=True,
                            check=True).stdout
    assert listed.count('\tret') > 0, 'no machine code'
    return [line.strip() for line in listed.splitlines() if FUSED.search(line)]


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


@pytest.mark.skipif(not shutil.which('objdump'), reason='no objdump, of binutils, that reads machine code')
def test_no_multiply_add_is_fused(tmp_path):
    if not kernel_cache.is_filled():
        pytest.skip('the step is not compiled yet')
    assert not {(name, line) for name, code, _ in cached() for line in fused(code, tmp_path / 'kernel.o')}


@pytest.mark.skipif(not shutil.which('objdump'), reason='no objdump, of binutils, that reads machine code')
@pytest.mark.parametrize('kind', ['double', '<4 x double>'])
def test_the_walk_knows_fused_multiply_add(kind, tmp_path):
    """One that is asked for by its name; on processors that have it, of which x86 has those without."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    triple = llvm.get_default_triple()
    name = f'llvm.fma.{"v4f64" if "x" in kind else "f64"}'
    module = llvm.parse_assembly(f"""
        define {kind} @f({kind} %a, {kind} %b, {kind} %c) {{
            %d = call {kind} @{name}({kind} %a, {kind} %b, {kind} %c)
            ret {kind} %d
        }}
        declare {kind} @{name}({kind}, {kind}, {kind})""")
    machine = llvm.Target.from_triple(triple).create_target_machine(features='+fma' if 'x86' in triple else '')
    assert fused(machine.emit_object(module), tmp_path / 'fused.o')


def test_vector_libraries_of_vendors_are_off():
    """In a process that has nothing but this package; numba would take Intel's, where it finds it."""
    code = 'import hakoniwa_rigid.engine; from numba import config; print(config.DISABLE_INTEL_SVML, config.USING_SVML)'
    env = {name: value for name, value in os.environ.items() if name != 'NUMBA_DISABLE_INTEL_SVML'}
    reported = subprocess.run([sys.executable, '-c', code], env=env, text=True, capture_output=True, check=True).stdout
    assert reported.split() == ['1', 'False']


@pytest.mark.parametrize('name', ['sin', 'llvm.cos.f64', 'llvm.exp2.f64', 'hypot', 'llvm.fmuladd.f64', 'llvm.fma.v8f64',
                                  'pow', 'llvm.pow.f64', '__svml_sin4', 'expm1', 'atan2', 'tan', 'sinf'])
def test_the_walk_knows_mathematics(name):
    assert MATHEMATICS.match(name)
