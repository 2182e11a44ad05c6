# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A running contact of a part pair, from its BEGIN to its END."""
from __future__ import annotations

from dataclasses import dataclass

from ..records import Kind
from .amounts import NOTHING, ZERO, Amounts
from .merging import PairContact


@dataclass
class Contact:
    """A running contact.  Vectors are for the lexical order of names; `span` since the last event, `sum` since
    BEGIN."""

    id: int
    kind: Kind
    names: tuple[str, str]
    parts: tuple[str, str]
    bodies: tuple[int, int]
    begun_ns: int
    seen_ns: int
    reported_ns: int
    observed: bool
    resolved: bool = False
    peak: float = 0.0
    steps: int = 0
    duration: float = 0.0
    last: PairContact | None = None
    main: PairContact | None = None     # the one with the largest impulse
    force: tuple = ZERO                # N on b, counted, the mean over the last steps with a touch
    span: Amounts = NOTHING
    sum: Amounts = NOTHING
