# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bags as files: rosbag2 folders and single files, mcap (in mcap/) and sqlite3, read in one stated order and written.

Here: message types, quality of service, decompression, messages of hands.
Not here: what a scene makes of a bag (replay/rerun), what is in a bag (replay/inspection), layouts of bytes (codec).
"""
