# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a World saves and goes back to."""
from typing import NamedTuple

from ..constants import LANES
from ..model import layout as L
from ..model.arrays import in_lines


class Saved(NamedTuple):
    """A saved World: its arrays, shapes (set_capsule and set_box change them), and names of constraints by number."""

    arrays: tuple
    shapes: list
    joint_names: list


def copied(s):
    """Copy of all arrays but the tables and the scratch of the convex shapes, which hold no state."""
    return s._replace(**{k: in_lines(v) for k, v in s._asdict().items() if k != 'convex'})


def masses(s):
    """Inverse masses and inertias as the blocks of bodies hold them."""
    return s.block.reshape(-1, L.BLOCK, LANES)[:, L.H_IM:L.H_G + 1]
