# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""docs/diagnostics.md has every cause that inputs and nodes can report."""
import re
from pathlib import Path

from hakoniwa_rigid.scene.records import Verdict

ROOT = Path(__file__).resolve().parents[3]
NOTED = re.compile(r"(?:ledger\.note|\.refuse)\(\s*'([a-z_]+)'")


def test_every_cause_is_on_the_page():
    page = (ROOT / 'docs/diagnostics.md').read_text(encoding='utf8')
    causes = {cause for path in (ROOT / 'hakoniwa_rigid').rglob('*.py')
              for cause in NOTED.findall(path.read_text(encoding='utf8'))}
    causes |= {str(verdict) for verdict in Verdict} - {'accepted'}
    assert len(causes) > 25
    assert sorted(cause for cause in causes if f'`{cause}`' not in page) == []
