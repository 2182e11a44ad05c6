# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""make bench-check: what it takes as slower, and its exit status."""
import pytest

from benchmark.gates import bench_check

CASES = """
import hakoniwa_rigid as package
from benchmark.gates.laps import Case, serve_cases

class Loop:
    def __init__(self, cost):
        self.cost = cost
    def start(self):
        pass
    def run(self, count):
        for _ in range(count * self.cost):
            pass

CASES = {'loop': Case(lambda: Loop(package.COST), 200, 2), 'new': Case(lambda: Loop(package.NEW), 20, 2)}
def serve(arguments):
    serve_cases(CASES, *arguments, lambda: None)
"""
FAST, SLOW = 'COST, NEW = 200, 1\n', 'COST, NEW = 500, 1\n'


@pytest.fixture
def gate(repository, tmp_path, capsys):
    """A function that runs the gate on the repository: exit status and text."""
    file = tmp_path / 'tiny_cases.py'
    file.write_text(CASES)

    def run(*arguments):
        status = bench_check.main(arguments, repository.root, file)
        return status, capsys.readouterr().out
    return run


def test_a_slower_package_fails_on_any_processor(repository, gate):
    repository.commit(FAST)
    repository.commit(SLOW)
    status, text = gate('--only', 'loop')
    assert status == bench_check.SLOWER, text
    assert text.count('once more') == bench_check.ATTEMPTS - 1
    assert 'slower than the parent' in text.splitlines()[-1]


def test_a_faster_package_passes_and_a_new_case_is_reported(repository, gate):
    repository.commit('COST = 500\n')
    repository.commit(FAST)
    status, text = gate()
    assert status == bench_check.FINE, text
    assert 'new: new, the parent says AttributeError' in text


def test_without_a_parent_it_fails(repository, gate, tmp_path):
    repository.commit(FAST)
    status, text = gate()
    assert status == bench_check.NOT_COMPARED and 'no such commit' in text
    status = bench_check.main([], tmp_path / 'no repository')
    assert status == bench_check.NOT_COMPARED


@pytest.mark.parametrize('new', ['COST = 200\n', '', 'import nothing_of_that_name\n'])
def test_a_tree_that_cannot_run_a_case_is_not_compared(repository, gate, new):
    repository.commit(FAST)
    repository.commit(new)
    status, text = gate('--only', 'new')
    assert status == bench_check.NOT_COMPARED, text


@pytest.mark.parametrize(('found', 'status'), [
    ({'a': 1.19, 'b': 0.5}, 0), ({'a': 1.0, 'b': 1.21}, 1), ({'a': float('nan')}, 1), ({'a': None, 'b': 1.0}, 0),
    ({'a': None}, 2), ({}, 2)])
def test_verdicts(found, status):
    assert bench_check.verdict(found)[0] == status


def test_the_cases_have_a_pile_and_a_tick():
    from benchmark.gates import bench_cases
    names = ' '.join(bench_cases.CASES)
    for word in ('1 spheres', '1000 boxes', '100 compounds', '50 boxes at rest', 'pile of 30', 'tick, 50 drones'):
        assert word in names
