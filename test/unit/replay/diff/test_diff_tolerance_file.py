# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Tolerance files: every key, the defaults, overrides, and mistakes that are named."""
from dataclasses import fields
from pathlib import Path

import pytest

from hakoniwa_rigid.replay.diff.records import CompareError
from hakoniwa_rigid.replay.diff.tolerance_file import read_tolerances
from hakoniwa_rigid.replay.diff.tolerances import ContactTolerance, Override, Tolerances, TrajectoryTolerance

DOC = (Path(__file__).resolve().parents[4] / 'docs' / 'golden.md').read_text(encoding='utf-8')
TEXT = """
contacts: {window: 0.1, impulse: 1e-3, parts: false, persists: 3}
trajectories: {ape_translation: 0.05, rpe_step: 0.5}
overrides:
  - {pair: [d0, 'wall_*'], contacts: {impulse_relative: 0.2}}
  - {drone: 'd?', trajectories: {ape_rotation: 0.5}}
  - {topic: /d1/odom_corrected, trajectories: {ape_translation: 7}}
"""


def read(tmp_path, text):
    file = tmp_path / 'tol.yaml'
    file.write_text(text)
    return read_tolerances(file)


def test_what_is_given_and_what_is_not(tmp_path):
    found = read(tmp_path, TEXT)
    assert found.contacts == ContactTolerance(window=0.1, impulse=1e-3, parts=False, persists=3)
    assert found.trajectories == TrajectoryTolerance(ape_translation=0.05, rpe_step=0.5)
    assert found.overrides[0] == Override((('impulse_relative', 0.2),), pair=('d0', 'wall_*'))
    assert not found.exact


def test_whom_overrides_are_for(tmp_path):
    found = read(tmp_path, TEXT)
    assert found.of_pair('d0', 'wall_east').impulse_relative == 0.2
    assert found.of_pair('d1', 'wall_east').impulse_relative == 1e-3
    assert found.of_drone('d0', '/fleet/states_corrected').ape_rotation == 0.5
    d1 = found.of_drone('d1', '/d1/odom_corrected')
    assert (d1.ape_rotation, d1.ape_translation, d1.rpe_step) == (0.5, 7.0, 0.5)
    # the topic of either side will do
    assert found.of_drone('x', '/fleet/states_corrected', '/d1/odom_corrected').ape_translation == 7.0


def test_an_empty_mapping_is_the_default(tmp_path):
    assert read(tmp_path, '{}') == Tolerances()


@pytest.mark.parametrize('text, words', [
    ('contact: {}', ("contact: unknown key; did you mean 'contacts'?",)),
    ('contacts: {impuls: 1}', ('contacts.impuls', "did you mean 'impulse'?")),
    ('contacts: {impulse: -1}', ('contacts.impulse', '>= 0', '-1')),
    ('contacts: {window: 0}', ('contacts.window', '> 0')),
    ('contacts: {impulse: .nan}', ('contacts.impulse', 'finite')),
    ('contacts: {persists: 0.5}', ('contacts.persists', 'whole number')),
    ('contacts: {parts: 1}', ('contacts.parts', 'true or false')),
    ('trajectories: {ape_translation: much}', ('trajectories.ape_translation', 'number', 'much')),
    ('overrides: [{contacts: {}}]', ('overrides[0]', 'for whom')),
    ('overrides: [{pair: [d0], contacts: {}}]', ('overrides[0].pair', 'two body names')),
    ('overrides: [{pair: [a, b], trajectories: {}}]', ('overrides[0].contacts', 'missing')),
    ('overrides: [{drone: d0, trajectories: {impulse: 1}}]', ('overrides[0].trajectories.impulse', 'unknown key')),
    ('- 1', ('mapping',)),
    ('a: [', ('line 1', 'YAML')),
])
def test_mistakes_are_named(tmp_path, text, words):
    with pytest.raises(CompareError) as caught:
        read(tmp_path, text)
    for word in ('tol.yaml', *words):
        assert word in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(CompareError, match=r'none\.yaml: cannot be read'):
        read_tolerances(tmp_path / 'none.yaml')


@pytest.mark.parametrize('kind', [ContactTolerance, TrajectoryTolerance])
def test_the_documentation_has_every_key_and_default(kind):
    for field in fields(kind):
        value = 'true' if field.default is True else f'{field.default:g}'.replace('inf', 'none')
        assert f'| `{field.name}` | {value} |' in DOC, field.name
