# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What no import rule sees: private attributes of an engine world stay inside the engine."""
import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / 'hakoniwa_rigid'
OUTSIDE = sorted(p for p in SOURCE.rglob('*.py') if SOURCE / 'engine' not in p.parents)
WORLDS = {'world', '_world', 'w'}


@pytest.mark.parametrize('room', sorted({p.parent for p in OUTSIDE}), ids=lambda p: str(p.relative_to(SOURCE)))
def test_worlds_are_read_through_what_is_public(room):
    bad = []
    for path in room.glob('*.py'):
        for node in ast.walk(ast.parse(path.read_text(encoding='utf8'))):
            if not isinstance(node, ast.Attribute) or not node.attr.startswith('_') or node.attr.startswith('__'):
                continue
            owner = node.value
            name = owner.id if isinstance(owner, ast.Name) else getattr(owner, 'attr', '')
            if name in WORLDS:
                bad.append(f'{path.relative_to(SOURCE)}:{node.lineno}: {name}.{node.attr}')
    assert not bad, '\n'.join(bad)
