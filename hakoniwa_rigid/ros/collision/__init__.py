# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""collision_node: topics in, one timer, topics out.

Here: the node and its parts, one file for each: subscriptions, publishers, services, markers, diagnostics, the
recorder, outputs into simulators; `standard` has the services of simulation_interfaces.
Not here: what a message means (scene/inputs) and any physics; what several nodes share lies in ros itself.
"""
