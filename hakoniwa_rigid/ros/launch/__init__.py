# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What the launch files share: their arguments and checks.

Not here: the launch files (launch/ beside the package), starting processes without launch (ros/child_processes.py).
"""
