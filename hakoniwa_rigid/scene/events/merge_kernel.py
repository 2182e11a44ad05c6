# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Part pairs of contact points found, compiled."""
from __future__ import annotations

from ...engine.maths.entries import entry


@entry
def group_rows(body_a, body_b, part_a, part_b, group, first):
    """Group of each row into group (R,), first row of each group into first (R,); groups in order of first appearance.
    Returns their number.  Writes: group, first."""
    n, g = 0, 0
    for r in range(len(group)):
        found = False
        # rows of a pair stand together, and steps resemble each other: look on from the last one
        for _ in range(n):
            f = first[g]
            found = (body_a[f] == body_a[r] and body_b[f] == body_b[r] and part_a[f] == part_a[r]
                     and part_b[f] == part_b[r])
            if found:
                break
            g = g + 1 if g + 1 < n else 0
        if not found:
            g = n
            first[g] = r
            n += 1
        group[r] = g
    return n
