# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Fast, small and thin bodies hit at the right time and place: closed forms, or the root of an independent gap."""
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles import impact, meshes
from oracles.geometry import point_box
from oracles.rotations import from_rotvec, matrix, multiply, random_quat
from scenes import DRONE_INERTIA, DRONE_MASS, impact_times, impacts
from scipy.optimize import brentq
from scipy.spatial import ConvexHull as Hull
from trimesh.triangles import closest_point

from hakoniwa_rigid.engine import (
    Box,
    Capsule,
    Compound,
    ConvexHull,
    Cylinder,
    HeightField,
    Sphere,
    TriangleMesh,
    WorldBuilder,
)

UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])
SIGNS = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
DRONE = np.array([0.5, 0.5, 0.15])                                      # m, sides
BODY, ARM, DISC, THICK = np.array([0.3, 0.3, 0.1]), 0.18, 0.12, 0.02    # m: of the compound, its rotors' place and size
WALL = 0.01                                                             # m, half its thickness
SOON = 1e-7                                                             # s, tolerance of a time of impact


def builder(dt=1e-2):
    return WorldBuilder(gravity=(0, 0, 0), dt=dt, restitution_threshold=0.0)


def compound(height):
    """Body box and four rotors whose middle is `height` (m) above the centre of mass."""
    rotors = [(Cylinder(DISC, THICK), (x * ARM, y * ARM, height)) for x in (-1, 1) for y in (-1, 1)]
    return Compound([(Box(tuple(BODY)), (0, 0, 0)), *rotors])


def drone(b, shape, **state):
    """A drone of the article's mass about its origin; its indices are those of the builder."""
    return b.add_body(shape, mass=DRONE_MASS, inertia=DRONE_INERTIA, com=(0, 0, 0), **state)


def as_oracle(pos, quat, linvel, angvel=(0, 0, 0), mass=DRONE_MASS, inertia=DRONE_INERTIA):
    return impact.Body(mass, inertia, pos, quat, linvel, angvel)


def still(point):
    return impact.Body(np.inf, np.eye(3), point, UPRIGHT, np.zeros(3), np.zeros(3))


def first(w, steps):
    """(time, rows) of the first impact; all later ones are of no interest."""
    w.step(steps)
    rows = impacts(w)
    assert len(rows) > 0, 'passed without an impact'
    times = impact_times(w, rows)
    return times[0], rows[times <= times[0] + 1e-12]


def root(gap, end, samples=4000):
    """First time in [0, end] at which gap(t) falls through 0."""
    t = np.linspace(0.0, end, samples)
    k = next((k for k, x in enumerate(t) if gap(x) < 0.0), 0)
    assert k > 0 and gap(0.0) > 0.0, 'the oracle sees no impact'
    return brentq(gap, t[k - 1], t[k], xtol=1e-16, rtol=1e-15)


def box_points(quat):
    return SIGNS * DRONE / 2 @ matrix(quat).T


def compound_points(quat, height):
    """Of each part the point farthest along x, from the drone's origin."""
    r = matrix(quat)
    body = SIGNS * BODY / 2 @ r.T
    across = np.array([r[0, 0], r[0, 1], 0.0])
    rim = DISC * across / np.linalg.norm(across) + [0, 0, np.sign(r[0, 2]) * THICK / 2]
    rotors = [[x * ARM, y * ARM, height] + rim for x in (-1, 1) for y in (-1, 1)]
    return np.vstack([body, np.array(rotors) @ r.T])


# ---- a drone into a wall

@pytest.mark.parametrize('seed', range(3))
@pytest.mark.parametrize('kind', ['box', 'compound'])
def test_drone_into_wall(kind, seed):
    """30 m/s, 30 cm a step, into 2 cm, at a random attitude: foremost point, two-body impulse with friction."""
    rng = np.random.default_rng(seed)
    quat, pos, v, e, mu = random_quat(rng), np.array([-1.0, 0.3, 0.1]), np.array([30.0, 2.0, -1.0]), 0.4, 0.3
    points = box_points(quat) if kind == 'box' else compound_points(quat, 0.05)
    arm = points[points[:, 0].argmax()]
    toi = (-WALL - pos[0] - arm[0]) / v[0]
    b = builder()
    b.add_body(Box((2 * WALL, 8, 8)), kind='static', friction=mu)
    drone(b, Box(tuple(DRONE)) if kind == 'box' else compound(0.05), pos=pos, quat=quat, linvel=v, restitution=e,
          friction=mu)
    w = b.build()
    t, rows = first(w, 5)
    assert_allclose(t, toi, atol=SOON)
    point = pos + v * toi + arm
    result, *_, spin = impact.collide(still(point), as_oracle(pos + v * toi, quat, v), point, np.array([-1.0, 0, 0]),
                                      e, mu)
    assert len(rows) == 1
    assert_allclose(rows[0]['position'], point, atol=1e-9)
    assert_allclose(rows[0]['normal'], [-1, 0, 0], atol=1e-12)
    assert_allclose(rows[0]['impulse'], result.impulse, atol=1e-6)
    assert_allclose(rows[0]['delta_omega_b'], spin, atol=1e-5)
    assert w.pos[1, 0] < -WALL


def test_drone_box_into_wall_face_on():
    """Four corners at once: v' = -e v and no spin."""
    b = builder()
    b.add_body(Box((2 * WALL, 8, 8)), kind='static')
    i = drone(b, Box(tuple(DRONE)), pos=(-1, 0, 0), linvel=(30, 0, 0), restitution=0.4, friction=0.3)
    w = b.build()
    t, rows = first(w, 5)
    toi = (1 - WALL - DRONE[0] / 2) / 30
    assert_allclose(t, toi, atol=1e-12)
    assert_allclose(np.abs(rows['position'][:, 1:]), [DRONE[1:] / 2] * 4, atol=1e-12)
    assert_allclose(w.linvel[i], [-12, 0, 0], atol=1e-10)
    assert_allclose(w.angvel[i], 0.0, atol=1e-8)
    assert_allclose(w.pos[i], [-WALL - DRONE[0] / 2 - 12 * (0.05 - toi), 0, 0], atol=1e-10)


def test_drone_compound_into_wall_face_on():
    """The lower ends of two rims hit: together J = (1 + e) m v / (1 + m z^2 / I_yy), at z = 4 cm."""
    e, z, v = 0.4, 0.05 - THICK / 2, 30.0
    b = builder()
    b.add_body(Box((2 * WALL, 8, 8)), kind='static', friction=0.0)
    drone(b, compound(0.05), pos=(-1, 0, 0), linvel=(v, 0, 0), restitution=e, friction=0.0)
    w = b.build()
    t, rows = first(w, 5)
    assert_allclose(t, (1 - WALL - ARM - DISC) / v, atol=1e-12)
    pushed = rows[np.linalg.norm(rows['impulse'], axis=1) > 1e-9]
    assert set(pushed['part_b']) == {3, 4}
    assert_allclose(np.sort(pushed['position'][:, 1]), [-ARM, ARM], atol=1e-9)
    assert_allclose(pushed['position'][:, 2], z, atol=1e-9)
    j = (1 + e) * v / (1 / DRONE_MASS + z * z / DRONE_INERTIA[1])
    assert_allclose(pushed['impulse'].sum(axis=0), [-j, 0, 0], atol=1e-8)


@pytest.mark.parametrize('seed', range(2))
def test_tumbling_drone_into_wall(seed):
    """Isotropic inertia, so the spin of 20 rad/s is constant and the attitude known."""
    rng = np.random.default_rng([seed, 1])
    quat, pos, v, e = random_quat(rng), np.array([-1.2, 0.0, 0.0]), np.array([30.0, 0, 0]), 0.5
    spin, moment = rng.normal(size=3), 0.008
    spin *= 20 / np.linalg.norm(spin)

    def points(t):
        return pos + v * t + compound_points(multiply(from_rotvec(spin * t), quat), 0.05)

    toi = root(lambda t: -WALL - points(t)[:, 0].max(), 0.05)
    point = points(toi)[points(toi)[:, 0].argmax()]
    b = builder()
    b.add_body(Box((2 * WALL, 8, 8)), kind='static', friction=0.0)
    b.add_body(compound(0.05), mass=1.0, inertia=(moment,) * 3, com=(0, 0, 0), pos=pos, quat=quat, linvel=v,
               angvel=spin, restitution=e, friction=0.0)
    t, rows = first(b.build(), 5)
    assert_allclose(t, toi, atol=SOON)
    flying = as_oracle(pos + v * toi, UPRIGHT, v, spin, 1.0, (moment,) * 3)
    result, *_ = impact.collide(still(point), flying, point, np.array([-1.0, 0, 0]), e, 0.0)
    assert_allclose(rows['position'][0], point, atol=1e-6)
    assert_allclose(rows['impulse'].sum(axis=0), result.impulse, atol=1e-4)


# ---- a ball of 1 cm at 100 m/s

def hull_points():
    return np.random.default_rng(4).normal(size=(30, 3)) * [0.01, 0.3, 0.3]


def targets():
    """name: (shape, function from a point (3,) outside to the nearest point of the shape)."""
    rng = np.random.default_rng(5)
    box = (2 * WALL, 4.0, 4.0)
    field = HeightField(rng.uniform(-0.01, 0.01, size=(24, 24)), (0.1, 0.1))
    hull = hull_points()

    def nearest_of(triangles):
        def nearest(p):
            found = closest_point(triangles, np.broadcast_to(p, (len(triangles), 3)))
            return found[np.linalg.norm(found - p, axis=1).argmin()]
        return nearest

    def on_cylinder(p):
        rho = np.hypot(p[0], p[1])
        return np.append(p[:2] * min(1.0, WALL / rho), np.clip(p[2], -0.5, 0.5))

    return {'box': (Box(box), lambda p: np.clip(p, -0.5 * np.array(box), 0.5 * np.array(box))),
            'mesh': (TriangleMesh(*meshes.box(box)), lambda p: np.clip(p, -0.5 * np.array(box), 0.5 * np.array(box))),
            'terrain': (field, nearest_of(field.vertices[field.faces])),
            'cylinder': (Cylinder(WALL, 1.0), on_cylinder),
            'hull': (ConvexHull(hull), nearest_of(hull[Hull(hull).simplices]))}


TARGETS = targets()


@cache
def shot(name, seed, radius):
    """(start, velocity) of a ball at a target, and when they meet; the same for every step."""
    rng = np.random.default_rng([seed, 2])
    nearest, aim = TARGETS[name][1], rng.uniform(-0.004, 0.004, size=3)
    v = 100 * np.array([-0.3, 0.2, -1.0] if name == 'terrain' else [1.0, 0.1, 0.2]) * [1, rng.choice([-1, 1]), 1]
    start = aim - v * rng.uniform(6e-3, 9e-3)

    def gap(t):
        return np.linalg.norm(start + v * t - nearest(start + v * t)) - radius if t < 1 else np.nan

    return start, v, root(gap, 12e-3, 2400)


@pytest.mark.parametrize('seed', range(3))
@pytest.mark.parametrize('dt', [1e-3, 1e-2])
@pytest.mark.parametrize('name', TARGETS)
def test_ball_into_thin_target(name, dt, seed):
    """A ball of radius 5 mm: up to fifty wall thicknesses a step; |c(t) - nearest| = r, v' = v - (1 + e)(v.n) n."""
    shape, nearest = TARGETS[name]
    radius, e = 0.005, 0.6
    start, v, toi = shot(name, seed, radius)
    centre = start + v * toi
    n = (centre - nearest(centre)) / radius
    b = builder(dt)
    b.add_body(shape, kind='static', friction=0.0)
    i = b.add_body(Sphere(radius), mass=0.01, pos=start, linvel=v, restitution=e, friction=0.0)
    w = b.build()
    t, rows = first(w, round(20e-3 / dt))
    assert_allclose(t, toi, atol=SOON * 1e-3)
    assert_allclose(rows['position'][0], nearest(centre), atol=1e-8)
    assert_allclose(rows['velocity_before'][0], v, atol=1e-9)
    assert_allclose(rows['impulse'].sum(axis=0), -0.01 * (1 + e) * (v @ n) * n, atol=1e-8)
    if len(rows) == len(impacts(w)):
        after = v - (1 + e) * (v @ n) * n
        assert_allclose(w.linvel[i], after, atol=1e-5)
        assert_allclose(w.pos[i], centre + after * (20e-3 - toi), atol=1e-6)


@pytest.mark.parametrize('seed', range(6))
def test_two_spheres_to_rounding(seed):
    """|dx + dv t| = r1 + r2 without forces, up to 2 m a step: to 1e-12 s, and against static and kinematic ones."""
    rng = np.random.default_rng([seed, 3])
    radius, kind = rng.uniform(0.005, 0.1, size=2), ['static', 'kinematic', 'dynamic'][seed % 3]
    v = rng.normal(size=(2, 3)) * 60 * [[kind != 'static'], [1.0]]
    closing = v[1] - v[0]
    n = -closing / np.linalg.norm(closing) + 0.5 * rng.normal(size=3) / np.sqrt(3)
    n /= np.linalg.norm(n)
    toi = rng.uniform(1e-3, 9e-3)
    b = builder()
    b.add_body(Sphere(radius[0]), kind=kind, pos=-v[0] * toi, linvel=v[0], **({'mass': 1} if kind == 'dynamic' else {}))
    b.add_body(Sphere(radius[1]), mass=1.0, pos=n * radius.sum() - v[1] * toi, linvel=v[1])
    t, rows = first(b.build(), 1)
    assert -closing @ n > 0.5 * np.linalg.norm(closing)
    assert_allclose(t, toi, atol=1e-12)
    assert_allclose(rows['position'][0], n * radius[0], atol=1e-11)


# ---- two drones head-on

@pytest.mark.parametrize('seed', range(4))
def test_boxes_head_on(seed):
    """40 m/s closing, random attitudes: a ray into the hull of all differences of their corners."""
    rng = np.random.default_rng([seed, 4])
    quats, offset = [random_quat(rng), random_quat(rng)], rng.uniform(-0.1, 0.1, size=3) + [1.2, 0, 0]
    planes = Hull((box_points(quats[1])[:, None] - box_points(quats[0])).reshape(-1, 3)).equations
    # the origin as seen from b - a, moving along +x: it enters where the last plane is crossed
    towards = planes[:, 0] < 0.0
    gaps, speeds = planes[towards, 3] - planes[towards, :3] @ offset, -40.0 * planes[towards, 0]
    toi = (gaps / speeds).max()
    n = -planes[towards, :3][(gaps / speeds).argmax()]
    b = builder()
    for quat, x, v in zip(quats, (np.zeros(3), offset), (20.0, -20.0), strict=True):
        drone(b, Box(tuple(DRONE)), pos=x, quat=quat, linvel=(v, 0, 0), restitution=0.5, friction=0.0)
    t, rows = first(b.build(), 5)
    assert_allclose(t, toi, atol=SOON)
    assert_allclose(np.abs(rows['normal'][0] @ n), 1.0, atol=1e-9)
    one, other = (as_oracle(x + [v * toi, 0, 0], q, (v, 0, 0))
                  for q, x, v in zip(quats, (np.zeros(3), offset), (20, -20), strict=True))
    result, *_ = impact.collide(one, other, rows['position'][0], rows['normal'][0], 0.5, 0.0)
    assert_allclose(rows['impulse'].sum(axis=0), result.impulse, atol=1e-6)


def test_rotors_head_on():
    """Two compound drones, the second 26 cm to the side: one rotor of each, circles whose centres meet at 24 cm."""
    aside, e = 0.26, 0.3
    across = aside - 2 * ARM
    along = np.sqrt(4 * DISC**2 - across**2)
    b = builder()
    places, speeds = (np.zeros(3), np.array([1.3, aside, 0.0])), (20.0, -20.0)
    for x, v in zip(places, speeds, strict=True):
        drone(b, compound(0.0), pos=x, linvel=(v, 0, 0), restitution=e, friction=0.0)
    w = b.build()
    t, rows = first(w, 4)
    toi = (1.3 - 2 * ARM - along) / 40
    n = np.array([along, across, 0.0]) / (2 * DISC)
    point = np.array([ARM + 20 * toi, ARM, 0.0]) + DISC * n
    assert_allclose(t, toi, atol=SOON)
    assert_allclose(rows['normal'], [n] * len(rows), atol=1e-7)
    assert_allclose(rows['position'][:, :2], [point[:2]] * len(rows), atol=1e-7)
    one, other = (as_oracle(x + [v * toi, 0, 0], UPRIGHT, (v, 0, 0)) for x, v in zip(places, speeds, strict=True))
    result, v_a, _, v_b, _ = impact.collide(one, other, point, n, e, 0.0)
    assert_allclose(rows['impulse'].sum(axis=0), result.impulse, atol=1e-6)
    if len(impacts(w)) == len(rows):
        assert_allclose(w.linvel, [v_a, v_b], atol=1e-5)


# ---- a fist between two samples

def fist():
    """Palm and four fingers, whose front is 6 cm above the origin."""
    lying = (np.cos(np.pi / 4), np.sin(np.pi / 4), 0, 0)
    fingers = [(Capsule(0.01, 0.04), (x, 0, 0.05), lying) for x in (-0.03, -0.01, 0.01, 0.03)]
    return Compound([(Box((0.08, 0.08, 0.06)), (0, 0, 0)), *fingers])


FISTS = {'sphere': (Sphere(0.05), 0.05), 'capsule': (Capsule(0.04, 0.06), 0.07), 'compound': (fist(), 0.06)}


@pytest.mark.parametrize('target', ['box', 'compound'])
@pytest.mark.parametrize('name', FISTS)
def test_fist_through_drone(name, target):
    """Kinematic, 10 m/s, 33 cm between two samples 1/30 s apart: time by the gap, v' = (1 + e) 10 m/s, no spin."""
    shape, front = FISTS[name]
    half = 0.5 * (BODY[2] if target == 'compound' else DRONE[2])
    b = builder(1 / 30)
    i = drone(b, compound(0.0) if target == 'compound' else Box(tuple(DRONE)), restitution=0.2, friction=0.5)
    b.add_body(shape, kind='kinematic', pos=(0, 0, -0.2), linvel=(0, 0, 10))
    w = b.build()
    t, rows = first(w, 1)
    toi = (0.2 - half - front) / 10
    assert_allclose(t, toi, atol=SOON * 1e-3)
    assert_allclose(rows['position'][:, 2], -half, atol=1e-9)
    assert_allclose(w.linvel[i], [0, 0, 12], atol=1e-6)
    assert_allclose(w.angvel[i], 0.0, atol=1e-6)
    assert_allclose(w.pos[i], [0, 0, 12 * (1 / 30 - toi)], atol=1e-7)
    assert_allclose(w.pos[1], [0, 0, -0.2 + 10 / 30], atol=1e-12)


def test_fist_off_centre():
    """The heavy limit of the two-body impulse, at 20 cm from the middle."""
    point, e = np.array([0.15, -0.2, -DRONE[2] / 2]), 0.2
    b = builder(1 / 30)
    drone(b, Box(tuple(DRONE)), restitution=e, friction=0.0)
    b.add_body(Sphere(0.05), kind='kinematic', pos=(*point[:2], -0.2), linvel=(0, 0, 10), friction=0.0)
    t, rows = first(b.build(), 1)
    hand = still(point)
    hand.linvel = np.array([0, 0, 10.0])
    result, _, spin, *_ = impact.collide(as_oracle(np.zeros(3), UPRIGHT, np.zeros(3)), hand, point,
                                         np.array([0, 0, -1.0]), e, 0.0)
    assert_allclose(t, (0.2 - 0.05 - DRONE[2] / 2) / 10, atol=SOON * 1e-3)
    assert_allclose(rows['position'], [point], atol=1e-9)
    assert_allclose(rows['impulse'], [result.impulse], atol=1e-8)
    assert_allclose(rows['delta_omega_a'], [spin], atol=1e-7)


# ---- spinning arms

LONG, WIDE = 0.3, 0.01      # m, half length and half width of an arm
AHEAD, BALL = 1.9, 0.01     # rad, from the arm to the ball; m, its radius


def swinging(b, name, mass=None, spin=300.0, **motion):
    """An arm along x, turning about z."""
    if name == 'cylinder':
        shape, quat = Cylinder(WIDE, 2 * LONG), (np.cos(np.pi / 4), 0, np.sin(np.pi / 4), 0)
    else:
        shape, quat = Box((2 * LONG, 2 * WIDE, 2 * WIDE)), UPRIGHT
    kind = {'kind': 'kinematic'} if mass is None else {'mass': mass, 'inertia': ARM_INERTIA[name]}
    return b.add_body(shape, quat=quat, angvel=(0, 0, spin), friction=0.0, **kind, **motion)


ARM_INERTIA = {'box': (2e-5, 4e-3, 4e-3), 'cylinder': (4e-3, 4e-3, 2e-5)}   # kg m^2; the spin axis is principal


@pytest.mark.parametrize('dt', [1e-3, 1e-2])
@pytest.mark.parametrize('mass', [None, 0.1], ids=['kinematic', 'free'])
@pytest.mark.parametrize('name', ARM_INERTIA)
def test_rotor_arm_meets_ball(name, mass, dt):
    """300 rad/s, 80 m/s at the ball: the side of the arm reaches it after the angle AHEAD - asin((w + r) / d).

    Then the two-body impulse, the arm with its moment about the spin axis.
    """
    d, e, m, spin = 0.27, 0.5, 0.005, 300.0
    b = builder(dt)
    swinging(b, name, mass)
    b.add_body(Sphere(BALL), mass=m, pos=(d * np.cos(AHEAD), d * np.sin(AHEAD), 0), restitution=e, friction=0.0)
    t, rows = first(b.build(), round(1e-2 / dt))
    angle = AHEAD - np.arcsin((WIDE + BALL) / d)
    assert_allclose(t, angle / spin, atol=SOON)
    n, reach = np.array([-np.sin(angle), np.cos(angle), 0.0]), np.sqrt(d**2 - (WIDE + BALL) ** 2)
    point = np.array([np.cos(angle), np.sin(angle), 0]) * reach + WIDE * n
    assert_allclose(rows['normal'], [n] * len(rows), atol=3e-5)
    assert_allclose(rows['position'], [point] * len(rows), atol=1e-5)
    heavy = 0.0 if mass is None else 1 / mass + reach**2 / 4e-3
    assert_allclose(rows['impulse'].sum(axis=0), (1 + e) * spin * reach / (1 / m + heavy) * n, atol=1e-4)


@pytest.mark.parametrize('mass', [None, 0.1], ids=['kinematic', 'free'])
@pytest.mark.parametrize('place', [(0.305, 0.0), (0.3, 0.006), (0.25, 0.0)], ids=['tip', 'tip above', 'side'])
@pytest.mark.parametrize('drift', [(0.0, 0.0, 0.0), (5.0, -8.0, 0.0)], ids=['in place', 'drifting'])
def test_tip_meets_ball(place, mass, drift):
    """The ball is where the corner of the tip, its edge or the side sweep; linear and angular motion together."""
    d, spin, z = place[0], 300.0, place[1]
    ball = np.array([d * np.cos(AHEAD), d * np.sin(AHEAD), z])
    start = -np.array(drift) * AHEAD / spin

    def gap(t):
        quat = from_rotvec(np.array([0, 0, spin * t]))
        return point_box(ball, (2 * LONG, 2 * WIDE, 2 * WIDE), start + np.array(drift) * t, quat)[0] - BALL

    toi = root(gap, AHEAD / spin)
    b = builder(1e-2)
    swinging(b, 'box', mass, pos=start, linvel=drift)
    b.add_body(Sphere(BALL), mass=0.005, pos=ball, friction=0.0)
    t, rows = first(b.build(), 1)
    assert_allclose(t, toi, atol=SOON)
    axes = from_rotvec(np.array([0, 0, spin * toi]))
    _, n = point_box(ball, (2 * LONG, 2 * WIDE, 2 * WIDE), start + np.array(drift) * toi, axes)
    assert_allclose(rows['position'][0], ball - BALL * n, atol=1e-5)


@pytest.mark.parametrize('dt', [1e-2, 1 / 30])
def test_kinematic_palm_turns_and_moves(dt):
    """A kinematic box that moves at 5 m/s and turns at 40 rad/s swats a ball that comes at 20 m/s: root of the gap."""
    sides, v, spin = (0.1, 0.02, 0.3), np.array([1.0, 5.0, -0.5]), np.array([40.0, 5.0, 0.0])
    start, ball, u = np.array([-0.01, -0.1, 0.0]), np.array([0.02, 0.25, 0.1]), np.array([0.0, -20.0, 0.0])

    def gap(t):
        return point_box(ball + u * t, sides, start + v * t, from_rotvec(spin * t))[0] - BALL

    toi = root(gap, 1 / 30)
    b = builder(dt)
    b.add_body(Box(sides), kind='kinematic', pos=start, linvel=v, angvel=spin, friction=0.0)
    b.add_body(Sphere(BALL), mass=0.005, pos=ball, linvel=u, friction=0.0, restitution=0.8)
    t, rows = first(b.build(), int(np.ceil(1 / 30 / dt)))
    centre = start + v * toi
    _, n = point_box(ball + u * toi, sides, centre, from_rotvec(spin * toi))
    point = ball + u * toi - BALL * n
    closing = (v + np.cross(spin, point - centre) - u) @ n
    assert_allclose(t, toi, atol=SOON)
    assert_allclose(rows['position'][0], point, atol=1e-6)
    assert_allclose(rows['impulse'].sum(axis=0), 1.8 * 0.005 * closing * n, atol=1e-5)
