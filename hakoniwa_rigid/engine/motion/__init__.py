# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Motion of one body under given loads: states, work rows, integrators, limits of speed, waking.

Kinematics that detection predicts with and solvers move with.  Nothing here knows of shapes or contact points.
"""
