# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Events of constraints in two runs: which are the same, what differs, in golden files, too."""
import json
from dataclasses import replace

import pytest

from hakoniwa_rigid.replay.diff.compare import compare
from hakoniwa_rigid.replay.diff.golden import as_golden
from hakoniwa_rigid.replay.diff.golden_reader import read_golden
from hakoniwa_rigid.replay.diff.load import load_run
from hakoniwa_rigid.replay.diff.records import CompareError, ConstraintChange, run_of_fleet
from hakoniwa_rigid.replay.diff.report_files import as_json, as_junit
from hakoniwa_rigid.replay.diff.text import as_text
from hakoniwa_rigid.replay.diff.tolerances import exact

MS = 1_000_000
ZERO = (0.0, 0.0, 0.0)
CHANGES = (
    ConstraintChange('sling', 'attached', 'cable', 'd0', 'load', 0, ZERO, ZERO),
    ConstraintChange('sling', 'taut', 'cable', 'd0', 'load', 40 * MS, (0.0, 0.0, 1.5), ZERO),
    ConstraintChange('latch', 'attached', 'fixed', 'd0', 'load', 50 * MS, ZERO, ZERO),
    ConstraintChange('sling', 'taut', 'cable', 'd0', 'load', 90 * MS, (0.0, 0.0, 0.5), ZERO),
    ConstraintChange('sling', 'broken', 'cable', 'd0', 'load', 95 * MS, ZERO, (0.0, 3.0, 20.0)))


def run(name, changes=CHANGES):
    made = run_of_fleet(name, ['d0'], [0, 100 * MS], [[(0, 0, 0)]] * 2, [[(0, 0, 0, 1)]] * 2, [])
    return replace(made, constraints=tuple(changes))


def changed(index, **fields):
    return (*CHANGES[:index], replace(CHANGES[index], **fields), *CHANGES[index + 1:])


def test_equal_runs():
    report = compare(run('A'), run('B'), exact())
    assert report.equal and [(c.name, c.in_both) for c in report.constraints] == [('latch', 1), ('sling', 4)]
    assert 'EQUAL to the bit: 1 trajectories, 0 contacts, 5 events of constraints' in as_text(report)
    assert 'hakoniwa_rigid.diff.constraint' in as_junit(report)


@pytest.mark.parametrize('changes, where, says', [
    (CHANGES[:-1], 'sling', 'only in expected: broken'),
    (CHANGES[:2] + CHANGES[3:], 'latch', 'only in expected: attached'),
    (changed(3, at_ns=92 * MS), 'sling', 'taut differs by 0.002 s, allowed 0.001: expected 0.09, actual 0.092'),
    (changed(1, impulse=(0.0, 0.0, 1.6)), 'sling', 'impulse of taut differs by 0.1, allowed 0.0017'),
    (changed(4, force=(0.0, 3.0, float('nan'))), 'sling', 'force of broken differs by inf'),
    (changed(2, body_b='d1'), 'latch', 'body_b differs: expected load, actual d1'),
    (changed(2, kind='ball'), 'latch', 'kind differs: expected fixed, actual ball')])
def test_what_differs_is_told_of_its_constraint(changes, where, says):
    report = compare(run('A'), run('B', changes))
    (difference,) = report.differences
    assert (difference.where, report.exit_code) == (where, 1) and says in difference.text
    assert where in as_text(report) and json.loads(as_json(report))['verdict'] == 'different'
    back = compare(run('B', changes), run('A'))
    assert len(back.differences) == 1


def test_small_differences_pass():
    changes = changed(3, at_ns=90 * MS + 1000, impulse=(1e-6, 0.0, 0.5))
    assert compare(run('A'), run('B', changes)).equal and not compare(run('A'), run('B', changes), exact()).equal


def test_golden_files_have_them(tmp_path):
    text = as_golden(run('A'))
    path = tmp_path / 'run.yaml'
    path.write_text(text)
    assert read_golden(path).constraints == CHANGES and compare(run('A'), load_run(path)).equal
    assert as_golden(run('A', ())) == text[:text.index('constraints:')] + text[text.index('trajectories:'):]
    path.write_text(text.replace('phase: broken', 'phase: cut'))
    with pytest.raises(CompareError, match=r'constraints\[4\].phase: must be one of attached, detached, taut, slack'):
        read_golden(path)
