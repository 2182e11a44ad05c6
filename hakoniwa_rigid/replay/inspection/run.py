# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Looks through a bag once and says what is in it."""
from __future__ import annotations

from math import inf
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.paths import config_file
from hakoniwa_rigid.replay.bag.reader import Bag, TopicInfo
from hakoniwa_rigid.replay.bag.types import definition_of
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.replay.inspection import drones
from hakoniwa_rigid.replay.inspection.drones import Cast
from hakoniwa_rigid.replay.inspection.proximity import Encounter, Proximity
from hakoniwa_rigid.replay.inspection.topics import Clock, Gap, Thinned, TopicStamps, begins_with_header
from hakoniwa_rigid.scene.world_files import world_file
from hakoniwa_rigid.scene.world_files.world_types import DroneModel

SAME_CLOCK = NANOSECONDS // 10      # header stamps this close to the log time are taken as they are
# a header stamp that strays further from where its topic's clock was is a new beginning
ASTRAY = NANOSECONDS // 2
# sent when something happens: pauses are no gaps
UNEVEN = ('hakoniwa_rigid/msg/ContactEventArray', 'hakoniwa_rigid/msg/ConstraintEventArray')


class Topic(NamedTuple):
    """What a topic's stamps say."""

    info: TopicInfo
    rate: float             # messages per s; 0 with fewer than two
    is_regular: bool
    gaps: tuple[Gap, ...]
    clock: Clock | None     # None: the type has no header, or there are no messages


class Inspection(NamedTuple):
    """What is in a bag."""

    path: Path
    start_ns: int
    end_ns: int
    message_count: int
    topics: tuple[Topic, ...]
    drones: dict[str, Thinned]       # (t in s since the start, x, y, z) by name
    drone_topics: tuple[str, ...]    # where the drones were found
    are_corrected: bool              # these are outputs of the collision node
    hands: dict[str, str]
    frames: dict[str, str]           # which way z points, by frame_id
    bodies: dict[str, str]           # which way z of an IMU points, by topic
    model: str                       # of whom the shapes are; several: with commas
    near: float                      # m
    encounters: tuple[Encounter, ...]
    warnings: tuple[str, ...]


def models_of(world: str | None, model: str) -> tuple[DroneModel, dict[str, DroneModel]]:
    """The model of drones that have no other, and those of the drones of a world file.  WorldFileError, OSError."""
    path = Path(model)
    found = world_file.load_drone_model(path if path.is_file() else config_file('drones', f'{model}.yaml'))
    if world is None:
        return found, {}
    return found, {drone.name: drone.model for drone in world_file.load(world).drones}


def inspect(path: Path, model: DroneModel, models: dict[str, DroneModel], near: float) -> Inspection:
    """Reads the bag once.  BagError where it cannot be read, or ``near`` (m) is no distance."""
    if not 0.0 <= near < inf:
        raise BagError(f'--near: must be 0 or more, m, got {near:g}')
    with Bag(path) as bag:
        return _Look(bag, model, models, near).result()


class _Look:
    """What gathers while the messages pass by."""

    def __init__(self, bag: Bag, model: DroneModel, models: dict[str, DroneModel], near: float) -> None:
        self.bag, self.model, self.models = bag, model, models
        self.stamps = {topic.name: TopicStamps(begins_with_header(definition_of(topic.type, topic.definition)))
                       for topic in bag.topics}
        self.cast = Cast(bag)
        self.proximity = Proximity(model, models, near)
        self.tracks: dict[str, Thinned] = {}
        self.anchors: dict[str, int] = {}

    def result(self) -> Inspection:
        """Reads all messages."""
        bag, cast = self.bag, self.cast
        for message in tqdm(bag.messages(), total=bag.message_count, unit=' messages', disable=None, leave=False):
            header = self.stamps[message.topic].add(message.stamp_ns, message.data)
            for sample in cast.samples(message):
                t = self._time(message.topic, message.stamp_ns, header)
                self.proximity.add(sample.drone, t, sample.position, sample.orientation)
                track = self.tracks.get(sample.drone)
                if track is None:
                    track = self.tracks[sample.drone] = Thinned()
                if track.is_due():
                    track.take(((t - bag.start_ns) / NANOSECONDS, *sample.position))
        self.proximity.finish()
        topics = tuple(self._topic(info) for info in bag.topics)
        return Inspection(
            bag.path, bag.start_ns, bag.end_ns, bag.message_count, topics, dict(sorted(self.tracks.items())),
            tuple(sorted(cast.readers)), cast.from_outputs, dict(sorted(cast.hands.items())),
            {frame: drones.up_axis(frame, height) for frame, height in sorted(cast.frames.items())},
            {topic: drones.body_axis(values) for topic, values in sorted(cast.gravity.items())},
            self._model_names(), self.proximity.near, tuple(self.proximity.encounters), tuple(self._warnings(topics)))

    def _time(self, topic: str, stamp_ns: int, header: int | None) -> int:
        """The time of a sample on the clock of the log: header stamps have no jitter, but may be of another clock."""
        if header is None:
            return stamp_ns
        offset = stamp_ns - header
        anchor = self.anchors.get(topic)
        if anchor is None or abs(offset - anchor) > ASTRAY:
            anchor = self.anchors[topic] = 0 if abs(offset) < SAME_CLOCK else offset
        return header + anchor

    def _model_names(self) -> str:
        """Those of the drones that are in the bag."""
        return ', '.join(sorted({self.models.get(name, self.model).name for name in self.tracks} or {self.model.name}))

    def _topic(self, info: TopicInfo) -> Topic:
        found = self.stamps[info.name]
        clock = found.clock.result() if found.has_header else None
        if info.type in UNEVEN:
            return Topic(info, found.rate, False, (), clock)
        return Topic(info, found.rate, found.is_regular, tuple(found.gaps()), clock)

    def _warnings(self, topics: tuple[Topic, ...]) -> list[str]:
        texts = list(self.bag.warnings)
        for topic in topics:
            name = topic.info.name
            if topic.gaps:
                worst = max(topic.gaps, key=lambda gap: gap.seconds)
                texts.append(f'{name}: {len(topic.gaps)} gaps, the longest {worst.seconds:.3f} s at '
                             f'{(worst.at_ns - self.bag.start_ns) / NANOSECONDS:.3f} s')
            if topic.clock and topic.clock.step_count:
                worst = max(topic.clock.steps, key=lambda step: abs(step.seconds))
                texts.append(f'{name}: header stamps step {topic.clock.step_count} times against the log time, the '
                             f'largest by {worst.seconds:+.3f} s at '
                             f'{(worst.at_ns - self.bag.start_ns) / NANOSECONDS:.3f} s')
            if topic.clock and topic.clock.backward_count:
                texts.append(f'{name}: header stamps go back {topic.clock.backward_count} times')
            if self.stamps[name].short:
                texts.append(f'{name}: {self.stamps[name].short} messages are too short for their header')
        for name, (count, reason) in sorted(self.cast.unreadable.items()):
            texts.append(f'{name}: {count} messages are not usable: {reason}')
        if len(self.cast.frames) > 1:
            texts.append(f'drones are in several frames ({", ".join(sorted(self.cast.frames))}); they are not turned '
                         'into one for the distances')
        if self.proximity.problem:
            texts.append(self.proximity.problem)
        return texts
