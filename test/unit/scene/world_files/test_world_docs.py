# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""docs/world_files.md against the code: every key, shape and default is there."""
import re
from dataclasses import fields
from pathlib import Path

import pytest

from hakoniwa_rigid.scene.world_files.shape_file import LENGTHS
from hakoniwa_rigid.scene.world_files.shape_words import SOLIDS, STATIC
from hakoniwa_rigid.scene.world_files.world_types import (
    COMBINE_RULES,
    CONSTRAINT_KINDS,
    CONTACT_PROFILES,
    PAIR_KINDS,
    SOLVERS,
    ConstraintConfig,
    SceneParams,
)

TEXT = (Path(__file__).resolve().parents[4] / 'docs' / 'world_files.md').read_text()


@pytest.mark.parametrize('field', fields(SceneParams), ids=lambda f: f.name)
def test_scene_keys_and_defaults(field):
    (default,) = re.findall(rf'^\| `{field.name}` \| (\S+) \|', TEXT, re.MULTILINE)
    assert float(default) == field.default


@pytest.mark.parametrize('word', [*SOLIDS, *STATIC])
def test_shapes_and_what_they_can_be(word):
    (row,) = re.findall(rf'^\| `{word}` \| (.*) \|$', TEXT, re.MULTILINE)
    assert row.endswith('| a wall' if word in STATIC else '| anything')
    assert all(f'`{key}`' in row for key in LENGTHS.get(word, ()))


@pytest.mark.parametrize('word', [*SOLVERS, *COMBINE_RULES, *CONTACT_PROFILES])
def test_words_of_the_engine_are_there(word):
    assert re.search(rf'`{word}`', TEXT)


def test_kinds():
    assert all(f'`{kind}`' in TEXT for kind in PAIR_KINDS)


@pytest.mark.parametrize('word', [*(f.name for f in fields(ConstraintConfig)), *CONSTRAINT_KINDS])
def test_keys_and_kinds_of_constraints(word):
    (section,) = re.findall(r'^## `constraints\[\]`.*?(?=^## )', TEXT, re.MULTILINE | re.DOTALL)
    assert f'`{word}`' in section
