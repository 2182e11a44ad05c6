# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a run did, in words and as a table for other programs."""
from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from .simulation import REST_TIME, REST_WAY, Recording

# stats of the engine that say how the solver did; unit
SOLVER = (('impacts', ''), ('sweeps', ''), ('unsolved', ''), ('residual', ' m/s'), ('impacts_capped', ''),
          ('restitution_lowered', ''), ('recovered', ' m'), ('recovery_work', ' J'))
STATE = ('x', 'y', 'z', 'qw', 'qx', 'qy', 'qz', 'vx', 'vy', 'vz', 'wx', 'wy', 'wz')
MOST = 20       # lines of bodies or of pairs


def as_text(run: Recording) -> str:
    """Lines to read: bodies, pairs, energy, solver."""
    config = run.config
    lines = [f'{config.source}: world {config.name!r}: {run.times[-1]:g} s in steps of {config.dt * 1e3:g} ms, '
             f'{config.solver}', *_absent(config), '', *_bodies(run), '', *_pairs(run), '', *_energy(run), '',
             'solver    ' + ', '.join(_counters(run))]
    return '\n'.join(lines)


def write_csv(run: Recording, path: str | Path) -> None:
    """One row per frame and body: time s; pose of the shape's frame, m; velocities of the centre of mass, m/s and
    rad/s; world.  OSError if the file cannot be written."""
    states = np.concatenate([run.pos, run.quat, run.linvel, run.angvel], axis=2)
    with Path(path).open('w', newline='', encoding='utf-8') as file:
        out = csv.writer(file)
        out.writerow(('time', 'body', *STATE))
        for time, frame in zip(run.times.tolist(), states.tolist(), strict=True):
            out.writerows((f'{time:.9g}', name, *map(repr, row)) for name, row in zip(run.names, frame, strict=True))


def _absent(config) -> list[str]:
    drones = [f'drones ({len(config.drones)}): free bodies here, motors off, no drag'] if config.drones else []
    hands = [f'hands ({len(config.hands)}): take no part, no tracker moves them'] if config.hands else []
    return drones + hands


def _bodies(run: Recording) -> list[str]:
    width = max(map(len, run.names), default=4)
    head = f'{"body":{width}}  ends at, m (frame of its shape)     speed, m/s  spin, rad/s'
    rows = [f'{name:{width}}  {_row(pos)}   {np.linalg.norm(v):10.3g}  {np.linalg.norm(w):11.3g}  '
            + ('at rest' if rest else 'moves') for name, pos, v, w, rest in
            zip(run.names, run.pos[-1], run.linvel[-1], run.angvel[-1], run.at_rest, strict=True)]
    return [head, *_some(rows), f'{int(run.at_rest.sum())} of {len(run.names)} at rest: no point moved by more than '
            f'{REST_WAY * 1e3:g} mm in the last {REST_TIME:g} s']


def _pairs(run: Recording) -> list[str]:
    if not run.pairs:
        return ['no contacts']
    names = {pair: ' - '.join(pair) for pair in run.pairs}
    width = max(map(len, names.values()))
    ranked = sorted(run.pairs.items(), key=lambda item: -item[1].impulse)
    rows = [f'{names[pair]:{width}}  {p.steps:8d}  {p.impacts:8d}  {p.impulse:12.6g}  {p.depth:10.3g}'
            for pair, p in ranked]
    return [f'{"contact":{width}}     steps   impacts  impulse, N s    depth, m', *_some(rows)]


def _energy(run: Recording) -> list[str]:
    before, after = run.energy[[0, -1]].tolist()
    return [f'energy    {before:.6g} J before, {after:.6g} J after, {before - after:.6g} J lost '
            '(potential energy 0 at the origin)']


def _counters(run: Recording) -> list[str]:
    stats = run.stats._asdict()
    return [f'{key} {stats[key]:g}{unit}' for key, unit in SOLVER if key in stats]


def _row(values: np.ndarray) -> str:
    return ' '.join(f'{x:10.6f}' for x in values)


def _some(rows: list[str]) -> list[str]:
    return rows if len(rows) <= MOST else [*rows[:MOST], f'... {len(rows) - MOST} more']
