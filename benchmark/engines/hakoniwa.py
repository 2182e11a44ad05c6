# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""This engine."""
import numpy as np

from hakoniwa_rigid.engine import HalfSpace, TriangleMesh, WorldBuilder

from .. import scenes


class Hakoniwa:
    """float64; bodies 0 .. n-1 are those of the scene."""

    name, package, threads, about = 'hakoniwa_rigid', 'hakoniwa-rigid', 1, 'float64; impacts at their own time'
    most = 100_000

    def __init__(self, scene):
        self.n = scene.n
        self.world = world(scene)
        self.thrust = np.zeros((self.world.n, 3))
        self.thrust[:self.n] = scene.force
        self.world.force[:] = self.thrust

    def exchange(self, count):
        """As all engines."""
        w, thrust = self.world, self.thrust
        for _ in range(count):
            w.force = thrust
            w.step()
            pose = w.pose
        return pose

    def steps(self, count):
        """As all engines: one call each."""
        w = self.world
        for _ in range(count):
            w.step()

    def positions(self):
        """(n, 3) m."""
        return self.world.pos[:self.n]

    def save(self):
        """For `restore`."""
        return self.world.save()

    def restore(self, saved):
        """Back to where it was."""
        self.world.restore(saved)


def world(scene):
    """The scene as a World."""
    b = WorldBuilder(gravity=(0, 0, -scenes.G), dt=scenes.DT)
    material = dict(restitution=scene.restitution, friction=scene.friction)
    for pos, quat, v, spin in zip(scene.pos, scene.quat, scene.linvel, scene.angvel, strict=True):
        b.add_body(scene.shape, mass=scene.mass, inertia=scene.inertia, com=(0, 0, 0), pos=pos, quat=quat, linvel=v,
                   angvel=spin, **material)
    for normal, offset in scene.walls:
        b.add_body(HalfSpace(normal, offset), kind='static', **material)
    if scene.panels:
        b.add_body(TriangleMesh(*scenes.mesh_of(scene.panels)), kind='static', **material)
    return b.build()
