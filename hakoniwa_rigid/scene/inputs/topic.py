# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A topic that is read, and what reads it."""
from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from .limits import MOST_PLAIN
from .sources import Source

__all__ = ['Reader', 'Topic']


class Reader(Protocol):
    """Makes a message of its bytes."""

    def read(self, data: bytes) -> object:
        """Raises CdrError."""


class Topic(NamedTuple):
    """A topic that is read: its number here, its source, its type and name, what reads its bytes, what gets the
    message.  in_parts: many messages of it may wait for one tick; most_bytes: of a message, more is refused.  What
    gets a message says which kind of message on the fast path (fast_path.py) it was; None: of none."""

    number: int
    source: Source
    type: str
    name: str
    reader: Reader
    callback: Callable[[Source, object], int | None]
    in_parts: bool = False
    most_bytes: int = MOST_PLAIN
