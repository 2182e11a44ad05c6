# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Machine code that comes with the package: what is taken, what is said where it does not serve."""
import json
import os
import pickle
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from numba import config
from numba.core.caching import IndexDataCacheFile

import hakoniwa_rigid
from hakoniwa_rigid import kernel_build, kernel_cache, progress, selftest
from hakoniwa_rigid.engine.maths.baselines import BASELINES, runnable
from hakoniwa_rigid.engine.maths.shared_cache import KERNELS, stamp

PACKAGE = Path(hakoniwa_rigid.__file__).parent
PROBE = Path(__file__).parents[1] / 'install' / 'probe.py'
BASELINE = 'x86-64-v3'
ordinary = pytest.mark.skipif(config.DISABLE_JIT or config.BOUNDSCHECK or bool(config.CACHE_DIR),
                              reason='no kernels of the ordinary build beside the sources')


def ship(package):
    """Move what was compiled for this processor, beside the sources, to where code for a baseline lies: as such a
    processor's it is found, and this one can run it."""
    for index in PACKAGE.rglob('__pycache__/*.nbi'):
        room = index.parent.parent
        source = room / (index.name.split('.')[0] + '.py')
        with open(index, 'rb') as file:
            pickle.load(file)
            made_from, overloads = pickle.loads(file.read())
        if not source.exists() or made_from != stamp(str(source)):
            continue
        target = package / KERNELS / BASELINE / room.relative_to(PACKAGE)
        target.mkdir(parents=True, exist_ok=True)
        kept = {(types, (machine[0], BASELINE, ''), code): name for (types, machine, code), name in overloads.items()}
        IndexDataCacheFile(str(target), index.stem, made_from)._save_index(kept)
        for name in kept.values():
            shutil.copy(index.parent / name, target)


@ordinary
@pytest.mark.skipif(BASELINE not in runnable(), reason=f'code for {BASELINE} would not be taken on this processor')
def test_engine_and_selftest_compile_nothing(tmp_path):
    """Where nothing can be written, neither beside the sources nor in the home of the user."""
    if not kernel_cache.is_filled():
        pytest.skip('the step is not compiled yet')
    package = tmp_path / 'prefix' / 'hakoniwa_rigid'
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns('__pycache__', 'web', KERNELS))
    ship(package)
    for room in {path.parent for path in package.rglob('*.py')}:
        (room / '__pycache__').write_text('a file: not even root makes a folder of it')
    # a cache of numba's own, of functions that numba compiles by itself, has no part in this
    env = {**os.environ, 'PYTHONPATH': str(package.parent), 'XDG_CACHE_HOME': '/dev/null/cache'}
    done = subprocess.run([sys.executable, PROBE, str(time.monotonic())], env=env, cwd=tmp_path, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found['place'].startswith(str(package))
    assert found['compiled'] == 0
    assert found['same_bits'] and found['total'] == selftest.total(selftest.EXPECTED)


# -- what is said

@pytest.fixture
def came(tmp_path, monkeypatch):
    """Kernels came for a baseline, and the engine is not compiled."""
    (tmp_path / BASELINE).mkdir()
    (tmp_path / kernel_cache.MADE_WITH).write_text(json.dumps(kernel_cache.versions()))
    monkeypatch.setattr(kernel_cache, 'SHIPPED', tmp_path)
    monkeypatch.setattr(kernel_cache, 'is_filled', lambda: False)
    monkeypatch.setattr(kernel_cache, 'runnable', lambda: (BASELINE,))
    return tmp_path


def test_nothing_came(came):
    (came / kernel_cache.MADE_WITH).unlink()
    assert kernel_cache.what_is_missing().startswith(progress.WHAT)


def test_another_processor(came, monkeypatch):
    monkeypatch.setattr(kernel_cache, 'runnable', lambda: ())
    said = kernel_cache.what_is_missing()
    assert said.startswith(f'the package has machine code for {BASELINE}, not for this processor: {progress.WHAT}')


def test_another_numba(came):
    made_with = {**kernel_cache.versions(), 'numba': '0.1'}
    (came / kernel_cache.MADE_WITH).write_text(json.dumps(made_with))
    said = kernel_cache.what_is_missing()
    assert f'numba 0.1, here is {kernel_cache.versions()["numba"]}: {progress.WHAT}' in said


def test_other_sources(came):
    assert 'other sources or flags: ' in kernel_cache.what_is_missing()


# -- building

def test_a_processor_that_runs_none_builds_none(monkeypatch, capsys):
    monkeypatch.setattr(kernel_build, 'runnable', lambda: ())
    assert kernel_build.main([BASELINE]) == 1
    assert f'error: {BASELINE}: this processor can run none of them' in capsys.readouterr().err


def test_a_baseline_has_what_those_below_it_have():
    assert list(BASELINES) == ['x86-64-v4', 'x86-64-v3']
    assert BASELINES['x86-64-v3'] < BASELINES['x86-64-v4']


@ordinary
def test_code_of_other_sources_is_not_whole(tmp_path):
    """Nor is any without the step, or with an index whose data are gone."""
    if not kernel_cache.is_filled():
        pytest.skip('the step is not compiled yet')
    ship(tmp_path)
    place = tmp_path / KERNELS / BASELINE
    assert kernel_build._is_whole(place)
    step = next(place.rglob('step.run_compiled-*.nbi'))
    data = next(step.parent.glob(f'{step.stem}.*.nbc'))
    kept = data.read_bytes()
    data.unlink()
    assert not kernel_build._is_whole(place)
    data.write_bytes(kept)
    IndexDataCacheFile(str(step.parent), step.stem, 'of other sources')._save_index({})
    assert not kernel_build._is_whole(place)
    step.unlink()
    assert not kernel_build._is_whole(place)


@pytest.fixture
def builder(tmp_path, monkeypatch):
    """kernel_build in a package of its own, where compiling writes one file; how often it does."""
    compiled = []

    def compile_(first, baselines, place):
        compiled.append(baselines)
        for name in baselines:
            (place / name).mkdir(parents=True)
            (place / name / 'kernel').write_text('code')
    monkeypatch.setattr(kernel_cache, 'SHIPPED', tmp_path / 'package')
    monkeypatch.setattr(kernel_build, 'runnable', lambda: (BASELINE,))
    monkeypatch.setattr(kernel_build, '_compile', compile_)
    monkeypatch.setattr(kernel_build, '_is_whole', lambda folder: (folder / 'kernel').exists())
    monkeypatch.setenv('HAKONIWA_RIGID_KERNELS_KEPT', str(tmp_path / 'kept'))
    return compiled


def test_what_was_compiled_serves_the_next_build(builder, tmp_path):
    assert kernel_build.main([BASELINE]) == 0
    shutil.rmtree(tmp_path / 'package')
    assert kernel_build.main([BASELINE]) == 0
    assert builder == [[BASELINE]]
    assert (tmp_path / 'package' / BASELINE / 'kernel').read_text() == 'code'
    assert json.loads((tmp_path / 'package' / kernel_cache.MADE_WITH).read_text()) == kernel_cache.versions()
    assert kernel_build.main(['x86-64-v4', BASELINE]) == 0    # of both: compiled again
    assert len(builder) == 2


def test_what_is_not_whole_is_an_error(builder, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(kernel_build, '_is_whole', lambda folder: False)
    assert kernel_build.main([BASELINE]) == 1
    assert f'not all kernels were written for {BASELINE}' in capsys.readouterr().err
    assert not (tmp_path / 'package').exists()


@pytest.mark.skipif(config.DISABLE_JIT, reason='nothing is compiled')
@pytest.mark.skipif(platform.machine() != 'x86_64', reason='the processors are those of x86-64')
def test_types_are_those_of_what_was_compiled(tmp_path):
    """Of modules that are imported late, too; compiled for another processor, and not run, they are found there."""
    # not those that take minutes
    few = ('from hakoniwa_rigid import kernel_build as k\nfrom hakoniwa_rigid.ros import bulk\n'
           'k.unit.link = bulk.warm_up = lambda: None\n'
           'from hakoniwa_rigid.smooth_motion import custom\ncustom.no_function = bulk.warm_up\n')
    warm = 'from hakoniwa_rigid.replay.bag.mcap import kernel; kernel.warm_up()'
    types = tmp_path / 'types'
    for processor, code in (('x86-64', warm), ('x86-64', f'k.write_types({str(types)!r})'),
                            ('x86-64-v2', f'k.compile_like({str(types)!r})')):
        env = {**os.environ, 'PYTHONPATH': str(PACKAGE.parent), 'NUMBA_CPU_NAME': processor, 'NUMBA_CPU_FEATURES': '',
               'NUMBA_CACHE_DIR': str(tmp_path / processor)}
        subprocess.run([sys.executable, '-c', few + code], env=env, check=True)
    kept = [kernel_build._keep(tmp_path / processor, tmp_path / 'kernels' / processor)
            for processor in ('x86-64', 'x86-64-v2')]
    assert kept[0] == kept[1]
    assert {Path(name).name.split('-')[0] for name in kept[0]} == {'kernel.find_messages'}
