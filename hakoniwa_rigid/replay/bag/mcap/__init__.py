# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The format mcap: records, blocks of messages, the summary at the end, reading without one, and writing.

Why it is read and written here and not by a library: docs/adr/0009-bags.md.  Not here: what is special to ROS 2.
"""
