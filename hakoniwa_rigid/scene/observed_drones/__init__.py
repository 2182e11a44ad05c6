# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Drones under the authority `observe`: what is reported to their simulators of an impact, and whether they follow it.

Here: impacts as the two-body formula wants them, and the response of each simulator in its samples.
Not here: the log of contacts (scene/events).
"""
