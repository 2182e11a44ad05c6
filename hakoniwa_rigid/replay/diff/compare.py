# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Two runs against each other: ``compare(a, b, tolerances) -> Report``."""
from __future__ import annotations

import dataclasses
from math import inf

import numpy as np

from hakoniwa_rigid.law import LAW_VERSION, made_by_another

from .constraints import compare_constraints
from .contacts import compare_contacts
from .headline import bodies_of
from .records import SIDES, CompareError, Resolution, Run, TopicBytes, Trajectory, seconds
from .report import Difference, ErrorStats, Report, TopicResult, TrajectoryResult
from .setup import changes_of
from .tolerances import Tolerances
from .trajectories import compare_trajectories


def compare(expected: Run, actual: Run, tolerances: Tolerances | None = None) -> Report:
    """The verdict; swapping both runs swaps only which side lacks what.

    CompareError where there is nothing to compare: no drone in both and contacts not recorded in both; no time in
    both; or exact bits asked of a golden file, which is rounded.
    """
    tolerances = tolerances or Tolerances()
    _require_comparable(expected, actual, tolerances)
    with np.errstate(all='ignore'):     # NaN, infinite and absurd numbers are judged, not computed with
        return _report(expected, actual, tolerances)


def _report(a: Run, b: Run, tolerances: Tolerances) -> Report:
    spans = [s for s in (a.span, b.span) if s]
    origin = min((s[0] for s in spans), default=0)
    slack = Resolution(a.resolution.rounding + b.resolution.rounding)
    notes = [f'{side}: {note}' for side, run in _sides(a, b) for note in run.notes]
    notes += _laws(a, b) + _golden(a, b) + _unrecorded(a, b) + _passed_over(a, b) + _without_bytes(a, b, tolerances)
    report = Report(a.name, b.name, origin, tolerances.exact, _trajectories(a, b, tolerances, origin),
                  compare_contacts(a.contacts or (), b.contacts or (), tolerances, slack, origin),
                  _bytes(a, b) if tolerances.exact else (), tuple(notes), (a.law, b.law),
                  compare_constraints(a.constraints, b.constraints, tolerances, slack, origin))
    return dataclasses.replace(report, changes=changes_of(a.setup, b.setup, bodies_of(report)))


def _require_comparable(a: Run, b: Run, tolerances: Tolerances) -> None:
    for run in (a, b):
        if not run.trajectories and run.contacts is None:
            raise CompareError(f'{run.name}: no corrected states and no contact events; nothing to compare')
    if not set(a.drones) & set(b.drones) and (a.contacts is None or b.contacts is None):
        raise CompareError(f'nothing in common: {a.name} has {_contents(a)}, {b.name} has {_contents(b)}')
    spans = [_flights(run) for run in (a, b)]
    if all(spans) and max(s[0] for s in spans) > min(s[1] for s in spans):
        raise CompareError(f'no time in common: {a.name} has states {_from_to(spans[0])}, {b.name} '
                           f'{_from_to(spans[1])}; runs are compared by the stamps in their messages, as they are')
    if tolerances.exact:
        for run in (a, b):
            if run.resolution != Resolution():
                raise CompareError(f'{run.name}: a golden file is rounded and thinned: no bits to compare; '
                                   'give tolerances, or two bags')


def _flights(run: Run) -> tuple[int, int] | None:
    return dataclasses.replace(run, contacts=None, constraints=()).span


def _from_to(span: tuple[int, int]) -> str:
    return f'from {seconds(span[0])} to {seconds(span[1])} s'


def _contents(run: Run) -> str:
    drones = f'drones {", ".join(run.drones)}' if run.drones else 'no drones'
    return f'{drones} and {"no contact events" if run.contacts is None else "contact events"}'


def _sides(a: Run, b: Run) -> tuple[tuple[str, Run], ...]:
    return tuple(zip(SIDES, (a, b), strict=True))


def _laws(a: Run, b: Run) -> list[str]:
    """Of two versions of the law, those that are not this one."""
    if None in (a.law, b.law) or a.law == b.law:
        return []
    return [f'{side}: {made_by_another(run.law)}' for side, run in _sides(a, b) if run.law != LAW_VERSION]


def _golden(a: Run, b: Run) -> list[str]:
    return [f'{side}: golden file, rounded to {2 * r.rounding:g}; between its poses {r.translation:g} m and '
            f'{r.rotation:g} rad more are allowed' for side, r in zip(SIDES, (a.resolution, b.resolution), strict=True)
            if r != Resolution()]


def _unrecorded(a: Run, b: Run) -> list[str]:
    return [f'{side}: contact events were not recorded; taken as none'
            for side, run, other in zip(SIDES, (a, b), (b, a), strict=True)
            if run.contacts is None and other.contacts is not None]


def _passed_over(a: Run, b: Run) -> list[str]:
    """A drone may be recorded on several topics; those that are in one run only say nothing."""
    pairs = [{(t.drone, t.topic) for t in run.trajectories if t.drone in {*a.drones} & {*b.drones}} for run in (a, b)]
    used = {(one.drone, t.topic) for drone in a.drones for one, two in
            _couples(*([t for t in run.trajectories if t.drone == drone] for run in (a, b))) for t in (one, two) if t}
    only = [sorted({topic for _, topic in there - used}) for there in pairs]
    return [f'{side}: not compared, because only here: {", ".join(topics)}'
            for side, topics in zip(SIDES, only, strict=True) if topics]


def _without_bytes(a: Run, b: Run, tolerances: Tolerances) -> list[str]:
    if not tolerances.exact or (a.bytes and b.bytes):
        return []
    return ['the bytes of messages are not at hand on both sides: their poses and contacts were compared, to the bit']


def _trajectories(a: Run, b: Run, tolerances: Tolerances, origin: int) -> tuple[TrajectoryResult, ...]:
    found = []
    for drone in sorted({*a.drones, *b.drones}):
        ours, theirs = ([t for t in run.trajectories if t.drone == drone] for run in (a, b))
        couples = list(_couples(ours, theirs))
        for one, two in couples:
            name = drone if len(couples) == 1 else f'{drone} on {one.topic}'
            if one and two:
                tolerance = tolerances.of_drone(drone, one.topic, two.topic)
                found.append(compare_trajectories(one, two, tolerance, (a.resolution, b.resolution), origin, name))
            else:
                found.append(_alone(one or two, SIDES[0] if one else SIDES[1]))
    return tuple(found)


def _couples(ours: list[Trajectory], theirs: list[Trajectory]):
    """Trajectories of the same drone by topic; where no topic is in both, the first with the first."""
    topics = sorted({t.topic for t in ours} & {t.topic for t in theirs})
    if ours and theirs and not topics:
        yield min(ours, key=lambda t: t.topic), min(theirs, key=lambda t: t.topic)
        return
    for topic in topics:
        yield next(t for t in ours if t.topic == topic), next(t for t in theirs if t.topic == topic)
    if not topics:
        for t in [*ours, *theirs][:1]:
            yield (t, None) if ours else (None, t)


def _alone(t: Trajectory, side: str) -> TrajectoryResult:
    at = int(t.stamps[0]) if len(t.stamps) else 0
    text = f'only in {side}: {len(t.stamps)} samples on {t.topic}'
    nothing = (ErrorStats(),) * 4
    difference = Difference(at, t.drone, f'only in {side}', inf, 0.0, text)
    return TrajectoryResult(t.drone, t.drone, t.topic, 0, 0, *nothing, (difference,))


def _bytes(a: Run, b: Run) -> tuple[TopicResult, ...]:
    """Messages byte for byte, by topic; runs from memory may have none, then fields alone are compared."""
    if not a.bytes or not b.bytes:
        return ()
    ours, theirs = ({t.topic: t for t in run.bytes} for run in (a, b))
    return tuple(_topic(name, ours.get(name), theirs.get(name)) for name in sorted({*ours, *theirs}))


def _topic(name: str, a: TopicBytes | None, b: TopicBytes | None) -> TopicResult:
    counts = [0 if t is None else len(t.stamps) for t in (a, b)]
    if a is None or b is None:
        side, there = (SIDES[0], a) if b is None else (SIDES[1], b)
        at = int(there.stamps[0]) if len(there.stamps) else 0
        return TopicResult(name, *counts, (Difference(at, name, f'only in {side}', inf, 0.0,
                                                      f'only in {side}: {len(there.stamps)} messages'),))
    shared = min(counts)
    same = (a.digests[:shared] == b.digests[:shared]).all(axis=1)
    first = int(np.argmin(same)) if not same.all() else shared
    if first == max(counts):
        return TopicResult(name, *counts, ())
    stamps = [int(t.stamps[first]) for t in (a, b) if first < len(t.stamps)]
    text = (f'message {first + 1} is the first that differs; {int((~same).sum())} of {shared} do'
            if first < shared else f'equal up to message {shared}; expected has {counts[0]}, actual has {counts[1]}')
    return TopicResult(name, *counts, (Difference(min(stamps), name, 'bytes', inf, 0.0, text),))
