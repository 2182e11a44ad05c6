# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Files by path or by name: which is found, and what is said where there is none."""
from __future__ import annotations

import pytest

from hakoniwa_rigid import paths


@pytest.mark.parametrize('name', ['gyn', 'gyn.yaml', './gyn', 'rooms/gyn.yaml'])
def test_a_world_that_is_missing_is_told_with_the_folders_it_was_looked_for_in(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError) as caught:
        paths.world_file(name)
    said = str(caught.value)
    for words in ('gyn.yaml: no such file in', str(tmp_path), 'no world of', 'did you mean gym?'):
        assert words in said


@pytest.mark.parametrize('ending', ['', '.yaml'])
def test_of_an_absolute_path_no_other_folder_is_told(ending, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError) as caught:
        paths.world_file(f'/nowhere/gyn{ending}')
    assert str(caught.value) == '/nowhere/gyn.yaml: no such file'
