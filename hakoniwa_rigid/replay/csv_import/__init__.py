# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`hakoniwa-rigid import`: tables of trajectories to bags.

Not here: bag files (replay/bag), bytes of messages (codec/motion_packer.py).
"""
