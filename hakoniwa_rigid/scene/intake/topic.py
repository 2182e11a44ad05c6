"""A topic that is heard, and what reads it."""
from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from .sources import Source

__all__ = ['Reader', 'Topic']


class Reader(Protocol):
    """Makes a message of its bytes."""

    def read(self, data: bytes) -> object:
        """Raises CdrError."""


class Topic(NamedTuple):
    """A topic that is heard: its number here, whose it is, its type and name, what reads its bytes, who gets the
    message; most_bytes: of a message, more is refused.  in_parts: many messages of it may wait for one tick.  What gets
    a message says which kind of plain message (plain.py) it was; None: of none."""

    number: int
    source: Source
    type: str
    name: str
    reader: Reader
    callback: Callable[[Source, object], int | None]
    most_bytes: int
    in_parts: bool = False
