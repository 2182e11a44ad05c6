# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a drone itself notices of its contacts: its inertial sensor and its rotors.

Here: what an inertial sensor at a place of a drone measures in a tick (`imu`, of which `felt_points` is the part of
contacts), how that is added to a simulator's samples (`imu_sum`), and rotors that are hit (`rotor_strikes`).
Not here: messages (ros/collision), the engine's contacts and events (scene/events), thrust (scene/drones).
"""
