# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a node has published into a bag, as those read it who compare runs or show them."""
from __future__ import annotations

from typing import NamedTuple

from hakoniwa_rigid.codec.contact_event import Vec

CONTACTS, CONSTRAINTS = 'hakoniwa_rigid/msg/ContactEventArray', 'hakoniwa_rigid/msg/ConstraintEventArray'
BODY = '/base_link'     # ending of child_frame_id; what is before it is the drone


class Event(NamedTuple):
    """What a ContactEvent is read for; names and units of ContactEventRecord."""

    stamp_ns: int
    id: int
    phase: int
    kind: int
    body_a: str
    body_b: str
    part_a: str
    part_b: str
    position: Vec
    normal: Vec
    impulse: Vec


def event_of(e, stamp_ns: int) -> Event:
    """The Event of a decoded message."""
    return Event(stamp_ns, int(e.id), int(e.phase), int(e.kind), e.body_a, e.body_b, e.part_a, e.part_b,
                 *((v.x, v.y, v.z) for v in (e.position, e.normal, e.impulse)))
