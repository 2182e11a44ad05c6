# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""How much of an impact over time has been delivered, compiled."""
from __future__ import annotations

from ...engine.contact.force_profile import share_until
from ...engine.maths.entries import entry


@entry
def shares_until(kind, age, duration, out):
    """Shares (R,) of impulses with a profile of this kind that were delivered at ages (R,) s, of durations (R,) s.
    Writes: out."""
    for i in range(len(age)):
        out[i] = share_until(kind, age[i] / duration[i])
