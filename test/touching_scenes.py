# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Random bodies that touch without overlap and stand still: the start of a contact problem with nothing else in it."""

import numpy as np
from oracles.rotations import from_rotvec, matrix, multiply, random_quat, tangents

from hakoniwa_rigid.engine import Box, Capsule, HalfSpace, Sphere, WorldBuilder

G = 9.80665  # m/s²
LYING = np.array([np.cos(np.pi / 4), 0.0, np.sin(np.pi / 4), 0.0])  # a capsule's axis turned from z to x
FAMILIES = ('plane', 'towers', 'corner', 'tube', 'pyramid', 'bridge')


def yaw(rng):
    return from_rotvec([0, 0, rng.uniform(-np.pi, np.pi)])


class Heap:
    """A world in the making: `add` places a body, `push` gives each dynamic one a random force after `build`."""

    def __init__(self, rng, *, mu, ratio, dt, solver='sequential', **options):
        self.rng, self.mu, self.ratio = rng, mu, ratio
        self.b = WorldBuilder(gravity=(0, 0, -G), dt=dt, solver=solver, **options)

    def wall(self, normal, offset=0.0):
        self.b.add_body(HalfSpace(tuple(normal), offset), kind='static', friction=self.mu)

    def add(self, shape, pos, quat=(1, 0, 0, 0)):
        mass = np.exp(self.rng.uniform(-0.5, 0.5) * np.log(self.ratio))
        self.b.add_body(shape, mass=mass, pos=pos, quat=quat, friction=self.mu)

    def stand(self, x, y, z=0.0, lying_capsules=True):
        """A random body whose lowest points are at height z; returns how high its level top is, or None."""
        rng, kind = self.rng, self.rng.integers(5 if lying_capsules else 3)
        if kind <= 1:
            sides = rng.uniform(0.1, 0.4, size=3)
            self.add(Box(tuple(sides)), (x, y, z + sides[2] / 2), yaw(rng))
            return z + sides[2]
        if kind == 2:
            radius = rng.uniform(0.05, 0.2)
            self.add(Sphere(radius), (x, y, z + radius))
            return None
        radius, length = rng.uniform(0.05, 0.1), rng.uniform(0.1, 0.3)
        if kind == 3:
            self.add(Capsule(radius, length), (x, y, z + radius), multiply(yaw(rng), LYING))
        else:
            self.add(Capsule(radius, length), (x, y, z + radius + length / 2))
        return None


def plane(heap):
    """Bodies apart on a plane, and a box on an edge and one on a corner."""
    heap.wall((0, 0, 1))
    for k in range(4):
        heap.stand(k, 0.0)
    sides = heap.rng.uniform(0.1, 0.4, size=3)
    for k, quat in enumerate((multiply(yaw(heap.rng), from_rotvec([heap.rng.uniform(0.1, 1.4), 0, 0])),
                              random_quat(heap.rng))):  # fmt: skip
        down = -np.abs(matrix(quat) * sides / 2).sum(axis=1)[2]
        heap.add(Box(tuple(sides)), (k, 2.0, -down), quat)


def towers(heap):
    """Towers: boxes with bodies on them, spheres off the middle of spheres and of capsules."""
    rng = heap.rng
    heap.wall((0, 0, 1))
    for k in range(3):
        top = None
        for _ in range(3):
            top = heap.stand(2.0 * k + rng.uniform(-0.05, 0.05), rng.uniform(-0.05, 0.05), top or 0.0)
            if top is None:
                break
    low, high = rng.uniform(0.1, 0.2, size=2)
    aside = from_rotvec(rng.uniform(-0.4, 0.4, size=3))
    heap.add(Sphere(low), (0, 3, low))
    heap.add(Sphere(high), np.array([0, 3, low]) + (low + high) * matrix(aside)[:, 2])
    heap.add(Capsule(low, 0.4), (2, 3, low), LYING)
    angle = rng.uniform(-0.5, 0.5)
    heap.add(Sphere(high), np.array([2 + rng.uniform(-0.2, 0.2), 3, low]) + (low + high) * np.array(
        [0, np.sin(angle), np.cos(angle)]))  # fmt: skip


def corner(heap):
    """A box and a sphere in corners of a floor and two walls, and a ball between both."""
    rng = heap.rng
    for axis in np.eye(3):
        heap.wall(axis)
    sides = rng.uniform(0.2, 0.4, size=3)
    heap.add(Box(tuple(sides)), sides / 2)
    # a ball on the floor that touches the wall y = 0 and the box's side
    radius = rng.uniform(0.05, 0.1)
    heap.add(Sphere(radius), (sides[0] + radius, radius, radius))
    # one on the box, in the edge of both walls
    radius = rng.uniform(0.05, 0.1)
    heap.add(Sphere(radius), (radius, radius, sides[2] + radius))


def tube(heap):
    """Spheres stacked in a square tube, each leaning on two of its walls and on the one below."""
    rng, half, radius = heap.rng, 0.3, heap.rng.uniform(0.2, 0.25)
    heap.wall((0, 0, 1))
    for axis in np.eye(3)[:2]:
        heap.wall(axis, -half)
        heap.wall(-axis, -half)
    side = half - radius
    rise = np.sqrt(4 * radius**2 - 8 * side**2)
    for k in range(rng.integers(3, 6)):
        heap.add(Sphere(radius), (side * (-1) ** k, side * (-1) ** k, radius + k * rise))


def pyramid(heap):
    """Three equal spheres that touch each other on a plane, a fourth on them, a fifth on that."""
    heap.wall((0, 0, 1))
    r = heap.rng.uniform(0.1, 0.3)
    ring = 2 * r / np.sqrt(3)
    for k in range(3):
        heap.add(Sphere(r), (ring * np.cos(2 * np.pi * k / 3), ring * np.sin(2 * np.pi * k / 3), r))
    top = r + np.sqrt(4 * r * r - ring * ring)
    heap.add(Sphere(r), (0, 0, top))
    lean = from_rotvec(heap.rng.uniform(-0.3, 0.3, size=3))
    heap.add(Sphere(r), np.array([0, 0, top]) + 2 * r * matrix(lean)[:, 2])


def bridge(heap):
    """A plank on two boxes and a capsule lying across it, a box on top that juts out."""
    rng = heap.rng
    heap.wall((0, 0, 1))
    for x in (-0.5, 0.5):
        heap.add(Box((0.2, 0.3, 0.2)), (x, rng.uniform(-0.05, 0.05), 0.1), from_rotvec([0, 0, rng.uniform(-0.5, 0.5)]))
    heap.add(Box((1.3, 0.2, 0.05)), (0, 0, 0.225))
    heap.add(Capsule(0.05, 0.15), (rng.uniform(-0.3, 0.3), 0, 0.3), LYING)
    heap.add(Box((0.3, 0.3, 0.1)), (0.5 + rng.uniform(-0.1, 0.2), 0, 0.3), yaw(rng))


def heap_world(family, rng, *, mu, ratio=1.0, dt=1e-6, push=0.7, drift=0.0, **options):
    """World of a family, at rest, each dynamic body under a random force of up to `push` times its weight; all drift
    along (cos, sin, 0) at `drift` m/s.
    """
    heap = Heap(rng, mu=mu, ratio=ratio, dt=dt, **options)
    globals()[family](heap)
    w = heap.b.build()
    angle = rng.uniform(-np.pi, np.pi)
    for i in np.flatnonzero(np.isfinite(w.mass)):
        w.force[i] = push * w.mass[i] * G * rng.uniform(-1, 1) * tangents(rng.normal(size=3) + 1e-9)[0]
        if drift:
            w.set_state(i, linvel=drift * np.array([np.cos(angle), np.sin(angle), 0.0]))
    return w
