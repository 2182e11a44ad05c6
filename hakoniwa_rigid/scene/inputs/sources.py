# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""One drone's, hand's or fleet's input side: whose clock its stamps are on and which frame its coordinates are in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ... import rotations as rot
from ...rotations import Rigid
from ..collision_scene import CollisionScene
from ..frames.frame_tree import FrameError
from ..frames.frames import Frames
from ..parameters.settings import Values
from ..records import Ledger
from ..world_files.world_types import Pose
from .clock_offset import ClockOffset
from .fast_path import FastTopics

__all__ = ['Origins', 'Source', 'Surroundings']


@dataclass(frozen=True)
class Surroundings:
    """What all sources share: frames, the ledger of refusals, the time at which the message being looked at arrived
    (ns), a log, what is counted of them, and the callback for a drone (by its row) an input of which could not be
    used."""

    frames: Frames
    ledger: Ledger
    now: Callable[[], int]
    warn: Callable[[str], object]
    fast: FastTopics
    reject: Callable[[int], object]


@dataclass
class Source:
    """A source and what has to be remembered between its messages. `way_back`: the inverse of the drone's origin."""

    number: int  # among all sources
    key: str
    values: Values
    stamp: str  # header, receive or synced
    shared: Surroundings
    index: int = -1  # of a drone, in the scene's arrays
    way_back: Rigid | None = None
    twist: tuple | None = None  # the newest TwistStamped
    tf_stamp: int | None = -1  # ns, of the newest transform taken, source tf
    told_zero: bool = False
    start: tuple[float, ...] | None = ()  # m, world: where its coordinates start; () at zero, None: not known yet
    has_own_message: bool = False  # it has said where it is by a message of its own
    trouble: str = ''  # why nothing can be had from it, where it is not asked by a message
    clock: ClockOffset = field(default_factory=ClockOffset)

    @property
    def received(self) -> int:
        """Messages so far."""
        return int(self.shared.fast.received[self.number])

    @property
    def newest(self) -> int:
        """ns, header stamp of the newest message, on the source's own clock; 0: it has none."""
        return int(self.shared.fast.newest[self.number])

    def count(self) -> None:
        """One message more."""
        self.shared.fast.received[self.number] += 1

    def time(self, stamp: int) -> int:
        """The time of a message in ns of ROS time, from its header's stamp in ns."""
        self.count()
        if self.stamp == 'receive':
            return self.shared.now()
        if not stamp:
            self._tell_zero()
            return self.shared.now()
        self.shared.fast.newest[self.number] = stamp
        return stamp if self.stamp == 'header' else self.clock.observe(stamp, self.shared.now())

    def _tell_zero(self) -> None:
        # of a log that begins at zero, zero is the time
        if not self.told_zero and self.shared.now():
            self.told_zero = True
            self.shared.warn(
                f'{self.key}: header stamps are zero, the time of reception is used; '
                "set its parameter stamp to 'receive' if that is meant"
            )

    def refuse(self, cause: str, value: object) -> None:
        """Count a message that cannot be used, and flag its drone."""
        self.shared.ledger.note(cause, self.key, value)
        if self.index >= 0:
            self.shared.reject(self.index)

    def place(self, frame_id: str, stamp: int) -> Rigid | None:
        """From coordinates in a message's frame to those the scene is fed; None where it is refused, and counted.

        The scene itself applies a drone's origin: out of frames that are not the world's it is taken back first.
        """
        frames, frame_id = self.shared.frames, frame_id or self.values.get('frame', '')
        if frame_id in self.values.get('accepted_frames', ()):
            frame_id = ''
        try:
            found = frames.find(frame_id, stamp)
        except FrameError as error:
            self.refuse('wrong_frame', error)
            return None
        if self.way_back is None or frames.means_world(frame_id):
            return found
        return self.way_back.after(found)

    def forget(self) -> None:
        """Time was set anew, or the scene: what is remembered of the past does not hold."""
        self.twist, self.tf_stamp = None, -1
        self.clock.clear()


class Origins:
    """The poses that the scene applies to the samples of drones, to be taken back out of samples not given there."""

    def __init__(self, scene: CollisionScene) -> None:
        self._scene = scene
        self._find()

    def _find(self) -> None:
        """By rows of the scene; drones that come and leave change them."""
        self._roster, own = self._scene.roster, {d.name: d.origin for d in self._scene.config.drones}
        poses = [own.get(name, Pose()) for name in self._scene.drone_names]
        self._any = any(pose != Pose() for pose in poses)
        self._positions = np.array([pose.position for pose in poses], dtype=float).reshape(-1, 3)
        self._back = rot.conjugate(np.array([pose.quat for pose in poses], dtype=float).reshape(-1, 4))

    def way_back(self, index: int) -> Rigid | None:
        """From the world to where a drone's samples start; None where that is the world, or no drone (-1)."""
        if self._roster != self._scene.roster:
            self._find()
        if index < 0 or not self._any:
            return None
        w, x, y, z = self._back[index].tolist()
        return Rigid(tuple(self._positions[index].tolist()), (-x, -y, -z, w)).inverse()

    def take_back(self, indices: np.ndarray, position, orientation, linear, angular) -> tuple[np.ndarray, ...]:
        """The same for K drones: positions (K,3), quaternions (K,4) x, y, z, w, velocities (K,3), all in the world."""
        if self._roster != self._scene.roster:
            self._find()
        if not self._any:
            return position, orientation, linear, angular
        back = self._back[indices]
        orientation = rot.xyzw(rot.multiply(back, rot.wxyz(orientation)))
        position = rot.rotate(back, position - self._positions[indices])
        return position, orientation, rot.rotate(back, linear), rot.rotate(back, angular)
