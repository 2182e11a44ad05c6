# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The work of a step has not grown: counts of contact pairs, list rebuilds, impacts and sweeps, as no clock sees
them."""
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# last, so that an installed hakoniwa_rigid comes before that of the tree
sys.path.append(str(ROOT))

from benchmark import expected  # noqa: E402
from benchmark.work import SCENES, work  # noqa: E402


@pytest.mark.parametrize('case', SCENES)
def test_no_more_work_than_written(case):
    """At most a fifth more than benchmark/expected.json says; `python -m benchmark.work` writes it anew."""
    written = expected.work()[case]
    found = work(case)
    assert not {key: (found[key], written[key]) for key in expected.worse(found, written)}
