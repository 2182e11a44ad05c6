# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Drones around the engine's steps: body states and forces before them, corrected states after them.

`correct` in free flight: the body moves with the reference and the offset from it; a jump of the reference that equals
the offset means that the simulator applied the correction.  `correct` in contact: the body stays where the contact has
put it, and changes of the reference change the offset, so that a reference that moves inside a wall does not shake the
drone.  A drone that touched nothing and has no offset is at its reference, to the bit.
"""
from __future__ import annotations

import numpy as np

from ... import rotations as rot
from ...array_table import address_table
from ...codec.message_fields import NANOSECONDS
from ...codec.motion_columns import MOTION
from ...engine import Shape
from ...engine.maths.direct import Direct
from ...engine.world.motion_view import motion_view
from ..records import FleetArrays, Verdict
from ..world_files.shape_words import box_around
from ..world_files.world_types import DroneConfig, WorldConfig
from . import tick_kernels
from .authority import CORRECT, SIMULATE
from .drones import Fleet
from .motion import Motion
from .rows import NEVER

# m/s^2: bound of the pull in a world without gravity
STANDARD_GRAVITY = 9.80665
# shapes of which the width is kept
MOST_WIDTHS = 32
new = tuple.__new__    # what the constructor of a named tuple does, at a third of its cost


class DroneStepper:
    """Moves the drones of a fleet through ticks of the engine."""

    def __init__(self, config: WorldConfig, fleet: Fleet, world, bodies: np.ndarray):
        self.fleet, self.world, self.bodies = fleet, world, bodies
        s = fleet.s
        s.inertia[:] = np.array(world.inertia)[bodies]
        # bounds of the pull: what a hovering drone's own thrust could do, and that force at half its width
        self._widths: dict[int, tuple[Shape, float]] = {}
        width = np.array([self._half_width(d.model.shape) for d in config.drones])
        self._pull = s.most_pull[:] = rot.norm(fleet.bounds.gravity) or STANDARD_GRAVITY
        s.most_torque[:] = s.mass * s.most_pull * width
        self.shown = Motion(s.shown)
        self._run_pre_step, self._run_post_step, self._run_export = map(
            Direct, (tick_kernels.pre_step, tick_kernels.post_step, tick_kernels.export_states))
        self._body = np.zeros((fleet.n, MOTION))
        self._nothing_moved = bodies[:0], self._body[:0]
        self._place, self._switch = np.empty(fleet.n, dtype=bool), np.empty(fleet.n, dtype=bool)
        self._find()
        self.clear()

    def clear(self) -> None:
        """No drone takes part."""
        s = self.fleet.s
        s.reference[:] = s.shown[:] = s.sample
        s.stale[:] = True
        for array in (s.reference_stamp, s.enabled, s.touched, s.offset):
            array[:] = 0
        s.touch_stamp[:] = NEVER
        for body in self.bodies:
            self.world.set_enabled(int(body), False)

    def _half_width(self, shape: Shape) -> float:
        """m, the farthest that the box around a shape reaches from base_link."""
        if id(shape) not in self._widths:
            if len(self._widths) >= MOST_WIDTHS:
                self._widths.pop(next(iter(self._widths)))
            low, high = box_around(shape)
            self._widths[id(shape)] = shape, float(max(-low.min(), high.max()))     # with the shape: it keeps its id
        return self._widths[id(shape)][1]

    def put(self, row: int, drone: DroneConfig) -> None:
        """Another drone has come to a row, or left it: the engine's body is there, the fleet knows it."""
        s = self.fleet.s
        s.inertia[row] = self.world.inertia[self.bodies[row]]
        s.most_pull[row] = self._pull
        s.most_torque[row] = s.mass[row] * self._pull * self._half_width(drone.model.shape)
        s.reference[row] = s.shown[row] = s.sample[row]
        s.stale[row], s.touch_stamp[row] = True, NEVER

    def pre_step(self, t0_ns: int, t1_ns: int, alone: bool) -> tuple[np.ndarray, np.ndarray]:
        """Set the forces for the steps from t0 to t1.  Returns the bodies (K,) to be put elsewhere and their motions
        (K,13) at t0; none where they are put there already, which is done where no other body moves: `alone`."""
        f, w = self.fleet, self.world
        if f.rotors.any_started and (f.authority == SIMULATE).any():
            f.s.rotor_force[:], f.s.rotor_torque[:] = f.rotors.wrench((t1_ns - t0_ns) / NANOSECONDS)
        where = self._where if self._view.is_of(w) else self._find()
        if self._run_pre_step.call(*where, t0_ns, t1_ns, alone):
            return self._nothing_moved
        for k in np.flatnonzero(self._switch):
            w.set_enabled(int(self.bodies[k]), bool(f.s.enabled[k]))
        place = self._place
        return (self.bodies, self._body) if place.all() else (self.bodies[place], self._body[place])

    def post_step(self, t1_ns: int, touched: np.ndarray, kick_v: np.ndarray, kick_w: np.ndarray) -> None:
        """Read the bodies at t1.  Of the engine's bodies: touched (B,), had a contact point; kick_v, kick_w (B,3),
        velocity changes to show on observed drones."""
        where = self._where if self._view.is_of(self.world) else self._find()
        self._run_post_step.call(*where, t1_ns, touched, kick_v, kick_w)

    def _find(self) -> tuple[np.ndarray, int, int, bool]:
        """Where all arrays are, the number of drones and of bodies, and whether the engine turns them; a step of the
        engine may replace its arrays."""
        own = self.bodies, self._body, self._place, self._switch
        self._view = view = motion_view(self.world)
        self._table = address_table((*self.fleet.arrays, *own, *view.arrays))
        self._where = self._table.addresses, self.fleet.n, view.bodies, view.turned
        return self._where

    def export_states(self, touching: np.ndarray) -> FleetArrays:
        """The states at the last `post_step`, with flags; touching (B,): bodies in contact.  Clears the
        REJECTED flags."""
        n = self.fleet.n
        arrays = np.empty((n, 3)), np.empty((n, 4)), np.empty((n, 3)), np.empty((n, 3)), np.empty(n, dtype=np.uint8)
        if self._run_export.call(self._table.addresses, n, touching, *arrays):
            self._note_cut()
        return new(FleetArrays, (self.fleet.names, *arrays))

    def _note_cut(self) -> None:
        """Count the drones whose loads were cut."""
        f = self.fleet
        for row in np.flatnonzero(f.s.cut.any(axis=1)):
            wanted, borne = f.s.cut[row], f.s.most_load[row]
            f.ledger.note(Verdict.LIMITED, f.names[row], f'a load of {wanted[0]:.6g} N, {wanted[1]:.6g} N m is beyond '
                          f'what it bears, {borne[0]:.6g} N, {borne[1]:.6g} N m')
        f.s.cut[:] = 0.0

    def switch(self, row: int, code: int, t_ns: int) -> None:
        """Another authority over one drone, its body staying where it is."""
        f = self.fleet
        before, f.authority[row] = int(f.authority[row]), code
        if before == code or not f.s.enabled[row]:
            return
        if code == CORRECT:
            body = self.world.motions(self.bodies[row:row + 1])[0]
            tick_kernels.become_correct(self._table.addresses, f.n, row, body, t_ns)
        else:
            f.s.offset[row] = 0.0


