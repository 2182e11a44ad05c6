"""What is measured: plain descriptions, drawn from a seed, that every engine is built from."""
from dataclasses import dataclass, replace

import numpy as np

from hakoniwa_rigid.engine import Box, HalfSpace, Sphere, WorldBuilder

G = 9.80665                               # m/s^2
DT = 1e-3                                 # s
MASS = 0.71                               # kg
INERTIA = (0.0061, 0.00653, 0.0116)       # kg m^2
SPHERE, BOX = Sphere(0.25), Box((0.5, 0.5, 0.15))
REACH = 0.37                              # m, no point of either shape is farther from its centre
VOLUME = 8.0                              # m^3 of room per drone
SPEED, SPIN = 3.0, 1.0                    # m/s and rad/s, root mean square
RESTITUTION, FRICTION = 0.5, 0.3


@dataclass(frozen=True)
class Scene:
    """N equal drones among walls. pos (N,3) m, quat (N,4) wxyz, linvel (N,3) m/s, angvel (N,3) rad/s, world; walls as
    (normal, offset), free where normal.x > offset; force (3,) N on each drone, world."""

    shape: Sphere | Box
    pos: np.ndarray
    quat: np.ndarray
    linvel: np.ndarray
    angvel: np.ndarray
    walls: tuple
    force: tuple = (0.0, 0.0, MASS * G)
    gravity: float = G

    @property
    def n(self):
        """Number of drones."""
        return len(self.pos)


def room(n, shape, seed=1):
    """S(n): n drones, hovering thrust, random velocities, six walls around 8 m^3 for each."""
    rng = np.random.default_rng(seed)
    side = (VOLUME * n) ** (1 / 3)
    cells = int(np.ceil(n ** (1 / 3) - 1e-9))
    pitch = side / cells
    # as many cells as drones, in random order: neighbours in space are not neighbours in memory
    chosen = rng.permutation(cells**3)[:n]
    centres = (np.column_stack(np.unravel_index(chosen, (cells,) * 3)) + 0.5) * pitch - side / 2
    slack = pitch / 2 - REACH
    walls = tuple((tuple(s * e), -side / 2) for e in np.eye(3) for s in (1.0, -1.0))
    quat = rng.normal(size=(n, 4))
    pos = centres + rng.uniform(-slack, slack, size=(n, 3))
    linvel = rng.normal(scale=SPEED / np.sqrt(3), size=(n, 3))
    angvel = rng.normal(scale=SPIN / np.sqrt(3), size=(n, 3))
    return Scene(shape, pos, quat / np.linalg.norm(quat, axis=1)[:, None], linvel, angvel, walls)


def free_flight(n, shape, seed=1):
    """As S(n) without walls, all with one velocity: nothing ever meets."""
    scene = room(n, shape, seed)
    return replace(scene, linvel=np.tile((3.0, 0.0, 0.0), (n, 1)), walls=())


def resting(n, shape=BOX):
    """n boxes lie on the floor, rotors off."""
    pos = np.column_stack([np.arange(n) % 10, np.arange(n) // 10, np.full(n, 0.5 * shape.size[2])]).astype(float)
    return Scene(shape, pos, np.tile((1.0, 0, 0, 0), (n, 1)), np.zeros((n, 3)), np.zeros((n, 3)),
                 walls=(((0.0, 0.0, 1.0), 0.0),), force=(0.0, 0.0, 0.0))


def world(scene):
    """The scene in this engine: drones are bodies 0 .. n-1."""
    b = WorldBuilder(gravity=(0, 0, -scene.gravity), dt=DT)
    for pos, quat, v, spin in zip(scene.pos, scene.quat, scene.linvel, scene.angvel, strict=True):
        b.add_body(scene.shape, mass=MASS, inertia=INERTIA, pos=pos, quat=quat, linvel=v, angvel=spin,
                   restitution=RESTITUTION, friction=FRICTION)
    for normal, offset in scene.walls:
        b.add_body(HalfSpace(normal, offset), kind='static', restitution=RESTITUTION, friction=FRICTION)
    return b.build()
