# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The world's arrays as a user sees them: contact tables and energies."""
import numpy as np

from ..maths.matrices import dots, times
from ..maths.quat import conj_rows, rotate_rows
from ..model import layout as L

_VECTORS = (('position', L.O_X), ('normal', L.O_N), ('impulse', L.O_P), ('velocity_before', L.O_U0),
            ('velocity_after', L.O_U1), ('delta_omega_a', L.O_DWA), ('delta_omega_b', L.O_DWB),
            ('moment', L.O_M))
_SCALARS = (('body_a', L.O_A, 'i4'), ('body_b', L.O_B, 'i4'), ('part_a', L.O_PA, 'i4'), ('part_b', L.O_PB, 'i4'),
            ('feature', L.O_FEATURE, 'i8'), ('step', L.O_STEP, 'i4'), ('impact', L.O_IMPACT, '?'),
            ('time', L.O_TIME, 'f8'), ('depth', L.O_DEPTH, 'f8'), ('restitution', L.O_E, 'f8'),
            ('friction', L.O_MU, 'f8'), ('peak_force', L.O_PEAK, 'f8'), ('duration', L.O_DURATION, 'f8'),
            ('crowd', L.O_CROWD, '?'), ('residual', L.O_RESIDUAL, 'f8'), ('energy_lost', L.O_LOST, 'f8'))

# One contact point.  body_a < body_b; normal unit, a -> b; impulse N s on b; velocities of b minus a at the point, m/s;
# world frame.  impact: True for an impulse at the instant `time` (s in the step), False for a touching contact over the
# step (impulse may be 0).  moment N m s on b, of rolling and torsional friction.  peak_force N and duration s: of the
# profile of an impact over time (its row, at its instant, has the whole impulse); of an instant its impulse over one
# step; of a touching contact its force.  crowd: solved by time stepping, with what cost too much to be solved exactly
# (docs/adr/0018-crowds.md); residual m/s: largest change of a velocity in the last sweep of it, 0 elsewhere.
# energy_lost J: kinetic energy that its impulse and moment take, as seen from a kinematic body (its push is no gain).
CONTACT = np.dtype([(k, d) for k, _, d in _SCALARS] + [(k, 'f8', (3,)) for k, _ in _VECTORS])


def contact_table(rows, first_step):
    """(R,) structured array from log rows; `step` counts from `first_step`."""
    table = np.empty(len(rows), CONTACT)
    if not len(rows):
        return table    # most calls of a scene: filling no rows takes 15 us
    for key, column, _ in _SCALARS:
        table[key] = rows[:, column]
    for key, column in _VECTORS:
        table[key] = rows[:, column:column + 3]
    table['step'] -= first_step
    return table


def _dynamic(world):
    on = world._s.body[:, L.B_ENABLED] == 1
    return np.flatnonzero((world._s.body[:, L.B_KIND] == L.DYNAMIC) & on)


def kinetic_energy(world):
    """J: sum of m v^2 / 2 and of w . I w / 2 in the body frame."""
    k = _dynamic(world)
    v, w = world.linvel[k], rotate_rows(conj_rows(world.quat[k]), world.angvel[k])
    spin = dots(w, times(world.inertia[k], w)).sum()
    return float(0.5 * (world.mass[k] * (v * v).sum(axis=1)).sum() + 0.5 * spin)


def potential_energy(world):
    """J: -m g . x."""
    k = _dynamic(world)
    return float(-(world.mass[k] * dots(world.pos[k], world.gravity)).sum())
