# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Messages for an adapter: valid ones of every type that it reads, and what becomes of them on a bad way."""
from __future__ import annotations

import base64
import struct
from functools import cache
from pathlib import Path

import numpy as np
from cdr_messages import LAYOUTS, REPRESENTATIONS, Encoder, fleet, sample

from .values import ODD, Chance

MS = 1_000_000
# how the inputs are given, by the word of a case
SETUPS = ('odom', 'pose', 'px4', 'twists', 'motors', 'joints', 'poses', 'synced', 'everything')
DRONES = ('d0', 'd1', 'd2')
FRAMES = ('', 'world', 'map', 'moved', 'd0/base_link', 'nowhere', 'base_link', 'x' * 300)
MESSAGES, PIECE = 400, 40
LENGTHS = (0, 1, 2, 0xFFFFFFFF, 4_000_000_000, 2**31, 2**31 - 1, 0xFFFFFFF8, 0x20000000, 100, 65535)
DECODED = ('geometry_msgs/msg/PoseArray', 'hakoniwa_rigid/msg/HandJoints', 'tf2_msgs/msg/TFMessage',
           'px4_msgs/msg/ActuatorMotors', 'px4_msgs/msg/VehicleLocalPosition', 'actuator_msgs/msg/Actuators',
           'hako_mavlink_msgs/msg/HakoHilActuatorControls')


class Maker:
    """Draws the messages of one case."""

    def __init__(self, seed, gentle: bool = False) -> None:
        self.chance = Chance(seed, gentle)
        self.setup = self.chance.one(SETUPS[:-1] if gentle else SETUPS)

    def case(self) -> dict:
        """Pieces of messages, each followed by a tick; bytes as base64."""
        from .message_case import topics_of
        topics, ops, c = topics_of(self.setup), [], self.chance
        seen: dict[str, bytes] = {}
        for _ in range(MESSAGES // PIECE):
            chosen = [c.one(topics) for _ in range(PIECE)]
            datas = []
            for _, kind in chosen:
                data = self.valid(kind)
                if not c.happens(0.15):
                    data = self.spoilt(data, seen.get(kind, data))
                seen[kind] = data
                datas.append(base64.b64encode(data).decode())
            op = 'take' if c.happens(0.7) else 'deliver'
            ops.append([op, [name for name, _ in chosen], datas])
            if c.happens(0.3):
                data = self.valid('tf2_msgs/msg/TFMessage')
                data = self.spoilt(data, data) if c.happens(0.7) else data
                ops.append(['tf', base64.b64encode(data).decode(), c.happens(0.3)])
            ops.append(['tick', 5 * MS])
            if c.happens(0.05):
                ops.append(['forget'])
        return {'kind': 'messages', 'setup': self.setup, 'ops': ops}

    # valid ones

    def valid(self, kind: str) -> bytes:
        """A message of a type, the numbers mostly sensible."""
        c = self.chance
        form = c.one(REPRESENTATIONS) if c.happens(0.3) else REPRESENTATIONS[0]
        stamp, frame = self.stamp(), self.frame()
        short = kind.rpartition('/')[2]
        if short in LAYOUTS:
            width = sum(LAYOUTS[short][1])
            numbers = self.numbers(width)
            if short in ('Odometry', 'PoseStamped'):
                numbers[3:7] = c.quaternion()
            child = c.one(('', 'base_link', 'd0/base_link', 'world'))
            return sample(short, form, stamp, (frame, child), numbers)
        if short in ('FleetState', 'FleetWrench'):
            names = [c.one((*DRONES, 'unknown')) for _ in range(c.whole(0, 5))] if c.happens(0.99) else ['d0'] * 5000
            widths = (3, 4, 3, 3) if short == 'FleetState' else (3, 3)
            arrays = [self.numbers(w * len(names)) for w in widths]
            return fleet(form, stamp, frame, names, arrays)
        if short == 'Twist':
            return Encoder(*form).put('d', *self.numbers(6)).message()
        if short == 'VehicleOdometry':
            return self._vehicle()
        return self._decoded(kind, stamp, frame)

    def stamp(self) -> tuple[int, int]:
        c = self.chance
        if c.happens(0.9):
            return 0, c.whole(0, 300 * MS)
        return c.one(((0, 0), (-1, 0), (2**31 - 1, 2**32 - 1), (-(2**31), 0), (1, 0), (100, 5), (0, 2**32 - 1)))

    def frame(self) -> str:
        return self.chance.one(FRAMES) if self.chance.happens(0.3) else 'world'

    def numbers(self, n: int) -> list[float]:
        c = self.chance
        values = (c.rng.normal(size=n) * 0.5).tolist()
        if n and c.happens(0.1):
            values[c.whole(0, n)] = c.one((*ODD, 5e5, 1e4, 9.9e3) if not c.gentle else (*ODD, 5e5))
        return values

    def _vehicle(self) -> bytes:
        c = self.chance
        floats = np.array(self.numbers(22), dtype=float)
        floats[3:7] = c.quaternion()
        f = np.clip(floats, -3e38, 3e38).astype(np.float32).tolist()
        us = c.whole(0, 300_000)
        if c.happens(0.1) and not c.gentle:
            us = c.one((0, 2**64 - 1, 2**63))
        return b'\0\1\0\0' + struct.pack('<QQB3x7fB3x6f9fBb', us, us, c.whole(0, 4), *f[:7], c.whole(0, 5), *f[7:13],
                                         *f[13:22], 0, 0)

    def _decoded(self, kind: str, stamp, frame: str) -> bytes:
        """Those that rosbags writes."""
        c, store, t = self.chance, store_of(), store_of().types
        vector, point, quaternion = (t[f'geometry_msgs/msg/{x}'] for x in ('Vector3', 'Point', 'Quaternion'))

        def pose(_=None):
            return t['geometry_msgs/msg/Pose'](point(*self.numbers(3)), quaternion(*map(float, c.quaternion())))

        header = t['std_msgs/msg/Header'](t['builtin_interfaces/msg/Time'](*stamp), frame)
        short = kind.rpartition('/')[2]
        count = c.one((25, 26, 21, 1, 0, 3)) if c.happens(0.98) else 2000
        if short == 'PoseArray':
            message = t[kind](header, [pose() for _ in range(count)])
        elif short == 'HandJoints':
            radii = np.array(self.numbers(c.one((count, 0, 2))), dtype=np.float64)
            valid = np.ones(c.one((0, count, 3)), dtype=bool)
            names = [c.one(('wrist', 'thumb-tip', 'INDEX_FINGER_MCP', '', 'x'))] * c.one((0, 0, count, 1))
            with np.errstate(all='ignore'):
                message = t[kind](header, c.one(('right', 'left', '', 'unknown')), names,
                                  [pose() for _ in range(count)], radii.astype(np.float32), valid)
        elif short == 'TFMessage':
            where = t['geometry_msgs/msg/Transform'](vector(*self.numbers(3)), quaternion(*map(float, c.quaternion())))
            names = ('world', 'moved', 'd0/base_link', 'd1/base_link', 'map', '')
            message = t[kind]([t['geometry_msgs/msg/TransformStamped'](header, c.one(names), where)
                               for _ in range(c.whole(0, 4))])
        elif short == 'Actuators':
            message = t[kind](header, *(np.array(self.numbers(c.one((4, 0, 3)))) for _ in range(3)))
        else:
            return self._fields(kind)
        return bytes(store.serialize_cdr(message, kind, little_endian=c.happens(0.8)))

    def _fields(self, kind: str) -> bytes:
        """A flat message by its definition: numbers and arrays of numbers."""
        store, args = store_of(), []
        for _, (form, detail) in store.fielddefs[kind][1]:
            array = form in (3, 4)
            base = detail[0][1][0] if array else detail[0]
            width = detail[1] if array else 1
            if base in ('float32', 'float64'):
                with np.errstate(all='ignore'):
                    made = np.array(self.numbers(width)).astype(base)
            else:
                made = np.array([self.chance.whole(0, 100) for _ in range(width)]).astype(base.replace('bool', '?'))
            args.append(made if array else made[0].item())
        return bytes(store.serialize_cdr(store.types[kind](*args), kind))

    # spoilt ones

    def spoilt(self, data: bytes, other: bytes) -> bytes:
        """Bytes changed once to three times; other: a message of the same type."""
        data = bytearray(data)
        for _ in range(self.chance.whole(1, 4)):
            ways = self._flip, self._cut, self._splice, self._length, self._number, self._head, self._grow
            self.chance.one(ways)(data, other)
        return bytes(data)

    def _flip(self, data: bytearray, other: bytes) -> None:
        for _ in range(self.chance.whole(1, 5) if data else 0):
            data[self.chance.whole(0, len(data))] = self.chance.whole(0, 256)

    def _cut(self, data: bytearray, other: bytes) -> None:
        at = self.chance.whole(0, len(data) + 1)
        del data[at if self.chance.happens(0.5) else max(len(data) - self.chance.whole(1, 9), 0):]

    def _splice(self, data: bytearray, other: bytes) -> None:
        at = self.chance.whole(0, min(len(data), len(other)) + 1)
        data[at:] = other[at:] if self.chance.happens(0.5) else other[self.chance.whole(0, len(other) + 1):]

    def _length(self, data: bytearray, other: bytes) -> None:
        if len(data) >= 8:
            near = min(len(data), 80 if self.chance.happens(0.5) else len(data))
            at = self.chance.whole(1, near // 4) * 4
            struct.pack_into(self.chance.one('<>') + 'I', data, min(at, len(data) - 4), self.chance.one(LENGTHS))

    def _number(self, data: bytearray, other: bytes) -> None:
        if len(data) >= 16:
            at = 4 + 8 * self.chance.whole(0, (len(data) - 8) // 8)
            value = self.chance.one((*ODD, 1e9) if self.chance.gentle else (*ODD, 1e9, 5e5, 9.9e3))
            struct.pack_into('<d', data, min(at, len(data) - 8), value)

    def _head(self, data: bytearray, other: bytes) -> None:
        data[:2] = self.chance.one((b'\0\0', b'\0\1', b'\0\6', b'\0\7', b'\0\2', b'\0\3', b'\xff\xff', b''))

    def _grow(self, data: bytearray, other: bytes) -> None:
        data += bytes(self.chance.whole(0, 256) for _ in range(self.chance.whole(1, 9)))


@cache
def store_of():
    """Types of ROS, of this package and of the other projects in test/foreign_msgs."""
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore
    store, tests = get_typestore(Stores.ROS2_KILTED), Path(__file__).resolve().parents[1]
    found = {}
    for path in sorted([*(tests.parent / 'msg').glob('*.msg'), *(tests / 'foreign_msgs').glob('*/msg/*.msg')]):
        package = 'hakoniwa_rigid' if path.parents[1] == tests.parent else path.parents[1].name
        found.update(get_types_from_msg(path.read_text(), f'{package}/msg/{path.stem}'))
    store.register({name: fields for name, fields in found.items() if name not in store.fielddefs})
    return store


