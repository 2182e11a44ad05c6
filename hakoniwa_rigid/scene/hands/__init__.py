# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Tracked hands: samples of joints in, moving capsules and boxes out.

Here: layouts of joints, the filter and prediction of joints (`hand_tracking`), the bodies (`hands`, `hand_set`), left
or right, hands of finite mass (`hand_coupling`).
Not here: messages of trackers (scene/inputs/hand_samples.py), cameras, keys and recordings (sims/hands), ROS.
"""
