# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Which topics each drone and hand is read from: those that are served from the start, and those that come and leave
while the scene runs.  A part of InputAdapter.

A topic has a number and a source has one; tables of the compiled loops are as large as these may become.  So there is
room for the topics of as many as the world has spare places, and the numbers of what has left are used again.
"""
from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ...codec.cdr import ODOMETRY, POSE, TWIST, WRENCH, SampleReader
from ..collision_scene import CollisionScene
from ..errors import SettingsError
from ..frames.axes import AXES
from ..parameters.settings import Settings, Values
from ..world_files.world_types import DroneConfig
from . import motors
from .fast_path import FastTopics
from .fixed_layouts import BODY_VELOCITY, VEHICLE, WORLD_VELOCITY, FixedTopics
from .fixed_layouts import ODOMETRY as PX4_ODOMETRY
from .fixed_layouts import POSE as TWIST_POSE
from .hand_inputs import TWISTS, HandInputs
from .limits import Limits
from .sources import Origins, Source, Surroundings
from .topic import Reader, Topic

__all__ = ['REFERENCE', 'TOPICS_OF_ONE', 'DroneTopics', 'most_topics', 'topics_named']

REFERENCE = 'px4_msgs/msg/VehicleLocalPosition'
# topics that a drone that comes may be read from
TOPICS_OF_ONE = 16


class DroneTopics:
    """See the module.  drones, hand_sources: the sources by name, for diagnostics; by_tf: those that /tf tells of."""

    scene: CollisionScene
    limits: Limits
    hands: HandInputs
    _settings: Settings
    _reader_of: Callable[[str], Reader | None]
    _fast: FastTopics
    _shared: Surroundings
    _origins: Origins

    def _prepare(self) -> None:
        """No topics yet."""
        self.topics: list[Topic] = []
        self.by_tf: list[Source] = []
        self.drones: dict[str, Source] = {}
        self.hand_sources: dict[str, Source] = {}
        self._sources: list[Source] = []
        self._poses: dict[int, list[int]] = {}    # topics of the poses of a source with twists
        self._own: dict[int, list[int]] = {}    # numbers of the topics of a source
        self._free_topics: list[int] = []
        self._free_sources: list[int] = []
        self._fixed: FixedTopics | None = None

    def connect(self, name: str, values: Values) -> list[Topic]:
        """Read a drone or a hand that has come from topics of its own: values of its parameters (params.DRONE, HAND).
        Returns these topics.  SettingsError, with nothing changed, where it cannot be; LookupError where there is no
        such drone or hand."""
        if name in self.hand_sources:
            raise SettingsError(f'parameter hands.{name}: is read already')
        if name in self.scene.hand_names:
            self._check_room(name)
            self._add_hand(name, values)
            return [self.topics[number] for number in self._own[self.hand_sources[name].number]]
        if name in self.drones:
            raise SettingsError(f'parameter drones.{name}: is read already')
        if sum(len(topics_named(v)) for key, v in values.items() if key.startswith('topic')) > 2 * TOPICS_OF_ONE:
            raise SettingsError(f'parameter drones.{name}: at most {2 * TOPICS_OF_ONE} names of topics are taken')
        self._check_room(name)
        source = self._source(name, values, self.scene.drone_index[name])
        self.drones[name] = source
        try:
            self._add_drone(source)
            if len(self._own[source.number]) > TOPICS_OF_ONE:
                raise SettingsError(f'parameter drones.{name}: at most {TOPICS_OF_ONE} topics are read, got '
                                    f'{len(self._own[source.number])}')
        except Exception:
            self.disconnect(name)
            raise
        return [self.topics[number] for number in self._own[source.number]]

    def _check_room(self, name: str) -> None:
        if not self._free_sources and len(self._sources) >= len(self._fast.received):
            raise SettingsError(f'{name}: there is no room for more drones and hands than the world has places')

    def _add_hand(self, name: str, values: Values) -> None:
        source = self.hand_sources[name] = self._source(name, values)
        kind, callback = self.hands.listen(source)
        self._add_topic(kind, values['topic'], source, callback)

    def disconnect(self, name: str) -> None:
        """A drone or a hand that has come is read no longer."""
        source = self.drones.pop(name, None) or self.hand_sources.pop(name)
        self.hands.drop(name)
        numbers = self._own.pop(source.number)
        self._fast.give_back(numbers, source.number)
        for number in numbers:
            if self._fixed is not None:
                self._fixed.drop(number)
        self._poses.pop(source.number, None)
        self.by_tf[:] = [one for one in self.by_tf if one is not source]
        # the first are given out first, as they were
        self._free_topics = sorted({*self._free_topics, *numbers}, reverse=True)
        self._free_sources = sorted({*self._free_sources, source.number}, reverse=True)

    def _source(self, name: str, values: Values, index: int = -1) -> Source:
        stamp = values['stamp'] or self._settings.node['stamp']
        number = self._free_sources.pop() if self._free_sources else len(self._sources)
        source = Source(number, name, values, stamp, self._shared, index, self._origins.way_back(index))
        self._sources[number:number + 1] = [source]
        self._own[number] = []
        return source

    def _add_topic(self, kind: str, name: str, source: Source, callback, reader: Reader | None = None,
                   in_parts: bool = False) -> int:
        """Read a topic; its number."""
        reader = reader or self._reader_of(kind)
        number = self._free_topics.pop() if self._free_topics else len(self.topics)
        self.topics[number:number + 1] = [Topic(number, source, kind, name, reader, callback, in_parts,
                                                self.limits.bytes_of(kind))]
        self._own[source.number].append(number)
        return number

    def _add_fixed_topic(self, kind: str, name: str, source: Source, what: int) -> None:
        if self._fixed is None:
            self._fixed = FixedTopics({}, most_topics(self._settings), len(self.scene.drone_names), self._arrived,
                                      lambda number, error: self._fail(self.topics[number], error))
        self._fixed.add(self._add_topic(kind, name, source, None), what, source)

    def _add_drone(self, source: Source) -> None:
        values = source.values
        self._add_motors(source)
        if values['source'] in ('tf', 'pose_or_tf'):
            self.by_tf.append(source)
        if not self._settings.node['per_drone_topics']:
            return
        if values['source'] == 'odom':
            for topic, axes in (('topic_odom', values['axes']), ('topic_odom_rfu', 'rfu')):
                for name in topics_named(values[topic]):
                    self._add_topic('nav_msgs/msg/Odometry', name, source, partial(self._odometry, AXES[axes]),
                                    SampleReader(ODOMETRY))
        elif values['source'] in ('pose', 'pose_or_tf'):
            self._add_poses(source)
        elif values['source'] == 'px4':
            self._add_px4(source)
        elif values['source'] == 'twist_pose':
            self._add_twist_poses(source)
        self._add_topic('geometry_msgs/msg/WrenchStamped', values['topic_wrench'], source, self._wrench,
                        SampleReader(WRENCH))

    def _add_poses(self, source: Source) -> None:
        axes, poses = AXES[source.values['axes']], []
        self._poses[source.number] = poses
        for name in topics_named(source.values['topic_pose']):
            poses.append(self._add_topic('geometry_msgs/msg/PoseStamped', name, source, partial(self._pose, axes),
                                         SampleReader(POSE)))
        for name, pose in zip(topics_named(source.values['topic_twist']), poses, strict=False):
            self._fast.follow(pose, self._add_topic('geometry_msgs/msg/TwistStamped', name, source,
                                                    partial(self._twist, axes), SampleReader(TWIST)))

    def _add_px4(self, source: Source) -> None:
        node = self._settings.node
        asked = f' (asked for by sim: {node["sim"]})' if node['sim'] else ''
        motors.need(source.key, 'source: px4', VEHICLE, self._reader_of(VEHICLE), asked)
        for name in topics_named(source.values['topic_px4']):
            self._add_fixed_topic(VEHICLE, name, source, PX4_ODOMETRY)
        for name in topics_named(source.values['topic_px4_reference']) if node['reference'] else ():
            motors.need(source.key, 'topic_px4_reference', REFERENCE, self._reader_of(REFERENCE), asked)
            source.start = None
            self._add_topic(REFERENCE, name, source, self._px4_reference)

    def _add_twist_poses(self, source: Source) -> None:
        source.stamp = 'receive'    # they have no header
        velocity = WORLD_VELOCITY if source.values['linear_velocity'] == 'world' else BODY_VELOCITY
        # a tick empties the queues in this order: a pose finds the velocity that was sent with it
        for name in topics_named(source.values['topic_velocity']):
            self._add_fixed_topic(TWISTS, name, source, velocity)
        for name in topics_named(source.values['topic_pos']):
            self._add_fixed_topic(TWISTS, name, source, TWIST_POSE)

    def _add_motors(self, source: Source) -> None:
        node, values, config = self._settings.node, source.values, self._config_of(source)
        known = self._reader_of(motors.ACTUATORS) is not None
        topic = motors.speeds_topic(source.key, values, known, node['per_drone_topics'])
        if topic:
            self._add_topic(motors.ACTUATORS, topic, source, self._motor_speed)
        for duty in motors.DUTIES if node['per_drone_topics'] else ():
            topic = values[duty.parameter]
            fault = topic and motors.fault(duty, config, self._reader_of(duty.type) is not None)
            # a preset names the topic also where it is not needed
            if fault and (values['authority'] or config.authority) == 'simulate':
                raise SettingsError(f'parameter drones.{source.key}.{duty.parameter}: {fault}')
            if topic and not fault:
                self._add_topic(duty.type, topic, source, partial(self._motor_duty, duty, motors.largest(config)))

    def _config_of(self, source: Source) -> DroneConfig:
        drones = self._settings.world.drones
        if source.index < len(drones):
            return drones[source.index]
        return next(drone for drone in self.scene.config.drones if drone.name == source.key)


def topics_named(topics: str) -> list[str]:
    """The topics that a parameter names, each once."""
    return list(dict.fromkeys(filter(None, topics.split(','))))


def most_topics(settings: Settings) -> int:
    """No fewer than there ever are: a motor speed of each drone has no parameter, fleets have two topics."""
    drones = sum(len(topics_named(value)) for values in settings.drones.values() for key, value in values.items()
                 if key.startswith('topic'))
    come = settings.world.spare.drones * 2 * TOPICS_OF_ONE + settings.world.spare.hands
    return drones + len(settings.drones) + len(settings.hands) + 2 + come
