# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What one contact point is: frame and velocities, effective mass, material, Coulomb's law, the energy that it takes,
force over time, its row in the log.

Below detection, which fills contact points, and the solvers, which find the impulses of many.  Nothing here searches or
moves bodies.
"""
