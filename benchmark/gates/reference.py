# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The tree of the parent commit, unpacked into `.reference/<sha>`, where what it compiles stays for the next time."""
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = '.reference'
# trees kept, some 100 MB each with what they have compiled; the one used longest ago goes first
MOST_KEPT = 3
# what runs: only a change of these makes a tree one that HEAD can be compared with
RUNNING = ('hakoniwa_rigid', 'msg', 'config')
PATIENCE = 'a parent that has not run here yet compiles its kernels first, some minutes'


class NoReferenceError(Exception):
    """There is nothing to compare with; the text says why."""


def parent(root=ROOT, wanted=None):
    """The sha of the commit to compare with: `wanted`, else $PARENT, else HEAD where what runs differs from it, else
    the commit before HEAD.  NoReferenceError where git does not know it."""
    wanted = wanted or os.environ.get('PARENT') or ('HEAD' if _dirty(root) else 'HEAD~1')
    return _git(root, 'rev-parse', '--verify', '--quiet', '--end-of-options', f'{wanted}^{{commit}}',
                what=f'PARENT={wanted}: no such commit (is the history there?)').decode().strip()


def title(sha, root=ROOT):
    """Short sha and first line of the message."""
    return _git(root, 'log', '-1', '--format=%h %s', sha).decode().strip()


def tree(sha, root=ROOT):
    """The folder with the files of a commit, unpacked if it is not there yet; older ones are dropped."""
    place = root / FOLDER / sha
    if not place.is_dir():
        _unpack(sha, root, place)
    os.utime(place)
    drop_oldest(place.parent)
    return place


def drop_oldest(folder, most=MOST_KEPT):
    """Keep the trees used last."""
    trees = sorted((p for p in folder.iterdir() if p.is_dir() and not p.name.startswith('.')),
                   key=lambda p: p.stat().st_mtime, reverse=True)
    for place in trees[most:]:
        shutil.rmtree(place)


def _unpack(sha, root, place):
    data = _git(root, 'archive', '--format=tar', sha)
    place.parent.mkdir(exist_ok=True)
    # whole or not at all: another gate may unpack the same commit now
    with tempfile.TemporaryDirectory(dir=place.parent, prefix='.') as folder:
        packed, unpacked = Path(folder, 'tar'), Path(folder, 'tree')
        packed.write_bytes(data)
        try:
            with tarfile.open(packed) as archive:
                archive.extractall(unpacked, filter='data')
        except tarfile.TarError as error:
            raise NoReferenceError(f'{sha}: cannot be unpacked: {error}') from None
        try:
            unpacked.rename(place)
        except OSError:
            if not place.is_dir():
                raise


def _dirty(root):
    return bool(_git(root, 'status', '--porcelain', '--', *RUNNING).strip())


def _git(root, *words, what=''):
    """The output of a git command on exactly this tree, not on one that it lies in."""
    if not (root / '.git').exists():
        raise NoReferenceError(f'{root}: no git history, so there is no commit to compare with')
    try:
        done = subprocess.run(['git', '-C', str(root), *words], capture_output=True, check=False)
    except OSError as error:
        raise NoReferenceError(f'git: {error}') from None
    if done.returncode:
        raise NoReferenceError(what or f'git {words[0]}: {done.stderr.decode(errors="replace").strip()}')
    return done.stdout
