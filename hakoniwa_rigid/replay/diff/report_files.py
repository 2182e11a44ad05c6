# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The verdict for machines: JSON, and JUnit XML as CI servers read it.

JUnit has no one schema. What is written here is valid by the strict one of Apache Ant's reports and by the one that
Jenkins' xUnit plugin checks: no attributes on <testsuites>, every required one on <testsuite>, children in order, at
most one <failure> per <testcase> (servers show only one).  Times of execution are 0 and the timestamp is that of the
recording, so equal inputs give equal bytes.
"""
from __future__ import annotations

import json
import math
import os
import re
from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree

from ...codec.message_fields import NANOSECONDS
from .records import Contact, phases_text, seconds
from .report import DIFFERENT, EQUAL, INCOMPARABLE, Difference, Match, Report

VERDICTS = {EQUAL: 'equal', DIFFERENT: 'different', INCOMPARABLE: 'incomparable'}
# what XML 1.0 cannot hold, not even escaped
NOT_XML = re.compile('[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]')
EPOCH = datetime(1970, 1, 1)
LAST_NS = 253402300799 * NANOSECONDS     # the end of the year 9999


def write(path: str | Path, text: str) -> None:
    """The file appears whole or not at all.  OSError where it cannot be written."""
    path = Path(path)
    part = path.with_name(path.name + '.part')
    try:
        part.write_text(text, encoding='utf-8')
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def as_json(report: Report) -> str:
    """One JSON object: verdict, first difference, every result.  Numbers that JSON has not are 'inf', '-inf', 'nan'."""
    head = {'verdict': VERDICTS[report.exit_code], 'first': _plain(report.first)}
    return json.dumps(head | _plain(report), indent=1, ensure_ascii=False) + '\n'


def failure_json(a: str, b: str, message: str) -> str:
    """The same where there is nothing to report but why."""
    return json.dumps({'verdict': VERDICTS[INCOMPARABLE], 'a': a, 'b': b, 'error': message}, indent=1,
                      ensure_ascii=False) + '\n'


def _plain(value):
    if isinstance(value, Match):        # of contacts that agree the times say enough
        if not value.differences:
            return {'begin_ns': [value.a.begin_ns, value.b.begin_ns], 'differences': []}
    elif isinstance(value, Contact):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)} | {'phases': phases_text(value.phases)}
    if is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def as_junit(report: Report) -> str:
    """One test case per trajectory, per pair of bodies, per constraint and, in exact comparisons, per topic."""
    cases = [_case('trajectory', t.name, t.differences, report,
                   f'{t.samples} samples, APE max {t.ape_translation.max:.3g} m {t.ape_rotation.max:.3g} rad')
             for t in report.trajectories]
    cases += [_case('contacts', p.name, p.differences, report, f'{len(p.matches)} contacts in both')
              for p in report.pairs]
    cases += [_case('constraint', c.name, c.differences, report, f'{c.in_both} events in both')
              for c in report.constraints]
    cases += [_case('bytes', t.topic, t.differences, report, f'{t.in_a} messages') for t in report.topics]
    return _suite(report.a, report.b, cases, _timestamp(report.origin_ns), report.notes)


def failure_junit(a: str, b: str, message: str) -> str:
    """One test case that is in error: the runs cannot be compared."""
    case = ElementTree.Element('testcase', name='comparable', classname='hakoniwa_rigid.diff', time='0')
    ElementTree.SubElement(case, 'error', message=_clean(message), type='incomparable').text = _clean(message)
    return _suite(a, b, [case], _timestamp(0), ())


def _case(kind: str, name: str, differences: tuple[Difference, ...], report: Report,
          summary: str) -> ElementTree.Element:
    case = ElementTree.Element('testcase', name=_token(name) or 'unnamed', classname=f'hakoniwa_rigid.diff.{kind}',
                               time='0')
    if differences:
        lines = [f'{seconds(d.at_ns, report.origin_ns)} s  {d.where}: {d.text}' for d in differences]
        if report.other_law:
            lines = [f'another version of the law ({report.laws[0]}, {report.laws[1]}), {len(lines)} beyond tolerance',
                     lines[0]]
        failure = ElementTree.SubElement(case, 'failure', message=_token(lines[0]),
                                         type=_token(differences[0].quantity))
        failure.text = _clean('\n'.join([summary, *lines]))
    return case


def _suite(a: str, b: str, cases: list[ElementTree.Element], timestamp: str, notes: tuple[str, ...]) -> str:
    root = ElementTree.Element('testsuites')
    counts = {key: str(sum(c.find(tag) is not None for c in cases)) for key, tag in
              (('failures', 'failure'), ('errors', 'error'))}
    suite = ElementTree.SubElement(root, 'testsuite', id='0', package='hakoniwa_rigid', name='hakoniwa_rigid.diff',
                                   timestamp=timestamp, hostname='localhost', tests=str(len(cases)), **counts, time='0')
    properties = ElementTree.SubElement(suite, 'properties')
    for side, name in (('A', a), ('B', b)):
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
