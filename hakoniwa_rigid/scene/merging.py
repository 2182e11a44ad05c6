"""Contact rows of one engine call, merged per part pair.  Vectorised; groups come in order of first appearance, sums
in row order."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import rotations as rot


@dataclass(frozen=True)
class MergedContacts:
    """G part pairs: body_a, body_b, part_a, part_b (G,) engine indices, body_a < body_b.

    time (G,) s of the first impact (or first touch) since the call began; position (G,3) impulse-weighted; normal (G,3)
    a to b; depth (G,) largest; impulse (G,3) on b, summed; peak (G,) N, largest impulse of a step over the step; steps
    (G,) number of steps with a row, last_step (G,) the last of them; approach (G,) m/s, largest approach speed; before,
    after (G,3), restitution, friction (G,) of the row with the largest impulse; spin_a, spin_b (G,3) rad/s summed.
    """

    body_a: np.ndarray
    body_b: np.ndarray
    part_a: np.ndarray
    part_b: np.ndarray
    time: np.ndarray
    position: np.ndarray
    normal: np.ndarray
    depth: np.ndarray
    impulse: np.ndarray
    peak: np.ndarray
    steps: np.ndarray
    last_step: np.ndarray
    approach: np.ndarray
    before: np.ndarray
    after: np.ndarray
    restitution: np.ndarray
    friction: np.ndarray
    spin_a: np.ndarray
    spin_b: np.ndarray

    def __len__(self) -> int:
        return len(self.body_a)


def merge(rows: np.ndarray, dt: float, steps: int) -> MergedContacts:
    """Merge the rows (at least one) of contact_log() of a call of `steps` steps of dt s."""
    group, first = _groups(rows)
    count = len(first)
    size = rot.norm(rows['impulse'])
    force = np.zeros((count, steps, 3))
    np.add.at(force, (group, rows['step']), rows['impulse'])
    seen = np.zeros((count, steps), dtype=bool)
    seen[group, rows['step']] = True
    total, plain = _sum(size, group, count), _sum(np.ones(len(rows)), group, count)
    # rows without any impulse count alike
    weight = np.where(total[group] > 0.0, size / np.maximum(total[group], 1e-300), 1.0 / plain[group])
    # the row that speaks for the group: the largest impulse, the earliest among equals
    starts = np.concatenate([[0.0], np.cumsum(plain[:-1])]).astype(np.int64)
    leader = np.lexsort((np.arange(len(rows)), -size, group))[starts]
    normal = _sum(rows['normal'] * weight[:, None], group, count)
    length = rot.norm(normal)[:, None]
    normal = np.where(length > 1e-6, normal / np.maximum(length, 1e-6), rows['normal'][leader])
    approach, depth = np.full(count, -np.inf), np.zeros(count)
    np.maximum.at(approach, group, -(rows['velocity_before'] * rows['normal']).sum(axis=1))
    np.maximum.at(depth, group, rows['depth'])
    return MergedContacts(
        *(rows[name][first].astype(np.int64) for name in ('body_a', 'body_b', 'part_a', 'part_b')),
        time=_first_times(rows, group, count, dt),
        position=_sum(rows['position'] * weight[:, None], group, count), normal=normal,
        depth=depth, impulse=_sum(rows['impulse'], group, count), peak=rot.norm(force).max(axis=1, initial=0.0) / dt,
        steps=seen.sum(axis=1), last_step=steps - 1 - np.argmax(seen[:, ::-1], axis=1), approach=approach,
        before=rows['velocity_before'][leader], after=rows['velocity_after'][leader],
        restitution=rows['restitution'][leader], friction=rows['friction'][leader],
        spin_a=_sum(rows['delta_omega_a'], group, count), spin_b=_sum(rows['delta_omega_b'], group, count))


def _groups(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Group number of each row, and the first row of each group; groups numbered by first appearance."""
    keys = np.stack([rows['body_a'], rows['body_b'], rows['part_a'], rows['part_b']], axis=1)
    _, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first, kind='stable')
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[inverse.reshape(-1)], first[order]


def _sum(values: np.ndarray, group: np.ndarray, count: int) -> np.ndarray:
    out = np.zeros((count,) + values.shape[1:])
    np.add.at(out, group, values)
    return out


def _first_times(rows: np.ndarray, group: np.ndarray, count: int, dt: float) -> np.ndarray:
    """Time of the first impact of each group; of its first row where there is none."""
    when = rows['step'] * dt + rows['time']
    out, touch = np.full(count, np.inf), np.full(count, np.inf)
    np.minimum.at(touch, group, when)
    hits = rows['impact']
    np.minimum.at(out, group[hits], when[hits])
    return np.where(np.isfinite(out), out, touch)
