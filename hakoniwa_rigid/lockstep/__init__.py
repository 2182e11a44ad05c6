# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Lockstep: a simulator and a scene that go on together, step by step, as fast as both can.  ROS-free.

Here: when the scene may go on (barrier), the one call of a simulator (client), the same call on a scene in the same
process (in_scene).  Not here: topics and clocks (ros/lockstep.py, ros/collision/lockstep_ticks.py).
"""
from .client import Link, Lockstep
from .errors import LockstepError
from .in_scene import SceneLockstep
from .states import States

__all__ = ['Link', 'Lockstep', 'LockstepError', 'SceneLockstep', 'States']
