# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""PyBullet, in its own coordinates of a tree of bodies, and in maximal coordinates.

Forces and poses go body by body.
"""
import numpy as np
import pybullet as p

from hakoniwa_rigid.engine import Box, Sphere

from .. import scenes


class Bullet:
    """float64, one thread."""

    name, package, threads, about = 'PyBullet', 'pybullet', 1, 'float64; 50 sweeps'
    most, maximal = 1000, False

    def __init__(self, scene):
        self.client = p.connect(p.DIRECT)
        c = dict(physicsClientId=self.client)
        p.setGravity(0, 0, -scenes.G, **c)
        p.setPhysicsEngineParameter(fixedTimeStep=scenes.DT, numSubSteps=1, restitutionVelocityThreshold=0.01, **c)
        for normal, offset in scene.walls:
            plane = p.createCollisionShape(p.GEOM_PLANE, planeNormal=normal, **c)
            self._static(plane, np.multiply(normal, offset))
        if scene.panels:
            vertices, faces = scenes.mesh_of(scene.panels)
            mesh = p.createCollisionShape(p.GEOM_MESH, vertices=vertices.tolist(), indices=faces.ravel().tolist(),
                                          flags=p.GEOM_FORCE_CONCAVE_TRIMESH, **c)
            self._static(mesh, (0, 0, 0))
        self.force = scene.force
        shape = _shape(scene.parts, c)
        self.bodies = [self._body(scene, shape, k) for k in range(scene.n)]

    def _body(self, scene, shape, k):
        c = dict(physicsClientId=self.client)
        w, x, y, z = scene.quat[k]
        body = p.createMultiBody(scene.mass, shape, basePosition=scene.pos[k].tolist(), baseOrientation=(x, y, z, w),
                                 useMaximalCoordinates=self.maximal, **c)
        p.resetBaseVelocity(body, scene.linvel[k].tolist(), scene.angvel[k].tolist(), **c)
        p.changeDynamics(body, -1, linearDamping=0, angularDamping=0, lateralFriction=scene.friction,
                         restitution=scene.restitution, mass=scene.mass, localInertiaDiagonal=scene.inertia, **c)
        return body

    def _static(self, shape, pos):
        c = dict(physicsClientId=self.client)
        body = p.createMultiBody(0, shape, basePosition=list(pos), useMaximalCoordinates=self.maximal, **c)
        p.changeDynamics(body, -1, lateralFriction=1.0, restitution=1.0, **c)     # the product counts

    def exchange(self, count):
        """As all engines; a force acts for one step."""
        pose = np.empty((len(self.bodies), 7))
        push, read, client = p.applyExternalForce, p.getBasePositionAndOrientation, self.client
        frame, places = p.WORLD_FRAME, self.positions().tolist()
        for _ in range(count):
            for body, place in zip(self.bodies, places, strict=True):
                push(body, -1, self.force, place, frame, client)
            p.stepSimulation(physicsClientId=client)
            for k, body in enumerate(self.bodies):
                places[k], turn = read(body, client)
                pose[k, :3], pose[k, 3:] = places[k], turn
        return pose

    def steps(self, count):
        """One call each, without the thrust: it would have to be given each time."""
        for _ in range(count):
            p.stepSimulation(physicsClientId=self.client)

    def positions(self):
        """(n, 3) m."""
        return np.array([p.getBasePositionAndOrientation(b, physicsClientId=self.client)[0] for b in self.bodies])


class MaximalBullet(Bullet):
    """As Bullet, plain rigid bodies."""

    name, about, maximal = 'PyBullet, maximal', 'float64; plain rigid bodies', True


def _shape(parts, c):
    if len(parts) == 1:
        return p.createCollisionShape(**_one(parts[0][0]), **c)
    one = [_one(shape) for shape, _ in parts]
    return p.createCollisionShapeArray(
        shapeTypes=[s['shapeType'] for s in one], radii=[s.get('radius', 0.5) for s in one],
        halfExtents=[s.get('halfExtents', [1, 1, 1]) for s in one], lengths=[s.get('height', 1.0) for s in one],
        collisionFramePositions=[list(place) for _, place in parts],
        collisionFrameOrientations=[[0, 0, 0, 1]] * len(parts), **c)


def _one(shape):
    if isinstance(shape, Sphere):
        return dict(shapeType=p.GEOM_SPHERE, radius=shape.radius)
    if isinstance(shape, Box):
        return dict(shapeType=p.GEOM_BOX, halfExtents=[0.5 * s for s in shape.size])
    return dict(shapeType=p.GEOM_CYLINDER, radius=shape.radius, height=shape.height)
