# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Fixtures of the node tests: a bench in its own domain, a small world, the node in simulated time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import foreign_packages
import harness
import pytest
from harness import Bench
from rig import WORLD, Rig
from standard_calls import WORLD as STANDARD


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """The world file."""
    path = tmp_path / 'world.yaml'
    path.write_text(WORLD)
    return path


@pytest.fixture
def foreign(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The simulators' message packages, for this test and the processes it starts; theirs is the folder."""
    folder = foreign_packages.provide()
    monkeypatch.setenv('PYTHONPATH', str(folder), prepend=os.pathsep)
    return folder


@pytest.fixture
def bench() -> Iterator[Bench]:
    """A bench in a domain of its own."""
    with harness.bench() as made:
        yield made


@pytest.fixture
def rig(bench: Bench, world: Path) -> Rig:
    """The node of the small world, ticking."""
    return Rig(bench, world)


@pytest.fixture
def standard_world(tmp_path: Path, foreign: Path) -> Path:
    """The world of the standard services, where their package is installed."""
    path = tmp_path / 'standard.yaml'
    path.write_text(STANDARD)
    return path
