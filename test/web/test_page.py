# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The page in a real browser against a stand-in for the viewer node, which can be looked into;
test/ros/test_page_node.py tries it against the nodes themselves."""
import browser
import numpy as np
import pytest

pytestmark = pytest.mark.slow


@pytest.fixture(scope='module')
def report():
    """One run of the browser for all tests."""
    return browser.try_page()


def test_types_and_units_of_the_page():
    browser.need_page()
    browser.npm('run', 'lint')
    browser.npm('test')


def test_lock_names_no_registry():
    """Whoever builds the page takes the packages from the registry of their own choice."""
    lock = (browser.PAGE / 'package-lock.json').read_text()
    assert '"resolved"' not in lock
    assert '"integrity"' in lock


def test_drones_and_walls_are_seen(report):
    """Every drone's place is bright, the table differs from the room, and the panel says what comes in."""
    assert min(report['drones']) > 0.03, 'share of bright pixels where each drone is'
    for mean in report['walls']:
        assert max(np.subtract(mean, report['void'])) > 20
    assert f'drones\t{len(report["drones"])}' in report['panel']


def test_buttons_reach_the_node(report):
    assert report['calls'] == [
        {'service': '/set_paused', 'request': {'paused': True}}, {'service': '/step', 'request': {'ticks': 1}},
        {'service': '/set_paused', 'request': {'paused': False}}, {'service': '/reset', 'request': {}}]


def test_mouse_hand_pushes_a_drone(report):
    browser.assert_hit(report['mouse'], report['mouse']['right'])


def test_a_push_is_measured_from_the_hand_to_the_picture(report):
    browser.assert_pushes(report['mouse']['pushes'], 0.5 * report['roundTrip'])


def test_hand_of_an_emulated_headset_strikes_a_drone(report):
    """It moves to -x of WebXR, which is +y of the world that stands where the session began."""
    assert report['headset']['sent'] > 10
    browser.assert_hit(report['headset'], [0.0, 1.0, 0.0])


def test_a_held_pinch_carries_the_room(report):
    """Pointed at the floor from 1.2 m above it, 0.3 m ahead of the viewer: the world's origin lies there."""
    room = report['headset']['room']
    x, _, z = room['viewer']
    spot = np.array([x, 0.0, z - 0.3 - 1.2 / np.tan(2.0 * np.arctan2(0.2706, 0.9627))])
    np.testing.assert_allclose(room['origin'], spot, atol=2e-3)   # of quaternion digits over 2 m
    np.testing.assert_allclose(np.subtract(room['ahead'], room['origin']), [0.0, 0.0, -1.0], atol=1e-6)


def test_hands_are_stamped_with_their_capture(report):
    """No sample is from the future, by more than the clock's error: half of the round trip that measured it."""
    samples = report['samples']
    stamps = [int(sample['stamp_ns']) for sample in samples]
    assert stamps == sorted(set(stamps))
    error_ns = 0.5e6 * report['roundTrip']
    assert all(int(sample['at']) - stamp > -error_ns for sample, stamp in zip(samples, stamps, strict=True))
    assert {len(sample['positions']) for sample in samples} == {25}


def test_page_comes_back_when_the_node_does(report):
    assert report['cameBack']


def test_a_fleet_of_fifty_is_drawn(report):
    assert report['fleet']['drones'] == 50
    assert report['fleet']['pictures'] > 0.0
