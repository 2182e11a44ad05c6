# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What holds for any two runs: a run equals itself, and it does not matter which is called A."""
import numpy as np
from diff_runs import START, contact, run
from hypothesis import given, settings
from hypothesis import strategies as st

from hakoniwa_rigid.replay.diff.compare import compare
from hakoniwa_rigid.replay.diff.golden import as_golden
from hakoniwa_rigid.replay.diff.golden_reader import read_golden
from hakoniwa_rigid.replay.diff.records import CompareError, contacts_of, trajectory
from hakoniwa_rigid.replay.diff.report_files import as_json, as_junit
from hakoniwa_rigid.replay.diff.text import as_text
from hakoniwa_rigid.replay.diff.tolerances import ContactTolerance, Tolerances, exact

NUMBER = st.floats(-50, 50) | st.sampled_from([0.0, np.nan, np.inf, 1e-300, 1e200])
VECTOR = st.tuples(NUMBER, NUMBER, NUMBER)
NORMAL = st.sampled_from([(1.0, 0.0, 0.0), (0.6, 0.0, -0.8), (np.nan,) * 3])
NAMES = st.sampled_from(['d0', 'd1', 'wall'])


@st.composite
def trajectories(draw):
    count = draw(st.integers(0, 12))
    stamps = START + np.array(draw(st.lists(st.integers(0, 400), min_size=count, max_size=count)), dtype=int) * 10**7
    rows = draw(st.lists(st.tuples(*[NUMBER] * 7), min_size=count, max_size=count))
    table = np.array(rows, dtype=float).reshape(count, 7)
    return trajectory(draw(NAMES), stamps, table[:, :3], table[:, 3:], draw(st.sampled_from(['/a', '/b'])), 'world')


@st.composite
def contacts(draw):
    return contact(draw(st.integers(0, 100)) * 0.01, body_a=draw(NAMES), body_b=draw(NAMES), position=draw(VECTOR),
                   normal=draw(NORMAL), impulse=draw(VECTOR), total=draw(VECTOR), part_a=draw(st.sampled_from('xy')),
                   phases=draw(st.sampled_from(['B', 'BE', 'BPPE', 'P', 'E'])))


@st.composite
def runs(draw):
    flights = {(t.drone, t.topic): t for t in draw(st.lists(trajectories(), max_size=4))}
    touches = draw(st.none() | st.lists(contacts(), max_size=6))
    touches = None if touches is None else tuple(sorted(touches, key=lambda c: c.begin_ns))
    return run(flights.values(), touches)


def verdict(a, b, tolerances):
    """(exit code, what differs where and when), without who it is that lacks it."""
    try:
        report = compare(a, b, tolerances)
    except CompareError:
        return 2, []
    for reported in (as_text, as_json, as_junit):
        reported(report)
    return report.exit_code, sorted((d.at_ns, d.where, d.quantity.removesuffix(' expected').removesuffix(' actual'))
                                    for d in report.differences)


@given(runs(), st.booleans())
@settings(max_examples=60)
def test_a_run_equals_itself(one, to_the_bit):
    nothing = not one.trajectories and one.contacts is None
    assert verdict(one, one, exact() if to_the_bit else Tolerances()) == (2 if nothing else 0, [])


@given(runs(), runs(), st.sampled_from([Tolerances(), exact(), Tolerances(ContactTolerance(window=0.5, impulse=9.0))]))
@settings(max_examples=60)
def test_swapping_sides_keeps_the_verdict(a, b, tolerances):
    assert verdict(a, b, tolerances) == verdict(b, a, tolerances)


@given(one=runs())
@settings(max_examples=50)
def test_a_run_equals_its_golden_file(one, tmp_path_factory):
    if not any(len(t.stamps) for t in one.trajectories) and one.contacts is None:
        return
    file = tmp_path_factory.mktemp('golden') / 'golden.yaml'
    file.write_text(as_golden(one))
    drawn = [t for t in one.trajectories if len(t.stamps)]
    report = compare(run(drawn, one.contacts), read_golden(file))
    assert report.equal, report.differences


def test_no_events_are_no_contacts():
    assert contacts_of([]) == ()
