# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The drones' inputs: the newest sample of every drone as arrays, one row per drone, judged when they arrive.

Samples are poses and velocities of base_link in the world (an `origin` is applied on the way in); wrenches are in body
FLU at the centre of mass.  A missing linear or angular velocity is the difference of successive poses over their
stamps, bounded; of poses closer together than `least_base` it is that to an earlier one, and of an even stream whose
stamps are uneven that over its mean interval.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ... import rotations as rot
from ...array_table import address_table
from ...codec.message_fields import NANOSECONDS
from ...codec.motion_columns import MOTION, OMEGA, POS, QUAT, VEL
from ...engine.maths.matrices import principal
from ..free_names import is_free
from ..records import Ledger, Verdict
from ..world_files.world_types import DroneConfig, Pose, WorldConfig
from . import input_kernels
from .authority import CODES
from .fleet_table import BOUNDS_AT, HAS_ORIGIN, fleet_arrays
from .motion import Offset
from .rotors import RotorBank
from .rows import NEVER, NOT_FINITE, OFFSET, RESTARTED, STEPS, Bounds, Drones, Inbox
from .stamps import VERDICTS, StampGate, clock

# rad/s: larger rotor speeds are refused as absurd
ROTOR_LIMIT = 1e4
# of Drones: what model and world say
MODEL_ROWS = ('mass', 'com', 'drag', 'inertia', 'most_pull', 'most_torque', 'origin', 'start', 'most_load')
# rotors of a drone that comes into a world with spare places, if no other has more; with 8 sums would round differently
SPARE_ROTORS = 7

__all__ = ['Fleet']


class Fleet:
    """Samples of n drones, in the arrays `s` that the kernels work on."""

    def __init__(self, config: WorldConfig, ledger: Ledger):
        drones, self.params, self.ledger = config.drones, config.scene, ledger
        self.names = tuple('' if is_free(d.name) else d.name for d in drones)
        self.index = {name: k for k, name in enumerate(self.names) if name}
        self.n, self._config = len(self.names), config
        self.taken = np.array([bool(name) for name in self.names], dtype=bool)   # (n,): rows that a drone has
        self.s = _allocate(config)
        shared = {name: getattr(self.s, name) for name in Inbox._fields if name in Drones._fields}
        inbox = Inbox(**shared, base=np.zeros((self.n, 2, VEL)), base_stamp=np.zeros((self.n, 2), dtype=np.int64),
                      steps=np.zeros((self.n, STEPS, 5)), step_count=np.zeros(self.n, dtype=np.int64))
        self.authority, self.base = self.s.authority, (inbox.base, inbox.base_stamp, inbox.steps, inbox.step_count)
        self.bounds = _bounds(config, self.s)
        self.offset = Offset(self.s.offset)
        self.gate, self.wrench_gate = StampGate(self.n, self.params), StampGate(self.n, self.params)
        self.rotors = RotorBank([d.model for d in drones], SPARE_ROTORS if '' in self.names else 0)
        self.arrays = fleet_arrays(self.s, self.gate.arrays, self.wrench_gate.arrays, inbox, self.bounds)
        self._table = address_table(self.arrays)
        self._last_names: Sequence[str] = ()
        self._last_rows = np.zeros(0, dtype=np.int64)
        self.clear()

    def clear(self) -> None:
        """As if no input had ever come."""
        s = self.s
        self.gate.clear()
        self.wrench_gate.clear()
        self.rotors.clear()
        s.sample[:] = s.start
        for array in (s.reset, s.rejected, s.held, s.force, s.torque, s.by_rotors):
            array[:] = 0

    def put(self, row: int, drone: DroneConfig) -> None:
        """The place at a row has this drone, of which no input has come, or is free."""
        self.index.pop(self.names[row], None)
        name = '' if is_free(drone.name) else drone.name
        self.names = (*self.names[:row], name, *self.names[row + 1:])
        self._last_names, self.taken[row] = (), bool(name)
        if name:
            self.index[name] = row
        new = _allocate(replace(self._config, drones=(drone,)))
        for array, value in zip(self.s, new, strict=True):
            array[row] = value[0]
        self.forget(row)
        for array in (*self.gate.arrays[:4], *self.wrench_gate.arrays[:4], *self.base):
            array[row] = 0
        self.rotors.put(row, drone.model)
        if not _is_world(new.origin):
            self.arrays[BOUNDS_AT][HAS_ORIGIN] = True

    def keep(self, row: int) -> list[np.ndarray]:
        """For `put_back`: all that is known of a drone but what its model and its start say."""
        return [array[row].copy() for array in self._kept()]

    def put_back(self, row: int, kept: list[np.ndarray]) -> None:
        """After `put` of another model."""
        for array, value in zip(self._kept(), kept, strict=True):
            array[row] = value

    def _kept(self) -> list[np.ndarray]:
        own = [array for name, array in self.s._asdict().items() if name not in MODEL_ROWS]
        return [*own, *self.gate.arrays[:4], *self.wrench_gate.arrays[:4], *self.base]

    def refuse(self, verdict: Verdict, name: str, value: object) -> Verdict:
        """Count an input that was refused."""
        if name in self.index:
            self.s.rejected[self.index[name]] = True
        return self.ledger.note(verdict, name, value)

    def rows(self, names: Sequence[str] | np.ndarray) -> np.ndarray:
        """Rows (K,) int64 of drones given by names or an index array, -1 for unknown."""
        if isinstance(names, np.ndarray) and names.dtype.kind in 'iu':
            rows = np.where((names >= 0) & (names < self.n), names, -1).astype(np.int64)
            return np.where(self.taken[rows] & (rows >= 0), rows, -1) if self.n else rows
        if names is self._last_names:
            return self._last_rows
        rows = np.array([self.index.get(name, -1) for name in names], dtype=np.int64)
        if isinstance(names, tuple):
            self._last_names, self._last_rows = names, rows
        return rows

    def feed(self, rows: np.ndarray, stamps: np.ndarray, m: np.ndarray, has_vel: bool, has_omega: bool,
             now_ns: int | None) -> np.ndarray:
        """Judge and store samples m (K,13; changed) of drones rows (K,), in order.  Returns codes (K,) of VERDICTS.
        Contiguous arrays of float64 and int64."""
        codes = np.empty(len(rows), dtype=np.int64)
        if input_kernels.feed(self._table.addresses, self.n, rows, stamps, m, has_vel, has_omega, *clock(now_ns),
                              codes):
            # what is no number at all is counted first, as it was refused first
            for k in sorted(np.flatnonzero(codes).tolist(), key=lambda k: codes[k] < NOT_FINITE):
                self._count(self.names[rows[k]], VERDICTS[codes[k]], int(stamps[k]), m[k])
        return codes

    def _count(self, name: str, verdict: Verdict, stamp_ns: int, m: np.ndarray) -> None:
        if verdict.taken:
            self.ledger.note(verdict, name, m[POS:QUAT])
        else:
            values = '; '.join(str(a) for a in (m[POS:QUAT], m[QUAT:VEL], m[VEL:OMEGA], m[OMEGA:]))
            self.refuse(verdict, name, f'stamp {stamp_ns} ns: {values}')

    def feed_wrenches(self, rows: np.ndarray, stamps: np.ndarray, forces: np.ndarray, torques: np.ndarray,
                      now_ns: int | None) -> np.ndarray:
        """Judge and store wrenches (K,3) of drones rows (K,), body FLU at the centre of mass, N and N m.  Returns codes
        (K,) of VERDICTS."""
        codes = np.empty(len(rows), dtype=np.int64)
        input_kernels.feed_wrenches(self._table.addresses, self.n, rows, stamps, forces, torques,
                                    *clock(now_ns), codes)
        if codes.any():
            for k in np.flatnonzero(codes).tolist():
                amount = f'{forces[k]} {torques[k]}' if codes[k] >= NOT_FINITE else f'stamp {stamps[k]} ns'
                note = self.ledger.note if codes[k] <= RESTARTED else self.refuse
                note(VERDICTS[codes[k]], self.names[rows[k]], f'wrench {amount}')
        return codes

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
        verdict = VERDICTS[self.wrench_gate.judge(row, stamp_ns, now_ns)]
        if not verdict.taken:
            return self.refuse(verdict, name, f'wrench stamp {stamp_ns} ns')
        self.rotors.command(row, speeds)
        self.s.by_rotors[row] = True
        return self.ledger.note(verdict, name, f'wrench stamp {stamp_ns} ns')

    def forget(self, rows=slice(None)) -> None:
        """The next samples of these drones are first ones."""
        self.gate.forget(rows)
        self.wrench_gate.forget(rows)


def _poses(poses: Sequence[Pose]) -> np.ndarray:
    """Poses as motions at rest (N,13)."""
    block = np.zeros((len(poses), MOTION))
    for row, pose in zip(block, poses, strict=True):
        row[POS:QUAT], row[QUAT:VEL] = pose.position, pose.quat
    return block


def _allocate(config: WorldConfig) -> Drones:
    drones, n = config.drones, len(config.drones)
    start = _poses([d.pose for d in drones])
    zeros = {name: np.zeros((n, 3)) for name in ('force', 'torque', 'rotor_force', 'rotor_torque')}
    marks = {name: np.zeros(n, dtype=bool)
             for name in ('by_rotors', 'reset', 'rejected', 'enabled', 'stale', 'touched', 'held', 'limited', 'frozen')}
    return Drones(
        authority=np.array([CODES[d.authority] for d in drones], dtype=np.int64),
        mass=np.array([d.model.mass for d in drones], dtype=float),
        com=np.array([d.model.com for d in drones], dtype=float).reshape(n, 3),
        drag=np.array([d.model.drag for d in drones], dtype=float),
        inertia=np.zeros((n, 3, 3)), most_pull=np.zeros(n), most_torque=np.zeros(n),
        origin=_poses([d.origin for d in drones]), start=start, sample=start.copy(), reference=start.copy(),
        reference_stamp=np.zeros(n, dtype=np.int64), touch_stamp=np.full(n, NEVER),
        shown=start.copy(), offset=np.zeros((n, OFFSET)), most_load=_most_load(config), cut=np.zeros((n, 2)),
        **zeros, **marks)


def _most_load(config: WorldConfig) -> np.ndarray:
    """N and N m (n,2) that bring a drone from rest to its limits of speed in one step: no drone bears more, and what
    holds a step of the engine back holds all others back with it."""
    rates = np.array([config.scene.linear_velocity_limit, config.scene.angular_velocity_limit]) / config.dt
    inertias = [np.array(d.model.inertia, dtype=float) for d in config.drones]
    least = [principal(i)[0][0] if i.ndim == 2 else i.min() for i in inertias]
    return rates * np.array([(d.model.mass, i) for d, i in zip(config.drones, least, strict=True)]).reshape(-1, 2)


def _is_world(origin: np.ndarray) -> bool:
    """Whether all of (n,13) poses are the origin of the world."""
    return not ((origin[:, POS:QUAT] != 0.0).any() or (origin[:, QUAT:VEL] != rot.NO_TURN).any())


def _bounds(config: WorldConfig, s: Drones) -> Bounds:
    p = config.scene
    away = not _is_world(s.origin)
    return Bounds(int(p.remove_timeout * NANOSECONDS), int(p.stale_timeout * NANOSECONDS), float(p.remove_timeout),
                  float(p.teleport_bound), float(p.max_speed), float(p.max_rate), float(p.max_extrapolation),
                  float(p.offset_time_constant), float(p.linear_velocity_limit), float(p.angular_velocity_limit),
                  np.array(config.gravity, dtype=float), bool(away))
