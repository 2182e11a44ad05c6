"""Plain numbers to messages. Every function is pure; nothing here knows a node.

Vectors are m, m/s, N s, ... in the world frame; stamps integer nanoseconds.
"""

from __future__ import annotations

from hakoniwa_rigid.msg import ContactEvent
from hakoniwa_rigid.scene.intake.numbers import NANOSECONDS

__all__ = ['contact_event', 'set_stamp']


def set_stamp(stamp, ns: int) -> None:
    """Write ns into a builtin_interfaces/Time in place."""
    stamp.sec, stamp.nanosec = divmod(ns, NANOSECONDS)


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
