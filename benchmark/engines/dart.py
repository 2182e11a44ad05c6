# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""DART: a free joint each, Bullet's collision detector.  Forces and poses go body by body."""
import dartpy as dart
import numpy as np
from transforms3d.quaternions import quat2mat

from hakoniwa_rigid.engine import Box, Sphere

from .. import scenes


class Dart:
    """float64, one thread."""

    name, package, threads, about = 'DART', 'dartpy', 1, "float64; Bullet's collision detector"
    most = 1000

    def __init__(self, scene):
        w = self.world = dart.simulation.World()
        w.setGravity([0.0, 0.0, -scenes.G])
        w.setTimeStep(scenes.DT)
        w.getConstraintSolver().setCollisionDetector(dart.collision.BulletCollisionDetector())
        for normal, offset in scene.walls:
            self._fix(scene, dart.dynamics.BoxShape([2000.0, 2000.0, 2.0]), *_beneath(normal, offset))
        for size, centre in scene.panels:
            self._fix(scene, dart.dynamics.BoxShape(size), np.eye(3), centre)
        self.force = np.asarray(scene.force)
        self.bodies = [self._body(scene, k) for k in range(scene.n)]

    def _fix(self, scene, shape, turn, centre):
        skeleton = dart.dynamics.Skeleton()
        joint, body = skeleton.createWeldJointAndBodyNodePair()
        joint.setTransformFromParentBodyNode(_pose(turn, centre))
        _give(scene, body, shape)
        skeleton.setMobile(False)
        self.world.addSkeleton(skeleton)

    def _body(self, scene, k):
        skeleton = dart.dynamics.Skeleton()
        joint, body = skeleton.createFreeJointAndBodyNodePair()
        for shape, place in scene.parts:
            _give(scene, body, _shape(shape)).setRelativeTranslation(place)
        inertia = dart.dynamics.Inertia()
        inertia.setMass(scene.mass)
        inertia.setMoment(np.diag(scene.inertia))
        body.setInertia(inertia)
        turn = quat2mat(scene.quat[k])
        joint.setPositions(dart.dynamics.FreeJoint.convertToPositions(_pose(turn, scene.pos[k])))
        joint.setVelocities(np.concatenate([scene.angvel[k], scene.linvel[k]]))
        self.world.addSkeleton(skeleton)
        return body

    def exchange(self, count):
        """As all engines; a force acts for one step."""
        pose = np.empty((len(self.bodies), 4, 4))
        for _ in range(count):
            for body in self.bodies:
                body.setExtForce(self.force)
            self.world.step()
            for k, body in enumerate(self.bodies):
                pose[k] = body.getWorldTransform().matrix()
        return pose

    def steps(self, count):
        """One call each, without the thrust: it would have to be given each time."""
        for _ in range(count):
            self.world.step()

    def positions(self):
        """(n, 3) m."""
        return np.array([b.getWorldTransform().translation() for b in self.bodies])


def _pose(turn, place):
    pose = dart.math.Isometry3()
    pose.set_rotation(turn)
    pose.set_translation(place)
    return pose


def _beneath(normal, offset):
    """Attitude and centre of a slab 2 m thick whose upper side is the plane normal . x = offset."""
    n = np.asarray(normal)
    u = np.roll(n, 1)
    u = u - n * (u @ n)
    u /= np.linalg.norm(u)
    return np.column_stack([u, np.cross(n, u), n]), n * (offset - 1.0)


def _give(scene, body, shape):
    node = body.createShapeNode(shape)
    node.createCollisionAspect()
    dynamics = node.createDynamicsAspect()
    dynamics.setRestitutionCoeff(scene.restitution)
    dynamics.setFrictionCoeff(scene.friction)
    return node


def _shape(shape):
    if isinstance(shape, Sphere):
        return dart.dynamics.SphereShape(shape.radius)
    if isinstance(shape, Box):
        return dart.dynamics.BoxShape(shape.size)
    return dart.dynamics.CylinderShape(shape.radius, shape.height)
