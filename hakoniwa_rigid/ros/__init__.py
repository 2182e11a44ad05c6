# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The ROS 2 edge: nodes, conversions and adapters. The only folder that imports rclpy and message packages.

A room for each node: collision, viewer, hands, demo, bench, simulators; launch for the launch files.  Beside them what
several nodes share: executor, parameters, quality of service, domain, child processes, topics in bulk.
Nodes here are thin: they validate, convert and hand on to ``scene``. No physics lives here.
"""
