# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Contact points of one engine call, merged per part pair.  Vectorised; groups come in order of first appearance, sums
in row order."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ... import rotations as rot
from ...engine.constants import LEAST_DIVISOR
from ..records import Vec
from .amounts import Amounts
from .merge_kernel import group_rows

# a mean of unit normals shorter than this is none: they face each other
NO_MEAN = 1e-6


class PairContact(NamedTuple):
    """One part pair of MergedContacts; vectors are lists."""

    body_a: int
    body_b: int
    part_a: int
    part_b: int
    time: float
    position: list[float]
    normal: list[float]
    depth: float
    peak: float
    duration: float
    steps: int
    last_step: int
    approach: float
    before: list[float]
    after: list[float]
    restitution: float
    friction: float
    amounts: Amounts

    @property
    def impulse(self) -> Vec:
        """N s on b."""
        return self.amounts.impulse


@dataclass(frozen=True)
class MergedContacts:
    """G part pairs: body_a, body_b, part_a, part_b (G,) engine indices, body_a < body_b.

    time (G,) s of the first impact (or first touch) since the call began; position (G,3) impulse-weighted; normal (G,3)
    a to b; depth (G,) largest; peak (G,) N, largest peak force of a step, its rows summed; duration (G,) s, longest
    duration of a row; steps (G,) number of steps with a row, last_step (G,) the last of them; approach (G,) m/s,
    largest approach speed; before, after (G,3), restitution, friction (G,) of the row with the largest impulse;
    amounts (G,) or (G,3), summed.
    """

    body_a: np.ndarray
    body_b: np.ndarray
    part_a: np.ndarray
    part_b: np.ndarray
    time: np.ndarray
    position: np.ndarray
    normal: np.ndarray
    depth: np.ndarray
    peak: np.ndarray
    duration: np.ndarray
    steps: np.ndarray
    last_step: np.ndarray
    approach: np.ndarray
    before: np.ndarray
    after: np.ndarray
    restitution: np.ndarray
    friction: np.ndarray
    amounts: Amounts

    def __len__(self) -> int:
        return len(self.body_a)

    def each(self) -> Iterator[PairContact]:
        """The groups one by one, as plain numbers."""
        amounts = map(Amounts._make, zip(*(column.tolist() for column in self.amounts), strict=True))
        columns = (getattr(self, name).tolist() for name in PairContact._fields[:-1])
        return map(PairContact._make, zip(*columns, amounts, strict=True))


def merge(rows: np.ndarray, dt: float) -> MergedContacts:
    """Merge the rows (at least one) of contact_log(), of steps of dt s."""
    order, starts, counts = _groups(rows)
    rows = rows[order]
    impulse, number = rows['impulse'], np.repeat(np.arange(len(starts)), counts)
    size = rot.norm(impulse)
    total = np.add.reduceat(size, starts)
    # rows of a group without any impulse count alike
    share = size / np.maximum(total[number], LEAST_DIVISOR)
    weight = np.where(total[number] > 0.0, share, 1.0 / counts[number])[:, None]
    # the row that speaks for the group: the largest impulse, the earliest among equals
    leader = np.lexsort((-size, number))[starts]
    normal = np.add.reduceat(rows['normal'] * weight, starts)
    length = rot.norm(normal)[:, None]
    normal = np.where(length > NO_MEAN, normal / np.maximum(length, NO_MEAN), rows['normal'][leader])
    approach = -(rows['velocity_before'] * rows['normal']).sum(axis=1)
    when = rows['step'] * dt + rows['time']
    hit = np.minimum.reduceat(np.where(rows['impact'], when, np.inf), starts)
    force = impulse * (rows['peak_force'] / np.maximum(size, LEAST_DIVISOR))[:, None]
    peak, touched, last_step = _per_step(rows['step'], force, number, starts)
    return MergedContacts(
        *(rows[name][starts].astype(np.int64) for name in ('body_a', 'body_b', 'part_a', 'part_b')),
        time=np.where(np.isfinite(hit), hit, np.minimum.reduceat(when, starts)),
        position=np.add.reduceat(rows['position'] * weight, starts), normal=normal,
        depth=np.maximum.reduceat(rows['depth'], starts), peak=peak,
        duration=np.maximum.reduceat(rows['duration'], starts), steps=touched, last_step=last_step,
        approach=np.maximum.reduceat(approach, starts),
        before=rows['velocity_before'][leader], after=rows['velocity_after'][leader],
        restitution=rows['restitution'][leader], friction=rows['friction'][leader],
        amounts=Amounts(*(np.add.reduceat(rows[name], starts) for name in Amounts._fields)))


def _groups(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Order that puts the rows of a part pair together, else as they are; start and number of rows of each group.
    Groups stand in order of first appearance."""
    group, first = np.empty((2, len(rows)), dtype=np.int64)
    # a column of one row only would be of another type to numba, and compile anew
    columns = (np.ascontiguousarray(rows[name]) for name in ('body_a', 'body_b', 'part_a', 'part_b'))
    group_rows(*columns, group, first)
    counts = np.bincount(group)
    return np.argsort(group, kind='stable'), np.cumsum(counts) - counts, counts


def _per_step(step, force, number, starts) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Largest force of a step (N), number of steps with a row, and the last of them, of each group.  Within a
    group the rows are in time order, so that a step's rows stand together."""
    new = np.ones(len(step), dtype=bool)
    new[1:] = (step[1:] != step[:-1]) | (number[1:] != number[:-1])
    at = np.flatnonzero(new)
    amounts = rot.norm(np.add.reduceat(force, at))
    group = number[at]
    edges = np.searchsorted(group, np.arange(len(starts)))
    ends = np.append(edges[1:], len(group))
    return np.maximum.reduceat(amounts, edges), ends - edges, step[at][ends - 1].astype(np.int64)
