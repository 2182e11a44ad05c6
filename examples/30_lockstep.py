# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A simulator in Python and a scene go on together, one call per step: the simulator sends its states, gets the
corrected ones back, and goes on from those of drones in contact.  Over ROS the call is the same (docs/lockstep.md)."""
import argparse
from hashlib import sha256

import numpy as np

from hakoniwa_rigid.lockstep import SceneLockstep
from hakoniwa_rigid.scene import CollisionScene

STEP_NS = 5_000_000         # of simulator and scene
SECONDS = 8.0
PULL, BRAKE = 4.0, 2.4      # 1/s^2 and 1/s, of the autopilots
NAMES = ['east', 'west']
IN_CONTACT = 1              # of States.flags


class Simulator:
    """Two drones as points, each flown to and fro by a spring and a damper.  It knows nothing of collisions."""

    def __init__(self):
        self.x, self.v = np.array([[-1.5, 0.03, 1.5], [1.5, -0.03, 1.5]]), np.zeros((2, 3))

    def step(self, t, dt):
        """Forward by dt s; the goals of the two drones change places every 2 s."""
        side = 1.5 if int(t / 2.0) % 2 == 0 else -1.5
        goals = np.array([[side, 0.03, 1.5], [-side, -0.03, 1.5]])
        self.v += dt * (PULL * (goals - self.x) - BRAKE * self.v)
        self.x += dt * self.v


def fly():
    """Of all steps time, places along the way, whether the drones touch, their distance; a digest of all states."""
    scene = CollisionScene.from_yaml('gym', spare={'drones': 2})
    for name in NAMES:
        scene.add_drone(name, 'hummingbird')
    lockstep, simulator, rows, digest = SceneLockstep(scene, NAMES, STEP_NS), Simulator(), [], sha256()
    level, still = np.tile([0, 0, 0, 1.0], (2, 1)), np.zeros((2, 3))
    for k in range(1, round(SECONDS * 1e9) // STEP_NS):
        stamp = k * STEP_NS
        simulator.step(1e-9 * stamp, 1e-9 * STEP_NS)
        states = lockstep.step(stamp, simulator.x, level, simulator.v, still)
        touching = (states.flags & IN_CONTACT) > 0
        simulator.x[touching], simulator.v[touching] = states.positions[touching], states.linear_velocities[touching]
        apart = np.linalg.norm(states.positions[1] - states.positions[0])
        if k > 1:       # before the first step the scene has its start poses
            rows.append((1e-9 * stamp, *states.positions[:, 0], touching.any(), apart))
        digest.update(states.positions.tobytes())
    return np.array(rows), digest.hexdigest()[:16]


def main(out=None):
    """Two equal flights, and what they come to."""
    (rows, digest), (_, again) = fly(), fly()
    begins = np.flatnonzero(np.diff(rows[:, 3]) > 0) + 1
    print(f'{len(rows)} steps, {len(begins)} meetings, the first at {rows[begins[0], 0]:.3f} s')
    print(f'nearest centres: {rows[:, 4].min():.3f} m')
    print(f'states {digest}, once more {again}')
    if out:
        draw(rows, out)


def draw(rows, out):
    """Places along the way over time."""
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot as plt
    figure, axes = plt.subplots(figsize=(8, 4))
    for k, name in enumerate(NAMES):
        axes.plot(rows[:, 0], rows[:, 1 + k], label=name)
    axes.set(xlabel='time [s]', ylabel='place along the way [m]')
    axes.legend()
    figure.savefig(out, dpi=120, bbox_inches='tight')
    print(f'picture: {out}')


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--out', help='picture to write (PNG)')
    main(parser.parse_args().out)
