# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What inertial measurement units (IMUs) of drones measure: specific force and angular velocity, in every tick.

Of an IMU at `place` in base_link, whose arm from the centre of mass is r (world), in a tick of T seconds:

    f = R^T [a + alpha x r + omega x (omega x r) - g + (sum over contact points of dv + domega x r_i) / T]

a and alpha are what the drone has without contact.  They are the changes of its reference from sample to sample, over
the time between these; of a `simulate` drone the engine's loads give them; beside the reference the pull back to it is
in them.  Contact points and constraints give the rest, as the mean of the tick: so the sum of R f_contact T over ticks
is the change of velocity of that point, and at the centre of mass the delta_v of the events.  r_i is the arm at the
time of the impact.  R, omega are those at the end of the tick.

An impact over time is felt as its profile delivers it.

Nothing here changes the scene: it is looked at from outside.
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ... import rotations as rot
from ...codec.message_fields import NANOSECONDS
from ...codec.motion_columns import MOTION, OMEGA, QUAT, VEL
from ..bodies import BodyTable
from ..drones.authority import OBSERVE, SIMULATE
from ..drones.drones import Fleet
from ..drones.rows import NEVER
from ..observed_drones.responses import Responses
from ..records import ConstraintLoads, ImuRecord, Vec
from .felt_points import FeltPoints

__all__ = ['Imus']

# m from base_link: farther away there is no IMU of a drone
FARTHEST = 100.0


class Sums(NamedTuple):
    """Of K drones, in the world, over the time since the last `take`: velocity (K,3) m/s that the reference, the loads
    of the engine and contacts gave, the last at the IMU's place; turning (K,3) rad/s that the first two gave; s."""

    reference: np.ndarray
    loads: np.ndarray
    contact: np.ndarray
    reference_turn: np.ndarray
    loads_turn: np.ndarray
    seconds: np.ndarray


class Imus:
    """Of some drones of a fleet, by name the places of their IMUs in base_link (m).  profile: that of impacts over
    time, of the engine's PROFILES, None for instants."""

    def __init__(self, world, table: BodyTable, fleet: Fleet, responses: Responses, places: Mapping[str, Vec],
                 profile: str | None) -> None:
        self._world, self._table, self._fleet, self._responses = world, table, fleet, responses
        for name, place in places.items():
            _check(name, place, fleet.index)
        self._names = tuple(places)
        self._rows = np.array([fleet.index[name] for name in places], dtype=np.int64)
        self._bodies = table.drones[self._rows]
        self._places = np.array(list(places.values()), dtype=float).reshape(-1, 3)
        n = len(self._rows)
        self._points = FeltPoints(table, self._bodies, world.dt, profile)
        self._before = np.zeros((n, MOTION))
        self._sums, self._call = _no_sums(n), _no_sums(n)
        self._stamp, self._reference = np.full(n, NEVER), np.zeros((n, MOTION))
        self._accel, self._turn = np.zeros((2, n, 3))     # m/s^2 and rad/s^2 of the reference, until its next sample
        self._pending = np.zeros((n, 3))       # m/s that observed drones were given and have not shown
        self._there = np.zeros(n, dtype=bool)       # and were there before, with nothing begun anew

    def clear(self) -> None:
        """Nothing is known of the past."""
        self._points.clear()
        self._stamp[:] = NEVER
        for array in (self._accel, self._turn, self._pending, *self._sums, *self._call):
            array[:] = 0.0

    def follow(self, before: Imus) -> None:
        """Go on from what others knew of the same drones: only who came begins anew."""
        known = {key: k for k, key in enumerate(zip(before._names, before._rows.tolist(), strict=True))}
        pairs = [(k, known[key]) for k, key in enumerate(zip(self._names, self._rows.tolist(), strict=True))
                 if key in known]
        mine, theirs = (np.array(side, dtype=np.int64) for side in zip(*pairs, strict=True)) if pairs else ([], [])
        for name in ('_before', '_stamp', '_reference', '_accel', '_turn', '_pending', '_there'):
            getattr(self, name)[mine] = getattr(before, name)[theirs]
        for new, old in ((self._sums, before._sums), (self._call, before._call)):
            for column, values in zip(new, old, strict=True):
                column[mine] = values[theirs]
        self._points.follow(before._points, dict(zip(theirs, mine, strict=True)))

    def look(self) -> None:
        """Before the drones are put where their samples have them."""
        s = self._fleet.s
        self._there = s.enabled[self._rows] & ~s.reset[self._rows]
        self._before = self._world.motions(self._bodies)

    def put(self, t1_ns: int) -> None:
        """They are there; the steps to t1 follow: what their references do."""
        s, rows = self._fleet.s, self._rows
        now, stamps = self._world.motions(self._bodies), s.reference_stamp[rows]
        led = self._there & s.enabled[rows] & (s.authority[rows] != SIMULATE)
        fresh = led & (stamps != self._stamp) & (self._stamp != NEVER)
        step = np.where(fresh, (stamps - self._stamp) / NANOSECONDS, 1.0)[:, None]
        change = now[:, VEL:] - self._before[:, VEL:]
        observed = s.authority[rows] == OBSERVE
        change[observed] = (now - self._reference)[observed, VEL:]
        for k in np.flatnonzero(fresh & observed).tolist():
            change[k, :3] -= self._shown(k, change[k, :3])
        with np.errstate(all='ignore'):     # stamps may go back; then nothing is known
            rates = np.where(step > 0.0, change / step, 0.0)
        self._accel[fresh], self._turn[fresh] = rates[fresh, :3], rates[fresh, 3:]
        # as long as a sample is extrapolated
        lasts = led & (t1_ns - stamps <= self._fleet.bounds.extrapolation * NANOSECONDS)
        self._accel[~lasts], self._turn[~lasts] = 0.0, 0.0
        self._stamp, self._reference = np.where(led, stamps, NEVER), now

    def _shown(self, k: int, change: np.ndarray) -> np.ndarray:
        """What of a change (3,) m/s of a sample is an impulse that was reported to the simulator, and felt then."""
        pending, size = self._pending[k], float((self._pending[k] ** 2).sum())
        shown = pending * min(max(float((change * pending).sum()) / size, 0.0), 1.0) if size > 0.0 else np.zeros(3)
        self._pending[k] = pending - shown if self._responses.waits(int(self._bodies[k])) else 0.0
        return shown

    def felt(self, seconds: float, rows: np.ndarray | None, kicks: tuple[np.ndarray, np.ndarray]) -> None:
        """After a call of the engine that took so long: rows of its contact log; kicks (B,3) m/s and (B,3) rad/s, what
        observed drones are given.  Counts once `keep` is called: a call that fails is run again."""
        s, k = self._fleet.s, self._rows
        now = self._world.motions(self._bodies)
        q, w = now[:, QUAT:VEL], now[:, OMEGA:]
        arm = self._places - s.com[k]
        contact = np.zeros((len(k), 3))
        observed = s.authority[k] == OBSERVE
        self._points.add(rows, seconds, q, w, arm, ~observed & s.enabled[k], contact)
        kick_v, kick_w = (kick[self._bodies] for kick in kicks)
        contact += np.where(observed[:, None], kick_v + rot.cross(kick_w, rot.rotate(q, arm)), 0.0)
        inertia = s.inertia[k]
        spin = rot.rotate_inverse(q, w)
        torque = rot.rotate_inverse(q, self._world.torque[self._bodies])
        turning = _solve(inertia, torque - rot.cross(spin, _times(inertia, spin)))
        on = s.enabled[k, None]
        self._call = Sums(*(np.where(on, values, 0.0) for values in (
            self._accel * seconds, self._world.force[self._bodies] / s.mass[k, None] * seconds, contact,
            self._turn * seconds, rot.rotate(q, turning) * seconds, np.full((len(k), 1), seconds))))
        self._pending = np.where(observed[:, None], self._pending + kick_v, 0.0)

    def keep(self) -> None:
        """The last call counts."""
        self._points.keep()
        for total, more in zip(self._sums, self._call, strict=True):
            total += more

    def take(self, shown: np.ndarray, loads: ConstraintLoads | None, t1_ns: int) -> tuple[ImuRecord, ...]:
        """What was measured in the tick that ends at t1, of drones that took part; shown (N,13): the states that are
        exported."""
        sums, self._sums = self._sums, _no_sums(len(self._rows))
        names = self._fleet.names
        k = np.array([k for k, row in enumerate(self._rows.tolist())
                      if sums.seconds[k, 0] > 0.0 and self._fleet.s.enabled[row] and names[row] == self._names[k]],
                     dtype=np.int64)
        return self._records(k, Sums(*(column[k] for column in sums)), shown[self._rows[k]], loads, t1_ns)

    def _records(self, k: np.ndarray, sums: Sums, shown: np.ndarray, loads: ConstraintLoads | None,
                 t1_ns: int) -> tuple[ImuRecord, ...]:
        """Of the drones k (K,), with sums and shown states of these."""
        s, rows = self._fleet.s, self._rows[k]
        q, arm = shown[:, QUAT:VEL], self._places[k] - s.com[rows]
        body = rot.rotate_inverse(q, np.stack((*sums[:5], shown[:, OMEGA:] * sums.seconds)) / sums.seconds)
        reference, load, contact, reference_turn, load_turn, spin = body
        if loads is not None:
            contact = contact + self._held(rows, loads, arm)
        levers = _levers(spin, load_turn + reference_turn, arm)
        force = reference + load + levers + contact
        led = s.authority[rows] != SIMULATE
        beside = ~led | contact.any(axis=1) | s.offset[rows].any(axis=1)
        turn, added, rate = np.tile(rot.NO_TURN, (len(k), 1)), force.copy(), spin.copy()
        if (off := led & beside).any():
            base_q, base_w = self._reference_at(rows[off], t1_ns)
            turn[off] = rot.multiply(rot.conjugate(base_q), q[off])
            own_spin, own_turn = rot.rotate_inverse(
                base_q, np.stack((base_w, sums.reference_turn[off] / sums.seconds[off])))
            own = _levers(own_spin, own_turn, arm[off])
            # hover, which the simulator's sample has in it, is in the load
            pull = load[off] + rot.rotate_inverse(q[off], np.tile(self._fleet.bounds.gravity, (int(off.sum()), 1)))
            added[off] = pull + contact[off] + levers[off] - rot.rotate_inverse(turn[off], own)
            rate[off] = spin[off] - rot.rotate_inverse(turn[off], own_spin)
        # + 0.0: no sign of zeros that were turned
        columns = (rot.xyzw(q), spin, force, contact, rot.xyzw(turn), added * sums.seconds, rate)
        q, spin, force, contact, turn, added, rate = (map(tuple, (column + 0.0).tolist()) for column in columns)
        return tuple(map(ImuRecord, [self._names[i] for i in k.tolist()], sums.seconds[:, 0].tolist(), q, spin, force,
                         contact, beside.tolist(), led.tolist(), turn, added, rate))

    def _held(self, rows: np.ndarray, loads: ConstraintLoads, arm: np.ndarray) -> np.ndarray:
        """m/s^2 (K,3), body, that constraints give to the places of drones rows (K,): felt as a contact is."""
        s, given = self._fleet.s, np.zeros((len(rows), 3))
        row_of = {row: j for j, row in enumerate(loads.rows.tolist())}
        for i, row in enumerate(rows.tolist()):
            j = row_of.get(row)
            if j is not None:
                torque = loads.torques[j] - rot.cross(s.com[row], loads.forces[j])
                given[i] = loads.forces[j] / s.mass[row] + rot.cross(_solve(s.inertia[row], torque), arm[i])
        return given

    def _reference_at(self, rows: np.ndarray, t1_ns: int) -> tuple[np.ndarray, np.ndarray]:
        """Orientations (K,4) wxyz and angular velocities (K,3) rad/s of the references of drones, world."""
        s, most = self._fleet.s, self._fleet.bounds.extrapolation
        age = (t1_ns - s.reference_stamp[rows]) / NANOSECONDS
        q, w = s.reference[rows, QUAT:VEL], s.reference[rows, OMEGA:]
        turned = rot.multiply(rot.from_vector(w * np.clip(age, -most, most)[:, None]), q)
        return turned, np.where((np.abs(age) <= most)[:, None], w, 0.0)


def _check(name: str, place: Vec, known: Mapping[str, int]) -> None:
    if name not in known:
        raise ValueError(f'watch_imus: {name!r}: must be a drone ({", ".join(known)})')
    if np.shape(place) != (3,) or not (np.abs(np.asarray(place, dtype=float)) <= FARTHEST).all():
        raise ValueError(f'watch_imus: {name}: must be 3 numbers of at most {FARTHEST:g} m, got {place!r}')


def _no_sums(n: int) -> Sums:
    return Sums(*(np.zeros((n, 3)) for _ in range(5)), np.zeros((n, 1)))


def _levers(spin: np.ndarray, turning: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """m/s^2 (K,3), body: alpha x r + omega x (omega x r)."""
    return rot.cross(turning, arm) + rot.cross(spin, rot.cross(spin, arm))


def _times(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """(K,3) of matrices (K,3,3) and vectors (K,3)."""
    return (matrices * vectors[:, None, :]).sum(axis=2)


def _solve(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """x (...,3) of A x = b, matrices (...,3,3): by the rows' cross products, alike on every processor."""
    a, b, c = (matrices[..., row, :] for row in range(3))
    columns = rot.cross(b, c), rot.cross(c, a), rot.cross(a, b)
    size = (a * columns[0]).sum(axis=-1)[..., None]
    return sum((column * vectors[..., i:i + 1] for i, column in enumerate(columns)), np.zeros(3)) / size
