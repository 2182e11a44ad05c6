# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Frames as a tree of transforms with times: what /tf and /tf_static tell, kept for a while and asked at any time.

Each frame has one parent.  A moving edge keeps its newest KEPT transforms, fewer where many edges move, and is
interpolated between two of them (straight line, slerp).  Nothing is extrapolated: after the newest transform its pose
holds for `hold` ns, before the oldest there is no answer.  Every question that has no answer raises FrameError, which
says why.
"""
from __future__ import annotations

from bisect import bisect_right, insort

from ...codec.message_fields import NANOSECONDS
from ...rotations import IDENTITY, Rigid, slerp_xyzw

# transforms per moving edge, and ns: an input is younger than that, or stale
KEPT, KEPT_TIME = 256, 2 * NANOSECONDS
# frames; a source that makes up a name per message must not fill the memory
MOST_FRAMES = 4096
# transforms of all moving edges, and those that every edge may keep however many there are
MOST_KEPT, LEAST_KEPT = 32768, 8
# frames between one and its root, and letters of a name: no robot has as many, and every question walks all of the way
DEEPEST, MOST_LETTERS = 128, 256

__all__ = ['FrameError', 'FrameTree']


class FrameError(LookupError):
    """A frame cannot be used: the message names it and says why."""


class Edge:
    """The transform from a frame to its parent: one for ever, or many by stamp."""

    def __init__(self, parent: str, static: Rigid | None = None) -> None:
        self.parent, self.static = parent, static
        self.history: list[tuple[int, Rigid]] = []

    def put(self, stamp: int, transform: Rigid, kept: int = KEPT) -> None:
        """Keep a moving transform among the newest so many; an equal stamp replaces."""
        if self.history and stamp < self.history[-1][0] - KEPT_TIME:
            self.history.clear()   # its source began anew
        at = bisect_right(self.history, stamp, key=_stamp)
        if at and self.history[at - 1][0] == stamp:
            self.history[at - 1] = (stamp, transform)
            return
        insort(self.history, (stamp, transform), key=_stamp)
        oldest = self.history[-1][0] - KEPT_TIME
        while len(self.history) > kept or self.history[0][0] < oldest:
            del self.history[0]

    def at(self, frame: str, stamp: int, hold: int) -> Rigid:
        """The transform at a time; FrameError where it is not known."""
        if self.static is not None:
            return self.static
        right = bisect_right(self.history, stamp, key=_stamp)
        if right == 0:
            early = (self.history[0][0] - stamp) / NANOSECONDS
            raise FrameError(f'{frame!r} in {self.parent!r} is known only from {early:.3g} s later on')
        then, transform = self.history[right - 1]
        if right == len(self.history):
            if stamp - then > hold:
                late = (stamp - then) / NANOSECONDS
                raise FrameError(f'the newest transform of {frame!r} in {self.parent!r} is {late:.3g} s older')
            return transform
        after, target = self.history[right]
        share = (stamp - then) / (after - then)
        x = tuple(a + share * (b - a) for a, b in zip(transform.position, target.position, strict=True))
        return Rigid(x, slerp_xyzw(transform.orientation, target.orientation, share))


def _stamp(entry: tuple[int, Rigid]) -> int:
    return entry[0]


class FrameTree:
    """See the module.  `hold`: ns."""

    def __init__(self, hold: int) -> None:
        self._hold = hold
        self._edges: dict[str, Edge] = {}
        self._moving = 0    # edges that are not static

    def __contains__(self, frame: str) -> bool:
        return frame in self._edges

    def put(self, parent: str, frame: str, stamp: int | None, position, orientation) -> None:
        """The pose (m; x, y, z, w) of `frame` in `parent` at a time in ns, or for ever where `stamp` is None.

        Raises ValueError for a pose that is none, FrameError for a frame that would be its own ancestor.
        """
        if len(parent) > MOST_LETTERS or len(frame) > MOST_LETTERS:
            raise FrameError(f'a name of {max(len(parent), len(frame))} letters, at most {MOST_LETTERS} are taken')
        transform = Rigid.checked(position, orientation)
        edge = self._edges.get(frame)
        if edge is None or edge.parent != parent or (edge.static is None) != (stamp is not None):
            self._link(parent, frame)
            was_moving = edge is not None and edge.static is None
            self._moving += (stamp is not None) - was_moving
            edge = self._edges[frame] = Edge(parent)
        if stamp is None:
            edge.static = transform
        else:
            edge.put(stamp, transform, max(LEAST_KEPT, min(KEPT, MOST_KEPT // self._moving)))

    def _link(self, parent: str, frame: str) -> None:
        """Refuse an edge that closes a loop, and frames without end."""
        if not parent or not frame:
            raise FrameError(f'a transform needs two names, got {parent!r} and {frame!r}')
        if frame == parent or frame in self._way(parent):
            raise FrameError(f'{frame!r} in {parent!r} would close a loop')
        if frame not in self._edges and len(self._edges) >= MOST_FRAMES:
            raise FrameError(f'{frame!r}: there are {MOST_FRAMES} frames already')

    def _way(self, frame: str) -> list[str]:
        """The frame and its ancestors, up to the root.  FrameError where there are more than any robot has."""
        way = [frame]
        while way[-1] in self._edges:
            way.append(self._edges[way[-1]].parent)
            if len(way) > DEEPEST:
                raise FrameError(f'{frame!r} has more than {DEEPEST} frames above it')
        return way

    def forget(self) -> None:
        """Drop what moves: time was set anew.  Static transforms stay."""
        self._edges = {name: edge for name, edge in self._edges.items() if edge.static is not None}
        self._moving = 0

    def newest(self, frame: str, target: str) -> int | None:
        """The newest time, ns, at which every moving edge between the frames is known; None where none moves."""
        stamps = [edge.history[-1][0] for edge in self._between(frame, target) if edge.static is None]
        return min(stamps, default=None)

    def moving_in(self, parent: str) -> list[tuple[str, int]]:
        """The frames that move in this one, each with the newest time, ns, at which it is known."""
        return [(name, edge.history[-1][0]) for name, edge in self._edges.items()
                if edge.parent == parent and edge.static is None]

    def connected(self, frame: str, target: str) -> bool:
        """Whether edges lead from one to the other."""
        return frame in self._edges and self._way(frame)[-1] == self._way(target)[-1]

    def why_not(self, frame: str) -> str:
        """Why a frame is not connected to what was looked for."""
        if frame not in self._edges:
            return f'no transform of {frame!r} is known'
        return f'{frame!r} hangs on {self._way(frame)[-1]!r}, which is not connected to the world'

    def _between(self, frame: str, target: str) -> list[Edge]:
        up, down = self._ways(frame, target)
        return [self._edges[name] for name in up + down]

    def _ways(self, frame: str, target: str) -> tuple[list[str], list[str]]:
        """The frames whose edges lead from `frame` up to the common ancestor, and those from `target` up to it."""
        up, down = self._way(frame), self._way(target)
        if up[-1] != down[-1]:
            raise FrameError(self.why_not(frame))
        while up and down and up[-1] == down[-1]:
            up.pop()
            down.pop()
        return up, down

    def lookup(self, frame: str, target: str, stamp: int) -> Rigid:
        """The transform from coordinates in `frame` to those in `target` at a time in ns; FrameError says why not."""
        up, down = self._ways(frame, target)
        return self._climb(down, stamp).inverse().after(self._climb(up, stamp))

    def _climb(self, names: list[str], stamp: int) -> Rigid:
        total = IDENTITY
        for name in names:
            total = self._edges[name].at(name, stamp, self._hold).after(total)
        return total
