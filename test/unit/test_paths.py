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


def test_a_preset_is_a_file_with_its_ending_or_a_name_that_is_shipped(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'px4').write_text('')
    (tmp_path / 'mine.yaml').write_text('')
    shipped = paths.config_file('sims', 'px4.yaml')
    assert paths.preset_file('px4') == paths.preset_file('px4.yaml') == shipped
    assert paths.preset_file('mine.yaml').samefile(tmp_path / 'mine.yaml')
    for missing in ('mine', 'px5'):
        with pytest.raises(FileNotFoundError, match=f'{missing}.yaml: no such file; .*px4.yaml'):
            paths.preset_file(missing)
