# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The counters of a world as a user sees them."""
import warnings
from typing import NamedTuple

from . import layout as L


class Stats(NamedTuple):
    """Counters since the world was built (or restored)."""

    steps: int
    candidate_pairs: int        # shape pairs in the present list
    contact_pairs: int             # of the last step
    contacts: int               # rows logged in the last step(n) call
    list_rebuilds: int
    impacts: int                # pair impacts resolved
    impact_events: int          # impacts found inside a step, at their own time
    impacts_capped: int         # bodies with so many impacts in a step that the further ones did not bounce
    restitution_lowered: int    # islands whose e was lowered to keep the energy
    sweeps: int                 # Gauss-Seidel sweeps
    unsolved: int               # solves that ran out of sweeps
    residual: float             # m/s, the worst of those
    recovered: float            # m, sum over steps of the largest overlap correction
    lost_log_rows: int
    profiles: int               # impacts over time that are running
    recovery_work: float        # J that overlap recovery has given to the bodies (gravity, rotation), or taken
    contact_work: float         # J by which resting contacts raised the energy: errors of integration, summed
    recovery_angular_momentum: tuple[float, float, float]   # kg m^2/s about the origin, world: what it has given
    last_sweeps: int            # Gauss-Seidel sweeps of the last step
    last_residual: float        # m/s, largest change of velocity in the last sweep of any solve of the last step
    limited: int                # speeds beyond the limits, bodies at the border, impacts over time beyond any load
    work: int                   # units of work that contacts have cost (docs/adr/0018-crowds.md)
    crowds: int                 # steps of crowds: islands that cost too much to be solved exactly
    crowded: int                # bodies that are in a crowd now
    crowd_residual: float       # m/s, largest change of velocity in the last sweep of any crowd
    asleep: int                 # bodies that sleep now
    woken: tuple[int, int, int, int]    # islands woken by a contact, a load, a state that was set, a parameter

    @property
    def near_pairs(self):
        """The name of contact_pairs in 0.1.0; it works for one more release."""
        warnings.warn('Stats.near_pairs is now Stats.contact_pairs', DeprecationWarning, stacklevel=2)
        return self.contact_pairs


def stats(s):
    """Stats of a world with arrays s."""
    c, p = s.count.tolist(), s.par
    y = s.profile[:c[L.N_PROFILES]]
    return Stats(
        steps=c[L.N_STEPS], candidate_pairs=c[L.N_PAIRS], contact_pairs=c[L.N_CONTACT_PAIRS], contacts=c[L.N_OUT],
        list_rebuilds=c[L.N_REBUILDS], impacts=c[L.N_IMPACTS], impact_events=c[L.N_EVENTS],
        impacts_capped=c[L.N_CAPPED], restitution_lowered=c[L.N_LOWERED], sweeps=c[L.N_SWEEPS],
        unsolved=c[L.N_UNSOLVED], residual=float(p[L.F_RESIDUAL]), recovered=float(p[L.F_RECOVERED]),
        lost_log_rows=c[L.N_LOST], profiles=int((y[:, L.Y_AGE] < y[:, L.Y_TIME]).sum()),
        recovery_work=float(p[L.F_RECOVERY_WORK]), contact_work=float(p[L.F_CONTACT_WORK]),
        recovery_angular_momentum=tuple(p[L.F_RECOVERY_SPIN:L.F_RECOVERY_SPIN + 3].tolist()),
        last_sweeps=c[L.N_SWEEPS] - c[L.N_SWEPT], last_residual=float(p[L.F_CHANGE]),
        limited=c[L.N_LIMITED], work=c[L.N_WORK], crowds=c[L.N_CROWDS],
        crowded=int((s.body[:, L.B_CROWD] > c[L.N_STEPS]).sum()), crowd_residual=float(p[L.F_CROWD_RESIDUAL]),
        asleep=c[L.N_ASLEEP], woken=tuple(c[L.N_WOKEN:L.N_WOKEN + 4]))
