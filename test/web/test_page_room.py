# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A user of an emulated headset in the page, against a stand-in for the viewer node: the room before them at the start,
placing it, the wrist menu, a pinch at a drone, and two users who align their rooms."""
import browser
import numpy as np
import pytest

pytestmark = pytest.mark.slow
HALF = 0.1     # m, of the first drone of the stand-in's room


@pytest.fixture(scope='module')
def report():
    """One run of the browser for all tests."""
    return browser.try_room()


def test_the_first_drone_is_before_the_user_at_the_start(report):
    """Wherever the headset stood and looked when the session began."""
    first = next(drone for drone in report['start']['drones'] if drone['name'] == 'd0')
    browser.assert_before_the_user(first, HALF)
    assert report['start']['floor'] == pytest.approx(0.0, abs=1e-6)
    assert report['start']['text'].startswith('1 of 3\nLook down')


def test_what_is_said_hides_no_drone(report):
    """The card hangs before the user, level and up to a head's height off it; no drone's middle is behind it."""
    (yaw, pitch), drones = report['start']['card'], np.array(report['start']['angles'])
    assert abs(pitch) < 0.4
    off = np.abs((drones - [yaw, pitch] + np.pi) % (2.0 * np.pi) - np.pi)
    assert not ((off[:, 0] < 0.25) & (off[:, 1] < 0.085)).any()


def test_the_room_goes_where_the_user_looks_and_pinches(report):
    """The floor 1.5 m ahead of eyes 1.6 m above it; no hint for who looks ahead."""
    place = report['place']
    assert place.get('level') is None
    np.testing.assert_allclose(place['hint'], [0.0, 0.0, -1.5], atol=1e-3)
    assert place['first']['ahead'] == pytest.approx(1.5, abs=1e-3)
    assert place['first']['right'] == pytest.approx(0.0, abs=1e-3)
    assert place['text'].startswith('2 of 3')


def test_a_pinch_at_a_drone_does_not_carry_the_room(report):
    assert report['place']['held']['moved'] == 0.0


def test_the_wrist_menu_opens_by_the_palm_and_its_buttons_reach_the_node(report):
    menu = report['menu']
    assert menu['shut'] == ''
    assert list(menu['open']['buttons']) == ['reset', 'pause', 'hands', 'sound', 'place', 'align']
    assert menu['paused']
    assert menu['calls'] == [{'service': '/set_paused', 'request': {'paused': True}},
                             {'service': '/reset', 'request': {}},
                             {'service': '/set_paused', 'request': {'paused': False}}]


def test_two_users_have_one_room_after_three_spots(report):
    """What the room's corners are for the first is, in the axes of the second's headset, what they are for that one."""
    two = report['two']
    np.testing.assert_allclose(two['there'], two['here'], atol=1e-3)   # heads go with four digits, m
    assert max(two['errors']) < 1e-3
    assert two['texts'][0].startswith('The spots are set')
    assert two['texts'][3].startswith('Aligned: the spots are 0.')


def test_spots_that_fit_badly_or_lie_on_a_line_are_refused(report):
    _, line, wrong, _ = report['two']['texts']
    assert 'on a line' in line
    assert wrong.startswith('Not aligned: the spots are ')


def test_each_sees_the_head_of_the_other_where_it_is(report):
    np.testing.assert_allclose(report['two']['avatar'], report['two']['head'], atol=5e-3)
    assert report['two']['left']
