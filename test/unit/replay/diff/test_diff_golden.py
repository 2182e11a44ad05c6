# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Golden files: what is kept, how it reads, and that mistakes in them are named."""
import numpy as np
import pytest
import yaml
from diff_runs import START, contact, line, run, ticks, yawed
from numpy.testing import assert_allclose, assert_array_equal

from hakoniwa_rigid.codec.message_fields import NANOSECONDS as NS
from hakoniwa_rigid.replay.diff.compare import compare
from hakoniwa_rigid.replay.diff.golden import GoldenOptions, as_golden
from hakoniwa_rigid.replay.diff.golden_reader import read_golden
from hakoniwa_rigid.replay.diff.records import CompareError, Resolution, trajectory
from hakoniwa_rigid.replay.diff.tolerances import ContactTolerance, Tolerances, TrajectoryTolerance, exact

ZERO = Tolerances(ContactTolerance(time=0.0, position=0.0, normal=0.0, impulse=0.0, impulse_relative=0.0, persists=0),
                  TrajectoryTolerance(0.0, 0.0, 0.0, 0.0))


def bumpy(drone='d0', seed=3, duration=4.0):
    """A flight with a kink, numbers with all their digits."""
    rng = np.random.default_rng(seed)
    stamps = ticks(duration) + 123
    t = (stamps - START) / NS
    x = np.column_stack([np.sin(t), np.abs(t - 1.7), rng.normal() + 0 * t])
    return trajectory(drone, stamps, x, yawed(np.cos(t)), '/fleet/states_corrected', 'world')


def odd_contact(at, seed):
    rng = np.random.default_rng(seed)
    normal = rng.normal(size=3)
    vectors = (rng.normal(size=3), normal / np.linalg.norm(normal), rng.normal(size=3), rng.normal(size=3))
    return contact(at, **dict(zip(('position', 'normal', 'impulse', 'total'), (tuple(v.tolist()) for v in vectors),
                                  strict=True)))


def kept(some_run, tmp_path, **options):
    """The run, written and read back."""
    file = tmp_path / 'golden.yaml'
    file.write_text(as_golden(some_run, GoldenOptions(**options)), encoding='utf-8')
    return read_golden(file)


def test_a_run_comes_back_within_its_rounding(tmp_path):
    original = run([bumpy('d0'), bumpy('d1', 4)], tuple(odd_contact(0.3 * k, k) for k in range(5)))
    back = kept(original, tmp_path, decimals=3)
    assert back.resolution == Resolution(0.5e-3, 0.01, 0.02, NS) and back.drones == ('d0', 'd1')
    for one, two in zip(original.trajectories, back.trajectories, strict=True):
        assert (two.drone, two.topic, two.frame) == (one.drone, one.topic, one.frame)
        rows = np.searchsorted(one.stamps, two.stamps)
        assert_array_equal(one.stamps[rows], two.stamps)
        assert_allclose(two.positions, one.positions[rows], atol=0.5001e-3)
        assert_allclose(two.orientations, one.orientations[rows], atol=1.1e-3)
        assert len(rows) < 0.1 * len(one.stamps)
    for one, two in zip(original.contacts, back.contacts, strict=True):
        assert (two.begin_ns, two.end_ns, two.phases, two.kind, two.pair, two.part_a, two.part_b) == (
            one.begin_ns, one.end_ns, one.phases, one.kind, one.pair, one.part_a, one.part_b)
        for key in ('position', 'normal', 'impulse', 'total'):
            assert_allclose(getattr(two, key), getattr(one, key), atol=0.5001e-3)


@pytest.mark.parametrize('decimals', [1, 3, 6, 12])
def test_rounding_and_thinning_are_excused_whatever_the_tolerance(tmp_path, decimals):
    original = run([bumpy()], tuple(odd_contact(0.3 * k, k) for k in range(5)))
    back = kept(original, tmp_path, decimals=decimals)
    for a, b in ((original, back), (back, original), (back, back)):
        report = compare(a, b, ZERO)
        assert report.equal, report.differences


def test_kept_poses_are_held_to_the_tolerance_others_to_the_thinning_as_well(tmp_path):
    """Moved by 5 mm: beyond 1 mm at the kept poses; between them it could be the thinning."""
    original = run([bumpy()])
    back = kept(original, tmp_path)
    t = original.trajectories[0]
    moved = trajectory('d0', t.stamps, t.positions + (0.005, 0.0, 0.0), t.orientations, t.topic, t.frame)
    (difference,) = compare(run([moved]), back).differences
    assert difference.quantity == 'APE translation' and difference.at_ns == t.stamps[0]
    assert difference.limit == pytest.approx(1e-3, rel=0.01)


def test_the_file_is_small_and_says_what_it_is(tmp_path):
    text = as_golden(run([line(stamps=ticks(duration=10.0))], (contact(phases='B' + 300 * 'P' + 'E'),)))
    assert len(text) < 1500
    data = yaml.safe_load(text)
    assert data['format'] == 'hakoniwa_rigid golden 1' and data['origin'] == '100 s'
    assert data['thinned'] == {'translation': 0.01, 'rotation': 0.02, 'gap': 1.0}
    assert data['contacts'] == [{
        'bodies': ['d0', 'wall'], 'parts': ['body', 'face'], 'kind': 'drone_wall', 'phases': 'B 300P E', 'begin': '1 s',
        'end': '1.1 s', 'impulse': '-0.5 0.1 0', 'total': '-0.6 0.1 0', 'normal': '1 0 0', 'position': '1 2 0.5'}]
    (flight,) = data['trajectories']
    rows = flight['poses'].splitlines()
    assert rows[0] == '0 0 0 0 0 0 0 1' and rows[-1] == '10 10 0 0 0 0 0 1' and len(rows) == 21


@pytest.mark.parametrize('name', ['yes', '1.5', 'Drone-1', 'a: b', "it's", '#x', 'ドローン', '- d', 'two  blanks ',
                                  '"', '{x}'])
def test_any_name_comes_back(tmp_path, name):
    original = run([line(name, frame=name, topic=name)], (contact(body_a=name, part_b=name),))
    back = kept(original, tmp_path)
    assert compare(original, back).equal
    assert (back.trajectories[0].drone, back.contacts[0].part_b) == (name, name)


def test_what_is_no_number_comes_back(tmp_path):
    t = bumpy()
    x = t.positions.copy()
    x[40] = np.nan
    original = run([trajectory('d0', t.stamps, x, t.orientations, t.topic, t.frame)],
                   (contact(impulse=(np.nan, np.inf, -np.inf)), contact(2.0, kind=77, end_ns=None, phases='B')))
    assert compare(original, kept(original, tmp_path)).equal


def test_a_drone_on_two_topics_is_kept_once(tmp_path):
    other = line(topic='/d0/odom_corrected')
    back = kept(run([other, line()]), tmp_path)
    assert [t.topic for t in back.trajectories] == ['/fleet/states_corrected']
    report = compare(run([other, line()]), back)
    assert report.equal and 'expected: not compared, because only here: /d0/odom_corrected' in report.notes


def test_no_contacts_and_contacts_not_recorded_are_distinguished(tmp_path):
    assert kept(run(contacts=()), tmp_path).contacts == ()
    assert kept(run(contacts=None), tmp_path).contacts is None


def test_what_cannot_be_made_golden(tmp_path):
    with pytest.raises(CompareError, match='nothing to keep'):
        as_golden(run([], None))
    back = kept(run(), tmp_path)
    with pytest.raises(CompareError, match='golden file already'):
        as_golden(back)
    with pytest.raises(CompareError, match='no bits to compare'):
        compare(run(), back, exact())


@pytest.mark.parametrize('change, words', [
    (('golden 1', 'golden 9'), ("format: must be 'hakoniwa_rigid golden 1'", 'golden 9')),
    (('origin: 100 s', 'origin: 100 h'), ('origin: must be a time', '100 h')),
    (('begin: 1 s', 'begin: 1e400000000 s'), ('contacts[0].begin', 'must be a time')),
    (('begin: 1 s', 'begin: nan s'), ('contacts[0].begin', 'must be a time')),
    (('normal: 1 0 0', 'normal: 1 0'), ('contacts[0].normal', 'three numbers', "'1 0'")),
    (('phases: BPE', 'phases: BXE'), ('contacts[0].phases', "'BXE'")),
    (('phases: BPE', 'phases: 9999999P'), ('contacts[0].phases', '9999999P')),
    (('kind: drone_wall', 'kind: drone_ship'), ('contacts[0].kind', 'drone_ship')),
    (('bodies: [d0, wall]', 'bodies: [d0]'), ('contacts[0].bodies', 'two names')),
    (('      0 0 0 0 0 0 0 1', '      0 0 0 0 0 0 1'), ('trajectories[0].poses[0]', 'eight numbers')),
    (('decimals: 6', 'decimals: 6\nextra: 1'), ('extra: unknown key',)),
    (('gap: 1.0', 'gap: 0'), ('thinned.gap', '> 0')),
])
def test_mistakes_are_named(tmp_path, change, words):
    text = as_golden(run(contacts=(contact(),)))
    assert change[0] in text
    file = tmp_path / 'bad.yaml'
    file.write_text(text.replace(*change, 1))
    with pytest.raises(CompareError) as caught:
        read_golden(file)
    for word in ('bad.yaml', *words):
        assert word in str(caught.value)
