# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""From MediaPipe's landmarks to a hand in the room, and back.

The shape of the hand comes from its world landmarks, or from x, y and z of the image landmarks where there are none;
its place and turn from where the landmarks are seen (perspective.py). Its size, and with it the depth, comes from a
known length, wrist to middle knuckle. Two landmarks of one frame would make a poor ruler: the lengths of all bones in
terms of this one are learnt, each frame is measured by all of them, and what they say is averaged over half a second.
"""
from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from hakoniwa_rigid.scene.hands.hand_layouts import LAYOUTS, layout_of
from hakoniwa_rigid.sims.hands.camera import NEAREST, Camera
from hakoniwa_rigid.sims.hands.landmarks import COUNT, Landmarks
from hakoniwa_rigid.sims.hands.motion import HandFileError, HandMotion
from hakoniwa_rigid.sims.hands.perspective import LEAST_POINTS, Pose, solve
from hakoniwa_rigid.sims.hands.sample import HandSample

NAMES = ('WRIST', 'THUMB_CMC', 'THUMB_MCP', 'THUMB_IP', 'THUMB_TIP',
         *(f'{finger}_{part}' for finger in ('INDEX_FINGER', 'MIDDLE_FINGER', 'RING_FINGER', 'PINKY')
           for part in ('MCP', 'PIP', 'DIP', 'TIP')))
WRIST, KNUCKLE = 0, 9
PALM_LENGTH = 0.095    # m, wrist to middle knuckle of a grown-up
# four bones for each finger, from the wrist
BONES = np.array([(0 if part == 1 else first + part - 2, first + part - 1) for first in range(1, COUNT, 4)
                  for part in range(1, 5)])
# frames over which lengths of bones are averaged (they are the person's), and sizes (they drift with the posture)
MEMORY, SHORT_MEMORY = 300, 15
# the same joints in each layout of hands (scene.hands.hand_layouts); OpenXR has the palm before them
IN_WEBXR = np.array([0, 1, 2, 3, 4, *range(6, 10), *range(11, 15), *range(16, 20), *range(21, 25)])
IN_LAYOUT = {'mediapipe': np.arange(COUNT), 'webxr': IN_WEBXR, 'openxr': IN_WEBXR + 1}
# a fit whose root mean square error is this part of the hand's size in the image is none; nor is one that turns the
# shape this far (cos): it is given in the camera's axes, or nearly, as it was seen along the line of sight
WORST_FIT = 0.35
MOST_TURNED = np.cos(np.radians(60.0))
LEAST_SIZE = 4.0    # px, root mean square distance of the landmarks from their middle
OTHER = {'Left': 'Right', 'Right': 'Left'}


class Ruler:
    """The lengths of one hand's bones, learnt."""

    def __init__(self, palm_length: float) -> None:
        self.palm_length, self.count = palm_length, 0
        self.lengths, self.mean, self.measured = np.zeros(len(BONES)), 0.0, 0

    def scale(self, shape: np.ndarray) -> float:
        """What makes a shape (21,3) as large as the hand is; NaN until both ends of the known length were seen."""
        now = self._of_one_frame(shape)
        if np.isfinite(now):
            self.measured = min(self.measured + 1, SHORT_MEMORY)
            self.mean += (now - self.mean) / self.measured
        return self.mean if self.measured else now

    def _of_one_frame(self, shape: np.ndarray) -> float:
        found = np.linalg.norm(shape[BONES[:, 1]] - shape[BONES[:, 0]], axis=1)
        palm = np.linalg.norm(shape[KNUCKLE] - shape[WRIST])
        if np.isfinite(found).all():
            self.count = min(self.count + 1, MEMORY)
            self.lengths += (found * (self.palm_length / palm) - self.lengths) / self.count
        there = np.isfinite(found)
        if not self.count or not there.any():
            return float(self.palm_length / palm)
        return float(self.lengths[there] @ found[there] / (found[there] @ found[there]))


class LandmarkTracker:
    """Hands of one camera, frame by frame; ``refused`` says why the last frame's hands that are missing are missing."""

    def __init__(self, camera: Camera, frame: str = 'world', palm_length: float = PALM_LENGTH, min_score: float = 0.5,
                 swap_labels: bool = False) -> None:
        """``frame``: of the camera's pose. ``palm_length`` m: 0 takes world landmarks at their own size.
        ``swap_labels``: for sources whose Left and Right are not the person's."""
        self.camera, self.frame = camera, frame
        self.palm_length, self.min_score = palm_length, min_score
        self.swap_labels = swap_labels
        # the mirror image of a right hand is a left one, and MediaPipe calls it so
        self.swap = swap_labels != camera.mirrored
        self.last: dict[str, Pose] = {}
        self.rulers: dict[str, Ruler] = {}
        self.refused: list[str] = []

    def samples(self, hands: Iterable[Landmarks], stamp_ns: int) -> list[HandSample]:
        """The hands of one frame, in their order by name."""
        self.refused = []
        best: dict[str, Landmarks] = {}
        for hand in hands:
            name = (OTHER[hand.handedness] if self.swap else hand.handedness).lower()
            if hand.score < self.min_score:
                self.refused.append(f'{name}: score {hand.score:.2f} is below {self.min_score:g}')
            elif name not in best or hand.score > best[name].score:
                best[name] = hand
        # a hand that went away may come back anywhere
        self.last = {name: pose for name, pose in self.last.items() if name in best}
        found = [self._sample(name, best[name], stamp_ns) for name in sorted(best)]
        return [sample for sample in found if sample is not None]

    def _sample(self, name: str, hand: Landmarks, stamp_ns: int) -> HandSample | None:
        pixels, shape = self._seen(name, hand)
        seen = self.camera.sees(pixels) & np.isfinite(shape).all(axis=1)
        spread = np.sqrt(pixels[seen].var(axis=0).sum()) if seen.any() else 0.0
        if seen.sum() < LEAST_POINTS or spread < LEAST_SIZE:
            self.refused.append(f'{name}: {seen.sum()} usable landmarks in the image, {spread:.1f} px wide')
            return None
        pose = solve(self.camera, shape[seen], pixels[seen], self.last.get(name))
        turned = 0.5 * (np.trace(pose.rotation) - 1.0)    # cos of the angle
        if pose.error > WORST_FIT * spread or turned < MOST_TURNED:
            self.last.pop(name, None)
            self.refused.append(f'{name}: its landmarks are {pose.error:.0f} px off the best fit, which turns its '
                                f'shape by {np.degrees(np.arccos(np.clip(turned, -1.0, 1.0))):.0f} degrees')
            return None
        self.last[name] = pose
        points = self.camera.to_world(np.nan_to_num(shape) @ pose.rotation.T + pose.translation)
        return HandSample(name, self.frame, stamp_ns, NAMES, points, np.tile([0.0, 0.0, 0.0, 1.0], (COUNT, 1)),
                          np.zeros(0), seen)

    def _seen(self, name: str, hand: Landmarks) -> tuple[np.ndarray, np.ndarray]:
        """Pixels (21,2) and shape (21,3) m in the camera's axes, unmirrored."""
        camera = self.camera
        pixels = hand.image[:, :2] * (camera.width, camera.height)
        shape = hand.image * (camera.width, camera.height, camera.width) if hand.world is None else hand.world.copy()
        if camera.mirrored:
            pixels[:, 0] = camera.width - pixels[:, 0]
            shape[:, 0] *= -1.0
        if self.palm_length > 0.0 or hand.world is None:
            shape *= self.rulers.setdefault(name, Ruler(self.palm_length or PALM_LENGTH)).scale(shape)
        return pixels, shape - _middle(shape)


def recorded(hands: Iterable[Landmarks], tracker: LandmarkTracker) -> list[HandMotion]:
    """The hands of a landmark file as recordings, by name; HandFileError where none is seen in two frames."""
    frames: dict[float, list[Landmarks]] = {}
    for hand in hands:
        frames.setdefault(hand.time, []).append(hand)
    begin, samples, reasons = min(frames), {}, []
    for time, seen in frames.items():
        for sample in tracker.samples(seen, 0):
            samples.setdefault(sample.hand, []).append((time - begin, sample))
        reasons += tracker.refused
    motions = [_motion(name, tracker.frame, samples[name]) for name in sorted(samples) if len(samples[name]) > 1]
    if not motions:
        raise HandFileError(f'no hand can be placed in two frames: {reasons[0] if reasons else "there is one frame"}')
    return motions


def _motion(name: str, frame: str, samples: list[tuple[float, HandSample]]) -> HandMotion:
    times, found = zip(*samples, strict=True)
    return HandMotion(name, frame, NAMES, np.array(times), np.array([s.positions for s in found], dtype=np.float32),
                      np.array([s.orientations for s in found], dtype=np.float32), np.zeros(0, dtype=np.float32),
                      np.array([s.is_valid for s in found]))


def seen_by(camera: Camera, motions: Iterable[HandMotion], swap_labels: bool = False) -> list[Landmarks]:
    """What MediaPipe would say of recorded hands if it made no mistakes: the landmarks of hands in front of a camera,
    in the order of time. HandFileError for hands behind it or with joints that have no landmarks."""
    hands = []
    for motion in motions:
        count = motion.positions.shape[1]
        layout = layout_of(count)
        if layout is None or layout.name not in IN_LAYOUT:
            known = ', '.join(f'{LAYOUTS[name].joints} ({name})' for name in IN_LAYOUT)
            raise HandFileError(f'{motion.hand}: {count} joints cannot be landmarks; known: {known}')
        joints = IN_LAYOUT[layout.name]
        label = 'Left' if 'left' in motion.hand.lower() else 'Right'
        if swap_labels != camera.mirrored:
            label = OTHER[label]
        for time, points, valid in zip(motion.times, motion.positions[:, joints], motion.is_valid[:, joints],
                                       strict=True):
            hands.append(_seen(camera, float(time), label, points, valid))
    return sorted(hands, key=lambda hand: (hand.time, hand.handedness))


def _seen(camera: Camera, time: float, label: str, points: np.ndarray, valid: np.ndarray) -> Landmarks:
    local = camera.from_world(points)
    local[~valid] = np.nan
    if (local[valid, 2] < NEAREST).any():
        raise HandFileError(f'times: at {time:g} s the hand is behind the camera or nearer than {NEAREST:g} m')
    pixels = camera.pixels(local)
    # z in widths of the image, at the scale that the wrist has
    depth = (local[:, 2] - local[0, 2]) * camera.fx / local[0, 2]
    image = np.column_stack([pixels[:, 0] / camera.width, pixels[:, 1] / camera.height, depth / camera.width])
    world = local - _middle(local)
    if camera.mirrored:
        image[:, 0], world[:, 0] = 1.0 - image[:, 0], -world[:, 0]
    return Landmarks(time, label, 1.0, image, world)


def _middle(points: np.ndarray) -> np.ndarray:
    """Of the points (N,3) that are there."""
    there = np.isfinite(points).all(axis=1)
    return points[there].mean(axis=0) if there.any() else np.zeros(3)
