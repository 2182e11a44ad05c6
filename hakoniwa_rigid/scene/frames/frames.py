# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a frame_id means: the world, a frame fixed by parameter, or one that /tf tells of.

Frames that mean the world are taken as it, whatever /tf says of them; those other than `world_frame` itself may be
turned about z against it (`frame_yaw`, for simulators whose x is north).  Every other frame is carried into the world.
"""

from __future__ import annotations

from collections.abc import Callable

from ...codec.message_fields import NANOSECONDS
from ...rotations import IDENTITY, Rigid, yaw
from ..parameters.settings import Settings
from .frame_tree import FrameError, FrameTree

__all__ = ['Frames']


class Frames:
    """The frames of one Settings. `ask_tf` is called for a frame that is not known and says what /tf can do."""

    def __init__(self, settings: Settings, ask_tf: Callable[[], str]) -> None:
        values = settings.node
        self._ask_tf = ask_tf
        turn = yaw(values['frame_yaw']) if values['frame_yaw'] else IDENTITY
        # in the order in which they are looked for among the ancestors of a frame
        self._worlds = {values['world_frame']: IDENTITY}
        for name in ('', *values['accepted_frames']):
            self._worlds.setdefault(name, turn)
        self._fixed = settings.fixed_frames
        self.tree = FrameTree(int(values['tf_timeout'] * NANOSECONDS))
        for name, pose in self._fixed.items():
            self.tree.put(values['world_frame'], name, None, *pose)

    def means_world(self, frame_id: str) -> bool:
        """Whether coordinates in this frame are taken as the world's, but for frame_yaw and a drone's origin."""
        return frame_id in self._worlds

    def put(self, parent: str, frame: str, stamp: int | None, position, orientation) -> None:
        """A transform from /tf; a parameter outranks it. Raises FrameError and ValueError as FrameTree.put."""
        if frame not in self._fixed:
            self.tree.put(parent, frame, stamp, position, orientation)

    def find(self, frame_id: str, stamp: int) -> Rigid:
        """From coordinates in a frame to those in the world, at a time in ns; FrameError says why not."""
        meant = self._worlds.get(frame_id)
        if meant is not None:
            return meant
        fixed = self._fixed.get(frame_id)
        if fixed is not None:
            return fixed
        world = self._world_of(frame_id)
        return self._worlds[world].after(self.tree.lookup(frame_id, world, stamp))

    def newest(self, frame_id: str) -> int | None:
        """The newest time, ns, at which /tf tells where a frame is; None where it stands still. FrameError as find."""
        return self.tree.newest(frame_id, self._world_of(frame_id))

    def moving_in_world(self) -> list[tuple[str, int]]:
        """The frames that /tf tells of as moving in one that means the world, each with its newest time, ns."""
        return [found for world in self._worlds for found in self.tree.moving_in(world)]

    def _world_of(self, frame_id: str) -> str:
        """The frame of the tree that means the world and to which this one is connected."""
        for world in self._worlds:
            if self.tree.connected(frame_id, world):
                return world
        raise FrameError(f'{self.tree.why_not(frame_id)}; {self._known()}; {self._ask_tf()}')

    def _known(self) -> str:
        worlds = ', '.join(name for name in self._worlds if name)
        fixed = f', fixed: {", ".join(self._fixed)} (parameter frames)' if self._fixed else ''
        return f'taken as the world: {worlds} (parameter accepted_frames){fixed}'
