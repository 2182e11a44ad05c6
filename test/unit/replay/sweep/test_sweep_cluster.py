# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Runs on a Dask scheduler on this machine are those of this process; without one, a message."""
import sys

import pytest
import sweeps

from hakoniwa_rigid.replay.sweep import cluster, job, run
from hakoniwa_rigid.replay.sweep.grid import GridError, parse
from hakoniwa_rigid.replay.sweep.run import Request, sweep


def test_without_dask_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, 'dask.distributed', None)
    with pytest.raises(GridError, match='pip install.*sweep'):
        next(cluster.finished(len, ['a'], 'tcp://127.0.0.1:1'))


def test_a_scheduler_that_is_not_there():
    pytest.importorskip('dask.distributed', reason='dask is not installed (extra sweep)')
    with pytest.raises(GridError, match=r'--scheduler tcp://127\.0\.0\.1:1: no answer'):
        next(cluster.finished(len, ['a'], 'tcp://127.0.0.1:1', patience=0.3))


def test_a_cluster_gives_the_rows_of_one_process(tmp_path):
    """Workers are threads of this process: the compiled engine is loaded once."""
    distributed = pytest.importorskip('dask.distributed', reason='dask is not installed (extra sweep)')
    world, bags = sweeps.world(tmp_path), (sweeps.drop(tmp_path), str(tmp_path / 'nowhere'))
    grid = (parse('restitution=0.2:0.8:3'),)
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, host='127.0.0.1',
                                  protocol='tcp://', dashboard_address=None) as local:
        swept = sweep(Request(bags, grid, world, scheduler=local.scheduler_address))
    alone = [job.run(one) for one in run.plan(Request(bags, grid, world))[2]]
    for rows in (alone, swept.rows):
        for row in rows:
            row.pop('real_time_factor', None)
    assert swept.rows == alone
    assert [row['status'] for row in alone] == 3 * ['ok'] + 3 * [f'{bags[1]}: no such file or folder']
