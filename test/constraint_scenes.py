# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Scenes of bodies under constraints, and what is conserved in them."""
import numpy as np
from oracles.rotations import matrix, random_quat, random_tensor

from hakoniwa_rigid.engine import Box, Sphere, WorldBuilder

G = 9.80665     # m/s²
RELEASE = np.radians(60.0)


def dynamic(w):
    return [i for i in range(w.n) if w.kinds[i] == 'dynamic']


def linear_momentum(w):
    """(3,) kg m/s."""
    return sum(w.mass[i] * w.linvel[i] for i in dynamic(w))


def angular_momentum(w):
    """(3,) kg m²/s about the origin."""
    total = np.zeros(3)
    for i in dynamic(w):
        r = matrix(w.quat[i])
        total += w.mass[i] * np.cross(w.pos[i], w.linvel[i]) + r @ w.inertia[i] @ r.T @ w.angvel[i]
    return total


def extension(w, name=0):
    """Distance (m) of the anchors of a constraint."""
    c = w.constraint(name)
    return np.linalg.norm(c.anchor_b - c.anchor_a)


def anchor_velocity(w, body, anchor):
    """(3,) m/s of the world point `anchor` of a body."""
    return w.linvel[body] + np.cross(w.angvel[body], anchor - w.pos[body])


def pendulum(kind, *, dt=1e-3, mass=1.3):
    """A bob on 1 m, released at 60° in the plane y = 0.  Returns world, bob."""
    b = WorldBuilder(dt=dt)
    hook = b.add_body(Sphere(0.01), kind='static')
    bob = b.add_body(Sphere(0.05), mass=mass, pos=(np.sin(RELEASE), 0, -np.cos(RELEASE)))
    b.attach(kind, hook, bob, **({'anchor_a': (0, 0, 0)} if kind == 'ball' else {}))
    return b.build(), bob


def physical_pendulum(*, dt=1e-3):
    """A box with a full tensor on a hinge 0.35 m from its centre of mass, along a slanted axis of its frame.

    Returns world, body, the length (m) of the simple pendulum with the same period.
    """
    tensor = random_tensor(np.random.default_rng(5), 0.02)
    axis = np.array([0.0, 1.0, 0.0])        # in the world; the body is turned against it
    quat = random_quat(np.random.default_rng(6))
    arm = 0.35 * np.array([np.sin(RELEASE), 0, -np.cos(RELEASE)])
    b = WorldBuilder(dt=dt)
    hook = b.add_body(Sphere(0.01), kind='static')
    i = b.add_body(Box((0.1, 0.2, 0.3)), mass=0.8, inertia=tensor, pos=arm, quat=quat)
    b.attach('hinge', hook, i, anchor_a=(0, 0, 0), axis=axis)
    w = b.build()
    r = matrix(quat)
    about = axis @ r @ w.inertia[i] @ r.T @ axis
    return w, i, (about + 0.8 * 0.35**2) / (0.8 * 0.35)


def chain(links, *, kind='ball', mass=0.1, load=None, wall=None, restitution=0.0, start=(1.0, 0.0, 0.0)):
    """Links of 0.1 m in a straight line from the origin along `start` (x, y or z), free at its end but for a load (kg).

    wall: x (m) of the surface of a wall that faces the chain.
    """
    along = np.asarray(start)
    box = np.where(along != 0.0, 0.1, 0.02)
    b = WorldBuilder()
    last = b.add_body(Sphere(0.01), kind='static')
    for k in range(links):
        i = b.add_body(Box(tuple(box)), mass=mass, pos=0.1 * (k + 0.5) * along, restitution=restitution)
        b.attach(kind, last, i, anchor_b=tuple(-0.05 * along))
        last = i
    if load is not None:
        i = b.add_body(Sphere(0.05), mass=load, pos=(0.1 * links + 0.06) * along)
        b.attach('ball', last, i, anchor_a=tuple(0.05 * along))
    if wall is not None:
        b.add_body(Box((0.1, 2, 8)), kind='static', pos=(wall - 0.05, 0, 0), friction=0.3)
    return b.build()


def widest(w):
    """Largest distance (m) of two anchors that should be one."""
    return max(extension(w, name) for name in w.constraints)


def loop(links=10, radius=0.3):
    """A closed ring of capsule-like boxes in free space, spun about its axis.  Returns world."""
    b = WorldBuilder(gravity=(0, 0, 0))
    corners = [radius * np.array([np.cos(t), np.sin(t), 0.0]) for t in 2 * np.pi * np.arange(links + 1) / links]
    bodies = []
    for k in range(links):
        middle, along = 0.5 * (corners[k] + corners[k + 1]), corners[k + 1] - corners[k]
        t = np.arctan2(along[1], along[0])
        # spun about z, with a push across on one side
        bodies.append(b.add_body(
            Box((0.8 * np.linalg.norm(along), 0.02, 0.02)), mass=0.2, pos=middle,
            quat=(np.cos(t / 2), 0, 0, np.sin(t / 2)), linvel=np.cross((0, 0, 4.0), middle), angvel=(0, 0, 4.0)))
    for k in range(links):
        half = 0.5 * np.linalg.norm(corners[1] - corners[0])
        b.attach('ball', bodies[k], bodies[(k + 1) % links], anchor_a=(half, 0, 0))
    return b.build()


def cable_pair(seed, *, restitution, slack=0.0, dt=1e-3):
    """Two free bodies of random mass, inertia, attitude and motion, with a cable between two random points that part.
    Returns world."""
    rng = np.random.default_rng(seed)
    b = WorldBuilder(gravity=(0, 0, 0), dt=dt, restitution_threshold=0.0)
    apart, masses = np.array([1.5, 0.3, -0.2]), 10.0 ** rng.uniform(-2, 2, 2)
    for k in range(2):
        b.add_body(Box((0.2, 0.3, 0.1)), mass=masses[k], inertia=masses[k] * random_tensor(rng, 0.02),
                   pos=k * apart, quat=random_quat(rng), linvel=(2 * k - 1) * apart + rng.normal(size=3),
                   angvel=rng.normal(size=3) * 2.0)
    anchors = rng.uniform(-0.1, 0.1, (2, 3))
    w = b.build()
    c = w.attach('cable', 0, 1, anchor_a=anchors[0], anchor_b=anchors[1], restitution=restitution)
    if slack > 0.0:
        length = extension(w, c) + slack
        w.detach(c)
        w.attach('cable', 0, 1, anchor_a=anchors[0], anchor_b=anchors[1], restitution=restitution, length=length)
    return w
