# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Drones and hands in the messages of a bag: their names, their frames, their samples."""
from __future__ import annotations

import math
from typing import NamedTuple

from hakoniwa_rigid.codec import cdr
from hakoniwa_rigid.codec.motion_packer import ODOMETRY, POSE
from hakoniwa_rigid.replay.bag.reader import Bag, BagMessage, TopicInfo
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.scene.hands.hand_layouts import LAYOUTS

FLEET, HAND = 'hakoniwa_rigid/msg/FleetState', 'hakoniwa_rigid/msg/HandJoints'
POSES, IMU, TF = 'geometry_msgs/msg/PoseArray', 'sensor_msgs/msg/Imu', 'tf2_msgs/msg/TFMessage'
TWIST = 'geometry_msgs/msg/Twist'    # of a hand or head: a pose, as of Hakoniwa
TRACKED = {layout.joints for layout in LAYOUTS.values() if layout.palm}    # joints of a hand
CORRECTED = '_corrected'   # end of the names of the collision node's outputs
UNIT_TOLERANCE = 1e-2
MOST_LOOKED_AT = 500       # messages of a topic that are decoded for what does not change
FLEET_FIELDS = ('positions', 'orientations')
GRAVITY = 9.81
new = tuple.__new__        # what the constructor of a named tuple does, at a third of its cost
HEIGHT = 0.5               # m; a drone that was higher than this was in the air


class Sample(NamedTuple):
    """A pose of a drone."""

    drone: str
    position: tuple[float, float, float]
    orientation: tuple[float, float, float, float]    # x, y, z, w; unit


class Height:
    """Lowest and highest z of all drones in a frame, and the gravity that IMUs show."""

    def __init__(self) -> None:
        self.low, self.high = math.inf, -math.inf

    def add(self, z: float) -> None:
        """The height of one sample."""
        if z < self.low:
            self.low = z
        if z > self.high:
            self.high = z


class Cast:
    """Reads poses out of messages; remembers drones, hands, frames and what could not be read."""

    def __init__(self, bag: Bag) -> None:
        self.bag = bag
        outputs = [topic for topic in bag.topics if topic.name.endswith(CORRECTED)]
        inputs = [t for t in bag.topics if t not in outputs and t.count and self._reader(t)]
        # what the node made of the drones counts only where the bag has no inputs
        self.readers = {t.name: self._reader(t) for t in (inputs or outputs) if self._reader(t)}
        self.from_outputs = not inputs and bool(self.readers)
        self.names = {topic: drone_of(topic) for topic in self.readers}
        self.frames: dict[str, Height] = {}
        self.hands: dict[str, str] = {}              # what was said of them, by name
        self.other_frames: set[str] = set()          # of TF
        self.gravity: dict[str, list[float]] = {}    # z of the accelerations, by topic
        self.unreadable: dict[str, tuple[int, str]] = {}    # count and first reason, by topic
        self.looked_at: dict[str, int] = {}

    def _reader(self, topic: TopicInfo):
        if topic.type == FLEET:
            return cdr.FleetReader(FLEET_FIELDS)
        if topic.type == ODOMETRY:
            return cdr.SampleReader(cdr.ODOMETRY)
        if topic.type == POSE and not is_hand(topic.name):
            return cdr.SampleReader(cdr.POSE)
        return None

    def samples(self, message: BagMessage) -> list[Sample]:
        """The poses of drones in a message."""
        reader = self.readers.get(message.topic)
        if reader is None:
            self._look_at(message)
            return []
        try:
            read = reader.read(message.data)
            if isinstance(read, cdr.Fleet):
                found = _fleet_samples(read)
            else:
                found = [new(Sample, (self.names[message.topic], read.values[:3], read.values[3:7]))]
        except (cdr.CdrError, ValueError) as error:
            self._note(message, str(error))
            return []
        height = self.frames.get(read.header.frame_id)
        if height is None:
            height = self.frames[read.header.frame_id] = Height()
        for sample in found:
            if not is_pose(sample):
                self._note(message, f'{sample.drone}: no pose: {sample.position}, {sample.orientation}')
                found = [sample for sample in found if is_pose(sample)]
                break
        for sample in found:
            height.add(sample.position[2])
        return found

    def _look_at(self, message: BagMessage) -> None:
        """Hands, frames and gravity, from the first messages of a topic."""
        if message.type not in (HAND, POSES, POSE, TWIST, IMU, TF):
            return
        number = self.looked_at.get(message.topic, 0)
        if number >= MOST_LOOKED_AT:
            return
        self.looked_at[message.topic] = number + 1
        try:
            content = self.bag.decode(message)
        except BagError as error:
            self._note(message, str(error))
            return
        if message.type == HAND:
            self.hands.setdefault(content.hand or message.topic, f'{len(content.poses)} joints, {message.topic}')
        elif message.type == POSES and (len(content.poses) in TRACKED or is_hand(message.topic)):
            self.hands.setdefault(message.topic, f'{len(content.poses)} joints, {message.topic}')
        elif message.type == POSE:
            self.hands.setdefault(drone_of(message.topic, -1), f'one sphere, {message.topic}')
        elif message.type == TWIST and is_hand(message.topic):
            name = drone_of(message.topic, -2 if message.topic.endswith('/pos') else -1)
            self.hands.setdefault(name, f'one pose, {message.topic}')
        elif message.type == IMU:
            self.gravity.setdefault(message.topic, []).append(content.linear_acceleration.z)
        elif message.type == TF:
            for t in content.transforms:
                self.other_frames |= {t.header.frame_id, t.child_frame_id}

    def _note(self, message: BagMessage, reason: str) -> None:
        count, first = self.unreadable.get(message.topic, (0, reason))
        self.unreadable[message.topic] = count + 1, first


def _fleet_samples(fleet: cdr.Fleet) -> list[Sample]:
    positions, orientations = (array.tolist() for array in fleet.arrays[:2])
    n = len(fleet.names)
    if len(positions) != 3 * n or len(orientations) != 4 * n:
        raise ValueError(f'{n} names, {len(positions)} positions (3 each), {len(orientations)} orientations (4 each)')
    return [Sample(name, tuple(positions[3 * k:3 * k + 3]), tuple(orientations[4 * k:4 * k + 4]))
            for k, name in enumerate(fleet.names)]


def is_pose(sample: Sample) -> bool:
    """Whether the numbers are finite and the quaternion is one."""
    x, y, z = sample.position
    a, b, c, d = sample.orientation
    # of numbers that are none, no comparison is true
    return math.isfinite(x + y + z) and abs(a * a + b * b + c * c + d * d - 1.0) < 2.0 * UNIT_TOLERANCE


def drone_of(topic: str, place: int = -2) -> str:
    """'d0' of /d0/odom; the name of the topic itself where it has no folder."""
    parts = topic.strip('/').split('/')
    return parts[place] if len(parts) >= -place else parts[0]


def is_hand(topic: str) -> bool:
    """Whether a topic is one of a hand or head by its name."""
    return 'hand' in topic.lower() or 'head' in topic.lower()


def up_axis(frame: str, height: Height) -> str:
    """Which way z points in a frame, and how we know."""
    span = f'drones between z = {height.low:.2f} m and {height.high:.2f} m'
    if height.high > HEIGHT and height.low > -HEIGHT:
        guess = f'z up (ENU or NWU: cannot tell which): {span}'
    elif height.low < -HEIGHT and height.high < HEIGHT:
        guess = f'z down (NED): {span}'
    else:
        guess = f'cannot tell: {span}'
    says_ned = 'ned' in frame.lower().replace('_', ' ').split()
    return guess + (', and its name says NED' if says_ned else '')


def body_axis(accelerations: list[float]) -> str:
    """Which way an IMU's z points: at rest and in hover it measures +1 g upwards."""
    mean = math.fsum(accelerations) / len(accelerations)
    if mean > 0.5 * GRAVITY:
        return f'z up (FLU): {mean:.2f} m/s^2 on average'
    if mean < -0.5 * GRAVITY:
        return f'z down (FRD): {mean:.2f} m/s^2 on average'
    return f'cannot tell: {mean:.2f} m/s^2 on average'
