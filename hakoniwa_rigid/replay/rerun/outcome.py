# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a replay is asked for, and what it gives."""
from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hakoniwa_rigid.replay.rerun.event_log import EventLog
from hakoniwa_rigid.scene.parameters.settings import Values


@dataclass(frozen=True)
class Options:
    """What to replay, and how.  ``first`` and ``last``: s since the beginning of the bag, None for all of it; ``out``:
    None writes nothing; ``values``: parameters by name, which outrank those of the file ``params``."""

    bag: str | Path
    out: str | Path | None = None
    world: str | None = None
    params: str | Path | None = None
    rate: float | None = None
    first: float | None = None
    last: float | None = None
    namespace: str = '/'
    maps: tuple[str, ...] = ()
    inputs: bool = True         # copied into the output
    states: str = 'fleet'
    values: Values = field(default_factory=dict)
    by_stamps: bool = False     # a recording of the node, too


class Tracks(NamedTuple):
    """Where the drones were shown: stamps (T,) ns, positions (T,N,3) m, at most about MOST_POSES of them."""

    stamps: np.ndarray
    positions: np.ndarray


@dataclass(frozen=True)
class Result:
    """What a replay gave.  refused, last_refused: inputs by (cause, name); elapsed: s of wall time from the first
    message on; span: s of log time."""

    bag: str
    drones: tuple[str, ...]
    bodies: tuple[str, ...]     # names of all that can be touched
    start_ns: int
    ticks: int
    span: float
    elapsed: float
    received: int
    refused: dict[tuple[str, str], int]
    last_refused: dict[tuple[str, str], str]
    overrun_steps: int
    events: EventLog            # in order
    tracks: Tracks
    state_hash: str
    notes: tuple[str, ...]
    absent: tuple[str, ...]     # drones and hands that were never there: no usable message of them came
    constraint_events: EventLog  # in order
