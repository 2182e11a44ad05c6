# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""docs/extending.md names files that are there, and the names in them that it speaks of."""
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / 'docs' / 'extending.md').read_text(encoding='utf8')
PATHS = sorted(set(re.findall(r'`((?:hakoniwa_rigid|test|docs|config|msg)/[\w./-]+)`', TEXT)))
NAMED = {'hakoniwa_rigid/engine/model/solvers.py': 'SOLVERS', 'hakoniwa_rigid/engine/model/mixing.py': 'combine',
         'hakoniwa_rigid/scene/world_files/world_types.py': 'MaterialConfig',
         'hakoniwa_rigid/scene/events/amounts.py': 'Amounts',
         'hakoniwa_rigid/replay/rerun/journal.py': 'CALLS',
         'hakoniwa_rigid/codec/contact_event.py': 'ContactEventRecord',
         'hakoniwa_rigid/engine/shapes/__init__.py': 'SHAPES', 'hakoniwa_rigid/engine/shapes/kinds.py': 'FRUSTUM',
         'hakoniwa_rigid/scene/hands/hand_layouts.py': 'LAYOUTS', 'hakoniwa_rigid/scene/inputs/hand_samples.py': 'AXES',
         'hakoniwa_rigid/replay/topics.py': 'THIRD_PARTY', 'hakoniwa_rigid/scene/parameters/params.py': 'NODE'}


@pytest.mark.parametrize('path', PATHS)
def test_files_of_the_recipes_are_there(path):
    assert (ROOT / path).exists()


@pytest.mark.parametrize('path', NAMED)
def test_names_of_the_recipes_are_in_their_files(path):
    assert path in PATHS and re.search(rf'\b{NAMED[path]}\b', (ROOT / path).read_text(encoding='utf8'))


def test_every_recipe_of_the_list():
    wanted = ('shape', 'solver', 'friction law', 'preset', 'parameter', 'service', 'field of ContactEvent',
              'hand tracker', 'message type')
    headings = re.findall(r'^## (.*)$', TEXT, re.MULTILINE)
    assert [w for w in wanted if not any(w in h for h in headings)] == []
