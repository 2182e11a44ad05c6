# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""hakoniwa_rigid: the collision layer beside a drone simulator.

``engine`` holds the numbers (no ROS, files or clocks), ``codec`` the bytes of messages, ``scene`` the drones, walls
and hands, ``replay``, ``web`` and ``sims`` what works on them or beside them without ROS, and ``ros`` the nodes.
Imports go downwards only: ros -> replay, web, sims -> scene -> codec -> engine. ``smooth_motion``, one body on a smooth
floor, stands on the engine beside all of these. Beside the rooms: the command (`cli`), rotations and files that all of
them use. Nothing of a single room belongs here.
"""
import os
from pkgutil import extend_path

from . import moved

# numba reads it when it is imported: no vector library of a vendor stands in for mathematics, where a machine has one
os.environ.setdefault('NUMBA_DISABLE_INTEL_SVML', '1')

# lets a source tree earlier on sys.path find the generated hakoniwa_rigid.msg
__path__ = extend_path(__path__, __name__)
__version__ = '1.0.0'
moved.install()
