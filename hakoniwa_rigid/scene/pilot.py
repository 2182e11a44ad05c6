"""Drones between their inputs and the engine: body states and forces before the steps, corrected states after them.

`correct` in free flight: the plan's changes move the body with it (the deflection rides on top), and a jump that
equals the deflection is its adoption.  `correct` in touch: the body stays where the contact has put it, and changes of
the plan change the deflection, so that a plan that moves inside a wall does not shake the drone. A drone that touched
nothing and has no deflection is its plan, to the bit.
"""
from __future__ import annotations

import numpy as np

from . import authority as au
from . import rotations as rot
from .authority import CORRECT, OBSERVE, SIMULATE, Deflection
from .drones import Fleet
from .motion import Motion, extrapolate, to_base, to_com
from .records import DEFLECTED, IN_CONTACT, REJECTED, STALE, FleetArrays
from .stamps import NS
from .world_types import SceneParams, WorldConfig

# m/s^2: bound of the pull in a world without gravity
STANDARD_GRAVITY = 9.80665


class Pilot:
    """Moves the drones of a fleet through ticks of the engine."""

    def __init__(self, config: WorldConfig, fleet: Fleet, world, bodies: np.ndarray):
        self.params: SceneParams = config.scene
        self.fleet, self.world, self.bodies = fleet, world, bodies
        self.gravity = np.array(config.gravity)
        self.inertia = np.array(world.inertia)[bodies]
        # bounds of the pull: what a hovering drone's own thrust could do, and that force at half its width
        width = np.array([_half_width(d.model.shape) for d in config.drones])
        self.most_pull = np.full(fleet.n, rot.norm(self.gravity) or STANDARD_GRAVITY)
        self.most_torque = fleet.mass * self.most_pull * width
        self.clear()

    def clear(self) -> None:
        """No drone takes part."""
        n = self.fleet.n
        self.plan, self.plan_stamp = self.fleet.sample.rows(slice(None)), np.zeros(n, dtype=np.int64)
        self.enabled = np.zeros(n, dtype=bool)
        self.stale = np.ones(n, dtype=bool)
        self.touched = np.zeros(n, dtype=bool)
        self.fleet.deflection.clear(slice(None))
        self.shown = self.fleet.sample.rows(slice(None))
        for body in self.bodies:
            self.world.set_enabled(int(body), False)

    # -- before the steps

    def before(self, t0_ns: int, t1_ns: int) -> None:
        """Put the bodies where they belong at t0 and set the forces for the steps to t1."""
        f = self.fleet
        age_ns = np.abs(t0_ns - f.stamp)
        led = f.authority != SIMULATE
        lately = age_ns <= int(self.params.remove_timeout * NS)
        present = np.where(led, f.known & lately, f.known | f.wrench_gate.known)
        driven = f.wrench_gate.known & (np.abs(t0_ns - f.wrench_gate.newest) <= int(self.params.stale_timeout * NS))
        late = np.abs(t1_ns - f.stamp) > int(self.params.stale_timeout * NS)
        self.stale = np.where(led, ~f.known | late, ~driven)
        # a drone that enters is a fresh one
        reset = present & (f.reset | ~self.enabled)
        self._adopt_samples(t0_ns, led, present, reset)
        self._enable(present)
        self._forces(led, driven, (t1_ns - t0_ns) / NS)
        f.reset[:] = False

    def _adopt_samples(self, t0_ns: int, led, present, reset) -> None:
        """Make the newest samples the plan and set the bodies."""
        f, d = self.fleet, self.fleet.deflection
        before = self._plan_at(t0_ns)
        fresh = (f.stamp != self.plan_stamp) | reset
        self.plan.put(fresh, f.sample.rows(fresh))
        self.plan_stamp = np.where(fresh, f.stamp, self.plan_stamp)
        now = self._plan_at(t0_ns)
        d.clear(reset | ~present | (f.authority != CORRECT))
        off = d.any()
        moved = np.flatnonzero(fresh & off & led & present)
        if moved.size:
            self._follow(moved, before.rows(moved), now.rows(moved))
        simulated_start = reset & (f.authority == SIMULATE)
        observed = f.authority == OBSERVE
        place = present & ((led & (reset | ~off | (fresh & ~self.touched) | observed)) | simulated_start)
        rows = np.flatnonzero(place)
        target = au.deflected(now.rows(rows), d.rows(rows))
        on_plan = ~off[rows]
        target.quat[on_plan] = now.quat[rows][on_plan]
        start = simulated_start[rows]
        if start.any():
            self._start(rows[start], start, target)
        if rows.size:
            self.world.set_states(self.bodies[rows], pos=target.pos, quat=target.quat, linvel=target.vel,
                                  angvel=target.omega)

    def _start(self, rows, where, target: Motion) -> None:
        """Simulated drones begin at their sample, or at their start pose if only forces came."""
        f = self.fleet
        fed = f.known[rows]
        pick = [np.where(fed[:, None], a[rows], b[rows])
                for a, b in zip(f.sample.arrays(), f.start.arrays(), strict=True)]
        at = to_com(Motion(*pick), f.com[rows])
        target.put(where, at)

    def _follow(self, rows, before: Motion, now: Motion) -> None:
        """New samples of deflected drones."""
        d = self.fleet.deflection.rows(rows)
        free = au.hand_over(d, au.between(now, before))
        held = au.between(self._body(rows), now)
        touched = self.touched[rows][:, None]
        picked = [np.where(touched, b, a) for a, b in zip(free.arrays(), held.arrays(), strict=True)]
        self.fleet.deflection.put(rows, Deflection(*picked))

    def _enable(self, present) -> None:
        for k in np.flatnonzero(present != self.enabled):
            self.world.set_enabled(int(self.bodies[k]), bool(present[k]))
        self.enabled = present.copy()

    def _forces(self, led, driven, h: float) -> None:
        """Hover and pull for led drones; thrust and drag for simulated ones.  Directions are those of the middle of
        the tick."""
        f, w, b = self.fleet, self.world, self.bodies
        omega, vel = w.angvel[b], w.linvel[b]
        quat = rot.multiply(rot.from_vector(omega * (0.5 * h)), w.quat[b])
        d, tau = f.deflection, self.params.deflection_time_constant
        accel = au.bounded(au.pull(d.dx, d.dv, tau, h), self.most_pull) - self.gravity
        torque = au.bounded(au.times_inertia(self.inertia, quat, au.pull(d.phi, d.dw, tau, h)), self.most_torque)
        torque += au.gyroscopic(self.inertia, quat, omega)
        force = f.mass[:, None] * accel
        if not led.all():
            thrust, twist = f.rotors.wrench(h)
            pushed, turned = (np.where(f.by_rotors[:, None], r, g) * driven[:, None]
                              for r, g in ((thrust, f.force), (twist, f.torque)))
            outer = rot.rotate(quat, pushed)
            drag = au.mean_drag(vel, outer / f.mass[:, None] + self.gravity, f.drag / f.mass, h)
            force = np.where(led[:, None], force, outer + f.mass[:, None] * drag)
            torque = np.where(led[:, None], torque, rot.rotate(quat, turned))
        w.force[b], w.torque[b] = force, torque

    # -- after the steps

    def after(self, t1_ns: int, touched: np.ndarray, kick_v: np.ndarray, kick_w: np.ndarray) -> None:
        """Read the bodies at t1.  touched (N,): had a contact row; kick_v, kick_w (N,3): velocity changes to show on
        observed drones."""
        f, d = self.fleet, self.fleet.deflection
        self.touched = touched
        base = extrapolate(self.plan, (t1_ns - self.plan_stamp) / NS, self.params.max_extrapolation)
        active = np.flatnonzero((f.authority == CORRECT) & self.enabled & (d.any() | touched))
        shown = base.rows(slice(None))
        if active.size:
            body, plan = self._body(active), to_com(base.rows(active), f.com[active])
            left = au.between(body, plan)
            small = np.where(touched[active], left.below(au.SNAP_TOUCHING), left.below(au.SNAP))
            left.clear(small)
            d.put(active, left)
            off = ~small
            shown.put(active[off], to_base(body.rows(off), f.com[active[off]]))
        observed = (f.authority == OBSERVE) & self.enabled
        shown.vel[observed] += kick_v[observed]
        shown.omega[observed] += kick_w[observed]
        engine_owned = np.flatnonzero((f.authority == SIMULATE) & self.enabled)
        if engine_owned.size:
            shown.put(engine_owned, to_base(self._body(engine_owned), f.com[engine_owned]))
        waiting = np.flatnonzero(~self.enabled)
        if waiting.size:
            self._wait(waiting, shown)
        self.shown = shown

    def _wait(self, rows, shown: Motion) -> None:
        """Drones out of the scene stand still where they were last shown."""
        last = self.shown.rows(rows)
        last.vel[:] = 0.0
        last.omega[:] = 0.0
        shown.put(rows, last)

    def states(self, in_contact: np.ndarray) -> FleetArrays:
        """The states at the last `after`, with flags; clears the REJECTED flags."""
        f, m = self.fleet, self.shown
        flags = (IN_CONTACT * in_contact + DEFLECTED * f.deflection.any() + STALE * self.stale
                 + REJECTED * f.rejected).astype(np.uint8)
        f.rejected[:] = False
        turning = rot.rotate_inverse(m.quat, m.omega)
        return FleetArrays(f.names, m.pos.copy(), rot.xyzw(m.quat), m.vel.copy(), turning, flags)

    def switch(self, row: int, code: int, t_ns: int) -> None:
        """Another authority over one drone, its body staying where it is."""
        f = self.fleet
        before, f.authority[row] = int(f.authority[row]), code
        if before == code or not self.enabled[row]:
            return
        rows = np.array([row])
        if code == CORRECT:
            f.deflection.put(rows, au.between(self._body(rows), self._plan_at(t_ns).rows(rows)))
        else:
            f.deflection.clear(rows)

    def _plan_at(self, t_ns: int) -> Motion:
        """The plan at a time, at the centre of mass."""
        age = (t_ns - self.plan_stamp) / NS
        return to_com(extrapolate(self.plan, age, self.params.max_extrapolation), self.fleet.com)

    def _body(self, rows) -> Motion:
        w, b = self.world, self.bodies[rows]
        return Motion(w.pos[b], w.quat[b], w.linvel[b], w.angvel[b])


def _half_width(shape) -> float:
    return 0.5 * max(shape.size) if shape.kind == 'box' else shape.radius + 0.5 * shape.length
