# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The constraints of a world as arrays, for a scene that looks at all of them after every call of step."""
from typing import NamedTuple

import numpy as np

from ..maths.quat import mul_one, rotate_one
from ..model import layout as L

__all__ = ['ConstraintRows', 'anchor_points', 'constraint_count', 'constraint_events', 'constraint_rows',
           'constraints_in', 'joined_bodies', 'list_joints']


class ConstraintRows(NamedTuple):
    """K constraints that hold, or gave something in the last call of step: their numbers (K,), bodies (K,), whether
    they hold (K,) bool and acted (K,) bool: they gave something, or act now, as cables that are slack and those of a
    disabled body do not.

    impulse (K, 3) N s and moment (K, 3) N m s, world: what they gave in that call, on b at its anchor.
    """

    numbers: np.ndarray
    body_a: np.ndarray
    body_b: np.ndarray
    holds: np.ndarray
    acted: np.ndarray
    impulse: np.ndarray
    moment: np.ndarray


def constraint_count(world):
    """Number of constraints that hold."""
    return int(world._s.count[L.N_JOINTS])


def constraint_events(world):
    """Number of rows of constraint_log()."""
    return int(world._s.count[L.N_JOINT_ROWS])


def constraint_rows(world):
    """ConstraintRows of a World."""
    s = world._s
    flags, total = s.joint_i, s.joint[:, L.JT_TOTAL:L.JT_TOTAL_T + 3]
    holds = flags[:, L.JI_STATE] == 1
    k = np.flatnonzero(holds | total.any(axis=1))
    a, b = flags[k, L.JI_A], flags[k, L.JI_B]
    on = s.body[:, L.B_ENABLED] == 1
    acts = holds[k] & on[a] & on[b] & ((flags[k, L.JI_KIND] != L.CABLE) | (flags[k, L.JI_TAUT] == 1))
    impulse = total[k, :3].copy()
    return ConstraintRows(k, a, b, holds[k], acts | impulse.any(axis=1), impulse, total[k, 3:].copy())


def constraints_in(flags):
    """Bodies (a, b) of the constraints that hold, by number, of the array `joint_i` of a kept state."""
    held = np.flatnonzero(flags[:, L.JI_STATE] == 1)
    return {int(k): (int(flags[k, L.JI_A]), int(flags[k, L.JI_B])) for k in held}


def joined_bodies(world):
    """(K, 2) bodies that a constraint holds together."""
    flags = world._s.joint_i
    return flags[flags[:, L.JI_STATE] == 1][:, L.JI_A:L.JI_B + 1].copy()


def anchor_points(world, k):
    """Anchors (3,) m, world, of constraint number k, which may have broken, and its length (m; 0 of those without)."""
    row, flags, pose = world._s.joint[k], world._s.joint_i[k], world.pose
    ends = []
    for body, first in ((flags[L.JI_A], L.JT_ANCHOR_A), (flags[L.JI_B], L.JT_ANCHOR_B)):
        q = mul_one(pose[body, L.H_Q:], world._axes[body])
        ends.append(pose[body, :L.H_Q] + rotate_one(q, row[first:first + 3]))
    return *ends, float(row[L.JT_LENGTH])


def list_joints(s):
    """Find the lists of the constraints of each body anew, and their number."""
    s.body[:, L.B_JOINT] = 0
    held = np.flatnonzero(s.joint_i[:, L.JI_STATE] == 1).tolist()
    for k in reversed(held):
        for side, end, following in ((0, L.JI_A, L.JI_NEXT_A), (1, L.JI_B, L.JI_NEXT_B)):
            i = s.joint_i[k, end]
            s.joint_i[k, following] = s.body[i, L.B_JOINT]
            s.body[i, L.B_JOINT] = 1 + 2 * k + side
    s.count[L.N_JOINTS] = len(held)
