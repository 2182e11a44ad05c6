# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""How much of what comes in is taken: sizes that are looked at before anything is converted.

A publisher may be wrong, or hostile: a message may announce a million drones, and every one may name another.  A
message beyond these sizes is counted as too_large and costs no more than that.  They are far above what any tracker or
simulator sends; those of fleets grow with the world.
"""
from __future__ import annotations

from typing import NamedTuple

from ..parameters.settings import Settings

__all__ = ['MOST_JOINTS', 'MOST_PLAIN', 'Limits', 'limits_of']

# bytes of a name in a list, where no drone of the world has a longer one
NAME = 64
# names in a FleetState or FleetWrench, transforms in a TFMessage: a node may serve a few of a fleet of a thousand; of a
# larger world so many times its drones
MOST_NAMES, SHARE = 1024, 4
# bytes that a drone has in a FleetState beside its name: the name's length and padding, 13 doubles, a flag
OF_DRONE = 8 + 13 * 8 + 1
# bytes of a transform with frames of usual length: two names, a stamp, 7 doubles
OF_TRANSFORM = 256
# bytes of headers, and of the lengths of lists
HEADS = 1024
# joints in a message of a hand: four times those of OpenXR; bytes: names, poses, radii and flags of so many
MOST_JOINTS, MOST_HAND = 104, 16384
# bytes of all other messages: strings, stamps and at most 85 numbers; an Odometry has about 750
MOST_PLAIN = 4096
# bytes that the lists of names of fleets are remembered by, in all: so much, and so much more for every drone
LISTS, LISTS_OF_DRONE = 1 << 20, 256
# the same of whole messages that are known again (fast_fleets.py)
LAYOUTS, LAYOUTS_OF_DRONE = 16 << 20, 1024

HANDS = ('hakoniwa_rigid/msg/HandJoints', 'geometry_msgs/msg/PoseArray')
FLEETS = ('hakoniwa_rigid/msg/FleetState', 'hakoniwa_rigid/msg/FleetWrench')


class Limits(NamedTuple):
    """names: of a fleet; name: bytes of each; transforms: of a TFMessage; lists, layouts: bytes remembered."""

    names: int
    name: int
    transforms: int
    lists: int
    layouts: int

    def bytes_of(self, kind: str) -> int:
        """Of a message of this type."""
        if kind in FLEETS:
            return HEADS + self.names * (OF_DRONE + self.name)
        return MOST_HAND if kind in HANDS else MOST_PLAIN

    @property
    def transform_bytes(self) -> int:
        """Of a TFMessage."""
        return HEADS + self.transforms * OF_TRANSFORM


def limits_of(settings: Settings) -> Limits:
    """Those of a world."""
    drones = [drone.name for drone in settings.world.drones]
    many = max(MOST_NAMES, SHARE * len(drones))
    longest = max([NAME, *(len(name.encode()) for name in drones)])
    return Limits(many, longest, many, LISTS + LISTS_OF_DRONE * len(drones), LAYOUTS + LAYOUTS_OF_DRONE * len(drones))
