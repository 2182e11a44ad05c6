# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Contacts of a recorded flight as assertions, for the tests of a simulator or a controller; needs no ROS.

    from hakoniwa_rigid.testing import replay_bag

    def test_the_landing_is_soft():
        run = replay_bag('flights/landing', world='yard.yaml')
        run.assert_contact('d0', 'floor', after=2.0, before=4.0, impulse=(0.0, 0.3))
        run.assert_no_contact('d0', 'd1')

    def test_the_landing_is_as_it_was():
        replay_against('flights/landing', 'flights/landing.golden.yaml', world='yard.yaml')

With pytest the fixture `hakoniwa_replay` does the latter, and puts the report where the run of the tests has its files.
"""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf, sqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hakoniwa_rigid.replay.diff import html_report, report_files
from hakoniwa_rigid.replay.diff.compare import compare
from hakoniwa_rigid.replay.diff.headline import headline
from hakoniwa_rigid.replay.diff.load import load_run
from hakoniwa_rigid.replay.diff.tolerance_file import read_tolerances
from hakoniwa_rigid.replay.diff.tolerances import Tolerances
from hakoniwa_rigid.replay.report_file import write
from hakoniwa_rigid.replay.rerun.outcome import Options, Result
from hakoniwa_rigid.replay.rerun.run import replay
from hakoniwa_rigid.scene.records import Phase

__all__ = ['Contact', 'ReplayedRun', 'replay_against', 'replay_bag']

MOST_LISTED = 20    # contacts in the text of a failure


@dataclass(frozen=True)
class Contact:
    """One contact of two parts from BEGIN to END.  begin, end: s since the first tick (end None: it lasts); impulse:
    N s, that of the first tick; total: of the whole contact as far as reported; position m and normal (a to b):
    world."""

    body_a: str
    body_b: str
    part_a: str
    part_b: str
    begin: float
    end: float | None
    impulse: float
    total: float
    position: tuple[float, float, float]
    normal: tuple[float, float, float]

    def __str__(self) -> str:
        end = 'lasts' if self.end is None else f'to {self.end:.4f} s'
        return (f'{self.begin:.4f} s {end}: {self.body_a}/{self.part_a} - {self.body_b}/{self.part_b}, '
                f'{self.impulse:.4g} N s at first, {self.total:.4g} N s in all')


@dataclass(frozen=True)
class ReplayedRun:
    """A replayed bag; `result` has everything else (tracks, refused inputs, notes, state hash)."""

    result: Result
    contacts: tuple[Contact, ...]

    def contacts_of(self, a: str, b: str = '', *, part: str = '', after: float = -inf,
                    before: float = inf) -> tuple[Contact, ...]:
        """Contacts of body `a`, with body `b` where one is named and of a part of either so called, that begin from
        `after` to `before`, s since the first tick."""
        return tuple(c for c in self.contacts if a in (c.body_a, c.body_b) and b in ('', c.body_a, c.body_b)
                     and part in ('', c.part_a, c.part_b) and after <= c.begin <= before)

    def assert_contact(self, a: str, b: str = '', *, part: str = '', after: float = -inf, before: float = inf,
                       impulse: tuple[float, float] = (0.0, inf), count: int | None = None) -> tuple[Contact, ...]:
        """The contacts as in `contacts_of` whose first impulse (N s) lies in a range.  AssertionError, with what there
        was, where there are none, or not `count` of them."""
        self._check_name(a, b)
        low, high = impulse
        found = tuple(c for c in self.contacts_of(a, b, part=part, after=after, before=before)
                      if low <= c.impulse <= high)
        if not found or (count is not None and len(found) != count):
            wanted = 'a contact' if count is None else f'{count} contacts'
            limits = '' if impulse == (0.0, inf) else f' with an impulse from {low:g} to {high:g} N s'
            what = _what(a, b, part, after, before)
            raise AssertionError(f'{wanted} of {what}{limits} expected, {len(found)} found; {self._seen(a)}')
        return found

    def assert_no_contact(self, a: str, b: str = '', *, part: str = '', after: float = -inf,
                          before: float = inf) -> None:
        """AssertionError, with what there was, where `contacts_of` gives any, or the window lies outside the run."""
        self._check_name(a, b)
        self._check_window(after, before)
        if found := self.contacts_of(a, b, part=part, after=after, before=before):
            raise AssertionError(f'no contact of {_what(a, b, part, after, before)} expected, {len(found)} found:\n'
                                 + _listed(found))

    def _check_name(self, a: str, b: str) -> None:
        """A name that no body has would make every `assert_no_contact` true; so would one of which no message came."""
        known = {*self.result.bodies, *(n for c in self.contacts for n in (c.body_a, c.body_b))}
        for name in (a, b) if b else (a,):
            if name not in known:
                raise AssertionError(f'no body is called {name!r} in this world; there is {", ".join(sorted(known))}')
            if name in self.result.absent:
                raise AssertionError(f'{name} was never in the scene, so it could touch nothing: no usable message '
                                     f'of it came{self._noted()}')

    def _check_window(self, after: float, before: float) -> None:
        """So would a window that no part of the run lies in: stamps in place of s since the first tick, say."""
        if after > before or after > self.result.span or before < 0.0:
            raise AssertionError(f'nothing can happen after {after:g} s and before {before:g} s: the run goes from 0 '
                                 f'to {self.result.span:g} s')

    def _seen(self, name: str) -> str:
        own = self.contacts_of(name)
        text = f'of {name} there were:\n{_listed(own)}' if own else f'{name} touched nothing'
        return text + self._noted()

    def _noted(self) -> str:
        notes = ''.join(f'\n  note: {note}' for note in self.result.notes)
        refused = ''.join(f'\n  refused: {cause} {key}: {n}' for (cause, key), n in self.result.refused.items())
        return notes + refused


def replay_bag(bag: str | Path, world: str | Path | None = None, *,
               params: Mapping[str, Any] | str | Path | None = None, out: str | Path | None = None,
               rate: float | None = None, first: float | None = None, last: float | None = None,
               namespace: str = '/', maps: tuple[str, ...] = ()) -> ReplayedRun:
    """Run a bag through a world, as `hakoniwa-rigid replay` does.

    params: a file, or values by name ({'drones.d0.source': 'pose'}); out: write the bag of the run there; first, last:
    s since the beginning of the bag; maps: 'topic:=name in the bag'.  ValueError (BagError, SettingsError,
    WorldFileError) where it cannot be replayed.
    """
    values = dict(params) if isinstance(params, Mapping) else {}
    file = None if isinstance(params, Mapping) else params
    result = replay(Options(bag, out, None if world is None else str(world), file, rate, first, last, namespace,
                            tuple(maps), values=values))
    return ReplayedRun(result, _contacts(result))


def replay_against(bag: str | Path, golden: str | Path, world: str | Path | None = None, *,
                   tolerances: Tolerances | str | Path | None = None, report: str | Path | None = None,
                   **more: Any) -> ReplayedRun:
    """Run a bag through a world and compare: `golden`, a golden file or a bag, is expected, the replay is actual.

    tolerances: a file, or Tolerances; report: an HTML page that is written where they differ, with a JUnit report
    beside it (.xml); more: as in `replay_bag`.  AssertionError, with the headline, where they differ; errors as
    `replay_bag`, and CompareError (a ValueError) where there is nothing to compare.
    """
    if not (tolerances is None or isinstance(tolerances, Tolerances)):
        tolerances = read_tolerances(tolerances)
    expected = load_run(golden)
    with TemporaryDirectory(prefix='hakoniwa_replay_') as folder:
        # a folder of its own: whoever asks for the bag gets it whole, and no inputs are needed to compare
        out = more.pop('out', None) or Path(folder) / 'replayed'
        run = replay_bag(bag, world, out=out, **more)
        actual = replace(load_run(out), name=f'replay of {bag}')
    verdict = compare(expected, actual, tolerances)
    if verdict.equal:
        return run
    written = ''
    if report is not None:
        page = Path(report)
        page.parent.mkdir(parents=True, exist_ok=True)
        write(page, html_report.as_html(verdict, expected, actual))
        write(page.with_suffix('.xml'), report_files.as_junit(verdict))
        written = f'\n  report: {page}'
    raise AssertionError(f'{headline(verdict)}\n  {verdict.first.where}: {verdict.first.text}{written}')


def _contacts(result: Result) -> tuple[Contact, ...]:
    """Events of one id are one contact."""
    by_id: dict[int, list] = {}
    for event in result.events:
        by_id.setdefault(event.id, []).append(event)
    made = []
    for events in by_id.values():
        first, last = events[0], events[-1]
        over = last.phase == Phase.END
        total = last.impulse if over else tuple(map(sum, zip(*(e.impulse for e in events), strict=True)))
        end = (last.stamp_ns - result.start_ns) / 1e9 if over else None
        made.append(Contact(first.body_a, first.body_b, first.part_a, first.part_b,
                            (first.stamp_ns - result.start_ns) / 1e9, end, _size(first.impulse), _size(total),
                            first.position, first.normal))
    return tuple(sorted(made, key=lambda c: c.begin))


def _size(v: tuple[float, float, float]) -> float:
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


def _what(a: str, b: str, part: str, after: float, before: float) -> str:
    return (a + (f' and {b}' if b else '') + (f' (part {part})' if part else '')
            + (f' after {after:g} s' if after > -inf else '') + (f' before {before:g} s' if before < inf else ''))


def _listed(contacts: tuple[Contact, ...]) -> str:
    more = f'\n  and {len(contacts) - MOST_LISTED} more' if len(contacts) > MOST_LISTED else ''
    return '\n'.join(f'  {c}' for c in contacts[:MOST_LISTED]) + more
