# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Judges a case of messages: an adapter over a scene takes them, and a healthy drone flies on beside them."""
from __future__ import annotations

import base64
from functools import cache

import numpy as np
from adapters import make_adapter, make_settings
from cdr_messages import REPRESENTATIONS, sample
from guard_page import at_page_end
from scene_worlds import MODEL, floor

from hakoniwa_rigid.codec.cdr import CdrError
from hakoniwa_rigid.replay.bag.types import Decoder
from hakoniwa_rigid.replay.rerun.bag_input import TypeReader, reader_of
from hakoniwa_rigid.scene.world_files.world_file import load_drone_model
from hakoniwa_rigid.scene.world_files.world_types import CollisionBits, DroneConfig, Pose

from .judging import Meter, need
from .message_ops import DECODED, DRONES, store_of
from .slots import Slots
from .worlds import DRONES as MODELS

HEALTHY = 'the-healthy-one'
TF = 'tf2_msgs/msg/TFMessage'
# bytes of a place for a message; larger ones get pages of their own
PLACES, PLACE = 64, 8192
UPRIGHT = (0.0, 0.0, 0.0, 1.0)
SOURCES = {'odom': 'odom', 'pose': 'pose', 'px4': 'px4', 'twists': 'twist_pose', 'motors': 'fleet',
           'joints': 'pose_or_tf', 'poses': 'tf', 'synced': 'odom', 'everything': 'px4'}
HANDS = {'joints': ('hand_joints', 'hand_joints'), 'poses': ('pose_array', 'pose'), 'synced': ('pose', 'hand_joints'),
         'everything': ('hand_joints', 'twist_pose')}


@cache
def _decoder() -> Decoder:
    store = store_of()
    return Decoder({kind: store.generate_msgdef(kind, ros_version=2)[0] for kind in DECODED
                    if not kind.startswith(('geometry_msgs', 'hakoniwa_rigid'))})


@cache
def _places() -> Slots:
    return Slots(PLACES, PLACE)


def adapter_of(setup: str):
    """An adapter with its scene, by the word of a case."""
    authority = 'simulate' if setup == 'motors' else 'correct'
    model = load_drone_model(MODELS / 'crazyflie.yaml') if setup == 'motors' else MODEL
    drones = [DroneConfig(name, model, Pose((0.4 * k, 0.0, 1.0)), authority, collision=CollisionBits(1, 1))
              for k, name in enumerate(DRONES)]
    drones.append(DroneConfig(HEALTHY, MODEL, Pose((100.0, 0.0, 5.0)), 'correct', collision=CollisionBits(2, 2)))
    reported = {'source': SOURCES[setup], 'stamp': 'synced' if setup == 'synced' else ''}
    if setup == 'motors':
        reported |= {'topic_px4_motors': 'd/motors', 'topic_motor_duty': 'd/duty', 'topic_motor_speed': 'd/speed'}
    if setup == 'px4':
        reported |= {'topic_px4_reference': 'd/reference'}
    drone = {name: {k: v.replace('d/', f'{name}/') if k.startswith('topic') else v for k, v in reported.items()}
             for name in DRONES}
    drone[HEALTHY] = {'source': 'odom'}
    hands = ('right', 'left') if setup in HANDS else ()
    node = {'reference': (47.0, 8.0, 400.0)} if setup == 'px4' else {}
    settings = make_settings(*drones, drone=drone, node=node, walls=(floor(),), hands=hands)
    for hand, kind in zip(hands, HANDS.get(setup, ()), strict=True):
        settings.hands[hand]['type'] = kind
    kinds = (*DECODED, 'px4_msgs/msg/VehicleOdometry', 'geometry_msgs/msg/PoseStamped', 'geometry_msgs/msg/Twist')
    readers = {kind: _reader(kind) for kind in kinds}
    return make_adapter(settings, readers=readers)


def _reader(kind: str):
    return TypeReader(_decoder(), kind) if kind in DECODED else reader_of(_decoder(), kind)


@cache
def topics_of(setup: str) -> list[tuple[str, str]]:
    """(name, type) of the inputs, the healthy drone's apart."""
    return [(t.name, t.type) for t in adapter_of(setup).topics if t.source.key != HEALTHY]


class Run:
    """One run; alone: only the healthy drone's messages are given."""

    def __init__(self, setup: str, meter: Meter, alone: bool) -> None:
        self.adapter, self.meter, self.alone = adapter_of(setup), meter, alone
        self.scene, self.clock, self.bits, self.given = self.adapter.scene, 0, [], 0
        self.number = {(t.name, t.source.key == HEALTHY): t.number for t in self.adapter.topics}
        self.transforms = TypeReader(_decoder(), TF)

    def play(self, ops: list) -> None:
        for op in ops:
            if not self.alone or op[0] in ('tick', 'forget'):
                getattr(self, op[0])(*op[1:])

    def _batch(self, messages: list[tuple[int, bytes]]) -> None:
        """Through take, each ending at the end of memory."""
        for first in range(0, len(messages), PLACES):
            piece, slots = messages[first:first + PLACES], _places()
            if max(len(data) for _, data in piece) > PLACE:
                for topic, data in piece:
                    self._take(at_page_end(data), [0], [len(data)], [topic])
                continue
            for k, (_, data) in enumerate(piece):
                slots.put(k, data)
            lengths = [len(data) for _, data in piece]
            offsets = [slots.offset(k, n) for k, n in enumerate(lengths)]
            self._take(slots.memory, offsets, lengths, [topic for topic, _ in piece])

    def _take(self, data: np.ndarray, offsets: list, lengths: list, topics: list) -> None:
        arrays = (np.array(a, dtype=np.int64) for a in (offsets, lengths, topics, [self.clock] * len(topics)))
        self.meter.call('take', self.adapter.take, data, *arrays)
        self.given += len(topics)
        need(self.adapter.received == self.given, 'take lost count', f'{self.adapter.received} of {self.given}')

    def _read(self, names: list, datas: list) -> list[tuple[int, bytes]]:
        self.meter.inputs += len(names)
        return [(self.number[name, False], base64.b64decode(data)) for name, data in zip(names, datas, strict=True)]

    def take(self, names: list, datas: list) -> None:
        self._batch(self._read(names, datas))

    def deliver(self, names: list, datas: list) -> None:
        for topic, data in self._read(names, datas):
            self.meter.call('deliver', self.adapter.deliver, self.adapter.topics[topic], data, self.clock)
            self.given += 1

    def tf(self, data: str, static: bool) -> None:
        self.meter.inputs += 1
        try:
            message = self.transforms.read(base64.b64decode(data))
        except CdrError:
            return
        self.meter.call('put_transforms', self.adapter.put_transforms, message, static)

    def forget(self) -> None:
        self.meter.call('forget', self.adapter.forget)

    def tick(self, period: int) -> None:
        data = sample('Odometry', REPRESENTATIONS[0], divmod(self.clock, 10**9), ('world', 'base_link'),
                      [100.0 + 1e-9 * self.clock, 0.0, 5.0, *UPRIGHT, *[0.0] * 36, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0,
                       *[0.0] * 36])
        self._batch([(self.number[_topic(HEALTHY), True], data)])
        self.meter.call('ask_tf', self.adapter.ask_tf, self.clock)
        self.meter.call('flush', self.adapter.flush)
        self.clock += period
        tick = self.meter.call('advance', self.scene.advance, self.clock)
        for array in tick.states[1:5]:
            need(np.isfinite(array).all(), 'tick not finite', array)
        self.bits.append(b''.join(a[-1:].tobytes() for a in tick.states[1:]))


def _topic(name: str) -> str:
    return f'{name.replace("-", "_")}/odom'


def judge(case: dict, meter: Meter) -> None:
    """BrokenPromiseError where a promise is broken."""
    runs = [Run(case['setup'], meter, alone) for alone in (False, True)]
    for run in runs:
        run.play(case['ops'])
    for k, (a, b) in enumerate(zip(*(run.bits for run in runs), strict=True)):
        need(a == b, 'healthy bits changed', f'tick {k}')
