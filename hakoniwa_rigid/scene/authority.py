"""Who owns a drone's motion, as pure functions on arrays.

`observe`: the sim is the truth; the body is put on the (extrapolated) sample before every tick.
`correct`: the sim's pose is the plan; a deflection rides on it: x = x_plan + dx, q = exp(phi) q_plan, v = v_plan + dv,
omega = omega_plan + dw, all in the world, at the centre of mass.
`simulate`: the engine owns the motion; inputs are forces.

A deflection d decays critically damped: d'' = -d/tau^2 - 2 d'/tau.  The pull is the constant acceleration that brings
d' over one tick exactly to the closed solution; d itself is then second order in tick/tau (1e-5 of d for 5 ms and 0.3
s).  It is bounded: a drone cannot pull harder than its thrust.
"""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import rotations as rot
from .motion import Motion

OBSERVE, CORRECT, SIMULATE = range(3)
CODES = {'observe': OBSERVE, 'correct': CORRECT, 'simulate': SIMULATE}

# m, rad, m/s, rad/s: smaller deflections in free flight end, and the drone is on its plan to the bit.  A step of this
# size cannot be seen; without an end the exponential would keep every drone flagged for ever.
SNAP = (1e-4, 1e-4, 1e-4, 1e-3)
# the same while touching: only rounding is dropped, or a drone sinking slowly would creep into what it rests on
SNAP_TOUCHING = (1e-10, 1e-10, 1e-10, 1e-10)
# share of the deflection by which a jump of the plan may miss it and still count as its adoption
ADOPTED = 0.5


@dataclass
class Deflection:
    """dx (N,3) m, phi (N,3) rad, dv (N,3) m/s, dw (N,3) rad/s, world, at the centre of mass."""

    dx: np.ndarray
    phi: np.ndarray
    dv: np.ndarray
    dw: np.ndarray

    @classmethod
    def none(cls, n: int) -> Deflection:
        """No deflection."""
        return cls(*(np.zeros((n, 3)) for _ in range(4)))

    def arrays(self) -> tuple[np.ndarray, ...]:
        """The four arrays."""
        return self.dx, self.phi, self.dv, self.dw

    def rows(self, rows) -> Deflection:
        """Copies of some rows."""
        return Deflection(*(a[rows].copy() for a in self.arrays()))

    def put(self, rows, other: Deflection) -> None:
        """Overwrite rows."""
        for mine, theirs in zip(self.arrays(), other.arrays(), strict=True):
            mine[rows] = theirs

    def clear(self, rows) -> None:
        """End the deflection of rows."""
        for a in self.arrays():
            a[rows] = 0.0

    def any(self) -> np.ndarray:
        """Which drones are off their plan, (N,) bool."""
        return sum(np.abs(a).sum(axis=1) for a in self.arrays()) > 0.0

    def below(self, limits: tuple[float, ...]) -> np.ndarray:
        """Which drones are within all four limits of their plan, (N,) bool."""
        within = [rot.norm(a) < limit for a, limit in zip(self.arrays(), limits, strict=True)]
        return np.logical_and.reduce(within)


def deflected(plan: Motion, d: Deflection) -> Motion:
    """Plan plus deflection."""
    return Motion(plan.pos + d.dx, rot.multiply(rot.from_vector(d.phi), plan.quat), plan.vel + d.dv, plan.omega + d.dw)


def between(body: Motion, plan: Motion) -> Deflection:
    """The deflection that takes the plan to the body."""
    turn = rot.difference(body.quat, plan.quat)
    return Deflection(body.pos - plan.pos, turn, body.vel - plan.vel, body.omega - plan.omega)


def hand_over(d: Deflection, jump: Deflection) -> Deflection:
    """What is left of d after the plan jumped: where a jump equals the deflection to within ADOPTED of it, the source
    has taken our correction over, and it is subtracted.  Position, orientation and both velocities are judged
    apart."""
    left = [np.where((rot.norm(j - a) < ADOPTED * rot.norm(a))[:, None], a - j, a)
            for a, j in zip(d.arrays(), jump.arrays(), strict=True)]
    return Deflection(*left)


def adopts(jump: np.ndarray, dx: np.ndarray) -> np.ndarray:
    """Whether jumps of position (K,3) are the adoption of deflections dx (K,3)."""
    return rot.norm(jump - dx) < ADOPTED * rot.norm(dx)


def pull(d: np.ndarray, rate: np.ndarray, tau: float, h: float) -> np.ndarray:
    """Mean acceleration over h of the critically damped return of d (N,3) with rate (N,3) per s; unbounded."""
    b = rate + d / tau
    rate_after = (rate - b * (h / tau)) * np.exp(-h / tau)
    return (rate_after - rate) / h


def bounded(a: np.ndarray, most: np.ndarray) -> np.ndarray:
    """Rows of a (N,3) scaled down to length `most` (N,) or (1,)."""
    length = rot.norm(a)
    return a * np.minimum(1.0, most / np.maximum(length, 1e-300))[:, None]


def gyroscopic(inertia: np.ndarray, quat: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """omega x (I omega), world: the torque that keeps omega constant.  inertia (N,3,3) in body axes."""
    return rot.cross(omega, times_inertia(inertia, quat, omega))


def times_inertia(inertia: np.ndarray, quat: np.ndarray, v: np.ndarray) -> np.ndarray:
    """I_world v for inertia (N,3,3) in body axes and v (N,3) in the world."""
    body = rot.rotate_inverse(quat, v)
    return rot.rotate(quat, (inertia * body[:, None, :]).sum(axis=2))


def mean_drag(vel: np.ndarray, accel: np.ndarray, rate: np.ndarray, h: float) -> np.ndarray:
    """Mean acceleration over h of linear drag -rate v (rate (N,) per s) beside a constant acceleration accel (N,3):
    exact for the velocity at the end."""
    k = np.maximum(rate, 1e-300)[:, None]
    vel_after = vel * np.exp(-k * h) - accel * np.expm1(-k * h) / k
    return np.where(rate[:, None] > 0.0, (vel_after - vel) / h - accel, 0.0)
