# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""As a program: warms up as the node does, then flies the first ticks of everything, and prints what had to be compiled
(or loaded) meanwhile: nothing, if no tick is to wait for it."""
import gc
import sys

import numpy as np
from adapters import make_adapter, make_settings
from cdr_messages import REPRESENTATIONS, fleet, sample
from numba.core.dispatcher import Dispatcher

from hakoniwa_rigid.codec.cdr_writers import FleetStateWriter, OdometryWriter
from hakoniwa_rigid.scene.read_settings import warm_up
from hakoniwa_rigid.sims.hands.figure import hand_pose

TICK = 5_000_000
PLAIN = REPRESENTATIONS[0]
UPRIGHT = (0, 0, 0, 1)
AUTHORITIES = 'observe', 'correct', 'simulate'


def signatures() -> dict[str, int]:
    """Of every kernel that Python calls: in how many forms it is loaded."""
    found = [o for o in gc.get_objects() if isinstance(o, Dispatcher) and o.__module__.startswith('hakoniwa_rigid')]
    return {f'{d.__module__}.{d.__qualname__}': len(d.overloads) for d in found}


def odometry(stamp: int, x: float, name: str) -> bytes:
    values = [x, 0, 1, *UPRIGHT, *[0] * 36, 0.3, 0, 0, 0, 0, 0.1, *[0] * 36]
    return sample('Odometry', PLAIN, divmod(stamp, 10**9), ('world', f'{name}/base_link'), values)


def fly(settings) -> None:
    """Two drones come together at a hand, in every mode; a third comes by the fleet, a fourth by forces."""
    adapter = make_adapter(settings)
    scene, names = adapter.scene, adapter.scene.drone_names
    numbers = {topic.name: topic.number for topic in adapter.topics}
    writer, whole = OdometryWriter('world', list(names[:1])), FleetStateWriter('world', names)
    joints = hand_pose()[0]
    arrays = [[5, 5, 5], UPRIGHT, [0, 0, 0], [0, 0, 0]]
    for k in range(1, 120):
        now = k * TICK
        messages = [('a/odom', odometry(now, 0.004 * k, 'a')), ('b/odom', odometry(now, 0.6 - 0.004 * k, 'b')),
                    ('d/wrench', sample('WrenchStamped', PLAIN, divmod(now, 10**9), ('', ''), [0, 0, 1, 0, 0, 0])),
                    ('fleet/states', fleet(PLAIN, divmod(now, 10**9), 'world', ['c'], arrays))]
        data = np.frombuffer(bytearray(b''.join(m for _, m in messages)), np.uint8)
        lengths = np.array([len(m) for _, m in messages])
        rows = np.stack([np.cumsum(lengths) - lengths, lengths, [numbers[t] for t, _ in messages], [now] * 4])
        adapter.take(data, *rows)
        adapter.flush()
        scene.feed_hand('right', now, joints + (0.3, 0.0, 1.0 - 0.001 * k))
        if k % 40 == 0:
            scene.set_authority('a', AUTHORITIES[k // 40 % 3])
        tick = scene.advance(now)
        writer.fill(now, tick.states, np.zeros(1, dtype=np.int64))
        whole.write(now, tick.states)
        scene.clearances(1.0)


def main() -> None:
    settings = make_settings('a', 'b', 'c', 'd', drone={'c': {'source': 'fleet'}}, hands=('right',))
    warm_up(settings.world, TICK)
    before = signatures()
    fly(settings)
    for name, count in signatures().items():
        if count > before.get(name, 0):
            sys.stdout.write(f'{name} {count - before.get(name, 0)}\n')


if __name__ == '__main__':
    main()
