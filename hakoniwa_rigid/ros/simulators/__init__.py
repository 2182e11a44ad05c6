# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Nodes on the side of a simulator: one for any simulator in Python, the glue that applies corrections, and stand-ins.

Not here: simulators without ROS (sims), what the collision node tells simulators (ros/collision/sim_outputs.py).
"""
