# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Messages of hand trackers to samples in the scene's order of joints and in ROS axes.

A sample's joints are in the order of a layout (hand_layouts), or named; named ones are put in order, and what the
tracker leaves out is a missing joint.  Names are those of WebXR ('index-finger-phalanx-proximal'), OpenXR
('XR_HAND_JOINT_INDEX_PROXIMAL_EXT'), Unity ('IndexProximal') and MediaPipe ('INDEX_FINGER_MCP').
"""
from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...engine.maths.matrices import dots, product
from ...rotations import from_rpy
from ..hands.hand_layouts import LAYOUTS, Layout

__all__ = ['AXES', 'HandSample', 'JointsError', 'in_order', 'in_ros_axes', 'twist_pose']

# axes of trackers in ROS's x forward, y left, z up: columns are the tracker's x, y, z.  WebXR and OpenXR: x right,
# y up, z back.  Unity: x right, y up, z forward, a left-handed frame, whose hands this mirrors back to what they are.
AXES = {'ros': None,
        'webxr': np.array([(0.0, 0.0, -1.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]),
        'unity': np.array([(0.0, 0.0, 1.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])}
# layouts with named joints, the likelier first
_NAMED = tuple(layout for layout in LAYOUTS.values() if layout.palm)
# words of a joint's name that say nothing
_EMPTY = {'xr', 'hand', 'joint', 'ext', 'finger', 'phalanx'}


class JointsError(ValueError):
    """Joints that cannot be put in order; cause: what it is counted as."""

    def __init__(self, cause: str, text: str) -> None:
        super().__init__(text)
        self.cause = cause


class HandSample(NamedTuple):
    """positions (J,3) m, orientations (J,4) x, y, z, w, radii (J,) m or None, is_valid (J,) or None; layout: the name
    of theirs, None for that of their number."""

    positions: np.ndarray
    orientations: np.ndarray
    radii: np.ndarray | None
    is_valid: np.ndarray | None
    layout: str | None = None


def _plain(name: str) -> str:
    """The name in the words of the layouts."""
    words = [w.lower() for w in re.findall(r'[A-Z]+(?![a-z])|[A-Z]?[a-z]+', name)]
    return '_'.join('little' if w == 'pinky' else w for w in words if w not in _EMPTY)


@lru_cache(maxsize=64)
def _places(names: tuple[str, ...]) -> tuple[Layout, np.ndarray] | None:
    """The layout that has these joints, and where they stand in it, (K,); None for a single pose that is
    called as its tracker likes."""
    plain = [_plain(name) for name in names]
    known = {name for layout in _NAMED for name in layout.names}
    unknown = [name for name, p in zip(names, plain, strict=True) if p not in known]
    if unknown and len(names) == 1:
        return None
    if unknown:
        *others, last = (layout.title for layout in _NAMED)
        raise JointsError('unknown_name', f'no joint of {", ".join(others)} or {last}: '
                          f'{", ".join(map(repr, unknown))}')
    if len(set(plain)) != len(plain):
        twice = next(name for name, p in zip(names, plain, strict=True) if plain.count(p) > 1)
        raise JointsError('unknown_name', f'joint {twice!r} is there twice')
    fits = [layout for layout in _NAMED if set(plain) <= set(layout.names)]
    if not fits:
        raise JointsError('unknown_name', f'no tracker has all of these joints: {", ".join(names)}')
    openxr = any(name.startswith('XR_') for name in names)
    best = max(fits, key=lambda layout: (openxr and layout.name == 'openxr', layout.joints == len(names)))
    return best, np.array([best.names.index(p) for p in plain])


def in_order(names: tuple[str, ...], sample: HandSample) -> HandSample:
    """The sample in the order of its layout.  JointsError for joints that are in no layout, and for lists that do not
    match."""
    if not names:
        return sample
    count = len(names)
    sizes = {'poses': sample.positions, 'radii': sample.radii, 'is_valid': sample.is_valid}
    for key, values in sizes.items():
        if values is not None and len(values) != count:
            raise JointsError('wrong_size', f'{count} names, {len(values)} {key}')
    found = _places(names)
    if found is None:
        return sample
    layout, to = found
    joints = layout.joints
    positions, orientations = np.full((joints, 3), np.nan), np.tile((0.0, 0.0, 0.0, 1.0), (joints, 1))
    valid = np.zeros(joints, dtype=bool)
    positions[to], orientations[to] = sample.positions, sample.orientations
    valid[to] = True if sample.is_valid is None else sample.is_valid
    radii = None
    if sample.radii is not None:
        radii = np.full(joints, np.nan)
        radii[to] = sample.radii
    # without flags a joint that is not finite is no missing one, but a fault
    everything = sample.is_valid is None and count == joints
    return HandSample(positions, orientations, radii, None if everything else valid, layout.name)


def in_ros_axes(axes: str, sample: HandSample) -> HandSample:
    """The sample of a tracker whose axes are called so, joints' own axes included."""
    turn = AXES[axes]
    if turn is None:
        return sample
    orientations = sample.orientations.copy()
    # an axis of rotation is mirrored the other way round
    mirror = dots(turn[0], np.cross(turn[1], turn[2]))
    orientations[:, :3] = mirror * product(orientations[:, :3], turn.T)
    return sample._replace(positions=product(sample.positions, turn.T), orientations=orientations)


def twist_pose(msg) -> HandSample:
    """A geometry_msgs/Twist that is a pose, as Hakoniwa's are: linear is a position in m, angular are roll, pitch, yaw
    in rad (Z-Y-X), both of a body with x forward, y left, z up."""
    position = np.array([(msg.linear.x, msg.linear.y, msg.linear.z)])
    w, x, y, z = from_rpy((msg.angular.x, msg.angular.y, msg.angular.z))
    return HandSample(position, np.array([(x, y, z, w)]), None, None)
