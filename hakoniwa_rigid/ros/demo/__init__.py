# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`hakoniwa-rigid demo`: all nodes as processes of their own, their bag, and what happened as text and picture.

Not here: the nodes (ros/collision, ros/viewer, ros/simulators), how processes are started (ros/child_processes.py).
"""
