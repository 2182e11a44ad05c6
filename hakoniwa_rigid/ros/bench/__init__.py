# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`hakoniwa-rigid bench`: speed and punctuality of the collision node over DDS, between processes.

Not here: speed of the engine (benchmark/ beside the package).
"""
