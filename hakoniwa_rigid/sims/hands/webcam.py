# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Hands seen by a live camera: OpenCV brings the images, MediaPipe's Hand Landmarker the landmarks.

Both are optional (the extra ``hands``). The landmarker's model, a file ``hand_landmarker.task``, comes with neither.
"""
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.sims.hands.landmark_tracker import LandmarkTracker
from hakoniwa_rigid.sims.hands.landmarks import COUNT, Landmarks
from hakoniwa_rigid.sims.hands.sample import HandSample, SourceEnded

NEEDS = "pip install 'hakoniwa_rigid[hands]'"
MODEL = ("MediaPipe's hand_landmarker.task, to be had from its pages on the Hand Landmarker; this package does not "
         'bring it')
RETRY = NANOSECONDS // 10     # ns between two tries to read from a camera that gives nothing
PATIENCE = 50                 # tries after which it is given up
MILLISECOND = 1_000_000


class CameraError(RuntimeError):
    """No camera, no model or no library; the message says what to do."""


def landmarks_of(result, time: float) -> list[Landmarks]:
    """The hands of a HandLandmarkerResult, of a frame at ``time`` s."""
    hands = []
    for sides, image, world in zip(result.handedness, result.hand_landmarks, result.hand_world_landmarks, strict=True):
        hands.append(Landmarks(time, sides[0].category_name, float(sides[0].score), _array(image), _array(world)))
    return hands


def _array(points) -> np.ndarray:
    if len(points) != COUNT:
        raise CameraError(f'the landmarker gives {len(points)} landmarks, not {COUNT}')
    return np.array([(p.x, p.y, p.z) for p in points], dtype=float)


class Detector:
    """MediaPipe's landmarker on a sequence of frames. CameraError where it cannot be had."""

    def __init__(self, model: str) -> None:
        try:
            import mediapipe
            from mediapipe.tasks.python import BaseOptions, vision
        except ImportError as error:
            raise CameraError(f'{error}; a camera needs mediapipe: {NEEDS}') from error
        if not Path(model).is_file():
            raise CameraError(f'model: no such file: {model!r}; it is {MODEL}')
        self.mediapipe, self.last = mediapipe, -1
        try:
            self.landmarker = vision.HandLandmarker.create_from_options(vision.HandLandmarkerOptions(
                base_options=BaseOptions(model_asset_path=str(model)), running_mode=vision.RunningMode.VIDEO,
                num_hands=2))
        except (RuntimeError, ValueError, OSError) as error:
            raise CameraError(f'model: {model} cannot be used: {error}; it must be {MODEL}') from error

    def __call__(self, image: np.ndarray, stamp_ns: int) -> list[Landmarks]:
        """The hands in an image (H,W,3) uint8, blue green red as OpenCV has it."""
        # the landmarker wants whole milliseconds that rise
        self.last = max(self.last + 1, stamp_ns // MILLISECOND)
        frame = self.mediapipe.Image(image_format=self.mediapipe.ImageFormat.SRGB,
                                     data=np.ascontiguousarray(image[:, :, ::-1]))
        return landmarks_of(self.landmarker.detect_for_video(frame, self.last), stamp_ns / NANOSECONDS)

    def close(self) -> None:
        """Let go of the model."""
        self.landmarker.close()


def open_capture(device: str, width: int, height: int):
    """OpenCV's capture of a camera by number, or of a file or stream by name. CameraError where there is none, or
    where it has another size than the calibration."""
    try:
        import cv2
    except ImportError as error:
        raise CameraError(f'{error}; a camera needs OpenCV: {NEEDS}') from error
    capture = cv2.VideoCapture(int(device) if device.isdigit() else device)
    if not capture.isOpened():
        raise CameraError(f'camera: {device!r} cannot be opened')
    for key, value in ((cv2.CAP_PROP_FRAME_WIDTH, width), (cv2.CAP_PROP_FRAME_HEIGHT, height),
                       (cv2.CAP_PROP_BUFFERSIZE, 1)):
        capture.set(key, value)
    size = int(capture.get(cv2.CAP_PROP_FRAME_WIDTH)), int(capture.get(cv2.CAP_PROP_FRAME_HEIGHT))
    if size != (width, height):
        capture.release()
        raise CameraError(f'camera: {device!r} gives images of {size[0]} x {size[1]} pixels; set width and height, and '
                          'fov or fx, fy, cx, cy, accordingly')
    return capture


class Webcam:
    """A Source: waits for each image of a camera and tells of the hands in it."""

    def __init__(self, capture, detector: Callable[[np.ndarray, int], list[Landmarks]], tracker: LandmarkTracker,
                 clock: Callable[[], int], latency: float = 0.0, hand: str = '') -> None:
        """``clock``: ROS time, ns, read when an image is there. ``latency`` s that the image is older than that.
        ``hand``: the only one that is wanted."""
        self.capture, self.detector, self.tracker, self.clock = capture, detector, tracker, clock
        self.latency, self.hand = round(latency * NANOSECONDS), hand
        self.failures, self.retry = 0, 0

    @property
    def refused(self) -> list[str]:
        """Why hands of the last image are missing."""
        return self.tracker.refused

    def due(self, now: int) -> int:
        """At once: the camera sets the pace."""
        return self.retry if self.failures else now

    def samples(self, now: int) -> list[HandSample]:
        """The hands in the next image; SourceEnded when the camera has given nothing PATIENCE times."""
        if not self.capture.grab():
            self.failures, self.retry = self.failures + 1, now + RETRY
            if self.failures >= PATIENCE:
                raise SourceEnded('the camera gives no images any more')
            return []
        stamp = self.clock() - self.latency
        self.failures = 0
        whole, image = self.capture.retrieve()
        found = self.tracker.samples(self.detector(image, stamp), stamp) if whole else []
        return [sample for sample in found if self.hand in ('', sample.hand)]

    def start(self, stamp_ns: int) -> None:
        """A camera does not wait."""

    def close(self) -> None:
        """Let go of camera and model."""
        self.capture.release()
        if hasattr(self.detector, 'close'):
            self.detector.close()
