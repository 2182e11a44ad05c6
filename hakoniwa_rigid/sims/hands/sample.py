# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a source of hands gives, and what every source can do."""
from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np


class SourceEnded(Exception):  # noqa: N818 -- no error
    """The source has nothing more to say; the message says why."""


class HandSample(NamedTuple):
    """One sample of a hand, J joints."""

    hand: str
    frame: str
    stamp_ns: int                 # capture, ns of ROS time
    names: tuple[str, ...]        # J or none
    positions: np.ndarray         # (J,3) m in ``frame``
    orientations: np.ndarray      # (J,4) xyzw
    radii: np.ndarray             # (J) m or none
    is_valid: np.ndarray          # (J) bool


class Source(Protocol):
    """Where samples come from. Times are ROS time in ns, given by the caller."""

    refused: Sequence[str]
    """Of hands that were seen and could not be used: `<hand>: <why>`."""

    def due(self, now: int) -> int:
        """When ``samples`` is to be called next; ``now`` or earlier: at once."""

    def samples(self, now: int) -> list[HandSample]:
        """What is new; SourceEnded where nothing more will come."""

    def start(self, stamp_ns: int) -> None:
        """The motion begins, or begins again, at a stamp; of no meaning to live sources."""

    def close(self) -> None:
        """Give back what the source holds."""
