# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""SROS2: what each node uses, as a policy, from the graph of running nodes.

Not here: keys and permissions, which `ros2 security` makes of a policy.
"""
