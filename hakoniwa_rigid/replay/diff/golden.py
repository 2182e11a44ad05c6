# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Golden files: a run as a small text that can be read, reviewed and kept under version control.

YAML; numbers rounded to `decimals`, times exact; one block per contact and per event of a constraint; per drone a table
of those poses from which all others follow by interpolation within `translation` (m) and `rotation` (rad), at most
`gap` (s) apart.  At its end the world file and the parameters that made the run, so that a difference can be traced to
them.
"""
from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import yaml

from ...codec.message_fields import NANOSECONDS
from .alignment import thinned
from .contacts import kind_name
from .records import CompareError, ConstraintChange, Contact, Resolution, Run, Trajectory, Vec, phases_text, seconds
from .setup import Setup

FORMAT = 'hakoniwa_rigid golden 1'
COLUMNS = 't[s] x y z[m] qx qy qz qw'
# letters of a world file that is kept: 300 walls
MOST_WORLD = 1 << 16
# what a block of YAML cannot hold as it is, or takes for the end of a line
UNQUOTABLE = re.compile('[^\t\n -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]')


@dataclass(frozen=True)
class GoldenOptions:
    """How much is kept of a run."""

    decimals: int = 6             # of every number but times
    translation: float = 0.01     # m; how far an omitted pose may lie from the interpolated one
    rotation: float = 0.02        # rad; and how far it may be turned
    gap: float = 1.0              # s; longest time between kept poses

    @property
    def resolution(self) -> Resolution:
        """What comparisons have to allow for."""
        return Resolution(0.5 * 10.0**-self.decimals, self.translation, self.rotation, round(self.gap * NANOSECONDS))


def as_golden(run: Run, options: GoldenOptions = GoldenOptions()) -> str:
    """The text of the golden file of a run.  CompareError for a run that is itself golden, or has nothing."""
    if run.resolution != Resolution():
        raise CompareError(f'{run.name}: is a golden file already; make one from the bag')
    if not run.trajectories and run.contacts is None:
        raise CompareError(f'{run.name}: no corrected states and no contact events; nothing to keep')
    origin = run.span[0] if run.span else 0
    lines = ['# Golden run: what `hakoniwa-rigid diff` compares others with. Written from a bag, not by hand.',
             f'format: {FORMAT}', f'origin: {seconds(origin)} s   # the stamp of t = 0',
             *([] if run.law is None else [f'law: {run.law}   # version of the law that made the run']),
             f'decimals: {options.decimals}',
             'thinned: {' + f'translation: {options.translation!r}, rotation: {options.rotation!r}, '
             f'gap: {options.gap!r}' + '}   # m, rad, s']
    if run.contacts is not None:
        lines += ['contacts:' if run.contacts else 'contacts: []']
        lines += [line for c in run.contacts for line in _contact_lines(c, origin, options.decimals)]
    if run.constraints:
        lines += ['constraints:']
        lines += [line for c in run.constraints for line in _change_lines(c, origin, options.decimals)]
    kept = _one_topic_each(run.trajectories)
    lines += ['trajectories:' if kept else 'trajectories: []']
    lines += [line for t in kept for line in _trajectory_lines(t, origin, options)]
    lines += _setup_lines(run.setup)
    return '\n'.join(lines) + '\n'


def _setup_lines(setup: Setup) -> list[str]:
    """The world file as it is, where it is not too large, and the parameters."""
    lines = []
    world = setup.world.replace('\r\n', '\n').strip('\n')
    if world.strip() and len(world) <= MOST_WORLD and not UNQUOTABLE.search(world):
        lines += ['world: |2  # the world file that made the run']
        lines += [f'  {line}'.rstrip() for line in world.split('\n')]
    if setup.parameters:
        text = yaml.safe_dump(dict(setup.parameters), default_flow_style=None, allow_unicode=True, width=2**31)
        lines += ['parameters:', *(f'  {line}' for line in text.rstrip('\n').split('\n'))]
    return lines


def _one_topic_each(trajectories: tuple[Trajectory, ...]) -> list[Trajectory]:
    """A drone that is recorded twice is kept once: from the fleet's topic, where there is one."""
    ranked = sorted(trajectories, key=lambda t: (t.drone, not t.topic.endswith('fleet/states_corrected'), t.topic))
    return list({t.drone: t for t in reversed(ranked) if len(t.stamps)}.values())[::-1]


def _change_lines(c: ConstraintChange, origin: int, decimals: int) -> list[str]:
    return [f'  - name: {_word(c.name)}', f'    phase: {_word(c.phase)}', f'    kind: {_word(c.kind)}',
            f'    bodies: {_words(c.body_a, c.body_b)}', f'    at: {seconds(c.at_ns, origin)} s',
            f'    impulse: {_row(c.impulse, decimals)}   # N s', f'    force: {_row(c.force, decimals)}   # N']


def _row(v: Vec, decimals: int) -> str:
    return ' '.join(_number(x, decimals) for x in v)


def _contact_lines(c: Contact, origin: int, decimals: int) -> list[str]:
    end = [] if c.end_ns is None else [f'    end: {seconds(c.end_ns, origin)} s']
    return [f'  - bodies: {_words(c.body_a, c.body_b)}', f'    parts: {_words(c.part_a, c.part_b)}',
            f'    kind: {_word(kind_name(c.kind))}', f'    phases: {phases_text(c.phases)}',
            f'    begin: {seconds(c.begin_ns, origin)} s', *end, f'    impulse: {_row(c.impulse, decimals)}   # N s',
            f'    total: {_row(c.total, decimals)}   # N s',
            f'    normal: {_row(c.normal, decimals)}', f'    position: {_row(c.position, decimals)}   # m']


def _trajectory_lines(t: Trajectory, origin: int, options: GoldenOptions) -> list[str]:
    rows = thinned(t, options.translation, options.rotation, round(options.gap * NANOSECONDS))
    lines = [f'  - drone: {_word(t.drone)}', f'    topic: {_word(t.topic)}', f'    frame: {_word(t.frame)}',
             f'    poses: |  # {COLUMNS}; {len(rows)} of {len(t.stamps)}']
    values = np.hstack([t.positions, t.orientations])
    return lines + ['      ' + ' '.join([seconds(int(t.stamps[k]), origin),
                                        *(_number(x, options.decimals) for x in values[k].tolist())]) for k in rows]


def _number(value: float, decimals: int) -> str:
    """Rounded, without trailing zeros and without -0."""
    if not np.isfinite(value):
        return str(value)
    text = f'{value:.{decimals}f}'
    text = text.rstrip('0').rstrip('.') if '.' in text else text
    return '0' if text == '-0' else text


def _word(text: str) -> str:
    """A string as YAML writes it: bare where it can be."""
    return _words(text)[1:-1]


def _words(*texts: str) -> str:
    """A list of strings on one line."""
    return yaml.safe_dump(list(texts), default_flow_style=True, allow_unicode=True, width=2**31).strip()
