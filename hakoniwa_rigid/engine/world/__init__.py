# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a user holds: WorldBuilder (checks), World (runs steps), questions about the present state.  No physics.

Above the step, which it calls; the arrays are in ``model``.
"""
