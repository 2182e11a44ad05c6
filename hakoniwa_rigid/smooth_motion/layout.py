# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Columns and codes of the arrays that the kernels of this folder work on."""
from typing import NamedTuple

import numpy as np

# floors
PLANE, SPHERE, CYLINDER, PARABOLOID, SINE, CUSTOM = range(6)
# a floor's row: kind, whether it moves, eight parameters, then the motion of its frame
F_KIND, F_MOVES, F_P = 0, 1, 2
F_CENTRE, F_VELOCITY, F_SWAY, F_AXIS = 10, 13, 16, 19
F_SWAY_RATE, F_ANGLE, F_RATE, F_TILT, F_TILT_RATE = 22, 23, 24, 25, 26
FLOOR = 27

# bodies: a row is kind, then semi-axes (3) and exponents (2)
ELLIPSOID, SUPERQUADRIC, SMOOTH = range(3)
B_KIND, B_AXES, B_EXPONENTS = 0, 1, 4
BODY = 6

# settings
P_H, P_MASS, P_MOMENTS, P_FRAME, P_COM, P_GRAVITY, P_MU, P_E, P_SIZE = 0, 1, 2, 5, 9, 12, 15, 16, 17
PAR = 18
I_SCHEME, I_MODE, I_UNILATERAL, I_CONVEX, I_RESTS = range(5)
FLAGS = 5
RK4, MIDPOINT, EULER = range(3)

# state: pose of the centre of mass, velocities, then the tracked contact (point of the floor, gap, velocity)
Y_X, Y_Q, Y_V, Y_W, Y_S, Y_GAP, Y_S_DOT = 0, 3, 7, 10, 13, 16, 17
MOVING, STATE = 13, 20
# what the body does; modes are these and COULOMB
FREE, SLIDE, ROLL, COULOMB = range(4)

# what `evaluate` leaves: accelerations, force of the floor, its normal part, slip, normal, |grad G|, lambda of a slide
O_A, O_ALPHA, O_FORCE, O_N, O_SLIP, O_NORMAL, O_STEEP, O_LAMBDA, O_VIOLATION = 0, 3, 6, 9, 10, 13, 16, 17, 18
OUT = 19
# direction of friction in this step: unit vector along the slip; whether it turns with the slip, is kept, or is kept
# and stops the slip at the end
D_E, D_KEPT = 0, 3
TURNS, KEPT, STOPS = range(3)
DRAG = 4

# the energy that a step must keep: whether it is known, J, and the force (3,) N that belongs to it
K_KNOWN, K_ENERGY, K_FORCE = 0, 1, 2
KEPT_ENERGY = 5

# counters and results
C_STATE, C_STEPS, C_EVENTS, C_ROWS = range(4)
COUNTS = 4
# point, curvatures of body and floor and gap of the last contact looked at; what the constraint is missed by
R_POINT, R_BODY, R_FLOOR, R_GAP, R_LEFT, R_ENERGY = 0, 3, 4, 5, 6, 8
RESULT = 9

# events
NOTHING, RELEASE, LAND, SLIP, STICK = range(5)
E_TIME, E_KIND, E_POINT, E_NORMAL, E_IMPULSE, E_SLIP, E_STATE = 0, 1, 2, 5, 8, 11, 14
EVENT = 15

# rows of a trace
T_TIME, T_Y, T_POINT, T_FORCE, T_STATE, T_ENERGY = 0, 1, 14, 17, 20, 21
TRACE = 22

# what the entry is asked to do, and how it ended
STEP, START, NEAREST, TOUCHING, INSPECT = range(5)
OK, NO_CONTACT, TOO_FLAT, TWO_CONTACTS, LOG_FULL, JAMMED = range(6)


class Arrays(NamedTuple):
    """All that a motion on a surface consists of."""

    par: np.ndarray         # (PAR,)
    flag: np.ndarray        # (FLAGS,) int64
    floor: np.ndarray       # (FLOOR,)
    body: np.ndarray        # (BODY,)
    samples: np.ndarray     # (S, 3) m, points all over the body's surface, shape's frame
    beside: np.ndarray      # (S, K) int64, the samples beside each
    near: np.ndarray        # (S,) m, how far the samples are from the floor
    load: np.ndarray        # (2, 3) N and N m
    y: np.ndarray           # (4, STATE): now, at the end of a trial step, at a stage, before the step
    k: np.ndarray           # (2, MOVING): slope of a stage, sum of the slopes
    out: np.ndarray         # (OUT,)
    drag: np.ndarray        # (DRAG,)
    kept: np.ndarray        # (KEPT_ENERGY,)
    matrix: np.ndarray      # (4, 5)
    count: np.ndarray       # (COUNTS,) int64
    result: np.ndarray      # (RESULT,)
    event: np.ndarray       # (E, EVENT)
    trace: np.ndarray       # (T, TRACE)
