# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What feeds a hand: recordings, MediaPipe landmarks seen by a camera, keyboard and mouse.

Not here: ROS, engine and scene, as in its parent; ros/hands/hand_bridge.py publishes what comes out of here.
"""
