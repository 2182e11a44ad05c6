# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""How often something is logged."""

from __future__ import annotations

from hakoniwa_rigid.codec.message_fields import NANOSECONDS

__all__ = ['QUIET', 'Throttle']

# ns between two warnings of one cause in the log
QUIET = 5 * NANOSECONDS
# causes that are remembered; with more all are forgotten: some are then logged once too often
MOST_CAUSES = 256


class Throttle:
    """Lets a cause through once per QUIET ns of the node's clock."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}

    def passes(self, cause: str, now: int) -> bool:
        """Whether a message about `cause` may be logged at `now` (ns)."""
        last = self._last.get(cause)
        if last is not None and 0 <= now - last < QUIET:
            return False
        if len(self._last) >= MOST_CAUSES:
            self._last.clear()
        self._last[cause] = now
        return True
