# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Machine code on disk is that of its signature and of its sources, whoever compiles and whatever files' times say."""
import importlib.util
import os
import subprocess
import sys
import threading
import time

import numba
import pytest
from numba import float64, int64
from numba.core.caching import IndexDataCacheFile
from numba.core.registry import cpu_target

from hakoniwa_rigid.engine.maths import baselines, shared_cache
from hakoniwa_rigid.engine.maths.baselines import BASELINES, runnable
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
    assert not cache.is_filled


def test_filled_is_what_this_processor_can_run(twice, monkeypatch):
    """A folder that came from another machine has an index, and nothing to load."""
    compiled = numba.njit(twice)
    compiled.compile((int64,))
    SharedCache(twice).save_overload((int64,), compiled.overloads[(int64,)])
    assert SharedCache(twice).is_filled
    codegen = cpu_target.target_context.codegen()
    monkeypatch.setattr(type(codegen), 'magic_tuple', lambda _codegen: ('another processor',))
    assert not SharedCache(twice).is_filled


# -- sources

PACKAGE = {
    '__init__.py': '',
    'constants.py': 'FACTOR = 2\n',
    'below.py': 'from hakoniwa_rigid.engine.maths.jit import kernel\nfrom . import constants\n\n\n'
                '@kernel\ndef times(x):\n    return constants.FACTOR * x\n',
    'top.py': 'from numba import float64\nfrom hakoniwa_rigid.engine.maths.entries import entry\n'
              'from hakoniwa_rigid.engine.maths.unit import link, unit\n'
              'from .below import (\n    times,  # a name\n)\n\n\n'
              '@unit(float64(float64))\ndef more(x):\n    return times(x) + 0.5\n\n\n'
              '@entry\ndef both(x):\n    return times(x), more(1.0 * x)\n',
    'other.py': 'NOTHING = 0\n',
}
PROGRAM = ('import sys; sys.path.insert(0, sys.argv[1])\nfrom tiny.top import both, link\nlink()\n'
           'print(*both(3), sum(both.stats.cache_hits.values()))')

# beside its sources, whatever the build that is tested
PLAIN = {'NUMBA_BOUNDSCHECK': '-1', 'NUMBA_CACHE_DIR': ''}


@pytest.fixture
def package(tmp_path):
    """A function that calls a kernel of another file that uses a number of a third."""
    (tmp_path / 'tiny').mkdir()
    for name, text in PACKAGE.items():
        (tmp_path / 'tiny' / name).write_text(text)
    return tmp_path


def run(folder, **env):
    """(product, that of the unit, loads from disk) in a process of its own."""
    done = subprocess.run([sys.executable, '-B', '-c', PROGRAM, folder], env={**os.environ, **PLAIN, **env}, check=True,
                          capture_output=True, text=True)
    return tuple(map(float, done.stdout.split()))


def edit(path, old, new):
    """Another text of the same size, with the times of the old one."""
    times = os.stat(path)
    assert len(old) == len(new)
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def test_sources_that_kept_their_times_are_compiled_anew(package):
    assert run(package) == (6.0, 6.5, 0.0)
    assert run(package) == (6.0, 6.5, 1.0)
    edit(package / 'tiny' / 'constants.py', '2', '5')       # two imports away
    assert run(package) == (15.0, 15.5, 0.0)
    edit(package / 'tiny' / 'below.py', '*', '+')
    assert run(package) == (8.0, 8.5, 0.0)
    edit(package / 'tiny' / 'top.py', '0.5', '0.7')
    assert run(package) == (8.0, 8.7, 0.0)


def test_what_is_not_imported_does_not_count(package):
    run(package)
    (package / 'tiny' / 'other.py').write_text('SOMETHING = 1\n')
    assert run(package)[2] == 1.0


def test_other_packages_in_the_folder_do_not_count(package):
    """As in site-packages: what is imported from there has versions."""
    text = (package / 'tiny' / 'top.py').read_text()
    (package / 'tiny' / 'top.py').write_text(f'import tinier\n{text}')
    (package / 'tinier').mkdir()
    for version in range(2):
        (package / 'tinier' / '__init__.py').write_text(f'VERSION = {version}\n')
        assert run(package)[2] == version


def test_new_times_of_old_sources_compile_nothing(package):
    run(package)
    for path in (package / 'tiny').glob('*.py'):
        os.utime(path)
    assert run(package)[2] == 1.0


def test_files_do_not_pile_up(package):
    run(package)
    count = len(list(package.rglob('*.nb?')))
    for k in range(3):
        text = (package / 'tiny' / 'top.py').read_text()
        (package / 'tiny' / 'top.py').write_text('# a line more\n' + text)
        assert run(package)[2] == 0.0, k
    assert len(list(package.rglob('*.nb?'))) == count


def test_an_index_without_its_data_is_nothing(package):
    """A process that died between both."""
    run(package)
    for path in package.rglob('*.nbc'):
        path.unlink()
    assert run(package) == (6.0, 6.5, 0.0)


def test_other_flags_are_other_code(package):
    run(package)
    assert run(package, NUMBA_BOUNDSCHECK='1')[2] == 0.0


# -- machine code that comes with the package

BASELINE = 'x86-64-v3'
shipping = pytest.mark.skipif(BASELINE not in runnable(), reason=f'this processor cannot run code for {BASELINE}')
FOR_BASELINE = {'NUMBA_CPU_NAME': BASELINE, 'NUMBA_CPU_FEATURES': ''}


@pytest.fixture
def shipped(package):
    """The package with machine code for a baseline, none beside its sources, and no place to write any to."""
    run(package, **FOR_BASELINE)
    kernels = package / 'tiny' / 'kernels' / BASELINE
    kernels.parent.mkdir()
    (package / 'tiny' / '__pycache__').rename(kernels)
    (package / 'tiny' / '__pycache__').write_text('a file: not even root makes a folder of it')
    return package


def run_read_only(folder, **env):
    """As `run`, where the user has no folder either."""
    return run(folder, **{'XDG_CACHE_HOME': '/dev/null/cache', **env})


@shipping
def test_code_that_came_with_the_package_is_not_compiled(shipped):
    assert run_read_only(shipped) == (6.0, 6.5, 1.0)


@shipping
def test_code_of_other_sources_is_compiled_anew(shipped, tmp_path):
    """Where it can be written to, in the user's folder."""
    edit(shipped / 'tiny' / 'constants.py', '2', '5')
    assert run_read_only(shipped) == (15.0, 15.5, 0.0)
    assert run_read_only(shipped) == (15.0, 15.5, 0.0)
    assert run(shipped, XDG_CACHE_HOME=str(tmp_path / 'home')) == (15.0, 15.5, 0.0)
    assert run(shipped, XDG_CACHE_HOME=str(tmp_path / 'home')) == (15.0, 15.5, 1.0)


@shipping
@pytest.mark.parametrize('other', [{'NUMBA_CPU_NAME': 'x86-64', 'NUMBA_CPU_FEATURES': ''}, {'NUMBA_BOUNDSCHECK': '1'},
                                   {'NUMBA_OPT': '1'}])
def test_code_for_other_processors_and_flags_does_not_count(shipped, other):
    assert run_read_only(shipped, **other) == (6.0, 6.5, 0.0)


def test_baselines_are_those_of_a_processor(monkeypatch):
    features = {}
    monkeypatch.setattr(baselines.llvm, 'get_host_cpu_features', lambda: features)
    monkeypatch.setattr(numba.config, 'CPU_NAME', None)
    monkeypatch.setattr(numba.config, 'CPU_FEATURES', None)
    assert runnable() == ()
    features.update(dict.fromkeys(BASELINES['x86-64-v4'], True))
    assert runnable() == ('x86-64-v4', 'x86-64-v3')
    features['avx512vl'] = False
    assert runnable() == ('x86-64-v3',)
    features['avx2'] = False
    assert runnable() == ()
    monkeypatch.setattr(numba.config, 'CPU_NAME', 'x86-64-v4')
    monkeypatch.setattr(numba.config, 'CPU_FEATURES', '')
    assert runnable() == ('x86-64-v4',)
    monkeypatch.setattr(numba.config, 'CPU_FEATURES', '+fma')
    assert runnable() == ()


def test_the_step_is_made_of_what_it_calls():
    """Spot checks of what is found in imports."""
    from hakoniwa_rigid.engine import step
    from hakoniwa_rigid.scene.drones import tick_kernels
    names = {}
    for module in (step, tick_kernels):
        file = os.path.realpath(module.__file__)
        root = shared_cache._root(file)
        names[module] = {os.path.relpath(p, root) for p in shared_cache._closure(file, root)}
    for part in ('constants', 'model/layout', 'detect/pairs_box_box', 'contact/coulomb', 'maths/vec3',
                 'motion/limits'):
        assert f'hakoniwa_rigid/engine/{part}.py' in names[step]
    assert 'hakoniwa_rigid/engine/model/layout.py' in names[tick_kernels]
    assert 'hakoniwa_rigid/scene/drones/rows.py' in names[tick_kernels]
    assert 'hakoniwa_rigid/scene/collision_scene.py' not in names[tick_kernels]
