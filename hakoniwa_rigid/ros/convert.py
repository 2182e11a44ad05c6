"""Plain numbers to messages. Every function is pure; nothing here knows a node.

Vectors are m, m/s, N s, ... in the world frame; stamps integer nanoseconds.
"""

from __future__ import annotations

from array import array

import numpy as np

from hakoniwa_rigid.msg import ContactEvent
from hakoniwa_rigid.scene.intake.numbers import NANOSECONDS

__all__ = ['bytes_of', 'contact_event', 'doubles_of', 'set_stamp']


def set_stamp(stamp, ns: int) -> None:
    """Write ns into a builtin_interfaces/Time in place."""
    stamp.sec, stamp.nanosec = divmod(ns, NANOSECONDS)


def doubles_of(values: np.ndarray) -> array:
    """A float64 array of any shape as the flat array.array('d') that rclpy takes over unexamined."""
    return array('d', np.ascontiguousarray(values, dtype=np.float64).tobytes())


def bytes_of(values: np.ndarray) -> array:
    """The same for uint8."""
    return array('B', np.ascontiguousarray(values, dtype=np.uint8).tobytes())


VECTORS = (
    'normal',
    'impulse',
    'relative_velocity_before',
    'relative_velocity_after',
    'delta_v_a',
    'delta_v_b',
    'delta_omega_a',
    'delta_omega_b',
)
NUMBERS = ('depth', 'peak_force', 'duration', 'restitution', 'friction')
NAMES = ('body_a', 'body_b', 'part_a', 'part_b')


def contact_event(record, frame_id: str) -> ContactEvent:
    """A scene ContactEventRecord to msg/ContactEvent; fields of the same name, unit and frame."""
    # plain ints and floats: generated messages do not check, and NumPy's would reach their C code
    msg = ContactEvent(id=int(record.id), phase=int(record.phase), kind=int(record.kind))
    msg.header.frame_id = frame_id
    set_stamp(msg.header.stamp, int(record.stamp_ns))
    for name in NAMES:
        setattr(msg, name, getattr(record, name))
    for name in NUMBERS:
        setattr(msg, name, float(getattr(record, name)))
    for name in ('position', *VECTORS):
        vector = getattr(msg, name)
        vector.x, vector.y, vector.z = map(float, getattr(record, name))
    return msg
