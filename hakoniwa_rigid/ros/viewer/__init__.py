# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The viewer: the node that feeds the browser page.

Here: its parameters and topics.  Not here: the server and its protocol (web), RViz markers (ros/collision/markers.py).
"""
