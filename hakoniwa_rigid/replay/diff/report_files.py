# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The verdict for machines: JSON, and JUnit XML as CI servers read it.

JUnit has no one schema. What is written here is valid by the strict one of Apache Ant's reports and by the one that
Jenkins' xUnit plugin checks: no attributes on <testsuites>, every required one on <testsuite>, children in order, at
most one <failure> per <testcase> (servers show only one).  The first test case is that of the first difference, and the
message of its failure is the headline, cause first; other failures say what they follow from.  Times of execution are 0
and the timestamp is that of the recording, so equal inputs give equal bytes.
"""
from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta
from typing import NamedTuple
from xml.etree import ElementTree

from ...brief import cut
from ...codec.message_fields import NANOSECONDS
from .headline import divergence, headline
from .records import SIDES, Contact, phases_text, seconds
from .report import DIFFERENT, EQUAL, INCOMPARABLE, Difference, Match, Report
from .setup import Change

VERDICTS = {EQUAL: 'equal', DIFFERENT: 'different', INCOMPARABLE: 'incomparable'}
# what XML 1.0 cannot hold, not even escaped
NOT_XML = re.compile('[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]')
EPOCH = datetime(1970, 1, 1)
LAST_NS = 253402300799 * NANOSECONDS     # the end of the year 9999
MOST_CASES, MOST_LINES, MOST_LETTERS = 1000, 50, 500


class _Check(NamedTuple):
    """A test case: what kind of check, of what, what is beyond tolerance, and a summary."""

    kind: str
    name: str
    differences: tuple[Difference, ...]
    summary: str


def as_json(report: Report) -> str:
    """One JSON object: verdict, headline, first difference, every result.  Numbers that JSON has not are 'inf', '-inf',
    'nan'."""
    head = {'verdict': VERDICTS[report.exit_code], 'headline': headline(report), 'first': _plain(report.first)}
    return json.dumps(head | _plain(report), indent=1, ensure_ascii=False) + '\n'


def failure_json(expected: str, actual: str, message: str) -> str:
    """The same where there is nothing to report but why."""
    return json.dumps({'verdict': VERDICTS[INCOMPARABLE], 'expected': expected, 'actual': actual,
                       'error': message}, indent=1, ensure_ascii=False) + '\n'


def _plain(value):
    if isinstance(value, Match):        # of contacts that agree the times say enough
        if not value.differences:
            return {'begin_ns': [value.expected.begin_ns, value.actual.begin_ns], 'differences': []}
    elif isinstance(value, Contact):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)} | {'phases': phases_text(value.phases)}
    if is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Change):
        return value._asdict()
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def as_junit(report: Report) -> str:
    """One test case per trajectory, per pair of bodies, per constraint and, in exact comparisons, per topic."""
    checks = [_Check('trajectory', t.name, t.differences, f'{t.samples} samples, APE max {t.ape_translation.max:.3g} m '
                     f'{t.ape_rotation.max:.3g} rad') for t in report.trajectories]
    checks += [_Check('contacts', p.name, p.differences, f'{len(p.matches)} contacts in both') for p in report.pairs]
    checks += [_Check('constraint', c.name, c.differences, f'{c.in_both} events in both') for c in report.constraints]
    checks += [_Check('bytes', t.topic, t.differences, f'{t.in_expected} messages') for t in report.topics]
    first = report.first
    ranked = sorted(checks, key=lambda c: (not any(d is first for d in c.differences), not c.differences))
    if report.equal:
        ranked = checks
    cases = [_case(check, report) for check in ranked[:MOST_CASES]]
    notes = [headline(report), *map(str, report.changes[:MOST_LINES]), *report.notes]
    if len(ranked) > MOST_CASES:
        failing = sum(bool(c.differences) for c in ranked[MOST_CASES:])
        notes.append(f'{len(ranked) - MOST_CASES} more checks are not listed, {failing} of them failed')
    return _suite(report.expected, report.actual, cases, _timestamp(report.origin_ns), notes)


def failure_junit(expected: str, actual: str, message: str) -> str:
    """One test case that is in error: the runs cannot be compared."""
    case = ElementTree.Element('testcase', name='comparable', classname='hakoniwa_rigid.diff', time='0')
    ElementTree.SubElement(case, 'error', message=_clean(message), type='incomparable').text = _clean(message)
    return _suite(expected, actual, [case], _timestamp(0), ())


def _case(check: _Check, report: Report) -> ElementTree.Element:
    case = ElementTree.Element('testcase', name=_token(cut(check.name, MOST_LETTERS)) or 'unnamed',
                               classname=f'hakoniwa_rigid.diff.{check.kind}', time='0')
    found = check.differences
    if found:
        lines = [cut(f'{seconds(d.at_ns, report.origin_ns)} s  {d.where}: {d.text}', MOST_LETTERS)
                 for d in found[:MOST_LINES]]
        lines += [f'and {len(found) - MOST_LINES} more'] if len(found) > MOST_LINES else []
        if report.other_law:
            lines = lines[:1]
        is_cause = any(d is report.first for d in found)
        message = headline(report) if is_cause else f'{lines[0]}; follows from {divergence(report)}'
        if report.other_law and not is_cause:
            message = f'another version of the law ({report.laws[0]}, {report.laws[1]}): {message}'
        failure = ElementTree.SubElement(case, 'failure', message=_token(message), type=_token(found[0].quantity))
        failure.text = _clean('\n'.join([message, check.summary, *lines]))
    return case


def _suite(expected: str, actual: str, cases: list[ElementTree.Element], timestamp: str, notes: Sequence[str]) -> str:
    root = ElementTree.Element('testsuites')
    counts = {key: str(sum(c.find(tag) is not None for c in cases)) for key, tag in
              (('failures', 'failure'), ('errors', 'error'))}
    suite = ElementTree.SubElement(root, 'testsuite', id='0', package='hakoniwa_rigid', name='hakoniwa_rigid.diff',
                                   timestamp=timestamp, hostname='localhost', tests=str(len(cases)), **counts, time='0')
    properties = ElementTree.SubElement(suite, 'properties')
    for side, name in zip(SIDES, (expected, actual), strict=True):
        ElementTree.SubElement(properties, 'property', name=side, value=_clean(name))
    suite.extend(cases)
    ElementTree.SubElement(suite, 'system-out').text = _clean('\n'.join(notes))
    ElementTree.SubElement(suite, 'system-err')
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding='unicode') + '\n'


def _timestamp(origin_ns: int) -> str:
    """UTC, whole seconds, no zone, as the schemas want it; stamps that are no date begin in 1970."""
    inside = origin_ns if 0 <= origin_ns <= LAST_NS else 0
    return (EPOCH + timedelta(seconds=inside // NANOSECONDS)).isoformat()


def _clean(text: str) -> str:
    return NOT_XML.sub('\ufffd', text)


def _token(text: str) -> str:
    """Text without line breaks, single blanks: xs:token."""
    return ' '.join(_clean(text).split())
