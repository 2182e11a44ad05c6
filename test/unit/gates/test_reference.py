# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Which commit is the parent, and its tree."""
import os

import pytest

from benchmark.gates import reference


def test_which_commit_is_the_parent(repository, monkeypatch):
    first, second = repository.commit('GAIN = 1\n'), repository.commit('GAIN = 2\n')
    root = repository.root
    assert reference.parent(root) == first
    # what does not run makes no difference
    (root / 'notes.txt').write_text('new')
    assert reference.parent(root) == first
    repository.package('GAIN = 3\n')
    assert reference.parent(root) == second
    assert reference.parent(root, wanted=first[:8]) == first
    monkeypatch.setenv('PARENT', 'HEAD~1')
    assert reference.parent(root) == first
    assert reference.title(second, root).endswith('GAIN = 2')


def test_a_new_file_of_the_package_is_a_difference(repository):
    repository.commit('GAIN = 1\n')
    head = repository.commit('GAIN = 2\n')
    (repository.root / 'hakoniwa_rigid' / 'new.py').write_text('')
    assert reference.parent(repository.root) == head


def test_without_history_there_is_no_parent(repository, tmp_path):
    repository.commit('GAIN = 1\n')
    with pytest.raises(reference.NoReferenceError, match=r'PARENT=HEAD~1: no such commit'):
        reference.parent(repository.root)
    with pytest.raises(reference.NoReferenceError, match=r'PARENT=--all: no such commit'):
        reference.parent(repository.root, wanted='--all')
    # an export without .git, though it may lie within a repository
    inner = repository.root / 'export'
    inner.mkdir()
    with pytest.raises(reference.NoReferenceError, match='no git history'):
        reference.parent(inner)


def test_a_tree_is_unpacked_once_and_three_are_kept(repository):
    shas = [repository.commit(f'GAIN = {k}\n') for k in range(5)]
    trees = []
    for k, sha in enumerate(shas[:3]):
        trees.append(reference.tree(sha, repository.root))
        os.utime(trees[-1], (k, k))
    assert [(t / 'hakoniwa_rigid' / '__init__.py').read_text() for t in trees] == [f'GAIN = {k}\n' for k in range(3)]
    # what it has compiled stays, and its use is remembered
    (trees[0] / 'kernel.nbc').write_text('machine code')
    assert reference.tree(shas[0], repository.root) == trees[0]
    fourth = reference.tree(shas[3], repository.root)
    assert (trees[0] / 'kernel.nbc').exists() and fourth.is_dir()
    assert sorted(p.name for p in fourth.parent.iterdir()) == sorted([shas[0], shas[2], shas[3]])
    assert not repository.git('status', '--porcelain')
