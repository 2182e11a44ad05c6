# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A recording that is kept in memory, its last seconds only, and written on request.  ROS-free."""
from __future__ import annotations

import os
import shutil
from collections import deque
from collections.abc import Mapping
from pathlib import Path

from hakoniwa_rigid.replay.bag.part import free_name
from hakoniwa_rigid.replay.rerun.journal import Header
from hakoniwa_rigid.replay.rerun.recording import Made, Recording, Statics, Topics

# bytes of messages in memory; the oldest go first
MOST_BYTES = 256 << 20
# of a file or folder, whatever its name; None where it is gone
Identity = tuple[int, int] | None


class Snapshots:
    """The last ``span_ns`` of what a node hears and does.  Snapshots are whole recordings; of those that were written
    here the newest ``keep`` stay (0: all)."""

    def __init__(self, path: Path, header: Header, definitions: Mapping[str, str], span_ns: int, keep: int = 0) -> None:
        self.path = self.part = path
        self._topics, self._definitions = Topics(header), dict(definitions)
        self._span, self._keep = span_ns, keep
        self._ticks: deque[tuple[int, list[Made]]] = deque()
        self._before = Statics()
        self._size = 0
        self._written: deque[tuple[Path, Identity]] = deque()
        self.ticks = 0

    def write(self, now: int, calls: list[Made]) -> None:
        """The calls of a tick at ``now``, ns, if there are any."""
        if not calls:
            return
        self._ticks.append((now, calls))
        self._size += _size(calls)
        self.ticks += sum(made.call[0] in ('advance', 'hold') for made in calls)
        # a clock that was set back begins anew
        while not 0 <= now - self._ticks[0][0] <= self._span or self._size > MOST_BYTES:
            _, gone = self._ticks.popleft()
            self._before.add(gone)
            self._topics.add(gone)
            self._size -= _size(gone)
            if not self._ticks:
                break

    def save(self) -> Path | None:
        """Write what there is; the recording, None where there is no tick.  BagError, and nothing is left, where it
        cannot be written."""
        made = Recording(free_name(self.path), self._topics.header, self._definitions, statics=self._before.messages)
        try:
            for now, calls in self._ticks:
                made.write(now, calls)
            made.close()
        except BaseException:
            made.discard()
            raise
        if not made.ticks:
            return None
        self._written.append((made.path, _identity(made.path)))
        while 0 < self._keep < len(self._written):
            _remove(*self._written.popleft())
        return made.path

    def sync(self) -> None:
        """Nothing waits for the disk."""

    def close(self) -> None:
        """What was not asked for is forgotten."""
        self._ticks.clear()

    give_up = close


def _size(calls: list[Made]) -> int:
    return sum(made.size for made in calls)


def _identity(path: Path) -> Identity:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _remove(path: Path, identity: Identity) -> None:
    """What was written there, unless it has gone and something else has its name."""
    if identity is None or _identity(path) != identity:
        return
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
