# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A flight as the player has it: frames at the rate of a screen, in one block of bytes, and contacts.

    flight = Flight(view, rate=60.0)
    flight.add(stamp_ns, Frame(...))        # of every tick; most are left out
    flight.touches.add(event)
    content, data = flight.packed()

Positions are float32 m; parts of quaternions xyzw int16 / 32767; ends of bones int16 in 0.1 mm from the hand's middle.
"""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.static_page.touches import Touches

FORMAT = 1
# bytes of all frames, before they are compressed: seventy minutes of six drones at 60 Hz
MOST_BYTES = 48 << 20
# distinguished drones, objects, hands: more are no scene that a page shows
MOST_NAMES = 2000
# int16 of 1 in a quaternion, of a bone's metre, and of a bone that is not there
UNIT, PER_METRE, ABSENT = 32767, 10_000, -32768


@dataclass(frozen=True)
class Bones:
    """A hand: ends (B,6) m of its bones in the world, NaN where one is not there; radii (B,) m."""

    ends: np.ndarray
    radii: np.ndarray


@dataclass(frozen=True)
class Frame:
    """One tick in the world: poses by name, position (3,) m and orientation (4,) xyzw; flags as of FleetState; hands
    that are there; lines (L,6) m of constraints and whether each is loaded (L,)."""

    drones: Mapping[str, tuple[Any, Any]]
    flags: Mapping[str, int] = field(default_factory=dict)
    objects: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    hands: Mapping[str, Bones] = field(default_factory=dict)
    lines: np.ndarray = field(default_factory=lambda: np.zeros((0, 6)))
    loaded: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=bool))


class Flight:
    """See the module.  ``touches`` takes the events."""

    def __init__(self, name: str, rate: float) -> None:
        """name: of the recording, for messages; rate: frames per s that are kept at most."""
        self.touches = Touches()
        self._name, self._rate, self._size = name, rate, 0
        self._stamps: list[int] = []
        self._frames: list[Frame] = []
        self._due = 0           # the next frame's number on the grid of the rate
        self._end = 0           # ns, the last stamp that was asked for
        self.backward = 0       # frames whose stamp lay before the last one

    @property
    def span(self) -> float:
        """s, from the first tick to the last."""
        return (self._end - self._stamps[0]) / 1e9 if self._stamps else 0.0

    @property
    def drones(self) -> tuple[str, ...]:
        """Names of all drones that were seen, sorted."""
        return self._names('drones')

    def __len__(self) -> int:
        return len(self._stamps)

    def is_due(self, stamp_ns: int) -> bool:
        """Whether a frame at this stamp would be kept."""
        if not self._stamps:
            self._end = stamp_ns
            return True
        if stamp_ns <= self._stamps[-1]:
            self.backward += stamp_ns < self._stamps[-1]
            return False
        self._end = max(self._end, stamp_ns)
        return (stamp_ns - self._stamps[0]) * self._rate >= self._due * 1e9

    def add(self, stamp_ns: int, frame: Frame) -> None:
        """A frame, kept where it is due.  BagError where there are more bytes than a page can have."""
        if not self.is_due(stamp_ns):
            return
        self._stamps.append(stamp_ns)
        self._frames.append(frame)
        self._due = int((stamp_ns - self._stamps[0]) * self._rate / 1e9 + 1e-6) + 1
        self._size += _size_of(frame)
        if self._size > MOST_BYTES:
            raise BagError(f'{self._name}: its frames have more than {MOST_BYTES >> 20} MB after {self.span:.1f} s; '
                           'choose a stretch with --from and --to, or fewer frames with --rate')

    def packed(self) -> tuple[dict[str, Any], bytes]:
        """What the player is told, and the bytes of the frames.  BagError where there is no frame, or too many
        names."""
        if not self._stamps:
            raise BagError(f'{self._name}: no state of a drone in the stretch to show')
        start, end = self._stamps[0], self._end
        kinds = {kind: self._names(kind) for kind in ('drones', 'objects', 'hands')}
        for kind, names in kinds.items():
            if len(names) > MOST_NAMES:
                raise BagError(f'{self._name}: has {len(names)} {kind}, a page shows at most {MOST_NAMES}')
        block = _Block()
        block.put('times', (np.array(self._stamps) - start) / 1e9, np.float64)
        self._put_poses(block, 'drones', kinds['drones'])
        self._put_poses(block, 'objects', kinds['objects'])
        flags = [[frame.flags.get(name, 0) for name in kinds['drones']] for frame in self._frames]
        block.put('flags', np.array(flags), np.uint8)
        hands = [self._put_hand(block, name, k) for k, name in enumerate(kinds['hands'])]
        block.put('ties', np.array([len(frame.lines) for frame in self._frames]), np.uint32)
        block.put('tieEnds', np.concatenate([frame.lines.reshape(-1) for frame in self._frames]), np.float32)
        block.put('tieLoads', np.concatenate([frame.loaded for frame in self._frames]), np.uint8)
        content = {'format': FORMAT, 'frames': len(self._stamps), 'startNs': str(start), 'duration': self.span,
                   'drones': list(kinds['drones']), 'objects': list(kinds['objects']), 'hands': hands,
                   'contacts': self.touches.rows(start, end), 'changes': self.touches.changes(start, end),
                   'parts': block.parts}
        return content, block.bytes()

    def _names(self, kind: str) -> tuple[str, ...]:
        return tuple(sorted({name for frame in self._frames for name in getattr(frame, kind)}))

    def _put_poses(self, block: _Block, kind: str, names: tuple[str, ...]) -> None:
        """Positions (F,N,3), NaN where a body is not there, and orientations (F,N,4)."""
        places = np.full((len(self._frames), len(names), 3), np.nan)
        turns = np.zeros((len(self._frames), len(names), 4))
        for k, frame in enumerate(self._frames):
            poses = getattr(frame, kind)
            for n, name in enumerate(names):
                if name in poses:
                    places[k, n], turns[k, n] = poses[name]
        block.put(f'{kind}At', places, np.float32)
        block.put(f'{kind}Turned', np.rint(UNIT * np.nan_to_num(turns).clip(-1.0, 1.0)), np.int16)

    def _put_hand(self, block: _Block, name: str, number: int) -> dict[str, Any]:
        """Its middle (F,3) and ends (F,B,6) less that; what the player is told of it."""
        most = max((frame.hands[name] for frame in self._frames if name in frame.hands), key=lambda h: len(h.radii))
        count = len(most.radii)
        ends = np.full((len(self._frames), count, 2, 3), np.nan)
        for k, frame in enumerate(self._frames):
            if (hand := frame.hands.get(name)) is not None:
                ends[k, :len(hand.radii)] = hand.ends.reshape(-1, 2, 3)
        there = np.isfinite(ends).all(axis=(2, 3))
        total = np.where(there[:, :, None, None], ends, 0.0).sum(axis=(1, 2))
        middle = total / np.maximum(2 * there.sum(axis=1), 1)[:, None]
        offset = np.rint(PER_METRE * (ends - middle[:, None, None])).clip(-UNIT, UNIT)
        block.put(f'hand{number}At', middle, np.float32)
        block.put(f'hand{number}Bones', np.where(there[:, :, None, None], offset, ABSENT), np.int16)
        return {'name': name, 'radii': [round(float(r), 5) for r in most.radii]}


class _Block:
    """Arrays one behind the other, each at a multiple of 8 bytes; parts: where each begins and its number of items."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0
        self.parts: dict[str, list[int]] = {}

    def put(self, name: str, values: np.ndarray, kind: type) -> None:
        """Another array, little-endian."""
        with np.errstate(over='ignore'):    # what float32 does not hold is nowhere
            data = np.asarray(values).astype(np.dtype(kind).newbyteorder('<')).tobytes()
        self.parts[name] = [self._size, int(np.size(values))]
        self._pieces += [data, bytes(-len(data) % 8)]
        self._size += len(data) + -len(data) % 8

    def bytes(self) -> bytes:
        """All of it."""
        return b''.join(self._pieces)


def _size_of(frame: Frame) -> int:
    """Bytes that a frame adds."""
    bones = sum(12 + 12 * len(hand.radii) for hand in frame.hands.values())
    return 10 + 21 * len(frame.drones) + 20 * len(frame.objects) + bones + 25 * len(frame.lines)
