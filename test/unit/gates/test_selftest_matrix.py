# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`make test-matrix`: a cell is judged by what its process reports, and rows go into the document's table."""
import sys
from pathlib import Path

import pytest

from benchmark.gates import selftest_matrix, selftest_places
from benchmark.gates.selftest_matrix import COLUMNS, Cell, Run, enter, main, row, verdict
from benchmark.gates.selftest_places import Place, Untested
from hakoniwa_rigid.selftest_hashes import EXPECTED

FACTS = {'python': '3.11.7', 'numba': '0.68.1', 'numpy': '2.4.6', 'scipy': '1.17.1', 'C library': 'glibc 2.36',
         'machine': 'x86_64', 'processor': 'znver5 avx'}
CHILD = """
import json, os, sys
print(json.dumps({facts}))
for name, whole in {parts}.items():
    print(json.dumps([name, 'beginning', None if '--brief' in sys.argv else whole]))
print(json.dumps(['a replay', os.environ.get('REPLAY', 'x'), None]))
sys.exit(int(os.environ.get('STATUS', '0')))
"""


def place(folder: Path, parts=EXPECTED) -> Place:
    """A tree whose parts give these hashes."""
    child = folder / 'tree' / 'benchmark' / 'gates' / 'selftest_child.py'
    child.parent.mkdir(parents=True, exist_ok=True)
    child.write_text(CHILD.format(facts=FACTS, parts=parts))
    return Place((sys.executable,), str(folder / 'tree'), str(folder / 'caches'))


def run(tmp_path, capsys, *cells, arguments=()):
    """(exit status, the rows)."""
    status = main(['--folder', str(tmp_path), *arguments], cells=cells)
    return status, capsys.readouterr().out.splitlines()[2:]


def test_the_same_hashes_are_the_same(tmp_path, capsys):
    status, (line,) = run(tmp_path, capsys, Cell('one', place))
    assert status == 0
    assert line.startswith('| one |') and line.endswith(f'| same, {len(EXPECTED)} parts and a replay |')
    assert 'znver5 avx (x86_64)' in line and line.count('|') == len(COLUMNS) + 1


def test_what_differs_is_named(tmp_path, capsys):
    status, lines = run(tmp_path, capsys, Cell('right', place),
                        Cell('wrong', lambda folder: place(folder, {**EXPECTED, 'a heap': 'x'})))
    assert status == 1
    assert lines[1].endswith(f'| of {len(EXPECTED)} parts and a replay, 1 differ, first: a heap |')
    status, lines = run(tmp_path, capsys, Cell('right', place), Cell('wrong', place, {'REPLAY': 'y'}))
    assert status == 1 and lines[1].endswith('1 differ, first: a replay |')


def test_what_cannot_run_is_untested_and_no_success(tmp_path, capsys):
    def missing(folder):
        raise Untested('no emulator')
    status, lines = run(tmp_path, capsys, Cell('no place', missing), Cell('it fails', place, {'STATUS': '3'}))
    assert status == 1
    assert lines[0].endswith('| untested: no emulator |') and lines[0].count('|') == len(COLUMNS) + 1
    assert 'untested: its process failed' in lines[1]


def test_without_this_machine_nothing_is_compared(tmp_path, capsys):
    status, lines = run(tmp_path, capsys, Cell('this machine', place, {'STATUS': '3'}), Cell('other', place))
    assert status == 1 and 'which it is compared with, did not run' in lines[1]


def test_beginnings_are_compared_with_this_machine(tmp_path, capsys):
    status, lines = run(tmp_path, capsys, Cell('whole', place), Cell('brief', place, brief=True))
    assert status == 0 and lines[1].endswith(f'| same, {len(EXPECTED) + 1} beginnings |')
    other = Run(FACTS, {**dict.fromkeys(EXPECTED, 'beginning'), 'a heap': 'x'}, EXPECTED)
    fine, words = verdict(Run(FACTS, dict.fromkeys(EXPECTED, 'beginning'), {}), other)
    assert not fine and words.endswith('first: a heap')


def test_a_part_that_is_missing_differs(tmp_path, capsys):
    few = {name: EXPECTED[name] for name in list(EXPECTED)[1:]}
    status, lines = run(tmp_path, capsys, Cell('all', place), Cell('few', lambda folder: place(folder, few)))
    assert status == 1 and lines[1].endswith(f'1 differ, first: {next(iter(EXPECTED))} |')


def test_rows_that_ran_go_into_the_document(tmp_path, capsys, monkeypatch):
    document = tmp_path / 'doc.md'
    document.write_text('Before.\n\n| cell | result |\n|---|---|\n| one | old |\n| two | old |\n\nAfter.\n')
    monkeypatch.setattr(selftest_matrix, 'DOCUMENT', document)
    _, (line, _) = run(tmp_path, capsys, Cell('one', place), Cell('two', place, {'STATUS': '3'}),
                       arguments=['--write'])
    assert document.read_text().splitlines() == ['Before.', '', '| cell | result |', '|---|---|', line, '| two | old |',
                                                 '', 'After.']
    with pytest.raises(SystemExit, match='one row of three'):
        enter(document, Cell('three'), row(Cell('three'), FACTS, 'same'))


def test_cells_are_chosen_by_name():
    def names(*words):
        return [cell.name for cell in selftest_matrix.chosen(list(words))]
    everything = [cell.name for cell in selftest_matrix.CELLS]
    assert names() == everything
    assert names('aarch64') == ['this machine', 'aarch64']
    assert names('plain python') == ['this machine', 'plain Python']
    assert names('BLAS', 'x86-64 v3') == ['this machine', *(n for n in everything if 'BLAS' in n), 'x86-64 v3']
    assert names('nothing of that') == ['this machine']


def test_one_matrix_at_a_time_in_a_folder(tmp_path, capsys):
    def another(folder):
        with pytest.raises(SystemExit, match='another matrix'):
            main(['--folder', str(folder)], cells=[Cell('inner', place)])
        return place(folder)
    status, _ = run(tmp_path, capsys, Cell('outer', another))
    assert status == 0


def test_the_document_has_a_row_of_every_cell():
    lines = selftest_matrix.DOCUMENT.read_text(encoding='utf8').splitlines()
    rows = [line for line in lines if line.startswith(tuple(f'| {cell.name} |' for cell in selftest_matrix.CELLS))]
    assert [line.split(' | ')[0].removeprefix('| ') for line in rows] == [c.name for c in selftest_matrix.CELLS]
    assert {line.count('|') for line in rows} == {len(COLUMNS) + 1}


def test_versions_come_from_the_package():
    assert [line.split('~=')[0] for line in selftest_places.oldest()] == list(selftest_places.NEEDED)
    assert all('>=' in line for line in selftest_places.newest())
