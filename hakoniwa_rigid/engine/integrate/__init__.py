# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""How a step goes on in time: free flight of all bodies, then contacts from event to event, each island at its own
time.

Not here: finding contacts (``detect``), their impulses (``solve``), how one body moves (``motion``).
"""
