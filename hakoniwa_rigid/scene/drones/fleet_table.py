# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The arrays of a fleet as a table of their addresses, and how entries find them there."""
from __future__ import annotations

import numpy as np

from ...array_table import bool_array, float_array, int_array
from ...codec.motion_columns import MOTION, VEL
from ...engine.maths.jit import kernel
from .rows import OFFSET, STEPS, Bounds, Drones, Gate, Inbox

# places in the table: Drones, the Gates of samples and of wrenches, what Inbox has of its own, then Bounds as whole
# numbers, as fractions, and its gravity; others may follow
GATE_AT = len(Drones._fields)
WRENCHES_AT = GATE_AT + len(Gate._fields)
BASE_AT = WRENCHES_AT + len(Gate._fields)
BOUNDS_AT = BASE_AT + 4
FLEET_END = BOUNDS_AT + 3
# in the first of those
HAS_ORIGIN = 2


def fleet_arrays(s: Drones, gate: Gate, wrenches: Gate, inbox: Inbox, p: Bounds) -> tuple[np.ndarray, ...]:
    """The arrays in the order of the table."""
    whole = np.array([p.remove_ns, p.stale_ns, p.has_origin], dtype=np.int64)
    numbers = np.array([p.remove, p.teleport, p.max_speed, p.max_rate, p.extrapolation, p.tau, p.linear, p.angular])
    return (*s, *gate, *wrenches, inbox.base, inbox.base_stamp, inbox.steps, inbox.step_count, whole, numbers,
            p.gravity)


@kernel
def view_drones(t, n):
    """The Drones of a table, n of them."""
    one, vector, motion = (n,), (n, 3), (n, MOTION)
    return Drones(
        int_array(t, 0, one), float_array(t, 1, one), float_array(t, 2, vector), float_array(t, 3, one),
        float_array(t, 4, (n, 3, 3)), float_array(t, 5, one), float_array(t, 6, one), float_array(t, 7, motion),
        float_array(t, 8, motion), float_array(t, 9, motion), float_array(t, 10, motion), int_array(t, 11, one),
        float_array(t, 12, motion), float_array(t, 13, (n, OFFSET)), float_array(t, 14, vector),
        float_array(t, 15, vector), float_array(t, 16, vector), float_array(t, 17, vector), bool_array(t, 18, one),
        bool_array(t, 19, one), bool_array(t, 20, one), bool_array(t, 21, one), bool_array(t, 22, one),
        bool_array(t, 23, one), int_array(t, 24, one), bool_array(t, 25, one), float_array(t, 26, (n, 2)),
        float_array(t, 27, (n, 2)), bool_array(t, 28, one), bool_array(t, 29, one))


@kernel
def view_inbox(t, n):
    """The Inbox of a table."""
    s = view_drones(t, n)
    return Inbox(s.origin, s.sample, s.offset, s.reset, s.force, s.torque, s.by_rotors, s.touch_stamp, s.held,
                 s.most_load, float_array(t, BASE_AT, (n, 2, VEL)), int_array(t, BASE_AT + 1, (n, 2)),
                 float_array(t, BASE_AT + 2, (n, STEPS, 5)), int_array(t, BASE_AT + 3, (n,)))


@kernel
def view_gate(t, k, n):
    """The Gate of n streams from place k on."""
    return Gate(bool_array(t, k, (n,)), int_array(t, k + 1, (n,)), int_array(t, k + 2, (n,)), int_array(t, k + 3, (n,)),
                int_array(t, k + 4, (4,)))


@kernel
def view_bounds(t):
    """The Bounds of a table."""
    whole, f = int_array(t, BOUNDS_AT, (3,)), float_array(t, BOUNDS_AT + 1, (8,))
    return Bounds(whole[0], whole[1], f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7],
                  float_array(t, BOUNDS_AT + 2, (3,)), whole[2] != 0)
