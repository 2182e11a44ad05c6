# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Contacts of an island with constraints at the end of its interval, where the constraints' impulses are given anew."""
from ..constants import NO_MATTER
from ..contact.frame import relative_velocity
from ..maths.jit import kernel
from ..model import layout as L


@kernel
def open_contacts(s, pairs):
    """What touches may not approach faster than it does now; impulses are put aside.  Writes: s.row."""
    for i in range(len(pairs)):
        p = s.pair_i[pairs[i]]
        for c in range(p.point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            r.impulse_sum = r.impulse
            r.first_velocity = r.moment
            r.impulse = (0.0, 0.0, 0.0)
            r.moment = (0.0, 0.0, 0.0)
            if r.target_velocity > -NO_MATTER:
                u = relative_velocity(s.work[p.body_a], s.work[p.body_b], r, L.W_V, L.W_W)
                r.target_velocity = min(u[0], 0.0)


@kernel
def close_contacts(s, pairs):
    """Impulses that were put aside.  Writes: s.row."""
    for i in range(len(pairs)):
        for c in range(s.pair_i[pairs[i]].point_count):
            r = s.row[L.POINTS * pairs[i] + c]
            r.impulse = r.impulse_sum
            r.moment = r.first_velocity
