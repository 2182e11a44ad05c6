# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A few cases of every kind, always the same ones, run as `make fuzz` runs its millions."""
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).parent
# cases of each kind, and the wall time (s) that none of it may pass on a slow machine
CASES = {'scene': 25, 'messages': 12, 'worlds': 60, 'meshes': 200, 'hands': 100}
PATIENCE = 300


@pytest.mark.parametrize('kind', CASES)
def test_a_fixed_seed(kind):
    """One process more, so that what dies or hangs is reported."""
    command = [sys.executable, str(FUZZ), '--only', kind, '--cases', str(CASES[kind]), '--seed', '20261123',
               '--workers', '1', '--seconds', str(PATIENCE), '--no-keep', '--quiet']
    done = subprocess.run(command, cwd=FUZZ.parents[1], capture_output=True, text=True, timeout=2 * PATIENCE)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
