# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A scene that goes on in another process: its state as arrays and plain values, as a file, and the events that were
reported since.

Not here: what takes part of it in every tick to take a step back (containment), recordings (replay), the node's thread
that writes (ros).
"""
