# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""MediaPipe landmarks: the files, and the hand in the room found from its image, against exact projections."""
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.sims.hands.camera import FORWARD, camera
from hakoniwa_rigid.sims.hands.figure import hand_pose
from hakoniwa_rigid.sims.hands.landmark_tracker import IN_WEBXR, LandmarkTracker, recorded, seen_by
from hakoniwa_rigid.sims.hands.landmarks import Landmarks, read_landmarks, write_landmarks
from hakoniwa_rigid.sims.hands.motion import HandFileError
from hakoniwa_rigid.sims.hands.options import arguments
from hakoniwa_rigid.sims.hands.perspective import solve
from hakoniwa_rigid.sims.hands.recordings import push

VIEW = camera(640, 480, 60.0)
FOCAL = 320.0 / np.tan(np.radians(30.0))


def shape(attitude, curl=0.2):
    """A hand's 21 landmarks about their middle in the camera's axes, m."""
    points = hand_pose(curl)[0][IN_WEBXR]
    return attitude.apply(points - points.mean(axis=0))


def image_of(points):
    """The projection, written down once more: u = f x / z + c."""
    return np.column_stack([FOCAL * points[:, 0] / points[:, 2] + 320.0, FOCAL * points[:, 1] / points[:, 2] + 240.0])


def seen(points, world, label='Right', time=0.0):
    normalised = np.column_stack([image_of(points) / (640.0, 480.0), np.zeros(21)])
    return Landmarks(time, label, 0.9, normalised, world)


def test_exact_projections_give_the_exact_pose_whatever_the_attitude():
    """A sweep of attitudes, flat hands and fists, near and far, turned against what the landmarks say by up to 40
    degrees; no start is given."""
    random = np.random.default_rng(1)
    for curl in (0.0, 0.2, 1.3):
        for attitude in Rotation.random(40, random_state=random):
            points = shape(attitude, curl)
            turn = Rotation.from_rotvec(np.radians(40.0) * random.uniform(-1.0, 1.0, 3) / np.sqrt(3.0))
            z = random.uniform(0.25, 1.5)
            place = np.array([random.uniform(-0.4, 0.4) * z, random.uniform(-0.3, 0.3) * z, z])
            true = turn.apply(points) + place
            pose = solve(VIEW, points, image_of(true))
            assert_allclose(points @ pose.rotation.T + pose.translation, true, atol=1e-6)


def test_noise_of_a_pixel_costs_centimetres_of_depth_at_arms_length():
    """The error of depth is about z s / (f w): noise s, spread w of the hand; 21 landmarks average it."""
    random = np.random.default_rng(2)
    errors = []
    for attitude in Rotation.random(60, random_state=random):
        points = shape(attitude)
        true = points + (0.05, -0.03, 0.6)
        pose = solve(VIEW, points, image_of(true) + random.normal(size=(21, 2)))
        errors.append(pose.translation - (0.05, -0.03, 0.6))
    errors = np.array(errors)
    spread = np.sqrt((shape(Rotation.identity())**2).sum(axis=1).mean())
    assert np.sqrt((errors[:, 2]**2).mean()) < 2.0 * 0.6 / FOCAL / spread * 0.6
    assert np.sqrt((errors[:, :2]**2).mean()) < 0.6 / FOCAL


def test_too_few_points_give_no_pose():
    points = shape(Rotation.identity())[:5]
    assert solve(VIEW, points, image_of(points + (0.0, 0.0, 0.5))) is None


@pytest.mark.parametrize('swap', [False, True])
@pytest.mark.parametrize('mirrored', [False, True])
def test_hands_are_found_in_the_room(mirrored, swap):
    """A camera 2 m up on the north wall that looks south and down; two hands; mirrored images; swapped labels."""
    attitude = Rotation.from_euler('ZX', [180.0, -110.0], degrees=True)
    view = camera(1280, 720, 70.0, cx=600.0, cy=380.0, pose=(0.5, 3.0, 2.0, *attitude.as_quat()), mirrored=mirrored)
    sight = attitude.apply([0.0, 0.0, 1.0])
    assert sight[1] < -0.9
    assert sight[2] < -0.3
    right = Rotation.from_euler('ZYX', [70.0, 20.0, 35.0], degrees=True).apply(hand_pose(0.3)[0][IN_WEBXR])
    left = Rotation.from_euler('ZYX', [-20.0, 60.0, 5.0], degrees=True).apply(hand_pose(0.6, 'left')[0][IN_WEBXR])
    true = {'right': right + (0.4, 2.0, 1.6), 'left': left + (0.8, 1.9, 1.5)}
    landmarks = []
    for name, points in true.items():
        local = attitude.inv().apply(points - (0.5, 3.0, 2.0))
        image = np.column_stack([(view.fx * local[:, 0] / local[:, 2] + 600.0) / 1280.0,
                                 (view.fx * local[:, 1] / local[:, 2] + 380.0) / 720.0, np.zeros(21)])
        world = local - local.mean(axis=0)
        if mirrored:
            image[:, 0], world[:, 0] = 1.0 - image[:, 0], -world[:, 0]
        label = name.capitalize() if mirrored == swap else {'right': 'Left', 'left': 'Right'}[name]
        landmarks.append(Landmarks(0.0, label, 0.9, image, world))
    found = LandmarkTracker(view, 'room', swap_labels=swap).samples(landmarks, 7)
    assert [(s.hand, s.frame, s.stamp_ns) for s in found] == [('left', 'room', 7), ('right', 'room', 7)]
    for sample in found:
        assert_allclose(sample.positions, true[sample.hand], atol=1e-6)
        assert sample.is_valid.all()


def test_depth_comes_from_the_size_of_the_hand():
    """World landmarks that are 20 % too large, as of a child's hand: the known length of the palm puts it right."""
    points = shape(Rotation.from_euler('X', 0.3), 0.0)
    true = points + (0.0, 0.0, 0.5)
    found = LandmarkTracker(VIEW).samples([seen(true, 1.2 * points)], 0)[0]
    assert_allclose(VIEW.from_world(found.positions), true, atol=1e-6)
    own = LandmarkTracker(VIEW, palm_length=0.0).samples([seen(true, 1.2 * points)], 0)[0]
    assert_allclose(VIEW.from_world(own.positions), 1.2 * true, atol=1e-6)


def test_without_world_landmarks_the_image_gives_the_shape():
    """x, y and z of the image are a parallel projection: perspective over the depth of the hand is the error left."""
    (hand,) = [h for h in seen_by(VIEW, [_one_hand()]) if h.time == 0.0]
    exact, flat = (LandmarkTracker(VIEW).samples([h], 0)[0] for h in (hand, hand._replace(world=None)))
    assert_allclose(flat.positions, exact.positions, atol=0.05)
    assert np.linalg.norm(flat.positions.mean(axis=0) - exact.positions.mean(axis=0)) < 0.03


def _one_hand():
    from hakoniwa_rigid.sims.hands import moves
    return moves.strike(target=(0.7, 0.0, 1.2), direction=(1.0, 0.0, 0.0), reach=0.1, duration=1.0)


def test_a_hand_partly_outside_the_image_is_placed_by_what_is_seen():
    points = shape(Rotation.identity())
    true = points + (0.24, 0.0, 0.45)
    inside = (image_of(true)[:, 0] <= 640.0)
    assert 6 <= inside.sum() < 21
    hand = seen(true, points)
    wrong = hand.image.copy()
    wrong[~inside, 1] += 0.2    # what is outside is a guess of the landmarker
    found = LandmarkTracker(VIEW).samples([hand._replace(image=wrong)], 0)[0]
    assert found.is_valid.tolist() == inside.tolist()
    assert_allclose(VIEW.from_world(found.positions), true, atol=1e-6)


def test_landmarks_that_were_not_seen_keep_their_place_in_the_order():
    points = shape(Rotation.identity())
    true = points + (0.0, 0.0, 0.5)
    image, world = seen(true, points).image, points.copy()
    image[8], world[8] = np.nan, np.nan
    found = LandmarkTracker(VIEW).samples([seen(true, world)._replace(image=image)], 0)[0]
    assert np.flatnonzero(~found.is_valid).tolist() == [8]
    rest = np.arange(21) != 8
    assert_allclose(VIEW.from_world(found.positions[rest]), true[rest], atol=1e-6)
    assert np.isfinite(found.positions).all()


def test_hands_that_cannot_be_used_are_refused_with_a_reason():
    points = shape(Rotation.identity())
    good = seen(points + (0.0, 0.0, 0.5), points)
    tracker = LandmarkTracker(VIEW)
    scrambled = good.image[np.random.default_rng(0).permutation(21)]
    for bad, reason in ((good._replace(score=0.3), 'score 0.30'),
                        (seen(points + (2.0, 0.0, 0.5), points), '0 usable landmarks'),
                        (seen(points + (0.0, 0.0, 40.0), points), 'px wide'),
                        (good._replace(image=scrambled), 'off the best fit')):
        assert tracker.samples([bad], 0) == []
        assert reason in tracker.refused[0]
        assert tracker.refused[0].startswith('right: ')
    # of two right hands the surer one
    other = seen(points + (0.1, 0.0, 0.6), points)
    (found,) = tracker.samples([other._replace(score=0.7), good], 0)
    assert_allclose(VIEW.from_world(found.positions), points + (0.0, 0.0, 0.5), atol=1e-6)


def test_a_noisy_hand_that_turns_is_neither_lost_nor_turned_over():
    """A flat hand at 1 m, 60 px wide, swings through its edge-on and its frontal view: the mirror-image tilts fit alike
    there. Noise of 2 px and 6 mm, the worst that trackers show; joints stay within what noise explains."""
    random, tracker, lost = np.random.default_rng(0), LandmarkTracker(VIEW), 0
    for k in range(150):
        attitude = Rotation.from_euler('YXZ', [90 + 60 * np.sin(k / 15), 50 * np.cos(k / 21), 40 * np.sin(k / 9)], True)
        points = shape(attitude, 0.0)
        true = points + (0.2 * np.sin(k / 10), 0.1, 1.0)
        hand = seen(true, points + 0.006 * random.normal(size=(21, 3)), time=k / 30)
        image = hand.image.copy()
        image[:, :2] += 2.0 * random.normal(size=(21, 2)) / (640.0, 480.0)
        found = tracker.samples([hand._replace(image=image)], 0)
        lost += not found
        for sample in found:
            errors = VIEW.from_world(sample.positions) - true
            assert np.abs(errors - errors.mean(axis=0)).max() < 0.07
    assert lost <= 5


def test_the_shipped_push_is_where_it_was_made():
    """Half a pixel and half a millimetre of noise: the joints are found to 3 mm ahead and 1 mm across, rms."""
    from hakoniwa_rigid.sims.hands import moves
    true = moves.strike(target=(0.75, 0.0, 1.2), direction=(1.0, 0.0, 0.0), speed=0.8, reach=0.25, duration=3.0,
                        rate=30.0)
    (found,) = recorded(push(), LandmarkTracker(VIEW))
    assert_allclose(found.times, true.times, atol=1e-6)
    errors = np.sqrt(((found.positions - true.positions[:, IN_WEBXR])**2).mean(axis=(0, 1)))
    assert errors[0] < 0.005
    assert errors[1:].max() < 0.001


def test_the_options_of_the_command_have_the_defaults_of_the_camera():
    import argparse
    parser = argparse.ArgumentParser()
    arguments(parser)
    options = parser.parse_args(['x'])
    assert tuple(options.camera_pose) == FORWARD
    assert camera(options.width, options.height, options.fov) == camera()
    assert options.palm_length == LandmarkTracker(camera()).palm_length


numbers = st.floats(-2.0, 2.0).map(lambda x: round(x, 6) + 0.0)
point = st.one_of(st.none(), st.tuples(numbers, numbers, numbers))
triples = st.lists(point, min_size=21, max_size=21).map(
    lambda points: np.array([(np.nan,) * 3 if p is None else p for p in points]))


@settings(max_examples=30)
# a table cannot tell a hand without world landmarks from one whose landmarks are all missing
@given(st.lists(st.tuples(st.integers(0, 10**7), st.sampled_from(['Left', 'Right']), st.integers(0, 10**6), triples,
                          triples.filter(lambda a: np.isfinite(a).any()) | st.none()), min_size=1, max_size=4))
def test_landmark_files_read_back_the_same_and_are_written_again_the_same(tmp_path_factory, rows):
    hands = [Landmarks(t / 1e6, side, s / 1e6, image, world)
             for t, side, s, image, world in sorted(rows, key=lambda row: row[0])]
    folder = tmp_path_factory.mktemp('landmarks')
    for suffix in ('jsonl', 'csv', 'csv.gz'):
        write_landmarks(folder / f'a.{suffix}', hands)
        found = read_landmarks(folder / f'a.{suffix}')
        for a, b in zip(found, hands, strict=True):
            assert (a.time, a.handedness, a.score, a.world is None) == (b.time, b.handedness, b.score, b.world is None)
            assert_allclose(a.image, b.image, atol=0.0)
            if b.world is not None:
                assert_allclose(a.world, b.world, atol=0.0)
        write_landmarks(folder / f'b.{suffix}', found)
        assert (folder / f'a.{suffix}').read_bytes() == (folder / f'b.{suffix}').read_bytes()


def changed(**changes):
    record = {'time': 0.5, 'handedness': 'Left', 'score': 0.9, 'landmarks': [[0.5, 0.5, 0.0]] * 21} | changes
    return json.dumps({k: v for k, v in record.items() if v != 'gone'})


@pytest.mark.parametrize(('line', 'words'), [
    ('{"time": 0', 'delimiter'),
    ('[1]', 'must be an object'),
    (changed(hands=1), 'hands: unknown key'),
    (changed(landmarks='gone'), 'landmarks: missing: the place of the hand'),
    (changed(time=None), 'time: must be a finite number, got None'),
    (changed(time=0.1), r'time: must not fall, got 0.1 behind 0.5'),
    (changed(score=1.5), 'score from 0 to 1'),
    (changed(handedness='right'), "'Left' or 'Right', got 'right'"),
    (changed(landmarks=[[0, 0, 0]] * 20), 'landmarks: must be a list of 21 points, got 20'),
    (changed(world_landmarks=[[0, 0]] * 21), r'world_landmarks\[0\]: must be three numbers or null'),
    (changed(world_landmarks=[[0, 0, 'x']] * 21), r'world_landmarks\[0\]: must be a finite number'),
])
def test_mistakes_in_landmark_files_are_named(tmp_path, line, words):
    file = tmp_path / 'hands.jsonl'
    file.write_text(f'{changed()}\n{line}\n')
    with pytest.raises(HandFileError, match=words) as caught:
        read_landmarks(file)
    assert str(caught.value).startswith(f'{file}:2: ')


def test_mistakes_in_tables_are_named(tmp_path):
    file: Path = tmp_path / 'hands.csv'
    write_landmarks(file, push()[:2])
    head, first, _ = file.read_text().splitlines()
    for text, words in ((f'{head[1:]}\n{first}\n', "1: columns must be .* got 'ime' instead of 'time'"),
                        (f'{head}\n{first},1\n', '2: must have 129 cells, got 130'),
                        (f'{head}\nx{first}\n', '2: time: must be a finite number'),
                        (f'{head}\n', 'holds no hand')):
        file.write_text(text)
        with pytest.raises(HandFileError, match=words):
            read_landmarks(file)
    (tmp_path / 'a.csv.gz').write_bytes(b'no gzip')
    with pytest.raises(HandFileError, match='a.csv.gz'):
        read_landmarks(tmp_path / 'a.csv.gz')
