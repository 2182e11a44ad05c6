# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Contacts of a flight: impulses add up, an end closes, too many leave the strongest."""
import pytest

from hakoniwa_rigid.replay.published import Event
from hakoniwa_rigid.static_page import touches
from hakoniwa_rigid.static_page.touches import Change, Touches

S = 10**9
BEGIN, PERSIST, END = range(3)


def event(at, phase, impulse=(0.0, 0.0, 1.0), key=1, b='floor'):
    return Event(round(at * S), key, phase, 1, 'd0', b, 'body', b, (1.0, 2.0, 0.0), (0.0, 0.0, -1.0), impulse)


def test_impulses_add_up_until_an_end_has_their_sum():
    found = Touches()
    found.add(event(1.0, BEGIN))
    found.add(event(1.1, PERSIST, (0.5, 0.0, 1.0)))
    row, = found.rows(0, 2 * S)
    assert (row['begin'], row['end'], row['impulse'], row['total']) == (1.0, None, [0, 0, 1], [0.5, 0, 2])
    found.add(event(1.2, END, (0.5, 0.0, 2.25)))
    row, = found.rows(S // 2, 2 * S)
    assert (row['begin'], row['end'], row['total']) == (0.5, 0.7, [0.5, 0, 2.25])
    assert found.count == 1


def test_only_contacts_that_begin_in_the_stretch_are_given_in_order_of_time():
    found = Touches()
    for at in (3.0, 1.0, 2.0, 5.0):
        found.add(event(at, BEGIN, key=round(at)))
        found.add(event(at + 0.1, END, key=round(at)))
    assert [row['begin'] for row in found.rows(S, 3 * S)] == [0.0, 1.0, 2.0]


def test_an_id_that_begins_again_is_another_contact():
    found = Touches()
    found.add(event(1.0, BEGIN))
    found.add(event(2.0, BEGIN, (0.0, 0.0, 3.0)))
    assert [row['impulse'][2] for row in found.rows(0, 9 * S)] == [1.0, 3.0]


def test_of_too_many_the_strongest_are_kept(monkeypatch):
    monkeypatch.setattr(touches, 'MOST_CONTACTS', 10)
    monkeypatch.setattr(touches, 'MOST_OPEN', 4)
    found = Touches()
    for k in range(100):
        found.add(event(0.01 * k, BEGIN, (0.0, 0.0, float(k % 50)), key=k))
    strengths = [row['impulse'][2] for row in found.rows(0, S)]
    assert sorted(strengths) == [45, 45, 46, 46, 47, 47, 48, 48, 49, 49]
    assert found.count == 100
    assert len(found._kept) < 20


def test_numbers_that_are_none_do_not_reach_the_page():
    found = Touches()
    found.add(event(1.0, BEGIN, (float('nan'), float('inf'), 1.0)))
    assert found.rows(0, 2 * S)[0]['impulse'] == [0.0, 0.0, 1.0]


def test_changes_of_constraints_have_a_bound(monkeypatch):
    monkeypatch.setattr(touches, 'MOST_CHANGES', 2)
    found = Touches()
    for k in range(5):
        found.change(Change(k * S, 0, 'rope', 'd0', 'load'))
    assert [row['at'] for row in found.changes(0, 9 * S)] == [0.0, 1.0]
    assert found.lost_changes == 3


@pytest.mark.parametrize('phase', [PERSIST, END])
def test_a_recording_that_begins_in_a_contact(phase):
    found = Touches()
    found.add(event(1.0, phase))
    assert len(found.rows(0, 2 * S)) == 1
