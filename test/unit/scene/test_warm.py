# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Nothing is compiled once the clock runs."""
import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest
from tested import PACKAGES

TEST = Path(__file__).parents[2]


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason='nothing is compiled')
def test_first_ticks_compile_nothing():
    """In a process of its own, in which no other test has called anything."""
    paths = os.pathsep.join([str(TEST), PACKAGES, os.environ.get('PYTHONPATH', '')])
    run = subprocess.run([sys.executable, str(TEST / 'first_ticks.py')], env={**os.environ, 'PYTHONPATH': paths},
                         capture_output=True, text=True, timeout=900)
    assert run.returncode == 0, run.stderr
    assert run.stdout == ''


def test_all_but_the_step_is_called_where_no_world_moves():
    """The second process of the first compilation, which says nothing where it fails."""
    code = 'from hakoniwa_rigid.scene.warm import compile_rest; compile_rest()'
    run = subprocess.run([sys.executable, '-c', code], env={**os.environ, 'NUMBA_DISABLE_JIT': '1'},
                         capture_output=True, text=True, timeout=300)
    assert (run.returncode, run.stdout, run.stderr) == (0, '', '')
