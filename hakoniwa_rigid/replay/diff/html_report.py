# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The verdict as one HTML page: the cause in its first line, pictures of both runs, what follows folded.

It is bounded whatever the size of the runs: MOST_ROWS of every table, MOST_POINTS of every line, MOST_BYTES in all.
Equal runs give equal bytes.
"""
from __future__ import annotations

import numpy as np

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.replay.report_pages import page
from hakoniwa_rigid.replay.report_pages.chart import Chart

from .alignment import sample, union
from .contacts import long
from .headline import bodies_of, first_contact, headline
from .records import SIDES, Run, Trajectory, Vec, phases_text, seconds
from .report import Report, TrajectoryResult
from .setup import WORLD

MOST_ROWS = 60
MOST_BYTES = 1_000_000
MOST_DRONES = 2         # in the pictures: those that the first difference is about
AROUND = 0.5            # s before and after the first difference in the closer picture
TIME = 't, s since the beginning'
LEGEND = ('<p><span class="key expected"></span>expected &#160; <span class="key actual"></span>actual'
          ' &#160; <span class="soft">{}</span></p>')


def as_html(report: Report, expected: Run, actual: Run) -> str:
    """The page."""
    # a number and its sign, and two names, stay on one line
    verdict = headline(report).replace(' %', '\xa0%').replace(' - ', '\xa0-\xa0')
    state = 'equal' if report.equal else f'different: {len(report.differences)} beyond tolerance'
    mark = ' class="good"' if report.equal else ''
    parts = [f'<h1{mark}>{page.escaped(verdict, 800)}</h1>', page.paragraph(state, soft=True),
             *_setups(report, expected, actual), *_first(report), *_pictures(report, expected, actual),
             *_rest(report), _tables(report), _about(report, expected, actual)]
    return page.page(f'{state.partition(":")[0]}: {report.actual}', parts)


def failure_html(expected: str, actual: str, message: str) -> str:
    """The page where there is nothing to show but why."""
    return page.page('cannot be compared', [
        f'<h1>cannot be compared: {page.escaped(message, 800)}</h1>',
        page.table(('run', 'file'), list(zip(SIDES, (expected, actual), strict=True)), MOST_ROWS, text=(1,))])


def _setups(report: Report, expected: Run, actual: Run) -> list[str]:
    """World files and parameters."""
    title = page.heading('World file and parameters')
    if report.changes:
        rows = [(c.key if c.source == WORLD else f'{c.source} {c.key}', c.expected, c.actual) for c in report.changes]
        return [title, page.table(('key', *SIDES), rows, MOST_ROWS)]
    unknown = [side for side, run in zip(SIDES, (expected, actual), strict=True) if not run.setup.world]
    if unknown:
        return [title, page.paragraph(f'Not compared: {" and ".join(unknown)} does not say which world file made it. '
                                      'A bag of replay does, and a golden file that was written from one.', soft=True)]
    return [title, page.paragraph('The same in both runs.', soft=True)]


def _first(report: Report) -> list[str]:
    """What differs first, number by number."""
    first = report.first
    if first is None:
        return []
    at = f'{seconds(first.at_ns, report.origin_ns)} s (stamp {seconds(first.at_ns)})'
    parts = [page.heading('First divergence'), page.paragraph(f'{first.where} at {at}: {first.text}')]
    pair, match = first_contact(report)
    if pair is None:
        return parts
    sides = [match.expected, match.actual] if match else [
        next((c for c in contacts if c.begin_ns == first.at_ns), None) for contacts in (pair.missing, pair.extra)]
    rows = [(name, *('-' if c is None else value(c, report) for c in sides)) for name, value in CONTACT]
    names = {d.quantity for d in match.differences} if match else set()
    bad = [k for k, row in enumerate(rows) if row[0].partition(',')[0] in names]
    return [*parts, page.table(('', *SIDES), rows, MOST_ROWS, bad=bad)]


def _vector(v: Vec) -> str:
    return f'{long(v):.6g}  ({", ".join(f"{x:.4g}" for x in v)})'


CONTACT = (
    ('begin, s', lambda c, r: seconds(c.begin_ns, r.origin_ns)),
    ('normal', lambda c, _: f'({", ".join(f"{x:.4g}" for x in c.normal)})'),
    ('position, m', lambda c, _: f'({", ".join(f"{x:.6g}" for x in c.position)})'),
    ('impulse, N s', lambda c, _: _vector(c.impulse)),
    ('whole impulse, N s', lambda c, _: _vector(c.total)),
    ('end, s', lambda c, r: 'lasts' if c.end_ns is None else seconds(c.end_ns, r.origin_ns)),
    ('phases', lambda c, _: phases_text(c.phases)),
)


def _pictures(report: Report, expected: Run, actual: Run) -> list[str]:
    named = bodies_of(report) if report.first else ()
    drones = sorted({*expected.drones, *actual.drones})
    shown = [d for d in drones if d in named][:MOST_DRONES] or drones[:1]
    couples = [tuple(next((t for t in run.trajectories if t.drone == d), None) for run in (expected, actual))
               for d in shown]
    made = [_above(report, couples), _distance(report, couples, (expected, actual)), _close(report, couples),
            _impulses(report, expected, actual)]
    made = [chart.svg() for chart in made if chart is not None and not chart.empty]
    dashed = f'{shown[0]} solid, {shown[1]} dashed' if len(shown) > 1 else shown[0] if shown else ''
    dotted = 'dotted: the first divergence' if report.first else ''
    note = '; '.join(word for word in (dashed, dotted) if word)
    return [page.heading('Both runs'), LEGEND.format(page.escaped(note)), page.charts(made)] if made else []


def _time(stamps: np.ndarray, report: Report) -> np.ndarray:
    return (stamps - report.origin_ns) / NANOSECONDS


def _above(report: Report, couples: list[tuple]) -> Chart:
    chart = Chart(f'Seen from above: {", ".join(_names(couples))}', 'x, m', 'y, m', equal_axes=True)
    for number, couple in enumerate(couples):
        for t, role in zip(couple, SIDES, strict=True):
            if t is not None:
                chart.line(role, t.positions[:, 0], t.positions[:, 1], number)
    pair, match = first_contact(report) if report.first else (None, None)
    contact = match.expected if match else next(iter((*pair.missing, *pair.extra)), None) if pair else None
    if contact:
        chart.place(*contact.position[:2])
    return chart


def _distance(report: Report, couples: list[tuple], runs: tuple[Run, Run]) -> Chart:
    """How far both runs are apart over time, with what is allowed."""
    chart = Chart(f'Distance of actual from expected: {", ".join(_names(couples))}; red: allowed', TIME, 'm')
    limits = {t.drone: t.ape_translation.limit for t in report.trajectories}
    # between the poses that a golden file keeps
    slack = sum(run.resolution.translation + run.resolution.vector for run in runs)
    for number, couple in enumerate(couples):
        if None in couple:
            continue
        stamps = union(*couple)
        # a golden file has few poses, and is interpolated between them
        one, two = (_positions(t, stamps) for t in couple)
        with np.errstate(all='ignore'):
            chart.line('error', _time(stamps, report), np.linalg.norm(one - two, axis=1), number)
        if np.isfinite(limits.get(couple[0].drone, np.inf)):
            chart.level(limits[couple[0].drone] + slack)
    return _at_first(chart, report)


def _close(report: Report, couples: list[tuple]) -> Chart | None:
    """The coordinate that differs most, around the first difference."""
    first = report.first
    whole = [couple for couple in couples if None not in couple]
    if first is None or not whole:
        return None
    couple = whole[0]
    window = round(AROUND * NANOSECONDS)
    pieces = [_between(t, first.at_ns - window, first.at_ns + window) for t in couple]
    if not all(len(t.stamps) for t in pieces):
        return None
    stamps = union(*pieces)
    one, two = (_positions(t, stamps) for t in couple)
    with np.errstate(all='ignore'):
        apart = np.nan_to_num(np.abs(one - two), nan=0.0, posinf=0.0).max(axis=0)
    axis = int(np.argmax(apart))
    chart = Chart(f'{couple[0].drone}: {"xyz"[axis]} around the first divergence', TIME, f'{"xyz"[axis]}, m')
    for positions, role in zip((one, two), SIDES, strict=True):
        chart.line(role, _time(stamps, report), positions[:, axis])
    return _at_first(chart, report)


def _positions(t: Trajectory, stamps: np.ndarray) -> np.ndarray:
    samples = sample(t, stamps, NANOSECONDS)
    return np.where(samples.known[:, None], samples.positions, np.nan)


def _between(t: Trajectory, low: int, high: int) -> Trajectory:
    rows = slice(*np.searchsorted(t.stamps, [low, high + 1]).tolist())
    return Trajectory(t.drone, t.topic, t.frame, t.stamps[rows], t.positions[rows], t.orientations[rows])


def _impulses(report: Report, expected: Run, actual: Run) -> Chart | None:
    """Expected ones upwards, actual ones downwards; those that agree are faint."""
    agree = {id(c) for pair in report.pairs for m in pair.matches if not m.differences for c in (m.expected, m.actual)}
    spans = [span for span in (expected.span, actual.span) if span]
    span = [(t - report.origin_ns) / NANOSECONDS for t in (min(s[0] for s in spans), max(s[1] for s in spans))]
    chart = Chart('Impulses of contacts: expected up, actual down; faint where they agree', TIME, 'impulse, N s',
                  x_range=(span[0], max(span[1], span[0] + 1e-3)), mirrored=True)
    for role, sign, run in zip(SIDES, (1.0, -1.0), (expected, actual), strict=True):
        contacts = run.contacts or ()
        chart.stems(role, [(c.begin_ns - report.origin_ns) / NANOSECONDS for c in contacts],
                    [sign * long(c.impulse) for c in contacts], [id(c) not in agree for c in contacts])
    return _at_first(chart, report)


def _at_first(chart: Chart, report: Report) -> Chart:
    if report.first:
        chart.upright((report.first.at_ns - report.origin_ns) / NANOSECONDS)
    return chart


def _names(couples: list[tuple]) -> list[str]:
    return [next(t.drone for t in couple if t is not None) for couple in couples]


def _rest(report: Report) -> list[str]:
    """The consequences; of another law they say nothing."""
    rest = () if report.other_law else report.differences[1:]
    if not rest:
        return []
    rows = [(f'{(d.at_ns - report.origin_ns) / NANOSECONDS:.4f}', d.where, d.text) for d in rest]
    return [page.folded(f'What follows: {len(rest)} more beyond tolerance',
                        page.table(('t, s', 'where', 'what'), rows, MOST_ROWS, text=(2,)))]


def _tables(report: Report) -> str:
    parts = []
    if report.trajectories:
        ranked = sorted(report.trajectories, key=lambda t: not t.differences)
        head = ('drone', 'samples', 'APE rmse, m', 'max, m', 'max, rad', 'RPE max, m', 'max, rad', 'beyond')
        parts += [page.table(head, [_trajectory(t) for t in ranked], MOST_ROWS, bad=_bad(ranked))]
    if report.pairs:
        ranked = sorted(report.pairs, key=lambda p: not p.differences)
        rows = [(p.name, len(p.matches), len(p.missing), len(p.extra), len(p.differences)) for p in ranked]
        parts += [page.table(('contacts of', 'in both', *_only(), 'beyond'), rows, MOST_ROWS, bad=_bad(ranked))]
    if report.constraints:
        ranked = sorted(report.constraints, key=lambda c: not c.differences)
        rows = [(c.name, c.in_both, c.only_expected, c.only_actual, len(c.differences)) for c in ranked]
        parts += [page.table(('events of', 'in both', *_only(), 'beyond'), rows, MOST_ROWS, bad=_bad(ranked))]
    if report.topics:
        rows = [(t.topic, t.in_expected, t.in_actual, 'differ' if t.differences else 'equal') for t in report.topics]
        parts += [page.table(('messages of', *SIDES, 'bytes'), rows, MOST_ROWS, bad=_bad(report.topics))]
    return page.folded('Every drone and pair of bodies', *parts) if parts else ''


def _only() -> tuple[str, ...]:
    return tuple(f'only {side}' for side in SIDES)


def _bad(results) -> list[int]:
    return [k for k, result in enumerate(results[:MOST_ROWS]) if result.differences]


def _trajectory(t: TrajectoryResult) -> tuple:
    errors = (t.ape_translation, t.ape_rotation, t.rpe_translation, t.rpe_rotation)
    rmse = f'{t.ape_translation.rmse:.3g}' if t.samples else '-'
    return (t.name, t.samples, rmse, *(f'{e.max:.3g}' if e.n else '-' for e in errors), len(t.differences))


def _about(report: Report, expected: Run, actual: Run) -> str:
    rows = [('file', report.expected, report.actual),
            ('version of the law', *('not told' if law is None else law for law in report.laws)),
            ('drones', *(len(run.drones) for run in (expected, actual))),
            ('contacts', *('not recorded' if run.contacts is None else len(run.contacts)
                           for run in (expected, actual)))]
    return page.folded('Both files', page.table(('', *SIDES), rows, MOST_ROWS),
                       *(page.paragraph(f'Note: {note}', soft=True) for note in report.notes[:MOST_ROWS]))
