# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Messages of hands to samples for the scene."""
from __future__ import annotations

from collections import deque
from collections.abc import Callable
from statistics import median

import numpy as np

from ...codec import message_fields as numbers
from ...codec.message_fields import NANOSECONDS
from ...rotations import IDENTITY
from ..collision_scene import CollisionScene
from ..parameters.params import HAND_TYPES
from ..records import Ledger
from .hand_samples import HandSample, JointsError, in_order, in_ros_axes, twist_pose
from .limits import MOST_JOINTS
from .sources import Source

__all__ = ['TWISTS', 'HandInputs']

TWISTS = HAND_TYPES['twist_pose']
# of a hand, whose median is told
MOST_AGES = 64


class HandInputs:
    """The inputs of the hands of a scene; what cannot be used goes into the ledger."""

    def __init__(self, scene: CollisionScene, ledger: Ledger) -> None:
        self._scene, self._ledger = scene, ledger
        self._ages: dict[str, deque[int]] = {}  # ns, of the newest samples when they came, by the hand's key

    def ages(self) -> dict[str, float]:
        """s, how old the newest samples of each hand were when they came, the median: what tracker and network take
        where stamps are those of capture, or its parameter latency says so."""
        return {key: median(ages) / NANOSECONDS for key, ages in self._ages.items()}

    def forget(self) -> None:
        """Time was set anew, or the scene."""
        self._ages.clear()

    def drop(self, key: str) -> None:
        """A hand has left."""
        self._ages.pop(key, None)

    def listen(self, source: Source) -> tuple[str, Callable[[Source, object], None]]:
        """The type of a hand's messages, and what gets them."""
        kind = source.values['type']
        if kind == 'twist_pose':
            source.stamp = 'receive'    # it has no header
        callbacks = {'hand_joints': self._joints, 'pose_array': self._poses, 'pose': self._pose,
                     'twist_pose': self._twist}
        return HAND_TYPES[kind], callbacks[kind]

    def _too_many(self, source: Source, *lists) -> bool:
        """Whether there are more joints than any tracker has; counts that."""
        most = max(map(len, lists))
        if most > MOST_JOINTS:
            source.refuse('too_large', f'{most} joints, at most {MOST_JOINTS} are taken')
        return most > MOST_JOINTS

    def _joints(self, source: Source, msg) -> None:
        if self._too_many(source, msg.names, msg.poses, msg.radii, msg.is_valid):
            return
        try:
            sample = in_order(tuple(msg.names), HandSample(*numbers.hand_arrays(msg)))
        except JointsError as error:
            self._ledger.note(error.cause, source.key, error)
            return
        self._feed(source, numbers.checked_ns(msg.header.stamp), msg.header.frame_id, msg.hand or source.key, sample)

    def _poses(self, source: Source, msg) -> None:
        if self._too_many(source, msg.poses):
            return
        sample = HandSample(*numbers.pose_arrays(msg.poses), None, None)
        self._feed(source, numbers.checked_ns(msg.header.stamp), msg.header.frame_id, source.key, sample)

    def _pose(self, source: Source, msg) -> None:
        sample = HandSample(*numbers.pose_arrays([msg.pose]), _radius(source), None)
        self._feed(source, numbers.checked_ns(msg.header.stamp), msg.header.frame_id, source.key, sample)

    def _twist(self, source: Source, msg) -> None:
        self._feed(source, 0, '', source.key, twist_pose(msg)._replace(radii=_radius(source)))

    def _feed(self, source: Source, stamp: int, frame_id: str, name: str, sample: HandSample) -> None:
        stamp = source.time(stamp) - round(source.values['latency'] * NANOSECONDS)
        self._ages.setdefault(source.key, deque(maxlen=MOST_AGES)).append(source.shared.now() - stamp)
        place = source.place(frame_id, stamp)
        if place is None:
            return
        with np.errstate(all='ignore'):  # the scene says what is not finite
            positions, orientations, radii, is_valid, layout = in_ros_axes(source.values['axes'], sample)
            if place is not IDENTITY:
                positions, orientations = place.points(positions), place.orientations(orientations)
        self._scene.feed_hand(name, stamp, positions, orientations, radii, is_valid,
                              layout or source.values['layout'] or None)


def _radius(source: Source) -> np.ndarray | None:
    """(1,) m of a single pose; None for what the world file says."""
    return np.array([source.values['radius']]) if source.values['radius'] else None
