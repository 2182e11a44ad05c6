# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Hands that tests hold under drones and strike them with: flat skeletons of all layouts, and a scene for them."""
from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scene_worlds import TICK, UPRIGHT, ZERO

from hakoniwa_rigid.scene import CollisionScene, WorldConfig
from hakoniwa_rigid.scene.hands.hand_layouts import layout_of
from hakoniwa_rigid.scene.world_files.world_types import HandConfig, MaterialConfig

FRAME = 16_666_667
# of a flat right hand: x to the fingertips, y to the thumb, z out of its back; m from the wrist along each finger
_ANGLES = np.radians((40.0, 10.0, 0.0, -10.0, -20.0))
_REACHES = ((0.035, 0.075, 0.105, 0.130), (0.035, 0.095, 0.140, 0.165, 0.185), (0.035, 0.095, 0.142, 0.170, 0.192),
            (0.033, 0.090, 0.132, 0.158, 0.178), (0.031, 0.084, 0.114, 0.134, 0.152))


def flat_hand(joints: int = 25) -> np.ndarray:
    """Joints (J,3) m of a flat hand in the plane z = 0, wrist at the origin; one joint: the origin."""
    places = [np.zeros(3)]
    for angle, reaches in zip(_ANGLES, _REACHES, strict=True):
        places += [r * np.array((np.cos(angle), np.sin(angle), 0.0)) for r in reaches]
    webxr = np.array(places)
    if joints == 26:
        return np.vstack([webxr[[10, 11]].mean(axis=0), webxr])
    if joints == 21:
        return webxr[[0, 1, 2, 3, 4, *range(6, 10), *range(11, 15), *range(16, 20), *range(21, 25)]]
    return webxr[:joints]


def half_thickness(joints: int = 25) -> float:
    """m, of the palm with fallback radii: the mean of its joints', or that of the thumb's next bone if larger."""
    layout = layout_of(joints)
    inside = [k for k, name in enumerate(layout.names) if name in ('wrist', 'palm')
              or name.endswith(('_metacarpal', '_cmc'))
              or name.endswith('_mcp' if joints == 21 else '_proximal') and not name.startswith('thumb')]
    thumb = layout.radii[[layout.names.index(n) for n in (('thumb_cmc', 'thumb_mcp') if joints == 21 else
                                                           ('thumb_metacarpal', 'thumb_proximal'))]]
    return max(layout.radii[inside].mean(), thumb.mean())


def held(drone, hand: HandConfig | None = None, friction: float = 0.5, **fields) -> CollisionScene:
    """A scene of one drone, or of none, and a hand `right`, which nothing holds back unless given; at time 0."""
    skin = MaterialConfig('skin', 0.0, friction)
    hand = replace(hand or HandConfig('right', effective_mass=math.inf), material=skin)
    scene = CollisionScene.from_config(WorldConfig(drones=(drone,) if drone else (), hands=(hand,), **fields))
    scene.advance(0)
    return scene


def run(scene: CollisionScene, end_ns: int, joints_at, plan=None, start_ns: int = 0, **hand):
    """Feed joints_at(t) at 60 Hz and, at 100 Hz, plan(t) = position of d0; returns the ticks."""
    ticks, fed = [], -(-start_ns // FRAME) * FRAME
    for now in range(start_ns, end_ns, TICK):
        if plan is not None and now % (2 * TICK) == 0:
            scene.feed_drone('d0', now, plan(now * 1e-9), UPRIGHT, ZERO, ZERO)
        while fed <= now:
            scene.feed_hand('right', fed, joints_at(fed * 1e-9), **hand)
            fed += FRAME
        ticks.append(scene.advance(now + TICK))
    return ticks
