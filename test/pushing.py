# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Simulators of drones that follow the impulses reported to them and push on: a rigid quadrotor with controllers of
attitude and position whose goal lies behind what it meets.  Physics of its own: nothing of the engine is used.  SI,
world."""
from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.scene import Phase

MS, NS = 1_000_000, 1_000_000_000
G = 9.80665
# rad/s^2 per rad, per rad/s; a controller of attitude that ends a spin of 10 rad/s within 0.1 s
ATTITUDE, RATE = 300.0, 30.0


def cross(a, b) -> np.ndarray:
    """a x b of two vectors (3,); NumPy's own takes ten times as long for them."""
    (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
    return np.array((ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx))


def rotation(vector) -> np.ndarray:
    """(3, 3), the rotation by a vector (3,) rad: Rodrigues' formula, by its series below 1e-4 rad."""
    x, y, z = vector.tolist()
    square = x * x + y * y + z * z
    angle = math.sqrt(square)
    s, c = ((1.0 - square / 6.0, 0.5 - square / 24.0) if angle < 1e-4 else
            (math.sin(angle) / angle, (1.0 - math.cos(angle)) / square))
    return np.array(((1.0 - c * (y * y + z * z), c * x * y - s * z, c * x * z + s * y),
                     (c * x * y + s * z, 1.0 - c * (x * x + z * z), c * y * z - s * x),
                     (c * x * z - s * y, c * y * z + s * x, 1.0 - c * (x * x + y * y))))


@dataclass
class Pusher:
    """goal (3,) m; place and speed: gains of its position, 1/s^2 and 1/s, the error cut at `reach` m: so it pushes with
    place * reach m/s^2 at a goal farther away.  latency: samples that it sends from the receipt of an event to applying
    it. obeys: whether it applies events at all.  held: its attitude is level, whatever turns it.  powered: whether it
    has thrust; without, it falls."""

    name: str
    goal: tuple[float, float, float]
    pos: tuple[float, float, float]
    mass: float = 0.71
    inertia: tuple[float, float, float] = (0.0061, 0.00653, 0.0116)
    place: float = 6.0
    speed: float = 4.0
    reach: float = 0.5
    latency: int = 0
    obeys: bool = True
    held: bool = False
    powered: bool = True
    received: list = field(default_factory=list)

    def __post_init__(self):
        self.pos, self.goal = np.array(self.pos, float), np.array(self.goal, float)
        self.vel, self.spin, self.turn = np.zeros(3), np.zeros(3), np.eye(3)     # spin: world; turn: body to world
        self.inertia = np.array(self.inertia)

    def step(self, h: float) -> None:
        """h s under its controllers, half a step of velocity before and after that of place."""
        gravity = np.array([0.0, 0.0, -G])
        if not self.powered:
            accel, twist = gravity, np.zeros(3)
        else:
            error = self.goal - self.pos
            length = math.sqrt(error @ error)
            error = error * min(1.0, self.reach / length) if length > 0.0 else error
            wanted = self.place * error - self.speed * self.vel - gravity
            if self.held:
                accel, twist = wanted + gravity, np.zeros(3)
                self.spin[:] = 0.0
            else:
                up = self.turn[:, 2]
                accel = max(0.0, wanted @ up) * up + gravity
                axis = cross(up, wanted) / math.sqrt(wanted @ wanted)
                yaw = math.atan2(self.turn[1, 0], self.turn[0, 0])
                twist = ATTITUDE * (axis - 0.1 * yaw * up) - RATE * self.spin
        self.vel = self.vel + 0.5 * h * accel
        self.pos = self.pos + h * self.vel
        self.vel = self.vel + 0.5 * h * accel
        self.spin = self.spin + h * twist
        self.turn = rotation(h * self.spin) @ self.turn

    def sample(self):
        """What it sends: position, orientation xyzw, linear and angular velocity, world.  What has waited long enough
        is applied after it."""
        out = self.pos.copy(), Rotation.from_matrix(self.turn).as_quat(), self.vel.copy(), self.spin.copy()
        for entry in self.received:
            entry[0] -= 1
        self.apply()
        return out

    def receive(self, events) -> None:
        """The events of a tick: BEGIN and PERSIST are applied, END repeats them."""
        for e in events:
            if e.phase is Phase.END or self.name not in (e.body_a, e.body_b):
                continue
            side = (e.delta_v_a, e.delta_omega_a) if e.body_a == self.name else (e.delta_v_b, e.delta_omega_b)
            self.received.append([self.latency, *map(np.array, side)])
        self.apply()

    def apply(self) -> None:
        """What is due."""
        for _, dv, dw in [entry for entry in self.received if entry[0] <= 0]:
            if self.obeys:
                self.vel, self.spin = self.vel + dv, self.spin + dw
        self.received = [entry for entry in self.received if entry[0] > 0]


@dataclass
class Flight:
    """t (T,) s; x, v (T,N,3) of the simulators themselves at every millisecond; turns (T,N,3,3), body to world; events
    of all ticks, in order; the ticks."""

    t: np.ndarray
    x: np.ndarray
    v: np.ndarray
    turns: np.ndarray
    events: list
    ticks: list

    def between(self, a: float, b: float) -> slice:
        return slice(*np.searchsorted(self.t, (a, b)))

    def after(self, seconds: float) -> slice:
        return slice(int(np.searchsorted(self.t, seconds)), None)

    def counted(self, name: str) -> list:
        """Events with an impulse for a drone."""
        return [e for e in self.events if e.phase is not Phase.END and any(e.impulse) and name in (e.body_a, e.body_b)]

    def reach(self, k: int, size, axis) -> np.ndarray:
        """(T,) m: how far the hull of drone k, a box of full sides `size`, reaches along a direction (3,)."""
        axis = np.asarray(axis, float)
        return self.x[:, k] @ axis + np.abs(np.einsum('tij,i->tj', self.turns[:, k], axis)) @ (0.5 * np.asarray(size))


def fly_beside(scene, sims, seconds: float, rate: float, tick: float = 200.0, velocity: bool = True, noise: float = 0.0,
               jitter: float = 0.0, before=lambda now_ns: None) -> Flight:
    """Simulators that step by 1 ms and sample at `rate` Hz (jitter: +- s of the sampling instant), each in turn, beside
    a scene that ticks at `tick` Hz; noise: m/s, standard deviation of the velocities sent."""
    rng, period = np.random.default_rng(7), NS / rate
    due = [round(k * 0.5 * MS) for k in range(len(sims))]
    every = round(1000.0 / tick)
    t, x, v, turns, events, ticks = [], [], [], [], [], []
    for k in range(1, round(seconds * 1000) + 1):
        now = k * MS
        for sim in sims:
            sim.step(1e-3)
        for i, sim in enumerate(sims):
            if now >= due[i]:
                due[i] += round(period)
                p, q, w, r = sim.sample()
                moving = (w + noise * rng.normal(size=3), r) if velocity else ()
                scene.feed_drone(sim.name, now + round(jitter * rng.uniform(-1, 1) * NS), p, q, *moving)
        if k % every == 0:
            before(now)
            tick_ = scene.advance(now)
            ticks.append(tick_)
            events += tick_.events
            for sim in sims:
                sim.receive(tick_.events)
        t.append(now / NS)
        x.append([s.pos.copy() for s in sims])
        v.append([s.vel.copy() for s in sims])
        turns.append([s.turn for s in sims])
    return Flight(np.array(t), np.array(x), np.array(v), np.array(turns), events, ticks)

