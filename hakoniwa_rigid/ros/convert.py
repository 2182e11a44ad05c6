# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Plain numbers to messages. Every function is pure; nothing here knows a node.

Vectors are m, m/s, N s, ... in the world frame; stamps integer nanoseconds.
"""

from __future__ import annotations

from array import array

from geometry_msgs.msg import Pose

from hakoniwa_rigid.codec.constraint_event import CONSTRAINT_EVENT
from hakoniwa_rigid.codec.contact_event import CONTACT_EVENT
from hakoniwa_rigid.codec.event_schema import EventSchema
from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.msg import ConstraintEvent, ContactEvent, HandJoints

__all__ = ['constraint_event', 'contact_event', 'fill_hand', 'set_stamp']


def set_stamp(stamp, ns: int) -> None:
    """Write ns into a builtin_interfaces/Time in place."""
    stamp.sec, stamp.nanosec = divmod(ns, NANOSECONDS)


def contact_event(record, frame_id: str) -> ContactEvent:
    """A scene ContactEventRecord to msg/ContactEvent; fields of the same name, unit and frame."""
    return _filled(ContactEvent(), record, frame_id, CONTACT_EVENT)


def constraint_event(record, frame_id: str) -> ConstraintEvent:
    """A scene ConstraintEventRecord to msg/ConstraintEvent; fields of the same name, unit and frame."""
    return _filled(ConstraintEvent(), record, frame_id, CONSTRAINT_EVENT)


def _filled(msg, record, frame_id: str, schema: EventSchema):
    """The message with the fields of a record."""
    # plain ints and floats: generated messages do not check, and NumPy's would reach their C code
    msg.id, msg.phase, msg.kind = int(record.id), int(record.phase), int(record.kind)
    msg.header.frame_id = frame_id
    set_stamp(msg.header.stamp, int(record.stamp_ns))
    for name in schema.names:
        setattr(msg, name, getattr(record, name))
    for name, width in schema.numbers.items():
        value = getattr(record, name)
        if width == 1:
            setattr(msg, name, float(value))
        else:
            vector = getattr(msg, name)
            vector.x, vector.y, vector.z = map(float, value)
    return msg


def fill_hand(msg: HandJoints, sample) -> None:
    """Write a sample of sims.hands or of the page into a message whose name is set; its poses are used again."""
    set_stamp(msg.header.stamp, sample.stamp_ns)
    msg.header.frame_id = sample.frame
    msg.names = list(sample.names)
    msg.radii, msg.is_valid = array('f', sample.radii.tolist()), sample.is_valid.tolist()
    if len(msg.poses) != len(sample.positions):
        msg.poses = [Pose() for _ in sample.positions]
    for pose, p, q in zip(msg.poses, sample.positions.tolist(), sample.orientations.tolist(), strict=True):
        pose.position.x, pose.position.y, pose.position.z = p
        pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w = q
