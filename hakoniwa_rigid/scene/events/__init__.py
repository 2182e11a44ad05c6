# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Contact events: contact points of the engine merged per pair of parts, and reported as begin, persist and end.

Here: the log (`events`), merging, what is summed over a contact (`amounts`), contacts of observed drones, and reports
on those that do not follow the impulses reported to them.
Not here: impulses themselves (engine), event messages (codec), comparing runs (replay/diff).
"""
