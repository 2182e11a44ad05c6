# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Rapier through its Python package, which is float32.  Forces and poses go body by body."""
import numpy as np
import rapier3d as rp
from transforms3d.quaternions import quat2axangle

from hakoniwa_rigid.engine import Box, Sphere

from .. import scenes


class Rapier:
    """float32, one thread."""

    name, package, threads, about = 'Rapier', 'rapier3d', 1, 'float32; 4 iterations'
    most = 10_000

    def __init__(self, scene):
        w = self.world = rp.PhysicsWorld(gravity=(0.0, 0.0, -scenes.G))
        w.set_num_threads(1)
        w.integration_parameters.dt = scenes.DT
        for normal, offset in scene.walls:
            self._fix(scene, rp.Collider.halfspace(normal).translation(tuple(np.multiply(normal, offset))))
        if scene.panels:
            vertices, faces = scenes.mesh_of(scene.panels)
            self._fix(scene, rp.Collider.trimesh(vertices.astype(np.float32), faces.astype(np.uint32)))
        self.force = scene.force
        self.handles = [self._body(scene, k) for k in range(scene.n)]
        for h in self.handles:
            w.rigid_bodies[h].add_force(self.force)     # stays until it is reset

    def _fix(self, scene, collider):
        self.world.add_collider(collider.friction(scene.friction).restitution(scene.restitution))

    def _body(self, scene, k):
        body = (rp.RigidBody.dynamic().translation(tuple(scene.pos[k])).rotation(_scaled_axis(scene.quat[k]))
                .linvel(tuple(scene.linvel[k])).angvel(tuple(scene.angvel[k])).can_sleep(False)
                .additional_mass_properties(rp.MassProperties((0.0, 0.0, 0.0), scene.mass, scene.inertia)))
        parts = [_collider(shape).translation(place).density(0.0).friction(scene.friction)
                 .restitution(scene.restitution) for shape, place in scene.parts]
        return self.world.add_body(body, parts)

    def exchange(self, count):
        """As all engines."""
        pose = np.empty((len(self.handles), 7))
        bodies, force, w = self.world.rigid_bodies, self.force, self.world
        for _ in range(count):
            for h in self.handles:
                body = bodies[h]
                body.reset_forces(False)
                body.add_force(force, False)
            w.step()
            for k, h in enumerate(self.handles):
                body = bodies[h]
                x, q = body.translation, body.rotation
                pose[k] = x.x, x.y, x.z, q.w, q.i, q.j, q.k
        return pose

    def steps(self, count):
        """One call each."""
        for _ in range(count):
            self.world.step()

    def positions(self):
        """(n, 3) m."""
        return np.array([self.world.rigid_bodies[h].translation.to_ndarray() for h in self.handles], np.float64)


def _scaled_axis(q):
    axis, angle = quat2axangle(q)
    return tuple(angle * axis)


def _collider(shape):
    if isinstance(shape, Sphere):
        return rp.Collider.ball(shape.radius)
    if isinstance(shape, Box):
        return rp.Collider.cuboid(*(0.5 * s for s in shape.size))
    # its cylinders stand along y
    return rp.Collider.cylinder(0.5 * shape.height, shape.radius).rotation((0.5 * np.pi, 0.0, 0.0))
