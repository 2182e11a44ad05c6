# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Stand-ins for what users already run: a drone simulator (RotorPy) and a tracked hand. ROS-free.

They know nothing of ``engine`` or ``scene`` and must not import them: the demo shows that an unmodified simulator
works.
"""
