# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""PyFlyt (PyBullet) beside collision_node: Crazyflies d0, d1 that fly to goals.  make test-sims installs it.

python pyflyt_node.py observe|correct|simulate X0,Y0,Z0:X1,Y1,Z1 [start:goal of d1]; worlds: docs/simulators/pyflyt.md
"""
import numpy as np
from PyFlyt.core import Aviary

from hakoniwa_rigid.ros.simulators.simulator_node import fly


class PyFlyt:
    """Crazyflies `cf2x` under PyFlyt's own controllers of position: starts and goals (N,3) m.  Bullet's collisions are
    off unless `collides`; noise: share of a motor's throttle, 0.02 by PyFlyt's default."""

    dt, mass, inertia = 1 / 120, 0.027, np.array([1.4e-5, 1.4e-5, 2.17e-5])

    def __init__(self, starts, goals, collides=False, noise=0.0):
        starts = np.array(starts, float)
        self.air = Aviary(starts, np.zeros_like(starts), 'quadx', seed=1)
        self.air.set_mode(7)
        self.ids = [drone.Id for drone in self.air.drones]
        for k, (x, y, z) in enumerate(goals):
            self.air.set_setpoint(k, np.array([x, y, 0.0, z]))
            self.air.drones[k].motors.noise_ratio[:] = noise
            if not collides:
                self.air.setCollisionFilterGroupMask(self.ids[k], -1, 0, 0)

    def step(self):
        """dt s: two steps of PyBullet and one of the controllers."""
        self.air.step()

    def state(self, k):
        """Position (3,) m, orientation (4,) xyzw, velocity and rate (3,) m/s, rad/s in the world."""
        pose, motion = self.air.getBasePositionAndOrientation(self.ids[k]), self.air.getBaseVelocity(self.ids[k])
        return tuple(map(np.array, (*pose, *motion)))

    def put(self, k, x, q, v, w):
        """Set the state."""
        self.air.resetBasePositionAndOrientation(self.ids[k], list(x), list(q))
        self.air.resetBaseVelocity(self.ids[k], list(v), list(w))


if __name__ == '__main__':
    fly('pyflyt', PyFlyt)
