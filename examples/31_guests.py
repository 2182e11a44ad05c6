# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Guests come to a room one after the other, each with a hand that the world file does not know.  Each pushes the drone
that hovers there, the heavier the harder, and leaves.  Their places are the world's `spare:`; a node finds such hands
by their topics (`hands: auto`)."""
import numpy as np

from hakoniwa_rigid.scene import CollisionScene, Phase, SpawnError

TICK_NS = 5_000_000     # 200 Hz
STAY, SPEED = 1.0, 0.8  # s, m/s
GUESTS = {'ada': 0.3, 'bob': 0.6, 'cyd': 1.2}   # kg that a hand has, as it is felt
ROOM = 1


def main():
    """Three guests, one at a time, in a room with room for one."""
    scene = CollisionScene.from_yaml('gym', spare={'hands': ROOM})
    host = scene.drone_names[0]
    guest, begun, waiting = '', 0, dict(GUESTS)
    for stamp in range(0, 5_000_000_000, TICK_NS):
        if guest and stamp - begun >= STAY * 1e9:
            scene.remove(guest)
            print(f'{1e-9 * stamp:5.2f} s  {guest} leaves')
            guest = ''
        if waiting and not guest and stamp % 1_500_000_000 == 0:
            guest, begun = next(iter(waiting)), stamp
            scene.add_hand(guest, effective_mass=waiting.pop(guest), shape={'type': 'sphere', 'radius': 0.05})
            print(f'{1e-9 * stamp:5.2f} s  {guest} comes')
            try:
                scene.add_hand('another')
            except SpawnError as error:
                print(f'refused: {error}')
        scene.feed_drone(host, stamp, (0, 0, 1), (0, 0, 0, 1), (0, 0, 0), (0, 0, 0))
        if guest:
            scene.feed_hand(guest, stamp, [(-0.6 + SPEED * 1e-9 * (stamp - begun), 0, 1)])
        for event in scene.advance(stamp).events:
            if event.phase is Phase.BEGIN and guest in (event.body_a, event.body_b):
                print(f'{1e-9 * event.stamp_ns:5.2f} s  {event.body_a} meets {event.body_b}, '
                      f'{np.linalg.norm(event.impulse):.3f} N s')
    print(f'{scene.roster} times a hand came or left')


if __name__ == '__main__':
    main()
