# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""All inputs of a scene.  `take` and `deliver` read messages as bytes; `flush`, before every tick, gives the scene
what they said, in one call for all drones.

An input that cannot be used is never an error: it is counted with its key and its offending value (`ledger` here for
what the scene cannot know, frames and array sizes; `scene.counters` for the rest), and /diagnostics tells.  One that is
larger than any simulator sends is not looked at (limits.py), and one that fails for an unexpected reason is
counted as `failed`: whatever bytes arrive, the next message is read.
"""
from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ...codec import message_fields as numbers
from ...codec.cdr import Fleet, FleetReader, Sample, TooLargeError
from ...codec.message_batch import MessageBatch
from ...rotations import IDENTITY, Rigid, multiply_xyzw, rotate_rows_xyzw
from ..collision_scene import CollisionScene
from ..frames import geodesy
from ..frames.axes import Axes
from ..frames.frame_tree import FrameError
from ..frames.frames import Frames
from ..parameters.settings import Settings
from ..records import Ledger
from . import motors
from .batches import Batches
from .drone_topics import REFERENCE, DroneTopics, most_topics
from .failures import Failures, error_text
from .fast_fleets import FastFleets
from .fast_path import FastTopics
from .feeding import FORCES, IN_WORLD, MIXED, MOVING, STILL, Feeding
from .fleets import STATE_FIELDS, WRENCH_FIELDS, NameMap, read_fleet
from .hand_inputs import HandInputs
from .limits import limits_of
from .sources import Origins, Source, Surroundings
from .topic import Reader, Topic

__all__ = ['REFERENCE', 'InputAdapter', 'Reader', 'Topic']

# ns; a TwistStamped this much older or newer than its PoseStamped is not used with it
TWIST_AGE = 100_000_000
# degrees, degrees, m: beyond, no place on the earth is meant, nor near it
ON_EARTH = (90.0, 360.0, 1e5)


class InputAdapter(DroneTopics):
    """The inputs of one scene.

    `reader_of(type)` reads whole messages of the types that this package does not read itself, None where the type is
    not known; `ask_tf()` is called for a frame that is not known and says what /tf can do; `warn` is a log.
    """

    def __init__(self, scene: CollisionScene, settings: Settings, reader_of: Callable[[str], Reader | None],
                 ask_tf: Callable[[], str], warn: Callable[[str], object]) -> None:
        self.scene, self._settings, self._reader_of = scene, settings, reader_of
        self.ledger = Ledger()
        self.limits = limits = limits_of(settings)
        self._failures = Failures(warn)
        self._feeding = Feeding(scene, self.ledger, self._failures)
        self.received = 0       # messages taken so far, whatever became of them
        self._reception = 0     # ns, when the message being delivered arrived
        self.frames = Frames(settings, ask_tf)
        spare = settings.world.spare
        self._fast = FastTopics(most_topics(settings), len(settings.drones) + len(settings.hands) + 1
                                + spare.drones + spare.hands)
        self._shared = Surroundings(self.frames, self.ledger, lambda: self._reception, warn, self._fast,
                                    scene.reject)
        self._origins = Origins(scene)
        self._samples, self.hands = Batches(), HandInputs(scene, self.ledger)
        self._states, self._wrenches = (NameMap(scene.drone_index, self._roster) for _ in range(2))
        self._prepare()
        self.fleet = fleet = self._source('fleet', {'stamp': ''})
        self._fleets = FastFleets(self._fast, fleet.number, limits.layouts, self._roster)
        lists = limits.names, limits.name, limits.lists
        states = self._add_topic('hakoniwa_rigid/msg/FleetState', 'fleet/states', fleet, self._fleet_states,
                                 FleetReader(tuple(STATE_FIELDS), *lists), in_parts=True)
        self._states_topic = self.topics[states]
        self._add_topic('hakoniwa_rigid/msg/FleetWrench', 'fleet/wrenches', fleet, self._fleet_wrenches,
                        FleetReader(tuple(WRENCH_FIELDS), *lists), in_parts=True)
        for name, values in settings.drones.items():
            self.drones[name] = self._source(name, values, scene.drone_index[name])
            self._add_drone(self.drones[name])
        for name, values in settings.hands.items():
            self._add_hand(name, values)

    # the inputs

    def _roster(self) -> int:
        return self.scene.roster

    # messages

    def take(self, data: np.ndarray, offsets: np.ndarray, lengths: np.ndarray, topics: np.ndarray,
             receptions: np.ndarray) -> None:
        """Read messages (K,) int64, which lie in data (uint8) at offsets with lengths, of the topics with these
        numbers, received at these times (ns)."""
        self.read(MessageBatch(data, offsets, lengths, topics, receptions), 0, len(topics))

    def read(self, batch: MessageBatch, first: int, last: int) -> None:
        """Read the messages from number `first` to the one before `last`."""
        if self._samples.rows:
            self.flush()    # what they taught holds from now on: nothing may overtake them
        if last - first == 1 and batch.topics[first] == self._states_topic.number and self._fast_states(batch, first):
            self.received += 1
            return
        left = self._fast.read(batch, first, last)
        if self._fixed is not None and left:
            left = self._fixed.read(batch, left)
        self.received += last - first - len(left)
        for k in left:
            topic, reception = self.topics[batch.topics[k]], int(batch.receptions[k])
            if batch.lengths[k] > topic.most_bytes:
                self._too_large(topic, int(batch.lengths[k]), reception)
            else:
                self.deliver(topic, batch.message(k), reception)

    def _arrived(self, reception: int) -> None:
        self._reception = reception

    def deliver(self, topic: Topic, data: bytes, reception: int) -> None:
        """Read one message, received at a time (ns)."""
        if not isinstance(data, bytes):
            raise TypeError(f'data: must be bytes, got {type(data).__name__}')
        if len(data) > topic.most_bytes:
            self._too_large(topic, len(data), reception)
            return
        self.received += 1
        self._reception = reception
        if self._fixed is not None and topic.number in self._fixed:
            self._fixed.read(MessageBatch.of_one(data, topic.number, reception), [0])
            return
        if topic is self._states_topic and self._fast_states(MessageBatch.of_one(data, topic.number, reception), 0):
            return
        try:
            message = topic.reader.read(data)
        except TooLargeError as error:
            topic.source.refuse('too_large', error)
            return
        except Exception as error:  # what readers of other packages raise is not ours to know
            self.ledger.note('malformed', topic.source.key, error_text(error))
            return
        try:
            kind = topic.callback(topic.source, message)
        except numbers.StampError as error:
            topic.source.count()
            topic.source.refuse('out_of_range', error)
        except Exception as error:
            self._fail(topic, error)
        else:
            if kind is not None:
                self._fast.learn(topic.number, kind, topic.source.index, topic.source.number, data, topic.reader)

    def _too_large(self, topic: Topic, size: int, reception: int) -> None:
        """Count a message that is not looked at."""
        self.received += 1
        self._reception = reception
        topic.source.refuse('too_large', f'{topic.name}: {size} bytes, at most {topic.most_bytes} are taken')

    def _fail(self, topic: Topic, error: Exception) -> None:
        """Count a message that failed for an unexpected reason."""
        topic.source.refuse('failed', f'{topic.name}: {error_text(error)}')
        self._failures.report(topic.type, error)

    def put_transforms(self, message, static: bool) -> None:
        """A tf2_msgs/TFMessage of /tf, or of /tf_static."""
        count, topic = len(message.transforms), '/tf_static' if static else '/tf'
        if count > self.limits.transforms:
            self.ledger.note('too_large', topic, f'{count} transforms, at most {self.limits.transforms} are taken')
            return
        for transform in message.transforms:
            # older writers put a slash in front
            frame = transform.child_frame_id.lstrip('/')
            try:
                self._put_transform(transform, frame, static)
            except (FrameError, ValueError) as error:
                self.ledger.note('wrong_transform', frame, error)
            except Exception as error:
                self.ledger.note('failed', topic, error_text(error))
                self._failures.report(topic, error)

    def _put_transform(self, transform, frame: str, static: bool) -> None:
        header, pose = transform.header, transform.transform
        stamp = None if static else numbers.checked_ns(header.stamp)
        self.frames.put(header.frame_id.lstrip('/'), frame, stamp, numbers.xyz(pose.translation),
                        numbers.xyzw(pose.rotation))

    def flush(self) -> None:
        """Give the scene everything that has been taken, each drone's samples in the order of arrival."""
        feed = self._feeding
        for kind, rows, stamps, table in self._fast.drain():
            if kind == FORCES:
                feed.forces(rows, stamps, table)
            else:
                feed.motions(rows, stamps, table, kind == MOVING)
        for moving, rows, stamps, motions in self._fixed.drain() if self._fixed is not None else ():
            feed.motions(rows, stamps, motions, moving)
        for kind, rows, stamps, table in self._samples.drain() if self._samples.rows else ():
            feed.samples(rows, stamps, table, kind)

    def forget(self) -> None:
        """Drop what was taken, and what was learnt about time."""
        self._fast.clear()
        self._samples.clear()
        if self._fixed is not None:
            self._fixed.forget()
        self.frames.tree.forget()
        self.hands.forget()
        for source in self._sources:
            source.forget()

    # what every callback asks first

    def _in_body(self, source: Source, frame_id: str) -> bool:
        return frame_id in ('base_link', source.key, source.values['body_frame'], *source.values['body_frames'])

    def _fast_kind(self, source: Source, kind: int, place: Rigid) -> int | None:
        """The kind, where a frame_id always means the world and stamps are the scene's own."""
        return kind if place is IDENTITY and source.stamp == 'header' else None

    # drones

    def _velocities(self, source: Source, axes: Axes | None, place: Rigid, reported: tuple[float, ...],
                    in_body: bool) -> tuple[int, tuple[float, ...]]:
        """The kind of sample that velocities make, and they in the axes of ROS; those in the world turned by place."""
        linear, angular = reported[:3], reported[3:]
        meant = source.values['linear_velocity']
        if meant == 'world':
            if axes is not None:
                linear, angular = axes.world(linear), axes.body(angular)
            return MIXED, place.vector(linear) + angular
        in_body = in_body or meant == 'body'
        if axes is not None:
            turn = axes.body if in_body else axes.world
            reported = turn(linear) + turn(angular)
        return (MOVING, reported) if in_body else (IN_WORLD, _turned(place, reported))

    def _odometry(self, axes: Axes | None, source: Source, msg: Sample) -> int | None:
        stamp = source.time(numbers.checked_ns(msg.header.stamp))
        place = source.place(msg.header.frame_id, stamp)
        if place is None:
            return None
        child, values = msg.child_frame_id, msg.values
        pose = _moved(place, values[:7] if axes is None else axes.pose(values))
        # the twist is in the child frame, which may be the world
        in_body = not child or not self.frames.means_world(child)
        turn = place if in_body or source.values['linear_velocity'] else self.frames.find(child, stamp)
        kind, velocities = self._velocities(source, axes, turn, values[7:], in_body)
        self._samples.add(kind, source.index, stamp, pose + velocities)
        return self._fast_kind(source, MOVING, place) if kind == MOVING and axes is None else None

    def _pose(self, axes: Axes | None, source: Source, msg: Sample) -> int | None:
        stamp = source.time(numbers.checked_ns(msg.header.stamp))
        place = source.place(msg.header.frame_id, stamp)
        if place is None:
            return None
        source.has_own_message = True
        kind, values = STILL, _moved(place, msg.values if axes is None else axes.pose(msg.values))
        if source.twist is not None and abs(source.twist[0] - stamp) <= TWIST_AGE:
            _, kind, velocities = source.twist
            values += velocities
        self._samples.add(kind, source.index, stamp, values)
        return self._fast_kind(source, STILL, place) if source.twist is None and axes is None else None

    def _twist(self, axes: Axes | None, source: Source, msg: Sample) -> None:
        stamp = source.time(numbers.checked_ns(msg.header.stamp))
        in_body, place = self._in_body(source, msg.header.frame_id), IDENTITY
        if source.values['linear_velocity'] == 'world' or not in_body:
            place = source.place(msg.header.frame_id, stamp)
            if place is None:
                return
        source.twist = (stamp, *self._velocities(source, axes, place, msg.values, in_body))
        for topic in self._poses[source.number]:
            self._fast.forget(topic)

    def _px4_reference(self, source: Source, msg) -> None:
        source.count()
        place = msg.ref_lat, msg.ref_lon, msg.ref_alt
        if not (msg.xy_global and msg.z_global and all(map(math.isfinite, place))):
            return
        if any(abs(x) > most for x, most in zip(place, ON_EARTH, strict=True)):
            source.refuse('out_of_range', f'a reference at {place}: beyond {ON_EARTH} (degrees, degrees, m)')
            return
        source.start = geodesy.offset(self._settings.node['reference'], place)

    def ask_tf(self, now: int) -> None:
        """Take the poses of the drones that only /tf tells of; now: the time in ns."""
        for source in self.by_tf:
            try:
                self._ask_tf(source, now)
            except Exception as error:
                source.refuse('failed', f'/tf: {error_text(error)}')
                self._failures.report('/tf', error)

    def lost_on_tf(self) -> dict[str, str]:
        """Drones that only /tf tells of and that it has never placed, and why not."""
        return {source.key: source.trouble for source in self.by_tf if source.tf_stamp == -1 and source.trouble}

    def _ask_tf(self, source: Source, now: int) -> None:
        """The newest pose of a drone that /tf tells of, where it is newer than the last."""
        if source.has_own_message:    # a message says it better
            source.trouble = ''
            return
        frame = source.values['tf_frame'] or source.values['body_frame']
        try:
            newest = self.frames.newest(frame)
            if newest == source.tf_stamp:
                return
            place = self.frames.find(frame, now if newest is None else newest)
        except FrameError as error:
            source.trouble = str(error)
            return
        source.tf_stamp, source.trouble = newest, ''
        place = place if source.way_back is None else source.way_back.after(place)
        self._reception = now
        self._samples.add(STILL, source.index, source.time(newest or 0), (*place.position, *place.orientation))

    def _wrench(self, source: Source, msg: Sample) -> int | None:
        stamp = source.time(numbers.checked_ns(msg.header.stamp))
        frame_id = msg.header.frame_id
        if frame_id and not self._in_body(source, frame_id):
            hint = f'{frame_id!r}, a wrench is in body axes: {source.values["body_frame"]!r} or empty'
            self.ledger.note('wrong_frame', source.key, hint)
            return None
        self._samples.add(FORCES, source.index, stamp, msg.values)
        return self._fast_kind(source, FORCES, IDENTITY)

    def _motor_speed(self, source: Source, msg) -> None:
        stamp = source.time(numbers.checked_ns(msg.header.stamp))
        self.scene.feed_motor_speeds(source.key, stamp, np.array(msg.velocity))

    def _motor_duty(self, duty: motors.Duty, most: np.ndarray, source: Source, msg) -> None:
        stamp = source.time(numbers.checked_us(getattr(msg, duty.time)))
        self.scene.feed_motor_speeds(source.key, stamp, motors.speeds(duty, msg, most))

    # fleets

    def _fleet_states(self, source: Source, msg: Fleet) -> None:
        stamp = source.time(numbers.checked_ns(msg.header.stamp))
        place = source.place(msg.header.frame_id, stamp)
        if place is None:
            return
        found = read_fleet(self._states, msg, 'fleet/states', STATE_FIELDS, self.ledger)
        if found is None:
            return
        indices, (position, orientation, linear, angular) = found
        with np.errstate(all='ignore'):  # the scene says what is not finite
            angular = rotate_rows_xyzw(orientation, angular)
            if place is not IDENTITY:
                position, orientation = place.points(position), place.orientations(orientation)
                linear, angular = place.vectors(linear), place.vectors(angular)
            if not self.frames.means_world(msg.header.frame_id):
                fed = self._origins.take_back(indices, position, orientation, linear, angular)
                position, orientation, linear, angular = fed
        self.scene.feed_drones(indices, stamp, position, orientation, linear, angular)
        if self._fast_kind(source, IN_WORLD, place) and len(indices) == len(msg.names) \
                and self.frames.means_world(msg.header.frame_id):
            self._fleets.learn(msg, indices)

    def _fast_states(self, batch: MessageBatch, k: int) -> bool:
        """Give the scene the states of a fleet, message k, where a message like it has come before."""
        found = self._fleets.read(batch, k)
        if found is not None:
            self._feeding.motions(found.drones, found.stamps, found.motions, True)
        return found is not None

    def _fleet_wrenches(self, source: Source, msg: Fleet) -> None:
        stamp = source.time(numbers.checked_ns(msg.header.stamp))
        found = read_fleet(self._wrenches, msg, 'fleet/wrenches', WRENCH_FIELDS, self.ledger)
        if found is not None:
            indices, (forces, torques) = found
            self.scene.feed_wrenches(indices, stamp, forces, torques)


def _moved(place: Rigid, pose: tuple[float, ...]) -> tuple[float, ...]:
    """Position and orientation x, y, z, w, carried over."""
    if place is IDENTITY:
        return pose
    return place.point(pose[:3]) + multiply_xyzw(place.orientation, pose[3:])


def _turned(place: Rigid, velocities: tuple[float, ...]) -> tuple[float, ...]:
    """Linear and angular velocity, carried over."""
    return velocities if place is IDENTITY else place.vector(velocities[:3]) + place.vector(velocities[3:])
