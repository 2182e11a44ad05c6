# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""crazyflow (JAX) beside collision_node: Crazyflies d0, d1 that fly to goals.  make test-sims installs it.

python crazyflow_node.py observe|correct|simulate X0,Y0,Z0:X1,Y1,Z1 [start:goal of d1]; worlds:
docs/simulators/crazyflow.md
"""
import crazyflow  # noqa: F401 -- before scipy, which it asks to take arrays of JAX
import jax.numpy as jnp
import numpy as np
from crazyflow.control import Control
from crazyflow.dynamics import Dynamics
from crazyflow.sim import Sim
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.ros.simulators.simulator_node import fly


class Crazyflow:
    """Crazyflies `cf2x_L250` by first principles, under crazyflow's Mellinger controller: starts and goals (N,3) m."""

    dt, mass, inertia = 0.01, 0.0328, np.array([2.3951e-5, 2.3951e-5, 3.2347e-5])

    def __init__(self, starts, goals):
        n = len(starts)
        self.sim = Sim(n_drones=n, drone='cf2x_L250', dynamics=Dynamics.first_principles, control=Control.state,
                       freq=500, state_freq=100)
        self.goals, self.command = np.array(goals, float), np.zeros((1, n, 16))
        self.command[0, :, 12] = 1.0        # position, velocity, acceleration, orientation xyzw, rates
        self._set('pos', slice(None), starts)
        self._set('rotor_vel', slice(None), np.full((n, 4), 15000.0))      # 1/min, about hover

    def _set(self, name, k, value):
        states = self.sim.data.states
        new = getattr(states, name).at[0, k].set(jnp.array(value))
        core = self.sim.data.core.replace(mjx_synced=False)
        self.sim.data = self.sim.data.replace(states=states.replace(**{name: new}), core=core)

    def step(self):
        """dt s: five steps, and one of the controller of position, which turns over for goals farther than a step."""
        x = np.array(self.sim.data.states.pos[0])
        self.command[0, :, :3] = x + np.clip(self.goals - x, -0.2, 0.2)
        self.sim.state_control(jnp.array(self.command))
        self.sim.step(5)

    def state(self, k):
        """Position (3,) m, orientation (4,) xyzw, velocity and rate (3,) m/s, rad/s in the world."""
        s = self.sim.data.states
        x, q, v, w = (np.array(a[0, k], float) for a in (s.pos, s.quat, s.vel, s.ang_vel))
        return x, q / np.linalg.norm(q), v, Rotation.from_quat(q).apply(w)

    def put(self, k, x, q, v, w):
        """Set the state."""
        for name, value in zip(('pos', 'quat', 'vel'), (x, q, v), strict=True):
            self._set(name, k, value)
        self._set('ang_vel', k, Rotation.from_quat(q).inv().apply(w))


if __name__ == '__main__':
    fly('crazyflow', Crazyflow)
