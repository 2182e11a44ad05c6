# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Recorded hands carry a drone, throw it, catch it, clap it. The scene without ROS, hands 40 ms late as a headset's.
With --out PNG it draws moments of each."""
import argparse

import numpy as np
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.paths import config_file
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.sims.hands.motion import read_motion

TICK_NS, LATE_NS, LEVEL = 5_000_000, 40_000_000, (0.0, 0.0, 0.0, 1.0)
# recordings; authority; moments that are drawn, s
ACTS = {'grip': (('grip_right',), 'correct', (0.6, 1.5, 2.8, 3.9, 5.3)),
        'throw': (('throw_right',), 'simulate', (1.5, 2.6, 3.2, 3.45, 3.6)),
        'catch': (('catch_right',), 'correct', (1.7, 1.9, 2.1, 3.0, 4.4)),
        'clap': (('clap_left', 'clap_right'), 'correct', (1.1, 1.25, 1.4, 1.6, 2.2))}


def plan(act, t):
    """Where the drone would be at t s, how it would be turned and fly: it hovers; what is to be caught comes."""
    x = max(0.666 + 1.5 * (2.0 - t), -0.5) if act == 'catch' else 1.0
    return (x, 0.0, 1.2), LEVEL, (-1.5 if act == 'catch' and x > -0.5 else 0.0, 0.0, 0.0), (0.0, 0.0, 0.0)


def play(act):
    """The scene of an act, and all its ticks."""
    names, authority, _ = ACTS[act]
    scene = CollisionScene.from_yaml(config_file('worlds', 'ar_room.yaml'))
    scene.set_authority('d0', authority)
    scene.feed_drone('d0', 0, *plan(act, 0.0))
    hands = [read_motion(config_file('hands', f'{name}.npz')) for name in names]
    samples = sorted((t + LATE_NS, h, k) for h, hand in enumerate(hands) for k, t in enumerate(hand.stamps.tolist()))
    ticks, weight = [scene.advance(0)], 9.80665 * scene.config.drones[0].model.mass
    for now in range(TICK_NS, samples[-1][0], TICK_NS):
        scene.feed_wrench('d0', now, (0, 0, weight), (0, 0, 0))
        if authority == 'correct':
            scene.feed_drone('d0', now, *plan(act, now * 1e-9))
        while samples and samples[0][0] <= now:
            due, h, k = samples.pop(0)
            scene.feed_hand(hands[h].hand, due - LATE_NS, hands[h].positions[k], None, hands[h].radii)
        ticks.append(scene.advance(now))
    return scene, ticks


def draw(axes, scene, tick):
    """The drone's box and the bones of the hands that are there."""
    at, turn = tick.states.positions[0], Rotation.from_quat(tick.states.orientations_xyzw[0])
    corners = at + turn.apply((np.array(list(np.ndindex(2, 2, 2))) - 0.5) * scene.config.drones[0].model.shape.size)
    for a, b in ((a, a ^ bit) for a in range(8) for bit in (1, 2, 4) if a < a ^ bit):
        axes.plot(*corners[[a, b]].T, color='tab:orange', lw=1.2)
    hands = [hand for hand in tick.hands if hand.enabled.any()]
    for hand in hands:
        ways = Rotation.from_quat(hand.orientations_xyzw[hand.enabled]).as_matrix()[:, :, 2]
        for middle, way in zip(hand.positions[hand.enabled], ways * hand.lengths[hand.enabled, None] / 2, strict=True):
            axes.plot(*np.array([middle - way, middle + way]).T, color='tab:blue', lw=2, solid_capstyle='round')
    focus = (at + np.mean([hand.positions[hand.enabled].mean(axis=0) for hand in hands] or [at], axis=0)) / 2
    axes.set(**{f'{axis}lim': (x - 0.32, x + 0.32) for axis, x in zip('xyz', focus, strict=True)})
    axes.set_box_aspect(None, zoom=1.35)
    axes.view_init(25, -75)
    axes.set_axis_off()


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument('--out', help='picture to write (PNG)')
out, acts = parser.parse_args().out, {act: play(act) for act in ACTS}
for act, (_, ticks) in acts.items():
    told = [f'{e.phase.name} {1e-9 * e.stamp_ns:.2f} s' for t in ticks for e in t.constraint_events]
    fastest = max(np.linalg.norm(t.states.linear_velocities[0]) for t in ticks)
    print(f'{act}: {", ".join(told) or "nothing is held"}; fastest {fastest:.2f} m/s')
if out:
    from matplotlib.figure import Figure
    figure = Figure(figsize=(12, 8))
    spots = figure.subplots(4, 5, subplot_kw={'projection': '3d'}).ravel()
    for spot, (name, moment) in zip(spots, ((n, m) for n in ACTS for m in ACTS[n][2]), strict=True):
        draw(spot, acts[name][0], acts[name][1][round(moment * 1e9 / TICK_NS)])
        spot.set_title(f'{name}, {moment:.2f} s', y=0.92)
    figure.subplots_adjust(0, 0, 1, 0.97, 0, 0.05)
    figure.savefig(out, dpi=80)
    print(f'picture: {out}')
