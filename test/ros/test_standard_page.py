# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The experiment of docs/standard_services.md runs as it stands there, beside a node in real time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rig import NODE

pytestmark = pytest.mark.ros
PAGE = Path(__file__).resolve().parents[2] / 'docs' / 'standard_services.md'
WORLD = """
models: {ball: {mass: 1.0, inertia: [0.016, 0.016, 0.016], shape: {type: sphere, radius: 0.1}}}
drones:
  - {name: d0, model: ball, position: [0, 0, 2]}
  - {name: d1, model: ball, position: [3, 0, 2]}
objects:
  - {name: load, shape: {type: sphere, radius: 0.1}, mass: 0.2, position: [0, 4, 9]}
"""


def test_the_experiment(bench, foreign, tmp_path):
    world, script = tmp_path / 'world.yaml', tmp_path / 'experiment.py'
    world.write_text(WORLD)
    code, _ = re.findall(r'^```python\n(.*?)^```$', PAGE.read_text(encoding='utf8'), re.MULTILINE | re.DOTALL)
    script.write_text(code)
    bench.start(NODE, f'world:={world}')
    process = bench.start(str(script))
    bench.until(lambda: not process.alive, 'the end of the experiment')
    assert process.wait() == 0, process.output
    assert process.lines == ['d0: (0.000, 0.000, 2.000) m', 'd1: (3.000, 0.000, 2.000) m']
