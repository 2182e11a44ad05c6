# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Trackers for the tests of hands, written apart from the scene: a parametric skeleton in every layout, ways through
the world, what a tracker makes of them, and a scene that takes it.  m, s, rad, kg; world frame.

Hand frame: x along the fingers, y left, z out of the back of the hand; the wrist is the origin, a right hand's thumb at
+y.  Orientations of joints have WebXR's axes: -z along the bone, y out of the back.
"""
from __future__ import annotations

import math
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import yaml
from scipy.spatial.transform import Rotation, Slerp

from hakoniwa_rigid.scene import CollisionScene

MS, NS = 1_000_000, 1_000_000_000
TICK = 5 * MS
UPRIGHT = (0.0, 0.0, 0.0, 1.0)
G = 9.80665
LAYOUTS = (25, 26, 21, 1)    # WebXR, OpenXR, MediaPipe, one sphere
BALL = 0.05                  # m, radius of the sphere that stands for a hand
# thumb, index, middle, ring, little: base of the metacarpal, knuckle (x, y), lengths of the phalanges, splay (deg)
FINGERS = (((0.035, 0.022), (0.092, 0.026), (0.043, 0.025, 0.022), 6.0),
           ((0.035, 0.006), (0.095, 0.004), (0.047, 0.029, 0.022), 0.0),
           ((0.034, -0.009), (0.088, -0.017), (0.042, 0.027, 0.021), -6.0),
           ((0.032, -0.022), (0.079, -0.036), (0.033, 0.020, 0.019), -14.0))
THUMB = ((0.022, 0.028), (0.045, 0.034, 0.027), 40.0)
BENDS = np.radians((80.0, 100.0, 70.0))      # of the joints of a closed finger
# fallback radii of the interface description, mm, WebXR order
RADII = np.array((21.5, 19.4, 12.3, 9.8, 8.8, 21.2, 10.3, 8.5, 7.6, 6.6, 21.2, 11.2, 8.0, 7.6, 6.6,
                  19.1, 9.9, 7.6, 7.2, 6.2, 18.1, 8.5, 6.8, 6.4, 5.4)) * 1e-3
NOT_METACARPALS = [k for k in range(25) if k not in (5, 10, 15, 20)]
OPEN, FIST, POINT, NATURAL = (0.0,) * 5, (1.0,) * 5, (1.0, 0.0, 1.0, 1.0, 1.0), (0.4,) * 5


@dataclass(frozen=True)
class Hand:
    """A posture: joints (J,3) and their axes (J,3,3) in the hand frame, radii (J,)."""

    points: np.ndarray
    axes: np.ndarray
    radii: np.ndarray

    def tip(self, layout: int) -> int:
        """Index of the tip of the index finger; of a ball, the ball."""
        return {25: 9, 26: 10, 21: 8, 1: 0}[layout]


def _axes(splay: float, pitch: float) -> np.ndarray:
    """WebXR axes of a bone `splay` to the left of x and `pitch` below the hand's plane."""
    along = np.array([math.cos(pitch) * math.cos(splay), math.cos(pitch) * math.sin(splay), -math.sin(pitch)])
    back = np.array([math.sin(pitch) * math.cos(splay), math.sin(pitch) * math.sin(splay), math.cos(pitch)])
    return np.column_stack([np.cross(back, -along), back, -along])


def _chain(start, lengths, splay, bends):
    """Joints and axes of a finger from its knuckle on; the tip has the axes of its bone."""
    points, axes, pitch = [np.array([*start, 0.0])], [], 0.0
    for length, bend in zip(lengths, bends, strict=True):
        pitch += bend
        axes.append(_axes(splay, pitch))
        points.append(points[-1] - length * axes[-1][:, 2])
    return points, [*axes, axes[-1]]


def make_hand(layout=25, curl=OPEN, side='right', radius=None) -> Hand:
    """A hand of a layout; curl of thumb to little finger in [0, 1]; radius of all joints in place of RADII."""
    if layout == 1:
        return Hand(np.zeros((1, 3)), np.eye(3)[None], np.array([BALL if radius is None else radius]))
    base, lengths, splay = THUMB
    parts = [([np.zeros(3)], [_axes(0.0, 0.0)]),
             _chain(base, lengths, math.radians(splay - 25.0 * curl[0]), curl[0] * np.radians((25.0, 25.0, 30.0)))]
    for (metacarpal, knuckle, lengths, splay), bend in zip(FINGERS, curl[1:], strict=True):
        way = np.subtract(knuckle, metacarpal)
        parts.append(([np.array([*metacarpal, 0.0])], [_axes(math.atan2(way[1], way[0]), 0.0)]))
        parts.append(_chain(knuckle, lengths, math.radians(splay), bend * BENDS))
    points = np.array([p for part in parts for p in part[0]])
    axes = np.array([a for part in parts for a in part[1]])
    radii = RADII if radius is None else np.full(25, radius)
    if layout == 21:
        points, axes, radii = points[NOT_METACARPALS], axes[NOT_METACARPALS], radii[NOT_METACARPALS]
    elif layout == 26:
        points = np.vstack([points[10:12].mean(axis=0), points])
        axes, radii = np.concatenate([axes[10:11], axes]), np.append(radii[10], radii)
    flip = np.diag([1.0, -1.0 if side == 'left' else 1.0, 1.0])
    # of a mirrored frame one axis is turned round: right-handed again
    return Hand(points @ flip, flip @ axes @ np.diag([-1.0 if side == 'left' else 1.0, 1.0, 1.0]), radii.copy())


# -- ways of the hand frame: t (s) -> position (3,) m, rotation matrix (3,3)

def turn(x=0.0, y=0.0, z=0.0) -> np.ndarray:
    """Rotation matrix of angles about x, then y, then z."""
    return Rotation.from_euler('xyz', [x, y, z]).as_matrix()


PALM_UP = turn(x=math.pi)


def still(place, rotation=None):
    x, r = np.array(place, float), np.eye(3) if rotation is None else rotation
    return lambda t: (x, r)


def even(place, velocity, at=0.0, rotation=None):
    """At `place` at the time `at`, in even motion for ever."""
    x, v, r = np.array(place, float), np.array(velocity, float), np.eye(3) if rotation is None else rotation
    return lambda t: (x + v * (t - at), r)


def stroke(start, way, begin, seconds, rotation=None):
    """At rest, then a raised cosine by `way` that lasts `seconds` (peak speed pi way / 2 seconds), then at rest."""
    x, d, r = np.array(start, float), np.array(way, float), np.eye(3) if rotation is None else rotation
    return lambda t: (x + d * 0.5 * (1.0 - math.cos(math.pi * min(max((t - begin) / seconds, 0.0), 1.0))), r)


def turning(place, from_rotation, to_rotation, begin, seconds):
    """At a place, turned evenly from one rotation to another."""
    slerp = Slerp([0.0, 1.0], Rotation.from_matrix([from_rotation, to_rotation]))
    x = np.array(place, float)
    return lambda t: (x, slerp(min(max((t - begin) / seconds, 0.0), 1.0)).as_matrix())


def joints_at(way, hand: Hand, t: float) -> np.ndarray:
    """True joints (J,3) at t."""
    x, r = way(t)
    return x + hand.points @ r.T


# -- what a tracker sends

@dataclass(frozen=True)
class Sample:
    """One sample: times of arrival and capture (ns), joints (J,3), orientations (J,4) xyzw, radii and valid (J,)."""

    arrival: int
    stamp: int
    positions: np.ndarray
    orientations: np.ndarray
    radii: np.ndarray
    valid: np.ndarray

    def moved(self, **changes) -> Sample:
        return replace(self, **changes)


def track(way, hand: Hand, end, *, rate=60.0, begin=0.0, jitter=0.0, latency=0.0, noise=0.0, common=False, seed=0,
          phase=0.0) -> list[Sample]:
    """Samples of a way from `begin` to `end`: capture times uneven by +-jitter of a period (stamped truly), the first
    `phase` of a period late, arrival `latency` later, noise (rms per coordinate) of each joint or common to all."""
    rng, out = np.random.default_rng(seed), []
    for k in range(int((end - begin) * rate - phase)):
        t = begin + (k + phase + 0.5 * (jitter > 0.0) + jitter * rng.uniform(-0.5, 0.5)) / rate
        _, r = way(t)
        off = noise * rng.normal(size=(1 if common else len(hand.points), 3)) if noise else 0.0
        xyzw = Rotation.from_matrix(r @ hand.axes).as_quat()
        out.append(Sample(round((t + latency) * NS), round(t * NS), joints_at(way, hand, t) + off, xyzw, hand.radii,
                          np.ones(len(hand.points), dtype=bool)))
    return out


def between(samples, first, last, change):
    """The samples with those captured in [first, last) s changed; change gives a sample, None or a list of samples."""
    out = []
    for s in samples:
        new = change(s) if first * NS <= s.stamp < last * NS else s
        out += new if isinstance(new, list) else [] if new is None else [new]
    return out


def lost(samples, first, last):
    return between(samples, first, last, lambda s: None)


def hidden(samples, joints, first, last, nan=True):
    """Joints are not seen: not valid, and NaN or at the origin."""
    def hide(s):
        x, valid = s.positions.copy(), s.valid.copy()
        x[joints], valid[joints] = np.nan if nan else 0.0, False
        return s.moved(positions=x, valid=valid)
    return between(samples, first, last, hide)


# -- a scene that takes it

def ball_model(radius=0.1, mass=0.5, restitution=0.5, friction=0.0):
    return {'mass': mass, 'inertia': [0.4 * mass * radius ** 2] * 3, 'shape': {'type': 'sphere', 'radius': radius},
            'material': {'restitution': restitution, 'friction': friction}}


def make_scene(drones, hands=('right',), gravity=(0.0, 0.0, 0.0), objects=(), skin=(0.0, 0.0), hand_keys=None, **scene):
    """A started scene at time 0: drones {name: (model, authority)}; skin: restitution and friction of the hands, which
    nothing holds back unless hand_keys say otherwise."""
    material = {'restitution': skin[0], 'friction': skin[1]}
    world = {'gravity': list(gravity), 'objects': list(objects), 'scene': scene,
             'drones': [{'name': n, 'model': m, 'authority': a} for n, (m, a) in drones.items()],
             'hands': [{'name': n, 'material': material, 'effective_mass': math.inf, **(hand_keys or {})}
                       for n in hands]}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'world.yaml'
        path.write_text(yaml.safe_dump(world))
        made = CollisionScene.from_yaml(path)
    made.advance(0)
    return made


@dataclass
class Seen:
    """What a run showed: t (T,) s, x, v, w (T,N,3), q (T,N,4) xyzw, events, the shown hands of every tick."""

    t: np.ndarray
    x: np.ndarray
    v: np.ndarray
    w: np.ndarray
    q: np.ndarray
    events: list
    hands: list = field(repr=False)

    @property
    def begins(self):
        return [e for e in self.events if e.phase == 0]

    def fastest(self, first=0.0, last=np.inf, drone=slice(None)) -> float:
        """m/s, the greatest speed of the drones in a time."""
        here = (self.t >= first) & (self.t <= last)
        return float(np.linalg.norm(self.v[here][:, drone], axis=-1).max())


def play(scene, streams, end, *, tick=TICK, plans=None, wrenches=None) -> Seen:
    """Feed what has arrived before every tick till `end` s.  plans: {drone: (position, xyzw)} are fed every 10 ms;
    wrenches: {drone: (force, torque)} every tick, body axes."""
    waiting = sorted(((s.arrival, name, s) for name, samples in streams.items() for s in samples), key=lambda a: a[:2])
    begin, at, ticks, planned = scene.now_ns, 0, [], -NS
    for now in range(begin + tick, begin + round(end * NS) + 1, tick):
        if now - planned >= 10 * MS:
            planned = now
            for name, (x, xyzw) in (plans or {}).items():
                scene.feed_drone(name, now, x, xyzw, (0, 0, 0), (0, 0, 0))
        for name, (force, torque) in (wrenches or {}).items():
            scene.feed_wrench(name, now, force, torque)
        while at < len(waiting) and waiting[at][0] <= now - begin:
            s = waiting[at][2]
            scene.feed_hand(waiting[at][1], s.stamp + begin, s.positions, s.orientations, s.radii, s.valid)
            at += 1
        ticks.append(scene.advance(now))
    return Seen(np.array([(k.stamp_ns - begin) / NS for k in ticks]),
                *(np.array([getattr(k.states, a) for k in ticks]) for a in
                  ('positions', 'linear_velocities', 'angular_velocities', 'orientations_xyzw')),
                [e for k in ticks for e in k.events], [k.hands for k in ticks])
