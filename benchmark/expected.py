# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""benchmark/expected.json: the counted work of a step, scene by scene; `python -m benchmark.work` writes it."""
import json
from pathlib import Path

FILE = Path(__file__).with_name('expected.json')
# what is measured may exceed what is expected by this factor
ALLOWED = 1.2


def work():
    """scene -> counts of a step."""
    return json.loads(FILE.read_text())


def write(counts):
    """Counts anew."""
    FILE.write_text(json.dumps({case: _rounded(figures) for case, figures in counts.items()}, indent=1) + '\n')


def _rounded(figures):
    return {k: float(f'{v:.4g}') for k, v in figures.items()}


def worse(found, expected):
    """Names in `found` whose figure exceeds the one expected by more than is allowed."""
    return [name for name, figure in found.items() if not figure <= ALLOWED * expected[name] + 1e-9]
