# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Contacts: which are the same, and how far they are apart."""
from dataclasses import replace
from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest
from diff_runs import START, contact, run
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from hakoniwa_rigid.codec.message_fields import NANOSECONDS as NS
from hakoniwa_rigid.replay.diff.compare import compare
from hakoniwa_rigid.replay.diff.contacts import FORBIDDEN, _costs, assign
from hakoniwa_rigid.replay.diff.records import contacts_of, phases_text, seconds
from hakoniwa_rigid.replay.diff.tolerances import ContactTolerance, Override, Tolerances


def pair_of(a, b, **tolerance):
    """The result for the only pair of bodies."""
    tolerances = Tolerances(contacts=ContactTolerance(**tolerance))
    (result,) = compare(run(contacts=tuple(a)), run(contacts=tuple(b)), tolerances).pairs
    return result


def only(a, b, **tolerance):
    """The only difference between two contacts."""
    (difference,) = pair_of([a], [b], **tolerance).differences
    return difference


def turned(normal, angle):
    """A normal in the x y plane, turned by `angle`."""
    c, s = np.cos(angle), np.sin(angle)
    return c * normal[0] - s * normal[1], s * normal[0] + c * normal[1], normal[2]


def test_the_same_contacts_are_equal():
    result = pair_of([contact(), contact(2.0)], [contact(), contact(2.0)])
    assert len(result.matches) == 2 and not result.differences


@pytest.mark.parametrize('factor', [0.9, 1.25])
def test_a_scaled_impulse(factor):
    a = contact()
    difference = only(a, replace(a, impulse=tuple(factor * x for x in a.impulse)))
    size = np.hypot(0.5, 0.1)
    assert difference.quantity == 'impulse' and difference.where == 'd0 - wall (body - face)'
    assert_allclose(difference.error, abs(factor - 1) * size, rtol=1e-12)
    assert_allclose(difference.limit, 1e-4 + 1e-3 * size * max(factor, 1.0), rtol=1e-12)


def test_an_impulse_within_the_relative_part_is_equal():
    a = contact()
    b = replace(a, impulse=tuple(1.05 * x for x in a.impulse))
    assert not pair_of([a], [b], impulse_relative=0.05).differences
    assert pair_of([a], [b], impulse_relative=0.04).differences


def test_the_whole_impulse_is_compared_too():
    a = contact()
    assert_allclose(only(a, replace(a, total=(-0.6, 0.1, 0.3))).error, 0.3, rtol=1e-12)
    assert only(a, replace(a, total=(-0.6, 0.1, 0.3))).quantity == 'whole impulse'


@pytest.mark.parametrize('angle', [1e-6, 0.01, 1.0, 3.0])
def test_a_turned_normal(angle):
    a = contact()
    difference = only(a, replace(a, normal=turned(a.normal, angle)), normal=0.5 * angle)
    assert difference.quantity == 'normal'
    assert_allclose(difference.error, angle, rtol=1e-9)


def test_a_shifted_place():
    a = contact()
    difference = only(a, replace(a, position=(1.0, 2.03, 0.54)))
    assert difference.quantity == 'position'
    assert_allclose(difference.error, 0.05, rtol=1e-12)


def test_a_shift_in_time():
    a = contact(1.0)
    found = {d.quantity: d for d in pair_of([a], [contact(1.004)]).differences}
    assert set(found) == {'begin', 'end'}
    assert_allclose([found['begin'].error, found['end'].error], 0.004, rtol=1e-12)
    assert found['begin'].text.endswith('expected 1, actual 1.004')
    assert not pair_of([a], [contact(1.001)]).differences    # one step of the engine


def test_missing_and_extra():
    for a, b, side in (([contact()], [], 'expected'), ([], [contact()], 'actual')):
        result = pair_of(a, b)
        (difference,) = result.differences
        assert difference.quantity == f'only in {side}' and difference.error == np.inf
        assert (len(result.missing), len(result.extra)) == (len(a), len(b))
    far = pair_of([contact(1.0)], [contact(1.2)])
    assert [d.quantity for d in far.differences] == ['only in expected', 'only in actual']


def test_grazes_may_be_missing_where_that_is_said():
    graze = contact(total=(0.0, 0.0, 1e-3))
    assert pair_of([graze], []).differences
    assert not pair_of([graze], [], negligible=2e-3).differences
    assert pair_of([contact()], [], negligible=2e-3).differences


def test_phases():
    a = contact(phases='BPPE')
    assert not pair_of([a], [replace(a, phases='BPE')]).differences
    assert only(a, replace(a, phases='BE')).quantity == 'persists'
    assert only(a, replace(a, phases='BPP', end_ns=None)).quantity == 'phases'
    assert only(a, replace(a, kind=3)).text == 'kind differs: expected drone_wall, actual drone_object'


def test_the_nearest_first_would_lose_one():
    """A at 0 and 30 ms, B at 20 and 60 ms, window 50 ms: taking the nearest (30, 20) leaves 0 and 60 alone."""
    a, b = [contact(0.0), contact(0.03)], [contact(0.02), contact(0.06)]
    assert assign(a, b, ContactTolerance()) == [(0, 0), (1, 1)]


def test_contacts_that_change_places_in_time_are_distinguished_by_what_they_are():
    """Two parts of a drone touch in the other order: 2 ms apart, with normals of their own, parts not named."""
    left = {'normal': (0.0, 1.0, 0.0), 'impulse': (0.0, -0.3, 0.0), 'part_a': ''}
    right = {'normal': (0.0, -1.0, 0.0), 'impulse': (0.0, 0.9, 0.0), 'part_a': ''}
    a = [contact(1.0, **left), contact(1.002, **right)]
    b = [contact(1.0005, **right), contact(1.0015, **left)]
    assert assign(a, b, ContactTolerance()) == [(0, 1), (1, 0)]


def test_parts_are_matched_where_both_sides_name_them():
    a, b = contact(part_a='rotor_1'), contact(part_a='rotor_2')
    assert [d.quantity for d in pair_of([a], [b]).differences] == ['only in expected', 'only in actual']
    assert not pair_of([a], [b], parts=False).differences
    assert not pair_of([a], [replace(b, part_a='')]).differences


TIMES = st.lists(st.integers(0, 200), max_size=4)


@given(TIMES, TIMES, st.data())
def test_the_assignment_is_the_best_of_all(times_a, times_b, data):
    """Against every one-to-one choice: most matches first, then the least cost."""
    def contacts(times):
        return [contact(t * 1e-3, position=(data.draw(st.floats(0, 1)), 0.0, 0.0)) for t in times]
    a, b = contacts(times_a), contacts(times_b)
    tolerance = ContactTolerance()
    chosen = assign(a, b, tolerance)
    assert len({i for i, _ in chosen}) == len({j for _, j in chosen}) == len(chosen)
    if not a or not b:
        assert not chosen
        return
    cost = _costs(a, b, tolerance)
    small, large = sorted((len(a), len(b)))
    rows = cost if len(a) <= len(b) else cost.T
    values = []
    for order in permutations(range(large), small):
        picked = [rows[k, column] for k, column in enumerate(order) if rows[k, column] < FORBIDDEN]
        values.append((-len(picked), sum(picked)))
    best = min(values)
    assert -len(chosen) == best[0]
    assert_allclose(sum(cost[i, j] for i, j in chosen), best[1], atol=1e-9)


def test_nan_on_both_sides_is_equal_on_one_side_it_is_not():
    a = contact(impulse=(np.nan, 0.0, 0.0), normal=(np.nan,) * 3, total=(np.inf, 0.0, 0.0))
    assert not pair_of([a], [a]).differences
    for pair in ([a], [contact()]), ([contact()], [a]):
        assert {d.quantity for d in pair_of(*pair).differences} == {'impulse', 'normal', 'whole impulse'}


def test_overrides_are_for_both_orders_of_the_bodies():
    tolerances = Tolerances(overrides=(Override((('impulse', 10.0),), pair=('wa*', 'd?')),
                                       Override((('impulse', 0.0),), pair=('d9', '*'))))
    assert tolerances.of_pair('d0', 'wall').impulse == 10.0
    assert tolerances.of_pair('d9', 'wall').impulse == 0.0
    assert tolerances.of_pair('d0', 'floor') == ContactTolerance()


def event(phase, at, impulse=1.0, number=4, **changes):
    plain = dict(stamp_ns=START + round(at * NS), id=number, phase=phase, kind=1, body_a='d0', body_b='wall', part_a='',
                 part_b='', position=(0, 0, 0), normal=(1, 0, 0), impulse=(impulse, 0, 0))
    return SimpleNamespace(**(plain | changes))


def test_events_become_contacts():
    """END tells the whole; where there is none, the parts are added up; an id that begins anew is another contact."""
    events = [event(0, 1.0, 0.5), event(0, 1.1, 0.7, number=5), event(1, 1.2, 0.1), event(2, 1.3, 0.65),
              event(1, 1.4, 0.2, number=5), event(0, 2.0, 0.3, number=5), event(1, 0.2, 0.1, number=6)]
    found = contacts_of(events)
    assert [(c.phases, c.total[0], c.end_ns) for c in found] == [
        ('P', 0.1, None), ('BPE', 0.65, START + round(1.3 * NS)), ('BP', pytest.approx(0.9), None), ('B', 0.3, None)]
    assert [c.impulse[0] for c in found] == [0.1, 0.5, 0.7, 0.3]


def test_many_contacts_in_a_row_are_matched_quickly_enough():
    """25 a second for 40 s, each within one window of each other."""
    a = [contact(0.04 * k) for k in range(1000)]
    b = [contact(0.04 * k + 0.015) for k in range(1000)]
    assert assign(a, b, ContactTolerance()) == [(k, k) for k in range(1000)]


def test_more_contacts_than_one_assignment_takes():
    """Cut at the longest pauses, here of 16 ms: nothing is lost that lies closer."""
    pauses = np.where(np.arange(2500) % 3, 0.004, 0.016)
    times = np.cumsum(pauses)
    a, b = ([contact(t + late) for t in times] for late in (0.0, 0.001))
    assert assign(a, b, ContactTolerance()) == [(k, k) for k in range(2500)]


def test_texts():
    assert phases_text('B' + 12 * 'P' + 'E') == 'B 12P E' and phases_text('BPE') == 'BPE'
    assert [seconds(n) for n in (0, 1, -1_500_000_000, 12_345_000_000)] == ['0', '0.000000001', '-1.5', '12.345']
