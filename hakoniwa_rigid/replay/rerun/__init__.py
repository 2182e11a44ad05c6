# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`hakoniwa-rigid replay`: a bag through a scene, and a recording of the node call by call.

Here: the two ways to run, what they write, the journal that a running node records itself with.
Not here: bag files (replay/bag), comparing runs (replay/diff), many worlds (replay/sweep).
"""
