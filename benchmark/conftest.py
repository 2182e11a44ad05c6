# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Measures single parts, and prints one table at the end of the run: processor time per step of each engine."""
import pytest

from . import report

ROUNDS = 7
FIGURES = pytest.StashKey[list]()


def pytest_configure(config):
    """Our table replaces the plugin's, whose unit would be a whole round; --benchmark-json still has everything."""
    config.stash[FIGURES] = []
    if hasattr(config.option, 'benchmark_quiet'):
        config.option.benchmark_quiet = True


def pytest_report_header():
    """What the figures depend on."""
    return f'machine: {report.machine()}'


def pytest_terminal_summary(terminalreporter, config):
    """The table."""
    lines = report.table(config.stash[FIGURES])
    if lines:
        terminalreporter.section('time per step', sep='=')
        terminalreporter.write_line('\n'.join(lines))


@pytest.fixture(scope='session', autouse=True)
def compiled():
    """Nothing is compiled while a clock is running."""
    from hakoniwa_rigid import scene
    scene.warmup()


@pytest.fixture
def measure(benchmark, request):
    """measure(case, engine, function, steps, setup): time function(), which makes `steps` steps, several times, each
    after setup(); the last result of function() is returned."""
    def run(case, engine, function, steps, setup):
        benchmark.group = case
        benchmark.extra_info.update(engine=engine, steps=steps)
        result = benchmark.pedantic(function, setup=setup, rounds=ROUNDS, warmup_rounds=1)
        if benchmark.stats:               # None with --benchmark-disable
            times = benchmark.stats.stats
            request.config.stash[FIGURES].append(
                report.Figure(case, engine, *(1e6 * t / steps for t in (times.min, times.median, times.max))))
        return result
    return run
