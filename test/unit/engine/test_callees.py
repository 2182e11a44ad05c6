# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Kernels below an entry have no machine code of their own, and lack nothing for that."""
import importlib.util

import numba
import pytest
from numba import int64

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason='nothing is compiled')
TEXT = """
from hakoniwa_rigid.engine.maths.entries import entry
from hakoniwa_rigid.engine.maths.jit import kernel


@kernel
def root_of(x, table):
    if x < 0:
        raise ValueError('no root of', x, 'among', len(table))
    return table[x]


@kernel
def twice_the_root_of(x, table):
    return 2 * root_of(x, table)


@entry
def all_of(x, table):
    return root_of(x, table) + twice_the_root_of(x, table)


@entry
def more_of(x, table):
    return all_of(x, table) + 1.0
"""


@pytest.fixture
def module(tmp_path, request):
    """Loads the functions anew, from a folder of their own, as the next process would."""
    (tmp_path / 'roots.py').write_text(TEXT)

    def load():
        spec = importlib.util.spec_from_file_location(f'roots_{request.node.name}', tmp_path / 'roots.py')
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
        return loaded
    return load


TABLE = (0.0, 1.0, 2.0 ** 0.5)


def machine_code_of(kernel):
    """Address of its machine code, 0 where there is none."""
    compiled, = kernel.overloads.values()
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)


def test_they_have_no_machine_code(module):
    loaded = module()
    assert loaded.all_of(2, TABLE) == 3.0 * 2.0 ** 0.5
    assert machine_code_of(loaded.root_of) == machine_code_of(loaded.twice_the_root_of) == 0
    assert machine_code_of(loaded.all_of) != 0


def test_numbers_in_an_error_arrive(module):
    """Compiled in this process, and loaded."""
    for _ in range(2):
        with pytest.raises(ValueError) as raised:
            module().all_of(-3, TABLE)
        assert raised.value.args == ('no root of', -3, 'among', 3)


def test_an_entry_that_was_loaded_can_be_called_by_one_that_is_compiled(module):
    expected = module().all_of(1, TABLE) + 1.0
    loaded = module()
    assert loaded.more_of(1, TABLE) == expected
    assert sum(loaded.all_of.stats.cache_hits.values()) == 1
    assert sum(loaded.more_of.stats.cache_hits.values()) == 0
    assert loaded.more_of.signatures[0][0] == int64
