# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Sweeps against the law of the impact: a ball of mass m that meets a floor with speed v gives it m v (1 + e)."""
import csv
import signal
import sys

import pytest
import sweeps
from numpy.testing import assert_allclose

from hakoniwa_rigid import cli
from hakoniwa_rigid.replay.rerun.outcome import Options
from hakoniwa_rigid.replay.rerun.run import replay
from hakoniwa_rigid.replay.sweep import job, pool, run, table
from hakoniwa_rigid.replay.sweep.grid import GridError, parse
from hakoniwa_rigid.replay.sweep.run import Request, sweep

GRID = (parse('restitution=0.2:0.8:4'), parse('friction=0.1,0.5'))


@pytest.fixture
def here(monkeypatch):
    """Runs in this process, one after the other; those of another bag than `stop` only."""
    def one_by_one(function, jobs, workers, first):
        for k, one in enumerate(jobs):
            if one.bag.endswith('stop'):
                raise KeyboardInterrupt
            yield k, function(one)
    monkeypatch.setattr(pool, 'finished', one_by_one)


def without_speed(rows):
    return [{key: value for key, value in row.items() if key != 'real_time_factor'} for row in rows]


def test_two_processes_give_the_closed_form_and_what_one_gives(tmp_path):
    world = sweeps.world(tmp_path)
    bags = sweeps.drop(tmp_path, 'slow', 1.0), sweeps.drop(tmp_path, 'fast', 2.0)
    two = sweep(Request(bags, GRID, world, workers=2))
    for row in two.rows:
        speed = 2.0 if row['bag'].endswith('fast') else 1.0
        assert row['status'] == 'ok'
        assert_allclose(row['largest_impulse'], sweeps.MASS * speed * (1.0 + row['restitution']), rtol=1e-12)
        assert_allclose(row['first_contact_s'], sweeps.TOUCH, atol=0.003)
        assert (row['contacts'], row['contacts_drone_wall'], row['largest_impulse_pair']) == (1, 1, 'ball - floor')
    order = [(row['bag'], row['restitution'], row['friction']) for row in two.rows]
    assert order == [(bag, e, mu) for bag in sorted(bags) for e in (0.2, 0.4, 0.6, 0.8) for mu in (0.1, 0.5)]
    one = [job.run(one) for one in run.plan(Request(tuple(reversed(bags)), GRID, world))[2]]
    assert without_speed(one) == without_speed(two.rows)


def test_values_as_they_are_change_nothing(tmp_path):
    """The world that is written for a run is the world of the file, to the bit."""
    world, bag = sweeps.world(tmp_path), sweeps.drop(tmp_path)
    row = job.run(job.Job(bag, {'material.rubber.restitution': 0.5, 'dt': 1e-3}, '/', world))
    assert row['state_hash'] == replay(Options(bag, world=world)).state_hash
    assert_allclose(row['largest_impulse'], 1.5 * sweeps.MASS * sweeps.SPEED, rtol=1e-12)


def test_drones_that_only_parameters_name_take_part(tmp_path, monkeypatch):
    """Their model has a material too; paths are those of the folder of the asker."""
    monkeypatch.chdir(tmp_path)
    sweeps.drop(tmp_path, 'bag')
    (tmp_path / 'empty.yaml').write_text('walls: [{name: floor, type: plane, normal: [0, 0, 1], offset: -0.5}]\n')
    (tmp_path / 'p.yaml').write_text('/**: {ros__parameters: {drones: [ball], default_drone_model: api-1}}\n')
    _, _, jobs = run.plan(Request(('bag',), (parse('restitution=0,0.25'), parse('drones.ball.authority=correct'),
                                             parse('scene.end_hysteresis=0.01')), 'empty.yaml', 'p.yaml'))
    monkeypatch.chdir('/')
    assert [job.run(one)['status'] for one in jobs] == ['ok', 'ok']
    assert job.served(jobs[0])[0].world.drones[0].name == 'ball'


def test_failures_are_rows_with_their_cause(tmp_path, here, capsys, monkeypatch):
    world, out, plot = sweeps.world(tmp_path), tmp_path / 't.csv', tmp_path / 'p.png'
    sweeps.drop(tmp_path, 'good')
    monkeypatch.chdir(tmp_path)
    code = cli.main(['sweep', 'nowhere', 'good', '--grid', 'restitution=0.5,1.5', '--grid', 'rate=200,333', '--world',
                     world, '-o', 't.csv', '--plot', 'p.png'])
    assert code == 1
    text = capsys.readouterr().out
    for words in ('8 runs of 2 bags: 1 ok, 7 failed', 'nowhere: no such file or folder', 'table: t.csv'):
        assert words in text
    with out.open(newline='') as file:
        rows = list(csv.DictReader(file))
    assert [row['bag'] for row in rows] == 4 * ['good'] + 4 * ['nowhere']
    assert [row['status'].rpartition(': ')[2] for row in rows[:4]] == [
        'ok', 'its period must be a whole number of engine steps of 1 ms, got 333 Hz; try 250 or 333.333',
        *2 * ['must be <= 1, got 1.5']]
    assert 'drop.yaml with values of the grid: models.ball.material.restitution' in rows[2]['status']
    assert_allclose(float(rows[0]['largest_impulse']), 1.5 * sweeps.MASS * sweeps.SPEED, rtol=1e-12)
    assert rows[2]['largest_impulse'] == ''
    assert str(tmp_path / 'good') not in out.read_text()
    assert plot.stat().st_size > 10_000


def test_unusable_sweeps_exit_with_2_and_write_nothing(tmp_path, capsys):
    world, out = sweeps.world(tmp_path), tmp_path / 't.csv'

    grid = 'restitution=0.5'
    for words, axis, table_, more in (
            ('did you mean material.rubber.friction', 'material.ruber.friction=1', out, []),
            ('did you mean drones.ball.authority', 'drones.bal.authority=observe', out, []),
            ('every bag once', grid, out, ['bag']), ('--workers: must be 1 or more', grid, out, ['--workers=0']),
            ('.parquet or .csv', grid, tmp_path / 't.txt', []), ('no folder', grid, tmp_path / 'no' / 't.csv', []),
            ('nowhere.yaml', grid, out, ['--world=nowhere.yaml'])):
        assert cli.main(['sweep', '--grid', axis, '-o', str(table_), '--world', world, *more, 'bag']) == 2
        assert words in capsys.readouterr().err
    assert not out.exists()


def test_ctrl_c_writes_what_is_finished(tmp_path, here, capsys):
    world, out = sweeps.world(tmp_path), tmp_path / 't.csv'
    good, stop = sweeps.drop(tmp_path, 'a'), str(tmp_path / 'stop')
    assert cli.main(['sweep', good, stop, '--grid', 'friction=0.5', '-o', str(out), '--world', world]) == 1
    assert '1 ok, 0 failed, 1 not run' in capsys.readouterr().out
    with out.open(newline='') as file:
        assert [row['status'] for row in csv.DictReader(file)] == ['ok', 'not run']
    before = out.read_bytes()
    assert cli.main(['sweep', stop, '--grid', 'friction=0.5', '-o', str(out), '--world', world]) == 2
    assert 'before a run was finished' in capsys.readouterr().err
    assert (out.read_bytes(), sorted(p.name for p in tmp_path.iterdir())) == (before, ['a', 'drop.yaml', 't.csv'])


def test_parquet_has_types_and_nulls(tmp_path, here):
    parquet = pytest.importorskip('pyarrow.parquet', reason='pyarrow is not installed (extra sweep)')
    world, out = sweeps.world(tmp_path), tmp_path / 't.parquet'
    swept = sweep(Request((sweeps.drop(tmp_path), str(tmp_path / 'none')), GRID[:1], world))
    table.write(swept, out)
    found = parquet.read_table(out)
    assert found.column_names == list(table.columns(swept))
    types = {name: str(found.schema.field(name).type) for name in ('bag', 'restitution', 'contacts', 'largest_impulse')}
    assert types == {'bag': 'string', 'restitution': 'double', 'contacts': 'int64', 'largest_impulse': 'double'}
    assert found.to_pylist() == [{**dict.fromkeys(found.column_names), **row} for row in swept.rows]
    assert [p.name for p in tmp_path.glob('.*')] == []


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, 'pyarrow.parquet', None)
    with pytest.raises(GridError, match='pip install.*sweep'):
        table.check_target(tmp_path / 't.parquet')
    table.check_target(tmp_path / 't.csv')


def test_a_worker_of_another_version_is_a_failed_row():
    row = job.run(job.Job('bag', {'dt': 1e-3}, '/', version='0.0.0'))
    assert (row['bag'], row['dt'], 'asked for is 0.0.0' in row['status']) == ('bag', 1e-3, True)


def test_interrupts_stay_with_the_asker():
    """Processes are started ignoring Ctrl-C, and the parent reacts to it again."""
    before = signal.getsignal(signal.SIGINT)
    with pool._ignoring_interrupts():
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    assert signal.getsignal(signal.SIGINT) == before
