# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""diff and golden files for a stranger: bags that differ by one hand-made thing each, and what is printed."""
from __future__ import annotations

import difflib
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, replace

import numpy as np
import pytest
from foreign_bags import NS, STORE, Said, T, header, said, vector, write

from hakoniwa_rigid.cli import main

START = 1_700_000_000 * NS
RATE = 40    # Hz
KIND = 'hakoniwa_rigid/msg/ContactEvent'


@dataclass(frozen=True)
class Hit:
    """A contact of d0 with the floor; s, N s, m."""

    at: float = 1.0
    lasts: float = 0.2
    impulse: tuple = (0.0, 0.0, -0.8)
    normal: tuple = (0.0, 0.0, -1.0)
    position: tuple = (1.0, 0.0, 0.0)
    other: str = 'floor'
    number: int = 1


def event(hit: Hit, phase: int, stamp: int):
    zero = vector((0, 0, 0))
    nothing = dict.fromkeys(('relative_velocity_before', 'relative_velocity_after', 'delta_v_a', 'delta_v_b',
                             'delta_omega_a', 'delta_omega_b'), zero)
    return T[KIND](header=header(stamp), id=hit.number, phase=phase, kind=1, body_a='d0', body_b=hit.other,
                   part_a='body', part_b='', position=vector(hit.position, 'Point'), normal=vector(hit.normal),
                   impulse=vector(hit.impulse), depth=0.0, peak_force=1.0, duration=hit.lasts, restitution=0.5,
                   friction=0.5, energy_lost=0.0, **nothing)


def recorded(hits=(Hit(),), shift=(0.0, 0.0, 0.0), seconds=3.0, names=('d0', 'd1'), late=0):
    """The messages of a run: FleetStates, d0 shifted (m) from 2 s on, and the events."""
    found = []
    for k in range(int(seconds * RATE)):
        t = k / RATE
        places = np.array([[t, 0.0, 1.0], [0.0, 2.0, 1.0 + 0.1 * np.sin(t)]])[:len(names)]
        if t >= 2.0:
            places[0] += shift
        n = len(names)
        found.append(said('/fleet/states_corrected', START + late + k * NS // RATE, 'hakoniwa_rigid/msg/FleetState',
                          names=list(names), positions=places.ravel(), orientations=np.array([0, 0, 0, 1.0] * n),
                          linear_velocities=np.zeros(3 * n), angular_velocities=np.zeros(3 * n),
                          flags=np.zeros(n, np.uint8)))
    for hit in hits:
        for phase, at in ((0, hit.at), (2, hit.at + hit.lasts)):
            stamp = START + late + round(at * NS)
            found.append(said('/contact_events', stamp, 'hakoniwa_rigid/msg/ContactEventArray',
                              events=[event(hit, phase, stamp)]))
    return sorted(found, key=lambda m: m.stamp)


@pytest.fixture(scope='module')
def base(tmp_path_factory):
    return write(tmp_path_factory.mktemp('base') / 'run', recorded())


def compared(a, b, capsys, *words):
    code = main(['diff', str(a), str(b), *words])
    said_now = capsys.readouterr()
    return code, said_now.out + said_now.err


HIT = Hit()
NEAR = replace(HIT, at=2.2, number=2)
DIFFERENCES = {
    'nothing': (recorded(), 0, ''),
    'another id': (recorded((replace(HIT, number=77),)), 0, ''),
    'impulse within its tolerance': (recorded((replace(HIT, impulse=(0, 0, -0.8005)),)), 0, ''),
    'impulse': (recorded((replace(HIT, impulse=(0, 0, -0.85)),)), 1, 'impulse differs by 0.05'),
    'impulse turned': (recorded((replace(HIT, impulse=(0.1, 0, -0.8)),)), 1, 'impulse differs by 0.1'),
    'time within its tolerance': (recorded((replace(HIT, at=1.0009, lasts=0.1991),)), 0, ''),
    'time': (recorded((replace(HIT, at=1.01),)), 1, 'begin'),
    'end': (recorded((replace(HIT, lasts=0.3),)), 1, 'end'),
    'normal': (recorded((replace(HIT, normal=(0.0998334, 0, -0.9950042)),)), 1, 'normal'),
    'position': (recorded((replace(HIT, position=(1.0, 0.01, 0.0)),)), 1, 'position'),
    'missing': (recorded(()), 1, 'only'),
    'one more': (recorded((HIT, NEAR)), 1, 'only'),
    'with another': (recorded((replace(HIT, other='wall'),)), 1, 'd0 - wall'),
    'trajectory within its tolerance': (recorded(shift=(0, 0.0009, 0)), 0, ''),
    'trajectory': (recorded(shift=(0, 0.01, 0)), 1, 'APE translation 0.01 m'),
    'trajectory of NaN': (recorded(shift=(np.nan, 0, 0)), 1, 'd0'),
    'ends early': (recorded(seconds=2.5), 1, 'd0'),
    'a drone less': (recorded(names=('d0',)), 1, 'd1'),
    'other time': (recorded(late=3600 * NS), 2, 'time'),
    'other drones': (recorded((replace(HIT, other='e0'),), names=('e0', 'e1')), 1, 'only in actual'),
}


@pytest.mark.parametrize('what', DIFFERENCES)
def test_one_thing_is_different(base, tmp_path, capsys, what):
    messages, code, words = DIFFERENCES[what]
    other = write(tmp_path / 'other', messages, 'sqlite3')
    found, text = compared(base, other, capsys)
    assert (found, words in text) == (code, True), text
    if what in ('missing', 'trajectory', 'ends early', 'other time'):
        assert compared(other, base, capsys)[0] == code    # whoever comes first


def test_a_tolerance_file_lets_it_pass_or_not(base, tmp_path, capsys):
    other = write(tmp_path / 'other', recorded((replace(HIT, impulse=(0, 0, -0.85)),), shift=(0, 0.01, 0)))
    tol = tmp_path / 'tol.yaml'
    text = 'trajectories: {ape_translation: 0.011, rpe_translation: 0.011}\n'
    tol.write_text(text + 'contacts: {impulse_relative: 0.07}\n')
    assert compared(base, other, capsys, '--tol', str(tol))[0] == 0
    tol.write_text(text + 'contacts: {impulse_relative: 0.05}\n')
    assert compared(base, other, capsys, '--tol', str(tol))[0] == 1
    assert compared(base, other, capsys, '--exact')[0] == 1
    tol.write_text('contacts: {impulse_relativ: 0.05}\n')
    code, text = compared(base, other, capsys, '--tol', str(tol))
    assert code == 2
    assert 'impulse_relativ' in text


@pytest.mark.parametrize('what', ['nothing', 'impulse', 'missing', 'trajectory', 'other time'])
def test_junit_is_what_ci_servers_read(base, tmp_path, capsys, what):
    """By the schema that they share: suites hold cases with name, classname and time; counts are those of the elements;
    a case holds at most one failure or error, with type and message."""
    messages, code, _ = DIFFERENCES[what]
    other, report = write(tmp_path / 'other', messages), tmp_path / 'r.xml'
    assert compared(base, other, capsys, '--junit', str(report))[0] == code
    root = ElementTree.fromstring(report.read_bytes())
    suites = [root] if root.tag == 'testsuite' else list(root)
    assert {s.tag for s in suites} == {'testsuite'}
    bad = 0
    for suite in suites:
        cases = suite.findall('testcase')
        results = [r for c in cases for r in c if r.tag in ('failure', 'error')]
        counts = {'tests': len(cases), 'failures': len(suite.findall('testcase/failure')),
                  'errors': len(suite.findall('testcase/error'))}
        assert {key: int(suite.get(key)) for key in counts} == counts
        assert suite.get('name')
        assert all(c.get('name') and c.get('classname') and float(c.get('time')) >= 0 for c in cases)
        assert len({(c.get('classname'), c.get('name')) for c in cases}) == len(cases)
        assert all(len([r for r in c if r.tag in ('failure', 'error')]) <= 1 for c in cases)
        assert all(r.get('type') and r.get('message') for r in results)
        bad += len(results)
    assert bool(bad) == (code != 0)


# golden files

def golden(bag, path, capsys):
    assert main(['diff', str(bag), '--write-golden', str(path)]) == 0
    capsys.readouterr()
    return path.read_text()


def test_a_golden_file_is_the_same_for_the_same_run(base, tmp_path, capsys):
    """Stored otherwise, with other ids of contacts, under another name, written twice."""
    first = golden(base, tmp_path / 'a.yaml', capsys)
    other = write(tmp_path / 'elsewhere', recorded((replace(HIT, number=9),)), 'sqlite3', 8, 'message')
    assert golden(other, tmp_path / 'b.yaml', capsys) == first
    assert golden(base, tmp_path / 'a.yaml', capsys) == first
    assert compared(tmp_path / 'a.yaml', base, capsys)[0] == 0
    assert compared(base, tmp_path / 'a.yaml', capsys)[0] == 0


def test_a_golden_file_can_be_reviewed(base, tmp_path, capsys):
    """Short lines, few of them, and a change of one contact is a change of few lines, all of that contact."""
    first = golden(base, tmp_path / 'a.yaml', capsys)
    assert max(map(len, first.splitlines())) <= 120
    assert len(first) < 4000
    other = write(tmp_path / 'other', recorded((replace(HIT, impulse=(0, 0, -0.85)),)))
    second = golden(other, tmp_path / 'b.yaml', capsys)
    changed = [line for line in difflib.ndiff(first.splitlines(), second.splitlines()) if line[0] in '+-']
    assert len(changed) == 4
    assert all(re.match(r'[+-] +(impulse|total): 0 0 -0\.8', line) for line in changed)


@pytest.mark.parametrize('what', ['impulse', 'time', 'missing', 'one more', 'trajectory', 'a drone less'])
def test_a_golden_file_finds_what_the_bag_finds(base, tmp_path, capsys, what):
    """The same verdict against the golden file of a run as against the run; a trajectory may be off by 0.01 m more."""
    messages, _, _ = DIFFERENCES[what]
    if what == 'trajectory':
        messages = recorded(shift=(0, 0.03, 0))
    golden(base, tmp_path / 'g.yaml', capsys)
    assert compared(tmp_path / 'g.yaml', write(tmp_path / 'other', messages), capsys)[0] == 1


def test_a_golden_file_is_made_of_a_bag(base, tmp_path, capsys):
    """Thinned twice it would be off twice."""
    golden(base, tmp_path / 'a.yaml', capsys)
    assert main(['diff', str(tmp_path / 'a.yaml'), '--write-golden', str(tmp_path / 'b.yaml')]) == 2
    assert 'make one from the bag' in capsys.readouterr().err
    assert not (tmp_path / 'b.yaml').exists()


def test_two_runs_that_have_nobody_in_common(tmp_path, capsys):
    a = write(tmp_path / 'a', recorded((), names=('d0',)))
    code, text = compared(a, write(tmp_path / 'b', recorded((), names=('e0',))), capsys)
    assert code == 2
    assert 'e0' in text


@pytest.mark.parametrize(('text', 'words'), [
    ('', 'golden'), ('format: hakoniwa_rigid golden 9\n', '9'), ('format: [\n', 'YAML'), ('- 1\n', 'golden')])
def test_what_is_no_golden_file(base, tmp_path, capsys, text, words):
    path = tmp_path / 'g.yaml'
    path.write_text(text)
    code, said_now = compared(path, base, capsys)
    assert code == 2
    assert words in said_now
    assert str(path) in said_now


def test_messages_that_cannot_be_read_are_no_equal(base, tmp_path, capsys):
    """One of the events ends in its middle."""
    messages = [m if m.topic != '/contact_events' else
                Said(*m[:3], bytes(STORE.serialize_cdr(m.message, m.kind))[:60]) for m in recorded()]
    code, text = compared(base, write(tmp_path / 'other', messages), capsys)
    assert code != 0
    assert '/contact_events' in text
