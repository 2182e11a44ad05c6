"""The result of a replay as a few lines of text."""
from __future__ import annotations

from collections import defaultdict

from hakoniwa_rigid.replay.outcome import Result
from hakoniwa_rigid.scene.records import ContactEventRecord, Phase

MOST_ROWS = 20


def as_text(result: Result) -> str:
    """What happened, contacts by pair of bodies, inputs that were refused by cause."""
    speed = f'{result.span / result.elapsed:.1f} x real time' if result.elapsed > 0.0 else 'at once'
    lines = [f'{result.bag}: {result.ticks} ticks, {result.span:.3f} s in {result.elapsed:.2f} s ({speed}), '
             f'{len(result.drones)} drones, {result.received} messages',
             *(f'note: {note}' for note in result.notes)]
    if result.overrun_steps:
        lines.append(f'note: {result.overrun_steps} engine steps were due and left out (max_steps of the world)')
    lines += ['', *_contacts(result), *_refused(result), '', f'state hash: {result.state_hash}']
    return '\n'.join(lines)


def _contacts(result: Result) -> list[str]:
    pairs: dict[str, list[ContactEventRecord]] = defaultdict(list)
    for event in result.events:
        if event.phase == Phase.BEGIN:
            pairs[f'{event.body_a} - {event.body_b}'].append(event)
    if not pairs:
        return ['no contacts']
    width = max(len('contacts of'), *map(len, pairs))
    lines = [f'{"contacts of":{width}}  count  first, s  largest impulse, N s']
    for name, events in list(pairs.items())[:MOST_ROWS]:
        first = (events[0].stamp_ns - result.start_ns) / 1e9
        most = max(sum(x * x for x in e.impulse) ** 0.5 for e in events)
        lines.append(f'{name:{width}}  {len(events):5}  {first:8.3f}  {most:20.4g}')
    return [*lines, *_more(len(pairs))]


def _refused(result: Result) -> list[str]:
    if not result.refused:
        return ['no input was refused']
    lines = ['', f'refused inputs of {result.received}']
    for (cause, name), count in list(result.refused.items())[:MOST_ROWS]:
        lines.append(f'  {count:7}  {cause} {name}: last {result.last_refused.get((cause, name), "")}'[:160])
    return [*lines, *_more(len(result.refused))]


def _more(count: int) -> list[str]:
    return [f'  and {count - MOST_ROWS} more'] if count > MOST_ROWS else []
