# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What examples 22, 23 and 25 fly with: a controller that sends a `simulate` drone to a place, upright."""
import numpy as np
from scipy.spatial.transform import Rotation

G = 9.80665                         # m/s^2
STIFF, DAMP = 9.0, 5.0              # 1/s^2, 1/s: of the place
TURN, SLOW = 150.0, 20.0            # the same of the attitude


def send(scene, tick, name, place, extra=0.0):
    """Feed the force and torque, body axes, that take a drone to a place (3,) m; extra: N that it has to carry."""
    states, row = tick.states, scene.drone_names.index(name)
    model = scene.config.drones[row].model
    turn = Rotation.from_quat(states.orientations_xyzw[row])
    pull = STIFF * (np.asarray(place) - states.positions[row]) - DAMP * states.linear_velocities[row]
    force = model.mass * (pull + (0.0, 0.0, G)) + (0.0, 0.0, extra)
    twist = -TURN * turn.inv().apply(turn.as_rotvec()) - SLOW * states.angular_velocities[row]
    scene.feed_wrench(name, tick.stamp_ns, turn.inv().apply(force), np.array(model.inertia) * twist)
