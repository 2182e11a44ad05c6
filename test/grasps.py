# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Scenes for the tests of grasp assistance: drones of all models in a row, 4 m apart, hands that hold them from above,
palm down over the middle of each; and where a drone is in the palm that holds it.  m, s, rad."""
import numpy as np
from hand_acts import MODELS, PALM_HALF, UPRIGHT, G, hover, make_world, own_frame
from scipy.spatial.transform import Rotation

APART = 4.0                                     # m between two drones
# m, of base_link: the upper side of what is below the palm
TOP = {'api-1': 0.05, 'crazyflie': 0.0145, 'hummingbird': 0.0425, 'mujoco': 0.015, 'unity': 0.025, 'x500': 0.032}
LEVEL, GAP = 1.0, 0.02                          # m: height of the drones; between palm and drone
CLOSE, SECONDS, OFF = 0.5, 0.3, 1.2             # s: fingers begin to close, and take; motors off
ASSISTED = {'grasp_assistance': True}


def held_scene(hands=('right',), keys=ASSISTED, models=MODELS, authority='simulate', gravity=G, below=0.0):
    """All models in a row along x at LEVEL or below, with as many hands of each kind; at time 0."""
    scene = make_world({f'd{k}': (m, authority) for k, m in enumerate(models.values())},
                       {f'{h}{k}': keys for k in range(len(models)) for h in hands}, gravity=gravity)
    for k in range(len(models)):
        scene.feed_drone(f'd{k}', 0, (APART * k, 0, LEVEL - below), UPRIGHT, (0, 0, 0), (0, 0, 0))
    return scene


def over(k, name) -> np.ndarray:
    """Where the middle of the palm is, palm down over drone k."""
    return np.array([APART * k, 0.0, LEVEL + TOP[name] + GAP + PALM_HALF])


def motors(models=MODELS, off=OFF):
    return {f'd{k}': hover(m, off) for k, m in enumerate(models.values())}


def in_the_palm(seen, k, name, hand):
    """Of the point of drone k below the palm: where it is in the frame of the palm that is shown (T,3)."""
    x, r = seen.palm(hand)
    return own_frame(seen.x[:, k] + seen.turns(k) @ (0, 0, TOP[name]), x, r)


def turned_in_the_palm(seen, k, hand, since):
    """rad, the most that drone k has turned in the palm since a tick."""
    r = np.swapaxes(seen.palm(hand)[1], 1, 2) @ seen.turns(k)
    return max(Rotation.from_matrix(r[since].T @ b).magnitude() for b in r[since + 1:])
