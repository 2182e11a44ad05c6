# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The first look at the page in a real browser: drones that are framed, labels, themes, the replay, sound.

A stand-in shows the shipped worlds with their drones where they start."""
import gzip
import json

import browser
import numpy as np
import pytest

from hakoniwa_rigid.paths import world_file
from hakoniwa_rigid.scene.world_files import world_file as worlds
from hakoniwa_rigid.web.scene_view import scene_message

pytestmark = pytest.mark.slow

WORLDS = ('ar_room', 'demo_room', 'gym', 'hall')
SIZES = ('desktop', 'phone')
LEAST = 0.06    # of the page's width, of a drone that the camera has chosen


@pytest.fixture(scope='module')
def report(tmp_path_factory):
    """One run of the browser for all tests."""
    folder = tmp_path_factory.mktemp('rooms')
    for name in WORLDS:
        world = worlds.load(world_file(name))
        starts = [{'name': d.name, 'position': list(d.pose.position)} for d in world.drones]
        room = {'scene': json.loads(scene_message(world)), 'starts': starts}
        (folder / f'{name}.json').write_text(json.dumps(room))
    return browser.try_sight(*sorted(folder.glob('*.json')))


def test_the_room_is_lit_before_the_first_state(report):
    """It takes the page, its script and its style, and the scene: what follows is soon there on a slow line, too."""
    lit = report['lit']
    assert not lit['drones']
    assert len(lit['asked']) == 3
    assert sorted(path.rpartition('.')[2] for path in lit['asked']) == ['/', 'css', 'js']
    # a dark page whose floor has light of its own on it
    assert min(np.subtract(lit['floor'], lit['ground'])) > 10.0
    built = [path.read_bytes() for path in (browser.BUILT.parent / 'assets').iterdir()]
    assert sum(map(len, built)) < 900e3
    assert sum(len(gzip.compress(data)) for data in built) < 260e3


def apart(one, other) -> bool:
    """Boxes of middle and half sides that do not overlap."""
    return abs(one[0] - other[0]) >= one[2] + other[2] or abs(one[1] - other[1]) >= one[3] + other[3]


@pytest.mark.parametrize('size', SIZES)
@pytest.mark.parametrize('room', [*WORLDS, 'fleet'])
def test_framed_drones_are_large_enough_and_beside_the_panels(report, room, size):
    look = report['first'][f'{room} {size}']
    assert look['framed']
    assert min(look['shares']) >= LEAST
    right, bottom = (look['panel'][0], look['page'][1]) if size == 'desktop' else (look['page'][0], look['panel'][1])
    for x, y in look['spots']:
        assert 0 < x < right and 0 < y < bottom


def covers(label, drone) -> bool:
    """Whether the nearest spot of a label is in the ellipse, of middle and half axes, that a round drone fills."""
    gap = np.maximum(np.abs(np.subtract(label[:2], drone[:2])) - label[2:], 0.0)
    return float(np.sum((gap / drone[2:]) ** 2)) < 1.0


@pytest.mark.parametrize('size', SIZES)
@pytest.mark.parametrize('room', [*WORLDS, 'fleet'])
def test_labels_hide_no_drone_and_no_label(report, room, size):
    labels = report['first'][f'{room} {size}']['labels']
    assert labels
    for k, one in enumerate(labels):
        assert not any(covers(one['label'], other['drone']) for other in labels), one
        assert all(apart(one['label'], other['label']) for other in labels[k + 1:]), one


def test_the_camera_goes_round_until_the_first_input(report):
    orbit = report['orbit']
    assert orbit['before'] > 0.5 and orbit['hovered'] > 0.5, 'px, within some pictures'
    assert orbit['after'] < 0.01


def test_reduced_motion_is_respected(report):
    assert report['orbit']['calm'] == 0.0
    assert min(report['orbit']['calmShares']) >= LEAST


def test_theme_follows_the_system_until_one_is_chosen(report):
    theme = report['theme']
    assert [theme[key][0] for key in ('light', 'dark', 'chosen', 'kept')] == ['light', 'dark', 'light', 'light']
    assert theme['light'][1] == theme['chosen'][1] != theme['dark'][1]


def test_replay_is_drawn_through_while_states_come(report):
    """The drone is at its place before the impact, moves only after it, and live it has come back meanwhile."""
    replay = report['replay']
    assert 1.0 < replay['duration'] <= 10.1
    assert replay['words'].startswith('Replay') and replay['states'] and replay['marked'] == ''
    times = [time for time, _ in replay['shown']]
    np.testing.assert_allclose(times, np.linspace(0.0, replay['duration'], len(times)), atol=0.011)
    plan = np.array(replay['plan'])
    off = [float(np.linalg.norm(np.subtract(place, plan))) for _, place in replay['shown']]
    assert off[0] < 1e-3
    assert max(off) > 0.02
    assert np.linalg.norm(np.subtract(replay['live'], plan)) < max(off)


def test_the_last_collision_is_shown_by_itself_and_said_to_be_a_replay(report):
    assert report['byItself']['early'], 'nothing is shown before there was a collision'
    assert report['byItself']['words'].startswith('Replay of the last collision')
    assert report['byItself']['marked'] == 'by itself'


def test_drones_in_trouble_say_why(report):
    trouble = report['trouble']
    assert trouble['panel'] == ['d1\nrefused or corrected: not finite: nan', 'd2\nstale: nothing new of it comes']
    texts = {label['name']: label['text'] for label in trouble['labels']}
    assert texts['d1'] == 'd1: refused or corrected: not finite: nan'
    assert texts['d2'] == 'd2: stale: nothing new of it comes'
    assert list(trouble['known']) == ['d1'], 'only drones of the scene'
    assert 'd1 · table 0.25 m' in trouble['closest']


def test_contacts_are_heard_after_a_gesture_until_they_are_muted(report):
    """A drone of plastic, a hand of skin: their tones, and no others."""
    sound = report['sound']
    assert sound['before'] == [] and sound['muted'] == [] and sound['kept'] == 'false'
    assert len(sound['after']) == 3
    assert max(sound['after']) > 1000 and min(sound['after']) < 200


def test_no_picture_is_without_drones_when_a_busy_machine_makes_them_cheaper(report):
    tiers, shares = zip(*report['slower'], strict=True)
    assert tiers[0] == 'middle' and tiers[-1] == 'low'
    assert min(shares) > 0.8 * shares[0] > 0.1
