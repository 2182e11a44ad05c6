# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Golden runs: whole scenes end where they ended when the verification tests last passed."""

import importlib.util
import json
from pathlib import Path

import pytest
from numpy.testing import assert_allclose

HERE = Path(__file__).parent
spec = importlib.util.spec_from_file_location('golden_write', HERE / 'write.py')
golden = importlib.util.module_from_spec(spec)
spec.loader.exec_module(golden)


@pytest.mark.parametrize('name', golden.RUNS)
def test_golden_run(name):
    """1e-8: contacts amplify the last bits that differ between processors and compilers."""
    expected = json.loads((HERE / f'{name}.json').read_text())
    got = golden.end_state(name)
    for key in golden.STATE:
        assert_allclose(got[key], expected[key], rtol=0, atol=1e-8, err_msg=f'{name}: {key}')
