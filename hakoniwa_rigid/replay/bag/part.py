# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a bag is called while it is written: ``.NAME.PID.part`` beside its place, and what a writer that died has left.

A writer holds a lock on its part as long as it lives; a part without a lock has no writer any more.
"""
from __future__ import annotations

import fcntl
import os
import re
import stat
from itertools import chain, count
from pathlib import Path

SUFFIX, CRASHED = '.part', '.crashed'
# of what others may have put there: a pipe is not waited for
LOOK = os.O_RDONLY | os.O_NONBLOCK


class Part:
    """A new folder or file beside ``path``, locked where there are locks.  OSError where it cannot be made."""

    def __init__(self, path: Path, is_file: bool) -> None:
        self._lock = -1
        while self._lock < 0:
            self.path = _made(path, is_file)
            self._lock = os.open(self.path, os.O_RDONLY)
            if _locked(self._lock) is False or not _is_same(self._lock, self.path):
                self.release()    # taken for a dead one's, and renamed, before it was locked

    def release(self) -> None:
        """The part has no writer any more."""
        if self._lock >= 0:
            os.close(self._lock)
        self._lock = -1


def is_written(path: Path) -> bool:
    """Whether a process writes this part now."""
    try:
        lock = os.open(path, LOOK)
    except OSError:
        return False
    try:
        return _locked(lock) is False
    finally:
        os.close(lock)


def rename_left_over(path: Path) -> list[Path]:
    """Gives the parts of bags of this name, or with a number behind it, that have no writer any more a name that is
    seen: ``NAME.crashed``; the names.  Nothing is removed."""
    stem, rest = _stem(path.name)
    pattern = re.compile(rf'\.({re.escape(stem)}(?:_\d+)?{re.escape(rest)})\.\d+(?:_\d+)?{re.escape(SUFFIX)}')
    found = []
    for part in sorted(path.parent.iterdir()):
        if not (match := pattern.fullmatch(part.name)):
            continue
        try:
            lock = os.open(part, LOOK | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            if _is_bag(lock) and _locked(lock) is True and _is_same(lock, part):
                crashed = free_name(path.with_name(match[1] + CRASHED))
                part.rename(crashed)
                found.append(crashed)
        except OSError:
            continue    # of another writer: it stays as it is
        finally:
            os.close(lock)
    return found


def free_name(path: Path) -> Path:
    """The path, or with a number behind its stem where something lies there."""
    stem, rest = _stem(path.name)
    names = chain([path], (path.with_name(f'{stem}_{k}{rest}') for k in count(2)))
    return next(name for name in names if not os.path.lexists(name))


def _stem(name: str) -> tuple[str, str]:
    """'flight' and '.mcap.crashed'."""
    head, dot, rest = name[1:].partition('.')
    return name[:1] + head, dot + rest


def give_name(part: Path, path: Path) -> Path:
    """Renames ``part`` to ``path``, or with a number where something lies there: nothing is replaced; the name."""
    while True:
        name = free_name(path)
        try:
            if part.is_dir():
                part.rename(name)    # onto a folder with something in it this fails
            else:
                _rename_file(part, name)
            return name
        except OSError:
            if not os.path.lexists(name):
                raise


def _rename_file(part: Path, name: Path) -> None:
    """A rename that replaces nothing; where there are no links (a USB stick) one that is as good as can be."""
    try:
        os.link(part, name)
    except FileExistsError:
        raise
    except OSError:
        part.rename(name)
    else:
        part.unlink()


def _made(path: Path, is_file: bool) -> Path:
    for k in count(1):
        part = path.parent / f'.{path.name}.{os.getpid()}{"" if k == 1 else f"_{k}"}{SUFFIX}'
        try:
            if is_file:
                part.open('xb').close()
            else:
                part.mkdir()
            return part
        except FileExistsError:
            continue
    raise AssertionError


def _locked(lock: int) -> bool | None:
    """Whether the lock is ours now; False where another one has it, None where the file system has no locks."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _is_bag(lock: int) -> bool:
    mode = os.fstat(lock).st_mode
    return stat.S_ISDIR(mode) or stat.S_ISREG(mode)


def _is_same(lock: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(lock), path.stat())
    except OSError:
        return False
