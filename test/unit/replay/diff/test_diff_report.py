# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The HTML report and the headline: the cause first, texts of files escaped, sizes bounded, equal runs equal bytes."""
import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml
from diff_runs import START, TICK, contact, line, run, write_bag

from hakoniwa_rigid import cli
from hakoniwa_rigid.codec.message_fields import NANOSECONDS as NS
from hakoniwa_rigid.law import LAW_VERSION
from hakoniwa_rigid.replay.diff import html_report
from hakoniwa_rigid.replay.diff.compare import compare
from hakoniwa_rigid.replay.diff.golden import MOST_WORLD, as_golden
from hakoniwa_rigid.replay.diff.golden_reader import read_golden
from hakoniwa_rigid.replay.diff.headline import headline
from hakoniwa_rigid.replay.diff.html_report import as_html
from hakoniwa_rigid.replay.diff.records import trajectory
from hakoniwa_rigid.replay.diff.report_files import MOST_CASES, as_json, as_junit
from hakoniwa_rigid.replay.diff.setup import MOST_TEXT, WHOLE, Setup, changes_of, setup_of
from hakoniwa_rigid.replay.report_pages import chart

WORLD = """
materials:
  hard: {restitution: 0.5, friction: 0.1}
  soft: {restitution: 0.0}
models: {cube: {mass: 0.5, material: hard}}
walls: [{name: wall, type: plane, material: hard}, {name: far, material: soft}]
drones: [{name: d0, model: cube}]
"""
HARDER = WORLD.replace('restitution: 0.5', 'restitution: 0.9')
PLAIN = Setup(WORLD, {'rate': 200.0})
# markup, an end of an attribute, a control character, half a letter, a mark that turns the direction of text
HOSTILE = '</td><script>alert(1)</script>"\'&\x00\ud800\u202e'
FIRST = 'first divergence: d0 - wall at 1.000 s, impulse +20 %; what follows is its consequence'


class Page(HTMLParser):
    """The tags, attributes and texts of a page; every tag that is opened is closed in its place."""

    VOID = {'meta', 'br', 'path', 'circle', 'rect'}

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.texts = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ('style', 'title') and data.strip():
            self.texts.append(' '.join(data.split()))


def harder(**changes):
    """Two runs: the second hits the wall 20 % harder, and then flies elsewhere."""
    hit = contact(1.0)
    positions = line().positions.copy()
    positions[210:, 1] += 0.02
    expected = run((line(),), (hit,), 'golden.yaml', setup=PLAIN)
    flight, hit = replace(line(), positions=positions), replace(hit, impulse=(-0.6, 0.12, 0.0))
    actual = run((flight,), (hit,), 'out', setup=PLAIN)
    return expected, replace(actual, **changes)


def shown(expected, actual):
    """The page and its parts."""
    text = as_html(compare(expected, actual), expected, actual)
    return text, Page(text)


def test_the_first_line_names_the_cause_with_both_values():
    text, page = shown(*harder(setup=Setup(HARDER, PLAIN.parameters)))
    assert page.texts[0] == f'materials.hard.restitution differs (expected 0.5, actual 0.9); {FIRST}'
    (row,) = re.findall('<td>materials.hard.restitution</td><td>0.5</td><td>0.9</td>', text)
    assert row and len(text) < 30_000


def test_without_a_cause_the_first_divergence_is_the_headline():
    report = compare(*harder())
    assert headline(report) == FIRST
    assert report.first.quantity == 'impulse' and report.differences[-1].where == 'd0'


@pytest.mark.parametrize(('change', 'what'), [
    ({'impulse': (-0.5, -0.1, 0.0)}, 'impulse off by 0.2 N s'), ({'impulse': (-5e3, 1e3, 0.0)}, 'impulse off by'),
    ({'begin_ns': START + round(1.004 * NS)}, '4 ms later'), ({'position': (1.0, 2.5, 0.5)}, 'position 0.5 m away'),
    ({'phases': 'BE', 'kind': 2}, 'kind differs'), ({'end_ns': START + round(1.05 * NS)}, 'ends 50 ms earlier'),
    ({'impulse': (np.nan, 0.0, 0.0)}, 'impulse differs')])
def test_what_differs_in_a_few_words(change, what):
    report = compare(run(contacts=(contact(1.0),)), run(contacts=(replace(contact(1.0), **change),)))
    assert f'd0 - wall at 1.000 s, {what}' in headline(report)


def test_contacts_that_are_missing_or_not_expected():
    one, none = run(contacts=(contact(1.0),)), run()
    assert headline(compare(one, none)) == 'first divergence: d0 - wall at 1.000 s, contact missing'
    assert headline(compare(none, one)).endswith('contact not expected')
    for pair in ((one, none), (none, one)):
        assert 'only in' in shown(*pair)[0]


def test_of_equal_times_the_contact_comes_first():
    positions = line().positions.copy()
    positions[200:, 0] += 0.1     # from the stamp of the contact on
    report = compare(run(contacts=(contact(1.0),)), run((replace(line(), positions=positions),), ()))
    assert report.first.where.startswith('d0 - wall')


def test_keys_of_what_touches_come_first_and_names_last():
    changed = (HARDER.replace('{restitution: 0.0}', '{restitution: 0.3}').replace('mass: 0.5', 'mass: 0.7')
               .replace('walls: [', 'description: other\nwalls: [{name: new, type: plane}, '))
    changes = changes_of(PLAIN, Setup(changed, {'rate': 100.0, 'tf_timeout': 0.2}), ('d0', 'wall'))
    assert [(c.key, c.expected, c.actual) for c in changes] == [
        ('materials.hard.restitution', '0.5', '0.9'), ('models.cube.mass', '0.5', '0.7'),
        ('materials.soft.restitution', '0.0', '0.3'), ('walls.new', 'not given', "{'name': 'new', 'type': 'plane'}"),
        ('rate', '200.0', '100.0'), ('tf_timeout', 'not given', '0.2'), ('description', 'not given', 'other')]
    assert str(changes[4]) == 'parameter rate differs (expected 200.0, actual 100.0)'


def test_the_node_writes_everything_out_which_is_no_difference():
    """A recording has the world with all keys in it: against the file only values that both give are compared."""
    file = yaml.safe_load(HARDER)
    spelt = {**dict.fromkeys(WHOLE, []), **file, 'dt': 0.001, 'gravity': [0, 0, -9.81]}
    changes = changes_of(PLAIN, Setup(yaml.safe_dump(spelt), PLAIN.parameters))
    assert [c.key for c in changes] == ['materials.hard.restitution']


@pytest.mark.parametrize('world', ['', 'a: [', '- 1', 'a: ' + '[' * 50, '\x00', '\ud800',
                                   WORLD + ' ' * MOST_TEXT + 'a: 1'])
def test_worlds_that_cannot_be_read_are_no_error(world):
    assert changes_of(PLAIN, Setup(world, PLAIN.parameters)) == ()
    assert setup_of({'hakoniwa_rigid.world': world, 'hakoniwa_rigid.parameters': world}).parameters == {}


def test_equal_runs_say_so_and_what_differs_all_the_same():
    expected = run(contacts=(contact(),), setup=PLAIN)
    text, page = shown(expected, replace(expected, setup=Setup(WORLD.replace('0.1', '0.2'), PLAIN.parameters)))
    assert page.texts[0] == ('equal within tolerances: 1 trajectories, 1 contacts; materials.hard.friction differs '
                             '(expected 0.1, actual 0.2)')
    assert '<h1 class="good">' in text


def test_another_law_is_the_cause():
    expected, actual = harder(law=LAW_VERSION)
    told = headline(compare(replace(expected, law=1), actual))
    assert told.startswith('made by another version of the law (expected 1, actual ')


def test_the_page_needs_nothing_else_and_runs_nothing():
    text, page = shown(*harder())
    names = {tag for tag, _ in page.tags}
    assert not names & {'script', 'link', 'img', 'iframe', 'object', 'base', 'form'}
    assert not any(key in attrs for _, attrs in page.tags for key in ('src', 'href', 'style', 'onclick'))
    assert "default-src 'none'" in text and 'http' not in text.replace('http-equiv', '')
    assert {'svg', 'details', 'figure', 'table'} <= names
    assert 'prefers-color-scheme:dark' in text and 'width=device-width' in text


def test_pictures_have_both_roles_and_hold_the_numbers():
    text, page = shown(*harder())
    for role in ('expected', 'actual', 'rule'):
        assert f'<path class="{role}"' in text
    assert 'nan' not in text.lower().replace('finance', '')
    for tag, attrs in page.tags:
        if tag == 'path':
            x = [float(v) for v in re.findall(r'[ML](-?[0-9.]+) ', attrs['d'])]
            assert all(chart.LEFT - 1 <= v <= chart.WIDTH - chart.RIGHT + 1 for v in x)


def test_names_of_strangers_are_text():
    drone = line(HOSTILE)
    hit = contact(body_a=HOSTILE, body_b=HOSTILE + 'w', part_a=HOSTILE)
    setups = [Setup(f'materials: {{"<b>": {{restitution: {e}, "a": "<i>{e}"}}}}', {}) for e in (0.1, 0.2)]
    expected = run((drone,), (hit,), HOSTILE, setup=setups[0], notes=(HOSTILE,))
    actual = run((drone,), (replace(hit, impulse=(9.0, 0.0, 0.0)),), HOSTILE, setup=setups[1])
    text, page = shown(expected, actual)
    assert not {tag for tag, _ in page.tags} & {'script', 'b', 'i'}
    assert '&lt;script&gt;' in text and 'materials.&lt;b&gt;.restitution' in text
    assert not re.search('[\x00\ud800\u202e]', text)
    assert text.encode()
    assert html_report.failure_html(HOSTILE, HOSTILE, HOSTILE).count('<script') == 0
    ElementTree.fromstring(as_junit(compare(expected, actual)))


@pytest.mark.slow
def test_a_huge_run_makes_a_small_page():
    """Thousands of drones, pairs, contacts and keys with long names: rows, points and bytes stay in their bounds."""
    names = [f'{k:04d}' + '"' * 300 for k in range(1500)]
    stamps = START + TICK * np.arange(20_000)
    rng = np.random.default_rng(1)

    def flown(off):
        long_flight = trajectory(names[0], stamps, rng.normal(size=(len(stamps), 3)) + off, np.tile([0., 0, 0, 1],
                                 (len(stamps), 1)), '/t', 'world')
        return (long_flight, *(line(name, stamps[:3], offset=(off, 0.0, 0.0)) for name in names[1:]))
    hits = [contact(0.01 * k, body_a=names[k % 1500], body_b=names[0] + 'w') for k in range(8000)]
    worlds = [''.join(f'k{n}: {{a: "{e}{"<" * 200}"}}\n' for n in range(3000)) for e in (1, 2)]
    expected = run(flown(0.0), tuple(hits), names[0], setup=Setup(worlds[0], {}), notes=tuple(names))
    actual = run(flown(1.0), tuple(replace(c, impulse=(9.0, 0.0, 0.0)) for c in hits), names[1],
                 setup=Setup(worlds[1], {}))
    report = compare(expected, actual)
    text = as_html(report, expected, actual)
    assert len(text.encode()) <= html_report.MOST_BYTES
    assert all(body.count('<tr') <= html_report.MOST_ROWS for body in re.findall('<tbody>.*?</tbody>', text, re.S))
    assert all(len(re.findall('[ML]', d)) <= 2 * chart.MOST_POINTS + 2 for d in re.findall(' d="([^"]*)"', text))
    suite = ElementTree.fromstring(as_junit(report))[0]
    assert suite.get('tests') == str(MOST_CASES) and 'more checks are not listed' in suite.findtext('system-out')


def test_lines_keep_their_extremes():
    y = np.zeros(100_000)
    y[31_415], y[27_182], y[50_000:60_000] = 7.0, -7.0, np.nan
    rows = chart.rows_of_extremes(y, 400)
    assert len(rows) <= 400 and {0, 27_182, 31_415, 99_999} <= set(rows.tolist())
    assert np.isnan(y[rows]).any()


@pytest.mark.parametrize(('low', 'high'), [(0.0, 1.0), (-3e-7, 2e-7), (1e9, 1e9 + 1.0), (-1e12, 1e12), (5.0, 5.0)])
def test_ticks_are_few_and_inside(low, high):
    found = chart.ticks(low, high)
    assert 1 <= len(found) <= chart.MOST_TICKS
    assert all(low - 1e-6 * (high - low) <= v <= high + 1e-6 * (high - low) for v in found)


@pytest.mark.parametrize('positions', [np.full((2, 3), np.nan), np.full((2, 3), 1e300), np.zeros((0, 3))])
def test_absurd_numbers_are_not_drawn(positions):
    n = len(positions)
    t = trajectory('d0', START + TICK * np.arange(n), positions, np.tile([0.0, 0.0, 0.0, 1.0], (n, 1)))
    text, _ = shown(run((t,), (contact(0.0),)), run(contacts=(contact(0.0, impulse=(np.inf, 0.0, 0.0)),)))
    paths = ''.join(re.findall(' d="([^"]*)"', text))
    assert 'nan' not in paths and 'inf' not in paths


def test_golden_files_keep_the_world_and_give_the_same_text_twice(tmp_path):
    world = f'# what\t"it" is\n{WORLD}\n\n'
    one = run(contacts=(contact(),), setup=Setup(world, {'rate': 200.0, 'accepted_frames': ['world', 'map']}))
    text = as_golden(one)
    assert text == as_golden(one) and '  materials:\n' in text
    (tmp_path / 'g.yaml').write_text(text)
    back = read_golden(tmp_path / 'g.yaml')
    assert back.setup.world.strip() == world.strip() and back.setup.parameters == one.setup.parameters
    assert changes_of(one.setup, back.setup) == () and compare(one, back).changes == ()
    harder_world = replace(one, setup=Setup(HARDER, one.setup.parameters))
    (change,) = compare(back, harder_world).changes
    assert str(change) == 'materials.hard.restitution differs (expected 0.5, actual 0.9)'


@pytest.mark.parametrize('world', ['a: "\x07"', 'a: 1\u2028b: 2', 'a: 1\rb: 2', 'a: 1\n' * MOST_WORLD, ' \n'])
def test_worlds_that_a_golden_file_cannot_hold_are_left_out(world, tmp_path):
    text = as_golden(run(setup=Setup(world, {})))
    assert 'world: |' not in text
    (tmp_path / 'g.yaml').write_text(text)
    assert read_golden(tmp_path / 'g.yaml').setup == Setup()


def test_diff_writes_the_page_and_junit_begins_with_the_cause(tmp_path, capsys):
    expected, actual = harder()
    for name, one in (('a', expected), ('b', actual)):
        write_bag(tmp_path / name, one.trajectories, one.contacts)
    page, junit = tmp_path / 'r.html', tmp_path / 'r.xml'
    words = ['diff', str(tmp_path / 'a'), str(tmp_path / 'b'), '--report', str(page), '--junit', str(junit)]
    assert cli.main(words) == 1
    told = capsys.readouterr().out
    assert f'DIFFERENT: {FIRST}' in told and Page(page.read_text()).texts[0].startswith(FIRST[:40])
    cases = ElementTree.parse(junit).getroot()[0].findall('testcase')
    assert [c.get('name') for c in cases] == ['d0 - wall', 'd0']
    assert cases[0].find('failure').get('message') == FIRST
    assert cases[1].find('failure').get('message').endswith('; follows from d0 - wall at 1.000 s, impulse +20 %')
    before = page.read_bytes()
    assert as_json(compare(*harder(setup=Setup(HARDER, {})))).count('"key": "materials.hard.restitution"') == 1
    assert cli.main(words) == 1 and page.read_bytes() == before
    words[2] = str(tmp_path / 'nowhere')
    assert cli.main(words) == 2 and Page(page.read_text()).texts[0].startswith('cannot be compared: ')
    words[2], words[4] = words[1], str(tmp_path / 'no' / 'r.html')
    assert cli.main(words) == 2 and 'report not written' in capsys.readouterr().err
