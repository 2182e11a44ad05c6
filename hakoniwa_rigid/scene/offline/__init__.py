# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A world or a mesh by itself: run without a simulator, weighed, drawn.

Here: what `hakoniwa-rigid simulate` and `hakoniwa-rigid mass` do, and the outlines that pictures are drawn with.
Not here: bags (replay), the command line (cli).
"""
