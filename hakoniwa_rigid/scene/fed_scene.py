# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a scene is fed with: samples of drones and hands, wrenches, rotor speeds.  A part of CollisionScene."""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..codec.motion_columns import MOTION, OMEGA, POS, QUAT, VEL
from .arguments import Vector, as_numbers, as_row, as_stamps, counted, fill_motion, shape_of
from .drones.authority import SIMULATE
from .drones.drones import Fleet
from .drones.rows import MOST_STAMP
from .drones.stamps import VERDICTS
from .hands.hand_set import HandSet
from .records import Ledger, Verdict

__all__ = ['FedScene']


class FedScene:
    """Feeding never raises for bad data: it returns a Verdict and counts it."""

    _fleet: Fleet
    _hands: HandSet
    _ledger: Ledger
    _now_ns: int | None

    @property
    def hand_names(self) -> tuple[str, ...]:
        """Names of the hands."""
        return tuple(self._hands)

    def feed_drone(self, name: str, stamp_ns: int, position: Vector, orientation_xyzw: Vector,
                   linear_velocity: Vector | None = None, angular_velocity: Vector | None = None) -> Verdict:
        """One sample of base_link: m, xyzw, m/s, rad/s, all in the world frame (or in the drone's `origin` frame)."""
        if name not in self._fleet.index:
            return self._unknown(name, self._fleet.names)
        sample = np.zeros((1, MOTION))
        if not fill_motion(sample[0], position, orientation_xyzw, linear_velocity, angular_velocity):
            return self._fleet.refuse(Verdict.WRONG_SIZE, name,
                                      f'{position} {orientation_xyzw} {linear_velocity} {angular_velocity}')
        if abs(stamp_ns) > MOST_STAMP:
            return self._fleet.refuse(Verdict.OUT_OF_RANGE, name, f'stamp {stamp_ns} ns')
        codes = self._fleet.feed(np.array([self._fleet.index[name]]), np.array([stamp_ns], dtype=np.int64), sample,
                                 linear_velocity is not None, angular_velocity is not None, self._now_ns)
        return VERDICTS[codes[0]]

    def feed_drones(self, names: Sequence[str] | np.ndarray, stamp_ns: int | np.ndarray, positions: np.ndarray,
                    orientations: np.ndarray, linear_velocities: np.ndarray | None = None,
                    angular_velocities: np.ndarray | None = None) -> dict[Verdict, int]:
        """Samples of K distinct drones by name or index: stamp_ns one or (K,), positions (K,3), orientations (K,4)
        xyzw, velocities (K,3) or None; world frame.  Returns how many inputs got which verdict.  A tuple of names is
        looked up once and remembered."""
        rows = self._fleet.rows(names)
        k = len(rows)
        sample = np.zeros((k, MOTION))
        parts = ((POS, 3, positions), (VEL, 3, linear_velocities), (OMEGA, 3, angular_velocities))
        given = [(at, w, as_numbers(a)) for at, w, a in parts if a is not None]
        turned = as_numbers(orientations)
        if shape_of(turned) != (k, 4) or any(shape_of(a) != (k, w) for _, w, a in given):
            shapes = [shape_of(turned), *(shape_of(a) for *_, a in given)]
            self._ledger.note(Verdict.WRONG_SIZE, 'fleet', f'{k} names, arrays {shapes}')
            return {Verdict.WRONG_SIZE: k}
        for at, w, a in given:
            sample[:, at:at + w] = a
        sample[:, QUAT], sample[:, QUAT + 1:VEL] = turned[:, 3], turned[:, :3]
        stamps = as_stamps(stamp_ns, k)
        rows, (stamps, sample), verdicts = self._known(names, rows, stamps, sample)
        return counted(verdicts, self._fleet.feed(rows, stamps, sample, linear_velocities is not None,
                                                   angular_velocities is not None, self._now_ns))

    def feed_motions(self, rows: np.ndarray, stamps: np.ndarray, motions: np.ndarray,
                     moving: bool) -> None:
        """The same by index, in order, a drone as often as it has samples: rows (K,) int64, stamps (K,) int64 ns,
        motions (K,13) float64 pos, quat wxyz, vel, omega in the world (changed), all contiguous; moving: with
        velocities.  This is the way of every plain message: nothing is converted or counted twice."""
        if not self._fleet.taken.all() and not (there := self._fleet.taken[rows]).all():
            # topics of drones that have left
            self._ledger.note(Verdict.UNKNOWN_NAME, 'of a drone that has left', 'its samples', int((~there).sum()))
            rows, stamps, motions = (np.ascontiguousarray(a[there]) for a in (rows, stamps, motions))
        self._fleet.feed(rows, stamps, motions, moving, moving, self._now_ns)

    def _known(self, names, rows: np.ndarray, *arrays: np.ndarray):
        """Rows and arrays without unknown drones, which are counted in the verdicts."""
        if len(rows) == 0 or rows.min() >= 0:
            return rows, arrays, {}
        for i in np.flatnonzero(rows < 0):
            self._ledger.note(Verdict.UNKNOWN_NAME, str(names[i]), 'in fleet arrays')
        known = rows >= 0
        return rows[known], [a[known] for a in arrays], {Verdict.UNKNOWN_NAME: int((~known).sum())}

    def feed_wrench(self, name: str, stamp_ns: int, force: Vector, torque: Vector) -> Verdict:
        """Force (N) and torque (N m) on a `simulate` drone, body FLU at the centre of mass; holds until the next, or
        till it is stale."""
        if name not in self._fleet.index:
            return self._unknown(name, self._fleet.names)
        f, t = as_row(force, 3), as_row(torque, 3)
        if f is None or t is None:
            return self._fleet.refuse(Verdict.WRONG_SIZE, name, f'wrench {force} {torque}')
        if abs(stamp_ns) > MOST_STAMP:
            return self._fleet.refuse(Verdict.OUT_OF_RANGE, name, f'stamp {stamp_ns} ns')
        codes = self._fleet.feed_wrenches(np.array([self._fleet.index[name]]), np.array([stamp_ns], dtype=np.int64),
                                          f[None], t[None], self._now_ns)
        return VERDICTS[codes[0]]

    def feed_wrenches(self, names: Sequence[str] | np.ndarray, stamp_ns: int | np.ndarray, forces: np.ndarray,
                      torques: np.ndarray) -> dict[Verdict, int]:
        """feed_wrench for K drones by name or index: stamp_ns one or (K,), forces and torques (K,3).  Returns how many
        inputs got which verdict."""
        rows = self._fleet.rows(names)
        k = len(rows)
        f, t = as_numbers(forces), as_numbers(torques)
        if shape_of(f) != (k, 3) or shape_of(t) != (k, 3):
            self._ledger.note(Verdict.WRONG_SIZE, 'fleet', f'{k} names, wrenches {shape_of(f)} {shape_of(t)}')
            return {Verdict.WRONG_SIZE: k}
        f, t = np.ascontiguousarray(f), np.ascontiguousarray(t)
        stamps = as_stamps(stamp_ns, k)
        rows, (stamps, f, t), verdicts = self._known(names, rows, stamps, f, t)
        return counted(verdicts, self._fleet.feed_wrenches(rows, stamps, f, t, self._now_ns))

    def stamps_of(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Stamps (K,) int64 ns of drones at rows (K,): of their newest samples taken, of `simulate` drones also
        wrenches, -1 without; and of the last samples that came, taken or refused."""
        gate, forces = self._fleet.gate.arrays, self._fleet.wrench_gate.arrays
        newest = np.where(gate.known[rows], gate.newest[rows], -1)
        # a first sample that is refused is one, too
        has_come = gate.known[rows] | (gate.back_stamp[rows] != 0)
        offered = np.where(has_come, gate.back_stamp[rows], MOST_STAMP)
        moved = (self._fleet.authority[rows] == SIMULATE) & forces.known[rows]
        if moved.any():
            newest = np.where(moved, np.maximum(newest, forces.newest[rows]), newest)
            offered = np.where(moved, forces.back_stamp[rows], offered)
        return newest, offered

    def reject(self, row: int) -> None:
        """Flag a drone: an input of it could not be used, for a reason that only its reader knows."""
        self._fleet.s.rejected[row] = True

    def feed_motor_speeds(self, name: str, stamp_ns: int, speeds: Vector) -> Verdict:
        """Rotor speeds of a `simulate` drone, rad/s, in the order of its model's rotor table."""
        if name not in self._fleet.index:
            return self._unknown(name, self._fleet.names)
        row, speeds = self._fleet.index[name], as_numbers(speeds)
        if speeds is None:
            return self._fleet.refuse(Verdict.WRONG_SIZE, name, 'rotor speeds that are no list of numbers')
        return self._fleet.feed_rotors(row, int(stamp_ns), speeds, self._now_ns)

    def feed_hand(self, name: str, stamp_ns: int, positions: np.ndarray, orientations: np.ndarray | None = None,
                  radii: Vector | None = None, is_valid: Sequence[bool] | None = None,
                  layout: str | None = None) -> Verdict:
        """One sample of a hand: joint positions (J,3) m in the world; radii (J,) m or None; is_valid (J,) or None.
        layout: 'webxr', 'openxr', 'mediapipe' or 'sphere' (a box where the hand's shape is one); None: that of J = 25,
        26, 21 or 1 joints.  Orientations (J,4) xyzw are used for a box only."""
        if name not in self._hands:
            return self._unknown(name, self.hand_names)
        given = [None if a is None else as_numbers(a) for a in (positions, orientations, radii, is_valid)]
        if any(mine is None and a is not None for mine, a in zip(given, (positions, orientations, radii, is_valid),
                                                                 strict=True)):
            return self._ledger.note(Verdict.WRONG_SIZE, name, 'arrays that are no lists of numbers')
        return self._hands[name].feed(int(stamp_ns), *given, self._now_ns, layout)

    def _unknown(self, name: str, known: Sequence[str]) -> Verdict:
        more = ', ...' if len(known) > 8 else ''
        return self._ledger.note(Verdict.UNKNOWN_NAME, str(name), f'not one of {", ".join(known[:8])}{more}')
