# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The verdict in words, for a terminal or the log of a CI run."""
from __future__ import annotations

from .headline import headline
from .records import seconds
from .report import ErrorStats, PairResult, Report, TrajectoryResult
from .setup import WORLD

MOST = 12       # lines of differences, of drones, and of pairs


def as_text(report: Report) -> str:
    """A few lines: the verdict, what differs first, then tables."""
    lines = [f'expected: {report.expected}', f'actual:   {report.actual}', *(f'note: {n}' for n in report.notes), '',
             *_verdict(report)]
    # one alone is in the headline
    lines += [''] + _changes(report) if len(report.changes) > 1 else []
    lines += [''] + _trajectories(report) if report.trajectories else []
    lines += [''] + _pairs(report) if report.pairs else []
    lines += [''] + _constraints(report) if report.constraints else []
    lines += [''] + _topics(report) if report.topics else []
    # of another law there are small differences everywhere, which say nothing
    rest = () if report.other_law else report.differences[1:]
    if rest:
        lines += ['', 'then', *_some([f'  {_when(report, d)}  {d.where}: {d.text}' for d in rest])]
    return '\n'.join(lines)


def _verdict(report: Report) -> list[str]:
    first = report.first
    if first is None:
        return [headline(report).replace('equal', 'EQUAL', 1)]
    law = f', by another version of the law ({report.laws[0]}, {report.laws[1]})' if report.other_law else ''
    return [f'DIFFERENT: {headline(report)}', f'{len(report.differences)} beyond tolerance{law}',
            f'first at {_when(report, first).strip()} (stamp {seconds(first.at_ns)}): {first.where}',
            f'  {first.text}']


def _changes(report: Report) -> list[str]:
    """A table of what differs in the world files and parameters."""
    keys = [change.key if change.source == WORLD else f'{change.source} {change.key}' for change in report.changes]
    width, wide = (max(map(len, words)) for words in (['world file', *keys], ['expected', *(c.expected for c in
                                                                                           report.changes)]))
    return [f'{"world file":{width}}  {"expected":{wide}}  actual',
            *_some([f'{key:{width}}  {c.expected:{wide}}  {c.actual}'
                    for key, c in zip(keys, report.changes, strict=True)])]


def _when(report: Report, difference) -> str:
    return f'{(difference.at_ns - report.origin_ns) * 1e-9:9.4f} s'


def _trajectories(report: Report) -> list[str]:
    width = max(len('trajectory'), *(len(t.name) for t in report.trajectories))
    head = f'{"trajectory":{width}}  samples  interp.  APE rmse, m    max, m  max, rad  RPE max, m  max, rad'
    ranked = sorted(report.trajectories, key=lambda t: not t.differences)
    return [head, *_some([_trajectory(t, width) for t in ranked])]


def _trajectory(t: TrajectoryResult, width: int) -> str:
    rmse = f'{t.ape_translation.rmse:11.3g}' if t.samples else f'{"-":>11}'
    return (f'{t.name:{width}}  {t.samples:7d}  {t.interpolated:7d}  {rmse}  {_max(t.ape_translation, 8)}  '
            f'{_max(t.ape_rotation, 8)}  {_max(t.rpe_translation, 10)}  {_max(t.rpe_rotation, 8)}  '
            f'{_mark(t.differences)}')


def _max(stats: ErrorStats, width: int) -> str:
    return f'{stats.max:{width}.3g}' if stats.n else f'{"-":>{width}}'


def _pairs(report: Report) -> list[str]:
    width = max(len('contacts of'), *(len(p.name) for p in report.pairs))
    head = f'{"contacts of":{width}}  in both  only expected  only actual'
    ranked = sorted(report.pairs, key=lambda p: not p.differences)
    return [head, *_some([_pair(p, width) for p in ranked])]


def _pair(p: PairResult, width: int) -> str:
    return (f'{p.name:{width}}  {len(p.matches):7d}  {len(p.missing):13d}  {len(p.extra):11d}  '
            f'{_mark(p.differences)}')


def _constraints(report: Report) -> list[str]:
    width = max(len('events of'), *(len(c.name) for c in report.constraints))
    ranked = sorted(report.constraints, key=lambda c: not c.differences)
    return [f'{"events of":{width}}  in both  only expected  only actual',
            *_some([f'{c.name:{width}}  {c.in_both:7d}  {c.only_expected:13d}  {c.only_actual:11d}  '
                    f'{_mark(c.differences)}' for c in ranked])]


def _topics(report: Report) -> list[str]:
    width = max(len('bytes of'), *(len(t.topic) for t in report.topics))
    head = f'{"bytes of":{width}}  messages expected   actual'
    return [head, *_some([f'{t.topic:{width}}  {t.in_expected:17d} {t.in_actual:8d}  {_mark(t.differences)}'
                          for t in report.topics])]


def _mark(differences: tuple) -> str:
    return 'ok' if not differences else f'{len(differences)} beyond: ' + ', '.join(_words(differences))


def _words(differences: tuple) -> list[str]:
    words = list(dict.fromkeys(d.quantity for d in differences))
    return words[:4] + (['...'] if len(words) > 4 else [])


def _some(rows: list[str]) -> list[str]:
    return rows if len(rows) <= MOST else [*rows[:MOST], f'  ... {len(rows) - MOST} more']
