# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The live camera without a camera: stand-ins for OpenCV's capture and for the landmarker's results."""
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from hakoniwa_rigid.sims.hands.camera import camera
from hakoniwa_rigid.sims.hands.landmark_tracker import LandmarkTracker, recorded
from hakoniwa_rigid.sims.hands.recordings import push
from hakoniwa_rigid.sims.hands.sample import SourceEnded
from hakoniwa_rigid.sims.hands.webcam import PATIENCE, CameraError, Detector, Webcam, landmarks_of, open_capture

NS = 10**9


def containers():
    """The types that MediaPipe's results are made of: the real ones where it is installed."""
    try:
        from mediapipe.tasks.python.components.containers.category import Category
        from mediapipe.tasks.python.components.containers.landmark import Landmark, NormalizedLandmark
        from mediapipe.tasks.python.vision import HandLandmarkerResult
    except ImportError:
        return (SimpleNamespace,) * 4
    return Category, NormalizedLandmark, Landmark, HandLandmarkerResult


def result(hands):
    """What the landmarker says of hands."""
    category, image_point, world_point, whole = containers()

    def points(kind, array):
        return [kind(x=x, y=y, z=z) for x, y, z in array.tolist()]

    return whole(handedness=[[category(category_name=h.handedness, score=h.score)] for h in hands],
                 hand_landmarks=[points(image_point, h.image) for h in hands],
                 hand_world_landmarks=[points(world_point, h.world) for h in hands])


class Capture:
    """A camera with a number of frames; some of them fail."""

    def __init__(self, fails=()):
        self.fails, self.count, self.released = set(fails), -1, False

    def grab(self):
        self.count += 1
        return self.count not in self.fails

    def retrieve(self):
        return True, np.full((480, 640, 3), self.count, dtype=np.uint8)

    def release(self):
        self.released = True


def webcam(hands, capture, **options):
    """Frame k shows hand k of the list; time goes on by 33 ms for each."""
    def detector(image, stamp):
        return landmarks_of(result(hands[int(image[0, 0, 0])]), stamp / NS)

    return Webcam(capture, detector, LandmarkTracker(camera()), lambda: NS + capture.count * 33_000_000, **options)


def test_frames_become_hands_with_the_time_of_their_capture():
    hands = push()[:5]
    (expected,) = recorded(hands, LandmarkTracker(camera()))
    capture = Capture()
    source = webcam([[hand] for hand in hands], capture, latency=0.02)
    for k in range(5):
        assert source.due(0) <= 0
        (sample,) = source.samples(0)
        assert (sample.hand, sample.stamp_ns) == ('right', NS + k * 33_000_000 - 20_000_000)
        assert_allclose(sample.positions, expected.positions[k], atol=1e-6)
    source.close()
    assert capture.released


def test_frames_without_hands_and_unwanted_hands_give_nothing():
    hand = push()[0]
    source = webcam([[], [hand], [hand._replace(score=0.2)]], Capture(), hand='left')
    assert [source.samples(0) for _ in range(3)] == [[], [], []]
    assert source.refused == ['right: score 0.20 is below 0.5']


def test_a_camera_that_fails_is_asked_again_and_given_up_in_the_end():
    capture = Capture(fails={1, *range(3, 1000)})
    source = webcam([[push()[0]]] * 5, capture)
    counts = [len(source.samples(0)) for _ in range(3)]
    assert counts == [1, 0, 1]
    for _ in range(PATIENCE - 1):
        assert source.samples(7) == []
        assert source.due(7) == 7 + NS // 10
    with pytest.raises(SourceEnded, match='no images'):
        source.samples(7)


def test_another_number_of_landmarks_is_an_error():
    hand = push()[0]
    with pytest.raises(CameraError, match='20 landmarks, not 21'):
        landmarks_of(result([hand._replace(image=hand.image[:20])]), 0.0)


@pytest.mark.parametrize(('name', 'make'), [('mediapipe', lambda: Detector('x.task')),
                                            ('cv2', lambda: open_capture('0', 640, 480))])
def test_without_the_libraries_it_says_what_to_install(monkeypatch, name, make):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(CameraError, match=r"pip install 'hakoniwa_rigid\[hands\]'"):
        make()


def fake_cv2(monkeypatch, size, opened=True):
    class VideoCapture:
        asked = []

        def __init__(self, device):
            self.asked.append(device)

        def isOpened(self):
            return opened

        def set(self, key, value):
            pass

        def get(self, key):
            return float(size[key])

        def release(self):
            self.asked.append('released')

    module = ModuleType('cv2')
    module.VideoCapture, module.CAP_PROP_FRAME_WIDTH, module.CAP_PROP_FRAME_HEIGHT = VideoCapture, 0, 1
    module.CAP_PROP_BUFFERSIZE = 2
    monkeypatch.setitem(sys.modules, 'cv2', module)
    return VideoCapture.asked


def test_a_camera_is_opened_by_number_or_name(monkeypatch):
    asked = fake_cv2(monkeypatch, (640, 480))
    open_capture('2', 640, 480)
    open_capture('/dev/video2', 640, 480)
    assert asked == [2, '/dev/video2']


def test_a_camera_of_another_size_or_none_is_refused(monkeypatch):
    asked = fake_cv2(monkeypatch, (1280, 720))
    with pytest.raises(CameraError, match='1280 x 720 pixels; set width and height'):
        open_capture('0', 640, 480)
    assert asked[-1] == 'released'
    fake_cv2(monkeypatch, (640, 480), opened=False)
    with pytest.raises(CameraError, match="'0' cannot be opened"):
        open_capture('0', 640, 480)


def test_the_landmarker_wants_its_model(tmp_path):
    pytest.importorskip('mediapipe', reason='optional: the extra hands')
    with pytest.raises(CameraError, match='no such file.*hand_landmarker.task'):
        Detector(str(tmp_path / 'none.task'))
    (tmp_path / 'bad.task').write_bytes(b'no model')
    with pytest.raises(CameraError, match='bad.task cannot be used'):
        Detector(str(tmp_path / 'bad.task'))
