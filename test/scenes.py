# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Scenes shared by tests, benchmarks and examples: each returns a built World and what a reader needs to judge it."""

import numpy as np
from oracles.impact import Body
from oracles.rotations import matrix, random_quat, random_tensor

from hakoniwa_rigid.engine import Box, Capsule, HalfSpace, Sphere, WorldBuilder

G = 9.80665  # m/s²
DRONE_MASS = 0.71  # kg, the article's quadcopter
DRONE_INERTIA = (0.0061, 0.00653, 0.0116)  # kg m²
DRONE_BOX = (0.5, 0.5, 0.15)  # m, full sides


def reference_wall(offset_y, *, restitution=0.5, friction=0.0, linvel=(3.0, 0.0, 0.0), drone_first=True, dt=1e-3):
    """Scene of docs/impacts.md: the drone's face x = 0.2 touches a static sphere at (0.2, offset_y, 0). Returns
    world, drone index.
    """
    b = WorldBuilder(gravity=(0, 0, 0), dt=dt, restitution_threshold=0.0)

    def drone():
        return b.add_body(
            Box((0.4, 0.4, 0.1)),
            mass=DRONE_MASS,
            inertia=DRONE_INERTIA,
            linvel=linvel,
            restitution=restitution,
            friction=friction,
            name='drone',
        )

    def wall():
        b.add_body(Sphere(0.3), pos=(0.5, offset_y, 0), kind='static', restitution=0.0, friction=friction, name='wall')

    if drone_first:
        i = drone()
        wall()
    else:
        wall()
        i = drone()
    return b.build(), i


def touching_pair(rng, *, ratio=10.0, friction=None, restitution=None, wall=None, approaching=True):
    """A box and a sphere that touch at a known face point, random in every other respect.

    Returns a dict: box, ball (oracle Bodies), point, normal (box -> ball), e, mu, sides, radius.
    `wall` names the one that is the heavy limit (mass inf), 'ball' or 'box'; masses spread over `ratio`.
    """
    sides = rng.uniform(0.2, 1.0, size=3)
    radius = rng.uniform(0.05, 0.5)
    quat, pos = random_quat(rng), rng.uniform(-1, 1, size=3)
    axis, sign = rng.integers(3), rng.choice([-1.0, 1.0])
    local = 0.5 * sides * rng.uniform(-0.9, 0.9, size=3)
    local[axis] = sign * 0.5 * sides[axis]
    r = matrix(quat)
    normal, point = sign * r[:, axis], pos + r @ local
    mass = np.exp(rng.uniform(-0.5, 0.5, size=2) * np.log(ratio))
    box = Body(
        np.inf if wall == 'box' else mass[0],
        random_tensor(rng, mass[0] * 0.02),
        pos,
        quat,
        rng.normal(size=3),
        rng.normal(size=3),
    )
    ball = Body(
        np.inf if wall == 'ball' else mass[1],
        random_tensor(rng, mass[1] * radius**2 / 10),
        point + radius * normal,
        random_quat(rng),
        rng.normal(size=3),
        rng.normal(size=3),
    )
    speed = rng.uniform(0.5, 3.0) * (-1.0 if approaching else 1.0)
    box.linvel += ((ball.velocity_at(point) - box.velocity_at(point)) @ normal - speed) * normal
    return {
        'box': box,
        'ball': ball,
        'point': point,
        'normal': normal,
        'sides': sides,
        'radius': radius,
        'e': rng.uniform(0.1, 1.0) if restitution is None else restitution,
        'mu': rng.choice([0.0, 0.1, 0.5, 1.0]) if friction is None else friction,
    }


def pair_world(pair, *, dt=1e-6, swapped=False, kind='kinematic', boost=(0.0, 0.0, 0.0)):
    """World of a touching_pair without gravity. Returns world, index of the box, index of the ball."""
    b = WorldBuilder(gravity=(0, 0, 0), dt=dt, restitution_threshold=0.0)

    def add(body, shape, name):
        fixed = {'kind': kind} if np.isinf(body.mass) else {'mass': body.mass, 'inertia': body.inertia}
        return b.add_body(
            shape,
            pos=body.pos,
            quat=body.quat,
            linvel=body.linvel + np.asarray(boost),
            angvel=body.angvel,
            restitution=pair['e'],
            friction=pair['mu'],
            name=name,
            **fixed,
        )

    order = [(pair['box'], Box(tuple(pair['sides'])), 'box'), (pair['ball'], Sphere(pair['radius']), 'ball')]
    for row in reversed(order) if swapped else order:
        add(*row)
    w = b.build()
    return w, w.index('box'), w.index('ball')


def bouncing_ball(height, *, restitution, radius=0.1, dt=1e-3, gravity=G):
    """A ball dropped from clearance `height` over the plane z = 0. Ball is index of the returned pair."""
    b = WorldBuilder(gravity=(0, 0, -gravity), dt=dt)
    b.add_body(HalfSpace(), kind='static', restitution=restitution, friction=0.0, name='floor')
    i = b.add_body(
        Sphere(radius), mass=1.3, pos=(0.2, -0.1, radius + height), restitution=restitution, friction=0.0, name='ball'
    )
    return b.build(), i


def tumbling_top(*, dt=1e-3, integrator='exact', spin=5.0, offset=0.01):
    """Torque-free drone spinning `offset` rad off its middle axis. Returns world (one body)."""
    b = WorldBuilder(gravity=(0, 0, 0), dt=dt, integrator=integrator)
    b.add_body(
        Box(DRONE_BOX),
        mass=DRONE_MASS,
        inertia=DRONE_INERTIA,
        angvel=(spin * np.sin(offset), spin * np.cos(offset), 0),
        name='top',
    )
    return b.build()


def resting(shape, height, *, on='plane', quat=(1, 0, 0, 0), dt=1e-3, friction=0.5):
    """One dynamic body of 0.7 kg whose centre is `height` above a plane or a static box whose top is z = 0."""
    b = WorldBuilder(gravity=(0, 0, -G), dt=dt)
    if on == 'plane':
        b.add_body(HalfSpace(), kind='static', friction=friction, name='ground')
    else:
        b.add_body(Box((4, 4, 0.5)), kind='static', friction=friction, pos=(0, 0, -0.25), name='ground')
    i = b.add_body(shape, mass=0.7, pos=(0.1, 0.05, height), quat=quat, friction=friction, name='body')
    return b.build(), i


def slope_box(degrees, friction, *, dt=1e-3):
    """Box lying on an inclined plane that falls along (cos, 0, -sin). Returns world, index, downhill unit vector."""
    a = np.radians(degrees)
    normal, downhill = np.array([np.sin(a), 0, np.cos(a)]), np.array([np.cos(a), 0, -np.sin(a)])
    b = WorldBuilder(gravity=(0, 0, -G), dt=dt)
    b.add_body(HalfSpace(tuple(normal)), kind='static', friction=friction, name='slope')
    i = b.add_body(
        Box((0.5, 0.5, 0.15)),
        mass=0.7,
        pos=0.075 * normal,
        quat=(np.cos(a / 2), 0, np.sin(a / 2), 0),
        friction=friction,
        name='box',
    )
    return b.build(), i, downhill


def walls_around(half, thick):
    """Boxes, and where they are, of six walls around the cube [-half, half]³ (m)."""
    for axis in range(3):
        for sign in (-1, 1):
            place, sides = np.zeros(3), np.full(3, 2 * half + 2 * thick)
            place[axis], sides[axis] = sign * (half + thick / 2), thick
            yield Box(tuple(sides)), tuple(place)


def room(b, size, **material):
    """Adds six static half-spaces that close the box [-size, size]³ (m)."""
    for axis in range(3):
        for sign in (-1, 1):
            normal = np.zeros(3)
            normal[axis] = -sign
            b.add_body(HalfSpace(tuple(normal), -size), kind='static', name=f'wall{axis}{sign:+d}', **material)


def crowd(b, rng, count, *, spacing, speed, inward=0.0):
    """Adds `count` random spheres, boxes and capsules on a grid, so that none overlap at the start. Returns their
    indices.
    """
    side = int(np.ceil(count ** (1 / 3)))
    cells = [(i, j, k) for i in range(side) for j in range(side) for k in range(side)][:count]
    made = []
    for cell in cells:
        pos = (np.array(cell) - (side - 1) / 2) * spacing + rng.uniform(-0.05, 0.05, size=3) * spacing
        shape = [Sphere(0.12), Box(tuple(rng.uniform(0.12, 0.25, size=3))), Capsule(0.07, 0.16)][rng.integers(3)]
        made.append(
            b.add_body(
                shape,
                mass=rng.uniform(0.2, 2.0),
                pos=pos,
                quat=random_quat(rng),
                linvel=rng.normal(size=3) * speed - inward * pos,
                angvel=rng.normal(size=3) * 3,
                restitution=rng.uniform(0, 0.9),
                friction=rng.uniform(0, 0.8),
            )
        )
    return made


def mixed_room(seed=3, *, count=30, size=1.5, gravity=G, dt=1e-3):
    """Closed room with a random crowd. Returns world, indices of the crowd."""
    b = WorldBuilder(gravity=(0, 0, -gravity), dt=dt)
    room(b, size, restitution=0.3, friction=0.4)
    made = crowd(b, np.random.default_rng(seed), count, spacing=0.55, speed=1.5)
    return b.build(), made


def brawl(seed=4, *, count=30, dt=1e-3):
    """Free bodies without gravity or walls that fall into each other. Returns world."""
    b = WorldBuilder(gravity=(0, 0, 0), dt=dt)
    crowd(b, np.random.default_rng(seed), count, spacing=0.55, speed=0.5, inward=2.0)
    return b.build()


def momenta(world, inertia=None):
    """Total linear and angular momentum about the origin, and their scales Σm|v|, Σ(|x × mv| + |I w|), of a world whose
    bodies are all dynamic. `inertia` saves fetching world.inertia each time.
    """
    rotation = np.array([matrix(q) for q in world.quat])
    mv = world.mass[:, None] * world.linvel
    orbit = np.cross(world.pos, mv)
    tensors = world.inertia if inertia is None else inertia
    spin = np.einsum('nij,njk,nlk,nl->ni', rotation, tensors, rotation, world.angvel)
    sizes = [np.linalg.norm(a, axis=1).sum() for a in (mv, orbit, spin)]
    return mv.sum(axis=0), (orbit + spin).sum(axis=0), sizes[0], sizes[1] + sizes[2]


def impacts(world):
    """Rows of the last step(n) call that are impulses at an instant, in time order."""
    log = world.contact_log()
    return log[log['impact']].copy()


def impact_times(world, rows):
    """Time of each row since the start of the last step(n) call, s."""
    return rows['step'] * world.dt + rows['time']
