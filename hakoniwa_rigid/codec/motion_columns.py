# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The 13 numbers of a motion, as messages become them and the scene keeps them: columns of a row."""

# position m, attitude wxyz, velocity m/s, angular velocity rad/s, all in the world; and how many there are
POS, QUAT, VEL, OMEGA, MOTION = 0, 3, 7, 10, 13
