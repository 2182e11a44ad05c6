# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A repository whose package is one number, so that the gates compare two packages within a second."""
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
# last, so that an installed hakoniwa_rigid comes before that of the tree
sys.path.append(str(ROOT))


class Repository:
    """A folder under git with the package `hakoniwa_rigid`."""

    def __init__(self, root):
        self.root = root
        root.mkdir()
        self.git('init', '--quiet')
        (root / '.gitignore').write_text('/.reference/\n__pycache__/\n')

    def git(self, *words):
        """Output of a git command."""
        who = ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'commit.gpgsign=false']
        return subprocess.run(['git', *who, *words], cwd=self.root, check=True, capture_output=True, text=True).stdout

    def package(self, text):
        """Write the package anew, without a commit."""
        (self.root / 'hakoniwa_rigid').mkdir(exist_ok=True)
        (self.root / 'hakoniwa_rigid' / '__init__.py').write_text(text)

    def commit(self, text):
        """A commit with this package; its sha."""
        self.package(text)
        self.git('add', '-A')
        self.git('commit', '--quiet', '-m', f'package: {text}')
        return self.git('rev-parse', 'HEAD').strip()


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """An empty one."""
    if shutil.which('git') is None:
        pytest.skip('needs git, as the gates do')
    monkeypatch.delenv('PARENT', raising=False)
    return Repository(tmp_path / 'repository')
