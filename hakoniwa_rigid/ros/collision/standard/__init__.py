# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Services of the package simulation_interfaces, the standard of ROS 2 for simulators. docs/standard_services.md.

Here: what is served, one file for entities, for the simulation and for steps; a service is a method and a line in a
table, with the features that it stands for.
Not here: what entities are (scene/entities), and the node's client of SetEntityState (sim_outputs).
"""
