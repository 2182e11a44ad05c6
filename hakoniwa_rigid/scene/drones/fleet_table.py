"""The arrays of a fleet as a table of their addresses, and how entries find them there."""
from __future__ import annotations

import numpy as np

from ...array_table import flags_at, floats_at, wholes_at
from ...codec.motion_columns import MOTION, VEL
from ...engine.maths.jit import kernel
from .rows import DEFLECTION, STEPS, Bounds, Drones, Gate, Inbox

# places in the table: Drones, the Gates of samples and of wrenches, what Inbox has of its own, then Bounds as whole
# numbers, as fractions, and its gravity; others may follow
GATE_AT = len(Drones._fields)
WRENCHES_AT = GATE_AT + len(Gate._fields)
BASE_AT = WRENCHES_AT + len(Gate._fields)
BOUNDS_AT = BASE_AT + 4
FLEET_END = BOUNDS_AT + 3


def fleet_arrays(s: Drones, gate: Gate, wrenches: Gate, inbox: Inbox, p: Bounds) -> tuple[np.ndarray, ...]:
    """The arrays in the order of the table."""
    whole = np.array([p.remove_ns, p.stale_ns, p.has_origin], dtype=np.int64)
    numbers = np.array([p.remove, p.teleport, p.max_speed, p.max_rate, p.extrapolation, p.tau, p.linear, p.angular])
    return (*s, *gate, *wrenches, inbox.base, inbox.base_stamp, inbox.steps, inbox.step_count, whole, numbers,
            p.gravity)


@kernel
def drones_at(t, n):
    """The Drones of a table, n of them."""
    one, vector, motion = (n,), (n, 3), (n, MOTION)
    return Drones(
        wholes_at(t, 0, one), floats_at(t, 1, one), floats_at(t, 2, vector), floats_at(t, 3, one),
        floats_at(t, 4, (n, 3, 3)), floats_at(t, 5, one), floats_at(t, 6, one), floats_at(t, 7, motion),
        floats_at(t, 8, motion), floats_at(t, 9, motion), floats_at(t, 10, motion), wholes_at(t, 11, one),
        floats_at(t, 12, motion), floats_at(t, 13, (n, DEFLECTION)), floats_at(t, 14, vector),
        floats_at(t, 15, vector), floats_at(t, 16, vector), floats_at(t, 17, vector), flags_at(t, 18, one),
        flags_at(t, 19, one), flags_at(t, 20, one), flags_at(t, 21, one), flags_at(t, 22, one), flags_at(t, 23, one),
        wholes_at(t, 24, one), flags_at(t, 25, one), floats_at(t, 26, (n, 2)), floats_at(t, 27, (n, 2)),
        flags_at(t, 28, one), flags_at(t, 29, one))


@kernel
def inbox_at(t, n):
    """The Inbox of a table."""
    s = drones_at(t, n)
    return Inbox(s.origin, s.sample, s.deflection, s.reset, s.force, s.torque, s.by_rotors, s.touch_stamp, s.held,
                 s.most_load, floats_at(t, BASE_AT, (n, 2, VEL)), wholes_at(t, BASE_AT + 1, (n, 2)),
                 floats_at(t, BASE_AT + 2, (n, STEPS, 5)), wholes_at(t, BASE_AT + 3, (n,)))


@kernel
def gate_at(t, k, n):
    """The Gate of n streams from place k on."""
    return Gate(flags_at(t, k, (n,)), wholes_at(t, k + 1, (n,)), wholes_at(t, k + 2, (n,)), wholes_at(t, k + 3, (n,)),
                wholes_at(t, k + 4, (4,)))


@kernel
def bounds_at(t):
    """The Bounds of a table."""
    whole, f = wholes_at(t, BOUNDS_AT, (3,)), floats_at(t, BOUNDS_AT + 1, (8,))
    return Bounds(whole[0], whole[1], f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], floats_at(t, BOUNDS_AT + 2, (3,)),
                  whole[2] != 0)
