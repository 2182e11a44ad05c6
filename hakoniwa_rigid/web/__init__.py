# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The browser page and the socket that feeds it: an HTTP and WebSocket server in a thread of its own, what it sends and
what it accepts.  Knows no ROS (ros/viewer/viewer_node.py connects the two) and never changes a scene."""
