# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Frames: what a frame_id means, where frames stand to each other, axes of simulators, places on the earth.

Not here: rotations themselves (hakoniwa_rigid/rotations.py), subscriptions to /tf (ros/collision/tf_topics.py).
"""
