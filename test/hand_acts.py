# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Acts of hands for the tests that hold, throw, catch and squeeze: hands whose posture changes in time, ways that carry
what they hold, what a headset makes of them, and a scene that takes it.  m, s, rad, kg; world frame.

Written apart from the scene, on top of hand_streams, whose hand frame this is: x along the fingers, y left, z out of
the back of the hand.  In a pinch the tip of the thumb points along +x and that of the index finger along -x: what lies
between them, before the palm, is touched at one point on either side.
"""
from __future__ import annotations

import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import yaml
from hand_streams import (
    FINGERS,
    MS,
    NS,
    OPEN,
    RADII,
    THUMB,
    TICK,
    UPRIGHT,
    G,
    Hand,
    Sample,
    make_hand,
)
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.scene import CollisionScene

FOLDER = Path(__file__).parents[1] / 'config' / 'drones'
NAMES = ('api-1', 'crazyflie', 'hummingbird', 'mujoco', 'unity', 'x500')
MODELS = {name: yaml.safe_load((FOLDER / f'{name}.yaml').read_text()) for name in NAMES}
# of a hand whose world file says nothing: kg, N/m, N, m
MASS, STIFFNESS, MAX_FORCE, PASS = 0.6, 300.0, 80.0, 0.2
PINCH = np.array([0.062, 0.027, -0.045])        # where the tips meet
PALM = np.array([0.042, 0.0, 0.0])             # middle of the palm's box
PALM_HALF = 0.017                              # m, half of its thickness, or a little more
TIP = {'thumb': RADII[3:5].mean(), 'index': RADII[8:10].mean()}     # m, of the last bone's capsule
BOTH = TIP['thumb'] + TIP['index']
SHIFT = 0.5 * (TIP['thumb'] - TIP['index'])    # m along x, from PINCH to the middle of what is held
CURLED = (0.6, 0.7, 0.7, 0.7, 0.7)             # of fingers round something


# -- postures: t -> Hand

def _bone(along) -> np.ndarray:
    """WebXR axes of a bone along a direction, its right as near to the hand's right as may be."""
    right = np.array([0.0, -1.0, 0.0])
    right = right - (right @ along) * along
    right /= np.linalg.norm(right)
    return np.column_stack([right, np.cross(right, along), -along])


def _two_links(start, end, a, b, towards) -> np.ndarray:
    """The joint between two bones of lengths a and b from start to end, bent out to one side."""
    way = end - start
    length = np.linalg.norm(way)
    if not abs(a - b) <= length <= a + b:
        raise ValueError(f'bones of {a} and {b} m do not reach over {length:.4f} m')
    along, c = way / length, (a * a + length * length - b * b) / (2.0 * length)
    out = np.asarray(towards, float) - np.dot(towards, along) * along
    return start + c * along + np.sqrt(max(a * a - c * c, 0.0)) * out / np.linalg.norm(out)


def in_layout(points, axes, layout=25, side='right') -> Hand:
    """A right hand of 25 joints (25,3), (25,3,3) as a hand of 25, 26 or 21 joints, right or left."""
    radii = RADII
    if layout == 21:
        keep = [k for k in range(25) if k not in (5, 10, 15, 20)]
        points, axes, radii = points[keep], axes[keep], radii[keep]
    elif layout == 26:
        points = np.vstack([points[10:12].mean(axis=0), points])
        axes, radii = np.concatenate([axes[10:11], axes]), np.append(radii[10], radii)
    flip = np.diag([1.0, -1.0 if side == 'left' else 1.0, 1.0])
    return Hand(points @ flip, flip @ axes @ np.diag([-1.0 if side == 'left' else 1.0, 1.0, 1.0]), radii.copy())


def pinching(aperture, layout=25, side='right') -> Hand:
    """Thumb and index finger with their tips `aperture` m apart (joint to joint, 0 to 0.115), on either side of PINCH;
    the other fingers are straight."""
    hand = make_hand(25)
    points, axes = hand.points.copy(), hand.axes.copy()
    x = np.array([1.0, 0.0, 0.0])
    for first, lengths, sign, out in ((1, THUMB[1], -1.0, (-1.0, 0.0, -0.3)),
                                      (6, FINGERS[0][2], 1.0, (1.0, 0.0, 0.5))):
        tip = PINCH + sign * 0.5 * aperture * x
        last = tip + sign * lengths[2] * x
        points[first + 1:first + 4] = _two_links(points[first], last, *lengths[:2], out), last, tip
        along = np.diff(points[first:first + 4], axis=0)
        axes[first:first + 3] = [_bone(a / np.linalg.norm(a)) for a in along]
        axes[first + 3] = axes[first + 2]
    return in_layout(points, axes, layout, side)


def pinch_around(thickness, squeeze=0.0) -> float:
    """Aperture at which both tips are `squeeze` m inside what is so thick; negative: so far from it."""
    return thickness + BOTH - 2.0 * squeeze


def pinched(times, apertures, layout=25, side='right'):
    """A pinch whose aperture goes evenly through (time, aperture) points."""
    return lambda t: pinching(np.interp(t, times, apertures), layout, side)


def gripped(times, shares, layout=25, side='right', curl=CURLED):
    """All fingers closed by shares of a curl, which go evenly through (time, share) points."""
    return lambda t: make_hand(layout, tuple(np.interp(t, times, shares) * np.array(curl)), side)


def stiff(hand: Hand):
    return lambda t: hand


# -- ways of a point of the hand: t -> (its place, rotation matrix)

def eased(t, begin, seconds) -> float:
    """0 before, 1 behind, a raised cosine between."""
    return 0.5 * (1.0 - np.cos(np.pi * np.clip((t - begin) / seconds, 0.0, 1.0)))


def facing(palm, fingers) -> np.ndarray:
    """Rotation matrix of a hand whose palm looks along `palm` and whose fingers point along `fingers`."""
    z = -np.asarray(palm, float) / np.linalg.norm(palm)
    x = np.asarray(fingers, float) - np.dot(fingers, z) * z
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def about(point, centre, rotation):
    """A way of the hand frame: `centre` (hand frame) is at point(t), the hand is turned as rotation(t)."""
    c = np.asarray(centre, float)

    def way(t):
        r = rotation(t)
        return point(t) - r @ c, r
    return way


def mirrored(centre, side) -> np.ndarray:
    """A point of the right hand's frame, of a hand of that side."""
    return np.asarray(centre) * (1.0, -1.0 if side == 'left' else 1.0, 1.0)


def constant(value):
    held = np.array(value, float)
    return lambda t: held


def steps(start, *moves):
    """From `start` by (way, begin, seconds) after each other, each a raised cosine."""
    x = np.array(start, float)
    return lambda t: x + sum((eased(t, begin, seconds) * np.array(way, float) for way, begin, seconds in moves),
                             np.zeros(3))


def tilted(rotation, axis, angle, begin, seconds):
    """A rotation that goes on by `angle` about a world axis, eased."""
    axis = np.asarray(axis, float)
    return lambda t: Rotation.from_rotvec(angle * eased(t, begin, seconds) * axis).as_matrix() @ rotation


def dash(start, direction, speed, begin, length, brake=0.04):
    """At rest, from `begin` on evenly over `length` m, then braked over `brake` m."""
    x, d = np.array(start, float), np.array(direction, float) / np.linalg.norm(direction)

    def point(t):
        s = speed * max(t - begin, 0.0) - length
        if s > 0.0:
            # v^2 = 2 a b
            last = 2.0 * brake / speed
            u = min(s / speed, last)
            s = speed * u - 0.5 * speed / last * u * u
        return x + (length + s) * d
    return point


def speeding(start, velocity, begin, seconds, until):
    """At rest, faster by a raised cosine in `seconds`, even, and from `until` on braked in the same way."""
    x, v = np.array(start, float), np.array(velocity, float)

    def gone(t, since):
        u = np.clip(t - since, 0.0, seconds)
        return 0.5 * (u - seconds / np.pi * np.sin(np.pi * u / seconds)) + max(t - since - seconds, 0.0)
    return lambda t: x + v * (gone(t, begin) - gone(t, until))


# -- what a tracker sends

def follow(way, posture, end, *, rate=60.0, begin=0.0, latency=0.0, noise=0.0, dropouts=0.0, seed=0,
           phase=0.0) -> list[Sample]:
    """Samples of a way and posture from `begin` to `end`, stamped with their capture: `latency` late, each joint noisy
    by itself (rms per coordinate), a share of them lost, but not the first."""
    rng, out = np.random.default_rng(seed), []
    for k in range(int((end - begin) * rate - phase)):
        t = begin + (k + phase) / rate
        (x, r), hand = way(t), posture(t)
        n = len(hand.points)
        off = noise * rng.normal(size=(n, 3))
        if rng.random() < dropouts and k:
            continue
        out.append(Sample(round((t + latency) * NS), round(t * NS), x + hand.points @ r.T + off,
                          Rotation.from_matrix(r @ hand.axes).as_quat(), hand.radii, np.ones(n, dtype=bool)))
    return out


def late(samples, seed=0, mean=0.015, stalls=(), begin=0.0) -> list[Sample]:
    """The same samples over a link that is busy from `begin` on: in order, later by random times of this mean, s; in a
    stall, from and until s, none comes, and then all that waited come at once."""
    rng, least, out = np.random.default_rng(seed), 0, []
    for sample in samples:
        least = max(least, sample.arrival + round(NS * rng.exponential(mean)) * (sample.arrival >= begin * NS))
        for since, end in stalls:
            if since * NS <= least < end * NS:
                least = round(end * NS)
        out.append(replace(sample, arrival=least))
    return out


# -- acts whose hands go against a drone; those that hold one are in grasps.py and test_hands_grip.py

def clapping(middle, half, speed, end, *, layout=25, begin=0.2, beside=0.0, seed=0, **stream):
    """Two palms meet round a drone at `middle` that is 2 `half` wide along y, 3 cm short of each other's plane; the
    left one `beside` m lower.  {side: samples}."""
    streams = {}
    for side, y in (('right', -1.0), ('left', 1.0)):
        point = dash(middle + np.array((0, y * (half + 0.25), -0.5 * beside * y)), (0, -y, 0), speed, begin,
                     half + 0.25 - 0.03 - 0.04, 0.04)
        way = about(point, mirrored(PALM, side), constant(facing((0, -y, 0), (1, 0, 0))))
        streams[side] = follow(way, stiff(make_hand(layout, OPEN, side)), end, seed=seed + (y > 0), **stream)
    return streams


def driving(face, direction, curl, speed, end, *, layout=25, begin=0.2, deep=0.1, before=0.35, **stream):
    """A hand goes along a direction at the point `face` of a drone, palm first if it is open, else knuckles first, and
    stops `deep` m (0.04 and more) behind it."""
    hand, d = make_hand(layout, curl), np.array(direction, float)
    aside = np.array((1.0, 0.0, 0.0) if abs(d[2]) > 0.9 else (0.0, 0.0, 1.0))
    if curl == OPEN:
        centre, rotation = PALM - (0, 0, PALM_HALF), facing(d, aside)
    else:
        # of the knuckles in front the middle; palm down, or to the side
        centre, rotation = hand.points[hand.points[:, 0].argmax()] * (1, 0, 1), facing(-aside, d)
    point = dash(face - before * d, d, speed, begin, before + deep - 0.04, 0.04)
    return follow(about(point, centre, constant(rotation)), stiff(hand), end, **stream)


# -- a scene that takes it

def make_world(drones, hands, *, walls=(), gravity=0.0, skin=(0.0, 0.5), spare=None, **scene):
    """A started scene at time 0: drones {name: (model, authority)} with models by name or as dicts, hands {name: their
    keys}; skin: restitution and friction of the hands; gravity: m/s^2, down; spare: places of those that come."""
    material = {'restitution': skin[0], 'friction': skin[1]}
    world = {'gravity': [0.0, 0.0, -gravity], 'walls': list(walls), 'scene': scene, 'spare': spare or {},
             'drones': [{'name': n, 'model': m, 'authority': a} for n, (m, a) in drones.items()],
             'hands': [{'name': n, 'material': material, **keys} for n, keys in hands.items()]}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'world.yaml'
        path.write_text(yaml.safe_dump(world))
        made = CollisionScene.from_yaml(path)
    made.advance(0)
    return made


def plane(normal, offset, restitution=0.0, friction=0.5, name='wall'):
    return {'name': name, 'type': 'plane', 'normal': list(normal), 'offset': offset,
            'material': {'restitution': restitution, 'friction': friction}}


def plate(size=(0.092, 0.092, 0.029), mass=0.03, friction=0.5, restitution=0.0) -> dict:
    """A drone's model: a box of even density."""
    x, y, z = np.square(size) * mass / 12.0
    return {'mass': float(mass), 'inertia': [float(y + z), float(x + z), float(x + y)],
            'shape': {'type': 'box', 'size': list(size)}, 'material': {'restitution': restitution,
                                                                       'friction': friction}}


@dataclass
class Seen:
    """What a run showed: t (T,) s, x, v (T,N,3), w (T,N,3) of the body, q (T,N,4) xyzw; events, constraint events; the
    shown hands and the loads of constraints in every tick."""

    t: np.ndarray
    x: np.ndarray
    v: np.ndarray
    w: np.ndarray
    q: np.ndarray
    events: list
    joined: list
    hands: list = field(repr=False)
    loads: list = field(repr=False)

    @property
    def begins(self):
        return [e for e in self.events if e.phase == 0]

    def at(self, t) -> int:
        """The first tick at t s or later."""
        return int(np.searchsorted(self.t, t - 1e-9))

    def turns(self, k=0) -> np.ndarray:
        """(T,3,3), body to world."""
        return Rotation.from_quat(self.q[:, k]).as_matrix()

    def told(self, phase, name=None) -> list:
        """Constraint events of a phase, GRASPED or RELEASED, by its name."""
        return [e for e in self.joined if e.phase.name == phase and name in (None, e.name)]

    def palm(self, hand=0):
        """Of the palm that is shown: middle (T,3) and rotation (T,3,3); NaN where there is none."""
        x, r = np.full((len(self.t), 3), np.nan), np.full((len(self.t), 3, 3), np.nan)
        for k, shown in enumerate(self.hands):
            if shown[hand].box is not None:
                x[k] = shown[hand].box.position
                r[k] = Rotation.from_quat(shown[hand].box.orientation_xyzw).as_matrix()
        return x, r

    def tip(self, part, hand=0) -> np.ndarray:
        """(T,3) of the shown end of a finger, `thumb_tip` or `index_tip`: middle of the cap; NaN while not there."""
        out = np.full((len(self.t), 3), np.nan)
        for k, shown in enumerate(self.hands):
            h = shown[hand]
            i = h.parts.index(part) if part in h.parts else None
            if i is not None and h.enabled[i]:
                along = Rotation.from_quat(h.orientations_xyzw[i]).as_matrix()[:, 2]
                out[k] = h.positions[i] + 0.5 * h.lengths[i] * along
        return out


def own_frame(points, x, r) -> np.ndarray:
    """Points (T,3) in frames (T,3), (T,3,3)."""
    return np.einsum('tji,tj->ti', r, points - x)


def perform(scene, streams, end, *, plans=None, wrenches=None, tick=TICK) -> Seen:
    """Feed what has arrived before every tick till `end` s.  plans: {drone: t -> (x, xyzw, v)}, fed every 10 ms;
    wrenches: {drone: t -> force (3,) in body axes}, every tick."""
    waiting = sorted(((s.arrival, name, s) for name, samples in streams.items() for s in samples), key=lambda a: a[:2])
    begin, at, ticks = scene.now_ns, 0, []
    for now in range(begin + tick, begin + round(end * NS) + 1, tick):
        t = (now - begin) / NS
        if (now - begin) % (10 * MS) == 0:
            for name, plan in (plans or {}).items():
                x, q, v = plan(t)
                scene.feed_drone(name, now, x, q, v, (0, 0, 0))
        for name, force in (wrenches or {}).items():
            scene.feed_wrench(name, now, force(t), (0, 0, 0))
        while at < len(waiting) and waiting[at][0] <= now - begin:
            s = waiting[at][2]
            scene.feed_hand(waiting[at][1], s.stamp + begin, s.positions, s.orientations, s.radii, s.valid)
            at += 1
        ticks.append(scene.advance(now))
    return Seen(np.array([(k.stamp_ns - begin) / NS for k in ticks]),
                *(np.array([getattr(k.states, a) for k in ticks]) for a in
                  ('positions', 'linear_velocities', 'angular_velocities', 'orientations_xyzw')),
                [e for k in ticks for e in k.events], [e for k in ticks for e in k.constraint_events],
                [k.hands for k in ticks], [k.constraint_loads for k in ticks])


def hover(model, until, q=UPRIGHT, after=0.0):
    """Thrust against a drone's weight till `until` s, then a share of it; of a drone that keeps its attitude."""
    up = Rotation.from_quat(q).inv().apply((0.0, 0.0, model['mass'] * G))
    return lambda t: up if t < until else after * up


# -- truth about drones

def solids(model):
    """Parts of a drone: (kind, half sizes or (radius, half height), centre, rotation matrix), body frame."""
    out = []
    for p in model['shape'].get('parts', [model['shape']]):
        size = (np.array(p['size']) / 2 if p['type'] == 'box' else np.array([p['radius'], p.get('height', 0.0) / 2]))
        out.append((p['type'], size, np.array(p.get('position', (0.0, 0.0, 0.0)), float),
                    Rotation.from_euler('xyz', p.get('rpy', (0.0, 0.0, 0.0))).as_matrix()))
    return out


def reach(model, x, r, direction) -> np.ndarray:
    """(T,) m: how far a drone at x (T,3), turned r (T,3,3), reaches along a world direction."""
    far, d = [], np.einsum('tji,j->ti', r, np.asarray(direction, float))
    for kind, size, centre, turned in solids(model):
        own = d @ turned
        if kind == 'box':
            out = np.abs(own) @ size
        elif kind == 'sphere':
            out = np.full(len(d), size[0])
        else:
            out = size[0] * np.hypot(own[:, 0], own[:, 1]) + size[1] * np.abs(own[:, 2])
        far.append(d @ centre + out)
    return x @ np.asarray(direction, float) + np.max(far, axis=0)


def gyration(model) -> float:
    """m, the smallest radius of gyration."""
    return float(np.sqrt(min(model['inertia']) / model['mass']))


def surface(model, spacing=0.008) -> np.ndarray:
    """Points (P,3) of its parts' surfaces and insides, body frame."""
    out = []
    for kind, size, centre, turned in solids(model):
        half = size if kind == 'box' else np.array([size[0], size[0], size[0] if kind == 'sphere' else size[1]])
        grid = np.meshgrid(*(np.linspace(-h, h, max(3, int(2 * h / spacing) + 1)) for h in half), indexing='ij')
        p = np.stack([g.ravel() for g in grid], axis=1)
        if kind == 'cylinder':
            p = p[np.hypot(p[:, 0], p[:, 1]) <= size[0]]
        elif kind == 'sphere':
            p = p[np.linalg.norm(p, axis=1) <= size[0]]
        out.append(centre + p @ turned.T)
    return np.vstack(out)


def first_touch(model, attitude, rotation, hand: Hand, beside=(0.0, 0.0)) -> float:
    """m: how far the drone's middle of mass is before the plane of a hand, turned `rotation` (3,3), when a drone turned
    `attitude` (3,3) that comes at its palm first meets it; beside: x, y in the hand from the middle of the palm to
    where it comes.  From the drone's points that have some of the hand behind them; the palm is the thickest of it."""
    own = (surface(model) - np.array(model.get('com', (0.0, 0.0, 0.0)))) @ attitude.T @ rotation + PALM
    own[:, :2] += beside
    low, high = hand.points[:, :2].min(axis=0) - 0.015, hand.points[:, :2].max(axis=0) + 0.015
    behind = ((own[:, :2] > low) & (own[:, :2] < high)).all(axis=1)
    return float(own[behind, 2].max()) + PALM_HALF


def open_hand(layout=25, side='right') -> Hand:
    return make_hand(layout, OPEN, side)


# -- truth about forces

def mean_force(events, body, other, first, last) -> np.ndarray:
    """(3,) N that `other` gives to `body` on the mean between two times (s): of every contact the impulses of its
    PERSIST events over their time, added up."""
    contacts, force = {}, np.zeros(3)
    for e in events:
        if {e.body_a, e.body_b} == {body, other} and e.phase != 2 and first * NS <= e.stamp_ns <= last * NS:
            contacts.setdefault(e.id, []).append(e)
    for told in contacts.values():
        if len(told) > 1:
            sign = 1.0 if told[0].body_b == body else -1.0
            seconds = (told[-1].stamp_ns - told[0].stamp_ns) / NS
            force += sign * np.sum([e.impulse for e in told[1:]], axis=0) / seconds
    return force


def given(events, body, other=None) -> np.ndarray:
    """(3,) N s that contacts gave to `body`: of every contact what its END says, or what was told so far."""
    contacts, impulse = {}, np.zeros(3)
    for e in events:
        if body in (e.body_a, e.body_b) and other in (None, e.body_a, e.body_b):
            contacts.setdefault(e.id, []).append(e)
    for told in contacts.values():
        sign = 1.0 if told[0].body_b == body else -1.0
        impulse += sign * (np.array(told[-1].impulse) if told[-1].phase == 2 else
                           np.sum([e.impulse for e in told], axis=0))
    return impulse


def point_velocity(seen, k, arm, tick) -> np.ndarray:
    """(3,) m/s of drone k at a place `arm` (3,) from its base_link, world axes.  With the arm of an impact this is the
    velocity that the impact gave to the point, also after the drone has turned on: what turns it keeps w."""
    w = Rotation.from_quat(seen.q[tick, k]).apply(seen.w[tick, k])
    return seen.v[tick, k] + np.cross(w, arm)


def struck_speed(model, r, n, v_n, mass) -> float:
    """m/s along n of the struck point after a hand of `mass` hit it at v_n: (1 + e) v_n K / (K + 1/m_h), with
    K = 1/m + (r x n) . I^-1 (r x n); r (3,) from the middle of mass and n in body axes, no friction."""
    turned = np.cross(r, n)
    k = 1.0 / model['mass'] + turned @ (turned / np.array(model['inertia']))
    return (1.0 + model['material']['restitution']) * v_n * k / (k + 1.0 / mass)
