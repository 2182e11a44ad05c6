"""Two processes that compile at once must not leave each other's machine code under the wrong signature."""
import importlib.util
import threading
import time

import numba
import pytest
from numba import float64, int64
from numba.core.caching import IndexDataCacheFile
from numba.core.registry import cpu_target

from hakoniwa_rigid.engine.maths.shared_cache import SharedCache

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason='nothing is compiled')


@pytest.fixture
def twice(tmp_path):
    """A function in a file of its own, beside which its cache lies."""
    file = tmp_path / 'functions.py'
    file.write_text('def twice(x):\n    return 2 * x\n')
    spec = importlib.util.spec_from_file_location('functions', file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.twice


def test_signatures_saved_at_once_keep_apart(twice, monkeypatch):
    compiled = numba.njit(twice)
    signatures = (int64,), (float64,)
    for signature in signatures:
        compiled.compile(signature)
    save_index = IndexDataCacheFile._save_index

    def slowly(self, overloads):
        time.sleep(0.2)     # the other one has read the index by now, unless it had to wait
        save_index(self, overloads)

    monkeypatch.setattr(IndexDataCacheFile, '_save_index', slowly)
    # one cache each, as in two processes: the lock belongs to the open folder, not to the process
    threads = [threading.Thread(target=SharedCache(twice).save_overload, args=(s, compiled.overloads[s]))
               for s in signatures]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for signature in signatures:
        found = SharedCache(twice).load_overload(signature, cpu_target.target_context)
        assert found is not None and found.signature.args == signature


def test_nothing_saved_is_nothing_found(twice):
    cache = SharedCache(twice)
    assert cache.load_overload((int64,), cpu_target.target_context) is None
