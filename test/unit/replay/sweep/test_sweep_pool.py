# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Processes that die take their own call with them and nothing else."""
import os
import signal
import time
from contextlib import closing
from pathlib import Path

from hakoniwa_rigid.replay.sweep.pool import ONE_THREAD, Died, finished


def call(argument):
    if argument == 'kill':
        os.kill(os.getpid(), signal.SIGKILL)
    if argument == 'exit':
        os._exit(3)
    if argument == 'raise':
        raise SystemExit(0)
    if argument == 'folder':
        return os.environ['TMPDIR'], [os.environ[name] for name in ONE_THREAD]
    if isinstance(argument, Path):
        argument.write_text(str(os.getpid()))
        time.sleep(600)
    return argument


def test_a_process_that_dies_fails_its_own_call_only(capfd):
    arguments = ['a', 'kill', 'b', 'exit', 'raise', 'c', 'folder']
    before = dict(os.environ)
    results = dict(finished(call, arguments, 2, first=call))
    assert sorted(results) == list(range(len(arguments)))
    assert [results[k] for k in (0, 2, 5)] == ['a', 'b', 'c']
    assert isinstance(results[1], Died)
    assert results[1] == 'the worker was killed by SIGKILL: out of memory? try fewer --workers'
    assert results[3] == 'the worker ended with exit code 3'
    assert results[4] == 'the worker ended with exit code 0'
    folder, threads = results[6]
    assert threads == ['1'] * len(ONE_THREAD)
    assert not os.path.exists(folder)
    assert dict(os.environ) == before


def test_closing_ends_what_runs(tmp_path):
    """The second call never returns; its process is gone after closing."""
    note = tmp_path / 'pid'
    with closing(finished(call, ['a', note], 1)) as results:
        assert next(results) == (0, 'a')
        while not note.is_file() or not note.read_text():
            time.sleep(0.01)
        pid = int(note.read_text())
    assert not os.path.exists(f'/proc/{pid}')
