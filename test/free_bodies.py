# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Worlds of bodies in free flight for the tests of rigid motion, and what is measured on them."""

import numpy as np
from oracles.rotations import angle_between, matrix
from scenes import DRONE_BOX, DRONE_INERTIA, DRONE_MASS

from hakoniwa_rigid.engine import Box, WorldBuilder

INTEGRATORS = ('exact', 'rk4', 'implicit_midpoint', 'semi_implicit_euler')
STORAGES = ('principal', 'tensor')
TUMBLE = 5 * np.array([np.sin(0.01), np.cos(0.01), 0.0])  # rad/s, 0.01 rad off the drone's middle axis


def free_body(*, dt=1e-3, gravity=(0, 0, 0), integrator='exact', storage='principal', **body):
    """World of one body, the drone unless said otherwise."""
    b = WorldBuilder(gravity=gravity, dt=dt, integrator=integrator, inertia_storage=storage)
    b.add_body(Box(DRONE_BOX), **({'mass': DRONE_MASS, 'inertia': DRONE_INERTIA, 'name': 'drone'} | body))
    return b.build()


def spin_momentum(w, i=0):
    """Angular momentum (3,) about the body's own centre of mass, world axes."""
    r = matrix(w.quat[i])
    return r @ w.inertia[i] @ r.T @ w.angvel[i]


def attitude_error(w, expected, i=0):
    """Angle to the expected quaternion, rad."""
    return angle_between(w.quat[i], expected)


def state(w):
    """All that moves, one row per body: pos, quat with w >= 0, linvel, angvel (N, 13)."""
    sign = np.where(w.quat[:, :1] < 0, -1.0, 1.0)
    return np.hstack([w.pos, sign * w.quat, w.linvel, w.angvel])
