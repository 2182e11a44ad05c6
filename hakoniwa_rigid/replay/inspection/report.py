# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""An inspection as text and as JSON."""
from __future__ import annotations

import json
from datetime import UTC, datetime

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.replay.inspection.proximity import Encounter
from hakoniwa_rigid.replay.inspection.run import Inspection, Topic

SINCE_EPOCH = 10**18      # ns; later stamps are dates
MOST_LISTED = 40
MOST_NAMED = 12


def as_text(found: Inspection) -> str:
    """Tables for people."""
    lines = [f'{found.path}: {found.message_count} messages, {_span(found)}', '']
    lines += _topic_lines(found)
    lines += ['', _drone_line(found)]
    lines += [f'hand {name}: {text}' for name, text in found.hands.items()]
    lines += [f"frame '{frame}': {text}" for frame, text in found.frames.items()]
    lines += [f'IMU {topic}: {text}' for topic, text in found.bodies.items()]
    lines += _encounter_lines(found)
    if found.warnings:
        lines += ['', *(f'warning: {text}' for text in found.warnings)]
    return '\n'.join(lines)


def _span(found: Inspection) -> str:
    if not found.message_count:
        return 'nothing to say about time'
    text = f'{(found.end_ns - found.start_ns) / NANOSECONDS:.3f} s from {found.start_ns / NANOSECONDS:.3f} s'
    if found.start_ns > SINCE_EPOCH:
        text += f' ({datetime.fromtimestamp(found.start_ns // NANOSECONDS, UTC):%Y-%m-%d %H:%M:%S} UTC)'
    return text


def _topic_lines(found: Inspection) -> list[str]:
    rows = [('topic', 'type', 'messages', 'rate, Hz', 'gaps', 'log - header, s', 'drift, ppm')]
    rows += [(t.info.name, t.info.type, str(t.info.count), f'{t.rate:.2f}' if t.is_regular else '-',
              str(len(t.gaps)) if t.is_regular else '-', *_clock_columns(t)) for t in found.topics]
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return ['  '.join(text.ljust(width) if k < 2 else text.rjust(width)
                      for k, (text, width) in enumerate(zip(row, widths, strict=True))).rstrip() for row in rows]


def _clock_columns(topic: Topic) -> tuple[str, str]:
    clock = topic.clock
    if clock is None:
        return 'no header', '-'
    least, most = f'{clock.least:.3f}', f'{clock.most:.3f}'
    steps = f', {clock.step_count} steps' if clock.step_count else ''
    drift = '-' if clock.drift_ppm is None else f'{clock.drift_ppm:+.0f}'
    return (least if least == most else f'{least} to {most}') + steps, drift


def _drone_line(found: Inspection) -> str:
    if not found.drones:
        return 'drones: none found (Odometry, PoseStamped and FleetState are looked at)'
    names = list(found.drones)
    more = f' and {len(names) - MOST_NAMED} more' if len(names) > MOST_NAMED else ''
    kind = ', as the collision node gave them out' if found.are_corrected else ''
    return f'drones: {len(names)}: {", ".join(names[:MOST_NAMED])}{more}{kind}'


def _encounter_lines(found: Inspection) -> list[str]:
    if len(found.drones) < 2:
        return []
    touching = [e for e in found.encounters if e.distance <= 0.0]
    misses = len(found.encounters) - len(touching)
    lines = ['', f'{len(touching)} contacts and {misses} near misses (below {found.near:g} m) between drones; shapes: '
             f'{found.model}']
    if found.encounters:
        lines.append('      from, s        to, s  pair                             nearest, m       at, s  speed, m/s')
    for e in found.encounters[:MOST_LISTED]:
        begin, end, at = ((t - found.start_ns) / NANOSECONDS for t in (e.begin_ns, e.end_ns, e.at_ns))
        what = '' if e.distance > 0.0 else f'touch for {e.touching:.2f} s' if e.touching else 'touch'
        pair = f'{e.a} - {e.b}'
        lines.append(f'{begin:13.3f}{end:13.3f}  {pair:<30}{e.distance:13.4f}{at:12.3f}{e.speed:12.2f}  {what}')
    if len(found.encounters) > MOST_LISTED:
        lines.append(f'      and {len(found.encounters) - MOST_LISTED} more')
    return lines


def as_json(found: Inspection) -> str:
    """Everything but the tracks; SI units, stamps in ns."""
    return json.dumps({
        'path': str(found.path), 'start_ns': found.start_ns, 'end_ns': found.end_ns,
        'message_count': found.message_count, 'topics': [_topic_json(topic) for topic in found.topics],
        'drones': list(found.drones), 'drone_topics': list(found.drone_topics), 'are_corrected': found.are_corrected,
        'hands': found.hands, 'frames': found.frames, 'imus': found.bodies, 'model': found.model,
        'near': found.near, 'encounters': [_encounter_json(e) for e in found.encounters],
        'warnings': list(found.warnings)}, indent=1) + '\n'


def _topic_json(topic: Topic) -> dict:
    clock = topic.clock and {**topic.clock._asdict(), 'steps': [step._asdict() for step in topic.clock.steps]}
    return {'name': topic.info.name, 'type': topic.info.type, 'count': topic.info.count, 'rate': topic.rate,
            'is_regular': topic.is_regular, 'gaps': [gap._asdict() for gap in topic.gaps], 'clock': clock}


def _encounter_json(e: Encounter) -> dict:
    return {**e._asdict(), 'kind': 'contact' if e.distance <= 0.0 else 'near miss'}
