# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Runs of two versions of the law: that is said, instead of what differs all over."""
import json
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from diff_runs import contact, line, run, ticks

from hakoniwa_rigid import cli
from hakoniwa_rigid.law import LAW_KEY, LAW_VERSION
from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.bag.writer import BagWriter
from hakoniwa_rigid.replay.diff.compare import compare
from hakoniwa_rigid.replay.diff.golden import as_golden
from hakoniwa_rigid.replay.diff.golden_reader import read_golden
from hakoniwa_rigid.replay.diff.load import law_of
from hakoniwa_rigid.replay.diff.report_files import as_junit
from hakoniwa_rigid.replay.diff.text import as_text
from hakoniwa_rigid.replay.rerun.provenance import metadata

OLD = LAW_VERSION - 1
SAID = f'made by another version of the law ({OLD}, this is {LAW_VERSION})'


def runs(old=OLD, new=LAW_VERSION, off=0.01):
    """Two runs of many flights and contacts, all of them a little different."""
    names = [f'd{k}' for k in range(20)]
    stamps = ticks(1.5)
    flights = [[line(name, stamps, offset=(0.0, shift, 0.0)) for name in names] for shift in (0.0, off)]
    touches = [tuple(contact(0.4, body_a=name, position=(1.0, 2.0 + shift, 0.5)) for name in names)
               for shift in (0.0, off)]
    return [run(f, t, name, law=law) for f, t, name, law in zip(flights, touches, 'ab', (old, new), strict=True)]


def test_the_law_is_said_instead_of_every_difference():
    report = compare(*runs())
    text = as_text(report)
    assert not report.equal and len(report.differences) == 40
    assert f'note: expected: {SAID}' in text and f'by another version of the law ({OLD}, {LAW_VERSION})' in text
    assert 'first at' in text and '\nthen\n' not in text


def test_of_one_law_every_difference_is_told():
    for old, new in ((LAW_VERSION, LAW_VERSION), (OLD, OLD), (None, LAW_VERSION), (OLD, None)):
        text = as_text(compare(*runs(old, new)))
        assert 'version of the law' not in text and '\nthen\n' in text


def test_what_agrees_within_tolerances_is_equal_whatever_the_law():
    report = compare(*runs(off=0.0))
    assert report.equal and report.notes == (f'expected: {SAID}',)


def test_neither_is_of_this_law():
    assert list(compare(*runs(LAW_VERSION + 1, LAW_VERSION + 2)).notes) == [
        f'{side}: made by another version of the law ({law}, this is {LAW_VERSION})'
        for side, law in (('expected', LAW_VERSION + 1), ('actual', LAW_VERSION + 2))]


def test_junit_says_it_too():
    suite = ElementTree.fromstring(as_junit(compare(*runs())))
    failures = list(suite.iter('failure'))
    assert failures and all('another version of the law' in f.get('message') for f in failures)
    assert max(len(f.text.splitlines()) for f in failures) == 3


@pytest.mark.parametrize('law', [None, OLD, LAW_VERSION])
def test_a_golden_file_carries_the_law(law, tmp_path):
    file = tmp_path / 'golden.yaml'
    file.write_text(as_golden(run(law=law)), encoding='utf-8')
    assert read_golden(file).law == law


@pytest.mark.parametrize(('reported', 'law'), [('3', 3), ('', None), ('three', None), ('-1', None), ('9' * 10, None)])
def test_the_law_of_a_bag_is_in_its_metadata(reported, law, tmp_path):
    with BagWriter(tmp_path / 'bag', {LAW_KEY: reported}) as bag:
        bag.topic('/a', 'std_msgs/msg/String')
    with Bag(tmp_path / 'bag') as bag:
        assert law_of(bag) == law


def test_what_is_written_is_of_this_law():
    assert metadata({}, '')[LAW_KEY] == str(LAW_VERSION)


def test_diff_of_golden_files(tmp_path, capsys):
    old, new = (replace(r, law=law) for r, law in zip(runs(), (OLD, LAW_VERSION), strict=True))
    for name, one in (('old', old), ('new', new)):
        (tmp_path / f'{name}.yaml').write_text(as_golden(one), encoding='utf-8')
    files = [str(tmp_path / name) for name in ('old.yaml', 'new.yaml', 'report.json')]
    code = cli.main(['diff', *files[:2], '--json', files[2]])
    assert code == 1 and f'note: expected: {SAID}' in capsys.readouterr().out
    assert json.loads((tmp_path / 'report.json').read_text(encoding='utf-8'))['laws'] == [OLD, LAW_VERSION]
