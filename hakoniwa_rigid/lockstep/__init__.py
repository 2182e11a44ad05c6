# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Lockstep: a simulator and a scene that go on together, step by step, as fast as both can.  ROS-free.

Here: when the scene may go on (barrier), the one call of a simulator (client), the same call on a scene in the same
process (in_scene).  Not here: topics and clocks (ros/lockstep.py, ros/collision/lockstep_ticks.py).  Modules are
imported when they are asked for: a simulator needs no engine.
"""
from importlib import import_module

_WHERE = {'Link': 'client', 'Lockstep': 'client', 'LockstepError': 'errors', 'SceneLockstep': 'in_scene',
          'States': 'states'}

__all__ = ['Link', 'Lockstep', 'LockstepError', 'SceneLockstep', 'States']


def __getattr__(name):
    if name not in _WHERE:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    return getattr(import_module(f'.{_WHERE[name]}', __name__), name)
