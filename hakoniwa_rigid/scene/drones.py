"""The drones' inputs: the newest sample of every drone as arrays, one row per drone, judged when they arrive.

Samples are poses and velocities of base_link in the world (an `origin` is applied on the way in); wrenches are in body
FLU at the centre of mass.  A missing linear or angular velocity is the difference of successive poses over their
stamps, bounded.
"""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import rotations as rot
from .authority import CODES, Deflection, adopts
from .motion import Motion, into_world
from .records import Ledger, Verdict
from .rotors import RotorBank
from .stamps import NS, OK, RESTARTED, VERDICTS, StampGate
from .world_types import DroneConfig, SceneParams

# quaternions this far from unit length are refused; closer ones are normalised unless exact to rounding (bits are kept)
UNIT_TOLERANCE = 1e-2
UNIT_ROUNDING = 1e-12
# m, -, m/s, rad/s: larger finite values are refused as absurd; the engine's own limits lie above
LIMITS = (5e5, 2.0, 1e4, 1e4)
# N, N m: the same for wrenches
WRENCH_LIMIT = 1e6
# rad/s: and for rotors
ROTOR_LIMIT = 1e5


class Fleet:
    """Samples of n drones.  `known`: has a sample; `reset`: the next tick must start the drone afresh from its
    sample."""

    def __init__(self, drones: Sequence[DroneConfig], params: SceneParams, ledger: Ledger):
        self.params, self.ledger = params, ledger
        self.names = tuple(d.name for d in drones)
        self.index = {name: k for k, name in enumerate(self.names)}
        n = self.n = len(self.names)
        self.mass = np.array([d.model.mass for d in drones], dtype=float)
        self.com = np.array([d.model.com for d in drones], dtype=float).reshape(n, 3)
        self.drag = np.array([d.model.drag for d in drones], dtype=float)
        self.authority = np.array([CODES[d.authority] for d in drones], dtype=np.int64)
        self.origin_pos = np.array([d.origin.position for d in drones], dtype=float).reshape(n, 3)
        self.origin_quat = np.array([d.origin.quat for d in drones], dtype=float).reshape(n, 4)
        self.has_origin = bool((self.origin_pos != 0.0).any() or (self.origin_quat != rot.IDENTITY).any())
        self.start = Motion.at_rest(np.array([d.pose.position for d in drones], dtype=float).reshape(n, 3),
                                    np.array([d.pose.quat for d in drones], dtype=float).reshape(n, 4))
        self.deflection = Deflection.none(n)     # written by the pilot after every tick
        self.rotors = RotorBank([d.model for d in drones])
        self.clear()

    def clear(self) -> None:
        """As if no input had ever come."""
        n = self.n
        self.gate, self.wrench_gate = StampGate(n, self.params), StampGate(n, self.params)
        self.sample = self.start.rows(slice(None))
        self.reset = np.zeros(n, dtype=bool)
        self.rejected = np.zeros(n, dtype=bool)
        self.force, self.torque = np.zeros((n, 3)), np.zeros((n, 3))
        self.by_rotors = np.zeros(n, dtype=bool)
        self.rotors.clear()
        self._last_names: Sequence[str] = ()
        self._last_rows = np.zeros(0, dtype=np.int64)

    @property
    def known(self) -> np.ndarray:
        """(N,) bool: has a sample."""
        return self.gate.known

    @property
    def stamp(self) -> np.ndarray:
        """(N,) int64 ns: stamp of the newest sample."""
        return self.gate.newest

    def refuse(self, verdict: Verdict, name: str, value: object) -> Verdict:
        """Count an input that was refused."""
        if name in self.index:
            self.rejected[self.index[name]] = True
        return self.ledger.note(verdict, name, value)

    def rows(self, names: Sequence[str] | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows (K,) int64 of drones given by names or an index array, -1 for unknown, and which are known."""
        if isinstance(names, np.ndarray) and names.dtype.kind in 'iu':
            rows = np.where((names >= 0) & (names < self.n), names, -1).astype(np.int64)
        elif names is self._last_names:
            rows = self._last_rows
        else:
            rows = np.array([self.index.get(name, -1) for name in names], dtype=np.int64)
            if isinstance(names, tuple):
                self._last_names, self._last_rows = names, rows
        return rows, rows >= 0

    def feed(self, rows: np.ndarray, stamps: np.ndarray, m: Motion, has_vel: bool, has_omega: bool,
             now_ns: int | None) -> list[Verdict]:
        """Judge and store samples (K) of distinct drones rows (K,); quat wxyz.  Returns the verdicts (K)."""
        verdicts = np.full(len(rows), Verdict.ACCEPTED, dtype=object)
        finite = np.logical_and.reduce([np.isfinite(a).all(axis=1) for a in m.arrays()])
        verdicts[~finite] = Verdict.NOT_FINITE
        with np.errstate(invalid='ignore', over='ignore'):
            length = rot.norm(m.quat)
            unit = np.abs(length - 1.0) <= UNIT_TOLERANCE
            near = np.logical_and.reduce([(np.abs(a) <= most).all(axis=1)
                                          for a, most in zip(m.arrays(), LIMITS, strict=True)])
        verdicts[finite & ~near] = Verdict.OUT_OF_RANGE
        verdicts[finite & ~unit] = Verdict.NON_UNIT_QUATERNION
        self._count(rows, verdicts, m, stamps)
        good = np.flatnonzero(finite & near & unit)
        if good.size:
            rough = np.abs(length[good] - 1.0) > UNIT_ROUNDING
            m = m.rows(good)
            m.quat[rough] /= length[good][rough, None]
            verdicts[good] = self._store(rows[good], stamps[good], m, has_vel, has_omega, now_ns)
        return list(verdicts)

    def _store(self, rows, stamps, m: Motion, has_vel, has_omega, now_ns) -> np.ndarray:
        if self.has_origin:
            m = into_world(m, self.origin_pos[rows], self.origin_quat[rows])
        known, last_stamp = self.known[rows].copy(), self.stamp[rows].copy()
        codes = self.gate.judge(rows, stamps, now_ns)
        verdicts = np.array([VERDICTS[c] for c in codes], dtype=object)
        ok = codes <= RESTARTED
        fresh = ~known | (codes == RESTARTED)
        step = (stamps - last_stamp) / NS
        # a drone that had left the scene comes back wherever it is
        fresh |= (step > self.params.remove_timeout) & (codes == OK)
        step = np.where(fresh | ~ok, 1.0, step)
        last = self.sample.rows(rows)
        jump = m.pos - (last.pos + last.vel * step[:, None])
        teleport = ok & ~fresh & (rot.norm(jump) > self.params.teleport_bound) & ~adopts(jump, self.deflection.dx[rows])
        verdicts[teleport] = Verdict.TELEPORT
        fresh |= teleport
        if not has_vel:
            m.vel = np.where(fresh[:, None], 0.0, _clamp((m.pos - last.pos) / step[:, None], self.params.max_speed))
        if not has_omega:
            turn = rot.difference(m.quat, last.quat) / step[:, None]
            m.omega = np.where(fresh[:, None], 0.0, _clamp(turn, self.params.max_rate))
        self.sample.put(rows[ok], m.rows(ok))
        self.reset[rows[ok & fresh]] = True
        self._count(rows, verdicts, m, stamps)
        return verdicts

    def _count(self, rows, verdicts, m: Motion, stamps) -> None:
        for k in np.flatnonzero(verdicts != Verdict.ACCEPTED):
            name, verdict = self.names[rows[k]], verdicts[k]
            if verdict.taken:
                self.ledger.note(verdict, name, m.pos[k])
            else:
                values = '; '.join(str(a[k]) for a in m.arrays())
                self.refuse(verdict, name, f'stamp {stamps[k]} ns: {values}')

    def feed_wrench(self, row: int, stamp_ns: int, force: np.ndarray, torque: np.ndarray,
                    now_ns: int | None) -> Verdict:
        """Store a wrench, body FLU at the centre of mass, N and N m."""
        if not (np.isfinite(force).all() and np.isfinite(torque).all()):
            return self.refuse(Verdict.NOT_FINITE, self.names[row], f'wrench {force} {torque}')
        if max(np.abs(force).max(), np.abs(torque).max()) > WRENCH_LIMIT:
            return self.refuse(Verdict.OUT_OF_RANGE, self.names[row], f'wrench {force} {torque}')
        verdict = self._judge_wrench(row, stamp_ns, now_ns)
        if verdict.taken:
            self.force[row], self.torque[row], self.by_rotors[row] = force, torque, False
        return verdict

    def feed_rotors(self, row: int, stamp_ns: int, speeds: np.ndarray, now_ns: int | None) -> Verdict:
        """Store rotor speeds, rad/s, in the order of the rotor table."""
        name, count = self.names[row], self.rotors.count[row]
        if count == 0:
            return self.refuse(Verdict.NO_ROTORS, name, 'the drone model has no rotors')
        if speeds.shape != (count,):
            return self.refuse(Verdict.WRONG_SIZE, name, f'{speeds.shape} rotor speeds, the model has {count} rotors')
        if not np.isfinite(speeds).all():
            return self.refuse(Verdict.NOT_FINITE, name, f'rotor speeds {speeds}')
        if np.abs(speeds).max() > ROTOR_LIMIT:
            return self.refuse(Verdict.OUT_OF_RANGE, name, f'rotor speeds {speeds}')
        verdict = self._judge_wrench(row, stamp_ns, now_ns)
        if verdict.taken:
            self.rotors.command(row, speeds)
            self.by_rotors[row] = True
        return verdict

    def _judge_wrench(self, row: int, stamp_ns: int, now_ns: int | None) -> Verdict:
        code = self.wrench_gate.judge(np.array([row]), np.array([stamp_ns], dtype=np.int64), now_ns)[0]
        verdict = VERDICTS[code]
        if not verdict.taken:
            return self.refuse(verdict, self.names[row], f'wrench stamp {stamp_ns} ns')
        return self.ledger.note(verdict, self.names[row], f'wrench stamp {stamp_ns} ns')

    def forget(self, rows=slice(None)) -> None:
        """The next samples of these drones are first ones."""
        self.gate.forget(rows)
        self.wrench_gate.forget(rows)


def _clamp(v: np.ndarray, most: float) -> np.ndarray:
    """Rows of v no longer than most."""
    length = rot.norm(v)
    return np.where((length > most)[:, None], v * (most / np.maximum(length, most))[:, None], v)
