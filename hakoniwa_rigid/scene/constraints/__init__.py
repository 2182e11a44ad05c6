# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Constraints of a running scene: which there are, by name, what happens to them as events, what they do to drones.

Not here: what a constraint does to bodies (engine), its keys in a file (world_files).
"""
