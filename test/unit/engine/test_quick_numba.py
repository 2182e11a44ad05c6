# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What is remembered of numba's answers is what numba answers."""
import operator

import numba
import pytest
from numba import njit, types
from numba.core import compiler, ir
from numba.core.caching import NullCache
from numba.core.registry import cpu_target
from numba.core.targetconfig import TargetConfig

from hakoniwa_rigid.engine.maths import entries, quick_numba

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason='nothing is compiled')


def _example(a, rows, n):
    total, found = 0.0, (1, 2.0)
    for i in range(n):
        if a[i] > found[1] and i % 2:
            rows[i, 1] = min(a[i], total) + len(rows)
        total += a[i] ** 2 - rows[i][0]
    return total, [k for k in range(n) if k != 2], found


def _all_variables(value):
    """By asking each part for all that it may be, as numba does."""
    if isinstance(value, ir.Var):
        return [value]
    if isinstance(value, ir.Expr):
        return _all_variables(value._kws)
    if isinstance(value, ir.Inst):
        return _all_variables(value.__dict__)
    if isinstance(value, dict):
        return [x for part in value.values() for x in _all_variables(part)]
    return [x for part in value for x in _all_variables(part)] if isinstance(value, list | tuple) else []


def test_all_variables_of_a_statement_are_found():
    blocks = compiler.run_frontend(_example).blocks
    statements = [statement for block in blocks.values() for statement in block.body]
    assert len(statements) > 50
    for statement in statements:
        assert list(map(str, statement.list_vars())) == list(map(str, _all_variables(statement)))


def test_flags_are_equal_where_all_options_are():
    plain, same, other = compiler.Flags(), compiler.Flags(), compiler.Flags()
    same.nrt = False    # its default
    other.nrt = True
    assert plain == same and plain.values() == same.values() and hash(plain) == hash(same)
    assert plain != other and plain != 'flags' and isinstance(plain, TargetConfig)
    assert hash(plain) == hash(tuple(sorted(plain.values())))
    assert len({plain, same, other}) == 2


@pytest.mark.parametrize('function', [operator.add, operator.truediv, operator.lt, min, abs, len])
def test_a_function_is_looked_up_once(function):
    context = cpu_target.typing_context
    context.refresh()
    kind = context.resolve_value_type(function)
    arguments = {len: (types.Array(types.float64, 1, 'C'),), abs: (types.int64,)}.get(
        function, (types.int64, types.float64))
    first = kind.get_call_type(context, arguments, {})
    assert kind.get_call_type(context, arguments, {}) is first
    assert kind.get_impl_key(first) is not None


def test_what_numba_refuses_is_refused_again():
    @njit
    def wrong(a):
        return a + 1
    for _ in range(2):
        with pytest.raises(numba.TypingError):
            wrong('text')


def test_a_function_that_is_given_more_types_later_takes_them():
    """What was not found is not remembered."""
    from numba.extending import overload

    def twice(x):
        """For kernels."""

    def call(x):
        return twice(x)
    with pytest.raises(numba.TypingError):
        njit(call)(2)
    overload(twice)(lambda x: (lambda x: 2 * x) if isinstance(x, types.Integer) else None)
    assert njit(call)(2) == 4
    with pytest.raises(numba.TypingError):
        njit(call)((1,))
    overload(twice)(lambda x: (lambda x: x + x) if isinstance(x, types.BaseTuple) else None)
    assert njit(call)((1,)) == (1, 1) and njit(call)(3) == 6


@pytest.mark.parametrize('numpy_first', [True, False])
def test_functions_are_those_of_the_flags_of_their_caller(numpy_first):
    """numba's own functions are compiled as what calls them."""
    from numba.extending import overload

    def ratio(a, b):
        """For kernels."""
    overload(ratio)(lambda a, b: lambda a, b: a / b)

    def call(a, b):
        return ratio(a, b)
    by_numpy, by_python = njit(error_model='numpy')(call), njit(error_model='python')(lambda a, b: ratio(a, b))
    for made in (by_numpy, by_python) if numpy_first else (by_python, by_numpy):
        made(1.0, 2.0)
    assert by_numpy(1.0, 0.0) == float('inf')
    with pytest.raises(ZeroDivisionError):
        by_python(1.0, 0.0)


def test_memory_has_a_bound(monkeypatch):
    monkeypatch.setattr(quick_numba, 'MOST_KNOWN', 1)
    context = cpu_target.typing_context
    kind = context.resolve_value_type(operator.sub)
    for arguments in [(types.int64, types.float64), (types.int64, types.int64)] * 2:
        assert kind.get_call_type(context, arguments, {}).args == kind.get_call_type(context, arguments, {}).args


def _in_python(n):
    found, last = [], None
    for k in range(n):
        if k % 3:
            last = k if last is None else (last, k)[k % 2]
        else:
            found = [*found, last]
    return found, last


def _one_by_one(n):
    last = 0
    for k in range(n):
        last += k
        if k % 2:
            yield last, k


@pytest.mark.filterwarnings('ignore::numba.NumbaWarning')
def test_objects_and_generators_live_as_long_as_they_are_needed():
    """numba's other ways to compile, which need to know where variables live."""
    from numba import jit

    assert jit(forceobj=True)(_in_python)(20) == _in_python(20)
    assert list(njit(_one_by_one)(20)) == list(_one_by_one(20))


def test_code_may_be_copied():
    code = compiler.run_frontend(_example)
    assert code.copy().block_entry_vars == {}
    first, *_ = code.blocks.values()
    assert isinstance(code.get_block_entry_vars(first), set)
    assert {block for block in code.blocks.values() if block in code.block_entry_vars} == set(code.blocks.values())


def test_kernels_are_told_how_long_compiling_took():
    """numba's own entry of its timers stays for the outermost function."""
    @entries.entry
    def plain(x):
        return x + 1
    plain._cache = NullCache()
    assert plain(1) == 2
    assert plain.get_metadata(plain.signatures[0])['timers']['compiler_lock'] > 0.0
