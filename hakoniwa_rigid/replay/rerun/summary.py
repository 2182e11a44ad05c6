# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The result of a replay as a few lines of text."""
from __future__ import annotations

from dataclasses import dataclass

from hakoniwa_rigid.engine.maths.matrices import length
from hakoniwa_rigid.replay.rerun.outcome import Result

MOST_ROWS = 20


@dataclass
class _Pair:
    """The contacts of two bodies: the first, how many, the largest impulse of a first tick (N s)."""

    first_ns: int
    count: int = 0
    most: float = 0.0


def as_text(result: Result) -> str:
    """What happened, contacts by pair of bodies, inputs that were refused by cause."""
    speed = f'{result.span / result.elapsed:.1f} x real time' if result.elapsed > 0.0 else 'at once'
    lines = [f'{result.bag}: {result.ticks} ticks, {result.span:.3f} s in {result.elapsed:.2f} s ({speed}), '
             f'{len(result.drones)} drones, {result.received} messages',
             *(f'note: {note}' for note in result.notes)]
    if result.overrun_steps:
        lines.append(f'note: {result.overrun_steps} engine steps were due and left out (max_steps of the world)')
    lines += ['', *_contacts(result), *_constraints(result), *_refused(result), '', f'state hash: {result.state_hash}']
    return '\n'.join(lines)


def _contacts(result: Result) -> list[str]:
    pairs: dict[str, _Pair] = {}
    for event in result.events.begun():
        pair = pairs.setdefault(f'{event.body_a} - {event.body_b}', _Pair(event.stamp_ns))
        pair.count += 1
        pair.most = max(pair.most, length(event.impulse))
    if not pairs:
        return ['no contacts']
    width = max(len('contacts of'), *map(len, pairs))
    lines = [f'{"contacts of":{width}}  count  first, s  largest impulse, N s']
    for name, pair in list(pairs.items())[:MOST_ROWS]:
        first = (pair.first_ns - result.start_ns) / 1e9
        lines.append(f'{name:{width}}  {pair.count:5}  {first:8.3f}  {pair.most:20.4g}')
    return [*lines, *_more(len(pairs))]


def _constraints(result: Result) -> list[str]:
    """What happened to constraints, in order of time."""
    lines = []
    for event in result.constraint_events[:MOST_ROWS]:
        what = ''.join([f', {length(event.impulse):.4g} N s' if any(event.impulse) else '',
                        f', {length(event.force):.4g} N' if any(event.force) else ''])
        lines.append(f'  {(event.stamp_ns - result.start_ns) / 1e9:8.3f} s  {event.name}: {event.phase.name.lower()} '
                     f'({event.kind.name.lower()}, {event.body_a} - {event.body_b}){what}')
    return ['constraints', *lines, *_more(len(result.constraint_events))] if lines else []


def _refused(result: Result) -> list[str]:
    if not result.refused:
        return ['no input was refused']
    lines = ['', f'refused inputs of {result.received}']
    for (cause, name), count in list(result.refused.items())[:MOST_ROWS]:
        lines.append(f'  {count:7}  {cause} {name}: last {result.last_refused.get((cause, name), "")}'[:160])
    return [*lines, *_more(len(result.refused))]


def _more(count: int) -> list[str]:
    return [f'  and {count - MOST_ROWS} more'] if count > MOST_ROWS else []
