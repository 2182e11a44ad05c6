# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What once failed: every file of test/regressions is a case, each judged in a process of its own."""
from __future__ import annotations

import json
from pathlib import Path

import pytest

from fuzz import apart

FILES = sorted((Path(__file__).parents[1] / 'regressions').glob('*.json'))


@pytest.mark.parametrize('file', FILES, ids=[f.stem for f in FILES])
def test_what_once_failed(file):
    name, text = apart.fate(json.loads(file.read_text()))
    assert not name, f'{name}\n{text}'
