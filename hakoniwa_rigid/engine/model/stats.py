"""The counters of a world as a user sees them."""
from typing import NamedTuple

from . import layout as at


class Stats(NamedTuple):
    """Counters since the world was built (or restored)."""

    steps: int
    candidate_pairs: int        # shape pairs in the present list
    near_pairs: int             # of the last step
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


def stats(s):
    """Stats of a world with arrays s."""
    c, p = s.count.tolist(), s.par
    y = s.profile[:c[at.N_PROFILES]]
    return Stats(
        steps=c[at.N_STEPS], candidate_pairs=c[at.N_PAIRS], near_pairs=c[at.N_NEAR], contacts=c[at.N_OUT],
        list_rebuilds=c[at.N_REBUILDS], impacts=c[at.N_IMPACTS], impact_events=c[at.N_EVENTS],
        impacts_capped=c[at.N_CAPPED], restitution_lowered=c[at.N_LOWERED], sweeps=c[at.N_SWEEPS],
        unsolved=c[at.N_UNSOLVED], residual=float(p[at.F_RESIDUAL]), recovered=float(p[at.F_RECOVERED]),
        lost_log_rows=c[at.N_LOST], profiles=int((y[:, at.Y_AGE] < y[:, at.Y_TIME]).sum()),
        recovery_work=float(p[at.F_RECOVERY_WORK]), contact_work=float(p[at.F_CONTACT_WORK]),
        recovery_angular_momentum=tuple(p[at.F_RECOVERY_SPIN:at.F_RECOVERY_SPIN + 3].tolist()),
        last_sweeps=c[at.N_SWEEPS] - c[at.N_SWEPT], last_residual=float(p[at.F_CHANGE]),
        limited=c[at.N_LIMITED], work=c[at.N_WORK], crowds=c[at.N_CROWDS],
        crowded=int((s.body[:, at.B_CROWD] > c[at.N_STEPS]).sum()), crowd_residual=float(p[at.F_CROWD_RESIDUAL]),
        asleep=c[at.N_ASLEEP], woken=tuple(c[at.N_WOKEN:at.N_WOKEN + 4]))
