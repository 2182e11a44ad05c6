# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What the impulses of a contact give in all: sums over contact points, steps and ticks.

A field here is a column of World.contact_log() that is summed; a number is told in the events' field of its name.
"""
from __future__ import annotations

from typing import NamedTuple

from ..records import Vec

ZERO = (0.0, 0.0, 0.0)


class Amounts(NamedTuple):
    """Of one contact, its vectors of b minus a: body_a is the one with the lower index."""

    impulse: Vec = ZERO           # N s, on b
    delta_omega_a: Vec = ZERO     # rad/s
    delta_omega_b: Vec = ZERO     # rad/s
    energy_lost: float = 0.0      # J

    def plus(self, more: Amounts) -> Amounts:
        """The sums."""
        return Amounts._make([x + y if isinstance(x, float) else (x[0] + y[0], x[1] + y[1], x[2] + y[2])
                              for x, y in zip(self, more, strict=True)])

    def numbers(self) -> dict[str, float]:
        """Those that are told as they are, by the names of their fields."""
        return {name: getattr(self, name) for name in _NUMBERS}


NOTHING = Amounts()
_NUMBERS = tuple(name for name, value in NOTHING._asdict().items() if isinstance(value, float))
