# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""hakoniwa-rigid diff, from bags to exit codes: what it prints and writes, and what it says when something is wrong."""
import builtins
import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from diff_runs import EVENTS, FLEET, START, TICK, contact, line, run, ticks, write_bag
from numpy.testing import assert_array_equal

from hakoniwa_rigid import cli
from hakoniwa_rigid.codec.message_fields import NANOSECONDS as NS
from hakoniwa_rigid.replay.diff.compare import compare
from hakoniwa_rigid.replay.diff.load import load_run
from hakoniwa_rigid.replay.diff.records import CompareError, run_of_fleet, trajectory
from hakoniwa_rigid.replay.diff.report_files import as_json, as_junit
from hakoniwa_rigid.replay.diff.text import as_text
from hakoniwa_rigid.replay.diff.tolerances import exact
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.scene.records import ContactEventRecord, Kind, Phase

PNG = b'\x89PNG\r\n\x1a\n'
SHORT = ticks(duration=1.5)
FLIGHTS = (line('d0', SHORT), line('d1', SHORT, offset=(0.0, 3.0, 0.0), yaw=0.7))
TOUCHES = (contact(0.4), contact(0.9, body_a='d1'))


@pytest.fixture(scope='module')
def bags(tmp_path_factory):
    """Folder of bags: `a`; `same`; `later` with one contact and half the flight of d0 changed."""
    folder = tmp_path_factory.mktemp('bags')
    positions = FLIGHTS[0].positions.copy()
    positions[160:, 1] += 0.02
    write_bag(folder / 'a', FLIGHTS, TOUCHES)
    write_bag(folder / 'same', FLIGHTS, TOUCHES)
    write_bag(folder / 'later', (replace(FLIGHTS[0], positions=positions), FLIGHTS[1]),
              (replace(TOUCHES[0], impulse=(-0.5, 0.3, 0.0)), TOUCHES[1]))
    return folder


def diff(capsys, *arguments):
    """(exit code, stdout, stderr)."""
    code = cli.main(['diff', *map(str, arguments)])
    return code, *capsys.readouterr()


def test_a_bag_comes_back_as_it_was(bags):
    found = load_run(bags / 'a')
    assert found.contacts == TOUCHES and found.drones == ('d0', 'd1') and found.notes == ()
    for one, two in zip(FLIGHTS, found.trajectories, strict=True):
        assert (two.drone, two.topic, two.frame) == (one.drone, FLEET, 'world')
        for key in ('stamps', 'positions', 'orientations'):
            assert_array_equal(getattr(two, key), getattr(one, key))
    assert [t.topic for t in found.bytes] == [EVENTS, FLEET]


def test_a_run_in_memory_is_compared_without_a_bag(bags):
    """As a replay has it: arrays of the fleet, and the scene's records of events."""
    nothing = (0.0, 0.0, 0.0)
    events = [ContactEventRecord(
        stamp_ns=stamp, id=number, phase=Phase(phase), kind=Kind.DRONE_WALL, body_a=c.body_a, body_b=c.body_b,
        part_a=c.part_a, part_b=c.part_b, position=c.position, normal=c.normal, depth=0.0,
        impulse=c.total if phase == 2 else c.impulse, peak_force=1.0, duration=0.1, relative_velocity_before=nothing,
        relative_velocity_after=nothing, restitution=0.5, friction=0.5, delta_v_a=nothing, delta_v_b=nothing,
        delta_omega_a=nothing, delta_omega_b=nothing, energy_lost=0.0)
        for number, c in enumerate(TOUCHES)
        for phase, stamp in enumerate((c.begin_ns, (c.begin_ns + c.end_ns) // 2, c.end_ns))]
    positions, orientations = (np.stack([getattr(t, key) for t in FLIGHTS], axis=1)
                               for key in ('positions', 'orientations'))
    ours = run_of_fleet('memory', ['d0', 'd1'], SHORT, positions, orientations, events)
    assert ours.contacts == TOUCHES
    report = compare(ours, load_run(bags / 'a'), exact())
    assert report.equal and not report.topics and 'bytes of messages are not at hand' in report.notes[0]
    assert not compare(ours, load_run(bags / 'later')).equal


def test_odometry_and_fleet_are_the_same_run(bags, tmp_path, capsys):
    write_bag(tmp_path / 'odom', FLIGHTS, TOUCHES, fleet=False)
    code, out, _ = diff(capsys, bags / 'a', tmp_path / 'odom')
    assert code == 0 and out.splitlines()[3] == 'EQUAL within tolerances: 2 trajectories, 2 contacts'


def test_equal_bags(bags, capsys):
    for how in ([], ['--exact']):
        code, out, err = diff(capsys, bags / 'a', bags / 'same', *how)
        assert (code, err) == (0, '') and 'EQUAL' in out


def test_different_bags(bags, capsys):
    code, out, err = diff(capsys, bags / 'a', bags / 'later')
    assert (code, err) == (1, '')
    lines = out.splitlines()
    assert lines[3] == ('DIFFERENT: first divergence: d0 - wall at 0.400 s, impulse off by 0.2 N s; '
                        'what follows is its consequence')
    assert lines[4].endswith(' beyond tolerance')
    assert lines[5] == 'first at 0.4000 s (stamp 100.4): d0 - wall (body - face)'
    assert lines[6] == ('  impulse differs by 0.2 N s, allowed 0.000683: '
                        'expected (-0.5, 0.1, 0), actual (-0.5, 0.3, 0)')
    assert 'd0: APE translation 0.02 m, allowed 0.001' in out


def test_a_byte_that_no_tolerance_looks_at_is_found_by_exact(bags, tmp_path, capsys):
    """q and -q are the same rotation, in other bytes."""
    poses = FLIGHTS[0].orientations.copy()
    poses[200] *= -1.0   # the same rotation
    write_bag(tmp_path / 'b', (replace(FLIGHTS[0], orientations=poses), FLIGHTS[1]), TOUCHES)
    assert diff(capsys, bags / 'a', tmp_path / 'b')[0] == 0
    code, out, _ = diff(capsys, bags / 'a', tmp_path / 'b', '--exact')
    assert code == 1 and 'message 201 is the first that differs; 1 of 301 do' in out


def test_golden_file_and_back(bags, tmp_path, capsys):
    golden = tmp_path / 'golden.yaml'
    code, out, _ = diff(capsys, bags / 'a', '--write-golden', golden)
    assert code == 0 and str(golden) in out and golden.stat().st_size < 2000
    assert diff(capsys, bags / 'a', golden)[0] == diff(capsys, golden, bags / 'same')[0] == 0
    code, out, _ = diff(capsys, bags / 'later', golden)
    assert code == 1 and 'note: actual: golden file, rounded to 1e-06' in out
    code, _, err = diff(capsys, bags / 'a', golden, '--exact')
    assert code == 2 and 'golden' in err


def test_tolerances_decide(bags, tmp_path, capsys):
    file = tmp_path / 'tol.yaml'
    file.write_text('trajectories: {ape_translation: 0.05, rpe_translation: 0.05}\n'
                    'overrides: [{pair: [d0, wall], contacts: {impulse: 1}}]')
    assert diff(capsys, bags / 'a', bags / 'later', '--tol', file)[0] == 0
    file.write_text('contacts: {impuls: 1}')
    code, _, err = diff(capsys, bags / 'a', bags / 'later', '--tol', file)
    assert code == 2 and "did you mean 'impulse'" in err


def test_json(bags, tmp_path, capsys):
    file = tmp_path / 'r.json'
    diff(capsys, bags / 'a', bags / 'later', '--json', file)
    data = json.loads(file.read_text(), parse_constant=pytest.fail)
    assert data['verdict'] == 'different' and data['first']['quantity'] == 'impulse'
    assert data['first']['at_ns'] == START + 400_000_000
    d0, d1 = data['trajectories']
    assert d0['ape_translation']['max'] == pytest.approx(0.02) and d1['differences'] == []
    assert data['pairs'][0]['matches'][0]['actual']['impulse'] == [-0.5, 0.3, 0.0]


def test_junit(bags, tmp_path, capsys):
    """What the schemas ask: see report_files."""
    file = tmp_path / 'r.xml'
    diff(capsys, bags / 'a', bags / 'later', '--junit', file)
    root = ElementTree.fromstring(file.read_bytes())
    assert root.tag == 'testsuites' and not root.attrib
    (suite,) = root
    assert suite.attrib == {'id': '0', 'package': 'hakoniwa_rigid', 'name': 'hakoniwa_rigid.diff', 'tests': '4',
                            'failures': '2', 'errors': '0', 'time': '0', 'hostname': 'localhost',
                            'timestamp': '1970-01-01T00:01:40'}
    assert [c.tag for c in suite] == ['properties', *['testcase'] * 4, 'system-out', 'system-err']
    cases = suite.findall('testcase')
    assert [(c.get('classname'), c.get('name'), c.get('time')) for c in cases] == [
        ('hakoniwa_rigid.diff.contacts', 'd0 - wall', '0'), ('hakoniwa_rigid.diff.trajectory', 'd0', '0'),
        ('hakoniwa_rigid.diff.trajectory', 'd1', '0'), ('hakoniwa_rigid.diff.contacts', 'd1 - wall', '0')]
    assert [[f.get('type') for f in c] for c in cases] == [['impulse'], ['APE translation'], [], []]
    assert '0.4 s  d0 - wall (body - face): impulse differs by 0.2 N s' in cases[0][0].text


def test_reports_hold_any_name():
    """Names with what XML cannot hold, and numbers that JSON has not."""
    name = 'd\x00\x1b<&">\n'
    report = compare(run([line(name)], (contact(body_a=name, total=(np.inf, 0.0, 0.0)),)), run([line(name)], ()))
    root = ElementTree.fromstring(as_junit(report))
    assert [case.get('name') for case in root[0].findall('testcase')] == [f'd\ufffd\ufffd<&">{more}'
                                                                          for more in (' - wall', '')]
    data = json.loads(as_json(report), parse_constant=pytest.fail)
    assert data['first']['error'] == 'inf' and data['pairs'][0]['body_a'] == name
    assert 'only in expected' in as_text(report)


def test_equal_reports_are_equal_bytes(bags, tmp_path, capsys):
    for k in '12':
        diff(capsys, bags / 'a', bags / 'later', '--json', tmp_path / f'{k}.json', '--junit', tmp_path / f'{k}.xml')
    for kind in ('json', 'xml'):
        assert (tmp_path / f'1.{kind}').read_bytes() == (tmp_path / f'2.{kind}').read_bytes()


def test_picture(bags, tmp_path, capsys, monkeypatch):
    pytest.importorskip('matplotlib')
    file = tmp_path / 'p.png'
    code, out, _ = diff(capsys, bags / 'a', bags / 'same', '--plot', file)
    assert code == 0 and not file.exists() and 'nothing differs' in out
    code, out, _ = diff(capsys, bags / 'a', bags / 'later', '--plot', file)
    assert code == 1 and file.read_bytes().startswith(PNG) and f'picture: {file}' in out
    code, _, err = diff(capsys, bags / 'a', bags / 'later', '--plot', tmp_path / 'no' / 'p.png')
    assert code == 1 and 'picture not written' in err


def test_without_matplotlib_the_verdict_is_still_good(bags, tmp_path, capsys, monkeypatch):
    original = builtins.__import__

    def without(name, *rest):
        if name.startswith('matplotlib'):
            raise ImportError(name)
        return original(name, *rest)
    monkeypatch.setattr(builtins, '__import__', without)
    code, _, err = diff(capsys, bags / 'a', bags / 'later', '--plot', tmp_path / 'p.png')
    assert code == 1 and 'pip install' in err and not (tmp_path / 'p.png').exists()


def test_different_drones(bags, tmp_path, capsys):
    write_bag(tmp_path / 'b', (FLIGHTS[0], replace(FLIGHTS[1], drone='d9')), TOUCHES)
    code, out, _ = diff(capsys, bags / 'a', tmp_path / 'b')
    assert code == 1
    assert f'd1\n  only in expected: 301 samples on {FLEET}' in out
    assert f'd9: only in actual: 301 samples on {FLEET}' in out


def test_nan_in_a_bag(bags, tmp_path, capsys):
    positions = FLIGHTS[1].positions.copy()
    positions[100] = np.nan
    flights = (FLIGHTS[0], trajectory('d1', SHORT, positions, FLIGHTS[1].orientations, FLEET, 'world'))
    write_bag(tmp_path / 'b', flights, TOUCHES)
    code, out, _ = diff(capsys, bags / 'a', tmp_path / 'b')
    assert code == 1 and 'note: actual: d1: 1 of 301 samples are no pose' in out
    assert 'first at 0.5000 s (stamp 100.5): d1' in out
    assert diff(capsys, tmp_path / 'b', tmp_path / 'b', '--exact')[0] == 0


def test_runs_that_cannot_be_compared(bags, tmp_path, capsys):
    write_bag(tmp_path / 'empty')
    write_bag(tmp_path / 'other', (line('x9', SHORT),))
    (tmp_path / 'text.mcap').write_text('this is no bag')
    (tmp_path / 'whole.yaml').write_text('- 1')
    for name, words in (('empty', 'no corrected states'), ('other', 'nothing in common'), ('text.mcap', 'text.mcap'),
                        ('whole.yaml', 'mapping'), ('nowhere', 'nowhere'), ('nowhere.yaml', 'cannot be read')):
        for pair in ([bags / 'a', tmp_path / name], [tmp_path / name, bags / 'a']):
            code, out, err = diff(capsys, *pair, '--junit', tmp_path / 'r.xml', '--json', tmp_path / 'r.json')
            assert (code, out) == (2, ''), name
            assert words in err and err.startswith('error: ') and err.count('\n') == 1
            root = ElementTree.fromstring((tmp_path / 'r.xml').read_bytes())
            assert root[0].get('errors') == '1' and words in root.find('.//error').get('message')
            assert json.loads((tmp_path / 'r.json').read_text())['verdict'] == 'incomparable'


def test_runs_of_other_times_cannot_be_compared(bags, tmp_path, capsys):
    later = tuple(replace(t, stamps=t.stamps + 3600 * NS) for t in FLIGHTS)
    write_bag(tmp_path / 'b', later)
    code, _, err = diff(capsys, bags / 'a', tmp_path / 'b')
    assert code == 2 and 'no time in common' in err and 'from 100 to 101.5 s' in err and 'from 3700 to' in err


def test_a_drone_on_two_topics_has_two_cases_of_its_own(tmp_path, capsys):
    both = run([line(), line(topic='/d0/odom_corrected', velocity=(1.0, 0.1, 0.0))])
    report = compare(both, run([line(), line(topic='/d0/odom_corrected')]))
    names = ['d0 on /d0/odom_corrected', f'd0 on {FLEET}']
    assert [c.get('name') for c in ElementTree.fromstring(as_junit(report)).iter('testcase')] == names
    assert {d.where for d in report.differences} == {names[0]}


def test_contacts_that_were_not_recorded_are_noted(bags, tmp_path, capsys):
    write_bag(tmp_path / 'b', FLIGHTS)
    code, out, _ = diff(capsys, bags / 'a', tmp_path / 'b')
    assert code == 1 and 'note: actual: contact events were not recorded; taken as none' in out


def test_a_cut_off_bag_is_no_equal(bags, tmp_path, capsys):
    """Read up to where it is whole, with a note, or refused: never equal."""
    (source,) = (bags / 'a').glob('*.mcap')
    file = tmp_path / 'cut.mcap'
    file.write_bytes(source.read_bytes()[:source.stat().st_size * 2 // 3])
    assert diff(capsys, bags / 'a', file)[0] in (1, 2)


def test_reports_that_cannot_be_written_are_no_success(bags, tmp_path, capsys):
    where = tmp_path / 'no' / 'r.xml'
    code, out, err = diff(capsys, bags / 'a', bags / 'same', '--junit', where)
    assert code == 2 and 'EQUAL' in out and f'error: {where}: report not written' in err
    assert diff(capsys, bags / 'a', bags / 'later', '--junit', where)[0] == 1
    assert diff(capsys, bags / 'a', '--write-golden', tmp_path / 'no' / 'g.yaml')[0] == 2
    assert not list(tmp_path.iterdir())


def test_states_under_other_names(bags, tmp_path, capsys):
    with pytest.raises(CompareError, match='/nowhere'):
        load_run(bags / 'a', ['/nowhere'])
    code, _, err = diff(capsys, bags / 'a', bags / 'same', '--topic', '/nowhere')
    assert code == 2 and EVENTS in err and FLEET in err


@pytest.mark.parametrize('arguments', [[], ['a', 'b', '--tol', 't', '--exact'], ['a', '--decimals', '0'],
                                       ['a', '--golden-error', 'nan']])
def test_wrong_usage_exits_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        diff(capsys, *arguments)
    assert caught.value.code == 2


def test_one_run_is_not_enough(bags, capsys):
    code, _, err = diff(capsys, bags / 'a')
    assert code == 2 and 'EXPECTED and ACTUAL' in err


def test_a_fleet_message_of_the_wrong_length_is_refused(tmp_path):
    t = line('d0', SHORT[:3])
    broken = replace(t, positions=np.zeros((3, 2)))
    write_bag(tmp_path / 'b', (broken,))
    with pytest.raises(BagError, match=r'1 names need 3 positions .* got 2'):
        load_run(tmp_path / 'b')


def test_stamps_of_zero_are_replaced_by_the_time_of_recording(tmp_path):
    t = line('d0', SHORT[:3])
    write_bag(tmp_path / 'b', (t,), unstamped=True)
    found = load_run(tmp_path / 'b')
    assert_array_equal(found.trajectories[0].stamps, START + TICK * np.arange(3))
    assert found.notes == ('3 states without a stamp: their time of recording was taken',)
