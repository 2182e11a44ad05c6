# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Parameters: what a user sets, with type, range and default, as values, from files and from presets of simulators.

Here: the tables (`params`), files without ROS, presets, and the values read once (`settings`).
Not here: worlds (scene/world_files), the scene that the values ask for (scene/read_settings.py), ROS (ros/params.py).
"""
