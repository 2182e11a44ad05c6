# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""One constraint of a running scene, from ATTACHED to DETACHED or BROKEN."""
from __future__ import annotations

from dataclasses import dataclass

from ..records import Vec
from ..world_files.world_types import ConstraintConfig

ZERO = (0.0, 0.0, 0.0)

__all__ = ['Attached']


@dataclass
class Attached:
    """id: unique in a run; number: of the engine's constraint; bodies: of the engine; parts: of hands, else ''.

    Of a cable: taut: as it was reported; taut_ns: since when; slack_ns: it was seen slack then, and not taut since;
    impulse: N s on body_b, of all its snaps since it became taut.  stamps in ns.
    """

    id: int
    number: int
    config: ConstraintConfig
    bodies: tuple[int, int]
    parts: tuple[str, str]
    attached_ns: int
    taut: bool = False
    taut_ns: int = 0
    slack_ns: int | None = None
    impulse: Vec = ZERO
