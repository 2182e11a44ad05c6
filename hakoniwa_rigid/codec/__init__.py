# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bytes to numbers and back: every message that the package reads or writes without a ROS message being built.

Here: plain CDR in both directions (`cdr` reads, `cdr_writers` and `motion_packer` write), fields of messages as plain
numbers, batches of messages in one buffer, and the compiled loops over their bytes (`*_kernel`).
Not here: what a message means for a scene (scene/inputs), files (replay/bag), sockets (web), and ROS.
"""
