# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""For pytest: the fixture `hakoniwa_replay`, recorded flights as tests.

It is loaded in every run of an environment that has the package.  So it imports nothing of it before a test asks for
it; only that numba is to do without Intel's vector library is set, as the import of the package does, where nothing
else is (NUMBA_DISABLE_INTEL_SVML).

    def test_landing(hakoniwa_replay):
        hakoniwa_replay('flights/landing', golden='flights/landing.golden.yaml', world='yard.yaml')
"""
from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where reports go."""
    group = parser.getgroup('hakoniwa_rigid', 'recorded flights')
    group.addoption('--hakoniwa-reports', metavar='DIR', default=None,
                    help='folder for the reports of hakoniwa_replay (default: the temporary folder of each test)')


@pytest.fixture
def hakoniwa_replay(request: pytest.FixtureRequest, tmp_path: Path) -> Callable:
    """A function: replay a bag and compare it with a golden file, `hakoniwa_rigid.testing.replay_against`.

    Where they differ the test fails with the headline, cause first, and the paths of an HTML and a JUnit report.
    Paths are those of the folder of the test file, as far as they are there.
    """
    chosen = request.config.getoption('--hakoniwa-reports')
    reports = request.config.invocation_params.dir / chosen if chosen else tmp_path
    name = re.sub('[^A-Za-z0-9_.-]+', '_', request.node.name)
    count = 0

    def here(path: str | Path | None) -> str | Path | None:
        beside = None if path is None else request.path.parent / path
        return beside if beside is not None and beside.exists() else path

    def replay(bag: str | Path, golden: str | Path, world: str | Path | None = None, **more):
        from hakoniwa_rigid.testing import replay_against
        nonlocal count
        count += 1
        more.setdefault('report', Path(reports) / (f'{name}_{count}.html' if count > 1 else f'{name}.html'))
        return replay_against(here(bag), here(golden), here(world), **more)
    return replay
