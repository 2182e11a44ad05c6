# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What is measured: plain descriptions, drawn from a seed, that every engine is built from."""
from dataclasses import dataclass, replace

import numpy as np

from hakoniwa_rigid.engine import Box, Compound, Cylinder, Sphere

G = 9.80665                               # m/s^2
DT = 1e-3                                 # s
MASS = 0.71                               # kg
INERTIA = (0.0061, 0.00653, 0.0116)       # kg m^2
SPHERE, BOX = (Sphere(0.25), (0.0, 0.0, 0.0)), (Box((0.5, 0.5, 0.15)), (0.0, 0.0, 0.0))
DISC = Cylinder(0.076, 0.03)
# shapes of a drone with their places (m) in its frame, by name
PARTS = {'spheres': (SPHERE,), 'boxes': (BOX,),
         'compounds': ((Box((0.14, 0.14, 0.03)), (0.0, 0.0, 0.0)),
                       *((DISC, (x, y, 0.0)) for x in (-0.18, 0.18) for y in (-0.18, 0.18)))}
REACH = 0.3615                            # m, no point of any of them is farther from its centre
ROOMY, DENSE = 8.0, 0.5                   # m^3 of room per drone
SPEED, SPIN = 3.0, 1.0                    # m/s and rad/s, root mean square


@dataclass(frozen=True)
class Scene:
    """N equal bodies in a static world.

    parts (shape, place m in the body); pos (N,3) m, quat (N,4) wxyz, linvel (N,3) m/s, angvel (N,3) rad/s, world; walls
    as (normal, offset), free where normal.x > offset; panels (size m, centre m): boxes that make up a building, one
    triangle mesh in engines that have such; force (3,) N on each body, world; run_in: steps before the clock runs;
    patience: s that an engine may take for them, slower ones are measured where they are.
    """

    parts: tuple
    pos: np.ndarray
    quat: np.ndarray
    linvel: np.ndarray
    angvel: np.ndarray
    walls: tuple = ()
    panels: tuple = ()
    mass: float = MASS
    inertia: tuple = INERTIA
    force: tuple = (0.0, 0.0, MASS * G)
    restitution: float = 0.5
    friction: float = 0.3
    run_in: int = 100
    patience: float = 4.0

    @property
    def n(self):
        """Number of bodies that move."""
        return len(self.pos)

    @property
    def shape(self):
        """All parts as one shape of the engine."""
        if len(self.parts) == 1:
            return self.parts[0][0]
        return Compound([(shape, place, (1.0, 0.0, 0.0, 0.0)) for shape, place in self.parts])


def quaternions(rng, n):
    """(n, 4) uniform attitudes."""
    q = rng.normal(size=(n, 4))
    return q / np.linalg.norm(q, axis=1)[:, None]


def inside(n, side, rng):
    """(n, 3) m: places in a cube about the origin, no two drones and no wall in touch; neighbours in space are not
    neighbours in memory."""
    cells = int(np.ceil(n ** (1 / 3) - 1e-9))
    pitch = side / cells
    chosen = rng.permutation(cells**3)[:n]
    centres = (np.column_stack(np.unravel_index(chosen, (cells,) * 3)) + 0.5) * pitch - side / 2
    slack = max(pitch / 2 - REACH, 0.0)
    return centres + rng.uniform(-slack, slack, size=(n, 3))


def room(n, kind='spheres', volume=ROOMY, seed=1):
    """S(n): n drones, hovering thrust, random velocities, six walls around `volume` m^3 for each."""
    rng, side = np.random.default_rng(seed), (volume * n) ** (1 / 3)
    walls = tuple((tuple(s * e), -side / 2) for e in np.eye(3) for s in (1.0, -1.0))
    pos, quat = inside(n, side, rng), quaternions(rng, n)
    return Scene(PARTS[kind], pos, quat, rng.normal(scale=SPEED / np.sqrt(3), size=(n, 3)),
                 rng.normal(scale=SPIN / np.sqrt(3), size=(n, 3)), walls, run_in=100 if n < 10_000 else 40)


def free_flight(n, kind='spheres', seed=1):
    """As S(n) without walls, all with one velocity: nothing ever meets."""
    return replace(room(n, kind, seed=seed), linvel=np.tile((3.0, 0.0, 0.0), (n, 1)), walls=())


def resting(n):
    """n boxes lie on the floor, rotors off."""
    half = 0.5 * BOX[0].size[2]
    pos = np.column_stack([np.arange(n) % 10, np.arange(n) // 10, np.full(n, half)]).astype(float)
    still = np.zeros((n, 3))
    return Scene(PARTS['boxes'], pos, np.tile((1.0, 0, 0, 0), (n, 1)), still, still,
                 walls=(((0.0, 0.0, 1.0), 0.0),), force=(0.0, 0.0, 0.0))


def stack(n=10):
    """n boxes on one another, rotors off."""
    tall, still = BOX[0].size[2], np.zeros((n, 3))
    pos = np.column_stack([np.zeros((n, 2)), (np.arange(n) + 0.5) * tall])
    return Scene(PARTS['boxes'], pos, np.tile((1.0, 0, 0, 0), (n, 1)), still, still,
                 walls=(((0.0, 0.0, 1.0), 0.0),), force=(0.0, 0.0, 0.0))


def building(n=100, seed=2):
    """n box drones in a building of 27 rooms, 6 m each way, with a door in every inner wall."""
    rng, room_side, thick, panels = np.random.default_rng(seed), 6.0, 0.2, []
    outer = 3 * room_side
    for axis in range(3):
        for k in range(4):
            flat = np.full(3, outer)
            flat[axis] = thick
            middle = np.zeros(3)
            middle[axis] = (k - 1.5) * room_side
            if k in (0, 3):
                panels.append((tuple(flat), tuple(middle)))
            else:
                panels.extend(_with_doors(axis, middle, room_side, thick))
    pos = inside(n, outer - 2 * thick, rng)
    # out of the inner walls, on the side that is nearer
    for centre in (-0.5 * room_side, 0.5 * room_side):
        off, least = pos - centre, REACH + 0.5 * thick
        pos = np.where(np.abs(off) < least, centre + np.where(off < 0, -least, least), pos)
    return Scene(PARTS['boxes'], pos, quaternions(rng, n), rng.normal(scale=SPEED / np.sqrt(3), size=(n, 3)),
                 rng.normal(scale=SPIN / np.sqrt(3), size=(n, 3)), panels=tuple(panels))


def _with_doors(axis, middle, side, thick):
    """Four strips around a door of 2 m for each of the nine rooms along an inner wall."""
    door, u, v = 2.0, (axis + 1) % 3, (axis + 2) % 3
    strip = 0.5 * (side - door)
    for a in (-1, 0, 1):
        for b in (-1, 0, 1):
            for su, sv, cu, cv in ((side, strip, 0.0, -0.25 * (side + door)), (side, strip, 0.0, 0.25 * (side + door)),
                                   (strip, door, -0.25 * (side + door), 0.0), (strip, door, 0.25 * (side + door), 0.0)):
                size, centre = np.empty(3), middle.copy()
                size[axis], size[u], size[v] = thick, su, sv
                centre[u] += a * side + cu
                centre[v] += b * side + cv
                yield tuple(size), tuple(centre)


def pile(n=200, seed=3):
    """n boxes that are dropped into a pit 2 m square; the last land after 1 s."""
    rng, size, pit = np.random.default_rng(seed), (0.3, 0.2, 0.15), 2.0
    k = np.arange(n)
    pos = np.column_stack([0.4 * (k % 4 - 1.5), 0.4 * (k // 4 % 4 - 1.5), 0.3 + 0.4 * (k // 16)])
    walls = (((0.0, 0.0, 1.0), 0.0), *((tuple(s * e), -pit / 2) for e in np.eye(3)[:2] for s in (1.0, -1.0)))
    density = 200.0
    mass = density * float(np.prod(size))
    square = np.square(size)
    inertia = tuple(mass / 12.0 * (square.sum() - square))
    still = np.zeros((n, 3))
    return Scene(((Box(size), (0.0, 0.0, 0.0)),), pos, quaternions(rng, n), still, still, walls, mass=mass,
                 inertia=inertia, force=(0.0, 0.0, 0.0), restitution=0.1, friction=0.5, run_in=1600, patience=20.0)


# two triangles for each side of a box, outward, by its corners numbered 4 x + 2 y + z
_SIDES = np.array([(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6),
                   (0, 6, 4), (1, 5, 7), (1, 7, 3)])


def mesh_of(panels):
    """Vertices (8K, 3) m and faces (12K, 3) of boxes."""
    corners = np.stack(np.meshgrid(*[(-0.5, 0.5)] * 3, indexing='ij'), axis=-1).reshape(8, 3)
    vertices = np.concatenate([corners * size + np.asarray(centre) for size, centre in panels])
    faces = np.concatenate([_SIDES + 8 * k for k in range(len(panels))])
    return vertices, faces
