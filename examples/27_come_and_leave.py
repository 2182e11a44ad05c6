# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Drones come to a room one by one while it runs, push the drone that hovers there, and leave; a parcel comes too.  The
places that they take are the world's `spare:`.  With --out PNG it draws who was where, and when."""
import argparse

import numpy as np

from hakoniwa_rigid.scene import CollisionScene, Phase, SpawnError

TICK_NS = 5_000_000     # 200 Hz
STAY, SPEED = 1.6, 0.7  # s, m/s


def visit(scene, stamp, name, begun):
    """A visitor flies through the place of the host."""
    along = -0.5 + SPEED * 1e-9 * (stamp - begun)
    scene.feed_drone(name, stamp, (along, 0.02, 1.0), (0, 0, 0, 1), (SPEED, 0, 0), (0, 0, 0))


def main(out=None):
    """Five visitors, two at a time, in a room with room for two."""
    scene = CollisionScene.from_yaml('gym', spare={'drones': 2, 'objects': 1})
    host, rows = scene.drone_names[0], []
    there, come = {}, 0
    for stamp in range(0, 7_500_000_000, TICK_NS):
        for name in [name for name, begun in there.items() if stamp - begun >= STAY * 1e9]:
            scene.remove(name)
            del there[name]
            print(f'{1e-9 * stamp:5.2f} s  {name} leaves')
        if come < 5 and stamp >= come * 1_200_000_000:
            come += 1
            there[f'visitor{come}'] = stamp
            scene.add_drone(f'visitor{come}', ('crazyflie', 'hummingbird')[come % 2], position=[-0.5, 0, 1])
            print(f'{1e-9 * stamp:5.2f} s  visitor{come} comes')
        scene.feed_drone(host, stamp, (0, 0, 1), (0, 0, 0, 1), (0, 0, 0), (0, 0, 0))
        for name, begun in there.items():
            visit(scene, stamp, name, begun)
        tick = scene.advance(stamp)
        for event in tick.events:
            if event.phase is Phase.BEGIN and host in (event.body_a, event.body_b):
                print(f'{1e-9 * event.stamp_ns:5.2f} s  {event.body_a} meets {event.body_b}, '
                      f'{np.linalg.norm(event.impulse):.3f} N s')
        for name in (host, *there) if stamp else ():
            rows.append((1e-9 * stamp, name, tick.states.positions[tick.states.names.index(name), 0]))
    scene.add_object('parcel', shape={'type': 'box', 'size': [0.3, 0.3, 0.3]}, mass=1.0, position=[0, 2, 3])
    try:
        scene.add_object('another', shape={'type': 'box', 'size': [0.3, 0.3, 0.3]}, mass=1.0, position=[1, 2, 3])
    except SpawnError as error:
        print(f'refused: {error}')
    print(f'{scene.roster} times something came or left')
    if out:
        draw(rows, host, out)


def draw(rows, host, out):
    """Places along the way over time."""
    import matplotlib
    matplotlib.use('Agg')
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(8, 4))
    for name in dict.fromkeys(name for _, name, _ in rows):
        own = np.array([(t, x) for t, who, x in rows if who == name])
        axes.plot(*own.T, label=name, linewidth=2.5 if name == host else 1.5)
    axes.set(xlabel='time [s]', ylabel='place along the way [m]')
    axes.legend(ncols=3, fontsize=8)
    figure.savefig(out, dpi=120, bbox_inches='tight')
    print(f'picture: {out}')


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--out', help='picture to write (PNG)')
    main(parser.parse_args().out)
