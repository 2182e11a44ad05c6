# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Scenes for the tests of grasp assistance: drones of all models in a row, 4 m apart, hands that hold them from above,
palm down over the middle of each; and where a drone is in the palm that holds it.  m, s, rad."""
import numpy as np
from hand_acts import (
    MODELS,
    PALM,
    PALM_HALF,
    UPRIGHT,
    G,
    about,
    constant,
    facing,
    first_touch,
    follow,
    gripped,
    hover,
    make_world,
    open_hand,
    own_frame,
)
from scipy.spatial.transform import Rotation

APART = 4.0                                     # m between two drones
# m, of base_link: the upper side of what is below the palm
TOP = {'api-1': 0.05, 'crazyflie': 0.0145, 'hummingbird': 0.0425, 'mujoco': 0.015, 'unity': 0.025, 'x500': 0.032}
LEVEL, GAP = 1.0, 0.02                          # m: height of the drones; between palm and drone
CLOSE, SECONDS, OFF = 0.5, 0.3, 1.2             # s: fingers begin to close, and take; motors off
ASSISTED = {'grasp_assistance': True}


def held_scene(hands=('right',), keys=ASSISTED, models=MODELS, authority='simulate', gravity=G, below=0.0,
               timeout=0.25):
    """All models in a row along x at LEVEL or below, with as many hands of each kind; at time 0."""
    scene = make_world({f'd{k}': (m, authority) for k, m in enumerate(models.values())},
                       {f'{h}{k}': keys for k in range(len(models)) for h in hands}, gravity=gravity,
                       hand_timeout=timeout)
    for k in range(len(models)):
        scene.feed_drone(f'd{k}', 0, (APART * k, 0, LEVEL - below), UPRIGHT, (0, 0, 0), (0, 0, 0))
    return scene


def over(k, name) -> np.ndarray:
    """Where the middle of the palm is, palm down over drone k."""
    return np.array([APART * k, 0.0, LEVEL + TOP[name] + GAP + PALM_HALF])


def motors(models=MODELS, off=OFF):
    return {f'd{k}': hover(m, off) for k, m in enumerate(models.values())}


def holding(k, name, end, *, point=None, rotation=None, opens=np.inf, opening=0.15, layout=25, **stream):
    """Samples of a hand over drone k, that closes round it, goes where the middle of its palm goes (default: stays),
    and opens again."""
    way = about(point or constant(over(k, name)), PALM, rotation or constant(np.eye(3)))
    times, shares = [CLOSE, CLOSE + SECONDS], [0.0, 1.0]
    if opens < end:
        times, shares = [*times, opens, opens + opening], [*shares, 1.0, 0.0]
    return follow(way, gripped(times, shares, layout), end, seed=k, **stream)


def in_the_palm(seen, k, name, hand):
    """Of the point of drone k below the palm: where it is in the frame of the palm that is shown (T,3)."""
    x, r = seen.palm(hand)
    return own_frame(seen.x[:, k] + seen.turns(k) @ (0, 0, TOP[name]), x, r)


def turned_in_the_palm(seen, k, hand, since):
    """rad, the most that drone k has turned in the palm since a tick."""
    r = np.swapaxes(seen.palm(hand)[1], 1, 2) @ seen.turns(k)
    return max(Rotation.from_matrix(r[since].T @ b).magnitude() for b in r[since + 1:])


def approach(rng, k, name, layout):
    """A drone that comes at a palm: start, attitude, velocity; the way of the hand and its posture; the touch, s."""
    model, touch, speed = MODELS[name], 0.55, rng.uniform(0.5, 2.0)
    d = rng.normal(size=3) * (1, 1, 0.4)
    d /= np.linalg.norm(d)
    attitude = Rotation.from_euler('z', rng.uniform(0, 2 * np.pi))
    rotation = facing(-d, np.cross(d, rng.normal(size=3)))
    angle, aside = rng.uniform(0, 2 * np.pi), rng.uniform(0, 0.03)
    beside = aside * np.array([np.cos(angle), np.sin(angle)])
    before = first_touch(model, attitude.as_matrix(), rotation, open_hand(layout), beside)
    middle = np.array([APART * k, 0, LEVEL])
    com = middle - (before + speed * touch) * d + rotation[:, :2] @ beside
    start = com - attitude.apply(model.get('com', (0, 0, 0)))
    begin = touch - rng.uniform(0.05, 0.2)
    posture = gripped([begin, begin + 0.2], [0.0, 1.0], layout)
    return start, attitude.as_quat(), speed * d, about(constant(middle), PALM, constant(rotation)), posture, touch


def kept(seen, k, model, hand, touch):
    """Whether drone k stays within 5 cm of where it was in the palm for 1 s, from 0.2 s behind the touch on."""
    first = seen.at(touch + 0.2)
    x, r = seen.palm(hand)
    com = seen.x[:, k] + seen.turns(k) @ np.array(model.get('com', (0, 0, 0)))
    own = own_frame(com, x, r)[first:seen.at(touch + 1.2) + 1]
    return bool(np.linalg.norm(own - own[0], axis=1).max() < 0.05)
