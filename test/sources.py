# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Simulated drone simulators for the scene's tests: where a drone is by its own physics, what it sends, what it does
with the corrections it receives.  m, s, kg, world frame; attitude level unless a path says otherwise."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from hakoniwa_rigid import rotations as rot
from hakoniwa_rigid.scene import CollisionScene, Tick

MS = 1_000_000
NS = 1_000_000_000
UPRIGHT = (0.0, 0.0, 0.0, 1.0)
ZERO = (0.0, 0.0, 0.0)

Path = Callable[[float], tuple[np.ndarray, np.ndarray]]   # t (s) -> position (3,) m, velocity (3,) m/s


def hover(*position: float) -> Path:
    return lambda t: (np.array(position), np.zeros(3))


def line(start, velocity, begin: float = 0.0, end: float = np.inf) -> Path:
    """At rest at start till `begin`, then at constant velocity till `end`, then at rest (s)."""
    x, v = np.array(start, float), np.array(velocity, float)
    return lambda t: (x + v * (min(max(t, begin), end) - begin), v * float(begin <= t < end))


def circle(radius: float, speed: float, height: float = 1.0, begin: float = 0.0) -> Path:
    """About the z axis, at (radius, 0, height) at time `begin`."""
    def path(t):
        a = speed / radius * (t - begin)
        sine, cosine = math.sin(a), math.cos(a)
        return np.array([radius * cosine, radius * sine, height]), np.array([-speed * sine, speed * cosine, 0.0])
    return path


def out_and_back(start, way, seconds: float, begin: float = 0.0) -> Path:
    """From start by `way` and back as a raised cosine that lasts `seconds`, at rest before and after."""
    x, d = np.array(start, float), np.array(way, float)

    def path(t):
        a = 2 * math.pi * min(max((t - begin) / seconds, 0.0), 1.0)
        return x + d * (0.5 * (1 - math.cos(a))), d * (math.pi / seconds * math.sin(a))
    return path


@dataclass
class Source:
    """A sim of a drone with a controller of position and attitude (natural frequency `stiffness` rad/s, critically
    damped) that follows a path at a fixed attitude, and receives nothing.  Subclasses do."""

    name: str
    path: Path
    stiffness: float = 4.0
    offset: np.ndarray = field(default_factory=lambda: np.zeros(3))        # own position minus the path's
    drift: np.ndarray = field(default_factory=lambda: np.zeros(3))         # own velocity minus the path's
    turn: np.ndarray = field(default_factory=lambda: np.zeros(3))          # rad, own attitude from the fixed one
    spin: np.ndarray = field(default_factory=lambda: np.zeros(3))          # rad/s
    clock_ns: int = 0
    attitude_xyzw: tuple[float, float, float, float] = UPRIGHT

    def run(self, now_ns: int) -> None:
        """Own physics up to now: the closed solution of d'' = -w^2 d - 2 w d' for the differences from the path and
        the fixed attitude (turns add up as vectors: exact about one axis)."""
        t, w = (now_ns - self.clock_ns) / NS, self.stiffness
        for d, rate in ((self.offset, self.drift), (self.turn, self.spin)):
            if d.any() or rate.any():   # what is on its path stays there
                b = rate + w * d
                decay = np.exp(-w * t)
                d[:], rate[:] = (d + b * t) * decay, (rate - w * b * t) * decay
        self.clock_ns = now_ns

    @property
    def attitude(self) -> np.ndarray:
        """(4,) wxyz now."""
        x, y, z, w = self.attitude_xyzw
        fixed = np.array([w, x, y, z])
        return rot.multiply(rot.from_vector(self.turn), fixed) if self.turn.any() else fixed

    @property
    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Position and velocity now."""
        x, v = self.path(self.clock_ns / NS)
        return x + self.offset, v + self.drift

    def receive(self, tick: Tick, row: int) -> None:
        """The corrected states of a tick at which the own state is `state`."""


@dataclass
class Applier(Source):
    """Takes the correction over `delay` after it was computed: its state moves by `share` of what the correction was
    then, (place, speed), for position and attitude, plus noise (SI); or, where `absolute`, it goes to the corrected
    state as it was then.  Once per contact, or always."""

    delay_ns: int = 0
    share: tuple[float, float] = (1.0, 1.0)
    noise: float = 0.0
    always: bool = False
    absolute: bool = False
    applied: int = 0
    waiting: list = field(default_factory=list)
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(5))

    def correction(self, tick: Tick, row: int) -> np.ndarray:
        """(4,3): what the scene shows minus the own state; m, m/s, rad, rad/s, world."""
        x, v = self.state
        q = np.roll(tick.states.orientations_xyzw[row], 1)
        return np.array([tick.states.positions[row] - x, tick.states.linear_velocities[row] - v,
                         rot.difference(q, self.attitude),
                         rot.rotate(q, tick.states.angular_velocities[row]) - self.spin])

    def receive(self, tick: Tick, row: int) -> None:
        change = self.correction(tick, row)
        touched = any(self.name in (e.body_a, e.body_b) and e.phase == 0 for e in tick.events)
        if touched or (self.always and np.abs(change).max() > 1e-6):
            self.waiting.append((tick.stamp_ns + self.delay_ns, change, tick))
        while self.waiting and self.waiting[0][0] <= tick.stamp_ns:
            _, change, then = self.waiting.pop(0)
            if self.absolute:
                change = self.correction(then, row)
            place, speed = self.share
            change = change * np.array([[place], [speed], [place], [speed]]) + self.noise * self.rng.normal(size=(4, 3))
            for own, more in zip((self.offset, self.drift, self.turn, self.spin), change, strict=True):
                own += more
            self.applied += 1


@dataclass
class Obeyer(Source):
    """Applies the impulses of contact events to its own velocity, as a Hakoniwa sim does; flies free otherwise."""

    stiffness: float = 0.0

    def run(self, now_ns: int) -> None:
        self.offset += self.drift * (now_ns - self.clock_ns) / NS
        self.clock_ns = now_ns

    def receive(self, tick: Tick, row: int) -> None:
        for event in tick.events:
            if event.phase != 2:
                for body, change in ((event.body_a, event.delta_v_a), (event.body_b, event.delta_v_b)):
                    if body == self.name:
                        self.drift += change


@dataclass(frozen=True)
class Link:
    """How samples travel: rate (Hz), jitter of the sampling instants (+- s), error of the stamps (+- s), delay (s) and
    its jitter (+- s; samples overtake each other), the shares lost and sent twice, velocities sent or not."""

    rate: float = 100.0
    jitter: float = 0.0
    stamp_error: float = 0.0
    delay: float = 0.0
    delay_jitter: float = 0.0
    loss: float = 0.0
    twice: float = 0.0
    velocity: bool = True
    seed: int = 0

    def departures(self, start_ns: int, end_ns: int) -> list[tuple[int, int, int]]:
        """(sampled, stamp, arrival) ns of every sample that arrives, in order of sampling."""
        rng, out = np.random.default_rng(self.seed), []
        period = NS / self.rate
        for k in range(int((end_ns - start_ns) / period) + 1):
            u = rng.uniform(-1.0, 1.0, 3)
            lost, twice = rng.uniform(size=2) < (self.loss, self.twice)
            at = start_ns + round(k * period + (self.jitter * u[0] * NS if k else 0.0))
            stamp = at + round(self.stamp_error * u[1] * NS)
            arrival = at + round(max(0.0, self.delay + self.delay_jitter * u[2]) * NS)
            if not lost:
                out += [(at, stamp, arrival)] * (2 if twice else 1)
        return out


@dataclass
class Seen:
    """What a user saw: t (T,) s; x, v (T,N,3) and rates w (T,N,3) rad/s, world, shown; own_x, own_v (T,N,3) of the
    sources; turned (T,N) rad between the attitude shown and the source's; flags (T,N); the ticks.  Drones in the order
    of the sources."""

    t: np.ndarray
    x: np.ndarray
    v: np.ndarray
    own_x: np.ndarray
    own_v: np.ndarray
    w: np.ndarray
    turned: np.ndarray
    flags: np.ndarray
    events: list
    ticks: list

    def after(self, t: float) -> slice:
        return slice(int(np.searchsorted(self.t, t)), None)

    def between(self, a: float, b: float) -> slice:
        return slice(*np.searchsorted(self.t, (a, b)))

    def begins(self) -> list:
        return [e for e in self.events if e.phase == 0]

    def jumps(self, k: int = 0) -> np.ndarray:
        """(T-1,) m: how far a shown position moved in a tick beyond its own mean velocity."""
        dt = np.diff(self.t)[:, None]
        return np.linalg.norm(np.diff(self.x[:, k], axis=0) - 0.5 * dt * (self.v[1:, k] + self.v[:-1, k]), axis=1)


def watch(scene: CollisionScene, sources: list[Source], seconds: float, rate: float = 200.0, link: Link = Link(),
          start: float = 0.0, before_tick=lambda now_ns: None) -> Seen:
    """Run sources and scene together at an output rate (Hz) from start (s); sources receive every tick."""
    tick_ns, start_ns, end_ns = round(NS / rate), round(start * NS), round((start + seconds) * NS)
    rows = [scene.drone_names.index(s.name) for s in sources]
    plans = [(k, *d) for k in range(len(sources)) for d in Link.departures(link, start_ns, end_ns)]
    plans.sort(key=lambda p: (p[1], p[0]))
    flying, ticks, own, attitudes = [], [], [], []
    for now in range(start_ns + tick_ns, end_ns, tick_ns):
        while plans and plans[0][1] <= now:
            k, at, stamp, arrival = plans.pop(0)
            source = sources[k]
            source.run(max(at, source.clock_ns))
            flying.append((arrival, len(flying), k, stamp, *source.state, source.attitude, source.spin.copy()))
        for due in sorted((f for f in flying if f[0] <= now), key=lambda f: f[:2]):
            _, _, k, stamp, x, v, q, w = due
            scene.feed_drone(sources[k].name, stamp, x, (*q[1:], q[0]), *((v, w) if link.velocity else ()))
        flying = [f for f in flying if f[0] > now]
        before_tick(now)
        tick = scene.advance(now)
        for source, row in zip(sources, rows, strict=True):
            source.run(now)
            source.receive(tick, row)
        ticks.append(tick)
        own.append([s.state for s in sources])
        attitudes.append([s.attitude for s in sources])
    own, own_q = np.array(own), np.array(attitudes)
    states = [t.states for t in ticks]
    q = np.roll([s.orientations_xyzw[rows] for s in states], 1, axis=-1)
    rates = rot.rotate(q, np.array([s.angular_velocities[rows] for s in states]))
    return Seen(np.array([t.stamp_ns for t in ticks]) / NS, np.array([s.positions[rows] for s in states]),
                np.array([s.linear_velocities[rows] for s in states]), own[:, :, 0], own[:, :, 1], rates,
                rot.norm(rot.difference(q, own_q)), np.array([s.flags[rows] for s in states]),
                [e for t in ticks for e in t.events], ticks)
